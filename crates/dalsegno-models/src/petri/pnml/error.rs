//! What can be wrong with a PNML file, and where.

use dalsegno_kripke::Stop;
use dalsegno_logic::nearest;
use thiserror::Error;

use crate::petri::coloured::SortError;
use crate::petri::net::NetError;
use crate::text_error::TextError;
use crate::xml::{self, XmlError};

/// A fault in a PNML file.
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
    /// Two nodes or arcs of one identifier.
    #[error("the id `{0}` is used twice")]
    DuplicateId(String),
    /// A part that may be there once is there twice.
    #[error("<{element}> has <{part}> twice, and it is not clear which one is meant")]
    Repeated {
        /// The element around.
        element: String,
        /// What it has twice.
        part: String,
    },
    /// A control character in an identifier or a name.
    #[error("the name {0:?} has a control character")]
    ControlCharacter(String),
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
    /// An attribute that is no whole number.
    #[error("the attribute `{attribute}` is no whole number: `{text}`")]
    Integer {
        /// The attribute's name.
        attribute: &'static str,
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
    /// A name of a sort, variable, constant or partition that is declared nowhere.
    #[error("there is no {what} `{name}`{}", nearest::hint(.nearest))]
    Undeclared {
        /// A sort, a variable, a constant or a partition.
        what: &'static str,
        /// The name.
        name: String,
        /// The names most like it.
        nearest: Vec<String>,
    },
    /// Sorts that are made of each other.
    #[error("the sort `{0}` is made of itself")]
    CircularSort(String),
    /// A sort beyond the limits.
    #[error("in the sort `{name}`: {error}")]
    Sort {
        /// Its name.
        name: String,
        /// What is wrong.
        error: SortError,
    },
    /// An element where another one must be.
    #[error("<{element}> is no {expected} of a symmetric net")]
    Element {
        /// The element.
        element: String,
        /// What must be there.
        expected: &'static str,
    },
    /// An element with a wrong number of elements inside.
    #[error("<{element}> takes {expected}, not {found}")]
    Operands {
        /// The element.
        element: String,
        /// What it takes.
        expected: &'static str,
        /// How many it has.
        found: usize,
    },
    /// A term of another sort than its surroundings ask for.
    #[error("a term of sort `{found}` is where one of sort `{expected}` must be")]
    Clash {
        /// The sort that is needed.
        expected: String,
        /// The sort that the term has.
        found: String,
    },
    /// A number, a colour, a multiset or a condition where something else must be.
    #[error("<{element}> needs {expected} here")]
    Expected {
        /// The element around.
        element: String,
        /// What it needs.
        expected: &'static str,
    },
    /// A successor where there is none.
    #[error("the sort `{0}` has no successors: only cyclic enumerations have")]
    NotCyclic(String),
    /// A label that has a text and no `<structure>`.
    #[error("<{0}> has no <structure>: its text alone is not read")]
    NoStructure(&'static str),
    /// A place of a sort with several colours, and an arc without a term.
    #[error("the arc has no term, and the sort `{0}` of its place has more than one colour")]
    NoTerm(String),
    /// A variable in an initial marking.
    #[error("the initial marking uses the variable `{0}`, which has no value there")]
    UnboundVariable(String),
    /// A term whose numbers do not fit, or which has too many parts.
    #[error("the term is too large")]
    TermTooLarge,
    /// A part of the net breaks a rule.
    #[error(transparent)]
    Net(#[from] NetError),
}

/// A kind at a byte of the text.
pub(super) type Located = xml::Located<ErrorKind>;

impl Located {
    pub(super) fn at(self, text: &str) -> Error {
        TextError::new(self.kind, text, self.offset..self.offset)
    }
}
