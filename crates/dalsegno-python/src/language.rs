//! Languages of formulas and automata: compared, combined, and asked for words.

use std::sync::Arc;

use dalsegno::automata::hoa::Content;
use dalsegno::automata::operations::compare::Separating;
use dalsegno::automata::operations::word::NamedWord;
use dalsegno::kripke::{Budget, Letter};
use dalsegno::{Language, LanguageError, Languages};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::automaton::{Held, PyAutomaton};
use crate::compact::Compact;
use crate::formula::{Operand, PyFormula};
use crate::limits::budget;
use crate::{errors, job};

/// A formula, its text, or an automaton.
pub(crate) enum Given {
    Formula(Arc<Compact>),
    Automaton(Arc<Held>),
}

impl Given {
    /// The language that an argument is.
    fn of(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(automaton) = value.cast::<PyAutomaton>() {
            return Ok(Given::Automaton(automaton.get().held()));
        }
        if value.cast::<PyFormula>().is_err() && value.cast::<PyString>().is_err() {
            return Err(errors::kind(
                name,
                "a Formula, a text or an Automaton",
                value,
            ));
        }
        Ok(Given::Formula(Operand::of(name, value)?.0.compact()))
    }

    fn language(&self, languages: &mut Languages) -> Language {
        match self {
            Given::Formula(compact) => {
                let f = compact.put(&mut languages.store);
                Language::of_formula(&languages.store, f)
            }
            Given::Automaton(held) => Language::of_automaton(held.name(), held.content().clone()),
        }
    }
}

/// A word: its text, its propositions, and their values in the letters of its stem and its cycle.
type Word = (String, Vec<String>, Vec<Vec<bool>>, Vec<Vec<bool>>);

fn word(found: NamedWord) -> Word {
    let values = |letters: &[Letter]| -> Vec<Vec<bool>> {
        let bits = 0..found.propositions.len();
        let letter = |l: &Letter| bits.clone().map(|i| l.holds(i)).collect();
        letters.iter().map(letter).collect()
    };
    let (stem, cycle) = (values(&found.word.stem), values(&found.word.cycle));
    (found.to_string(), found.propositions, stem, cycle)
}

/// Asks a question about languages in a job.
fn ask<T: Send + 'static>(
    py: Python<'_>,
    what: &str,
    given: Vec<Given>,
    timeout: Option<f64>,
    question: impl FnOnce(&mut Languages, &[Language], &Budget) -> Result<T, LanguageError>
    + Send
    + 'static,
) -> PyResult<T> {
    let budget = budget(timeout, None, None)?;
    let limits = budget.clone();
    let found = job::quiet(py, what, &budget, move || {
        let mut languages = Languages::default();
        let operands = given.iter().map(|g| g.language(&mut languages));
        let operands: Vec<Language> = operands.collect();
        question(&mut languages, &operands, &limits)
    })?;
    found.map_err(|error| errors::language(&error))
}

/// A word that only one of two languages has, and which one: 0 or 1.
#[pyfunction]
#[pyo3(signature = (a, b, /, *, timeout = None))]
pub(crate) fn separating_word(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    timeout: Option<f64>,
) -> PyResult<Option<(usize, Word)>> {
    let found = ask(
        py,
        "equivalent",
        vec![Given::of("a", a)?, Given::of("b", b)?],
        timeout,
        |languages, of, budget| languages.separating_word(&of[0], &of[1], budget),
    )?;
    Ok(found.map(|separating| match separating {
        Separating::First(found) => (0, word(found)),
        Separating::Second(found) => (1, word(found)),
    }))
}

/// A word of the first language that the second one does not have.
#[pyfunction]
#[pyo3(signature = (a, b, /, *, timeout = None))]
pub(crate) fn missing_word(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    timeout: Option<f64>,
) -> PyResult<Option<Word>> {
    let found = ask(
        py,
        "included",
        vec![Given::of("a", a)?, Given::of("b", b)?],
        timeout,
        |languages, of, budget| languages.missing(&of[1], &of[0], budget),
    )?;
    Ok(found.map(word))
}

/// A word of the language; with a pattern, one that fits it.
#[pyfunction]
#[pyo3(signature = (language, pattern = None, /, *, timeout = None))]
pub(crate) fn some_word(
    py: Python<'_>,
    language: &Bound<'_, PyAny>,
    pattern: Option<String>,
    timeout: Option<f64>,
) -> PyResult<Option<Word>> {
    if let Some(text) = &pattern {
        let read = Languages::default().word(text);
        read.map_err(|error| errors::parse(error.render(text)))?;
    }
    let found = ask(
        py,
        "a word",
        vec![Given::of("language", language)?],
        timeout,
        move |languages, of, budget| {
            let pattern = pattern.and_then(|text| languages.word(&text).ok());
            match pattern {
                Some(pattern) => languages.fitting_word(&of[0], &pattern, budget),
                None => languages.some_word(&of[0], budget),
            }
        },
    )?;
    Ok(found.map(word))
}

/// The automaton of the words that the language does not have.
#[pyfunction]
#[pyo3(signature = (language, /, *, timeout = None))]
pub(crate) fn complement(
    py: Python<'_>,
    language: &Bound<'_, PyAny>,
    timeout: Option<f64>,
) -> PyResult<PyAutomaton> {
    let (name, made) = ask(
        py,
        "complement",
        vec![Given::of("language", language)?],
        timeout,
        |languages, of, budget| {
            let name = format!("!({})", of[0].name());
            Ok((name, languages.complement(&of[0], budget)?))
        },
    )?;
    Ok(PyAutomaton::made(name, Content::Automaton(made)))
}

/// The automaton of the words that all the languages have, or with `union` one of them.
#[pyfunction]
#[pyo3(signature = (languages, /, *, union = false, timeout = None))]
pub(crate) fn combine(
    py: Python<'_>,
    languages: Vec<Bound<'_, PyAny>>,
    union: bool,
    timeout: Option<f64>,
) -> PyResult<PyAutomaton> {
    if languages.is_empty() {
        return Err(errors::argument("languages", "there is nothing to combine"));
    }
    let given = languages.iter().map(|one| Given::of("languages", one));
    let given = given.collect::<PyResult<_>>()?;
    let what = if union { "union" } else { "intersection" };
    let (name, made) = ask(py, what, given, timeout, move |languages, of, budget| {
        let names: Vec<String> = of.iter().map(|l| format!("({})", l.name())).collect();
        let name = names.join(if union { " | " } else { " & " });
        let made = if union {
            languages.sum(of, budget)?
        } else {
            languages.product(of, budget)?
        };
        Ok((name, made))
    })?;
    Ok(PyAutomaton::made(name, Content::Automaton(made)))
}
