//! DVE, the language of `DiVinE` in which the BEEM models are written.
//!
//! [`parse()`] makes a [`Program`](syntax::Program) of a text, and [`Program::to_model`](syntax::Program::to_model)
//! checks its names and types and makes a model of it; [`load`] does both.
//!
//! The variables of the model are, in this order, the global variables, elements of arrays apart, the
//! contents of buffered channels, and per process its location and its local variables. A group is a
//! transition of one process, or a pair of transitions that a channel without a buffer joins. A
//! property process takes no part: properties are formulas here.
//!
//! What the language leaves open is decided here. Numbers are computed with 32 bits, and stored with 16
//! bits and a sign (`int`) or 8 bits without (`byte`); what does not fit wraps around. (The BEEM database
//! counts one error state instead: of its models with at most 10^7 states `resistance.1` alone overflows.
//! Without the steps that overflow it has 8,183,468 states, one less than the database says.) Effects happen one after the other; a message is received before them,
//! and effects of the sender come before those of the receiver. `and`, `or` and `imply` look at their
//! right side only if it matters.

mod cases;
mod code;
mod compile;
mod lexer;
mod lower;
mod outline;
mod parse;
mod resolve;
pub mod syntax;

#[cfg(test)]
mod tests;

use dalsegno_kripke::{Budget, Model, ModelError, Stop};
use dalsegno_logic::nearest;
use thiserror::Error;

use crate::text_error::TextError;

pub use parse::{parse, parse_within};

/// A fault in a program.
pub type Error = TextError<ErrorKind>;

/// The deepest expressions that are read.
pub const MAX_DEPTH: usize = 200;

/// The most variables and the most groups of a model.
pub const MAX_SIZE: usize = 1 << 16;

/// The kinds of faults.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A character that starts no token.
    #[error("the character {0:?} means nothing here")]
    Character(char),
    /// A comment that is not closed.
    #[error("the comment is never closed")]
    OpenComment,
    /// Another token than the grammar allows.
    #[error("expected {0}")]
    Expected(&'static str),
    /// A number beyond 32 bits.
    #[error("the number does not fit into 32 bits with a sign")]
    Number,
    /// An expression that is nested too deeply.
    #[error("expressions are nested more than {MAX_DEPTH} deep")]
    TooDeep,
    /// A part that may be there once is there twice.
    #[error("`{0}` is there twice")]
    Repeated(&'static str),
    /// A part that is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A system whose processes move together.
    #[error("`system sync` is not supported: `system async` is")]
    Synchronous,
    /// A name that means nothing here.
    #[error("there is no {what} `{name}`{}", nearest::hint(.nearest))]
    Unknown {
        /// What is looked for.
        what: &'static str,
        /// The name.
        name: String,
        /// The names most like it.
        nearest: Vec<String>,
    },
    /// A name that means something else.
    #[error("`{name}` is {is}, not {wanted}")]
    Mismatch {
        /// The name.
        name: String,
        /// What it is.
        is: &'static str,
        /// What it should be.
        wanted: &'static str,
    },
    /// Two things of one name.
    #[error("`{0}` is declared twice")]
    Duplicate(String),
    /// An assignment to a constant.
    #[error("`{0}` is constant and cannot be changed")]
    Constant(String),
    /// A value that must be known before the program runs.
    #[error("this must be a constant")]
    NotConstant,
    /// An index that no element has.
    #[error("`{name}` has {size} elements, numbered from 0, so none has the number {index}")]
    Index {
        /// The array.
        name: String,
        /// Its elements.
        size: usize,
        /// The index.
        index: i32,
    },
    /// A size that no array or channel has.
    #[error("{0} is no size: sizes are from {1} to {MAX_SIZE}")]
    Size(i32, i32),
    /// More initial values than elements.
    #[error("there are {found} initial values for {expected} elements")]
    Initial {
        /// The elements.
        expected: usize,
        /// The values.
        found: usize,
    },
    /// A division by zero among constants.
    #[error("this divides by zero")]
    DivisionByZero,
    /// A message of the wrong length.
    #[error("messages of `{channel}` have {expected} values, and here are {found}")]
    Message {
        /// The channel.
        channel: String,
        /// The length of its messages.
        expected: usize,
        /// The length here.
        found: usize,
    },
    /// A model that is too large.
    #[error("the model is too large: it has too many {0}")]
    TooLarge(&'static str),
    /// A limit was reached; nothing is known to be wrong.
    #[error("reading was given up here: {0}")]
    Stopped(Stop),
    /// A rule of models that the program breaks.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl TextError<ErrorKind> {
    /// The limit that ended the reading, if nothing is known to be wrong.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        match self.kind {
            ErrorKind::Stopped(stop) => Some(stop),
            _ => None,
        }
    }
}

/// Reads a program and makes a model of it.
///
/// # Errors
/// An [`Error`](type@Error) with the line and column of the first fault.
///
/// # Examples
/// ```
/// let text = b"byte x = 2; process P { state a, b; init a; trans a -> b { effect x = x - 3; }; } system async;";
/// let model = dalsegno_models::dve::load(text, "m")?;
/// assert_eq!(model.initial(), [[2, 0]]);
/// # Ok::<(), dalsegno_models::dve::Error>(())
/// ```
pub fn load(bytes: &[u8], name: &str) -> Result<Model, Error> {
    load_within(bytes, name, &Budget::unlimited())
}

/// As [`load`], as long as the time and the memory of the budget last.
///
/// # Errors
/// An [`Error`](type@Error) with the place of the first fault, or of where it was given up.
pub fn load_within(bytes: &[u8], name: &str, budget: &Budget) -> Result<Model, Error> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        // Comments of old files are in other encodings, and nothing else of a program can be.
        Err(_) => &String::from_utf8_lossy(bytes),
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    parse_within(text, budget)?.to_model_within(name, text, budget)
}
