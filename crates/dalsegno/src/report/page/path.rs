//! Paths of a report: a first state, and what each step changes, enables and disables.

use dalsegno_kripke::{GroupId, Model, Step, VarId};
use serde_json::{Value as Json, json};

use super::super::witness::{changed, value_to_json};
use super::automata;
use super::names::Names;
use super::picture::Touched;
use crate::automaton_run::Along;
use crate::truth::{Subformula, Truth};

/// States of a path that are shown whatever there is room for.
const LEAST_STATES: usize = 200;

/// Which groups must be looked at again when a variable has changed.
#[derive(Debug)]
pub(super) struct Index(Vec<Vec<GroupId>>);

impl Index {
    pub(super) fn new(model: &Model) -> Self {
        let mut groups = vec![Vec::new(); model.variables().len()];
        for g in model.group_ids() {
            for v in model.group(g).guard() {
                groups[v.index()].push(g);
            }
        }
        Index(groups)
    }
}

/// A formula with its values along a path.
pub(super) struct Row<'a> {
    role: &'static str,
    formula: &'a Subformula,
}

impl<'a> Row<'a> {
    /// Atoms, other subformulas, and the property itself, which is the last one.
    pub(super) fn of_truth(truth: &'a Truth) -> Vec<Self> {
        let mut rows = Self::of_atoms(&truth.atoms);
        let subformulas = truth.subformulas.iter().map(|formula| Row {
            role: "subformula",
            formula,
        });
        rows.extend(subformulas);
        if let Some(last) = rows.last_mut().filter(|_| !truth.subformulas.is_empty()) {
            last.role = "property";
        }
        rows
    }

    /// Atoms alone.
    pub(super) fn of_atoms(atoms: &'a [Subformula]) -> Vec<Self> {
        let atom = |formula| Row {
            role: "atom",
            formula,
        };
        atoms.iter().map(atom).collect()
    }

    fn to_json(&self, states: usize) -> Json {
        let sign = |value: &Option<bool>| match value {
            Some(true) => '1',
            Some(false) => '0',
            None => '?',
        };
        let values: String = self.formula.values.iter().take(states).map(sign).collect();
        json!({ "formula": self.formula.formula, "role": self.role, "values": values })
    }
}

/// The paths of one answer.
pub(super) struct Shown<'a> {
    pub(super) model: &'a Model,
    index: &'a Index,
    names: &'a mut Names,
    /// How much may still be written.
    room: &'a mut usize,
    pub(super) touched: Touched,
    pub(super) paths: Vec<Json>,
}

impl<'a> Shown<'a> {
    pub(super) fn new(
        model: &'a Model,
        index: &'a Index,
        names: &'a mut Names,
        room: &'a mut usize,
    ) -> Self {
        Shown {
            model,
            index,
            names,
            room,
            touched: Touched::default(),
            paths: Vec::new(),
        }
    }

    /// Adds a path: its steps, and the state after the last one, or the position that comes after it. The number of the path.
    pub(super) fn add(
        &mut self,
        steps: &[&Step],
        end: Option<&[u32]>,
        cycle: Option<usize>,
        rows: &[Row<'_>],
        automata: &[Along],
    ) -> usize {
        let states = steps.len() + usize::from(end.is_some());
        let state = |position: usize| match steps.get(position) {
            Some(step) => Some(&step.state[..]),
            None if position == steps.len() => end,
            None => None,
        };
        let first = state(0).unwrap_or(&[]);
        let mut enabled = Enabled::new(self.model, first);
        let begin = self.values(first);
        let enabled_first = self.groups(&enabled.groups());
        let mut taken: Vec<Json> = Vec::new();
        let mut switched: Vec<Json> = Vec::new();
        let mut shown = 1;
        for (position, step) in steps.iter().enumerate() {
            let last = position + 1 == states;
            let next = if last {
                cycle.and_then(state)
            } else {
                state(position + 1)
            };
            let Some(next) = next else {
                break;
            };
            taken.push(self.step(step, next));
            if !last {
                let (on, off) = enabled.step(self.model, self.index, &step.state, next);
                switched.push(json!([self.groups(&on), self.groups(&off)]));
                shown += 1;
            }
            self.spend(rows.len() / 8);
            if *self.room == 0 && shown >= LEAST_STATES && !last {
                break;
            }
        }
        let whole = shown == states;
        let rows: Vec<Json> = rows.iter().map(|row| row.to_json(shown)).collect();
        let automata: Vec<Json> = automata
            .iter()
            .map(|along| automata::to_json(along, (!whole).then_some(shown)))
            .collect();
        self.paths.push(json!({
            "states": states,
            "shown": shown,
            "cycle": cycle.filter(|_| whole),
            "from": 0,
            "first": begin,
            "steps": taken,
            "enabled": enabled_first,
            "switched": switched,
            "rows": rows,
            "automata": automata,
        }));
        self.paths.len() - 1
    }

    /// The first state of the last path has a number of its own.
    pub(super) fn begins_at(&mut self, number: usize) {
        if let Some(path) = self.paths.last_mut() {
            path["from"] = number.into();
        }
    }

    /// The first variables of the model have names in the report, whether they occur or not.
    pub(super) fn name_variables(&mut self, most: usize) {
        for v in self.model.variable_ids().take(most) {
            self.names.variable(v);
        }
    }

    fn spend(&mut self, numbers: usize) {
        *self.room = self.room.saturating_sub(numbers);
    }

    /// The values of a state that are not 0, and all that have names.
    fn values(&mut self, state: &[u32]) -> Vec<Json> {
        let mut list = Vec::new();
        for (v, &value) in self.model.variable_ids().zip(state) {
            let value = value_to_json(self.model, v, value);
            if value != 0 {
                list.push(json!([self.names.variable(v), value]));
            }
        }
        self.spend(list.len());
        list
    }

    /// A step: its group, and the values that it changes.
    fn step(&mut self, step: &Step, next: &[u32]) -> Json {
        let mut changes = Vec::new();
        if let Some(g) = step.group {
            self.touched.group(g);
        }
        for (v, before, after) in changed(&step.state, next) {
            self.touched.variable(v);
            let before = value_to_json(self.model, v, before);
            let after = value_to_json(self.model, v, after);
            changes.push(json!([self.names.variable(v), before, after]));
        }
        self.spend(1 + 2 * changes.len());
        let group = step.group.map(|g| self.names.group(g));
        json!([group, changes])
    }

    fn groups(&mut self, groups: &[GroupId]) -> Vec<u32> {
        self.spend(groups.len());
        groups.iter().map(|&g| self.names.group(g)).collect()
    }
}

/// The groups that are enabled in a state, kept from state to state.
struct Enabled(Vec<bool>);

impl Enabled {
    fn new(model: &Model, state: &[u32]) -> Self {
        if state.is_empty() && !model.variables().is_empty() {
            return Enabled(vec![false; model.groups().len()]);
        }
        let enabled = model.group_ids().map(|g| model.enabled(g, state));
        Enabled(enabled.collect())
    }

    fn groups(&self) -> Vec<GroupId> {
        let all = (0..).map(GroupId).zip(&self.0);
        all.filter(|(_, enabled)| **enabled)
            .map(|(g, _)| g)
            .collect()
    }

    /// Goes on to the next state: what is enabled there and was not, and what was and is not any more.
    fn step(
        &mut self,
        model: &Model,
        index: &Index,
        state: &[u32],
        next: &[u32],
    ) -> (Vec<GroupId>, Vec<GroupId>) {
        let variables = changed(state, next).map(|(v, ..)| v);
        let looked_at = variables.flat_map(|v: VarId| &index.0[v.index()]);
        let mut looked_at: Vec<GroupId> = looked_at.copied().collect();
        looked_at.sort_unstable();
        looked_at.dedup();
        let (mut on, mut off) = (Vec::new(), Vec::new());
        for g in looked_at {
            let now = model.enabled(g, next);
            if now != std::mem::replace(&mut self.0[g.index()], now) {
                if now { &mut on } else { &mut off }.push(g);
            }
        }
        (on, off)
    }
}
