//! What the states of a whole TGTA see.
//!
//! The *mask* of a state is a set of propositions outside of which changes do not matter to it: its edges depend on the visible part of
//! a changeset alone, and it has the masks of all states that it leads to. So a step that changes nothing visible is a stuttering step: it
//! takes the loop, with the marks of the loop. Partial-order reductions need more (`docs/stubborn.md`): every accepted word must have a run in
//! which edges for visible changes alone carry all marks infinitely often, or that stays in a state whose loop carries all
//! marks. Masks are claimed where *every* run has that form, from a state on:
//!
//! - if the automaton is deterministic, and was made with free stuttering for a stutter-invariant language. Let a word be accepted from a state that a
//!   word u leads to. Clear the invisible changes of each step: the run is the same. Remove the steps that change
//!   nothing any more: with u before it, what is left is accepted too, as the language is stutter-invariant, by the only run there is, the
//!   same one without its loops;
//! - if in each component that may accept, an edge for a change carries all marks that the loop of its source has. Then a
//!   run that goes on changing loses no marks with its loops.
//!
//! A run that reaches such a state is accepted or not by what follows, so nothing is asked of the states before it; there
//! all propositions are visible. Nothing is assumed of how the automaton was reduced.
//!
//! Cost: edges times propositions, each with a binary search.

use dalsegno_kripke::Changeset;

use crate::omega::edge::Marks;
use crate::omega::scc::Components;
use crate::omega::state_id::StateId;
use crate::testing::automaton::{TestingAutomaton, TestingEdge, TestingKind};

/// The mask of all propositions.
const ALL: u64 = u64::MAX;

/// The mask of each state; that of all propositions where nothing better is known.
pub(crate) fn masks(t: &TestingAutomaton) -> Vec<u64> {
    let n = t.propositions.len();
    let all_letters = 1_u64.checked_shl(n as u32) == Some(t.alphabet.len() as u64);
    if t.kind != TestingKind::Tgta || !t.free || !all_letters {
        return vec![ALL; t.len()];
    }
    let components = Components::new(t.len(), StateId::first(t.len()), |q, i| {
        t.edges[q.index()].get(i).map(|e| e.target)
    });
    let mut marks = vec![Marks::NONE; components.count];
    for (q, edges) in StateId::all().zip(&t.edges) {
        for e in edges.iter().filter(|e| components.same(q, e.target)) {
            let slot = &mut marks[components.of[q.index()] as usize];
            *slot = slot.union(e.marks);
        }
    }
    let deterministic = t.is_deterministic();
    let keeps_form = |q: StateId| {
        let mut edges = t.edges[q.index()].iter();
        let of = components.of[q.index()] as usize;
        let stays = t.enabled(q, Changeset::EMPTY);
        let stays = stays.first().map_or(Marks::NONE, |e| e.marks);
        deterministic
            || !marks[of].contains(t.all_marks())
            || edges.all(|e| !components.same(q, e.target) || e.marks.contains(stays))
    };
    let mut masks = vec![0; components.count];
    for q in components.bottom_up() {
        let state = StateId::new(q);
        let of = components.of[q] as usize;
        masks[of] |= if t.stutters_freely(state) && keeps_form(state) {
            looked_at(&t.edges[q], n)
        } else {
            ALL
        };
        for e in &t.edges[q] {
            masks[of] |= masks[components.of[e.target.index()] as usize];
        }
    }
    (0..t.len())
        .map(|q| masks[components.of[q] as usize])
        .collect()
}

/// The propositions that make a difference to the edges of a state.
fn looked_at(edges: &[TestingEdge], propositions: usize) -> u64 {
    let matters = |p: usize| {
        edges.iter().any(|e| {
            let changes = Changeset(e.changes.0 ^ 1 << p);
            edges.binary_search(&TestingEdge { changes, ..*e }).is_err()
        })
    };
    (0..propositions)
        .filter(|&p| matters(p))
        .fold(0, |mask, p| mask | 1 << p)
}
