//! What happens in a state without successors.

/// The meaning of dead ends: states that no transition leaves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DeadEnds {
    /// A dead end repeats its last state for ever. The default for LTL and CTL*.
    Stutter,
    /// Finite maximal paths count as paths: in a dead end `EX f` is false and `AX f` true. The
    /// default for CTL. Only `EX` and `AX` tell it from [`DeadEnds::Stutter`] in CTL.
    Finite,
    /// Finite paths do not count, only infinite ones do.
    Ignore,
}

crate::choices!(
    DeadEnds, "meaning of dead ends", Stutter => "stutter", Finite => "finite", Ignore => "ignore"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for meaning in [DeadEnds::Stutter, DeadEnds::Finite, DeadEnds::Ignore] {
            assert_eq!(meaning.to_string().parse(), Ok(meaning));
        }
        assert!("maybe".parse::<DeadEnds>().is_err());
    }
}
