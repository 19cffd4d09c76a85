//! Why a file is not accepted.

use std::fmt;

/// Why nothing is proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The proof breaks a rule.
    Refused {
        /// The rule.
        rule: &'static str,
        /// Where: a marking and a transition, as far as they are known.
        at: String,
    },
    /// A file or a text is not what it should be.
    Error {
        /// What is wrong, and in which text.
        what: String,
        /// The byte where.
        at: usize,
    },
    /// The check takes more than it may.
    Limit(String),
}

/// A value, or why nothing is proved.
pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// The exit code of the program.
    #[must_use]
    pub fn code(&self) -> u8 {
        match self {
            Failure::Refused { .. } => 1,
            Failure::Error { .. } => 2,
            Failure::Limit(_) => 3,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused { rule, at } => write!(f, "refused: {rule}\n  {at}"),
            Failure::Error { what, at } => write!(f, "error: {what} (byte {at})"),
            Failure::Limit(what) => write!(f, "limit: {what}"),
        }
    }
}

impl std::error::Error for Failure {}

/// An error at a byte of a text.
pub(crate) fn error<T>(at: usize, what: impl Into<String>) -> Result<T> {
    let what = what.into();
    Err(Failure::Error { what, at })
}

/// A rule that is broken.
pub(crate) fn refused<T>(rule: &'static str, at: impl Into<String>) -> Result<T> {
    Err(Failure::Refused {
        rule,
        at: at.into(),
    })
}
