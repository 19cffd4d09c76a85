//! What can be wrong with a file of properties, and where.

use dalsegno_kripke::{Stop, TooLarge};
use thiserror::Error;

use crate::petri::symbols::SymbolError;
use crate::text_error::TextError;
use crate::xml::{self, XmlError};

/// A fault in a file of properties.
pub type Error = TextError<ErrorKind>;

impl TextError<ErrorKind> {
    /// The limit that ended the reading, if nothing is known to be wrong.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        match self.kind {
            ErrorKind::Xml(XmlError::Stopped(stop)) => Some(stop),
            _ => None,
        }
    }
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
    /// There is no property at all.
    #[error("the file has no <property>")]
    NoProperty,
    /// A part of a property that may be there once is there twice.
    #[error("the property has <{0}> twice, and it is not clear which one is meant")]
    Repeated(&'static str),
    /// Two properties of one name.
    #[error("the property `{0}` is there twice")]
    DuplicateId(String),
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
    /// A list of places or transitions without any.
    #[error("there is no <{0}> here")]
    NoName(&'static str),
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
        TextError::new(self.kind, text, self.offset..self.offset)
    }
}
