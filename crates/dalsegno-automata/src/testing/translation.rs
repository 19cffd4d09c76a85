//! From a formula to testing automata, eager and lazy.
//!
//! A TA is made from the smallest BA. A TGTA of an obligation is made from its minimal deterministic automaton, whose
//! states show which of them stutter freely; of any other formula it is made directly (`direct.rs`), unless a TGBA unfolds to fewer
//! states. A TGTA that is computed on demand comes from a TGBA: the smallest one if the formula is stutter-invariant, otherwise one whose states know their formulas, so
//! that the states with a stutter-invariant language are found and their parts can stutter freely.
//!
//! Automata that are made whole have an edge for every change. Only those made on demand leave out changes that a state does not see; what the states
//! of the others do not see is found in them (`masks.rs`).
//!
//! The automaton and its plain testing automaton must be made; other testing automata, reductions and the question which
//! states are stutter-invariant are optional work with an effort.

use rustc_hash::FxHashMap;
use thiserror::Error;

use dalsegno_kripke::{Budget, Letter, Stop};

use crate::bdd::Bdd;
use crate::effort::Effort;
use crate::ltl::tableau;
use crate::ltl::translation::{Base, Translation};
use crate::omega::state_id::StateId;
use crate::testing::automaton::{TestingAutomaton, TestingEdge, TestingKind};
use crate::testing::direct::direct;
use crate::testing::eager::{self, MAX_LETTERS, expand};
use crate::testing::lazy::{LazyTesting, TestingState};
use crate::testing::reductions::{bisimulation, dominating, reduce};

/// The steps that go into making one testing automaton smaller.
const EFFORT: u64 = 1 << 26;

/// Why a formula has no testing automaton here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// TA are for stutter-invariant formulas.
    #[error("the formula is not stutter-invariant: it has no TA; a TGTA, TGBA or BA will do")]
    NotStutterInvariant,
    /// The formula has no automaton at all.
    #[error(transparent)]
    Translation(#[from] tableau::Error),
    /// The testing automaton is too large.
    #[error(transparent)]
    Eager(#[from] eager::Error),
}

impl Error {
    /// What ran out, if the formula was given up for that.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        match *self {
            Error::Translation(tableau::Error::Stopped(stop))
            | Error::Eager(eager::Error::Stopped(stop)) => Some(stop),
            _ => None,
        }
    }
}

impl From<Stop> for Error {
    fn from(stop: Stop) -> Self {
        Error::Translation(tableau::Error::Stopped(stop))
    }
}

impl Translation<'_> {
    /// A small TA.
    ///
    /// # Errors
    /// If the formula is not stutter-invariant; see [`Error`](enum@Error).
    pub fn ta(&mut self) -> Result<TestingAutomaton, Error> {
        if !self.is_stutter_invariant()? {
            return Err(Error::NotStutterInvariant);
        }
        let ba = self.buchi_base()?;
        let free = vec![Bdd::TRUE; ba.len()];
        let lazy = || LazyTesting::new(ba.clone(), TestingKind::Ta, free.clone());
        smallest(lazy, self.budget())
    }

    /// A small TGTA.
    ///
    /// # Errors
    /// See [`Error`](enum@Error).
    pub fn tgta(&mut self) -> Result<TestingAutomaton, Error> {
        let budget = self.budget();
        let minimal = self.is_minimal()?;
        let Base { tgba, free, .. } = self.base()?.clone();
        let lazy = || LazyTesting::new(tgba.clone(), TestingKind::Tgta, free.clone());
        if !minimal {
            let unfolded = expand(&mut lazy(), &Effort::unlimited(budget))?;
            let effort = Effort::new(budget, EFFORT);
            if let Some(direct) = self.direct(bisimulation(unfolded, &effort).len(), &effort) {
                return Ok(direct);
            }
        }
        smallest(lazy, budget)
    }

    /// The smaller one of the two TGTA that the direct construction makes, if the plain one, with bisimilar states merged,
    /// has at most so many states, and the effort suffices.
    fn direct(&mut self, most: usize, effort: &Effort<'_>) -> Option<TestingAutomaton> {
        let (store, subject) = self.subject(MAX_LETTERS, effort).ok()?;
        let subject = subject.ok()?;
        let bound = 16 + 4 * most;
        let plain = direct(store, &subject, false, bound, effort).ok()?;
        if bisimulation(plain.clone(), effort).len() > most {
            return None;
        }
        let saturated = direct(store, &subject, true, bound, effort).ok();
        let saturated = saturated.filter(|other| *other != plain);
        let best = reduce(plain, effort);
        let Some(other) = saturated.map(|other| reduce(other, effort)) else {
            return Some(best);
        };
        let size = |t: &TestingAutomaton| (t.len(), t.edge_count());
        Some(if size(&other) < size(&best) {
            other
        } else {
            best
        })
    }

    /// A TGTA that is computed on demand.
    ///
    /// # Errors
    /// See [`Error`](enum@Error).
    pub fn lazy_tgta(&mut self) -> Result<LazyTesting, Error> {
        let base = self.base()?.clone();
        let lazy = LazyTesting::new(base.tgba, TestingKind::Tgta, base.free);
        Ok(lazy.with_masks(&base.invariant))
    }
}

/// The smallest of three testing automata, reduced: the plain one, the saturated one, and the one that
/// enters only states that no state reachable by stuttering simulates.
fn smallest(lazy: impl Fn() -> LazyTesting, budget: &Budget) -> Result<TestingAutomaton, Error> {
    let effort = Effort::new(budget, EFFORT);
    let mut plain = lazy();
    let expanded = expand(&mut plain, &Effort::unlimited(budget))?;
    if !plain.stutters() {
        return Ok(reduce(expanded, &effort));
    }
    let jumps = jumps(&plain, &expanded, &effort).unwrap_or_default();
    let mut others = vec![expand(&mut lazy().saturated(), &effort)];
    if !jumps.is_empty() {
        others.push(expand(&mut lazy().jumping(jumps), &effort));
    }
    let others = others.into_iter().flatten();
    let others: Vec<TestingAutomaton> = others.filter(|o| *o != expanded).collect();
    let mut best = reduce(expanded, &effort);
    for other in others {
        let other = reduce(other, &effort);
        if (other.len(), other.edge_count()) < (best.len(), best.edge_count()) {
            best = other;
        }
    }
    Ok(best)
}

/// For each state and letter of a testing automaton, the state to enter instead.
fn jumps(
    lazy: &LazyTesting,
    testing: &TestingAutomaton,
    effort: &Effort<'_>,
) -> Result<FxHashMap<(StateId, Letter), StateId>, Stop> {
    let alternatives = |state: StateId| -> Vec<StateId> {
        let TestingState::At { q, letter, stutter } = lazy.testing_state(state) else {
            return Vec::new();
        };
        if !stutter {
            return Vec::new();
        }
        lazy.stuttering_successors(q, letter)
            .into_iter()
            .filter_map(|q| {
                let letter = lazy.observed(q, letter);
                lazy.find(TestingState::At { q, letter, stutter })
            })
            .collect()
    };
    let better = dominating(testing, alternatives, effort)?;
    Ok(better
        .into_iter()
        .filter_map(
            |(from, to)| match (lazy.testing_state(from), lazy.testing_state(to)) {
                (TestingState::At { q, letter, .. }, TestingState::At { q: p, .. }) => {
                    Some(((q, letter), p))
                }
                _ => None,
            },
        )
        .collect())
}

/// The single-pass TA: an artificial livelock state without successors takes over the livelock
/// acceptance of the states that are not Büchi states, so that a livelock-accepting cycle is always
/// found by the search for Büchi-accepting ones and no second pass is needed.
#[must_use]
pub fn single_pass(mut ta: TestingAutomaton) -> TestingAutomaton {
    let moved: Vec<bool> = StateId::first(ta.len())
        .map(|q| ta.livelock[q.index()] && !ta.is_buchi(q) && !ta.edges[q.index()].is_empty())
        .collect();
    if !moved.contains(&true) {
        return ta;
    }
    let sink = StateId::new(ta.len());
    for edges in &mut ta.edges {
        let extra: Vec<TestingEdge> = edges
            .iter()
            .filter(|e| moved[e.target.index()])
            .map(|e| TestingEdge { target: sink, ..*e })
            .collect();
        edges.extend(extra);
        edges.sort_unstable();
        edges.dedup();
    }
    let extra: Vec<_> = ta
        .initial
        .iter()
        .filter(|&&(_, q)| moved[q.index()])
        .map(|&(letter, _)| (letter, sink))
        .collect();
    ta.initial.extend(extra);
    ta.initial.sort_unstable();
    ta.initial.dedup();
    for (livelock, moved) in ta.livelock.iter_mut().zip(moved) {
        *livelock &= !moved;
    }
    ta.edges.push(Vec::new());
    ta.livelock.push(true);
    ta.labels.push(None);
    ta
}
