//! What a group of transitions does: data where it can be, a function where it must be.

use std::fmt;
use std::sync::Arc;

use crate::cases::Cases;
use crate::model::{GroupId, Model, VarId};
use crate::table::Table;

/// What a [`Group`](crate::Group) does to a state.
#[derive(Clone, Debug)]
pub enum Action {
    /// A guard on single variables and a constant effect: a transition of a Petri net.
    Linear(Linear),
    /// Rows of values before and after: a section of an ETF file.
    Table(Table),
    /// A function, for what is neither: a process of a program.
    Opaque(Arc<dyn Opaque + Send + Sync>),
}

/// A guard on single variables and a constant effect.
///
/// Enabled where every variable of `pre` is *at least* its number and every variable of `inhibit`
/// *strictly less* than its number; firing adds `delta`. Invariants:
///
/// 1. Each list ascends strictly by variable.
/// 2. `pre` has no 0 and `delta` has no 0.
/// 3. A negative `delta` takes no more than `pre` asks for, so firing never goes below 0.
/// 4. Numbers in `delta` are between `-u32::MAX` and `u32::MAX`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Linear {
    pre: Vec<(VarId, u32)>,
    inhibit: Vec<(VarId, u32)>,
    delta: Vec<(VarId, i64)>,
}

impl Linear {
    /// A guard and an effect, in any order; several entries of one variable are joined: the
    /// largest of `pre`, the smallest of `inhibit`, the sum of `delta`.
    ///
    /// # Errors
    /// The variable that breaks invariant 3 or 4.
    pub fn new(
        mut pre: Vec<(VarId, u32)>,
        mut inhibit: Vec<(VarId, u32)>,
        mut delta: Vec<(VarId, i64)>,
    ) -> Result<Self, VarId> {
        pre.retain(|&(_, n)| n > 0);
        pre.sort_unstable_by_key(|&(v, n)| (v, std::cmp::Reverse(n)));
        pre.dedup_by_key(|entry| entry.0);
        inhibit.sort_unstable();
        inhibit.dedup_by_key(|entry| entry.0);
        delta.sort_unstable_by_key(|entry| entry.0);
        let mut joined: Vec<(VarId, i64)> = Vec::with_capacity(delta.len());
        for (v, n) in delta {
            match joined.last_mut() {
                Some((last, sum)) if *last == v => *sum = sum.checked_add(n).ok_or(v)?,
                _ => joined.push((v, n)),
            }
        }
        joined.retain(|&(_, n)| n != 0);
        let linear = Linear {
            pre,
            inhibit,
            delta: joined,
        };
        for &(v, n) in &linear.delta {
            if n.unsigned_abs() > u64::from(u32::MAX) || -n > i64::from(linear.at_least(v)) {
                return Err(v);
            }
        }
        Ok(linear)
    }

    /// Variables with the number they must at least have.
    #[inline]
    #[must_use]
    pub fn pre(&self) -> &[(VarId, u32)] {
        &self.pre
    }

    /// Variables with the number they must stay below.
    #[inline]
    #[must_use]
    pub fn inhibit(&self) -> &[(VarId, u32)] {
        &self.inhibit
    }

    /// Variables with what firing adds to them.
    #[inline]
    #[must_use]
    pub fn delta(&self) -> &[(VarId, i64)] {
        &self.delta
    }

    /// The number that `variable` must at least have; 0 if it does not matter.
    #[must_use]
    pub fn at_least(&self, variable: VarId) -> u32 {
        match self.pre.binary_search_by_key(&variable, |entry| entry.0) {
            Ok(i) => self.pre[i].1,
            Err(_) => 0,
        }
    }

    /// What firing adds to `variable`.
    #[must_use]
    pub fn effect(&self, variable: VarId) -> i64 {
        match self.delta.binary_search_by_key(&variable, |entry| entry.0) {
            Ok(i) => self.delta[i].1,
            Err(_) => 0,
        }
    }

    /// Whether the guard holds.
    #[inline]
    #[must_use]
    pub fn enabled(&self, state: &[u32]) -> bool {
        self.pre.iter().all(|&(v, n)| state[v.index()] >= n)
            && self.inhibit.iter().all(|&(v, n)| state[v.index()] < n)
    }
}

/// A function from the values of the variables read to values of the variables written.
///
/// Both lists are in the order in which the group declares its variables. The function must not
/// depend on anything else.
pub trait Opaque: fmt::Debug {
    /// Whether there is some successor.
    fn enabled(&self, read: &[u32]) -> bool;

    /// A position in `read` and the only value of that variable with which there can be a
    /// successor, if there is such a variable. Searches look at it before they call.
    fn needs(&self) -> Option<(usize, u32)> {
        None
    }

    /// This function on whole states, if it can do without lists of values.
    fn in_place(&self) -> Option<&dyn InPlace> {
        None
    }

    /// What decides about this function, part by part, if it can tell.
    fn outline(&self) -> Option<&dyn Outline> {
        None
    }

    /// This function taken apart, if it can be; made anew by every call.
    fn cases(&self) -> Option<Cases> {
        None
    }

    /// Calls `emit` once per successor with the values of the variables written.
    ///
    /// `write` belongs to the caller, has one place per variable written, and holds their old
    /// values at the beginning: change it and pass it on, so that no call allocates.
    ///
    /// # Errors
    /// [`Undefined`] where the model does not say what happens.
    fn successors(
        &self,
        read: &[u32],
        write: &mut [u32],
        emit: &mut dyn FnMut(&[u32]),
    ) -> Result<(), Undefined>;
}

/// An [`Opaque`] action with at most one successor that knows where its variables lie in a state, so
/// that nothing is copied.
pub trait InPlace {
    /// Whether there is a successor.
    fn enabled_in(&self, state: &[u32]) -> bool;

    /// Makes the successor of `state`, if there is one, of `next`, which is `state` at the beginning.
    ///
    /// # Errors
    /// [`Undefined`] where the model does not say what happens; `next` is then of no use.
    fn fire_in(&self, state: &[u32], next: &mut [u32]) -> Result<bool, Undefined>;
}

/// What an [`Opaque`] action with at most one successor looks at, more exactly than its lists of variables tell: which part of its guard
/// is false, and which elements of arrays it uses in a state. Partial-order reductions ask.
pub trait Outline {
    /// Variables with the only value with which there can be a successor, and the value that they have after it. No variable is
    /// there twice.
    fn moves(&self) -> &[(VarId, u32, u32)];

    /// How many more conditions there are, all of which hold wherever there is a successor.
    fn conditions(&self) -> usize;

    /// Whether a condition is false in a state; if so, the variables are appended that were looked at: it stays false as
    /// long as they have these values.
    fn is_false(&self, condition: usize, state: &[u32], looked: &mut Vec<VarId>) -> bool;

    /// Whether the variables that are read and written depend on the state, so that [`Outline::used`] tells more than the group's lists.
    fn varies(&self) -> bool;

    /// Appends the variables that the step from a state reads and those that it writes: as long as those read have these values the
    /// step writes the same ones with the same values.
    fn used(&self, state: &[u32], reads: &mut Vec<VarId>, writes: &mut Vec<VarId>);
}

/// Why an [`Opaque`] action has no meaning in a state, such as a division by zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Undefined(pub &'static str);

/// What keeps a step from being taken, although its guard holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// A variable would not fit into 32 bits.
    #[error("variable {} leaves the range of 32 bits by group {}", .variable.0, .group.0)]
    Overflow {
        /// The group that fires.
        group: GroupId,
        /// The variable that grows.
        variable: VarId,
    },
    /// An opaque action has no meaning here.
    #[error("group {} is undefined: {reason}", .group.0)]
    Undefined {
        /// The group that fires.
        group: GroupId,
        /// What is wrong.
        reason: &'static str,
    },
}

impl Fault {
    /// The fault in the names of a model.
    #[must_use]
    pub fn describe(&self, model: &Model) -> String {
        match *self {
            Fault::Overflow { group, variable } => {
                let (group, variable) = (model.group(group).name(), &model.variable(variable).name);
                format!("`{group}` takes `{variable}` beyond {}", u32::MAX)
            }
            Fault::Undefined { group, reason } => {
                format!("`{}` is undefined: {reason}", model.group(group).name())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_one_variable_are_joined() {
        let (x, y) = (VarId(0), VarId(1));
        let linear = Linear::new(
            vec![(y, 1), (x, 2), (y, 3), (x, 0)],
            vec![(x, 9), (x, 7)],
            vec![(y, -3), (x, 4), (y, 1), (x, -4)],
        )
        .unwrap();
        assert_eq!(linear.pre(), [(x, 2), (y, 3)]);
        assert_eq!(linear.inhibit(), [(x, 7)]);
        assert_eq!(linear.delta(), [(y, -2)]);
        assert!(linear.enabled(&[6, 3]) && !linear.enabled(&[7, 3]) && !linear.enabled(&[1, 3]));
        assert_eq!(
            (linear.at_least(y), linear.effect(y), linear.effect(x)),
            (3, -2, 0)
        );
    }

    #[test]
    fn taking_more_than_asked_for_is_refused() {
        assert_eq!(
            Linear::new(vec![(VarId(0), 1)], vec![], vec![(VarId(0), -2)]),
            Err(VarId(0))
        );
        assert_eq!(
            Linear::new(vec![], vec![], vec![(VarId(3), i64::from(u32::MAX) + 1)]),
            Err(VarId(3))
        );
    }
}
