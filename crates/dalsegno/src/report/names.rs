//! States and steps by their names: names for people where a file has them, with the identifier behind.

use std::fmt::Write as _;

use dalsegno_kripke::{GroupId, Model, Step, VarId};

use super::witness::changed;

/// A variable: its identifier, or `name [identifier]`.
fn variable(model: &Model, v: VarId) -> String {
    labelled(model.variable_label(v), &model.variable(v).name)
}

/// A group: its identifier, or `name [identifier]`.
fn group(model: &Model, g: GroupId) -> String {
    labelled(model.group_label(g), model.group(g).name())
}

fn labelled(label: Option<&str>, id: &str) -> String {
    match label {
        Some(label) => format!("{label} [{id}]"),
        None => id.to_owned(),
    }
}

/// The name of a step's transition, and what it changes beyond what the name says.
pub(super) fn step(model: &Model, step: &Step, next: &[u32]) -> (String, String) {
    let name = step
        .group
        .map_or_else(|| "(dead end)".to_owned(), |g| group(model, g));
    let mut changes = String::new();
    for (v, before, after) in changed(&step.state, next) {
        let values = model.values(v);
        let (before, after) = (values.show(before), values.show(after));
        let change = format!("{}: {before} -> {after}", variable(model, v));
        // A transition of a process is called by the locations that it leads from and to.
        if name.split(" / ").any(|part| part == change) {
            continue;
        }
        let separator = if changes.is_empty() { "" } else { ", " };
        let _ = write!(changes, "{separator}{change}");
    }
    (name, changes)
}

/// The values of a state that are not zero, by name.
pub(super) fn nonzero(model: &Model, state: &[u32]) -> Vec<String> {
    let shown = model.variable_ids().zip(state).filter_map(|(v, &value)| {
        let values = model.values(v);
        let shown = values.name(value).is_some() || value != values.zero();
        shown.then(|| format!("{} = {}", variable(model, v), values.show(value)))
    });
    shown.collect()
}

/// The values of a state that are not zero, in a line.
pub(super) fn state(model: &Model, state: &[u32]) -> String {
    let shown = nonzero(model, state);
    if shown.is_empty() {
        "all are 0".to_owned()
    } else {
        shown.join(", ")
    }
}
