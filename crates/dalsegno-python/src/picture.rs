//! Pictures and reports.

use std::sync::Arc;

use dalsegno::models::petri::{PlaceId, TransitionId};
use dalsegno::picture::{self, Arrangement, NetPicture, Slice};
use dalsegno::report::Page;
use pyo3::prelude::*;

use crate::answer::{Given, PyAnswer};
use crate::limits::budget;
use crate::source::{PySource, plain};
use crate::{errors, job};

/// A net as SVG: all of it, or the nodes of some names and at most so many others around them. The marking is the
/// tokens of places by their identifiers, or the initial one.
#[pyfunction]
#[pyo3(signature = (model, around, most, marking, arrangement, /))]
pub(crate) fn net_svg(
    py: Python<'_>,
    model: &PySource,
    around: Option<Vec<String>>,
    most: usize,
    marking: Option<Vec<(String, u32)>>,
    arrangement: &str,
) -> PyResult<String> {
    let arrangement: Arrangement = errors::choice("arrangement", arrangement)?;
    let (source, token) = model.borrow();
    let net = plain(&source)?;
    let unknown = |name: &str| errors::name(&format!("there is no place or transition `{name}`"));
    let place = |name: &str| net.places().iter().position(|p| p.id == name);
    let mut tokens = net.initial_marking();
    if let Some(given) = marking {
        tokens.fill(0);
        for (name, n) in given {
            tokens[place(&name).ok_or_else(|| unknown(&name))?] = n;
        }
    }
    let mut wanted: Option<Slice> = None;
    for name in around.iter().flatten() {
        let wanted = wanted.get_or_insert_with(Slice::default);
        let transition = || net.transitions().iter().position(|t| t.id == *name);
        match (place(name), transition()) {
            (Some(p), _) => drop(wanted.places.insert(PlaceId(p as u32))),
            (None, Some(t)) => drop(wanted.transitions.insert(TransitionId(t as u32))),
            (None, None) => return Err(unknown(name)),
        }
    }
    let drawn = source.clone();
    let made = job::quiet(py, "a picture", &budget(None, None, None)?, move || {
        let net = plain(&drawn)?;
        let slice = wanted.map(|of| picture::around(net, of.places, of.transitions, most));
        let wishes = NetPicture {
            marking: Some(&tokens),
            slice,
            arrangement,
        };
        let made = picture::net(net, &wishes);
        drop(token);
        made.map_err(|error| errors::general(error.to_string()))
    })??;
    Ok(made.svg)
}

/// Answers about one model as a page of HTML that needs nothing else.
#[pyfunction]
#[pyo3(signature = (answers, /))]
pub(crate) fn report_html(py: Python<'_>, answers: Vec<PyRef<'_, PyAnswer>>) -> PyResult<String> {
    let given: Vec<Arc<Given>> = answers.iter().map(|answer| answer.given()).collect();
    let Some(first) = given.first() else {
        return Err(errors::argument("answers", "there is nothing to report"));
    };
    if given
        .iter()
        .any(|other| !other.is_about_the_model_of(first))
    {
        return Err(errors::argument("answers", "a report is about one model"));
    }
    job::quiet(py, "a report", &budget(None, None, None)?, move || {
        let mut page = Page::new(&given[0].source);
        for (number, answer) in given.iter().enumerate() {
            let mut answered = answer.answered();
            answered.number = number;
            page.add(&answered);
        }
        page.to_html()
    })
}
