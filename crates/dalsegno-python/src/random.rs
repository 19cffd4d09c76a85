//! Random formulas, and those of families of the literature.

use dalsegno::Drawing;
use dalsegno::logic::FormulaStore;
use dalsegno::logic::families::{FAMILIES, Family};
use dalsegno::logic::random::{Config, Weights};
use pyo3::prelude::*;

use crate::compact::Compact;
use crate::formula::PyFormula;
use crate::limits::budget;
use crate::{errors, job};

/// The largest syntax trees that are drawn.
const MAX_SIZE: usize = 1_000_000;

/// `count` random formulas: see `dalsegno.random_formulas`.
#[pyfunction]
#[pyo3(signature = (count, least, most, seed, propositions, logic, x_free, weights, fair, unique, /))]
#[expect(
    clippy::too_many_arguments,
    reason = "they are options of one call in Python"
)]
pub(crate) fn random(
    py: Python<'_>,
    count: usize,
    least: usize,
    most: usize,
    seed: u64,
    propositions: Vec<String>,
    logic: &str,
    x_free: bool,
    weights: Vec<(String, u32)>,
    fair: Option<usize>,
    unique: bool,
) -> PyResult<Vec<PyFormula>> {
    if !(1..=most).contains(&least) || most > MAX_SIZE {
        let message = format!("sizes are from 1 to {MAX_SIZE}, the smaller one first");
        return Err(errors::argument("size", message));
    }
    if propositions.is_empty() || propositions.iter().any(String::is_empty) {
        return Err(errors::argument(
            "propositions",
            "there must be names, none of them empty",
        ));
    }
    let mut config = match logic {
        "ltl" => Config::ltl(),
        "ctl" => Config::ctl(),
        "ctl*" => Config::ctl_star(),
        other => {
            let message = format!("unknown logic {other:?}: there are ltl, ctl and ctl*");
            return Err(errors::argument("logic", message));
        }
    };
    if fair.is_some() && logic != "ltl" {
        return Err(errors::argument("fair", "fairness is a matter of ltl"));
    }
    for (name, weight) in &weights {
        let Some(slot) = config.weights.named(name) else {
            let known = Weights::NAMES.join(", ");
            let message = format!("unknown operator {name:?}: there are {known}");
            return Err(errors::argument("weights", message));
        };
        *slot = *weight;
    }
    if x_free {
        config.weights.next = 0;
    }
    let config = config
        .with_size(least..=most)
        .with_propositions(propositions)
        .with_seed(seed);
    let budget = budget(None, None, None)?;
    let limits = budget.clone();
    let drawn = job::quiet(py, "random formulas", &budget, move || {
        let mut store = FormulaStore::new();
        for name in &config.propositions {
            store.atom(name);
        }
        let mut drawing = Drawing::new(config);
        if let Some(n) = fair {
            drawing = drawing.weakly_fair(n);
        }
        if unique {
            drawing = drawing.distinct();
        }
        let mut drawn: Vec<Compact> = Vec::new();
        while drawn.len() < count && limits.check().is_ok() {
            match drawing.draw(&mut store) {
                Some(f) => drawn.push(Compact::of(&store, f)),
                None => break,
            }
        }
        drawn
    })?;
    if drawn.len() < count {
        let message = format!("no more than {} different formulas were found", drawn.len());
        return Err(errors::general(message));
    }
    Ok(drawn.into_iter().map(PyFormula::new).collect())
}

/// A formula of a family of the literature.
#[pyfunction]
#[pyo3(signature = (family, n, /))]
pub(crate) fn formula_of_family(py: Python<'_>, family: &str, n: usize) -> PyResult<PyFormula> {
    let Some(found) = Family::named(family) else {
        let message = format!("there is no family {family:?}: formula_families() names them");
        return Err(errors::argument("family", message));
    };
    if n == 0 || n > 10_000 {
        return Err(errors::argument("n", format!("{n} is not from 1 to 10000")));
    }
    let limits = budget(None, None, None)?;
    let made = job::quiet(py, "a formula of a family", &limits, move || {
        let mut store = FormulaStore::new();
        let f = found.formula(&mut store, n);
        f.map(|f| Compact::of(&store, f))
    })?;
    made.map(PyFormula::new)
        .map_err(|error| errors::parse(error.to_string()))
}

/// The families of formulas, with their shapes.
#[pyfunction]
pub(crate) fn formula_families() -> Vec<(&'static str, &'static str)> {
    FAMILIES
        .iter()
        .map(|family| (family.name, family.shape))
        .collect()
}
