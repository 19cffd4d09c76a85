//! Pre-agglomeration: what nobody else can use waits until it is needed.
//!
//! *Paper:* Berthelot 1987; Haddad, Pradat-Peyre 2006; Thierry-Mieg 2020. *Condition* at a place p: unobserved, empty in
//! the beginning, never inhibiting; producers H and consumers F are disjoint; each f in F takes one token. (Without
//! producers or consumers other rules know what to do.) Each h in H is not observed, has p as only output, with weight 1, some inputs and no inhibitors; its inputs are
//! unobserved, never inhibiting, and consumed by H only.
//!
//! *Keeps* all but each step, the branching structure only if no two h's share an input. *Why:* h moves right to its f.
//! An h without f is dropped: nobody else wants its tokens. An infinite run stays infinite, since inputs of h must be
//! produced. Where an h takes an input away from another one, having fired it is a decision that no marking of the
//! reduced net shows. *Runs* are lifted by h f; at a dead end, the h's that
//! are left are fired until the given net is dead as well.

use dalsegno_kripke::MoveId;

use super::Keep;
use super::agglomeration::{MOST_NEIGHBOURS, is_worth_it, joined, replace};
use super::condition::Condition;
use super::draft::{Draft, weight};
use super::observed::Watch;

/// Looks at a place.
pub(super) fn at(draft: &mut Draft, p: u32, keep: Keep) -> usize {
    let conditions = [
        Condition::PreInputsUnobserved,
        Condition::PreInputsNotInhibiting,
    ];
    let only = |draft: &Draft, q: u32, givers: &[u32]| {
        let takers = &draft.places[q as usize].takers;
        let alone = takers.len() == 1 || keep != Keep::Branching;
        let own = takers.iter().all(|t| givers.binary_search(t).is_ok());
        draft.is_free(q, conditions)
            && draft.is(Condition::PreInputsSharedForBranching, alone)
            && draft.is(Condition::PreInputsOfProducersOnly, own)
    };
    if !is_possible(draft, p, &only) {
        return 0;
    }
    let givers = draft.places[p as usize].givers.clone();
    let leftovers: Vec<MoveId> = givers.iter().map(|&h| draft.at(h).moves).collect();
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
    {
        return false;
    }
    let may_be = draft.is(Condition::PreUnobserved, place.watch == Watch::Not)
        && draft.is(Condition::PreEmpty, place.initial == 0)
        && draft.is(Condition::PreNotInhibiting, place.inhibited.is_empty());
    if !may_be {
        return false;
    }
    let waits = |&h: &u32| {
        let h = draft.at(h);
        // A producer that is a consumer as well would have to wait for itself.
        let mut inputs = h.pre.iter();
        draft.is(Condition::PreOnlyOutput, h.post.len() == 1)
            && draft.is(Condition::PrePutsOne, weight(&h.post, p) == 1)
            && draft.is(Condition::PreWithoutInhibitors, h.inhibit.is_empty())
            && draft.is(Condition::PreProducerUnobserved, h.pins.is_empty())
            && draft.is(Condition::PreHasInputs, !h.pre.is_empty())
            && inputs.all(|&(q, _)| q != p && input(draft, q, givers))
    };
    let takes = |&f: &u32| {
        let one = weight(&draft.at(f).pre, p) == 1;
        draft.is(Condition::PreTakesOne, one)
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
