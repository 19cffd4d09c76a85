//! A checker of proofs about Petri nets that is small enough to be read, and uses nothing but the standard library.
//!
//! A proof is a file. Its claim is that a property of LTL or CTL holds or fails of a net, or how many reachable
//! markings there are. This crate reads the net, the property and the file, and says whether the file proves the claim.
//! How a proof was found does not matter: no automaton, diagram package, reduction or solver is believed.
//!
//! What to read, in order: `net.rs` (nets and firing), `formula.rs` (formulas and atoms), `claim.rs` (what is claimed),
//! `tableau.rs` (the automaton of linear time), `diagram.rs` (the file), `rules.rs` (what a proof must satisfy),
//! `check.rs` (two ways to check that it does), `linear.rs` (proofs by linear arithmetic).

#![expect(clippy::missing_errors_doc, reason = "every error is a `Failure`, which says why nothing is proved")]
#![expect(clippy::must_use_candidate, reason = "nothing here is called for its effects alone")]

mod check;
pub mod claim;
pub mod contest;
pub mod diagram;
pub mod formula;
pub mod linear;
pub mod net;
mod rules;
pub mod tableau;
#[cfg(test)]
mod tests;
pub mod text;
mod verify;
mod xml;

use std::fmt;

pub use rules::infinite;
pub use verify::{MODES, Mode, Named, Options, Proved, report, verify};

/// Why nothing is proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The proof breaks a rule; at a marking and a transition, as far as they are known.
    Refused(&'static str, String),
    /// A file or a text is not what it should be, at a byte.
    Error(String, usize),
    /// The check takes more than it may.
    Limit(&'static str),
}

/// A value, or why nothing is proved.
pub type Result<T> = std::result::Result<T, Failure>;

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(rule, at) => write!(f, "refused: {rule}\n  {at}"),
            Failure::Error(what, at) => write!(f, "error: {what} (byte {at})"),
            Failure::Limit(what) => write!(f, "limit: {what}"),
        }
    }
}

impl std::error::Error for Failure {}

/// An error at a byte of a text.
pub(crate) fn error<T>(at: usize, what: impl Into<String>) -> Result<T> {
    Err(Failure::Error(what.into(), at))
}

/// What a check may still do, and whom it asks now and then if it should stop.
pub(crate) struct Work<'a> {
    left: u64,
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl Work<'_> {
    /// Takes some of it.
    pub(crate) fn take(&mut self, amount: usize) -> Result<()> {
        let before = self.left;
        self.left = before.checked_sub(amount as u64).ok_or(Failure::Limit("the check takes too many steps"))?;
        let ask = before >> 12 != self.left >> 12;
        if ask && (self.stop)() { Err(Failure::Limit("the check was stopped")) } else { Ok(()) }
    }
}
