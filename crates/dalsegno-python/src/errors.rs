//! What goes wrong, as exceptions of the package. They are defined in Python (`dalsegno/_errors.py`).

use dalsegno::kripke::{Stop, UnknownName};
use dalsegno::{Error, LanguageError, LoadError, TranslationError};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The classes, as Python has them.
mod classes {
    pyo3::import_exception!(dalsegno._errors, DalsegnoError);
    pyo3::import_exception!(dalsegno._errors, ParseError);
    pyo3::import_exception!(dalsegno._errors, LimitError);
    pyo3::import_exception!(dalsegno._errors, InternalError);
    pyo3::import_exception!(dalsegno._errors, UnknownNameError);
}

/// Something that cannot be done, and why.
pub(crate) fn general(message: impl Into<String>) -> PyErr {
    classes::DalsegnoError::new_err(message.into())
}

/// Whether it is one of [`general`].
pub(crate) fn is_general(py: Python<'_>, error: &PyErr) -> bool {
    error
        .get_type(py)
        .is(py.get_type::<classes::DalsegnoError>())
}

/// A text that cannot be read, with its place.
pub(crate) fn parse(message: impl Into<String>) -> PyErr {
    classes::ParseError::new_err(message.into())
}

/// A limit that was hit while something was made.
pub(crate) fn limit(what: &str, stop: Stop) -> PyErr {
    let reason = stop.to_string();
    let message = match stop {
        Stop::Time => format!("{what}: out of time"),
        Stop::Memory => format!("{what}: out of memory"),
        Stop::States => format!("{what}: too many states"),
        Stop::Cancelled => format!("{what}: cancelled"),
    };
    classes::LimitError::new_err((message, reason))
}

/// A defect of dalsegno.
pub(crate) fn internal(message: &str) -> PyErr {
    classes::InternalError::new_err(format!(
        "internal error: {message}. This is a defect of dalsegno: please report it"
    ))
}

/// A name that a model does not have.
pub(crate) fn name(message: &str) -> PyErr {
    classes::UnknownNameError::new_err(message.to_owned())
}

/// An argument with a value that it cannot have.
pub(crate) fn argument(name: &str, message: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("{name}: {message}"))
}

/// An argument of a type that it cannot have.
pub(crate) fn kind(name: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    match value.get_type().name() {
        Ok(found) => PyTypeError::new_err(format!("{name}: expected {expected}, not {found}")),
        Err(error) => error,
    }
}

/// The text that an argument is.
///
/// # Errors
/// If it is none, or one that no file could have.
pub(crate) fn text<'a>(name: &str, value: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    match value.cast::<PyString>() {
        Ok(text) => text.to_str(),
        Err(_) => Err(kind(name, "a text", value)),
    }
}

/// An argument that is none of the names that there are.
pub(crate) fn choice<T: std::str::FromStr<Err = UnknownName>>(
    argument_name: &str,
    text: &str,
) -> Result<T, PyErr> {
    text.parse()
        .map_err(|error: UnknownName| argument(argument_name, error))
}

/// Why a file is no model.
pub(crate) fn load(name: &str, error: &LoadError) -> PyErr {
    match error.stop() {
        Some(stop) => limit(name, stop),
        None => parse(format!("{name}: {error}")),
    }
}

/// Why a question has no answer.
pub(crate) fn question(title: &str, error: &Error) -> PyErr {
    if error.is_defect() {
        return internal(&error.render());
    }
    if let Some(stop) = error.stop() {
        return limit(title, stop);
    }
    // Options are spelled differently here than on the command line.
    let said = match error {
        Error::Quantifier => {
            "a path quantifier stands in a formula of LTL: give it as ctl= or ctl_star=".to_owned()
        }
        Error::NotCtl => {
            "not a formula of CTL, where each temporal operator has its own `A` or `E`: give it as ctl_star="
                .to_owned()
        }
        Error::StepsInCtl => {
            "`fires` speaks of a path, and a formula of CTL of states: give it as ltl= or ctl_star=".to_owned()
        }
        Error::Livelocks => {
            "the symbolic engine takes tgba, ba and tgta: for a ta take engine='explicit'".to_owned()
        }
        Error::FairStates => {
            "fairness tells which runs count, and this question is not about runs: ask it in LTL, or without fair="
                .to_owned()
        }
        error => error.render(),
    };
    let message = if said.contains('\n') || title.is_empty() {
        said
    } else {
        format!("{title}: {said}")
    };
    match error {
        Error::Parse { .. }
        | Error::Proposition { .. }
        | Error::Properties { .. }
        | Error::NoFormulas(..)
        | Error::Line { .. }
        | Error::Fair(_)
        | Error::FairPattern(_)
        | Error::Load(_) => parse(message),
        _ => general(message),
    }
}

/// Why a formula has no automaton.
pub(crate) fn translation(name: &str, error: &TranslationError) -> PyErr {
    match error.stop() {
        Some(stop) => limit(name, stop),
        None => general(format!("{name}: {error}")),
    }
}

/// Why a question about languages has no answer.
pub(crate) fn language(error: &LanguageError) -> PyErr {
    match error {
        LanguageError::Refuted { .. } => internal(&error.to_string()),
        LanguageError::Automaton { name, .. } => match error.stop() {
            Some(stop) => limit(name, stop),
            None => general(error.to_string()),
        },
    }
}
