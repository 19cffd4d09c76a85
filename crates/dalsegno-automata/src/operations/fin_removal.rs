//! Any acceptance condition becomes generalised Büchi, by removal of `Fin`.
//!
//! A run satisfies a disjunction of terms if it satisfies one of them. For each term there is a copy of the automaton without the
//! edges that the term wants finitely often; a run guesses when they are over and moves from the automaton itself, where
//! nothing is accepting, into the copy, where the sets that the term wants infinitely often are the acceptance sets. If one term has no
//! `Fin`, its copy and the automaton itself are one. The copies are pruned, so that of each only the components stay
//! in which the term can be satisfied.
//!
//! This is the usual construction for Rabin automata (S. Krishnan, A. Puri and R. Brayton, "Deterministic ω-automata vis-a-vis
//! deterministic Büchi automata", ISAAC 1994), for a condition in disjunctive normal form. Cost: states × (terms + 1).

use dalsegno_kripke::Stop;

use crate::bdd::Bdd;
use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::edge::{Edge, MAX_ACCEPTANCE_SETS, Marks, bytes_of};
use crate::omega::scc_filter::SccInfo;
use crate::omega::state_id::StateId;

use super::acceptance::Term;

/// Why a condition was not removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// A term speaks of too many sets.
    #[error("more than {MAX_ACCEPTANCE_SETS} sets have to be visited infinitely often")]
    TooManySets,
    /// The budget ran out.
    #[error("gave up: {0}")]
    Stopped(#[from] Stop),
}

/// The generalised Büchi automaton of the runs that satisfy one of the terms, and the state of `automaton` that each state
/// of it comes from. The marks of `automaton` are the sets that terms speak of.
///
/// # Errors
/// If a term speaks of too many sets, or the effort runs out.
pub fn remove_fin(
    automaton: &Automaton,
    terms: &[Term],
    effort: &Effort<'_>,
) -> Result<(Automaton, Vec<StateId>), Error> {
    let n = automaton.len();
    let sets = terms.iter().map(|t| t.inf.count_ones()).max().unwrap_or(0);
    if sets > MAX_ACCEPTANCE_SETS {
        return Err(Error::TooManySets);
    }
    // The term that the automaton itself is the copy of; then the others.
    let main = terms.iter().position(|t| t.fin == 0);
    let mut order: Vec<Term> = main.map(|at| terms[at]).into_iter().collect();
    let others = terms.iter().enumerate().filter(|(i, _)| Some(*i) != main);
    order.extend(others.map(|(_, t)| *t));
    // Without a set, the automaton itself could not reject.
    let sets = if main.is_none() { sets.max(1) } else { sets };
    let mut result = Automaton::new(automaton.propositions.clone(), sets);
    result.guards = automaton.guards.clone();
    result.guards.begin(effort);
    result.alphabet = automaton.alphabet;
    let first = usize::from(main.is_some());
    let copies = 1 + order.len() - first;
    let mut origin = Vec::new();
    for _ in 0..copies {
        result.guards.spend(1 + n as u64)?;
        for q in StateId::first(n) {
            result.add_state(None);
            origin.push(q);
        }
        result
            .guards
            .hold(bytes_of(&result.edges) + 4 * origin.len() as u64);
    }
    for copy in 0..copies {
        let shift = |q: StateId| q.after(copy * n);
        result
            .initial
            .extend(automaton.initial.iter().map(|&q| shift(q)));
    }
    for (q, edges) in StateId::all().zip(&automaton.edges) {
        for e in edges {
            result.guards.spend(1 + copies as u64)?;
            let here = match main {
                Some(_) => marks_of(order[0], e, sets),
                None => Marks::NONE,
            };
            result.add_edge(q, e.guard, here, e.target)?;
            for copy in 1..copies {
                let term = order[copy - 1 + first];
                if visited(e) & term.fin != 0 || e.guard == Bdd::FALSE {
                    continue;
                }
                let shift = copy * n;
                let marks = marks_of(term, e, sets);
                result.add_edge(q.after(shift), e.guard, marks, e.target.after(shift))?;
            }
            // A run moves into a copy once; which edge takes it there does not matter.
            for copy in 1..copies {
                let shift = copy * n;
                result.add_edge(q, e.guard, Marks::NONE, e.target.after(shift))?;
            }
        }
    }
    let (result, origin) = useful_part(result, &origin)?;
    Ok((ended(result, effort), origin))
}

fn ended(mut result: Automaton, effort: &Effort<'_>) -> Automaton {
    result.guards.end(effort);
    result
}

/// The states from which some word is accepted; one initial state if there is none.
fn useful_part(
    mut automaton: Automaton,
    origin: &[StateId],
) -> Result<(Automaton, Vec<StateId>), Stop> {
    let mut useful = SccInfo::new(&automaton).useful(&automaton);
    if let (Some(&q), true) = (
        automaton.initial.first(),
        automaton.initial.iter().all(|&q| !useful[q.index()]),
    ) {
        useful[q.index()] = true;
    }
    let edges = std::mem::take(&mut automaton.edges);
    let mut result = automaton;
    result.labels.clear();
    let mut id = vec![StateId::NONE; useful.len()];
    let mut kept = Vec::new();
    for (q, _) in useful.iter().enumerate().filter(|(_, useful)| **useful) {
        id[q] = result.add_state(None);
        kept.push(origin[q]);
    }
    result.initial.retain(|&q| useful[q.index()]);
    for q in &mut result.initial {
        *q = id[q.index()];
    }
    for (q, edges) in edges.into_iter().enumerate().filter(|(q, _)| useful[*q]) {
        for e in edges.iter().filter(|e| useful[e.target.index()]) {
            result.add_edge(id[q], e.guard, e.marks, id[e.target.index()])?;
        }
    }
    Ok((result, kept))
}

/// The sets that an edge is in and, in the upper half, those that it is outside of.
fn visited(e: &Edge) -> u128 {
    u128::from(e.marks.0) | u128::from(!e.marks.0) << 64
}

/// The acceptance sets of an edge in the copy of a term; those that the term does not need are on all edges.
fn marks_of(term: Term, e: &Edge, sets: u32) -> Marks {
    let wanted = (0..128).filter(|i| term.inf >> i & 1 == 1);
    let mut marks = Marks(Marks::all(sets).0 & !Marks::all(term.inf.count_ones()).0);
    for (new, old) in (0..).zip(wanted) {
        if visited(e) >> old & 1 == 1 {
            marks.0 |= 1 << new;
        }
    }
    marks
}
