//! Structural reductions of coloured nets, before they are unfolded.
//!
//! | rule | keeps |
//! | --- | --- |
//! | `slicing` | reachable markings |
//! | `constant_places`, `unread_places` | each step |
//!
//! Places, transitions and variables keep their numbers, and a binding of the reduced net is one of the net that was
//! given, with the same colours. What is removed has no arcs: a transition can never fire, and a place has no tokens. A
//! place that is observed always has its tokens, so names mean what they did.
//!
//! A term that may have no value is an error of the net, which is told and not reduced away: nets with such terms stay as
//! they are.
//!
//! Cost: linear in the arcs, and in the tokens of places that are constant.

mod condition;
mod constant_places;
mod effect;
mod slicing;
mod unread_places;

pub use self::condition::Condition;
use super::multiset::{Multiset, Summand};
use super::net::{ColouredArcs, ColouredNet, ColouredTransition};
use super::skeleton::count;
use crate::petri::reduce::{Keep, Observed};

/// A coloured net that was reduced.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// What is left. Numbers of places, transitions and variables are those of the net that was given.
    pub net: ColouredNet,
    /// How many transitions were removed.
    pub transitions: usize,
    /// How many places were removed, with those of which only the arcs were.
    pub places: usize,
}

/// A net that is smaller and has the same answers; `None` if nothing can be removed. What is observed is a place or
/// transition of the [`skeleton`](super::skeleton()); without it everything is, and each step is kept.
#[must_use]
pub fn reduce(net: &ColouredNet, observed: Option<(&Observed, Keep)>) -> Option<Reduced> {
    reduce_without(net, observed, None)
}

/// As [`reduce`], without one of the conditions that make it right: for tests of the tests.
#[must_use]
pub fn reduce_without(
    net: &ColouredNet,
    observed: Option<(&Observed, Keep)>,
    dropped: Option<Condition>,
) -> Option<Reduced> {
    let arcs = net.transitions.iter().flat_map(lists).flatten();
    let arcs = arcs.map(|(_, term)| term);
    let mut terms = net.places.iter().map(|p| &p.initial).chain(arcs);
    if !terms.all(|term| always_has_value(net, term)) {
        return None;
    }
    let is = Conditions(dropped);
    let mut reduced = Reduced {
        net: net.clone(),
        transitions: 0,
        places: 0,
    };
    if let Some((observed, Keep::Reach)) = observed {
        reduced.transitions = slicing::apply(&mut reduced.net, observed, is);
    }
    reduced.places = constant_places::apply(&mut reduced.net, is);
    if let Some((observed, _)) = observed {
        reduced.places += unread_places::apply(&mut reduced.net, observed, is);
    }
    (reduced.transitions + reduced.places > 0).then_some(reduced)
}

/// The conditions that are looked at.
#[derive(Clone, Copy)]
struct Conditions(Option<Condition>);

impl Conditions {
    /// Whether a condition is met, or dropped.
    fn is(self, condition: Condition, met: bool) -> bool {
        met || self.0 == Some(condition)
    }
}

fn lists(t: &ColouredTransition) -> [&ColouredArcs; 4] {
    [&t.pre, &t.post, &t.test, &t.inhibit]
}

fn lists_mut(t: &mut ColouredTransition) -> [&mut ColouredArcs; 4] {
    [&mut t.pre, &mut t.post, &mut t.test, &mut t.inhibit]
}

/// Whether a term is a multiset in all bindings: nothing is taken away, and its tokens can be counted.
fn always_has_value(net: &ColouredNet, term: &Multiset) -> bool {
    term.summands.iter().all(is_positive) && count(term, &net.sorts).is_some()
}

fn is_positive(summand: &Summand) -> bool {
    summand.coefficient > 0 && summand.factors.iter().flatten().all(|&(_, n)| n > 0)
}
