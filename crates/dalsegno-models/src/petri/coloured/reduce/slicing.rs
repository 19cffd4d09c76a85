//! Slicing: what the question does not depend on is cut off before it is unfolded.
//!
//! *Papers:* Rakow 2012; as the rule for nets without colours, `petri/reduce/slicing.rs`. A transition *raises* a place if in
//! some binding it may put a colour more often than it takes it, and *lowers* it if it may do the opposite. It matters if
//! it changes a place that is observed or inhibits something that matters, or if it raises a place that something that matters
//! takes from or tests, or of which a goal wants many tokens. All other transitions are removed but those that are asked to be
//! fireable; what these depend on is observed. Then no place matters that nothing left reads and nobody observes:
//! `unread_places` removes it.
//!
//! *Keeps* the reachable markings of what is observed; of a place of which many tokens are wanted, those with the most. *Why:* a
//! run of the reduced net is one of the given net, since what is left has all its inputs. Conversely, leave out of a run of
//! the given net what was removed. That only lowered places that are left, colour by colour, and only such as never
//! inhibit and are not observed exactly. So each step that is left stays enabled in the same binding, and what is
//! observed is the same, or more where that is wanted.
//! *Runs* are those of the net: a binding has the same colours.
//!
//! For runs and branching it would have to be known whether what is cut off can go on for ever: it is left to the rule for
//! nets without colours.

use super::super::guard::Guard;
use super::super::net::ColouredNet;
use super::effect::{Effect, effects};
use super::{Condition, Conditions, lists_mut};
use crate::petri::net::PlaceId;
use crate::petri::reduce::{Observed, Watch};

/// Looks at the whole net; how many transitions were removed.
pub(super) fn apply(net: &mut ColouredNet, observed: &Observed, is: Conditions) -> usize {
    // What transitions do to each place.
    let mut users: Vec<Vec<(usize, Effect)>> = vec![Vec::new(); net.places.len()];
    for (t, transition) in net.transitions.iter().enumerate() {
        for (place, effect) in effects(transition) {
            users[place.index()].push((t, effect));
        }
    }
    let mut search = Search {
        need: observed.places.clone(),
        open: Vec::new(),
    };
    for (p, &watch) in (0..).map(PlaceId).zip(&observed.places) {
        if watch != Watch::Not {
            search.open.push(p);
        }
    }
    // The skeleton has no inhibitor arcs, so they are not yet among what is observed.
    for (transition, &seen) in net.transitions.iter().zip(&observed.transitions) {
        if seen && !is.is(Condition::SliceObservedInhibitors, false) {
            for (place, _) in &transition.inhibit {
                search.need(*place, Watch::Exact);
            }
        }
    }
    let mut matters = vec![false; net.transitions.len()];
    while let Some(place) = search.open.pop() {
        let exact = search.need[place.index()] == Watch::Exact;
        for &(t, effect) in &users[place.index()] {
            let raises = effect.raises && !is.is(Condition::SliceRaisers, false);
            let lowers = effect.lowers && !is.is(Condition::SliceTakersOfExact, false);
            if !(raises || exact && lowers) || std::mem::replace(&mut matters[t], true) {
                continue;
            }
            let transition = &net.transitions[t];
            for (place, _) in &transition.pre {
                search.need(*place, Watch::More);
            }
            if !is.is(Condition::SliceTests, false) {
                for (place, _) in &transition.test {
                    search.need(*place, Watch::More);
                }
            }
            if !is.is(Condition::SliceInhibitors, false) {
                for (place, _) in &transition.inhibit {
                    search.need(*place, Watch::Exact);
                }
            }
        }
    }
    let mut removed = 0;
    for (t, transition) in net.transitions.iter_mut().enumerate() {
        let gone = is.is(Condition::SliceObserved, !observed.transitions[t]);
        if !matters[t] && gone && transition.guard != Guard::FALSE {
            for arcs in lists_mut(transition) {
                arcs.clear();
            }
            transition.guard = Guard::FALSE;
            transition.variables.clear();
            removed += 1;
        }
    }
    removed
}

/// What is needed of each place, and the places whose changes have to be looked at.
struct Search {
    need: Vec<Watch>,
    open: Vec<PlaceId>,
}

impl Search {
    fn need(&mut self, place: PlaceId, watch: Watch) {
        let known = &mut self.need[place.index()];
        if *known < watch {
            *known = watch;
            self.open.push(place);
        }
    }
}
