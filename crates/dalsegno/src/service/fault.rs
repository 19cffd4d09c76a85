//! What is wrong with a request, a model or a formula, and where.

use serde::Serialize;

use crate::error::Error;
use crate::source::LoadError;

/// The `error` of a last line.
#[derive(Serialize, Debug)]
pub(super) struct Fault {
    /// What is wrong, in a sentence.
    message: String,
    /// The message, with the line and a caret under the place if that is known.
    rendered: String,
    /// The line, from 1.
    line: Option<usize>,
    /// The column in characters, from 1.
    column: Option<usize>,
}

impl Fault {
    pub(super) fn new(message: impl Into<String>) -> Self {
        let message = message.into();
        Fault {
            rendered: message.clone(),
            message,
            line: None,
            column: None,
        }
    }

    /// A fault at a place.
    pub(super) fn at(
        message: impl Into<String>,
        rendered: impl Into<String>,
        line: usize,
        column: usize,
    ) -> Self {
        Fault {
            message: message.into(),
            rendered: rendered.into(),
            line: Some(line),
            column: Some(column),
        }
    }

    /// A request that is no JSON.
    pub(super) fn of_json(error: &serde_json::Error) -> Self {
        let message = format!("the request is no JSON: {error}");
        Fault::at(message.clone(), message, error.line(), error.column())
    }

    /// A text that is no formula.
    pub(super) fn of_formula(text: &str, error: &dalsegno_logic::parse::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        Fault::at(error.kind().to_string(), error.render(text), line, column)
    }

    /// Why a question has no answer.
    pub(super) fn of_question(error: &Error) -> Self {
        match error {
            Error::Parse { text, error } => Fault::of_formula(text, error),
            Error::Load(error) => Fault::of_model(error),
            _ => Fault {
                rendered: error.render(),
                ..Fault::new(error.to_string())
            },
        }
    }

    /// A text that is no model.
    pub(super) fn of_model(error: &LoadError) -> Self {
        let (message, line, column) = match error {
            LoadError::Pnml(error) => (error.kind.to_string(), error.line, error.column),
            LoadError::Etf(error) => (error.kind.to_string(), error.line, error.column),
            LoadError::Dve(error) => (error.kind.to_string(), error.line, error.column),
            _ => return Fault::new(error.to_string()),
        };
        Fault::at(message, error.to_string(), line, column)
    }
}
