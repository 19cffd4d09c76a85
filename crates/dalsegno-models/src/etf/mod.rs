//! ETF, the enumerated table format of `LTSmin`.
//!
//! A file lists the variables of a state with their types, the labels of edges, the initial state,
//! the transitions as sections of rows, labels of states as maps, and names of values as sorts.
//! [`parse()`] reads one, [`write()`] writes it, and [`Etf::to_model`] makes a model of it in which each
//! section is a group of transitions. A [`Projection`] makes a file of any model that is explored.

mod lower;
mod project;
mod read;
mod write;

#[cfg(test)]
mod tests;

use dalsegno_kripke::Stop;
use dalsegno_logic::nearest;
use thiserror::Error;

use crate::text_error::TextError;

pub use lower::{Label, LabelValue, LowerError};
pub use project::{Projection, ProjectionError};
pub use read::{parse, parse_within};
pub use write::write;

/// A fault in an ETF file.
pub type Error = TextError<ErrorKind>;

/// The kinds of faults.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not UTF-8.
    #[error("the text is not in UTF-8")]
    Encoding,
    /// The text ends inside of a section.
    #[error("the file ends within a section: `end {0}` is missing, and the file seems truncated")]
    Truncated(&'static str),
    /// A line that belongs to no section.
    #[error("expected `begin` and the kind of a section")]
    NoSection,
    /// A kind of section that does not exist.
    #[error("there is no section `{name}`{}", nearest::hint(.nearest))]
    UnknownSection {
        /// The word behind `begin`.
        name: String,
        /// The kinds most like it.
        nearest: Vec<String>,
    },
    /// A section that must be there, and before the place where it is missed.
    #[error("the section `begin {0}` is missing")]
    Missing(&'static str),
    /// A section that may be there once is there twice.
    #[error("the section `begin {0}` is there twice")]
    Repeated(&'static str),
    /// Another token than the format allows.
    #[error("expected {0}")]
    Expected(&'static str),
    /// A row with the wrong number of columns.
    #[error("expected {expected} columns, found {found}")]
    Columns {
        /// As many as there should be.
        expected: usize,
        /// As many as there are.
        found: usize,
    },
    /// A number beyond 32 bits.
    #[error("the number does not fit into 32 bits")]
    Number,
    /// A value beyond those that its sort names.
    #[error("`{sort}` has {names} values, so {value} is none of them")]
    Value {
        /// The sort.
        sort: String,
        /// Its values.
        names: usize,
        /// The number found.
        value: u32,
    },
    /// A name that is used twice.
    #[error("the {what} `{name}` is declared twice")]
    Duplicate {
        /// What it names.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A control character, which no name needs: values can be given by their bytes.
    #[error("the control character {0:?} means nothing here")]
    Character(char),
    /// A limit was reached; nothing is known to be wrong.
    #[error("reading was given up here: {0}")]
    Stopped(Stop),
    /// More columns than are supported.
    #[error("there are more than {0} columns")]
    TooWide(usize),
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

/// A column of a table: a variable of the state or a label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// The name.
    pub name: String,
    /// The name of the type, which may be a sort.
    pub sort: String,
}

/// Transitions that are described together. A row is a run of cells.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Section {
    /// The cells that are no `*`, row after row.
    pub cells: Vec<Cell>,
    /// Where the cells of each row end.
    pub ends: Vec<usize>,
    /// The labels, as many per row as the file has edge labels.
    pub labels: Vec<u32>,
}

/// A variable with its values before and after a transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    /// The position of the variable.
    pub column: u32,
    /// Its value before.
    pub before: u32,
    /// Its value after.
    pub after: u32,
}

impl Section {
    /// The rows.
    pub fn rows(&self) -> impl Iterator<Item = &[Cell]> + '_ {
        let start = |i: usize| if i == 0 { 0 } else { self.ends[i - 1] };
        let row = move |(i, &end): (usize, &usize)| &self.cells[start(i)..end];
        self.ends.iter().enumerate().map(row)
    }
}

/// A label of states: a value per pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map {
    /// The name and type of the label.
    pub label: Column,
    /// Patterns, with one entry per variable, and the value of the label where they match.
    pub rows: Vec<(Vec<Option<u32>>, u32)>,
}

/// A type with the names of its values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sort {
    /// The name.
    pub name: String,
    /// The names of the values, as bytes: they need not be text.
    pub values: Vec<Vec<u8>>,
}

/// A file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Etf {
    /// The variables.
    pub variables: Vec<Column>,
    /// The labels of edges.
    pub edge_labels: Vec<Column>,
    /// The initial state.
    pub initial: Vec<u32>,
    /// The groups of transitions.
    pub sections: Vec<Section>,
    /// The labels of states.
    pub maps: Vec<Map>,
    /// The types.
    pub sorts: Vec<Sort>,
}

impl Etf {
    /// The sort of a type, if the file declares it.
    #[must_use]
    pub fn sort(&self, name: &str) -> Option<&Sort> {
        self.sorts.iter().find(|s| s.name == name)
    }
}
