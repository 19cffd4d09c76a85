//! Answers of an engine.

use crate::budget::Stop;

/// Whether a property holds, with a witness if it does not.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub enum Verdict<W> {
    /// It holds: the search was complete.
    Holds,
    /// It fails, and this shows it.
    Fails(W),
    /// The search ended early; nothing is known.
    Unknown(Stop),
}

impl<W> Verdict<W> {
    /// The same answer with another form of the witness.
    pub fn map<V>(self, f: impl FnOnce(W) -> V) -> Verdict<V> {
        match self {
            Verdict::Holds => Verdict::Holds,
            Verdict::Fails(witness) => Verdict::Fails(f(witness)),
            Verdict::Unknown(stop) => Verdict::Unknown(stop),
        }
    }

    /// Whether it holds, if that is known.
    #[must_use]
    pub fn holds(&self) -> Option<bool> {
        match self {
            Verdict::Holds => Some(true),
            Verdict::Fails(_) => Some(false),
            Verdict::Unknown(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failures_have_a_witness() {
        assert_eq!(Verdict::Fails(1).map(|w| w + 1), Verdict::Fails(2));
        let stopped: Verdict<u8> = Verdict::Unknown(Stop::Time);
        assert_eq!(stopped.map(|_| 'w').holds(), None);
        assert_eq!(Verdict::<u8>::Holds.holds(), Some(true));
    }
}
