//! What there is to know of programs and tables: variables, groups of transitions and labels.

use dalsegno_kripke::{Group, Model, VarId};
use dalsegno_models::etf::Label;
use serde::Serialize;

use super::net::Transition;
use super::{Info, Initial, List, ModelKind, Options};

/// A variable of a program or of tables.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct VariableInfo {
    /// Its name, as propositions use it.
    pub name: String,
    /// The first value: a number, or its name.
    pub initial: String,
    /// The least number that it may hold, if its values have no names.
    pub least: Option<i64>,
    /// A number that it never exceeds, if one is known and its values have no names.
    pub most: Option<i64>,
    /// The names of its values, as the locations of a process.
    pub values: Vec<String>,
}

/// A label of states.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LabelInfo {
    /// Its name.
    pub name: String,
    /// The values that some states have.
    pub values: Vec<String>,
}

/// Looks at a model that is no net: a program, or tables with their labels.
pub(super) fn info(model: &Model, labels: Option<&[Label]>, options: &Options) -> Info {
    let kind = match labels {
        Some(_) => ModelKind::Tables,
        None => ModelKind::Program,
    };
    let mut info = Info::new(model.name(), kind, options);
    let first = model.initial().first().map_or(&[][..], Vec::as_slice);
    let value = |v: VarId| first.get(v.index()).copied().unwrap_or(0);
    let name = |v: VarId| model.variable(v).name.as_str();
    let variables = List::of(
        options,
        model.variable_ids(),
        |pattern, &v| {
            let mut values = model.values(v).names().iter();
            pattern.matches(name(v)) || values.any(|value| pattern.matches(value))
        },
        |v| {
            let values = model.values(v);
            let plain = values.names().is_empty();
            let most = model.variable(v).bounds.certain().filter(|_| plain);
            VariableInfo {
                name: name(v).to_owned(),
                initial: values.show(value(v)).to_string(),
                least: plain.then(|| values.number(0)),
                most: most.map(|most| values.number(most)),
                values: values.names().to_vec(),
            }
        },
    );
    let unbounded = |v: &VarId| model.variable(*v).bounds.certain().is_none();
    let unbounded = model.variable_ids().filter(unbounded).count();
    if unbounded > 0 {
        info.difficulties.push(format!(
            "no bound is known for {unbounded} of {} variables",
            variables.total
        ));
    }
    info.variables = Some(variables);
    info.transitions = List::of(
        options,
        model.groups(),
        |pattern, group| pattern.matches(group.name()),
        |group| transition(model, group),
    );
    // A value that has a name is worth telling, whatever its number is.
    let told = |v: &VarId| {
        let values = model.values(*v);
        !values.names().is_empty() || values.number(value(*v)) != 0
    };
    info.initial = List::of(
        options,
        model.variable_ids().filter(told),
        |pattern, &v| pattern.matches(name(v)),
        |v| Initial {
            name: name(v).to_owned(),
            value: model.values(v).show(value(v)).to_string(),
        },
    );
    info.labels = labels.map(|labels| {
        List::of(
            options,
            labels,
            |pattern, label| pattern.matches(&label.name),
            |label| LabelInfo {
                name: label.name.clone(),
                values: label.values.iter().map(|v| v.name.clone()).collect(),
            },
        )
    });
    info
}

fn transition(model: &Model, group: &Group) -> Transition {
    let names = |variables: &[VarId]| -> Vec<String> {
        let name = |v: &VarId| model.variable(*v).name.clone();
        variables.iter().map(name).collect()
    };
    Transition {
        reads: names(group.reads()),
        writes: names(group.writes()),
        ..Transition::named(group.name(), group.name())
    }
}
