//! Future-equivalent places: two places whose tokens can do the same become one.
//!
//! *Paper:* Thierry-Mieg 2020 (fusion of places with the same future). *Condition:* both are unobserved, never inhibiting,
//! and each transition that takes from one takes a single token, is not observed, and has a twin that takes from the other
//! and is the same elsewhere; what it gives back to its own place, its twin gives back to its own. So none takes both.
//! The places become one with the tokens of both, and twins become one transition.
//!
//! *Keeps* everything: which of the two places a token lies in decides nothing. *Runs* are lifted by replay, which knows the
//! true split: of the twins the one that is enabled is fired. A cycle closes after as many rounds as the split needs to
//! repeat.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::draft::{Arcs, Draft, weight, without};

/// The most transitions that take from a place.
const MOST_TAKERS: usize = 64;

/// What a transition does apart from a place: takes, puts, is inhibited by, and gives back to that place.
type Apart = (Arcs, Arcs, Arcs, u32);

/// Looks at all places.
pub(super) fn all(draft: &mut Draft) -> usize {
    let mut buckets: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    for p in 0..draft.places.len() as u32 {
        if let Some(future) = future(draft, p) {
            let mut hasher = FxHasher::default();
            let futures: Vec<&Apart> = future.iter().map(|(apart, _)| apart).collect();
            futures.hash(&mut hasher);
            buckets.entry(hasher.finish()).or_default().push(p);
        }
    }
    let mut buckets: Vec<Vec<u32>> = buckets.into_values().filter(|b| b.len() > 1).collect();
    buckets.sort_unstable();
    let mut fused = 0;
    for bucket in buckets {
        let first = bucket[0];
        for &other in &bucket[1..] {
            fused += usize::from(fuse(draft, first, other));
        }
    }
    fused
}

/// What tokens of a place can do, and by which transition; `None` if the place cannot be fused.
fn future(draft: &Draft, p: u32) -> Option<Vec<(Apart, u32)>> {
    let place = &draft.places[p as usize];
    let takers = &place.takers;
    let few = !takers.is_empty() && takers.len() <= MOST_TAKERS;
    if !place.exists || !few || !draft.is_free(p) {
        return None;
    }
    let mut future = Vec::with_capacity(takers.len());
    for &t in takers {
        let transition = draft.at(t);
        if weight(&transition.pre, p) != 1 || !transition.pins.is_empty() {
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

/// Makes two places one, if they are equivalent; whether it did.
fn fuse(draft: &mut Draft, p: u32, q: u32) -> bool {
    let (Some(first), Some(second)) = (future(draft, p), future(draft, q)) else {
        return false;
    };
    let same = first.iter().map(|f| &f.0).eq(second.iter().map(|f| &f.0));
    let initial = draft.places[p as usize].initial;
    let initial = initial.checked_add(draft.places[q as usize].initial);
    let (true, Some(initial)) = (same, initial) else {
        return false;
    };
    // What puts tokens into both puts them into one.
    let givers = draft.places[q as usize].givers.clone();
    let mut sums = Vec::new();
    for &t in givers
        .iter()
        .filter(|t| draft.places[q as usize].takers.binary_search(t).is_err())
    {
        let transition = draft.at(t);
        let sum = weight(&transition.post, p).checked_add(weight(&transition.post, q));
        match sum {
            Some(sum) => sums.push((t, weight(&transition.pre, p), sum)),
            None => return false,
        }
    }
    let mut twins = Vec::new();
    for ((_, t), (_, twin)) in first.iter().zip(&second) {
        let parts = vec![draft.at(*t).moves, draft.at(*twin).moves];
        match draft.either(parts) {
            Some(node) => twins.push((*t, *twin, node)),
            None => return false,
        }
    }
    for (t, twin, node) in twins {
        draft.remove(twin);
        if let Some(transition) = draft.transitions[t as usize].as_mut() {
            transition.moves = node;
        }
    }
    for (t, takes, sum) in sums {
        draft.set_weights(t, p, takes, sum);
    }
    draft.remove_place(q);
    draft.places[p as usize].initial = initial;
    draft.places[p as usize].fused = true;
    true
}
