//! States from which every word is accepted.
//!
//! A state is taken for universal if on each letter it has an edge with all marks to a universal state: the
//! greatest such set. That is enough, not necessary; reduced automata have one such state, a loop.
//! A model that brings the automaton of a negation there has violated the property, whatever comes next.
//!
//! Cost: at most states × edges operations on guards; for testing automata states × letters². Where that
//! is much, no state is taken for universal.

use std::collections::BTreeSet;

use dalsegno_kripke::{Budget, Letter, Stop};

use crate::bdd::Bdd;
use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::scc_filter::SccInfo;
use crate::omega::state_id::StateId;
use crate::testing::automaton::{TestingAutomaton, TestingKind};

/// The steps that may go into the search for universal states.
const EFFORT: u64 = 1 << 24;

/// The states of an automaton over letters that are seen to be universal.
#[must_use]
pub(crate) fn universal_states(automaton: &Automaton) -> Vec<bool> {
    let budget = Budget::unlimited();
    let effort = Effort::new(&budget, EFFORT);
    let states = greatest(automaton, &effort);
    states.unwrap_or_else(|_| vec![false; automaton.len()])
}

/// The universal states of an automaton that accepts by coming to one of them and in no other way, as far as that is
/// seen; `None` of another one. It is then the automaton of a guarantee: the words that it accepts have a beginning that
/// decides.
#[must_use]
pub fn terminal_states(automaton: &Automaton) -> Option<Vec<bool>> {
    let universal = universal_states(automaton);
    let info = SccInfo::new(automaton);
    let mut reached = info.components.of.iter().zip(&universal);
    reached
        .all(|(&c, &universal)| c == u32::MAX || universal || !info.accepting[c as usize])
        .then_some(universal)
}

fn greatest(automaton: &Automaton, effort: &Effort<'_>) -> Result<Vec<bool>, Stop> {
    let all = automaton.all_marks();
    let mut guards = automaton.guards.clone();
    guards.begin(effort);
    let mut universal = vec![true; automaton.len()];
    loop {
        let mut changed = false;
        for q in 0..automaton.len() {
            if !universal[q] {
                continue;
            }
            guards.spend(1 + automaton.edges[q].len() as u64)?;
            let mut good = automaton.edges[q]
                .iter()
                .filter(|e| e.marks.contains(all) && universal[e.target.index()]);
            let read = good.try_fold(Bdd::FALSE, |read, e| guards.or(read, e.guard))?;
            if !guards.implies(automaton.alphabet, read)? {
                universal[q] = false;
                changed = true;
            }
        }
        if !changed {
            return Ok(universal);
        }
    }
}

/// The states of a TGTA that are seen to be universal, with every letter that they can be in; none of a TA.
#[must_use]
pub(crate) fn universal_testing_states(testing: &TestingAutomaton) -> Vec<bool> {
    let none = || vec![false; testing.len()];
    if testing.kind == TestingKind::Ta {
        return none();
    }
    decided_testing_states(testing)
}

/// The states of a TGTA or a TA that are seen to be universal, with every letter that they can be in. In a TA, such a state
/// is a livelock state: the word may stutter for ever.
#[must_use]
pub(crate) fn decided_testing_states(testing: &TestingAutomaton) -> Vec<bool> {
    let budget = Budget::unlimited();
    let effort = Effort::new(&budget, EFFORT);
    let states = greatest_testing(testing, &effort);
    states.unwrap_or_else(|_| vec![false; testing.len()])
}

fn greatest_testing(testing: &TestingAutomaton, effort: &Effort<'_>) -> Result<Vec<bool>, Stop> {
    let all = testing.all_marks();
    let pairs = pairs(testing, effort)?;
    let mut universal = pairs.clone();
    loop {
        effort.spend(universal.len() as u64)?;
        let stays = |&(q, from): &(StateId, Letter)| {
            testing.alphabet.iter().all(|&to| {
                if testing.kind == TestingKind::Ta && from == to {
                    return testing.livelock[q.index()];
                }
                let mut edges = testing.enabled(q, from ^ to).iter();
                edges.any(|e| e.marks.contains(all) && universal.contains(&(e.target, to)))
            })
        };
        let smaller: BTreeSet<_> = universal.iter().copied().filter(stays).collect();
        if smaller.len() == universal.len() {
            break;
        }
        universal = smaller;
    }
    let mut states = vec![true; testing.len()];
    for &(q, _) in pairs.difference(&universal) {
        states[q.index()] = false;
    }
    Ok(states)
}

/// The reachable pairs of a state and the letter that the word is at.
fn pairs(
    testing: &TestingAutomaton,
    effort: &Effort<'_>,
) -> Result<BTreeSet<(StateId, Letter)>, Stop> {
    let mut pairs: BTreeSet<(StateId, Letter)> = BTreeSet::new();
    let mut open: Vec<(StateId, Letter)> = testing.initial.iter().map(|&(l, q)| (q, l)).collect();
    while let Some((q, from)) = open.pop() {
        if pairs.insert((q, from)) {
            effort.spend(testing.alphabet.len() as u64)?;
            for &to in &testing.alphabet {
                let edges = testing.enabled(q, from ^ to).iter();
                open.extend(edges.map(|e| (e.target, to)));
            }
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use dalsegno_kripke::Budget;
    use dalsegno_logic::{FormulaStore, parse};

    use super::*;
    use crate::ltl::translation::Translation;

    /// How many states of the TGBA and of the TGTA are universal.
    fn count(formula: &str) -> (usize, usize) {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, formula).unwrap();
        let budget = Budget::unlimited();
        let mut translation = Translation::new(&mut store, f, &budget);
        translation.is_stutter_invariant().unwrap();
        let tgba = translation.tgba().unwrap();
        let tgta = translation.tgta().unwrap();
        let number = |states: Vec<bool>| states.into_iter().filter(|&u| u).count();
        (
            number(universal_states(&tgba)),
            number(universal_testing_states(&tgta)),
        )
    }

    #[test]
    fn guarantees_end_in_a_universal_state() {
        for formula in ["F a", "a U b", "F(a & X b)", "X X a", "F a & F b"] {
            let (letters, changes) = count(formula);
            assert!(letters >= 1, "{formula}: {letters}");
            assert!(changes >= 1, "{formula}: {changes}");
        }
    }

    #[test]
    fn what_depends_on_the_future_does_not() {
        for formula in ["G a", "G F a", "F G a", "a W b & F G a"] {
            assert_eq!(count(formula), (0, 0), "{formula}");
        }
    }
}
