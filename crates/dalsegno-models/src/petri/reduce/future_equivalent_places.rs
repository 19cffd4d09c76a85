//! Future-equivalent places: two places whose tokens can do the same become one.
//!
//! *Paper:* Thierry-Mieg 2020 (fusion of places with the same future). *Condition:* both are unobserved, never inhibiting,
//! and each transition that takes from one takes a single token and has a twin that takes from the other
//! and is the same elsewhere; what it gives back to its own place, its twin gives back to its own. So none takes both.
//! The places become one with the tokens of both, and twins become one transition.
//!
//! *Keeps* everything: which of the two places a token lies in decides nothing. *Runs* are lifted by replay, which knows the
//! true split: of the twins the one that is enabled is fired. A cycle closes after as many rounds as the split needs to
//! repeat.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::condition::Condition;
use super::draft::{Arcs, Draft, weight, without};

/// The most transitions that take from a place.
const MOST_TAKERS: usize = 64;

/// What a transition does apart from a place: takes, puts, is inhibited by, and gives back to that place.
type Apart = (Arcs, Arcs, Arcs, u32);

/// What the transitions that take from a place do, with the transitions, ascending.
type Future = Vec<(Apart, u32)>;

/// Looks at all places.
pub(super) fn all(draft: &mut Draft) -> usize {
    let mut buckets: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    for p in 0..draft.places.len() as u32 {
        if draft.is_over() {
            return 0;
        }
        if let Some(future) = future(draft, p) {
            let mut hasher = FxHasher::default();
            let futures: Vec<&Apart> = future.iter().map(|(apart, _)| apart).collect();
            if draft.is(Condition::FutureSame, false) {
                futures.len().hash(&mut hasher);
            } else {
                futures.hash(&mut hasher);
            }
            buckets.entry(hasher.finish()).or_default().push(p);
        }
    }
    let mut buckets: Vec<Vec<u32>> = buckets.into_values().filter(|b| b.len() > 1).collect();
    buckets.sort_unstable();
    let mut fused = 0;
    for bucket in buckets {
        if draft.is_over() {
            return fused;
        }
        // What was fused before may have changed what these can do.
        let futures = bucket.iter().map(|&p| (p, future(draft, p)));
        let mut futures = futures.filter_map(|(p, future)| Some((p, future?)));
        let Some(first) = futures.next() else {
            continue;
        };
        let same = |future: &[(Apart, u32)]| {
            let (a, b) = (first.1.iter(), future.iter());
            let same = a.map(|f| &f.0).eq(b.map(|f| &f.0));
            draft.is(Condition::FutureSame, same)
        };
        let others: Vec<(u32, Future)> = futures.filter(|(_, f)| same(f)).collect();
        fused += fuse(draft, &first, &others);
    }
    fused
}

/// What tokens of a place can do, and by which transition; `None` if the place cannot be fused.
fn future(draft: &Draft, p: u32) -> Option<Future> {
    let place = &draft.places[p as usize];
    let takers = &place.takers;
    let few = !takers.is_empty() && takers.len() <= MOST_TAKERS;
    let conditions = [Condition::FutureUnobserved, Condition::FutureNotInhibiting];
    if !place.exists || !few || !draft.is_free(p, conditions) {
        return None;
    }
    let mut future = Vec::with_capacity(takers.len());
    for &t in takers {
        let transition = draft.at(t);
        let one = weight(&transition.pre, p) == 1;
        if !draft.is(Condition::FutureTakesOne, one) {
            return None;
        }
        let apart = (
            without(&transition.pre, p),
            without(&transition.post, p),
            transition.inhibit.clone(),
            weight(&transition.post, p),
        );
        future.push((apart, t));
    }
    future.sort_unstable();
    Some(future)
}

/// Makes places one with the first of them, all of the same future; how many are gone.
fn fuse(draft: &mut Draft, first: &(u32, Future), others: &[(u32, Future)]) -> usize {
    let p = first.0;
    let mut initial = draft.places[p as usize].initial;
    // What puts tokens into several of them puts them all into one.
    let mut sums: FxHashMap<u32, u32> = FxHashMap::default();
    for &(q, _) in others {
        let place = &draft.places[q as usize];
        let Some(sum) = initial.checked_add(place.initial) else {
            return 0;
        };
        initial = sum;
        for &t in &place.givers {
            if place.takers.binary_search(&t).is_ok() {
                continue;
            }
            let transition = draft.at(t);
            let sum = sums
                .entry(t)
                .or_insert_with(|| weight(&transition.post, p))
                .checked_add(weight(&transition.post, q));
            let Some(sum) = sum else {
                return 0;
            };
            sums.insert(t, sum);
        }
    }
    let mut sums: Vec<(u32, u32)> = sums.into_iter().collect();
    sums.sort_unstable();
    for (i, (_, t)) in first.1.iter().enumerate() {
        let twins = others.iter().map(|(_, future)| future[i].1);
        let all = std::iter::once(*t).chain(twins);
        let parts = all.map(|t| draft.at(t).moves).collect();
        let node = draft.either(parts);
        if let Some(transition) = draft.transitions[*t as usize].as_mut() {
            transition.moves = node;
        }
    }
    let twins = others.iter().flat_map(|(_, future)| future);
    let twins: Vec<u32> = twins.map(|(_, twin)| *twin).collect();
    draft.remove_all(&twins);
    for (q, _) in others {
        draft.remove_place(*q);
    }
    for (t, sum) in sums {
        let takes = weight(&draft.at(t).pre, p);
        draft.set_weights(t, p, takes, sum);
    }
    let place = &mut draft.places[p as usize];
    place.initial = initial;
    place.fused |= !others.is_empty();
    others.len()
}
