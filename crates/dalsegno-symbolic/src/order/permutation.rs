//! Orders: which variable is at which level.

use dalsegno_kripke::VarId;
use thiserror::Error;

/// Which variable is at which level of the diagrams, level 0 being their root. Invariants:
///
/// 1. `top_down` lists every variable of the model once.
/// 2. `levels` is the inverse: variable `top_down[k]` has level `k`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    top_down: Vec<VarId>,
    levels: Vec<u32>,
}

/// Why a list of variables is no [`Order`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum NotAnOrder {
    /// A variable is in the list twice.
    #[error("variable {} is in the order twice", .0.0)]
    Twice(VarId),
    /// A variable has a number that is not below the length of the list.
    #[error("variable {} does not exist, or another one is missing", .0.0)]
    NoSuchVariable(VarId),
}

impl Order {
    /// The order of a list, root first.
    ///
    /// # Errors
    /// The first variable that breaks invariant 1.
    pub fn new(top_down: Vec<VarId>) -> Result<Self, NotAnOrder> {
        let unset = u32::MAX;
        let mut levels = vec![unset; top_down.len()];
        for (level, &v) in (0..).zip(&top_down) {
            match levels.get_mut(v.index()) {
                None => return Err(NotAnOrder::NoSuchVariable(v)),
                Some(slot) if *slot != unset => return Err(NotAnOrder::Twice(v)),
                Some(slot) => *slot = level,
            }
        }
        Ok(Order { top_down, levels })
    }

    /// The order in which the model declares its variables.
    #[must_use]
    pub fn declared(variables: usize) -> Self {
        Order {
            top_down: (0..variables as u32).map(VarId).collect(),
            levels: (0..variables as u32).collect(),
        }
    }

    /// The order of a list that an algorithm of this module made.
    pub(super) fn of_list(top_down: &[u32]) -> Self {
        let list = top_down.iter().copied().map(VarId).collect();
        Order::new(list).expect("every algorithm lists each variable once")
    }

    /// The variables, root first.
    #[inline]
    #[must_use]
    pub fn top_down(&self) -> &[VarId] {
        &self.top_down
    }

    /// The number of levels.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.top_down.len()
    }

    /// Whether there is no variable.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.top_down.is_empty()
    }

    /// The variable at a level.
    ///
    /// # Panics
    /// If there is no such level.
    #[inline]
    #[must_use]
    pub fn var_at(&self, level: usize) -> VarId {
        self.top_down[level]
    }

    /// The level of a variable.
    ///
    /// # Panics
    /// If there is no such variable.
    #[inline]
    #[must_use]
    pub fn level_of(&self, variable: VarId) -> usize {
        self.levels[variable.index()] as usize
    }

    /// The same order upside down.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let list = self.top_down.iter().rev().map(|v| v.0);
        Order::of_list(&list.collect::<Vec<_>>())
    }

    /// Levels by variable.
    pub(super) fn levels(&self) -> &[u32] {
        &self.levels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_the_inverse_of_the_list() {
        let order = Order::new([2, 0, 1].map(VarId).to_vec()).unwrap();
        assert_eq!(order.var_at(0), VarId(2));
        assert_eq!(order.level_of(VarId(1)), 2);
        assert_eq!(order.reversed().top_down(), [1, 0, 2].map(VarId));
        assert_eq!(Order::declared(3).levels(), [0, 1, 2]);
    }

    #[test]
    fn lists_that_are_no_permutation_are_refused() {
        let refused = |list: &[u32]| Order::new(list.iter().copied().map(VarId).collect());
        assert_eq!(refused(&[0, 0]), Err(NotAnOrder::Twice(VarId(0))));
        assert_eq!(refused(&[0, 2]), Err(NotAnOrder::NoSuchVariable(VarId(2))));
        assert!(refused(&[]).is_ok_and(|order| order.is_empty()));
    }
}
