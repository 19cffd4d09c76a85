//! What happens in a state without successors.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

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

/// A word that names no meaning of dead ends.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("expected `stutter`, `finite` or `ignore`, found `{0}`")]
pub struct UnknownDeadEnds(pub String);

impl fmt::Display for DeadEnds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DeadEnds::Stutter => "stutter",
            DeadEnds::Finite => "finite",
            DeadEnds::Ignore => "ignore",
        })
    }
}

impl FromStr for DeadEnds {
    type Err = UnknownDeadEnds;

    fn from_str(text: &str) -> Result<Self, UnknownDeadEnds> {
        match text {
            "stutter" => Ok(DeadEnds::Stutter),
            "finite" => Ok(DeadEnds::Finite),
            "ignore" => Ok(DeadEnds::Ignore),
            other => Err(UnknownDeadEnds(other.to_owned())),
        }
    }
}

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
