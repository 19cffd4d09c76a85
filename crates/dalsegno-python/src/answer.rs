//! Answers as Python objects.

use std::collections::HashMap;
use std::sync::Arc;

use dalsegno::kripke::DeadEnds;
use dalsegno::models::petri::PetriNet;
use dalsegno::report::{Style, answer_to_json, write_text};
use dalsegno::{About, Answer, Answered, Asked, Source, Value, witness_to_json, witnesses_to_json};
use pyo3::prelude::*;

use crate::check::text_of;
use crate::{errors, job};

/// What a question turned out to be.
pub(crate) struct Meaning {
    pub(crate) formula: String,
    logic: Option<&'static str>,
    dead_ends: Option<DeadEnds>,
    existential: bool,
}

impl Meaning {
    pub(crate) fn of(answered: &Answered<'_>) -> Self {
        Meaning {
            formula: answered.formula.to_owned(),
            logic: answered.logic,
            dead_ends: answered.dead_ends,
            existential: answered.existential,
        }
    }
}

/// An answer with what was asked, and of which model.
pub(crate) struct Given {
    pub(crate) source: Source,
    pub(crate) asked: Asked,
    pub(crate) meaning: Meaning,
    pub(crate) answer: Answer,
}

/// The answer to a question.
#[pyclass(frozen, module = "dalsegno._native", name = "Answer")]
pub(crate) struct PyAnswer(Arc<Given>);

impl PyAnswer {
    pub(crate) fn new(given: Given) -> Self {
        PyAnswer(Arc::new(given))
    }

    pub(crate) fn given(&self) -> Arc<Given> {
        Arc::clone(&self.0)
    }
}

impl Given {
    /// Whether both are about the same model: its name and its size tell enough to refuse a mistake.
    pub(crate) fn is_about_the_model_of(&self, other: &Given) -> bool {
        let size = |given: &Given| {
            let model = given.source.ready()?.model();
            Some((model.variables().len(), model.groups().len()))
        };
        self.source.name() == other.source.name() && size(self) == size(other)
    }

    pub(crate) fn answered(&self) -> Answered<'_> {
        let automaton = match &self.asked.about {
            About::Automaton(file, all_runs) => Some((&**file, *all_runs)),
            _ => None,
        };
        Answered {
            number: 0,
            name: &self.asked.name,
            formula: &self.meaning.formula,
            logic: self.meaning.logic,
            dead_ends: self.meaning.dead_ends,
            fairness: &self.asked.fairness,
            automaton,
            existential: self.meaning.existential,
            answer: &self.answer,
            model: self
                .answer
                .own_model()
                .or_else(|| self.source.ready().map(|problem| &**problem.model())),
        }
    }
}

#[pymethods]
impl PyAnswer {
    /// Whether the property holds, if that was asked and is known.
    #[getter]
    fn holds(&self) -> Option<bool> {
        self.0.answer.holds()
    }

    /// The text of the formula, or the name of the question.
    #[getter]
    fn title(&self) -> String {
        self.0.answered().title()
    }

    /// The name of the property, if it has one.
    #[getter]
    fn name(&self) -> &str {
        &self.0.asked.name
    }

    /// The text of the formula, if it is one.
    #[getter]
    fn formula(&self) -> &str {
        &self.0.meaning.formula
    }

    /// What the question is: `ltl`, `ctl`, `ctl*`, `reachability` and so on, if that is known.
    #[getter]
    fn logic(&self) -> Option<&'static str> {
        self.0.meaning.logic
    }

    /// The limit that was hit, if that is why nothing is known.
    #[getter]
    fn reason(&self) -> Option<String> {
        self.0.answer.stop().map(|stop| stop.to_string())
    }

    /// The time that it took.
    #[getter]
    fn seconds(&self) -> f64 {
        self.0.answer.cost.time.as_secs_f64()
    }

    /// The method that answered.
    #[getter]
    fn method(&self) -> Option<&'static str> {
        self.0.answer.by.map(dalsegno::Tool::name)
    }

    /// Why the question has no answer, not even that it is unknown.
    fn error(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        match &self.0.answer.value {
            Value::Error(error) => {
                let raised = errors::question(text_of(&self.0.asked), error);
                Some(raised.into_value(py).into_any())
            }
            _ => None,
        }
    }

    /// The names of transitions, by their identifiers, where the two differ.
    fn labels(&self) -> HashMap<String, String> {
        let source = &self.0.source;
        let differ = |(id, name): &(&String, &String)| id != name;
        let owned = |(id, name): (&String, &String)| (id.clone(), name.clone());
        if let Some(net) = source.coloured() {
            let all = net.transitions.iter().map(|t| (&t.id, &t.name));
            return all.filter(differ).map(owned).collect();
        }
        let net = source.ready().and_then(|problem| problem.net());
        let all = net.into_iter().flat_map(PetriNet::transitions);
        let all = all.map(|t| (&t.id, &t.name));
        all.filter(differ).map(owned).collect()
    }

    /// The answer as an object of `dalsegno.check/1`.
    fn to_json(&self) -> PyResult<String> {
        job::guarded(|| Ok(answer_to_json(&self.0.answered()).to_string()))
    }

    /// What shows the answer, as a file for `dalsegno replay`.
    fn witness_json(&self) -> PyResult<Option<String>> {
        job::guarded(|| {
            let witness = witness_to_json(&self.0.answered());
            Ok(witness.map(|w| witnesses_to_json(self.0.source.name(), &[w]).to_string()))
        })
    }

    /// The answer for a reader.
    #[pyo3(signature = (*, stats = false, full = false))]
    fn to_text(&self, stats: bool, full: bool) -> PyResult<String> {
        job::guarded(|| {
            let mut out = Vec::new();
            let style = Style {
                full,
                shortest: false,
            };
            let written = write_text(&self.0.answered(), stats, style, &mut out);
            written.map_err(|error| errors::general(error.to_string()))?;
            Ok(String::from_utf8_lossy(&out).into_owned())
        })
    }
}
