//! Formulas as texts.
//!
//! Parts that a formula shares are written as often as they occur, so the text may be exponentially longer than the
//! formula. A short text is written at once, a long one without the GIL, and one beyond all reason is an exception.

use std::fmt::{self, Write};
use std::sync::Arc;

use dalsegno::logic::print::Display;
use dalsegno::logic::{FormulaId, FormulaStore};
use pyo3::prelude::*;

use crate::compact::{Compact, with_scratch};
use crate::limits::budget;
use crate::{errors, job};

/// Longer texts are written without the GIL.
const SHORT: usize = 1 << 14;

/// Longer texts are not written.
const MOST: usize = 1 << 26;

/// A syntax of formulas.
pub(crate) type Syntax = for<'a> fn(&'a FormulaStore, FormulaId) -> Display<'a>;

/// A text that takes no more than so many bytes.
struct Bounded {
    text: String,
    most: usize,
}

impl Write for Bounded {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.text.len() + part.len() > self.most {
            return Err(fmt::Error);
        }
        self.text.push_str(part);
        Ok(())
    }
}

fn bounded(store: &FormulaStore, f: FormulaId, syntax: Syntax, most: usize) -> Option<String> {
    let mut out = Bounded {
        text: String::new(),
        most,
    };
    write!(out, "{}", syntax(store, f)).ok()?;
    Some(out.text)
}

/// The text, if it is short.
pub(crate) fn short(compact: &Compact, syntax: Syntax) -> PyResult<Option<String>> {
    job::guarded(|| {
        let made = with_scratch(|scratch| {
            let f = compact.put(&mut scratch.store);
            bounded(&scratch.store, f, syntax, SHORT)
        });
        Ok(made)
    })
}

/// The text.
///
/// # Errors
/// If it is too long.
pub(crate) fn text(py: Python<'_>, compact: &Arc<Compact>, syntax: Syntax) -> PyResult<String> {
    if let Some(text) = short(compact, syntax)? {
        return Ok(text);
    }
    let compact = Arc::clone(compact);
    let made = job::quiet(py, "a text", &budget(None, None, None)?, move || {
        let mut store = FormulaStore::new();
        let f = compact.put(&mut store);
        bounded(&store, f, syntax, MOST)
    })?;
    made.ok_or_else(|| {
        errors::general(format!(
            "the text of the formula would have more than {MOST} characters: it repeats parts that the formula shares"
        ))
    })
}
