//! Models as Python holds them.
//!
//! What is found out about a model is kept and shared by all questions. It is found on threads of jobs, which a fork does
//! not take along: a child could wait for ever for something that a thread of its parent has begun. So a child makes its
//! models anew if a job was at work on them when it was forked.

use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use dalsegno::kripke::Budget;
use dalsegno::models::petri::pnml;
use dalsegno::models::petri::{PetriNet, Place, PlaceId};
use dalsegno::{LoadError, Problem, Source};
use pyo3::prelude::*;

use crate::formula::PyFormula;
use crate::limits::budget;
use crate::sum::PySum;
use crate::{errors, job};

/// A model: a net, coloured or not, a program or tables.
#[pyclass(frozen, module = "dalsegno._native", name = "Source")]
pub(crate) struct PySource(Mutex<Held>);

struct Held {
    source: Source,
    /// Jobs that are at work have a copy of it.
    token: Arc<()>,
    process: u32,
}

/// A model, and a sign that somebody is at work on it.
pub(crate) type Borrowed = (Source, Arc<()>);

impl PySource {
    pub(crate) fn new(source: Source) -> Self {
        PySource(Mutex::new(Held {
            source,
            token: Arc::new(()),
            process: process::id(),
        }))
    }

    /// The model, for a job.
    pub(crate) fn borrow(&self) -> Borrowed {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.process != process::id() {
            if Arc::strong_count(&held.token) > 1 {
                held.source = anew(&held.source);
                held.token = Arc::new(());
            }
            held.process = process::id();
        }
        (held.source.clone(), Arc::clone(&held.token))
    }

    pub(crate) fn source(&self) -> Source {
        self.borrow().0
    }

    /// Looks at the problem; a coloured net is unfolded for it.
    fn with_problem<T: Send + 'static>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(&Problem) -> PyResult<T> + Send + 'static,
    ) -> PyResult<T> {
        let (source, token) = self.borrow();
        if let Some(problem) = source.ready() {
            return job::guarded(|| look(problem));
        }
        let budget = budget(None, None, None)?;
        let (limits, name) = (budget.clone(), source.name().to_owned());
        job::quiet(py, "unfolding", &budget, move || {
            let problem = source.problem(&limits, |_| {});
            let found = problem.map_err(|error| errors::load(&name, &error));
            let found = found.and_then(|problem| look(problem));
            drop(token);
            found
        })?
    }
}

/// The same model without what was found out about it.
fn anew(source: &Source) -> Source {
    if let Some(net) = source.coloured() {
        return Source::of_coloured(net.clone());
    }
    let Some(problem) = source.ready() else {
        return source.clone();
    };
    if let Some(net) = problem.net() {
        return Source::of_net(net.clone());
    }
    let tables = problem.etf();
    let tables = tables.and_then(|etf| Source::of_etf(etf.clone(), source.name()).ok());
    tables.unwrap_or_else(|| Source::of_model((**problem.model()).clone()))
}

/// An arc of a net: source, target, weight, and `arc`, `test` or `inhibitor`.
pub(crate) type Arc4 = (String, String, u32, String);

#[pymethods]
impl PySource {
    /// The name.
    #[getter]
    fn name(&self) -> String {
        self.source().name().to_owned()
    }

    /// `net`, `coloured net`, `tables` or `program`.
    #[getter]
    fn kind(&self) -> &'static str {
        let source = self.source();
        match (source.coloured(), source.ready()) {
            (Some(_), _) => "coloured net",
            (None, Some(problem)) if problem.net().is_some() => "net",
            (None, Some(problem)) if problem.etf().is_some() => "tables",
            _ => "program",
        }
    }

    /// The places or variables: identifier, name, and value in the beginning; of a coloured net that is not unfolded,
    /// no value.
    fn variables(&self) -> Vec<(String, String, Option<i64>)> {
        let source = self.source();
        if let Some(net) = source.coloured() {
            let place = |p: &dalsegno::models::petri::coloured::ColouredPlace| {
                (p.id.clone(), p.name.clone(), None)
            };
            return net.places.iter().map(place).collect();
        }
        let Some(problem) = source.ready() else {
            return Vec::new();
        };
        if let Some(net) = problem.net() {
            let place = |p: &Place| (p.id.clone(), p.name.clone(), Some(i64::from(p.initial)));
            return net.places().iter().map(place).collect();
        }
        let model = problem.model();
        let first = model.initial().first();
        let variable = |v: dalsegno::kripke::VarId| {
            let name = model.variable(v).name.clone();
            let value = first.map(|state| model.values(v).number(state[v.index()]));
            (name.clone(), name, value)
        };
        model.variable_ids().map(variable).collect()
    }

    /// The transitions: identifier and name.
    fn transitions(&self) -> Vec<(String, String)> {
        let source = self.source();
        if let Some(net) = source.coloured() {
            let all = net.transitions.iter();
            return all.map(|t| (t.id.clone(), t.name.clone())).collect();
        }
        let Some(problem) = source.ready() else {
            return Vec::new();
        };
        if let Some(net) = problem.net() {
            let all = net.transitions().iter();
            return all.map(|t| (t.id.clone(), t.name.clone())).collect();
        }
        let groups = problem.model().groups().iter();
        groups
            .map(|g| (g.name().to_owned(), g.name().to_owned()))
            .collect()
    }

    /// The arcs of a net.
    fn arcs(&self) -> PyResult<Vec<Arc4>> {
        let source = self.source();
        let net = plain(&source)?;
        let mut all = Vec::new();
        for t in net.transitions() {
            let name = |p: PlaceId| net.places()[p.index()].id.clone();
            let from = |list: &[(PlaceId, u32)], kind: &str| -> Vec<Arc4> {
                let arc = |&(p, n): &(PlaceId, u32)| (name(p), t.id.clone(), n, kind.to_owned());
                list.iter().map(arc).collect()
            };
            all.extend(from(&t.pre, "arc"));
            all.extend(from(&t.test, "test"));
            all.extend(from(&t.inhibit, "inhibitor"));
            let to = |&(p, n): &(PlaceId, u32)| (t.id.clone(), name(p), n, "arc".to_owned());
            all.extend(t.post.iter().map(to));
        }
        Ok(all)
    }

    /// The net in PNML.
    fn to_pnml(&self) -> PyResult<String> {
        let source = self.source();
        let mut out = Vec::new();
        let written = match source.coloured() {
            Some(net) => pnml::write_coloured(net, &mut out),
            None => pnml::write(plain(&source)?, &mut out),
        };
        written.map_err(|error| errors::general(error.to_string()))?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    /// The place/transition net that a coloured net is unfolded to; other models stay as they are.
    #[pyo3(signature = (*, timeout = None, memory = None))]
    fn unfold(
        &self,
        py: Python<'_>,
        timeout: Option<f64>,
        memory: Option<u64>,
    ) -> PyResult<PySource> {
        let budget = budget(timeout, None, memory)?;
        let (source, token) = self.borrow();
        let (limits, name) = (budget.clone(), source.name().to_owned());
        let made = job::quiet(py, "unfolding", &budget, move || {
            let problem = source.problem(&limits, |_| {}).map(Arc::clone);
            let made = problem.map(|problem| match problem.net() {
                Some(net) if source.coloured().is_some() => Source::of_net(net.clone()),
                _ => source.clone(),
            });
            drop(token);
            made
        })?;
        let made = made.map_err(|error| errors::load(&name, &error))?;
        Ok(PySource::new(made))
    }

    /// The place or variable of a name, to be compared.
    #[pyo3(signature = (name, /))]
    fn place(&self, py: Python<'_>, name: String) -> PyResult<PySum> {
        self.with_problem(py, move |problem| {
            let known = problem.symbols().place(&name);
            known.map_err(|error| errors::name(&error.to_string()))?;
            Ok(PySum::of(&name))
        })
    }

    /// Complains unless there is a transition of this name.
    #[pyo3(signature = (name, /))]
    fn find_transition(&self, py: Python<'_>, name: String) -> PyResult<()> {
        self.with_problem(py, move |problem| {
            let known = problem.symbols().transition(&name);
            known.map_err(|error| errors::name(&error.to_string()))?;
            Ok(())
        })
    }

    /// A formula over the names of this model, which come before operators.
    #[pyo3(signature = (text, /))]
    fn formula(&self, py: Python<'_>, text: String) -> PyResult<PyFormula> {
        self.with_problem(py, move |problem| {
            let mut store = dalsegno::logic::FormulaStore::new();
            let f = problem.parse(&mut store, &text);
            let f = f.map_err(|error| errors::question("", &error))?;
            let known = problem.meanings(&store, f);
            known.map_err(|error| errors::question("", &error))?;
            Ok(PyFormula::of(&store, f))
        })
    }
}

/// The place/transition net of a model.
pub(crate) fn plain(source: &Source) -> PyResult<&PetriNet> {
    if source.coloured().is_some() {
        return Err(errors::general(format!(
            "{} is a coloured net: unfold() makes it a place/transition net",
            source.name()
        )));
    }
    let net = source.ready().and_then(|problem| problem.net());
    net.ok_or_else(|| errors::general(format!("{} is no Petri net", source.name())))
}

/// Reads a model; the ending of the name or the contents tell the format.
#[pyfunction]
#[pyo3(signature = (data, name, /, *, timeout = None))]
pub(crate) fn load_bytes(
    py: Python<'_>,
    data: Vec<u8>,
    name: String,
    timeout: Option<f64>,
) -> PyResult<PySource> {
    // The model keeps its budget for what is found out later, so the time that reading may take is watched outside.
    let end = budget(timeout, None, None)?;
    let limits = Budget::unlimited();
    let (inner, file) = (limits.clone(), name.clone());
    let tick = |_: Python<'_>| match end.check() {
        Ok(()) => Ok(()),
        Err(stop) => Err(errors::limit(&name, stop)),
    };
    let made = job::run(py, &limits, tick, move || -> Result<Source, LoadError> {
        Source::from_bytes(&data, &file, &inner)
    })?;
    let made = made.or_late(&name)?;
    made.map(PySource::new)
        .map_err(|error| errors::load(&name, &error))
}
