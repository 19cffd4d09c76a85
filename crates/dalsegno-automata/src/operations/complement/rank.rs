//! Complement of a Büchi automaton by ranks.
//!
//! A word is not accepted exactly if the graph of all runs on it has a ranking: numbers that never grow along an edge, are even on
//! accepting states, and are odd from some point on along each path (O. Kupferman and M. Vardi, "Weak alternating automata
//! are not that weak", TOCL 2001). From some position on the rankings may be taken to be tight: the largest rank r is
//! odd, and each odd number below occurs (E. Friedgut, O. Kupferman and M. Vardi, "Büchi complementation made tighter",
//! IJFCS 2006). States of the complement are sets of states before that position; after it a tight ranking f, an even rank i
//! that is looked at, and the states O that have kept rank i since it was looked at. When O is empty, which is accepting, the
//! next even rank is looked at (S. Schewe, "Büchi complementation made tight", STACS 2009). Of rankings only the largest ones
//! are tried, as Schewe shows to be enough: a successor keeps the ranks as large as it can, or lowers those of O by one.
//!
//! Where ours differs: acceptance is on edges.
//!
//! Cost: about (0.76 n)^n states for n states of the Büchi automaton, built from the initial one on.

use dalsegno_kripke::Stop;

use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::edge::{Edge, Marks};
use crate::omega::state_id::StateId;
use crate::operations::complement::{Macrostates, begun};
use crate::operations::{buchi, letter_classes};

/// A state of the complement.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Macrostate {
    /// Where runs may be, before ranks are guessed.
    Guessing(Vec<StateId>),
    /// A tight ranking, ascending by state; who has kept the rank that is looked at, and that rank.
    Ranked {
        ranks: Vec<(StateId, u32)>,
        keeping: Vec<StateId>,
        even: u32,
    },
}

impl Macrostate {
    fn is_accepting(&self) -> bool {
        match self {
            Macrostate::Guessing(states) => states.is_empty(),
            Macrostate::Ranked { keeping, .. } => keeping.is_empty(),
        }
    }

    fn bytes(&self) -> u64 {
        let entries = match self {
            Macrostate::Guessing(states) => states.len(),
            Macrostate::Ranked { ranks, keeping, .. } => 2 * ranks.len() + keeping.len(),
        };
        2 * (64 + 4 * entries as u64)
    }
}

/// The complement of any automaton.
pub(super) fn complement(a: Automaton, effort: &Effort<'_>) -> Result<Automaton, Stop> {
    let a = buchi(a, effort)?;
    let Some(accepting) = a.accepting_states() else {
        unreachable!("a Büchi automaton accepts by states");
    };
    let mut result = begun(&a, effort);
    let mut macrostates = Macrostates::new();
    let mut start = a.initial.clone();
    start.sort_unstable();
    start.dedup();
    let first = Macrostate::Guessing(start);
    let bytes = first.bytes();
    let id = macrostates.id(&mut result, first, bytes);
    result.initial = vec![id];
    let mut done = 0;
    while let Some(macrostate) = macrostates.found.get(done).cloned() {
        let from = StateId::new(done);
        done += 1;
        let states: Vec<StateId> = match &macrostate {
            Macrostate::Guessing(states) => states.clone(),
            Macrostate::Ranked { ranks, .. } => ranks.iter().map(|&(q, _)| q).collect(),
        };
        let marks = Marks(u64::from(macrostate.is_accepting()));
        // The source of an edge travels in the place of its marks, which say nothing here.
        let edges: Vec<Edge> = states
            .iter()
            .flat_map(|&q| {
                let from = Marks(q.index() as u64);
                let edges = a.edges[q.index()].iter();
                edges.map(move |e| Edge { marks: from, ..*e })
            })
            .collect();
        for (guard, enabled) in letter_classes(&mut result.guards, a.alphabet, &edges)? {
            let next = match &macrostate {
                Macrostate::Guessing(_) => guesses(&enabled, &accepting, &mut result)?,
                Macrostate::Ranked {
                    ranks,
                    keeping,
                    even,
                } => successors(ranks, keeping, *even, &enabled, &accepting),
            };
            for macrostate in next {
                result.guards.spend(1)?;
                let bytes = macrostate.bytes();
                let target = macrostates.id(&mut result, macrostate, bytes);
                result.add_edge(from, guard, marks, target)?;
            }
        }
    }
    result.guards.end(effort);
    Ok(result)
}

/// The set of targets, and the largest tight rankings of it: per rank r, accepting states have r - 1, one state has
/// each smaller odd rank, and the others have r.
fn guesses(
    enabled: &[Edge],
    accepting: &[bool],
    result: &mut Automaton,
) -> Result<Vec<Macrostate>, Stop> {
    let mut states: Vec<StateId> = enabled.iter().map(|e| e.target).collect();
    states.sort_unstable();
    states.dedup();
    let free: Vec<usize> = (0..states.len())
        .filter(|&i| !accepting[states[i].index()])
        .collect();
    let mut macrostates = vec![Macrostate::Guessing(states.clone())];
    for odd in 0..free.len() as u32 {
        let largest = 2 * odd + 1;
        let base: Vec<(StateId, u32)> = states
            .iter()
            .map(|&q| (q, largest - u32::from(accepting[q.index()])))
            .collect();
        // Who has rank 1, who has rank 3, and so on.
        let mut chosen: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..odd {
            let mut longer = Vec::new();
            for some in chosen {
                result.guards.spend(1 + free.len() as u64)?;
                for &i in free.iter().filter(|i| !some.contains(i)) {
                    let mut more = some.clone();
                    more.push(i);
                    longer.push(more);
                }
            }
            chosen = longer;
        }
        for some in chosen {
            result.guards.spend(1 + states.len() as u64 / 8)?;
            let mut ranks = base.clone();
            for (rank, i) in (1..).step_by(2).zip(some) {
                ranks[i].1 = rank;
            }
            macrostates.push(Macrostate::Ranked {
                ranks,
                keeping: Vec::new(),
                even: 0,
            });
        }
    }
    Ok(macrostates)
}

/// The successors of a ranking: as large as can be, and with the ranks that are looked at lowered.
fn successors(
    ranks: &[(StateId, u32)],
    keeping: &[StateId],
    even: u32,
    enabled: &[Edge],
    accepting: &[bool],
) -> Vec<Macrostate> {
    let rank_of = |q: u64| {
        let at = ranks.binary_search_by_key(&StateId::new(q as usize), |&(p, _)| p);
        at.map_or(0, |i| ranks[i].1)
    };
    let largest = ranks.iter().map(|&(_, rank)| rank).max().unwrap_or(0);
    let mut next: Vec<(StateId, u32)> = enabled
        .iter()
        .map(|e| (e.target, rank_of(e.marks.0)))
        .collect();
    next.sort_unstable();
    next.dedup_by_key(|&mut (q, _)| q);
    for (q, rank) in &mut next {
        if accepting[q.index()] {
            *rank -= *rank % 2;
        }
    }
    if !is_tight(&next, largest) {
        return Vec::new();
    }
    let has = |ranks: &[(StateId, u32)], q: StateId, rank: u32| {
        let at = ranks.binary_search_by_key(&q, |&(p, _)| p);
        at.is_ok_and(|i| ranks[i].1 == rank)
    };
    let (even, mut kept): (u32, Vec<StateId>) = if keeping.is_empty() {
        let even = (even + 2) % (largest + 1);
        (even, next.iter().map(|&(q, _)| q).collect())
    } else {
        let kept = enabled.iter().filter(|e| {
            keeping
                .binary_search(&StateId::new(e.marks.0 as usize))
                .is_ok()
        });
        (even, kept.map(|e| e.target).collect())
    };
    kept.retain(|&q| has(&next, q, even));
    kept.sort_unstable();
    kept.dedup();
    let mut macrostates = Vec::new();
    if even > 0 && !kept.is_empty() {
        let mut lowered = next.clone();
        for (q, rank) in &mut lowered {
            if !accepting[q.index()] && kept.binary_search(q).is_ok() {
                *rank -= 1;
            }
        }
        let still: Vec<StateId> = kept
            .iter()
            .copied()
            .filter(|&q| accepting[q.index()])
            .collect();
        if lowered != next && is_tight(&lowered, largest) {
            macrostates.push(Macrostate::Ranked {
                ranks: lowered,
                keeping: still,
                even,
            });
        }
    }
    macrostates.push(Macrostate::Ranked {
        ranks: next,
        keeping: kept,
        even,
    });
    macrostates
}

/// Whether the largest rank is the given odd one, and each odd number below it occurs.
fn is_tight(ranks: &[(StateId, u32)], largest: u32) -> bool {
    let mut seen = vec![false; largest as usize / 2 + 1];
    for &(_, rank) in ranks {
        if rank % 2 == 1 {
            seen[rank as usize / 2] = true;
        }
    }
    seen.into_iter().all(|seen| seen)
}
