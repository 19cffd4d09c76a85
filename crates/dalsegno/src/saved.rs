//! Saved witnesses, as `dalsegno.witness/1`: what properties showed, and how that is replayed on a model.
//!
//! A file has an entry per property that showed something: a run, a bad or good prefix, a path to a state, or an
//! explanation. Replaying it needs no search: the property is read anew, the steps are taken one by one, and the property is
//! evaluated by definition.

use dalsegno_kripke::explanation::{End, Explanation, Path, Reason};
use dalsegno_kripke::{Budget, DeadEnds, Model, Step};
use dalsegno_logic::{FormulaId, FormulaStore};
use serde_json::{Value as Json, json};
use thiserror::Error as ThisError;

use crate::answer::{Answer, Evidence, Value};
use crate::asked::{Asked, Logic, Reader, Understood};
use crate::certificate;
use crate::error::Error;
use crate::event::Answered;
use crate::fair::Fair;
use crate::goal::reach;
use crate::problem::Problem;
use crate::question::{AutomatonFile, Question};
use crate::reading::read_hoa;
use crate::report::{
    Witness, WitnessError, explanation_to_json, prefix_to_json, run_to_json, state_from_json,
    step_from_json, witness_from_json,
};
use crate::settings::Settings;

/// The schema of a file of witnesses.
pub const WITNESS_SCHEMA: &str = "dalsegno.witness/1";

/// A file of witnesses, each as [`witness_to_json`] says.
#[must_use]
pub fn witnesses_to_json(model: &str, witnesses: &[Json]) -> Json {
    json!({ "schema": WITNESS_SCHEMA, "model": model, "witnesses": witnesses })
}

/// What an answer shows, as an entry of a file of witnesses; none if it shows nothing.
#[must_use]
pub fn witness_to_json(answered: &Answered<'_>) -> Option<Json> {
    let model = answered.model?;
    let Value::Truth(holds) = answered.answer.value else {
        return None;
    };
    let (kind, witness) = match answered.answer.evidence.as_ref()? {
        Evidence::Run(run) => ("run", run_to_json(model, run)),
        Evidence::Prefix(path) => ("prefix", prefix_to_json(model, path)),
        Evidence::Path(path) => ("path", prefix_to_json(model, path)),
        Evidence::Explanation(explained) => ("explanation", explanation_to_json(model, explained)),
    };
    let (logic, formula) = match (answered.logic?, answered.formula) {
        // The question about a state without successors is the only one with a path and without a formula.
        ("global", "") if kind == "path" => ("reachability", "EF deadlock"),
        ("automaton", _) => ("automaton", ""),
        (_, "") => return None,
        (logic, formula) => (logic, formula),
    };
    let automaton = answered
        .automaton
        .map(|(file, all_runs)| json!({ "hoa": file.to_hoa(), "all_runs": all_runs }));
    let fairness: Vec<String> = answered.fairness.iter().map(Fair::to_string).collect();
    Some(json!({
        "name": answered.name,
        "logic": logic,
        "formula": formula,
        "automaton": automaton,
        "dead_ends": answered.dead_ends.map(|d| d.to_string()),
        "fairness": fairness,
        "verdict": if holds { "holds" } else { "fails" },
        "kind": kind,
        "witness": witness,
    }))
}

/// A witness that was saved.
#[derive(Clone, Debug)]
pub struct Saved {
    asked: Asked,
    formula: String,
    logic: String,
    /// What it should show of the formula.
    holds: bool,
    kind: String,
    witness: Json,
}

/// Why a witness does not show what it should.
#[derive(Clone, PartialEq, Debug, ThisError)]
pub enum ReplayError {
    /// The file is not one of witnesses of this model.
    #[error(transparent)]
    Witness(#[from] WitnessError),
    /// The property has no meaning in this model.
    #[error(transparent)]
    Question(Error),
    /// The steps are not there, or do not show what they should.
    #[error("{0}")]
    Refuted(String),
}

/// A witness that was replayed.
#[derive(Clone, Debug)]
pub struct Replayed {
    name: String,
    understood: Understood,
    fairness: Vec<Fair>,
    answer: Answer,
}

impl Replayed {
    /// The question with its answer and what shows it, as the number `number` of those asked.
    #[must_use]
    pub fn answered<'a>(&'a self, number: usize, model: &'a Model) -> Answered<'a> {
        Answered {
            number,
            name: &self.name,
            formula: &self.understood.formula,
            logic: Some(self.understood.logic),
            dead_ends: self.understood.question.dead_ends(),
            existential: self
                .understood
                .question
                .property()
                .is_some_and(|p| p.existential),
            automaton: None,
            fairness: &self.fairness,
            answer: &self.answer,
            model: Some(model),
        }
    }
}

impl Saved {
    /// The witnesses of a file.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(document: &Json) -> Result<Vec<Saved>, WitnessError> {
        if document["schema"] != WITNESS_SCHEMA {
            return Err(WitnessError::Missing("schema"));
        }
        let list = document["witnesses"].as_array();
        let list = list.ok_or(WitnessError::Missing("witnesses"))?;
        list.iter().map(Self::entry).collect()
    }

    fn entry(entry: &Json) -> Result<Saved, WitnessError> {
        let text = |part: &'static str| {
            let text = entry[part].as_str().map(str::to_owned);
            text.ok_or(WitnessError::Missing(part))
        };
        let dead_ends: Option<DeadEnds> = match &entry["dead_ends"] {
            Json::Null => None,
            Json::String(name) => {
                let parsed = name.parse();
                Some(parsed.map_err(|_| WitnessError::Missing("dead_ends"))?)
            }
            _ => return Err(WitnessError::Missing("dead_ends")),
        };
        let mut fairness: Vec<Fair> = Vec::new();
        for wish in entry["fairness"].as_array().into_iter().flatten() {
            let wish = wish.as_str().and_then(|wish| wish.parse().ok());
            fairness.push(wish.ok_or(WitnessError::Missing("fairness"))?);
        }
        let (logic, formula) = (text("logic")?, text("formula")?);
        let asked = match &logic[..] {
            "automaton" => automaton_from_json(&entry["automaton"])?,
            "reachability" => Asked::formula(Logic::Ctl, &formula),
            name => {
                let logic = name.parse();
                let logic = logic.map_err(|_| WitnessError::Missing("logic"))?;
                Asked::formula(logic, &formula)
            }
        };
        let mut asked = asked.with_dead_ends(dead_ends).with_fairness(&fairness);
        asked.name = text("name")?;
        let holds = match &text("verdict")?[..] {
            "holds" => true,
            "fails" => false,
            _ => return Err(WitnessError::Missing("verdict")),
        };
        Ok(Saved {
            asked,
            formula,
            logic,
            holds,
            kind: text("kind")?,
            witness: entry["witness"].clone(),
        })
    }

    /// What to call it.
    #[must_use]
    pub fn title(&self) -> &str {
        match &self.asked.name[..] {
            "" => &self.formula,
            name => name,
        }
    }

    /// Replays it on a model: its steps are taken, and the property is evaluated by definition.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn replay(&self, problem: &Problem, budget: &Budget) -> Result<Replayed, ReplayError> {
        let mut store = FormulaStore::new();
        let mut understood = self.understand(problem, &mut store, budget)?;
        let model = problem.model();
        let shown = |error: Error| match error {
            Error::Run(error) => ReplayError::Refuted(error.to_string()),
            Error::Explanation(error) => ReplayError::Refuted(error.to_string()),
            error => ReplayError::Question(error),
        };
        let other = || {
            let verb = if self.holds { "holds" } else { "fails" };
            ReplayError::Refuted(format!(
                "this kind of witness ({}) cannot show that it {verb}",
                self.kind
            ))
        };
        let evidence = match (&self.kind[..], &mut understood.question) {
            ("explanation", Question::Branching(property)) => {
                let tree = explanation_from_json(problem, &mut store, &self.witness)?;
                if tree.formula != property.formula
                    || tree.holds != self.holds
                    || !model.initial().contains(&tree.state)
                {
                    return Err(other());
                }
                let explained = certificate::explained(model, &store, property, &tree);
                Evidence::Explanation(Box::new(explained.map_err(shown)?))
            }
            ("run" | "prefix", Question::Linear(property)) => {
                if self.holds != property.existential {
                    return Err(other());
                }
                match witness_from_json(model, &self.witness)? {
                    Witness::Run(run) => Evidence::Run(run),
                    Witness::Beginning(path) if property.dead_ends == DeadEnds::Stutter => {
                        Evidence::Prefix(path)
                    }
                    Witness::Beginning(_) => return Err(other()),
                }
            }
            ("run", Question::Automaton(_)) => match witness_from_json(model, &self.witness)? {
                Witness::Run(run) if !self.holds => Evidence::Run(run),
                _ => return Err(other()),
            },
            ("path", Question::Reach(reach)) => {
                if self.holds != reach.if_reached {
                    return Err(other());
                }
                match witness_from_json(model, &self.witness)? {
                    Witness::Beginning(path) => Evidence::Path(path),
                    Witness::Run(_) => return Err(other()),
                }
            }
            _ => return Err(other()),
        };
        let question = &understood.question;
        certificate::check(model, &store, question, &evidence).map_err(shown)?;
        let truth = certificate::truth(model, &store, question, &evidence);
        let answer = Answer {
            value: Value::Truth(self.holds),
            truth: truth.map(Box::new),
            evidence: Some(evidence),
            ..Answer::unknown(dalsegno_kripke::Stop::Cancelled)
        };
        Ok(Replayed {
            name: self.asked.name.clone(),
            understood,
            fairness: self.asked.fairness.clone(),
            answer,
        })
    }

    /// What the property means in a problem.
    fn understand(
        &self,
        problem: &Problem,
        store: &mut FormulaStore,
        budget: &Budget,
    ) -> Result<Understood, ReplayError> {
        if self.logic == "reachability" {
            let f = problem.parse(store, &self.formula);
            let f = f.map_err(ReplayError::Question)?;
            let atoms = problem.atoms(store, f).map_err(ReplayError::Question)?;
            let found = reach(problem.model(), store, f, atoms);
            let found = found.ok_or(WitnessError::Missing("formula"))?;
            return Ok(Understood {
                question: Question::Reach(found),
                formula: self.formula.clone(),
                logic: "reachability",
            });
        }
        // Who explains a formula of CTL* has not taken it for one of LTL.
        let settings = Settings {
            sample: (self.kind == "explanation").then_some(0),
            ..Settings::default()
        };
        let mut reader = Reader {
            problem,
            store,
            settings: &settings,
            budget,
            read: None,
        };
        reader
            .understand(&self.asked)
            .map_err(ReplayError::Question)
    }
}

/// The question about an automaton that is part of an entry.
fn automaton_from_json(value: &Json) -> Result<Asked, WitnessError> {
    let wrong = || WitnessError::Missing("automaton");
    let text = value["hoa"].as_str().ok_or_else(wrong)?;
    let all_runs = value["all_runs"].as_bool().ok_or_else(wrong)?;
    let mut automata = read_hoa(text).map_err(|_| wrong())?;
    let content = automata.swap_remove(0).document.content;
    let name = String::new();
    Ok(Asked::automaton(AutomatonFile { name, content }, all_runs))
}

/// The first run or path of a file of witnesses; of an explanation, that of the first claim that has one.
pub(crate) fn first_run(model: &Model, document: &Json) -> Result<Witness, WitnessError> {
    let saved = Saved::read(document)?;
    let first = saved.first().ok_or(WitnessError::Missing("witnesses"))?;
    if first.kind != "explanation" {
        return witness_from_json(model, &first.witness);
    }
    let mut claim = &first.witness;
    while claim["path"].is_null() {
        let has_path = |e: &&Json| !e["path"].is_null() || !e["operands"].is_null();
        let operands = claim["operands"].as_array().into_iter().flatten();
        let operand = operands.clone().find(has_path);
        claim = operand.ok_or(WitnessError::Missing("path"))?;
    }
    let path = &claim["path"];
    let mut saved = witness_from_json(model, path)?;
    if let Witness::Beginning(steps) = &mut saved {
        let state = state_from_json(model, &path["end"])?;
        steps.push(Step { state, group: None });
    }
    Ok(saved)
}

/// An explanation, over formulas of the store.
fn explanation_from_json(
    problem: &Problem,
    store: &mut FormulaStore,
    value: &Json,
) -> Result<Explanation<FormulaId>, ReplayError> {
    let model = problem.model();
    let text = value["formula"].as_str();
    let text = text.ok_or(WitnessError::Missing("formula"))?;
    let formula = problem.parse(store, text).map_err(ReplayError::Question)?;
    let holds = value["holds"].as_bool();
    let holds = holds.ok_or(WitnessError::Missing("holds"))?;
    let state = state_from_json(model, &value["state"])?;
    let reason = match value["reason"].as_str() {
        Some("state") => Reason::State,
        Some("all paths") => Reason::AllPaths,
        Some("elsewhere") => Reason::Elsewhere,
        Some("omitted") => Reason::Omitted,
        Some("operands") => {
            let list = value["operands"].as_array();
            let list = list.ok_or(WitnessError::Missing("operands"))?;
            let operand = |operand| explanation_from_json(problem, store, operand);
            Reason::Operands(list.iter().map(operand).collect::<Result<_, _>>()?)
        }
        Some("path") => Reason::Path(path_from_json(problem, store, &value["path"])?),
        _ => return Err(WitnessError::Missing("reason").into()),
    };
    Ok(Explanation {
        formula,
        holds,
        state,
        reason,
    })
}

fn path_from_json(
    problem: &Problem,
    store: &mut FormulaStore,
    value: &Json,
) -> Result<Path<FormulaId>, ReplayError> {
    let model = problem.model();
    let part = |part: &'static str| -> Result<Vec<Step>, WitnessError> {
        let list = value[part].as_array().ok_or(WitnessError::Missing(part))?;
        list.iter()
            .map(|step| step_from_json(model, step))
            .collect()
    };
    let (mut steps, cycle) = (part("stem")?, part("cycle")?);
    let end = match &value["end"] {
        Json::Null => End::Back(steps.len()),
        state => End::Open(state_from_json(model, state)?),
    };
    steps.extend(cycle);
    let mut facts = Vec::new();
    for fact in value["facts"].as_array().into_iter().flatten() {
        let position = fact["position"].as_u64();
        let position = position.ok_or(WitnessError::Missing("position"))?;
        let position = usize::try_from(position);
        let position = position.map_err(|_| WitnessError::Missing("position"))?;
        facts.push((position, explanation_from_json(problem, store, fact)?));
    }
    Ok(Path { steps, end, facts })
}
