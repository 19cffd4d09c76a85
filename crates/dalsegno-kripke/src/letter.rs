//! Letters and changesets: sets of at most 64 propositions.

use std::fmt;
use std::ops::BitXor;

/// The largest number of propositions that one property may observe.
pub const MAX_PROPOSITIONS: usize = 64;

/// The propositions that hold in a state: bit `i` for proposition `i`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Letter(pub u64);

/// The propositions whose value differs between two letters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Changeset(pub u64);

impl Letter {
    /// Whether proposition `i` holds.
    #[inline]
    #[must_use]
    pub fn holds(self, i: usize) -> bool {
        self.0 >> i & 1 == 1
    }

    /// This letter with proposition `i` set to `value`.
    #[inline]
    #[must_use]
    pub fn with(self, i: usize, value: bool) -> Letter {
        Letter(self.0 & !(1 << i) | u64::from(value) << i)
    }
}

impl Changeset {
    /// The changeset of a stuttering step.
    pub const EMPTY: Changeset = Changeset(0);

    /// Whether nothing changes.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether proposition `i` changes.
    #[inline]
    #[must_use]
    pub fn contains(self, i: usize) -> bool {
        self.0 >> i & 1 == 1
    }

    /// The changed propositions, ascending.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let rest = |bits: &u64| Some(bits & (bits - 1)).filter(|&bits| bits != 0);
        let first = Some(self.0).filter(|&bits| bits != 0);
        std::iter::successors(first, rest).map(|bits| bits.trailing_zeros() as usize)
    }
}

impl BitXor for Letter {
    type Output = Changeset;

    #[inline]
    fn bitxor(self, other: Letter) -> Changeset {
        Changeset(self.0 ^ other.0)
    }
}

impl BitXor<Changeset> for Letter {
    type Output = Letter;

    #[inline]
    fn bitxor(self, change: Changeset) -> Letter {
        Letter(self.0 ^ change.0)
    }
}

impl fmt::Debug for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:b}", self.0)
    }
}

impl fmt::Debug for Changeset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changeset_leads_from_one_letter_to_the_other() {
        let (a, b) = (Letter(0b0110), Letter(0b1010));
        assert_eq!((a ^ b).iter().collect::<Vec<_>>(), [2, 3]);
        assert_eq!(a ^ (a ^ b), b);
        assert!((a ^ a).is_empty());
        assert!(Letter(0).with(63, true).holds(63));
    }
}
