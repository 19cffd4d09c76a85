//! Sums of places: what comparisons of a model's places are made of, as `m.place("a") + 2 * m.place("b") <= 3`.

use dalsegno::kripke::quoted_name;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;

use crate::formula::PyFormula;

/// A sum of places and variables of a model. Comparing it with a number or another sum makes a formula.
#[pyclass(frozen, module = "dalsegno", name = "Sum")]
pub(crate) struct PySum {
    /// Names with their coefficients, each name once.
    terms: Vec<(String, i64)>,
    constant: i64,
}

fn too_large() -> PyErr {
    PyOverflowError::new_err("the numbers of a sum must fit into 64 bits")
}

impl PySum {
    pub(crate) fn of(name: &str) -> Self {
        PySum {
            terms: vec![(name.to_owned(), 1)],
            constant: 0,
        }
    }

    fn number(constant: i64) -> Self {
        PySum {
            terms: Vec::new(),
            constant,
        }
    }

    /// `self + factor * other`.
    fn plus(&self, other: &PySum, factor: i64) -> PyResult<PySum> {
        let scaled = |n: i64| n.checked_mul(factor);
        let add = |a: i64, b: i64| {
            scaled(b)
                .and_then(|b| a.checked_add(b))
                .ok_or_else(too_large)
        };
        let mut terms = self.terms.clone();
        for (name, coefficient) in &other.terms {
            match terms.iter_mut().find(|(known, _)| known == name) {
                Some((_, sum)) => *sum = add(*sum, *coefficient)?,
                None => terms.push((name.clone(), add(0, *coefficient)?)),
            }
        }
        terms.retain(|(_, coefficient)| *coefficient != 0);
        let constant = add(self.constant, other.constant)?;
        Ok(PySum { terms, constant })
    }

    fn text(&self) -> String {
        let mut parts: Vec<(bool, String)> = Vec::new();
        for (name, coefficient) in &self.terms {
            let name = quoted_name(name);
            let text = match coefficient.unsigned_abs() {
                1 => name.to_string(),
                n => format!("{n}*{name}"),
            };
            parts.push((*coefficient < 0, text));
        }
        if self.constant != 0 || parts.is_empty() {
            parts.push((self.constant < 0, self.constant.unsigned_abs().to_string()));
        }
        let mut text = String::new();
        for (negative, part) in parts {
            text += match (text.is_empty(), negative) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            text += &part;
        }
        text
    }
}

/// A sum or a number.
fn term(value: &Bound<'_, PyAny>) -> PyResult<Option<PySum>> {
    if let Ok(sum) = value.cast::<PySum>() {
        let sum = sum.get();
        return Ok(Some(PySum {
            terms: sum.terms.clone(),
            constant: sum.constant,
        }));
    }
    if !value.is_instance_of::<pyo3::types::PyInt>() {
        return Ok(None);
    }
    value
        .extract::<i64>()
        .map(|n| Some(PySum::number(n)))
        .map_err(|_| too_large())
}

/// What an operator makes of two sums, or `NotImplemented`.
fn operated<'py>(
    other: &Bound<'py, PyAny>,
    make: impl FnOnce(&PySum) -> PyResult<PySum>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = other.py();
    match term(other)? {
        Some(other) => Ok(Bound::new(py, make(&other)?)?.into_any()),
        None => Ok(py.NotImplemented().into_bound(py)),
    }
}

#[pymethods]
impl PySum {
    fn __add__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(other, |other| self.plus(other, 1))
    }

    fn __radd__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(other, |other| other.plus(self, 1))
    }

    fn __sub__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(other, |other| self.plus(other, -1))
    }

    fn __rsub__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(other, |other| other.plus(self, -1))
    }

    fn __neg__(&self) -> PyResult<PySum> {
        PySum::number(0).plus(self, -1)
    }

    fn __mul__<'py>(&self, factor: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = factor.py();
        match term(factor)? {
            Some(factor) if factor.terms.is_empty() => {
                let sum = PySum::number(0).plus(self, factor.constant)?;
                Ok(Bound::new(py, sum)?.into_any())
            }
            Some(_) => Err(PyTypeError::new_err(
                "a sum is multiplied by a number: products of places cannot be compared",
            )),
            None => Ok(py.NotImplemented().into_bound(py)),
        }
    }

    fn __rmul__<'py>(&self, factor: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.__mul__(factor)
    }

    fn __richcmp__<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        how: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let relation = match how {
            CompareOp::Lt => "<",
            CompareOp::Le => "<=",
            CompareOp::Eq => "=",
            CompareOp::Ne => "!=",
            CompareOp::Gt => ">",
            CompareOp::Ge => ">=",
        };
        let right = match term(other)? {
            Some(sum) => sum.text(),
            // Values with names, as locations of a process.
            None => match (other.extract::<&str>(), how) {
                (Ok(name), CompareOp::Eq | CompareOp::Ne) => quoted_name(name).to_string(),
                _ => return Ok(py.NotImplemented().into_bound(py)),
            },
        };
        let made = PyFormula::atom(&format!("{} {relation} {right}", self.text()))?;
        Ok(Bound::new(py, made)?.into_any())
    }

    #[expect(clippy::unused_self, reason = "Python has it")]
    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(
            "a sum of places is neither true nor false by itself: compare it with a number",
        ))
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("<Sum {}>", self.text())
    }
}

/// A name as propositions write it: in quotes unless it is an identifier.
#[pyfunction]
#[pyo3(signature = (name, /))]
pub(crate) fn quoted(name: &str) -> String {
    quoted_name(name).to_string()
}
