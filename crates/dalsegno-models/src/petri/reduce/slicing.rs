//! Slicing: what the question does not depend on is cut off.
//!
//! *Paper:* Rakow 2012; Thierry-Mieg 2020. *For reachable markings*, a transition matters if it changes a place that is
//! observed or inhibits something that matters, or if it raises a place that something that matters takes from, or of
//! which a goal wants many tokens. All other transitions are removed, then all places that nothing left reads and
//! nobody observes. *Why:* a removed transition only lowers places that are left, and only such as never inhibit;
//! so without it everything that is left stays enabled and what is observed is the same. What is left reads nothing
//! that was removed.
//!
//! *For runs and branching*, a transition matters if it changes a place that is observed or that something that matters
//! reads. The rest is a part B that changes nothing of what is left. *Condition:* either B has no infinite run by itself
//! from any marking, since its places can be ranked so that each transition takes for good from a place above all those
//! that it adds to; or B can always run for ever, since it has a marked set of places, each with a transition that needs a
//! single token of it and nothing else, such that all transitions that take from the set put into it. In the second case
//! one transition without effect, always enabled, stays for B. *Keeps* all but each step, since steps of B repeat what is
//! observed, and whether they go on for ever is known.
//! *Runs* need no lifting but at a dead end, where B is run out, and where B goes on for ever.

use dalsegno_kripke::MoveId;

use super::Keep;
use super::condition::Condition;
use super::draft::{Draft, DraftTransition};
use super::observed::Watch;

/// The most transitions that are looked at for a part that runs for ever.
const MOST_WORK: usize = 1 << 24;

/// Looks at the whole net; how many transitions and places were cut off.
pub(super) fn all(draft: &mut Draft, keep: Keep) -> usize {
    match keep {
        Keep::Reach => reach(draft),
        _ => runs(draft),
    }
}

/// What is needed of a place: 0 nothing, 1 many tokens, 2 its exact number.
fn reach(draft: &mut Draft) -> usize {
    let mut need: Vec<u8> = vec![0; draft.places.len()];
    let mut matters = vec![false; draft.transitions.len()];
    let mut open: Vec<u32> = Vec::new();
    for (p, place) in (0_u32..).zip(&draft.places) {
        need[p as usize] = match place.watch {
            _ if !place.exists => 0,
            Watch::Not => 0,
            Watch::More => 1,
            Watch::Exact => 2,
        };
        if need[p as usize] > 0 {
            open.push(p);
        }
    }
    // Observed transitions stay, and what they read is observed.
    let mut wanted: Vec<u32> = Vec::new();
    while let Some(p) = open.pop() {
        if draft.is_over() {
            return 0;
        }
        let place = &draft.places[p as usize];
        let level = need[p as usize];
        for &t in place.givers.iter().chain(&place.takers) {
            let effect = draft.at(t).effect(p);
            let raises = effect > 0 && !draft.is(Condition::SliceRaisers, false);
            let exact = level == 2 && !draft.is(Condition::SliceTakersOfExact, false);
            let moves = raises || exact && effect < 0;
            if moves && !std::mem::replace(&mut matters[t as usize], true) {
                wanted.push(t);
            }
        }
        while let Some(t) = wanted.pop() {
            let t = draft.at(t);
            let inputs = t.pre.iter().map(|arc| (arc.0, 1));
            let exact = u8::from(!draft.is(Condition::SliceInhibitors, false));
            let inhibitors = t.inhibit.iter().map(|arc| (arc.0, 1 + exact));
            for (q, level) in inputs.chain(inhibitors) {
                if need[q as usize] < level {
                    need[q as usize] = level;
                    open.push(q);
                }
            }
        }
    }
    let mut rest: Vec<u32> = Vec::new();
    for t in 0..draft.transitions.len() as u32 {
        let gone = |t: &DraftTransition| draft.is(Condition::SliceObserved, t.pins.is_empty());
        if !matters[t as usize] && draft.transitions[t as usize].as_ref().is_some_and(gone) {
            rest.push(t);
        }
    }
    draft.remove_all(&rest) + remove_places(draft, &need)
}

/// Removes places of which nothing is needed.
fn remove_places(draft: &mut Draft, need: &[u8]) -> usize {
    let mut removed = 0;
    for p in 0..draft.places.len() as u32 {
        if need[p as usize] == 0 && draft.places[p as usize].exists {
            draft.remove_place(p);
            removed += 1;
        }
    }
    removed
}

fn runs(draft: &mut Draft) -> usize {
    let mut need: Vec<u8> = vec![0; draft.places.len()];
    let mut matters = vec![false; draft.transitions.len()];
    let mut wanted: Vec<u32> = Vec::new();
    for (t, transition) in (0_u32..).zip(&draft.transitions) {
        let pinned = |t: &DraftTransition| !draft.is(Condition::SliceObserved, t.pins.is_empty());
        if transition.as_ref().is_some_and(pinned) {
            matters[t as usize] = true;
            wanted.push(t);
        }
    }
    let mut open: Vec<u32> = Vec::new();
    for (p, place) in (0_u32..).zip(&draft.places) {
        if place.exists && place.watch != Watch::Not {
            need[p as usize] = 2;
            open.push(p);
        }
    }
    loop {
        while let Some(t) = wanted.pop() {
            let t = draft.at(t);
            for &(q, _) in t.pre.iter().chain(&t.inhibit) {
                if std::mem::replace(&mut need[q as usize], 2) == 0 {
                    open.push(q);
                }
            }
        }
        let Some(p) = open.pop() else {
            break;
        };
        if draft.is_over() {
            return 0;
        }
        let place = &draft.places[p as usize];
        for &t in place.givers.iter().chain(&place.takers) {
            let changes = draft.at(t).effect(p) != 0 && !draft.is(Condition::SliceWriters, false);
            if changes && !std::mem::replace(&mut matters[t as usize], true) {
                wanted.push(t);
            }
        }
    }
    let rest: Vec<u32> = (0..draft.transitions.len() as u32)
        .filter(|&t| draft.transitions[t as usize].is_some() && !matters[t as usize])
        .collect();
    let idle = |t: &DraftTransition| t.arcs() == 0;
    let gone = need.iter().zip(&draft.places);
    let gone = gone.filter(|(n, place)| **n == 0 && place.exists).count();
    if gone == 0 && rest.iter().all(|&t| idle(draft.at(t))) {
        return 0;
    }
    let forever = runs_for_ever(draft, &need, &rest);
    let known = forever || is_ranked(draft, &rest);
    if !draft.is(Condition::SliceRankedOrForEver, known) {
        return 0;
    }
    let moves: Vec<MoveId> = rest.iter().map(|&t| draft.at(t).moves).collect();
    let removed = draft.remove_all(&rest);
    if forever {
        let node = draft.either(moves);
        draft.add(DraftTransition {
            pre: Vec::new(),
            post: Vec::new(),
            inhibit: Vec::new(),
            moves: node,
            pins: Vec::new(),
        });
    } else {
        draft.leftovers.push(moves);
    }
    removed + remove_places(draft, &need)
}

/// Whether some transitions cannot run for ever by themselves from any marking: their places can be removed one by one,
/// each with the transitions that take from it for good, as soon as nothing left adds to it.
///
/// A place to which no transition that is left adds is above all places that are left. What takes from it for good is
/// ranked by it and goes. If everything goes so, each transition takes from a place above all that it adds to.
fn is_ranked(draft: &Draft, transitions: &[u32]) -> bool {
    use rustc_hash::FxHashMap;
    // How many transitions that are left add to a place.
    let mut adders: FxHashMap<u32, usize> = FxHashMap::default();
    let mut users: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    let effects: Vec<Vec<(u32, i64)>> =
        transitions.iter().map(|&t| draft.at(t).effects()).collect();
    for (i, effects) in effects.iter().enumerate() {
        for &(p, n) in effects {
            let adders = adders.entry(p).or_insert(0);
            if n > 0 {
                *adders += 1;
            } else {
                users.entry(p).or_default().push(i);
            }
        }
    }
    let mut free: Vec<u32> = adders
        .iter()
        .filter(|(_, n)| **n == 0)
        .map(|(p, _)| *p)
        .collect();
    let mut left = transitions.len();
    let mut gone = vec![false; transitions.len()];
    while let Some(p) = free.pop() {
        for &i in users.get(&p).map_or(&[][..], |u| &u[..]) {
            if std::mem::replace(&mut gone[i], true) {
                continue;
            }
            left -= 1;
            for &(q, n) in &effects[i] {
                if n > 0
                    && let Some(count) = adders.get_mut(&q)
                {
                    *count -= 1;
                    if *count == 0 {
                        free.push(q);
                    }
                }
            }
        }
    }
    left == 0
}

/// Whether some transitions can always go on, whatever has happened: see above.
fn runs_for_ever(draft: &Draft, need: &[u8], rest: &[u32]) -> bool {
    // A transition that is always enabled.
    let always = |&t: &u32| {
        let t = draft.at(t);
        t.pre.is_empty() && t.inhibit.is_empty()
    };
    if rest.iter().any(always) {
        return true;
    }
    let mut inside: Vec<bool> = (need.iter().zip(&draft.places))
        .map(|(n, place)| *n == 0 && place.exists)
        .collect();
    let puts = |inside: &[bool], t: u32| {
        let mut outputs = draft.at(t).post.iter();
        outputs.any(|arc| inside[arc.0 as usize])
    };
    let good = |inside: &[bool], p: u32| {
        let takers = &draft.places[p as usize].takers;
        let leaves = |&t: &u32| {
            let transition = draft.at(t);
            let alone = transition.pre == [(p, 1)] && transition.inhibit.is_empty();
            draft.is(Condition::ForEverAlone, alone)
        };
        let back = takers.iter().all(|&t| puts(inside, t));
        takers.iter().any(leaves) && draft.is(Condition::ForEverPutsBack, back)
    };
    let mut open: Vec<u32> = (0..inside.len() as u32)
        .filter(|&p| inside[p as usize])
        .collect();
    // Each place that leaves the set makes those look again that put into it.
    let mut work = 0;
    while let Some(p) = open.pop() {
        work += 1 + draft.places[p as usize].takers.len();
        if work > MOST_WORK {
            return false;
        }
        if inside[p as usize] && !good(&inside, p) {
            inside[p as usize] = false;
            for &t in &draft.places[p as usize].givers {
                let inputs = draft.at(t).pre.iter().map(|arc| arc.0);
                open.extend(inputs.filter(|&q| inside[q as usize]));
            }
        }
    }
    let marked = |(p, inside): (usize, &bool)| {
        *inside && draft.is(Condition::ForEverMarked, draft.places[p].initial > 0)
    };
    inside.iter().enumerate().any(marked)
}
