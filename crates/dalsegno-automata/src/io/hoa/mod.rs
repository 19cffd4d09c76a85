//! The Hanoi Omega-Automata format (HOA), version 1.
//!
//! [`write_automaton`] and [`write_testing`] write documents, [`read`] and [`read_one`] read them.
//!
//! The reader takes the whole of the format but for alternation: headers in any
//! order, aliases, labels on edges, on states or implicit, marks on states, on edges or on both, any
//! number of initial states, nested comments, several documents in one text. Any acceptance condition
//! other than generalised Büchi is turned into it by copies of the automaton
//! ([`crate::operations::fin_removal`]), so states may be more than in the text, and keep their names. It
//! refuses, with a place, conditions for which these would be too many, universal branching, documents
//! given up by their producer and headers whose capital letter says that they must not be skipped.
//!
//! Whatever the text, the reader takes time and memory bounded by a constant plus a multiple of its
//! length, and its recursion is bounded: numbers announced in the text are checked before room is
//! made for them, parentheses are nested to a limit, and labels whose decision diagrams would grow
//! out of proportion are refused.
//!
//! Testing automata are documents of the same format over propositions that say what *changes*,
//! with lower-case `testing-…` headers for the rest; `docs/hoa-testing.md` describes them.
//!
//! # Examples
//! ```
//! use dalsegno_automata::hoa::{self, Content, WriteOptions};
//! use dalsegno_automata::names::Names;
//!
//! let text = r#"HOA: v1
//! Start: 0
//! AP: 1 "p"
//! Acceptance: 1 Inf(0)
//! --BODY--
//! State: 0
//! [0] 0 {0}
//! [!0] 0
//! --END--"#;
//! let document = hoa::read_one(text)?;
//! let Content::Automaton(automaton) = document.content else {
//!     unreachable!("it has no testing-kind")
//! };
//! let mut out = Vec::new();
//! let options = WriteOptions {
//!     names: Names::new("G F p"),
//!     ..WriteOptions::default()
//! };
//! hoa::write_automaton(&automaton, &options, &mut out)?;
//! assert!(String::from_utf8(out)?.contains("acc-name: Buchi"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod condition;
mod error;
mod header;
mod label;
mod lexer;
mod read;
mod testing;
#[cfg(test)]
mod tests;
mod write;

pub use error::{Error, ErrorKind};
pub use read::{read, read_one};
pub use write::{Placement, WriteOptions, write_automaton, write_testing};

use crate::omega::automaton::Automaton;
use crate::testing::automaton::TestingAutomaton;

/// An automaton as read from a text.
#[derive(Clone, Debug)]
pub struct Document {
    /// The name that the text gives it.
    pub name: Option<String>,
    /// The names that the text gives to states, one entry per state.
    pub state_names: Vec<Option<String>>,
    /// What the text says of it under `properties:`, unchecked.
    pub properties: Vec<String>,
    /// The automaton.
    pub content: Content,
}

/// The two types of automata that a document may hold.
#[derive(Clone, Debug)]
pub enum Content {
    /// A TGBA or BA.
    Automaton(Automaton),
    /// A TA or TGTA.
    Testing(TestingAutomaton),
}
