//! The names of variables and transitions that occur in a report.

use std::collections::BTreeSet;

use dalsegno_kripke::{GroupId, Model, VarId};
use serde_json::{Value as Json, json};

/// The variables and groups that occur.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    variables: BTreeSet<VarId>,
    groups: BTreeSet<GroupId>,
}

impl Names {
    /// A variable occurs: its number.
    pub(super) fn variable(&mut self, v: VarId) -> u32 {
        self.variables.insert(v);
        v.0
    }

    /// A group occurs: its number.
    pub(super) fn group(&mut self, g: GroupId) -> u32 {
        self.groups.insert(g);
        g.0
    }

    /// The variables: number, name, and the name for people if there is another one.
    pub(super) fn variables_to_json(&self, model: &Model) -> Vec<Json> {
        let name = |&v: &VarId| json!({ "id": v.0, "name": model.variable(v).name, "label": model.variable_label(v) });
        self.variables.iter().map(name).collect()
    }

    /// The transitions: number, name, the name for people if there is another one, and the colours that variables stand for if
    /// the net is coloured.
    pub(super) fn transitions_to_json(&self, model: &Model) -> Vec<Json> {
        let name = |&g: &GroupId| {
            let binding = model.bindings().map(|bindings| bindings.binding(g));
            let (name, colours) = match binding {
                None => (model.group(g).name().to_owned(), Json::Null),
                Some(binding) => {
                    let colours = binding.colours.into_iter();
                    let colours = colours.map(|(variable, colour)| json!([variable, colour]));
                    (binding.transition, colours.collect())
                }
            };
            json!({ "id": g.0, "name": name, "label": model.group_label(g), "binding": colours })
        };
        self.groups.iter().map(name).collect()
    }
}
