//! What can be wrong with a text in the HOA format, and where.

use std::ops::Range;

use thiserror::Error;

use dalsegno_logic::caret;

/// A fault in a text in the HOA format.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}, column {column}: {kind}")]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The bytes of the text that are wrong.
    pub span: Range<usize>,
}

impl Error {
    pub(super) fn new(text: &str, span: Range<usize>, kind: ErrorKind) -> Self {
        let (line, column) = caret::position(text, span.start);
        Error {
            kind,
            line,
            column,
            span,
        }
    }

    /// The error with the line of the text that it speaks of and a caret under the place.
    #[must_use]
    pub fn render(&self, text: &str) -> String {
        caret::render(text, self.span.clone(), &self.to_string())
    }
}

/// The kinds of faults.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// One automaton was asked for and the text has none.
    #[error("there is no automaton here")]
    Empty,
    /// One automaton was asked for and the text has more.
    #[error("there is more than one automaton here")]
    Several,
    /// A character that starts no token.
    #[error("unexpected character {0:?}")]
    Character(char),
    /// A string without its closing quote.
    #[error("this string is not closed")]
    OpenString,
    /// A comment without its end.
    #[error("this comment is not closed")]
    OpenComment,
    /// A number beyond 32 bits, or with zeros in front.
    #[error("this number is too large or starts with a useless zero")]
    Number,
    /// Another token than the grammar allows.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What the grammar allows.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// A version other than `v1`.
    #[error("version `{0}` of the format is not supported: `v1` is")]
    Version(String),
    /// The text ends inside an automaton.
    #[error("the text ends before `--END--`: it seems truncated")]
    Truncated,
    /// The producer gave up.
    #[error("`--ABORT--`: the producer of this automaton gave up")]
    Aborted,
    /// A header that may occur once occurs again.
    #[error("a second `{0}:` header")]
    DuplicateHeader(String),
    /// A header that changes the meaning and is not known.
    #[error("the header `{0}:` is not known, and by its capital letter it must not be skipped")]
    UnknownHeader(String),
    /// A header that must be there and is not.
    #[error("the header `{0}:` is missing")]
    MissingHeader(&'static str),
    /// An alias that was not defined before.
    #[error("the alias `@{0}` is not defined")]
    UnknownAlias(String),
    /// An alias defined twice.
    #[error("a second definition of the alias `@{0}`")]
    DuplicateAlias(String),
    /// More propositions than a letter has bits.
    #[error("{0} propositions are too many: at most 64 are supported")]
    TooManyPropositions(u32),
    /// More acceptance sets than marks have bits.
    #[error("{0} acceptance sets are too many: at most 64 are supported")]
    TooManySets(u32),
    /// The count of `AP:` and its names disagree.
    #[error("{declared} propositions are announced and {found} are named")]
    PropositionCount {
        /// The number given.
        declared: u32,
        /// The number of names.
        found: usize,
    },
    /// A proposition named twice.
    #[error("the proposition {0:?} is named twice")]
    DuplicateProposition(String),
    /// A state, proposition or acceptance set beyond the declared number.
    #[error("there is no {what} {index}: they are numbered below {count}")]
    OutOfRange {
        /// What is numbered.
        what: &'static str,
        /// The number used.
        index: u32,
        /// How many there are.
        count: usize,
    },
    /// More states than the text has room to define.
    #[error("{0} states are more than a text of this length can define")]
    TooManyStates(u64),
    /// A state defined twice.
    #[error("state {0} is defined twice")]
    DuplicateState(u32),
    /// A state that is announced or used and not defined.
    #[error("state {0} is not defined")]
    UndefinedState(u32),
    /// An acceptance condition that is not turned into generalised Büchi.
    #[error("{0} acceptance is not supported here: {1}")]
    Acceptance(String, &'static str),
    /// A conjunction of states.
    #[error("universal branching (alternating automata) is not supported")]
    UniversalBranching,
    /// Too many open parentheses.
    #[error("parentheses are nested too deeply")]
    TooDeep,
    /// Labels whose decision diagrams are too large.
    #[error("the labels are too complex")]
    TooComplex,
    /// Labelled and unlabelled edges in one state.
    #[error("within a state, either all edges have labels or none has")]
    MixedLabels,
    /// A wrong number of unlabelled edges.
    #[error("a state with implicit labels has 2^{propositions} edges, one per letter, not {found}")]
    ImplicitLabels {
        /// The number of propositions.
        propositions: usize,
        /// The number of edges.
        found: usize,
    },
    /// A testing automaton that breaks the rules of `docs/hoa-testing.md`.
    #[error("not a testing automaton: {0}")]
    Testing(&'static str),
}
