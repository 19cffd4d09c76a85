//! dalsegno for Python: what the package `dalsegno` calls.
//!
//! Formulas and automata are objects of this module; models, answers and words are wrapped by classes in Python
//! (`python/dalsegno`), which put options, JSON and pictures into the shape that Python expects.
//!
//! - Everything that may take long is a job: on a thread of its own, without the GIL, ended by signals.
//! - No panic leaves this module: it is an exception, and Python goes on.
//! - No lock is held without the GIL, so a fork finds none locked.

#![expect(
    clippy::needless_pass_by_value,
    reason = "arguments are made from Python's for the call"
)]

mod answer;
mod automaton;
mod check;
mod compact;
mod errors;
mod formula;
mod job;
mod language;
mod limits;
mod net;
mod picture;
mod random;
mod source;
mod sum;
mod writing;

use pyo3::prelude::*;

/// The part of dalsegno that is written in Rust.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::answer::PyAnswer;
    #[pymodule_export]
    use super::automaton::{PyAutomaton, automata, translate};
    #[pymodule_export]
    use super::check::{check, states};
    #[pymodule_export]
    use super::formula::{
        PyFormula, atom, exists, finally, forall, globally, next, release, strong_release, until,
        weak_until,
    };
    #[pymodule_export]
    use super::language::{combine, complement, missing_word, separating_word, some_word};
    #[pymodule_export]
    use super::net::{families, generate, net};
    #[pymodule_export]
    use super::picture::{net_svg, report_html};
    #[pymodule_export]
    use super::random::{formula_families, formula_of_family, random};
    #[pymodule_export]
    use super::source::{PySource, load_bytes};
    #[pymodule_export]
    use super::sum::{PySum, quoted};
    #[pymodule_export]
    use super::{_panic, version};
}

/// The version.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Panics, in a job or not: what becomes of a defect is tested with it.
#[pyfunction]
#[pyo3(signature = (in_job, /))]
fn _panic(py: Python<'_>, in_job: bool) -> PyResult<()> {
    fn defect() {
        panic!("a defect that was asked for");
    }
    if in_job {
        return job::quiet(
            py,
            "a panic",
            &dalsegno::kripke::Budget::unlimited(),
            defect,
        );
    }
    job::guarded(|| {
        defect();
        Ok(())
    })
}
