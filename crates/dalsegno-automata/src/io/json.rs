//! Automata as JSON, schema `dalsegno.automaton/1`.
//!
//! | field | of | meaning |
//! | --- | --- | --- |
//! | `schema` | all | `"dalsegno.automaton/1"` |
//! | `kind` | all | `"ba"`, `"tgba"`, `"ta"` or `"tgta"`; an automaton is a `ba` if it has one acceptance set and the marks are a matter of states |
//! | `name` | all | what the caller calls it, or null |
//! | `propositions` | all | their names; elsewhere they are numbers, positions in this list |
//! | `acceptance_sets` | all | how many there are; marks are numbers below |
//! | `deterministic` | all | whether no word has two runs |
//! | `alphabet` | all | the letters that can occur, a GUARD, or null for all letters |
//! | `initial` | all | for BA and TGBA the states; for TA and TGTA objects with `state` and `letters`, a GUARD |
//! | `states` | all | one object per state, in order |
//!
//! A state has `id`, `name` (or null) and `edges`; in a BA also `accepting`; in a TA also `buchi` and
//! `livelock`. An edge has `target` and `marks`; in a BA or TGBA also `guard`, a GUARD; in a TA or TGTA
//! also `changes`, a list of changesets, each a list of propositions. Edges of testing automata
//! that differ only in their changeset are one object.
//!
//! GUARD is an object with `text`, such as `"a & !b | c"`, and `cubes`, the same as a list of objects
//! with `true` and `false`, the propositions that must hold and those that must not.

use dalsegno_kripke::Letter;
use serde_json::{Value, json};

use crate::bdd::{Bdd, Cube, Manager};
use crate::io::names::{self, Names, set_of_letters};
use crate::omega::automaton::Automaton;
use crate::omega::edge::Marks;
use crate::omega::state_id::StateId;
use crate::testing::automaton::{TestingAutomaton, TestingKind};

/// The name of the schema.
pub const SCHEMA: &str = "dalsegno.automaton/1";

/// An automaton as JSON.
#[must_use]
pub fn automaton_to_json(automaton: &Automaton, names: &Names<'_>) -> Value {
    let mut guards = automaton.guards.clone();
    let propositions = &automaton.propositions;
    let accepting = automaton
        .accepting_states()
        .filter(|_| automaton.acceptance_sets == 1);
    let mut states = Vec::with_capacity(automaton.len());
    for (id, edges) in automaton.edges.iter().enumerate() {
        let edges: Vec<Value> = edges
            .iter()
            .map(|e| {
                json!({
                    "target": e.target.index(),
                    "marks": marks(e.marks),
                    "guard": guard(&mut guards, e.guard, propositions),
                })
            })
            .collect();
        let mut state = json!({ "id": id, "name": names.state(id), "edges": edges });
        if let Some(accepting) = &accepting {
            state["accepting"] = json!(accepting[id]);
        }
        states.push(state);
    }
    let alphabet = match automaton.alphabet {
        Bdd::TRUE => Value::Null,
        letters => guard(&mut guards, letters, propositions),
    };
    json!({
        "schema": SCHEMA,
        "kind": if accepting.is_some() { "ba" } else { "tgba" },
        "name": names.automaton,
        "propositions": propositions,
        "acceptance_sets": automaton.acceptance_sets,
        "deterministic": automaton.is_deterministic(),
        "alphabet": alphabet,
        "initial": automaton.initial.iter().map(|q| q.index()).collect::<Vec<_>>(),
        "states": states,
    })
}

/// A testing automaton as JSON.
#[must_use]
pub fn testing_to_json(automaton: &TestingAutomaton, names: &Names<'_>) -> Value {
    let propositions = &automaton.propositions;
    let n = propositions.len();
    let mut letters = Manager::new();
    let mut guard_of = |set: Vec<Letter>| match set_of_letters(&mut letters, set.iter().copied(), n)
    {
        Ok(Bdd::FALSE) => None,
        Ok(set) => Some(guard(&mut letters, set, propositions)),
        Err(_) => Some(json!({ "text": format!("({} letters)", set.len()), "cubes": null })),
    };
    let is_ta = automaton.kind == TestingKind::Ta;
    let mut initial = Vec::new();
    let mut states = Vec::with_capacity(automaton.len());
    for (id, edges) in automaton.edges.iter().enumerate() {
        let q = StateId::new(id);
        let starting = automaton.initial.iter().filter(|i| i.1 == q).map(|i| i.0);
        if let Some(letters) = guard_of(starting.collect()) {
            initial.push(json!({ "state": id, "letters": letters }));
        }
        let mut edges = edges.clone();
        edges.sort_by_key(|e| (e.target, e.marks, e.changes));
        let edges: Vec<Value> = edges
            .chunk_by(|a, b| (a.target, a.marks) == (b.target, b.marks))
            .map(|group| {
                let changes: Vec<Vec<usize>> =
                    group.iter().map(|e| e.changes.iter().collect()).collect();
                json!({
                    "target": group[0].target.index(),
                    "marks": marks(group[0].marks),
                    "changes": changes,
                })
            })
            .collect();
        let mut state = json!({ "id": id, "name": names.state(id), "edges": edges });
        if is_ta {
            state["buchi"] = json!(automaton.is_buchi(q));
            state["livelock"] = json!(automaton.livelock[id]);
        }
        states.push(state);
    }
    let full = n < 64 && automaton.alphabet.len() == 1 << n;
    let alphabet = if full {
        Value::Null
    } else {
        guard_of(automaton.alphabet.clone())
            .unwrap_or_else(|| json!({ "text": "false", "cubes": [] }))
    };
    json!({
        "schema": SCHEMA,
        "kind": if is_ta { "ta" } else { "tgta" },
        "name": names.automaton,
        "propositions": propositions,
        "acceptance_sets": automaton.acceptance_sets,
        "deterministic": automaton.is_deterministic(),
        "alphabet": alphabet,
        "initial": initial,
        "states": states,
    })
}

fn marks(marks: Marks) -> Vec<u32> {
    marks.iter().collect()
}

fn guard(manager: &mut Manager, guard: Bdd, propositions: &[String]) -> Value {
    let text = names::conjunctions(manager, guard, propositions).join(" | ");
    let to_json = |cube: &Cube| {
        let of_sign =
            |sign: bool| -> Vec<u32> { cube.iter().filter(|l| l.1 == sign).map(|l| l.0).collect() };
        json!({ "true": of_sign(true), "false": of_sign(false) })
    };
    // Null if they are too many; the text then says how many letters there are.
    let cubes = manager.cubes(guard, names::MAX_CUBES);
    let cubes = cubes.map(|cubes| cubes.iter().map(to_json).collect::<Vec<Value>>());
    json!({ "text": text, "cubes": cubes })
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::io::documents;
    use crate::io::hoa::{self, Content};

    fn to_json(text: &str) -> Value {
        let names = Names::new("φ");
        match hoa::read_one(text).unwrap().content {
            Content::Automaton(automaton) => automaton_to_json(&automaton, &names),
            Content::Testing(automaton) => testing_to_json(&automaton, &names),
        }
    }

    #[test]
    fn a_buchi_automaton_has_every_field() {
        let text = r#"HOA: v1 Start: 0 AP: 2 "a" "x<2" Acceptance: 1 Inf(0)
            --BODY-- State: 0 {0} [0&!1] 0 [1] 1 State: 1 --END--"#;
        assert_eq!(
            to_json(text),
            json!({
                "schema": "dalsegno.automaton/1", "kind": "ba", "name": "φ",
                "propositions": ["a", "x<2"], "acceptance_sets": 1, "deterministic": true,
                "alphabet": null, "initial": [0],
                "states": [
                    { "id": 0, "name": null, "accepting": true, "edges": [
                        { "target": 0, "marks": [0], "guard": { "text": "a & !\"x<2\"",
                          "cubes": [{ "true": [0], "false": [1] }] } },
                        { "target": 1, "marks": [0], "guard": { "text": "\"x<2\"",
                          "cubes": [{ "true": [1], "false": [] }] } },
                    ] },
                    { "id": 1, "name": null, "accepting": false, "edges": [] },
                ],
            })
        );
    }

    #[test]
    fn a_testing_automaton_has_changesets() {
        let ta = to_json(documents::TA);
        assert_eq!(ta["kind"], "ta");
        let all = json!({ "text": "a", "cubes": [{ "true": [0], "false": [] }] });
        assert_eq!(ta["initial"][1], json!({ "state": 1, "letters": all }));
        assert_eq!(
            ta["states"][1],
            json!({ "id": 1, "name": null, "buchi": false, "livelock": false,
                    "edges": [{ "target": 0, "marks": [], "changes": [[0]] }] })
        );
        assert_eq!(ta["states"][2]["livelock"], true);
        assert_eq!(
            to_json(documents::TGTA)["states"][0]["edges"][0]["changes"],
            json!([[]])
        );
    }
}
