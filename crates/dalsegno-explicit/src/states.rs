//! Sets of numbered states, one bit each.

use crate::space::StateId;

/// A set of the states of a graph. Bits beyond the last state are zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateSet {
    words: Vec<u64>,
    len: usize,
}

impl StateSet {
    /// No state of `len` states.
    #[must_use]
    pub fn none(len: usize) -> Self {
        StateSet {
            words: vec![0; len.div_ceil(64)],
            len,
        }
    }

    /// All of `len` states.
    #[must_use]
    pub fn all(len: usize) -> Self {
        let mut set = Self::none(len);
        set.flip();
        set
    }

    /// Whether a state is in the set.
    #[inline]
    #[must_use]
    pub fn has(&self, state: StateId) -> bool {
        self.words[state as usize / 64] >> (state % 64) & 1 == 1
    }

    /// Adds a state; whether it is new.
    #[inline]
    pub fn insert(&mut self, state: StateId) -> bool {
        let word = &mut self.words[state as usize / 64];
        let bit = 1 << (state % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Takes a state out.
    #[inline]
    pub fn remove(&mut self, state: StateId) {
        self.words[state as usize / 64] &= !(1 << (state % 64));
    }

    /// Whether there is no state in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The number of states in the set.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.words.iter().map(|w| u64::from(w.count_ones())).sum()
    }

    /// The states of the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = StateId> + '_ {
        (0..).zip(&self.words).flat_map(|(i, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(64 * i + bit)
            })
        })
    }

    /// Adds the states of another set.
    pub fn unite(&mut self, other: &StateSet) {
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            *a |= b;
        }
    }

    /// Keeps the states of another set.
    pub fn intersect(&mut self, other: &StateSet) {
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            *a &= b;
        }
    }

    /// Takes exactly the other states.
    pub fn flip(&mut self) {
        for word in &mut self.words {
            *word = !*word;
        }
        if let (Some(last), true) = (self.words.last_mut(), !self.len.is_multiple_of(64)) {
            *last &= (1 << (self.len % 64)) - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_sets() {
        for len in [0, 1, 63, 64, 65, 200] {
            let mut odd = StateSet::none(len);
            for s in (1..len as StateId).step_by(2) {
                assert!(odd.insert(s) && !odd.insert(s));
            }
            let mut even = odd.clone();
            even.flip();
            assert_eq!(odd.count() + even.count(), len as u64);
            let mut both = odd.clone();
            both.intersect(&even);
            assert!(both.is_empty());
            both = odd.clone();
            both.unite(&even);
            assert_eq!(both, StateSet::all(len));
            assert!(odd.iter().eq((1..len as StateId).step_by(2)));
        }
    }
}
