//! Constant places: a place that nothing changes is removed, observed or not.
//!
//! *Condition:* every transition gives back what it takes. What needs more than there is, or is inhibited by what there
//! is, is dead and was removed before ([`dead_transitions`](super::dead_transitions)). A place that never loses tokens is
//! treated alike: an input arc that asks for no more than there is in the beginning, and gives it back, asks for nothing.
//! *Keeps* everything: the place has one value in all reachable markings, and the graph is the same without it.
//! *Runs* need no lifting: the value is known.

use super::condition::Condition;
use super::draft::{Draft, weight};

/// Looks at a place.
pub(super) fn at(draft: &mut Draft, p: u32) -> usize {
    let place = &draft.places[p as usize];
    let initial = place.initial;
    let effect = |&t: &u32| draft.at(t).effect(p);
    let falls = place.takers.iter().any(|t| effect(t) < 0);
    if !draft.is(Condition::ConstantNeverFalls, !falls) {
        return 0;
    }
    let constant = place.givers.iter().all(|t| effect(t) <= 0);
    let constant = draft.is(Condition::ConstantNeverRises, constant)
        && draft.is(Condition::ConstantNotInhibiting, place.inhibited.is_empty());
    let satisfied = |&t: &u32| weight(&draft.at(t).pre, p) <= initial;
    let enough = place.takers.iter().all(satisfied);
    if constant && draft.is(Condition::ConstantIsEnough, enough) {
        draft.places[p as usize].constant = Some(initial);
        draft.remove_place(p);
        return 1;
    }
    // An observed transition depends on this place only as others do.
    let asks = |t: &u32| draft.is(Condition::GrowingIsEnough, satisfied(t));
    let asks: Vec<u32> = place.takers.iter().copied().filter(asks).collect();
    for t in asks {
        let gives = draft.at(t).effect(p);
        let Ok(gives) = u32::try_from(gives) else {
            continue;
        };
        draft.set_weights(t, p, 0, gives);
    }
    0
}
