//! A testing automaton as an automaton over letters.
//!
//! A testing automaton knows how the word changes, an automaton over letters has to be told where the word is: its
//! states are the pairs (state, letter) that can be reached, and the pair (q, ℓ) reads ℓ. An edge of q with the
//! changeset c leads to the letter ℓ ⊕ c, if the alphabet has it. Of a TA, each pair also reads its letter
//! without moving; a livelock state may leave for a state that reads ℓ for ever and accepts.
//!
//! Words with a letter that is not in the alphabet of the testing automaton are rejected: the result is an automaton
//! over all letters. Cost: states × letters pairs at most.

use rustc_hash::FxHashMap;

use dalsegno_kripke::{Letter, Stop};

use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::edge::{Marks, bytes_of};
use crate::omega::state_id::StateId;
use crate::testing::automaton::{TestingAutomaton, TestingKind};

/// A place of the automaton over letters: a state with the letter to be read, or that letter for ever.
type Pair = (Option<StateId>, Letter);

/// The automaton over letters that accepts the words that `testing` accepts.
///
/// # Errors
/// When the effort runs out.
pub fn over_letters(testing: &TestingAutomaton, effort: &Effort<'_>) -> Result<Automaton, Stop> {
    let n = testing.propositions.len();
    let mut result = Automaton::new(testing.propositions.clone(), testing.acceptance_sets);
    result.guards.begin(effort);
    let mut pairs: Vec<Pair> = Vec::new();
    let mut ids: FxHashMap<Pair, StateId> = FxHashMap::default();
    let mut id_of = |result: &mut Automaton, pairs: &mut Vec<Pair>, pair: Pair| {
        *ids.entry(pair).or_insert_with(|| {
            pairs.push(pair);
            result.add_state(None)
        })
    };
    for &(letter, q) in &testing.initial {
        let id = id_of(&mut result, &mut pairs, (Some(q), letter));
        result.initial.push(id);
    }
    let all = testing.all_marks();
    let mut done = 0;
    while let Some(&(state, letter)) = pairs.get(done) {
        if done.is_multiple_of(1 << 10) {
            let bytes = bytes_of(&result.edges) + 48 * pairs.len() as u64;
            result.guards.hold(bytes);
        }
        let from = StateId::new(done);
        let guard = result.guards.minterm(letter, n)?;
        done += 1;
        let Some(q) = state else {
            result.add_edge(from, guard, all, from)?;
            continue;
        };
        if testing.kind == TestingKind::Ta {
            result.add_edge(from, guard, Marks::NONE, from)?;
            if testing.livelock[q.index()] {
                let target = id_of(&mut result, &mut pairs, (None, letter));
                result.add_edge(from, guard, Marks::NONE, target)?;
            }
        }
        for e in &testing.edges[q.index()] {
            result.guards.spend(1)?;
            let next = Letter(letter.0 ^ e.changes.0);
            if testing.alphabet.binary_search(&next).is_ok() {
                let target = id_of(&mut result, &mut pairs, (Some(e.target), next));
                result.add_edge(from, guard, e.marks, target)?;
            }
        }
    }
    result.guards.end(effort);
    Ok(result)
}
