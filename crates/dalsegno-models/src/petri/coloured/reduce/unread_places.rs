//! Unread places: a place that nobody observes and nothing reads is removed.
//!
//! *Condition:* no transition takes from the place or tests it, it inhibits none, and it is not observed. *Keeps* everything: the
//! place never decides whether a binding is enabled, so the graph is the same but for its tokens, which nobody sees.
//! *Runs* are those of the net: a binding has the same colours.

use super::super::multiset::Multiset;
use super::super::net::ColouredNet;
use super::{Condition, Conditions, lists_mut};
use crate::petri::net::PlaceId;
use crate::petri::reduce::{Observed, Watch};

/// Looks at the whole net; how many places were removed.
pub(super) fn apply(net: &mut ColouredNet, observed: &Observed, is: Conditions) -> usize {
    let mut stays = vec![false; net.places.len()];
    for (stays, &watch) in stays.iter_mut().zip(&observed.places) {
        *stays = !is.is(Condition::UnreadUnobserved, watch == Watch::Not);
    }
    for t in &net.transitions {
        let readers = [
            (Condition::UnreadByInputs, &t.pre),
            (Condition::UnreadByTests, &t.test),
            (Condition::UnreadByInhibitors, &t.inhibit),
        ];
        for (condition, arcs) in readers {
            for (place, _) in arcs {
                stays[place.index()] |= !is.is(condition, false);
            }
        }
    }
    let mut removed = 0;
    for p in (0..net.places.len()).filter(|&p| !stays[p]) {
        removed += usize::from(remove(net, PlaceId(p as u32)));
    }
    removed
}

/// Removes a place with its arcs; whether there was anything to be removed.
fn remove(net: &mut ColouredNet, place: PlaceId) -> bool {
    let own = &mut net.places[place.index()];
    let mut any = !own.initial.summands.is_empty();
    own.initial = Multiset::empty(own.sort);
    for t in &mut net.transitions {
        for arcs in lists_mut(t) {
            let before = arcs.len();
            arcs.retain(|(p, _)| *p != place);
            any |= arcs.len() < before;
        }
    }
    any
}
