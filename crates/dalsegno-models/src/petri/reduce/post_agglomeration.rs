//! Post-agglomeration: what can follow at once, and nobody can prevent, follows at once.
//!
//! *Paper:* Berthelot 1987; Haddad, Pradat-Peyre 2006; Thierry-Mieg 2020. *Condition* at a place p: unobserved, empty in
//! the beginning (or with one consumer f, which is then fired first); producers H and consumers F are disjoint, and F is
//! not empty. Each f in F has p as only input, with weight 1, no inhibitors, and changes nothing that is observed; its
//! outputs are never inhibiting. (Where a goal wants many tokens, f may put some.) p itself may inhibit: it
//! is empty whenever somebody looks, so these arcs are removed. A producer that puts n tokens is joined with all
//! multisets of n consumers. Each joined transition is fireable where its producer was.
//!
//! *Keeps* reachable observed markings, dead ends, runs up to repetitions with and without those that end; the branching
//! structure if F has one member, since the choice among F is made earlier. *Why:* f is enabled as soon as p is marked,
//! takes from nobody else, and changes no letter: it moves left to its h; an f that never comes is added.
//! *Runs* are lifted by h f … f.

use super::Keep;
use super::agglomeration::{MOST_NEIGHBOURS, is_worth_it, joined, replace};
use super::condition::Condition;
use super::draft::{Draft, added, weight};
use super::observed::Watch;

/// The most tokens that are taken off a place in the beginning.
const MOST_TOKENS: u32 = 64;

/// Looks at a place.
pub(super) fn at(draft: &mut Draft, p: u32, keep: Keep) -> usize {
    let place = &draft.places[p as usize];
    let (givers, takers) = (&place.givers, &place.takers);
    if givers.len() > MOST_NEIGHBOURS
        || takers.len() > MOST_NEIGHBOURS
        || givers.len() * takers.len() > givers.len() + takers.len()
        || place.initial > MOST_TOKENS
    {
        return 0;
    }
    let one = takers.len() == 1;
    let branching = keep == Keep::Branching;
    let may_be = draft.is(Condition::PostHasConsumers, !takers.is_empty())
        && draft.is(Condition::PostUnobserved, place.watch == Watch::Not)
        && draft.is(Condition::PostEmptyOrOneConsumer, place.initial == 0 || one)
        && draft.is(Condition::PostOneConsumerForBranching, one || !branching);
    if !may_be {
        return 0;
    }
    let follows = |&f: &u32| {
        let f = draft.at(f);
        let conditions = [
            Condition::PostOutputsUnobserved,
            Condition::PostOutputsNotInhibiting,
        ];
        // A consumer that is a producer as well would have to follow itself.
        let output = |&(q, _): &(u32, u32)| q != p && draft.may_keep_more(q, conditions);
        draft.is(Condition::PostOnlyInput, f.pre.len() == 1)
            && draft.is(Condition::PostTakesOne, weight(&f.pre, p) == 1)
            && draft.is(Condition::PostWithoutInhibitors, f.inhibit.is_empty())
            && f.post.iter().all(output)
    };
    if !takers.iter().all(follows) {
        return 0;
    }
    let (givers, takers) = (givers.clone(), takers.clone());
    let mut all = Vec::new();
    for &h in &givers {
        let n = weight(&draft.at(h).post, p);
        let Some(choices) = multisets(&takers, n, givers.len() + takers.len()) else {
            return 0;
        };
        for choice in choices {
            let Some(one) = joined(draft, p, h, &choice) else {
                return 0;
            };
            all.push(one);
        }
    }
    if !is_worth_it(draft, givers.iter().chain(&takers).copied(), &all) {
        return 0;
    }
    let tokens = draft.places[p as usize].initial;
    let first = tokens > 0 && !takers.is_empty();
    if first && !fire_first(draft, takers[0], tokens) {
        return 0;
    }
    replace(draft, p, all);
    1
}

/// Fires the only consumer as often as there are tokens; whether that is possible.
fn fire_first(draft: &mut Draft, f: u32, tokens: u32) -> bool {
    let consumer = draft.at(f);
    let (post, moves) = (consumer.post.clone(), consumer.moves);
    let Some(node) = draft.sequence(vec![moves; tokens as usize]) else {
        return false;
    };
    let mut now: Vec<(u32, u32)> = Vec::new();
    for &(q, n) in &post {
        let Some(more) = n.checked_mul(tokens) else {
            return false;
        };
        let Some(sum) = added(&[(q, draft.places[q as usize].initial)], &[(q, more)]) else {
            return false;
        };
        now.extend(sum);
    }
    for (q, initial) in now {
        draft.places[q as usize].initial = initial;
    }
    draft.first.push(node);
    true
}

/// All multisets of `n` of some transitions; `None` if they are more than `most`.
fn multisets(of: &[u32], n: u32, most: usize) -> Option<Vec<Vec<u32>>> {
    let mut sets: Vec<Vec<u32>> = vec![Vec::new()];
    for _ in 0..n {
        let mut longer = Vec::new();
        for set in &sets {
            let last = set.last().copied();
            let next = of.iter().filter(|&&f| last.is_none_or(|last| f >= last));
            for &f in next {
                let mut set = set.clone();
                set.push(f);
                longer.push(set);
            }
            if longer.len() > most {
                return None;
            }
        }
        sets = longer;
    }
    Some(sets)
}
