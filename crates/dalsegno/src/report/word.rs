//! Words as objects of `dalsegno.automata/1`.

use dalsegno_automata::operations::word::NamedWord;
use dalsegno_kripke::Letter;
use serde_json::{Value, json};

/// A word, and which of the operands accept it and which reject it, by their numbers.
#[must_use]
pub fn word_to_json(word: &NamedWord, accepted: &[usize], rejected: &[usize]) -> Value {
    let letter = |l: &Letter| -> Vec<&String> {
        let names = word.propositions.iter().enumerate();
        names
            .filter(|(i, _)| l.holds(*i))
            .map(|(_, name)| name)
            .collect()
    };
    let letters = |part: &[Letter]| {
        part.iter()
            .map(letter)
            .map(|l| json!(l))
            .collect::<Vec<Value>>()
    };
    json!({
        "text": word.to_string(),
        "propositions": word.propositions,
        "stem": letters(&word.word.stem),
        "cycle": letters(&word.word.cycle),
        "accepted_by": accepted,
        "rejected_by": rejected,
    })
}
