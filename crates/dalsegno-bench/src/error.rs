//! Why an experiment stops.

use std::io;
use std::path::PathBuf;

use dalsegno::LoadError;
use dalsegno::models::petri::generators::GenerateError;
use thiserror::Error;

/// Why an experiment stops before its end.
#[derive(Debug, Error)]
pub enum Error {
    /// A file that cannot be read or written.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A name that is neither a family with a parameter nor a file.
    #[error("{0}: neither a file nor a family with a parameter, such as kanban:4")]
    UnknownModel(String),
    /// A folder without models.
    #[error("{}: no files that end in .pnml, .etf or .dve", .0.display())]
    EmptyFolder(PathBuf),
    /// A family without such a net.
    #[error(transparent)]
    Family(#[from] GenerateError),
    /// A file that is no model.
    #[error("{name}: {source}")]
    Model {
        /// The model.
        name: String,
        /// Why.
        source: Box<LoadError>,
    },
    /// A model without anything to speak of.
    #[error("{0}: no propositions can be made of its variables")]
    NoPropositions(String),
    /// Two models that rows could not tell apart.
    #[error("two models are called {0}: rename a file, or give the models to two experiments")]
    SameName(String),
    /// A line of a file of formulas.
    #[error("{}, line {line}: {message}", .path.display())]
    Formula {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
    /// Rows that are not rows of this experiment.
    #[error("{}: {message}; take another --output folder", .path.display())]
    Ledger {
        /// The file of rows.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// Another run works in the folder of the results.
    #[error("{}: another run uses this folder; wait for it, or take another --output folder", .0.display())]
    InUse(PathBuf),
    /// A task that no approach of this program does.
    #[error("no such task: {0}")]
    Task(String),
    /// Approaches that disagree.
    #[error("{message}\nto see it again: sh {}", .script.display())]
    Disagreement {
        /// Which approaches say what of which formula.
        message: String,
        /// A script that runs them again.
        script: PathBuf,
    },
    /// The user has had enough.
    #[error("interrupted; the same command goes on from here")]
    Interrupted,
}

impl Error {
    /// For `map_err` on operations with a file.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Error {
        let path = path.into();
        move |source| Error::File { path, source }
    }
}
