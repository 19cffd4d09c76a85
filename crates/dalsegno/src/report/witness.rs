//! Runs and paths as JSON, and back.
//!
//! A step is `{"transition", "binding", "state", "changes"}`: the state before the step, its non-zero values
//! only, and what the step changes as `[before, after]`; a transition of null repeats a dead end. A witness with
//! an empty cycle is the beginning of a run, whose last step leads nowhere. The binding of a coloured net's
//! transition is an object of variables and colours, and null in a plain net. Values that have names, as
//! locations of a process, are strings and always there.

use dalsegno_kripke::{Binding, GroupId, Model, Run, Step, VarId};
use serde_json::{Map, Value, json};
use thiserror::Error;

pub(crate) fn changed<'a>(
    state: &'a [u32],
    next: &'a [u32],
) -> impl Iterator<Item = (VarId, u32, u32)> + 'a {
    let pairs = (0..).map(VarId).zip(state.iter().zip(next));
    pairs
        .filter(|(_, (before, after))| before != after)
        .map(|(v, (&before, &after))| (v, before, after))
}

/// A value as the number that it stands for, or its name.
pub(super) fn value_to_json(model: &Model, variable: VarId, value: u32) -> Value {
    let values = model.values(variable);
    match values.name(value) {
        Some(name) => name.into(),
        None => values.number(value).into(),
    }
}

fn value_from_json(model: &Model, variable: VarId, value: &Value) -> Option<u32> {
    let values = model.values(variable);
    match value {
        Value::String(name) => values.named(name),
        number => values.of_number(number.as_i64()?),
    }
}

/// A step with its state, its transition and what that changes.
#[must_use]
pub fn step_to_json(model: &Model, step: &Step, next: &[u32]) -> Value {
    let name = |v: VarId| model.variable(v).name.clone();
    let shown = |v: VarId, value: u32| value_to_json(model, v, value);
    let changes: Map<String, Value> = changed(&step.state, next)
        .map(|(v, before, after)| (name(v), json!([shown(v, before), shown(v, after)])))
        .collect();
    let (transition, binding) = transition_to_json(model, step.group);
    json!({
        "transition": transition,
        "binding": binding,
        "state": state_to_json(model, &step.state),
        "changes": changes,
    })
}

/// A state by the names of its variables, without those that are 0.
#[must_use]
pub fn state_to_json(model: &Model, state: &[u32]) -> Value {
    let values = model.variable_ids().zip(state);
    let values: Map<String, Value> = values
        .map(|(v, &value)| (v, value_to_json(model, v, value)))
        .filter(|(_, value)| *value != 0)
        .map(|(v, value)| (model.variable(v).name.clone(), value))
        .collect();
    Value::Object(values)
}

/// A run as `{"stem": [STEP], "cycle": [STEP]}`.
#[must_use]
pub fn run_to_json(model: &Model, run: &Run) -> Value {
    let step = |position: usize| {
        let next = run.get(run.successor(position));
        step_to_json(model, run.get(position), &next.state)
    };
    let stem: Vec<Value> = (0..run.stem.len()).map(step).collect();
    let cycle: Vec<Value> = (run.stem.len()..run.len()).map(step).collect();
    json!({ "stem": stem, "cycle": cycle })
}

/// The beginning of a run as a stem with an empty cycle.
pub(crate) fn prefix_to_json(model: &Model, path: &[Step]) -> Value {
    let next = |i: usize| path.get(i + 1).unwrap_or(&path[i]);
    let steps = path.iter().enumerate();
    let steps = steps.map(|(i, step)| step_to_json(model, step, &next(i).state));
    json!({ "stem": steps.collect::<Vec<Value>>(), "cycle": [] })
}

/// The name of a transition, and the colours that its variables stand for if the net is coloured.
fn transition_to_json(model: &Model, group: Option<GroupId>) -> (Value, Value) {
    match (group, model.bindings()) {
        (None, _) => (Value::Null, Value::Null),
        (Some(g), None) => (model.group(g).name().into(), Value::Null),
        (Some(g), Some(bindings)) => {
            let binding = bindings.binding(g);
            let colours = binding.colours.into_iter();
            let colours = colours.map(|(variable, colour)| (variable, colour.into()));
            let colours = Value::Object(colours.collect::<Map<String, Value>>());
            (binding.transition.into(), colours)
        }
    }
}

/// What is wrong with a saved run.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum WitnessError {
    /// A part that should be there is not, or is of another type.
    #[error("the witness has no proper `{0}`")]
    Missing(&'static str),
    /// A transition of the model that does not exist.
    #[error("the model has no transition `{0}`")]
    Transition(String),
    /// A variable of the model that does not exist.
    #[error("the model has no place or variable `{0}`")]
    Variable(String),
}

/// A saved witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Witness {
    /// A whole run.
    Run(Run),
    /// The beginning of one.
    Beginning(Vec<Step>),
}

/// A witness from its JSON form.
///
/// # Errors
/// If the value is not a run, or the beginning of one, over the names of this model.
pub fn witness_from_json(model: &Model, value: &Value) -> Result<Witness, WitnessError> {
    let steps = |part: &'static str| -> Result<Vec<Step>, WitnessError> {
        let list = value[part].as_array().ok_or(WitnessError::Missing(part))?;
        list.iter()
            .map(|step| step_from_json(model, step))
            .collect()
    };
    let (stem, cycle) = (steps("stem")?, steps("cycle")?);
    Ok(if cycle.is_empty() {
        Witness::Beginning(stem)
    } else {
        Witness::Run(Run::new(stem, cycle))
    })
}

/// A step from its JSON form; what it changes is not looked at.
pub(crate) fn step_from_json(model: &Model, value: &Value) -> Result<Step, WitnessError> {
    let group: Option<GroupId> = match &value["transition"] {
        Value::Null => None,
        Value::String(name) => {
            let group = match model.bindings() {
                None => model.find_group(name),
                Some(bindings) => bindings.find(&Binding {
                    transition: name.clone(),
                    colours: binding_from_json(&value["binding"])?,
                }),
            };
            Some(group.ok_or_else(|| WitnessError::Transition(name.clone()))?)
        }
        _ => return Err(WitnessError::Missing("transition")),
    };
    let state = state_from_json(model, &value["state"])?;
    Ok(Step { state, group })
}

/// A state by the names of its variables; those that are left out are 0.
pub(crate) fn state_from_json(model: &Model, value: &Value) -> Result<Vec<u32>, WitnessError> {
    let values = value.as_object().ok_or(WitnessError::Missing("state"))?;
    let zeros = model.variable_ids().map(|v| model.values(v).zero());
    let mut state: Vec<u32> = zeros.collect();
    for (name, number) in values {
        let v = model
            .find_variable(name)
            .ok_or_else(|| WitnessError::Variable(name.clone()))?;
        let value = value_from_json(model, v, number);
        state[v.index()] = value.ok_or(WitnessError::Missing("state"))?;
    }
    Ok(state)
}

fn binding_from_json(value: &Value) -> Result<Vec<(String, String)>, WitnessError> {
    let wrong = || WitnessError::Missing("binding");
    let colours = value.as_object().ok_or_else(wrong)?;
    let colour = |(variable, colour): (&String, &Value)| {
        let colour = colour.as_str().ok_or_else(wrong)?;
        Ok((variable.clone(), colour.to_owned()))
    };
    colours.iter().map(colour).collect()
}
