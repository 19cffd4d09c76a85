//! Automata as Python objects.

use std::sync::Arc;
use std::time::Duration;

use dalsegno::automata::hoa::{Content, Document};
use dalsegno::kind::Kind;
use dalsegno::logic::FormulaStore;
use dalsegno::{Format, Options, Propositions, Reading, Sizes, Translated, read_hoa};
use pyo3::prelude::*;

use crate::formula::Operand;
use crate::limits::budget;
use crate::{errors, job};

/// An automaton with the names of its states.
pub(crate) enum Held {
    /// Made from a formula, of the store that has the formulas of its states.
    Translated {
        name: String,
        store: FormulaStore,
        translated: Translated,
    },
    /// Read from a text, or made from other automata.
    Read(Reading),
}

/// An automaton: a TGBA or BA over letters, or a TA or TGTA over changes of letters. It never changes.
#[pyclass(frozen, module = "dalsegno", name = "Automaton")]
pub(crate) struct PyAutomaton(Arc<Held>);

impl Held {
    pub(crate) fn name(&self) -> &str {
        match self {
            Held::Translated { name, .. } => name,
            Held::Read(reading) => reading.document.name.as_deref().unwrap_or(""),
        }
    }

    pub(crate) fn content(&self) -> &Content {
        match self {
            Held::Translated { translated, .. } => &translated.automaton,
            Held::Read(reading) => &reading.document.content,
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Held::Translated { translated, .. } => translated.kind,
            Held::Read(reading) => reading.kind(),
        }
    }

    fn sizes(&self) -> Sizes {
        match self {
            Held::Translated { translated, .. } => translated.sizes(),
            Held::Read(reading) => reading.sizes(),
        }
    }

    fn propositions(&self) -> &[String] {
        match self.content() {
            Content::Automaton(a) => a.propositions(),
            Content::Testing(t) => t.propositions(),
        }
    }

    fn write(&self, format: Format) -> Result<String, String> {
        let mut out = Vec::new();
        let written = match self {
            Held::Translated {
                name,
                store,
                translated,
            } => translated.write(store, name, format, &mut out),
            Held::Read(reading) => reading.write(format, &mut out),
        };
        // A vector takes everything, but there may be too much for a picture.
        written.map_err(|error| error.to_string())?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }
}

impl PyAutomaton {
    /// An automaton that was made from others.
    pub(crate) fn made(name: String, content: Content) -> Self {
        PyAutomaton(Arc::new(Held::Read(Reading {
            document: Document {
                name: Some(name),
                state_names: Vec::new(),
                properties: Vec::new(),
                content,
            },
            time: Duration::ZERO,
        })))
    }

    pub(crate) fn held(&self) -> Arc<Held> {
        Arc::clone(&self.0)
    }

    fn written(&self, py: Python<'_>, format: Format) -> PyResult<String> {
        let held = self.held();
        let limits = budget(None, None, None)?;
        let made = job::quiet(py, "an automaton", &limits, move || held.write(format))?;
        made.map_err(errors::general)
    }
}

fn format_of(value: &Bound<'_, PyAny>) -> PyResult<String> {
    errors::text("format", value).map(str::to_owned)
}

#[pymethods]
impl PyAutomaton {
    /// What it is called: the text of its formula, or the name in its file.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// `tgba`, `ba`, `ta` or `tgta`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind().name()
    }

    /// How many states there are; the initial pseudo-state of a testing automaton is not counted.
    fn num_states(&self) -> usize {
        self.0.sizes().states
    }

    /// How many edges there are: source, marks and target, and for testing automata the changeset.
    fn num_edges(&self) -> usize {
        self.0.sizes().edges
    }

    /// How many transitions there are over single letters or changesets.
    fn num_transitions(&self) -> u64 {
        self.0.sizes().transitions
    }

    /// How many acceptance sets there are.
    fn num_sets(&self) -> u32 {
        self.0.sizes().acceptance_sets
    }

    /// Whether no word has two runs.
    #[getter]
    fn is_deterministic(&self) -> bool {
        self.0.sizes().deterministic
    }

    /// Whether it is known that stuttering makes no difference; for a text that was read, whether the text says so.
    #[getter]
    fn is_stutter_invariant(&self) -> bool {
        match &*self.0 {
            Held::Translated { translated, .. } => translated.stutter_invariant,
            Held::Read(reading) => reading.stutter_invariant(),
        }
    }

    /// What the automaton observes.
    fn propositions(&self) -> Vec<String> {
        self.0.propositions().to_vec()
    }

    /// The automaton as a text: `hoa`, `dot`, `svg`, `json` or `stats`.
    #[pyo3(signature = (format = "hoa".to_owned()), text_signature = "($self, format='hoa')")]
    fn to_str(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = format_of)] format: String,
    ) -> PyResult<String> {
        self.written(py, errors::choice("format", &format)?)
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.written(py, Format::Hoa)
    }

    /// For notebooks; nothing if there is too much to draw.
    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        match self.written(py, Format::Svg) {
            Ok(svg) => Ok(Some(svg)),
            Err(error) if errors::is_general(py, &error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A picture of the automaton.
    fn show<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let svg = self.written(py, Format::Svg)?;
        py.import("dalsegno._picture")?
            .getattr("Picture")?
            .call1((svg,))
    }

    /// The automaton as an object of the JSON schema `dalsegno.automaton/1`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = self.written(py, Format::Json)?;
        py.import("json")?.getattr("loads")?.call1((text,))
    }

    fn __repr__(&self) -> String {
        let (kind, sizes) = (self.kind(), self.0.sizes());
        let (states, edges) = (sizes.states, sizes.edges);
        let name = self.name();
        format!("<Automaton {kind} of {name:?}: {states} states, {edges} edges>")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let reader = py.import("dalsegno")?.getattr("automaton")?;
        Ok((reader, (self.written(py, Format::Hoa)?,)))
    }
}

/// The automaton of a formula of LTL.
///
/// `kind` is `tgba`, `ba`, `ta` or `tgta`; `propositions` is `raw` for the atoms, or `boolean` for the maximal Boolean
/// subformulas where those are fewer. With `single_pass`, a TA gets an artificial livelock state.
#[pyfunction]
#[pyo3(signature = (formula, kind = "tgba", *, propositions = "raw", single_pass = false, timeout = None, memory = None))]
pub(crate) fn translate(
    py: Python<'_>,
    formula: &Bound<'_, PyAny>,
    kind: &str,
    propositions: &str,
    single_pass: bool,
    timeout: Option<f64>,
    memory: Option<u64>,
) -> PyResult<PyAutomaton> {
    let options = Options {
        kind: errors::choice("kind", kind)?,
        propositions: errors::choice::<Propositions>("propositions", propositions)?,
        single_pass,
    };
    let budget = budget(timeout, None, memory)?;
    let formula = Operand::of("formula", formula)?;
    let (name, compact) = (formula.0.text(py)?, formula.0.compact());
    let limits = budget.clone();
    let work = move || {
        let mut store = FormulaStore::new();
        let f = compact.put(&mut store);
        let translated = dalsegno::translate(&mut store, f, &options, &limits);
        translated.map(|translated| (store, translated))
    };
    let made = job::quiet(py, &name, &budget, work)?;
    let (store, translated) = made.map_err(|error| errors::translation(&name, &error))?;
    Ok(PyAutomaton(Arc::new(Held::Translated {
        name,
        store,
        translated,
    })))
}

/// The automata of a text in the HOA format, at least one.
#[pyfunction]
#[pyo3(signature = (text, /))]
pub(crate) fn automata(py: Python<'_>, text: String) -> PyResult<Vec<PyAutomaton>> {
    let budget = budget(None, None, None)?;
    let read = move || read_hoa(&text).map_err(|error| error.render(&text));
    let found = job::quiet(py, "reading automata", &budget, read)?.map_err(errors::parse)?;
    let held = found
        .into_iter()
        .map(|reading| PyAutomaton(Arc::new(Held::Read(reading))));
    Ok(held.collect())
}
