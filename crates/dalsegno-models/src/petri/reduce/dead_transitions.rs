//! Dead transitions: what is proved never to fire is removed.
//!
//! *Condition:* the structure of the given net proves it ([`Structure::may_fire`]); or an input needs more tokens than a
//! place that never gains any has in the beginning; or an inhibitor arc asks for fewer tokens than a place that never
//! loses any has. *Keeps* everything: the reachable graph is the same. A `fireable` of the transition is false.
//! Inhibitor arcs whose weight the place never reaches are removed as well. *Runs* need no lifting.

use super::condition::Condition;
use super::draft::Draft;
use crate::petri::net::TransitionId;
use crate::petri::structure::Structure;

/// Removes what the structure of the given net proves dead; to be applied first, when the draft is that net.
pub(super) fn by_structure(draft: &mut Draft, structure: &Structure) -> usize {
    let never = |t: &u32| !structure.may_fire(TransitionId(*t));
    let dead: Vec<u32> = (0..draft.transitions.len() as u32).filter(never).collect();
    let removed = draft.remove_all(&dead);
    for t in 0..draft.transitions.len() as u32 {
        if draft.transitions[t as usize].is_none() {
            continue;
        }
        let never = |&&(p, n): &&(u32, u32)| {
            structure
                .bound_of(p)
                .is_some_and(|bound| bound < u64::from(n))
        };
        let places: Vec<u32> = draft
            .at(t)
            .inhibit
            .iter()
            .filter(never)
            .map(|a| a.0)
            .collect();
        for p in places {
            draft.remove_inhibitor(t, p);
        }
    }
    removed
}

/// Looks at the transitions of a place.
pub(super) fn at(draft: &mut Draft, p: u32) -> usize {
    let place = &draft.places[p as usize];
    let initial = place.initial;
    let effect = |&t: &u32| draft.at(t).effect(p);
    let falls = place.takers.iter().any(|t| effect(t) < 0);
    let rises = place.givers.iter().any(|t| effect(t) > 0);
    let mut dead: Vec<u32> = Vec::new();
    let mut idle: Vec<u32> = Vec::new();
    if draft.is(Condition::DeadInputNeverRises, !rises) {
        let needs = |&t: &u32| super::draft::weight(&draft.at(t).pre, p) > initial;
        dead.extend(place.takers.iter().copied().filter(needs));
    }
    for &t in &place.inhibited {
        let below = super::draft::weight(&draft.at(t).inhibit, p);
        if draft.is(Condition::DeadInhibitorNeverFalls, !falls) && initial >= below {
            dead.push(t);
        } else if draft.is(Condition::IdleInhibitorNeverRises, !rises) && initial < below {
            idle.push(t);
        }
    }
    let removed = draft.remove_all(&dead);
    for t in idle {
        draft.remove_inhibitor(t, p);
    }
    removed
}
