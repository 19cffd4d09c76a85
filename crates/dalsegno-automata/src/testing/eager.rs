//! A [`LazyTesting`] automaton, whole: every state against every letter.
//!
//! Exponential in the propositions, as testing automata are; the number of letters is bounded, and every
//! pair of a state and a letter counts as work.

use thiserror::Error;

use dalsegno_kripke::{Letter, Stop};

use crate::effort::Effort;
use crate::omega::edge::Marks;
use crate::omega::state_id::StateId;
use crate::testing::automaton::{TestingAutomaton, TestingEdge, TestingKind};
use crate::testing::lazy::{LazyTesting, TestingState};

/// The largest alphabet that is expanded.
pub const MAX_LETTERS: u64 = 1 << 12;

/// Why there is no eager testing automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// The automaton would be exponential in too many propositions.
    #[error(
        "a testing automaton over {0} letters would be too large (at most {MAX_LETTERS}); \
         observe Boolean subformulas instead of atoms, or compute it lazily"
    )]
    TooManyLetters(u64),
    /// The budget ran out.
    #[error("gave up: {0}")]
    Stopped(#[from] Stop),
}

/// Computes all states and edges.
///
/// # Errors
/// See [`Error`](enum@Error).
pub(crate) fn expand(
    testing: &mut LazyTesting,
    effort: &Effort<'_>,
) -> Result<TestingAutomaton, Error> {
    let budget = effort.budget();
    let count = testing.automaton().letter_count();
    if count > MAX_LETTERS {
        return Err(Error::TooManyLetters(count));
    }
    let alphabet = testing.automaton().letters();
    let kind = testing.kind();
    let mut successors = Vec::new();
    let mut initial: Vec<(Letter, StateId)> = Vec::new();
    for &letter in &alphabet {
        effort.spend(testing.cost(letter))?;
        successors.clear();
        testing.initial(letter, &mut successors);
        initial.extend(successors.iter().map(|&(q, _)| (letter, q)));
    }
    let mut edges: Vec<Vec<TestingEdge>> = Vec::new();
    let mut count_edges = 0u64;
    while edges.len() < testing.len() {
        budget.check_states(testing.len() as u64)?;
        let edge = size_of::<TestingEdge>() as u64;
        budget.check_bytes(testing.bytes() + edge * count_edges)?;
        let state = StateId::new(edges.len());
        let mut out = Vec::new();
        match testing.testing_state(state) {
            TestingState::Livelock { .. } => out.push(TestingEdge {
                changes: Letter(0) ^ Letter(0),
                target: state,
                marks: testing.automaton().all_marks(),
            }),
            TestingState::At { letter, .. } => {
                for &to in &alphabet {
                    effort.spend(testing.cost(to))?;
                    successors.clear();
                    testing.successors(state, letter, to, &mut successors);
                    out.extend(successors.iter().map(|&(target, marks)| TestingEdge {
                        changes: letter ^ to,
                        target,
                        marks,
                    }));
                }
            }
        }
        out.sort_unstable();
        out.dedup();
        count_edges += out.capacity() as u64;
        edges.push(out);
    }
    initial.sort_unstable();
    initial.dedup();
    let livelock = StateId::first(edges.len())
        .map(|q| kind == TestingKind::Ta && testing.is_livelock(q))
        .collect();
    let labels = StateId::first(edges.len())
        .map(|q| match testing.testing_state(q) {
            TestingState::At { q, .. } => testing.automaton().labels[q.index()],
            TestingState::Livelock { .. } => None,
        })
        .collect();
    let mut result = TestingAutomaton {
        kind,
        propositions: testing.automaton().propositions.clone(),
        alphabet,
        initial,
        edges,
        acceptance_sets: testing.automaton().acceptance_sets,
        livelock,
        labels,
        free: testing.stutters_everywhere(),
    };
    if kind == TestingKind::Ta {
        normalize_buchi(&mut result);
    }
    Ok(result)
}

/// Büchi states are marked on all of their edges or none.
fn normalize_buchi(ta: &mut TestingAutomaton) {
    ta.acceptance_sets = 1;
    for edges in &mut ta.edges {
        let buchi = edges.iter().all(|e| e.marks != Marks::NONE);
        for e in edges.iter_mut() {
            e.marks = Marks(u64::from(buchi));
        }
        edges.sort_unstable();
        edges.dedup();
    }
}
