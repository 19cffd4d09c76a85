//! Answers as objects of `dalsegno.check/1`: counts are decimal strings, what is not known is null.

use std::collections::BTreeMap;

use dalsegno_kripke::Model;
use serde_json::{Value as Json, json};

use super::explanation::explanation_to_json;
use super::witness::{prefix_to_json, run_to_json, state_to_json};
use crate::answer::{Answer, Evidence, Merging, Reduction, Value};
use crate::event::Answered;
use crate::fair::Fair;
use crate::method::Tool;
use crate::proof::{Proof, Unproved};

/// All answers as `dalsegno.check/1`, each as [`answer_to_json`] says.
#[must_use]
pub fn check_to_json(model: &str, results: &[&Json]) -> Json {
    json!({ "schema": "dalsegno.check/1", "model": model, "results": results })
}

/// The schema of an error that ends a command.
pub const ERROR_SCHEMA: &str = "dalsegno.error/1";

/// An error that ends a command, as `dalsegno.error/1`.
#[must_use]
pub fn error_to_json(message: &str) -> Json {
    json!({ "schema": ERROR_SCHEMA, "error": message })
}

/// An answer as an object of `dalsegno.check/1`.
#[must_use]
pub fn answer_to_json(answered: &Answered<'_>) -> Json {
    let answer = answered.answer;
    let mut value = outline_to_json(answered);
    let witness = answered
        .model
        .and_then(|model| evidence_to_json(model, answer));
    value["witness"] = witness.into();
    value["truth"] = json!(answer.truth);
    let run = answer.automaton_run.as_ref();
    value["automaton_run"] = run.map(|run| run.to_json()).into();
    value
}

/// An answer as an object of `dalsegno.check/1`, without the evidence and what holds along it.
pub(crate) fn outline_to_json(answered: &Answered<'_>) -> Json {
    let answer = answered.answer;
    let cost = &answer.cost;
    let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let (verdict, reason) = verdict(answer);
    let bound = match answer.value {
        Value::Bound(Some(most)) => Some(most.to_string()),
        Value::Bound(None) => Some("+inf".to_owned()),
        _ => None,
    };
    let explored = (cost.explored.passes > 0).then(|| {
        json!({
            "states": cost.explored.states.to_string(),
            "transitions": cost.explored.transitions.to_string(),
            "passes": cost.explored.passes,
            "enabled": cost.explored.enabled.to_string(),
            "fired": cost.explored.fired.to_string(),
        })
    });
    let claims = match &answer.evidence {
        Some(Evidence::Explanation(explained)) => Some(json!({
            "checked": explained.summary.claims - explained.summary.assumed,
            "assumed": explained.summary.assumed,
        })),
        _ => None,
    };
    let satisfying = cost
        .satisfying
        .as_ref()
        .zip(answered.model)
        .map(|(found, model)| {
            let sample = found.sample.iter();
            let sample: Vec<Json> = sample.map(|s| state_to_json(model, s)).collect();
            json!({ "states": found.count, "sample": sample })
        });
    json!({
        "name": answered.name,
        "logic": answered.logic,
        "formula": known(answered.formula),
        "dead_ends": answered.dead_ends.map(|d| d.to_string()),
        "fairness": fairness_to_json(answered),
        "verdict": verdict,
        "bound": bound,
        "reason": reason,
        "engine": answer.by.map(|tool| tool.engine().name()),
        "method": answer.by.map(Tool::name),
        "automaton": cost.automaton.as_ref().map(|a| json!({
            "kind": a.kind.name(),
            "states": a.states,
            "edges": a.edges,
            "transitions": a.transitions,
            "acceptance_sets": a.acceptance_sets,
            "propositions": a.propositions,
        })),
        "reduction": cost.reduction.as_ref().map(reduction_to_json),
        "merging": cost.merging.as_ref().map(merging_to_json),
        "explored": explored,
        "product": cost.product.map(|size| json!({
            "states": size.states.to_string(),
            "transitions": size.transitions.to_string(),
        })),
        "diagrams": cost.diagrams.as_ref().map(|d| json!({
            "order": d.order.to_string(),
            "keys": d.keys,
            "nodes": d.nodes,
            "peak_nodes": d.peak_nodes,
            "build_seconds": d.built.as_secs_f64(),
            "search_seconds": d.search.as_secs_f64(),
            "witness_seconds": d.witness.as_secs_f64(),
            "stuttering_ratio": d.stuttering.map(|share| f64::from(share) / 1e6),
        })),
        "satisfying": satisfying,
        "shortest": answer.evidence.as_ref().map(|_| answer.shortest),
        "certified": answer.shown().is_some(),
        "evidence": answer.shown().unwrap_or("none"),
        "proof": answer.proof.as_deref().map(proof_to_json),
        "unshown": answer.unshown,
        "claims": claims,
        "seconds": answer.by.map(|_| cost.time.as_secs_f64()),
        "peak_bytes": answer.by.map(|_| cost.bytes),
    })
}

fn reduction_to_json(reduction: &Reduction) -> Json {
    let rules = reduction.rules.iter();
    let rules: BTreeMap<&str, usize> = rules.map(|(rule, n)| (rule.name(), *n)).collect();
    json!({
        "places": reduction.places.0,
        "places_left": reduction.places.1,
        "transitions": reduction.transitions.0,
        "transitions_left": reduction.transitions.1,
        "rules": rules,
    })
}

fn merging_to_json(merging: &Merging) -> Json {
    json!({
        "places_at_most": merging.places_at_most.to_string(),
        "transitions_at_most": merging.transitions_at_most.to_string(),
        "places": merging.places,
        "transitions": merging.transitions,
    })
}

fn proof_to_json(proof: &Result<Proof, Unproved>) -> Json {
    match proof {
        Ok(proof) => json!({
            "bytes": proof.bytes.len(),
            "checked": proof.how,
            "unfolded": proof.unfolded,
            "make_seconds": proof.time.0.as_secs_f64(),
            "check_seconds": proof.time.1.as_secs_f64(),
            "reason": null,
        }),
        Err(why) => json!({
            "bytes": null,
            "checked": null,
            "unfolded": null,
            "make_seconds": null,
            "check_seconds": null,
            "reason": why.to_string(),
        }),
    }
}

fn fairness_to_json(answered: &Answered<'_>) -> Vec<String> {
    answered.fairness.iter().map(Fair::to_string).collect()
}

fn verdict(answer: &Answer) -> (&'static str, Option<String>) {
    match &answer.value {
        Value::Truth(true) => ("holds", None),
        Value::Truth(false) => ("fails", None),
        Value::Bound(_) => ("bound", None),
        Value::Survey(survey) => match survey.stop() {
            Some(stop) => ("unknown", Some(stop.to_string())),
            None => ("surveyed", None),
        },
        Value::Unknown(stop) => ("unknown", Some(stop.to_string())),
        Value::Error(error) => ("error", Some(error.render())),
    }
}

fn evidence_to_json(model: &Model, answer: &Answer) -> Option<Json> {
    Some(match answer.evidence.as_ref()? {
        Evidence::Run(run) => run_to_json(model, run),
        Evidence::Prefix(path) | Evidence::Path(path) => prefix_to_json(model, path),
        Evidence::Explanation(explained) => explanation_to_json(model, explained),
    })
}
