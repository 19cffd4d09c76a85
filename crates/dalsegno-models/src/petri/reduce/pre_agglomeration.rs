//! Pre-agglomeration: what nobody else can use waits until it is needed.
//!
//! *Paper:* Berthelot 1987; Haddad, Pradat-Peyre 2006; Thierry-Mieg 2020. *Condition* at a place p: unobserved, empty in
//! the beginning, never inhibiting; producers H and consumers F are disjoint and not empty; each f in F takes one token.
//! Each h in H is not observed, has p as only output, with weight 1, some inputs and no inhibitors; its inputs are
//! unobserved, never inhibiting, and consumed by H only.
//!
//! *Keeps* all but each step, the branching structure only if no two h's share an input. *Why:* h moves right to its f. An h without f is dropped: nobody else wants its tokens. An
//! infinite run stays infinite, since inputs of h must be produced. Where an h takes an input away from another one, having
//! fired it is a decision that no marking of the reduced net shows. *Runs* are lifted by h f; at a dead end, the h's that
//! are left are fired until the given net is dead as well.

use super::Keep;
use super::agglomeration::{MOST_NEIGHBOURS, is_worth_it, joined, replace};
use super::draft::{Draft, weight};
use super::observed::Watch;

/// Looks at a place.
pub(super) fn at(draft: &mut Draft, p: u32, keep: Keep) -> usize {
    let only = |draft: &Draft, q: u32, givers: &[u32]| {
        let takers = &draft.places[q as usize].takers;
        draft.is_free(q)
            && (takers.len() == 1 || keep != Keep::Branching)
            && takers.iter().all(|t| givers.binary_search(t).is_ok())
    };
    if !is_possible(draft, p, &only) {
        return 0;
    }
    let givers = draft.places[p as usize].givers.clone();
    let leftovers: Vec<u32> = givers.iter().map(|&h| draft.at(h).moves).collect();
    let done = join_all(draft, p);
    if done > 0 {
        draft.leftovers.push(leftovers);
    }
    done
}

/// Whether the transitions around a place may be joined; `input` tells whether an input of a producer is as it should be.
pub(super) fn is_possible(
    draft: &Draft,
    p: u32,
    input: &dyn Fn(&Draft, u32, &[u32]) -> bool,
) -> bool {
    let place = &draft.places[p as usize];
    let (givers, takers) = (&place.givers, &place.takers);
    if givers.is_empty()
        || takers.is_empty()
        || givers.len() > MOST_NEIGHBOURS
        || takers.len() > MOST_NEIGHBOURS
        || givers.len() * takers.len() > givers.len() + takers.len()
        || place.watch != Watch::Not
        || place.initial > 0
        || !place.inhibited.is_empty()
    {
        return false;
    }
    let waits = |&h: &u32| {
        let h = draft.at(h);
        let plain = h.post == [(p, 1)] && h.inhibit.is_empty() && h.pins.is_empty();
        plain
            && !h.pre.is_empty()
            && h.pre
                .iter()
                .all(|&(q, _)| q != p && input(draft, q, givers))
    };
    let takes = |&f: &u32| {
        let f = draft.at(f);
        weight(&f.pre, p) == 1 && weight(&f.post, p) == 0 && f.pins.is_empty()
    };
    givers.iter().all(waits) && takers.iter().all(takes)
}

/// Joins each producer of a place with each consumer.
pub(super) fn join_all(draft: &mut Draft, p: u32) -> usize {
    let place = &draft.places[p as usize];
    let (givers, takers) = (place.givers.clone(), place.takers.clone());
    let mut all = Vec::new();
    for &h in &givers {
        for &f in &takers {
            let Some(one) = joined(draft, p, h, &[f]) else {
                return 0;
            };
            all.push(one);
        }
    }
    if !is_worth_it(draft, givers.iter().chain(&takers).copied(), &all) {
        return 0;
    }
    replace(draft, p, all);
    1
}
