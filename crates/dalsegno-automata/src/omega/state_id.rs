//! States of automata: indices of a type of their own.

use std::fmt;

/// A state: an index below the number of states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct StateId(u32);

impl StateId {
    /// No state: tables of states that are not numbered yet are full of it.
    pub(crate) const NONE: StateId = StateId(u32::MAX);

    /// The state of an index.
    ///
    /// # Panics
    /// If the index does not fit; [`try_new`](Self::try_new) asks.
    #[inline]
    #[must_use]
    pub fn new(index: usize) -> Self {
        Self::try_new(index).expect("fewer than 2^32 - 1 automaton states")
    }

    /// The state of an index, unless there cannot be so many.
    #[inline]
    #[must_use]
    pub fn try_new(index: usize) -> Option<Self> {
        let index = u32::try_from(index).ok()?;
        (index != u32::MAX).then_some(StateId(index))
    }

    /// All states, ascending.
    pub fn all() -> impl Iterator<Item = StateId> {
        (0..).map(StateId::new)
    }

    /// The state that is so many places behind this one.
    #[inline]
    #[must_use]
    pub fn after(self, places: usize) -> Self {
        StateId::new(self.index() + places)
    }

    /// The first `n` states, ascending.
    pub fn first(n: usize) -> impl ExactSizeIterator<Item = StateId> + DoubleEndedIterator {
        (0..n).map(StateId::new)
    }

    /// The index.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The state that was [`packed`](Self::packed) into a number.
    #[inline]
    #[must_use]
    pub fn unpacked(number: u32) -> Self {
        debug_assert_ne!(number, u32::MAX, "no state");
        StateId(number)
    }

    /// The state as a number, for tables of packed records.
    #[inline]
    #[must_use]
    pub fn packed(self) -> u32 {
        self.0
    }
}

impl fmt::Display for StateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
