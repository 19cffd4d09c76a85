//! Equal and implicit places: a place whose tokens follow those of another and never disable more is removed.
//!
//! *Paper:* Berthelot 1987 (redundant places), with one place that implies another. *Condition:* p and q change by the
//! same in every transition, so m(p) = m(q) + c for ever; c is not negative, p is unobserved and never inhibiting, and a
//! transition that takes n from p takes at least n - c from q. *Keeps* everything: where q allows a step, p does.
//! *Runs* are lifted by replay.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::condition::Condition;
use super::draft::{Draft, weight};

/// How many places with the same changes a place is compared with.
const FEW: usize = 8;

/// Looks at all places.
pub(super) fn all(draft: &mut Draft) -> usize {
    let mut buckets: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    for p in 0..draft.places.len() as u32 {
        if draft.is_over() {
            return 0;
        }
        if draft.places[p as usize].exists {
            let column = column(draft, p);
            if !column.is_empty() {
                let mut hasher = FxHasher::default();
                if !draft.is(Condition::EqualChanges, false) {
                    column.hash(&mut hasher);
                }
                buckets.entry(hasher.finish()).or_default().push(p);
            }
        }
    }
    let mut buckets: Vec<Vec<u32>> = buckets.into_values().filter(|b| b.len() > 1).collect();
    buckets.sort_unstable();
    let mut removed = 0;
    for bucket in buckets {
        let mut kept: Vec<u32> = Vec::new();
        for &p in &bucket {
            if draft.is_over() {
                return removed;
            }
            let others = kept.iter().rev().take(FEW);
            if let Some(&q) = others.clone().find(|&&q| implies(draft, q, p)) {
                debug_assert_ne!(p, q, "a place is compared with others");
                draft.remove_place(p);
                removed += 1;
                continue;
            }
            // The place may imply one that was kept.
            let implied: Vec<u32> = others.copied().filter(|&q| implies(draft, p, q)).collect();
            for q in implied {
                draft.remove_place(q);
                kept.retain(|&k| k != q);
                removed += 1;
            }
            kept.push(p);
        }
    }
    removed
}

/// The changes of a place, by transition.
fn column(draft: &Draft, p: u32) -> Vec<(u32, i64)> {
    let place = &draft.places[p as usize];
    let mut column: Vec<(u32, i64)> = Vec::with_capacity(place.givers.len() + place.takers.len());
    for &t in place.givers.iter().chain(&place.takers) {
        column.push((t, draft.at(t).effect(p)));
    }
    column.sort_unstable();
    column.dedup();
    column.retain(|entry| entry.1 != 0);
    column
}

/// Whether a place can be removed because of another one.
fn implies(draft: &Draft, q: u32, p: u32) -> bool {
    let (first, second) = (&draft.places[q as usize], &draft.places[p as usize]);
    let more = second.initial.saturating_sub(first.initial);
    let fewer = second.initial < first.initial;
    let free = [Condition::EqualUnobserved, Condition::EqualNotInhibiting];
    if !draft.is(Condition::EqualNotFewer, !fewer) || !draft.is_free(p, free) {
        return false;
    }
    let enough = |&t: &u32| {
        let t = draft.at(t);
        u64::from(weight(&t.pre, p)) <= u64::from(weight(&t.pre, q)) + u64::from(more)
    };
    draft.is(Condition::EqualAsksNoMore, second.takers.iter().all(enough))
        && draft.is(
            Condition::EqualChanges,
            column(draft, p) == column(draft, q),
        )
}
