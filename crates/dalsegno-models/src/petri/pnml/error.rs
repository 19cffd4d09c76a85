//! What can be wrong with a PNML file, and where.

use dalsegno_logic::caret;
use thiserror::Error;

use crate::petri::net::NetError;
use crate::xml::{self, XmlError};

/// A fault in a PNML file.
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
    /// The outermost element is not `<pnml>`.
    #[error("this is no PNML file: it starts with <{0}>, not with <pnml>")]
    NotPnml(String),
    /// There is no element at all, or no `<net>` in it.
    #[error("the file has no <net>")]
    NoNet,
    /// There is more than one net.
    #[error("the file has more than one <net>, and it is not clear which one is meant")]
    SeveralNets,
    /// A symmetric or other high-level net.
    #[error("this is a coloured net: {0}")]
    Coloured(String),
    /// An element lacks an attribute.
    #[error("<{element}> has no attribute `{attribute}`")]
    Attribute {
        /// The element's name.
        element: String,
        /// The attribute's name.
        attribute: &'static str,
    },
    /// Two nodes of one identifier.
    #[error("the id `{0}` is used twice")]
    DuplicateId(String),
    /// An arc or a reference to a node that does not exist.
    #[error("<{element}> refers to `{id}`, which is no place and no transition")]
    NoSuchNode {
        /// The element that refers to it.
        element: &'static str,
        /// The identifier.
        id: String,
    },
    /// An arc that does not join a place and a transition.
    #[error("the arc from `{source_id}` to `{target_id}` joins two {what}")]
    SameKind {
        /// Where the arc starts.
        source_id: String,
        /// Where it ends.
        target_id: String,
        /// Places or transitions.
        what: &'static str,
    },
    /// An inhibitor arc that starts at a transition.
    #[error("an inhibitor arc goes from a place to a transition, not the other way round")]
    InhibitorDirection,
    /// A marking or weight that is no number of 32 bits.
    #[error("`{text}` is no {what}: a number from 0 to {} is", u32::MAX)]
    Number {
        /// A marking or a weight.
        what: &'static str,
        /// What is there.
        text: String,
    },
    /// A reset arc.
    #[error("reset arcs are not supported")]
    ResetArc,
    /// An arc of a kind that we do not know.
    #[error("arcs of type `{0}` are not supported: inhibitor and test arcs are")]
    ArcType(String),
    /// References that lead back to themselves.
    #[error("the reference `{0}` leads back to itself")]
    CircularReference(String),
    /// A reference to a node of the other kind.
    #[error("the reference `{0}` leads to a node of another kind")]
    ReferenceKind(String),
    /// The NUPN structure names a unit or place that does not exist.
    #[error("the NUPN structure names `{0}`, which does not exist")]
    NupnName(String),
    /// A part of the net breaks a rule.
    #[error(transparent)]
    Net(#[from] NetError),
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
