//! Nets that are built in Python, and those of families.

use std::collections::HashMap;

use dalsegno::Source;
use dalsegno::kripke::Budget;
use dalsegno::models::petri::generators::{Family, GenerateError};
use dalsegno::models::petri::{Arcs, PetriNet, Place, PlaceId, Transition};
use pyo3::prelude::*;

use crate::source::{Arc4, PySource};
use crate::{errors, job};

/// A place: identifier, name, tokens in the beginning.
type Place3 = (String, String, u32);

/// A transition: identifier and name.
type Transition2 = (String, String);

/// A net from its places, transitions and arcs.
#[pyfunction]
#[pyo3(signature = (name, places, transitions, arcs, /))]
pub(crate) fn net(
    py: Python<'_>,
    name: String,
    places: Vec<Place3>,
    transitions: Vec<Transition2>,
    arcs: Vec<Arc4>,
) -> PyResult<PySource> {
    let limits = Budget::unlimited();
    let made = job::quiet(py, "a net", &limits, move || {
        let net = net_of(&name, &places, &transitions, &arcs)?;
        Ok(Source::of_net(net))
    })?;
    made.map(PySource::new)
        .map_err(|message: String| errors::argument("net", message))
}

fn net_of(
    name: &str,
    places: &[Place3],
    transitions: &[Transition2],
    arcs: &[Arc4],
) -> Result<PetriNet, String> {
    let numbered = places.iter().enumerate();
    let at: HashMap<&str, u32> = numbered
        .map(|(i, (id, ..))| (id.as_str(), i as u32))
        .collect();
    let numbered = transitions.iter().enumerate();
    let of: HashMap<&str, usize> = numbered.map(|(i, (id, _))| (id.as_str(), i)).collect();
    let transition = |(id, name): &Transition2| Transition {
        id: id.clone(),
        name: name.clone(),
        ..Transition::default()
    };
    let mut made: Vec<Transition> = transitions.iter().map(transition).collect();
    for (from, to, weight, kind) in arcs {
        for end in [from, to] {
            if !at.contains_key(end.as_str()) && !of.contains_key(end.as_str()) {
                return Err(format!(
                    "the arc from {from:?} to {to:?}: there is no node {end:?}"
                ));
            }
        }
        let arc = Ends {
            from_place: at.get(from.as_str()).copied(),
            to_place: at.get(to.as_str()).copied(),
            from_transition: of.get(from.as_str()).copied(),
            to_transition: of.get(to.as_str()).copied(),
        };
        let wrong = |what: &str| Err(format!("the {kind} from {from:?} to {to:?} {what}"));
        let (place, t, list) = match (arc.inwards(), arc.outwards(), kind.as_str()) {
            (Some((p, t)), _, "arc") => (p, t, List::Pre),
            (Some((p, t)), _, "test") => (p, t, List::Test),
            (Some((p, t)), _, "inhibitor") => (p, t, List::Inhibit),
            (_, Some((p, t)), "arc") => (p, t, List::Post),
            (_, _, "arc") => {
                return wrong(
                    "must connect a place and a transition; a node that is not among the places is a transition",
                );
            }
            (_, _, "test" | "inhibitor") => {
                return wrong("must go from a place to a transition");
            }
            _ => return wrong("is of no kind that there is: arc, test and inhibitor"),
        };
        if *weight == 0 {
            return Err(format!(
                "the arc from {from:?} to {to:?} has weight 0: leave it out"
            ));
        }
        list.of(&mut made[t]).push((PlaceId(place), *weight));
    }
    let place = |(id, name, initial): &Place3| Place {
        id: id.clone(),
        name: name.clone(),
        initial: *initial,
    };
    let places = places.iter().map(place).collect();
    PetriNet::new(name, places, made, None).map_err(|error| error.to_string())
}

/// What the ends of an arc are.
struct Ends {
    from_place: Option<u32>,
    to_place: Option<u32>,
    from_transition: Option<usize>,
    to_transition: Option<usize>,
}

impl Ends {
    /// From a place to a transition.
    fn inwards(&self) -> Option<(u32, usize)> {
        self.from_place.zip(self.to_transition)
    }

    /// From a transition to a place.
    fn outwards(&self) -> Option<(u32, usize)> {
        self.to_place.zip(self.from_transition)
    }
}

/// A list of arcs of a transition.
enum List {
    Pre,
    Post,
    Test,
    Inhibit,
}

impl List {
    fn of(self, transition: &mut Transition) -> &mut Arcs {
        match self {
            List::Pre => &mut transition.pre,
            List::Post => &mut transition.post,
            List::Test => &mut transition.test,
            List::Inhibit => &mut transition.inhibit,
        }
    }
}

/// A net of a family of the literature.
#[pyfunction]
#[pyo3(signature = (family, n, /, *, coloured = false))]
pub(crate) fn generate(py: Python<'_>, family: &str, n: u32, coloured: bool) -> PyResult<PySource> {
    let family: Family = family
        .parse()
        .map_err(|error: GenerateError| errors::argument("family", error))?;
    let limits = Budget::unlimited();
    let made = job::quiet(py, "a net", &limits, move || {
        Ok(if coloured {
            Source::of_coloured(family.generate_coloured(n)?)
        } else {
            Source::of_net(family.generate(n)?)
        })
    })?;
    let wrong = |error: GenerateError| errors::argument("n", error);
    made.map(PySource::new).map_err(wrong)
}

/// The families that `generate` knows.
#[pyfunction]
pub(crate) fn families() -> Vec<String> {
    Family::all().map(|family| family.to_string()).collect()
}
