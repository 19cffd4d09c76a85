//! What can be wrong with a file of properties, and where.

use dalsegno_kripke::TooLarge;
use dalsegno_logic::caret;
use thiserror::Error;

use crate::petri::symbols::SymbolError;
use crate::xml::{self, XmlError};

/// A fault in a file of properties.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}, column {column}: {kind}")]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
}

/// The kinds of faults.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is no XML, or ends too early.
    #[error(transparent)]
    Xml(#[from] XmlError),
    /// The outermost element is not `<property-set>`.
    #[error("this is no file of properties: it does not start with <property-set>")]
    NotProperties,
    /// A property has no `<id>`.
    #[error("the property has no <id>")]
    NoId,
    /// A property has no `<formula>`, or an empty one.
    #[error("the property has no formula")]
    NoFormula,
    /// An element that is part of no formula.
    #[error("<{0}> is no operator of a formula")]
    Unknown(String),
    /// An operator with a wrong number of operands.
    #[error("<{element}> takes {expected}, not {found}")]
    Operands {
        /// The operator.
        element: &'static str,
        /// How many it takes.
        expected: &'static str,
        /// How many it has.
        found: usize,
    },
    /// A formula where a number must be, or the other way round.
    #[error("<{element}> takes {expected} as operands")]
    Sort {
        /// The operator.
        element: &'static str,
        /// Formulas or numbers.
        expected: &'static str,
    },
    /// A constant that is no number.
    #[error("`{0}` is no number")]
    Number(String),
    /// Numbers that do not fit.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// A name that does not mean one thing.
    #[error(transparent)]
    Symbol(#[from] SymbolError),
}

/// A kind at a byte of the text.
pub(super) type Located = xml::Located<ErrorKind>;

impl Located {
    pub(super) fn at(self, text: &str) -> Error {
        let (line, column) = caret::position(text, self.offset);
        Error {
            kind: self.kind,
            line,
            column,
        }
    }
}
