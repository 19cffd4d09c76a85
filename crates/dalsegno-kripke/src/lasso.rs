//! Lassos: a finite stem and a cycle that repeats for ever.

use crate::letter::Letter;
use crate::model::GroupId;

/// The infinite sequence `stem · cycle · cycle · …`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Lasso<T> {
    /// What comes once.
    pub stem: Vec<T>,
    /// What repeats; never empty.
    pub cycle: Vec<T>,
}

/// An ultimately periodic word over letters.
pub type Word = Lasso<Letter>;

/// A state of a model and what leaves it in a run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// The state before the step.
    pub state: Vec<u32>,
    /// The group that fires, or `None` for the repetition of a dead end.
    pub group: Option<GroupId>,
}

/// An infinite run of a model.
pub type Run = Lasso<Step>;

impl<T> Lasso<T> {
    /// A lasso from its two parts.
    ///
    /// # Panics
    /// If the cycle is empty.
    #[must_use]
    pub fn new(stem: Vec<T>, cycle: Vec<T>) -> Self {
        assert!(!cycle.is_empty(), "the cycle of a lasso is never empty");
        Lasso { stem, cycle }
    }

    /// The number of positions before they repeat.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a lasso is never empty")]
    pub fn len(&self) -> usize {
        self.stem.len() + self.cycle.len()
    }

    /// The entry at a position below [`Lasso::len`].
    #[must_use]
    pub fn get(&self, position: usize) -> &T {
        match position.checked_sub(self.stem.len()) {
            None => &self.stem[position],
            Some(i) => &self.cycle[i],
        }
    }

    /// The position that follows `position`.
    #[inline]
    #[must_use]
    pub fn successor(&self, position: usize) -> usize {
        if position + 1 == self.len() {
            self.stem.len()
        } else {
            position + 1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_position_goes_back_to_the_sign() {
        let lasso = Lasso::new(vec!['a', 'b'], vec!['c', 'd']);
        let mut at = 0;
        let mut seen = String::new();
        for _ in 0..7 {
            seen.push(*lasso.get(at));
            at = lasso.successor(at);
        }
        assert_eq!(seen, "abcdcdc");
    }
}
