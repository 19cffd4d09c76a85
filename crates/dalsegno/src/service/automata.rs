//! `translate` and `compare`: formulas and their languages.

use dalsegno_automata::names::Names;
use dalsegno_automata::observer::Kind;
use dalsegno_kripke::Budget;
use dalsegno_logic::{FormulaStore, parse};
use serde_json::{Value, json};

use super::fault::Fault;
use super::request;
use crate::language::{Language, Languages};
use crate::output::Format;
use crate::picture;
use crate::report::word_to_json;
use crate::translation::{Options, translate};

/// The automata of a formula, one of each kind that it has.
pub(super) fn translated(wanted: &request::Translate, budget: &Budget) -> Result<Value, Fault> {
    let text = &wanted.formula;
    let mut store = FormulaStore::new();
    let formula = parse(&mut store, text).map_err(|error| Fault::of_formula(text, &error))?;
    let mut automata = Vec::new();
    for kind in [Kind::Tgba, Kind::Ba, Kind::Ta, Kind::Tgta] {
        let options = Options {
            kind,
            ..Options::default()
        };
        automata.push(match translate(&mut store, formula, &options, budget) {
            Ok(made) => {
                let mut hoa = Vec::new();
                let written = made.write(&store, text, Format::Hoa, &mut hoa);
                written.map_err(|error| Fault::new(error.to_string()))?;
                // An automaton that is too large for a picture is told all the same.
                let picture = picture::content(&made.automaton, &Names::new(text)).ok();
                let sizes = made.sizes();
                json!({
                    "kind": kind.name(),
                    "sizes": {
                        "propositions": sizes.propositions,
                        "states": sizes.states,
                        "edges": sizes.edges,
                        "transitions": sizes.transitions,
                        "acceptance_sets": sizes.acceptance_sets,
                        "deterministic": sizes.deterministic,
                    },
                    "stutter_invariant": made.stutter_invariant,
                    "seconds": made.time.as_secs_f64(),
                    "svg": picture.map(|picture| picture.svg),
                    "hoa": String::from_utf8_lossy(&hoa),
                })
            }
            Err(error) => json!({ "kind": kind.name(), "error": error.to_string() }),
        });
    }
    Ok(json!({ "formula": text, "automata": automata }))
}

/// How the languages of two formulas compare, with a word for each that is not in the other.
pub(super) fn compared(wanted: &request::Compare, budget: &Budget) -> Result<Value, Fault> {
    let mut languages = Languages::default();
    let mut read = |text: &str| {
        let language = languages.formula(text);
        language.map_err(|error| Fault::of_formula(text, &error))
    };
    let (left, right) = (read(&wanted.left)?, read(&wanted.right)?);
    let mut only = |a: &Language, b: &Language| match languages.missing(b, a, budget) {
        Ok(word) => Ok((Some(word.is_none()), word, None)),
        Err(error) => match error.stop() {
            Some(stop) => Ok((None, None, Some(stop))),
            None => Err(Fault::new(error.to_string())),
        },
    };
    let (left_included, in_left, left_stop) = only(&left, &right)?;
    let (right_included, in_right, right_stop) = only(&right, &left)?;
    let equivalent = match (left_included, right_included) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    };
    let words = in_left.iter().map(|word| word_to_json(word, &[0], &[1]));
    let words = words.chain(in_right.iter().map(|word| word_to_json(word, &[1], &[0])));
    Ok(json!({
        "equivalent": equivalent,
        "left_included": left_included,
        "right_included": right_included,
        "reason": left_stop.or(right_stop).map(|stop| stop.to_string()),
        "words": words.collect::<Vec<_>>(),
    }))
}
