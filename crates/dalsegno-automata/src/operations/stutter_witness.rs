//! Stutter-invariance of a language, with two words that show that it fails.
//!
//! A language is stutter-invariant exactly if the stutter closures of its automaton and of the automaton of its complement have
//! no word in common (`ltl/stutter.rs`, MD15). A common word w is a word that both languages have up to repeated letters.
//! The words that differ from w by stuttering only have a small automaton: a state per letter of w, repetitions merged, with a
//! loop. Its products with the two automata have a word each, and these two are the witness.
//!
//! Cost: the closures square the number of edges, and their product follows.

use dalsegno_kripke::{Letter, Stop, Word};

use crate::effort::Effort;
use crate::ltl::stutter::closure;
use crate::ltl::tableau::Error;
use crate::omega::automaton::Automaton;
use crate::omega::edge::Marks;
use crate::omega::state_id::StateId;

use super::compare::{Language, common_word};
use super::word::NamedWord;

/// Two words that differ by stuttering only, the first in the language and the second not; none if the language is
/// stutter-invariant.
///
/// # Errors
/// When the effort runs out, or there are more than 64 propositions.
pub fn stutter_witness(
    language: &Language,
    effort: &Effort<'_>,
) -> Result<Option<(NamedWord, NamedWord)>, Error> {
    let positive = closure(language.positive.clone(), effort)?;
    let negative = closure(language.negative.clone(), effort)?;
    let Some(common) = common_word(&positive, &negative, effort)? else {
        return Ok(None);
    };
    let pattern = stutterings(&common, effort)?;
    let accepted = common_word(&language.positive, &pattern, effort)?;
    let rejected = common_word(&language.negative, &pattern, effort)?;
    // Both exist, since the common word has a stuttering in both languages.
    Ok(accepted.zip(rejected).map(|(accepted, rejected)| {
        (
            accepted.over(&common.propositions),
            rejected.over(&common.propositions),
        )
    }))
}

/// The automaton of all words that differ from a word by stuttering only.
///
/// # Errors
/// When the effort runs out.
pub fn stutterings(word: &NamedWord, effort: &Effort<'_>) -> Result<Automaton, Stop> {
    let letters = without_repetitions(&word.word);
    let n = word.propositions.len();
    let mut result = Automaton::new(word.propositions.clone(), 1);
    result.guards.begin(effort);
    for _ in 0..letters.len() {
        result.add_state(None);
    }
    result.initial = vec![StateId::default()];
    let ends = letters.cycle.len() == 1;
    for at in 0..letters.len() {
        let (q, next) = (StateId::new(at), StateId::new(letters.successor(at)));
        let guard = result.guards.minterm(*letters.get(at), n)?;
        // A run has to go on, but at a letter that is the last one.
        let moves = Marks(u64::from(at >= letters.stem.len()));
        if !(ends && next == q) {
            result.add_edge(q, guard, Marks::NONE, q)?;
        }
        result.add_edge(q, guard, moves, next)?;
    }
    result.guards.end(effort);
    Ok(result)
}

/// The word of which each letter differs from the one before it, but for a last one that is repeated for ever.
fn without_repetitions(word: &Word) -> Word {
    let mut stem: Vec<Letter> = word.stem.clone();
    let mut cycle = word.cycle.clone();
    cycle.dedup();
    if cycle.len() > 1 && cycle.first() == cycle.last() {
        // The seam: the last letter of the cycle is the first of its repetition.
        cycle.pop();
    }
    stem.dedup();
    if stem.last() == cycle.first() {
        stem.pop();
    }
    Word::new(stem, cycle)
}
