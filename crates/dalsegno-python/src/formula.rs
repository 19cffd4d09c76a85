//! Formulas as Python objects.

use std::sync::{Arc, OnceLock};

use dalsegno::automata::operations::hierarchy::Class;
use dalsegno::logic::{FormulaId, FormulaStore, Fragment, Node, nnf, parse, parse_lbt};
use dalsegno::{Language, Languages};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::compact::{Compact, Scratch, with_scratch};
use crate::limits::{budget, seconds};
use crate::{errors, job, writing};

/// Longer texts are read without the GIL.
const LONG_TEXT: usize = 1 << 14;

/// Larger formulas are worked on without the GIL.
const LARGE: usize = 1 << 11;

/// A formula of LTL, CTL or CTL*. It never changes.
///
/// `~f`, `f & g`, `f | g`, `f ^ g` and `f >> g` are negation, conjunction, disjunction, exclusive or and implication;
/// an operand may also be a text, `True` or `False`. Formulas are equal if they are the same up to the order of the
/// operands of `&`, `|`, `<->` and `xor`; `dalsegno.equivalent` compares what they mean.
#[pyclass(frozen, module = "dalsegno", name = "Formula")]
pub(crate) struct PyFormula {
    compact: Arc<Compact>,
    digest: OnceLock<u64>,
}

impl PyFormula {
    pub(crate) fn new(compact: Compact) -> Self {
        PyFormula {
            compact: Arc::new(compact),
            digest: OnceLock::new(),
        }
    }

    /// A formula of a store.
    pub(crate) fn of(store: &FormulaStore, f: FormulaId) -> Self {
        Self::new(Compact::of(store, f))
    }

    /// The atom with a name.
    ///
    /// # Errors
    /// If there is a defect.
    pub(crate) fn atom(name: &str) -> PyResult<Self> {
        job::guarded(|| {
            with_scratch(|scratch| {
                let f = scratch.store.atom(name);
                Ok(Self::of(&scratch.store, f))
            })
        })
    }

    /// Reads a formula.
    ///
    /// # Errors
    /// If the text is none.
    pub(crate) fn read(py: Python<'_>, text: &str, lbt: bool) -> PyResult<Self> {
        let read = move |scratch: &mut Scratch, text: &str| -> Result<Compact, String> {
            let store = &mut scratch.store;
            let read = if lbt { parse_lbt } else { parse };
            let f = read(store, text).map_err(|error| error.render(text))?;
            Ok(Compact::of(store, f))
        };
        let made = if text.len() < LONG_TEXT {
            job::guarded(|| Ok(with_scratch(|scratch| read(scratch, text))))?
        } else {
            let text = text.to_owned();
            let long = move || read(&mut Scratch::default(), &text);
            job::quiet(py, "reading a formula", &budget(None, None, None)?, long)?
        };
        made.map(Self::new).map_err(errors::parse)
    }

    /// What a formula is made into in a store.
    fn made(
        &self,
        py: Python<'_>,
        make: impl FnOnce(&mut Scratch, FormulaId) -> FormulaId + Send + 'static,
    ) -> PyResult<Self> {
        let work = move |compact: &Compact, scratch: &mut Scratch| {
            let f = compact.put(&mut scratch.store);
            let f = make(scratch, f);
            Compact::of(&scratch.store, f)
        };
        if self.compact.weight() < LARGE {
            return job::guarded(|| {
                let made = with_scratch(|scratch| work(&self.compact, scratch));
                Ok(Self::new(made))
            });
        }
        let compact = Arc::clone(&self.compact);
        let long = move || work(&compact, &mut Scratch::default());
        let made = job::quiet(py, "a formula", &budget(None, None, None)?, long)?;
        Ok(Self::new(made))
    }

    /// A formula of two.
    fn joined(
        &self,
        other: &Self,
        join: impl FnOnce(&mut FormulaStore, FormulaId, FormulaId) -> FormulaId,
    ) -> PyResult<Self> {
        job::guarded(|| {
            with_scratch(|scratch| {
                let store = &mut scratch.store;
                let (f, g) = (self.compact.put(store), other.compact.put(store));
                let joined = join(store, f, g);
                Ok(Self::of(store, joined))
            })
        })
    }

    /// What can be read from a formula in a store.
    fn looked_at<T>(&self, look: impl FnOnce(&FormulaStore, FormulaId) -> T) -> PyResult<T> {
        job::guarded(|| {
            with_scratch(|scratch| {
                let f = self.compact.put(&mut scratch.store);
                Ok(look(&scratch.store, f))
            })
        })
    }

    fn is(&self, fragment: Fragment) -> PyResult<bool> {
        self.looked_at(|store, f| store.is(f, fragment))
    }

    /// The formula, to be put into a store elsewhere.
    pub(crate) fn compact(&self) -> Arc<Compact> {
        Arc::clone(&self.compact)
    }

    /// The formula as text.
    ///
    /// # Errors
    /// If it is too long.
    pub(crate) fn text(&self, py: Python<'_>) -> PyResult<String> {
        writing::text(py, &self.compact, FormulaStore::display)
    }

    /// The formula as a text that means the same in every model.
    ///
    /// # Errors
    /// If it is too long.
    pub(crate) fn text_for_models(&self, py: Python<'_>) -> PyResult<String> {
        writing::text(py, &self.compact, FormulaStore::display_signs)
    }
}

/// What may stand where a formula is wanted: one, its text, or a truth value.
pub(crate) struct Operand<'py>(pub(crate) PyRef<'py, PyFormula>);

impl<'py> Operand<'py> {
    /// The operand that an argument is.
    ///
    /// # Errors
    /// If the text is no formula, or the argument none of those.
    pub(crate) fn of(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        match operand(value)? {
            Some(found) => Ok(found),
            None => Err(errors::kind(
                name,
                "a Formula, a text or a truth value",
                value,
            )),
        }
    }
}

/// The operand that a value is, if it is one.
fn operand<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Operand<'py>>> {
    let py = value.py();
    if let Ok(formula) = value.cast::<PyFormula>() {
        return Ok(Some(Operand(formula.borrow())));
    }
    let made = if let Ok(text) = value.cast::<PyString>() {
        PyFormula::read(py, text.to_str()?, false)?
    } else if let Ok(truth) = value.cast::<PyBool>() {
        let constant = if truth.is_true() {
            FormulaId::TRUE
        } else {
            FormulaId::FALSE
        };
        PyFormula::of(&FormulaStore::new(), constant)
    } else {
        return Ok(None);
    };
    Ok(Some(Operand(Bound::new(py, made)?.borrow())))
}

/// The formula of an operator, or `NotImplemented`; if it is reflected, the other operand stands first.
fn operated<'py>(
    first: &PyFormula,
    other: &Bound<'py, PyAny>,
    reflected: bool,
    join: impl FnOnce(&mut FormulaStore, FormulaId, FormulaId) -> FormulaId,
) -> PyResult<Bound<'py, PyAny>> {
    let py = other.py();
    let Some(second) = operand(other)? else {
        return Ok(py.NotImplemented().into_bound(py));
    };
    let made = if reflected {
        second.0.joined(first, join)?
    } else {
        first.joined(&second.0, join)?
    };
    Ok(Bound::new(py, made)?.into_any())
}

fn syntax_of(value: &Bound<'_, PyAny>) -> PyResult<String> {
    errors::text("syntax", value).map(str::to_owned)
}

#[pymethods]
impl PyFormula {
    #[new]
    #[pyo3(signature = (text, /, *, lbt = false))]
    fn py_new(text: &Bound<'_, PyAny>, lbt: bool) -> PyResult<Self> {
        Self::read(text.py(), errors::text("text", text)?, lbt)
    }

    fn __invert__(&self, py: Python<'_>) -> PyResult<Self> {
        self.made(py, |scratch, f| scratch.store.not(f))
    }

    fn __and__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(self, other, false, |store, f, g| store.and([f, g]))
    }

    fn __rand__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(self, other, true, |store, f, g| store.and([f, g]))
    }

    fn __or__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(self, other, false, |store, f, g| store.or([f, g]))
    }

    fn __ror__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(self, other, true, |store, f, g| store.or([f, g]))
    }

    fn __xor__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(self, other, false, FormulaStore::xor)
    }

    fn __rxor__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(self, other, true, FormulaStore::xor)
    }

    fn __rshift__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(self, other, false, FormulaStore::implies)
    }

    fn __rrshift__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(self, other, true, FormulaStore::implies)
    }

    fn __eq__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let Ok(other) = other.cast::<PyFormula>() else {
            return Ok(py.NotImplemented().into_bound(py));
        };
        let same = job::guarded(|| Ok(self.compact.same(&other.get().compact)))?;
        Ok(PyBool::new(py, same).to_owned().into_any())
    }

    fn __hash__(&self) -> PyResult<u64> {
        job::guarded(|| Ok(*self.digest.get_or_init(|| self.compact.digest())))
    }

    #[expect(clippy::unused_self, reason = "Python has it")]
    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(
            "a formula is neither true nor false by itself: check it on a model, or write & and | for `and` and `or`",
        ))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.text(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let Some(text) = writing::short(&self.compact, FormulaStore::display)? else {
            return Ok(format!("<Formula of {} operators and atoms>", self.size()?));
        };
        let text = PyString::new(py, &text);
        Ok(format!("Formula({})", text.repr()?))
    }

    fn __getnewargs__(&self, py: Python<'_>) -> PyResult<(String,)> {
        Ok((self.text(py)?,))
    }

    /// For notebooks; nothing if it is too long to be read.
    fn _repr_latex_(&self) -> PyResult<Option<String>> {
        let text = writing::short(&self.compact, FormulaStore::display_latex)?;
        Ok(text.map(|text| format!("${text}$")))
    }

    /// The formula in a syntax: `spot`, `spin`, `lbt` or `latex`.
    #[pyo3(signature = (syntax = "spot".to_owned()), text_signature = "($self, syntax='spot')")]
    fn to_str(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = syntax_of)] syntax: String,
    ) -> PyResult<String> {
        let syntax: writing::Syntax = match &*syntax {
            "spot" => FormulaStore::display,
            "spin" => FormulaStore::display_spin,
            "lbt" => FormulaStore::display_lbt,
            "latex" => FormulaStore::display_latex,
            other => {
                let message =
                    format!("unknown syntax {other:?}: there are spot, spin, lbt and latex");
                return Err(errors::argument("syntax", message));
            }
        };
        writing::text(py, &self.compact, syntax)
    }

    /// The names of the atoms, in the order of the text.
    fn atoms(&self) -> PyResult<Vec<String>> {
        self.looked_at(|store, f| {
            let propositions = store.propositions(f).into_iter();
            propositions.map(|p| store.name(p).to_owned()).collect()
        })
    }

    /// The outermost operator: `true`, `false`, `atom`, `!`, `&`, `|`, `->`, `<->`, `xor`, or a letter of `XFGURWMEA`.
    #[getter]
    fn operator(&self) -> PyResult<&'static str> {
        self.looked_at(|store, f| match store.node(f) {
            Node::True => "true",
            Node::False => "false",
            Node::Atom(_) => "atom",
            Node::Not(_) => "!",
            Node::And(_) => "&",
            Node::Or(_) => "|",
            Node::Implies(..) => "->",
            Node::Iff(..) => "<->",
            Node::Xor(..) => "xor",
            Node::Next(_) => "X",
            Node::Finally(_) => "F",
            Node::Globally(_) => "G",
            Node::Until(..) => "U",
            Node::Release(..) => "R",
            Node::WeakUntil(..) => "W",
            Node::StrongRelease(..) => "M",
            Node::Exists(_) => "E",
            Node::Forall(_) => "A",
        })
    }

    /// The operands of the outermost operator, left to right.
    fn operands(&self) -> PyResult<Vec<PyFormula>> {
        self.looked_at(|store, f| store.children(f).map(|g| Self::of(store, g)).collect())
    }

    /// How many operators and atoms there are in the text.
    fn size(&self) -> PyResult<u64> {
        self.looked_at(FormulaStore::size)
    }

    /// An equivalent formula that is smaller, or easier to translate, in negation normal form.
    ///
    /// A formula with path quantifiers is brought to negation normal form only.
    fn simplify(&self, py: Python<'_>) -> PyResult<Self> {
        self.made(py, |scratch, f| {
            scratch.simplifier.simplify(&mut scratch.store, f)
        })
    }

    /// The negation normal form: negations before atoms only, and neither `->`, `<->` nor `xor`.
    fn nnf(&self, py: Python<'_>) -> PyResult<Self> {
        self.made(py, |scratch, f| nnf::nnf(&mut scratch.store, f, false))
    }

    /// `self -> other`, as `self >> other`.
    fn implies(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.joined(&Operand::of("other", other)?.0, FormulaStore::implies)
    }

    /// `self <-> other`.
    fn iff(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.joined(&Operand::of("other", other)?.0, FormulaStore::iff)
    }

    /// Whether there is no path quantifier.
    #[getter]
    fn is_ltl(&self) -> PyResult<bool> {
        self.is(Fragment::LTL)
    }

    /// Whether each temporal operator has its own path quantifier.
    #[getter]
    fn is_ctl(&self) -> PyResult<bool> {
        self.is(Fragment::CTL)
    }

    /// Whether there is no temporal operator and no path quantifier.
    #[getter]
    fn is_boolean(&self) -> PyResult<bool> {
        self.is(Fragment::BOOLEAN)
    }

    /// Whether there is no `X`.
    #[getter]
    fn is_x_free(&self) -> PyResult<bool> {
        self.is(Fragment::X_FREE)
    }

    /// The lowest class of the hierarchy of Manna and Pnueli that the syntax shows: `safety`, `guarantee`, `obligation`,
    /// `recurrence`, `persistence` or `reactivity`. What the formula means may be simpler: see `is_in`.
    #[getter]
    fn syntactic_class(&self) -> PyResult<&'static str> {
        self.looked_at(|store, f| store.fragment(f).class_name())
    }

    /// Whether stuttering makes no difference: no word is told from one that repeats letters, or repeats fewer.
    #[pyo3(signature = (*, timeout = None))]
    fn is_stutter_invariant(
        &self,
        py: Python<'_>,
        timeout: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        let budget = budget(seconds(timeout)?, None, None)?;
        let (compact, limits) = (self.compact(), budget.clone());
        let found = job::quiet(py, "stutter invariance", &budget, move || {
            let (mut languages, language) = language(&compact);
            languages.stutter_witness(&language, &limits)
        })?;
        Ok(found.map_err(|error| errors::language(&error))?.is_none())
    }

    /// Whether what the formula means is in a class of the hierarchy of Manna and Pnueli: `safety`, `guarantee`,
    /// `obligation`, `recurrence`, `persistence` or `reactivity`.
    #[pyo3(signature = (name, *, timeout = None))]
    fn is_in(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyAny>,
        timeout: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        let class: Class = errors::choice("name", errors::text("name", name)?)?;
        let budget = budget(seconds(timeout)?, None, None)?;
        let (compact, limits) = (self.compact(), budget.clone());
        let found = job::quiet(py, "the class of a formula", &budget, move || {
            let (mut languages, language) = language(&compact);
            languages.is_in(&language, class, &limits)
        })?;
        found.map_err(|error| errors::language(&error))
    }
}

/// The language of a formula, with the store that has it.
fn language(compact: &Compact) -> (Languages, Language) {
    let mut languages = Languages::default();
    let f = compact.put(&mut languages.store);
    let language = Language::of_formula(&languages.store, f);
    (languages, language)
}

/// Defines the functions of operators.
macro_rules! operators {
    ($($(#[$doc:meta])* $rust:ident $python:literal ($($operand:ident),+) $make:expr;)+) => {
        $(
            $(#[$doc])*
            #[pyfunction(name = $python)]
            #[pyo3(signature = ($($operand),+, /))]
            pub(crate) fn $rust($($operand: Bound<'_, PyAny>),+) -> PyResult<PyFormula> {
                $(let $operand = Operand::of(stringify!($operand), &$operand)?;)+
                job::guarded(|| with_scratch(|scratch| {
                    let store = &mut scratch.store;
                    $(let $operand = $operand.0.compact.put(store);)+
                    let made = $make(store, $($operand),+);
                    Ok(PyFormula::of(store, made))
                }))
            }
        )+
    };
}

operators! {
    /// `X f`: next.
    next "X" (f) FormulaStore::next;
    /// `F f`: now or later.
    finally "F" (f) FormulaStore::finally;
    /// `G f`: now and always later.
    globally "G" (f) FormulaStore::globally;
    /// `f U g`: g now or later, and f until then.
    until "U" (f, g) FormulaStore::until;
    /// `f R g`: g up to and including the first f, always if there is none.
    release "R" (f, g) FormulaStore::release;
    /// `f W g`: `f U g`, or always f.
    weak_until "W" (f, g) FormulaStore::weak_until;
    /// `f M g`: `f R g`, and f now or later.
    strong_release "M" (f, g) FormulaStore::strong_release;
    /// `E f`: on some path.
    exists "E" (f) FormulaStore::exists;
    /// `A f`: on all paths.
    forall "A" (f) FormulaStore::forall;
}

/// The atom with a name, whatever characters it has.
#[pyfunction]
#[pyo3(signature = (name, /))]
pub(crate) fn atom(name: &Bound<'_, PyAny>) -> PyResult<PyFormula> {
    PyFormula::atom(errors::text("name", name)?)
}
