//! Bounds of variables: what is proved of them, and what a file merely promises.
//!
//! The two are different types, so that no verdict rests on a promise by accident. A promise may shape what
//! only costs time when it is false: a layout, an order of levels, which search comes first.

/// A number that no reachable value exceeds, by a proof.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Proved(pub u32);

/// A number that no reachable value exceeds, if the file tells the truth.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Promised(pub u32);

/// What is known of the largest value of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Bounds {
    /// The least bound that is proved.
    pub proved: Option<Proved>,
    /// The least bound that is promised.
    pub promised: Option<Promised>,
}

impl Bounds {
    /// Nothing is known.
    pub const UNKNOWN: Bounds = Bounds {
        proved: None,
        promised: None,
    };

    /// A bound with a proof.
    #[must_use]
    pub fn proved(bound: u32) -> Self {
        Bounds {
            proved: Some(Proved(bound)),
            promised: None,
        }
    }

    /// Adds a proof of a bound; the smaller one counts.
    pub fn prove(&mut self, bound: u32) {
        let new = Proved(bound);
        self.proved = Some(self.proved.map_or(new, |old| old.min(new)));
    }

    /// Adds a promise of a bound; the smaller one counts.
    pub fn promise(&mut self, bound: u32) {
        let new = Promised(bound);
        self.promised = Some(self.promised.map_or(new, |old| old.min(new)));
    }

    /// The proved bound, if there is one.
    #[inline]
    #[must_use]
    pub fn certain(self) -> Option<u32> {
        self.proved.map(|Proved(bound)| bound)
    }

    /// The smaller of the proved and the promised bound: good enough for a layout or an order, and for
    /// no verdict.
    #[inline]
    #[must_use]
    pub fn expected(self) -> Option<u32> {
        let promised = self.promised.map(|Promised(bound)| bound);
        match (self.certain(), promised) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Whether a value shows that the promise was false.
    #[inline]
    #[must_use]
    pub fn is_broken_by(self, value: u32) -> bool {
        self.promised.is_some_and(|Promised(bound)| value > bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_is_expected_and_not_certain() {
        let mut bounds = Bounds::UNKNOWN;
        assert_eq!((bounds.certain(), bounds.expected()), (None, None));
        bounds.promise(3);
        bounds.promise(1);
        assert_eq!((bounds.certain(), bounds.expected()), (None, Some(1)));
        bounds.prove(5);
        assert_eq!((bounds.certain(), bounds.expected()), (Some(5), Some(1)));
        assert!(bounds.is_broken_by(2) && !bounds.is_broken_by(1));
        bounds.prove(0);
        assert_eq!((bounds.certain(), bounds.expected()), (Some(0), Some(0)));
    }
}
