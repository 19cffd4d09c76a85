//! Dominated transitions: of two with the same effect, the one that asks for more is removed.
//!
//! *Paper:* Bønneland, Dyhr, Jensen, Johannsen, Srba 2019 (parallel transitions); Thierry-Mieg 2020. *Condition:* t₂ is not
//! observed, has the effect of t₁, takes at least what t₁ takes, and t₁ has no inhibitor arc that is stricter. Of two
//! that are the same, one stands for both where they are asked to be fireable. *Keeps* everything: wherever t₂ fires, t₁
//! fires and does the same. *Runs* need no lifting.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::condition::Condition;
use super::draft::{Draft, DraftTransition, weight};

/// How many transitions with the same effect one is compared with.
const FEW: usize = 32;

/// Looks at all transitions.
pub(super) fn all(draft: &mut Draft) -> usize {
    let mut buckets: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    for t in 0..draft.transitions.len() as u32 {
        if draft.is_over() {
            return 0;
        }
        if let Some(transition) = &draft.transitions[t as usize] {
            let mut hasher = FxHasher::default();
            if !draft.is(Condition::DominatedEffect, false) {
                transition.effects().hash(&mut hasher);
            }
            buckets.entry(hasher.finish()).or_default().push(t);
        }
    }
    let mut buckets: Vec<Vec<u32>> = buckets.into_values().filter(|b| b.len() > 1).collect();
    buckets.sort_unstable();
    let mut gone: Vec<u32> = Vec::new();
    for mut bucket in buckets {
        // Those that ask for little come first.
        bucket.sort_by_key(|&t| {
            let pre = &draft.at(t).pre;
            (
                pre.len(),
                pre.iter().map(|arc| u64::from(arc.1)).sum::<u64>(),
                t,
            )
        });
        let mut kept: Vec<u32> = Vec::new();
        for t in bucket {
            if draft.is_over() {
                return draft.remove_all(&gone);
            }
            let stronger = draft.at(t);
            // The last ones that were kept are the most alike.
            let some = kept.iter().take(FEW).chain(kept.iter().rev().take(FEW));
            let by = some.copied().find(|&k| {
                let weaker = draft.at(k);
                let same = stronger.pins.is_empty() || same_guard(weaker, stronger);
                dominates(draft, weaker, stronger) && draft.is(Condition::DominatedUnobserved, same)
            });
            match by {
                Some(by) => {
                    let pins = draft.transitions[t as usize].as_mut();
                    let pins = pins.map(|t| std::mem::take(&mut t.pins));
                    if let Some(stays) = draft.transitions[by as usize].as_mut() {
                        stays.pins.extend(pins.unwrap_or_default());
                    }
                    gone.push(t);
                }
                None => kept.push(t),
            }
        }
    }
    draft.remove_all(&gone)
}

/// Whether the first one fires wherever the second does, with the same effect.
fn dominates(draft: &Draft, weaker: &DraftTransition, stronger: &DraftTransition) -> bool {
    let less = |&(p, n): &(u32, u32)| n <= weight(&stronger.pre, p);
    let lenient = |&(p, n): &(u32, u32)| {
        let at = stronger.inhibit.binary_search_by_key(&p, |arc| arc.0);
        at.is_ok_and(|i| stronger.inhibit[i].1 <= n)
    };
    let same = weaker.effects() == stronger.effects();
    draft.is(Condition::DominatedTakesMore, weaker.pre.iter().all(less))
        && draft.is(
            Condition::DominatedInhibitors,
            weaker.inhibit.iter().all(lenient),
        )
        && draft.is(Condition::DominatedEffect, same)
}

fn same_guard(a: &DraftTransition, b: &DraftTransition) -> bool {
    a.pre == b.pre && a.inhibit == b.inhibit
}
