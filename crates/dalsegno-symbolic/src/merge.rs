//! Merging: variables of which at most one is 1 at a time become one variable.
//!
//! A process that is in one of ten places needs no ten levels: one level tells which place it is.
//! Diagrams then have fewer levels and fewer nodes, and a step of the process names one level
//! instead of two. Value 0 of a merged variable says that all are 0, value i that the i-th is 1.
//! A step from the i-th to the j-th variable asks for value i and adds j - i: what was
//! a [`Linear`] group is one again, so states and steps correspond one to one.
//!
//! [`StateSpace::seen_as`] gives the states of the merged model the names of the original's: predicates,
//! states and steps are then those of the original, and merging is nobody else's business.
//!
//! The sets come from outside: places of a sum that never exceeds 1, or units of a file that promises that
//! they are safe. What is only promised can be checked on the states that were reached: see
//! [`Merged::is_sound`].
//!
//! Cost: linear in the size of the model.

use std::collections::BTreeMap;
use std::sync::Arc;

use dalsegno_kripke::{
    Bounds, Compare, Group, Lift, Linear, Model, Predicate, Relation, Source, Stop, VarId, Variable,
};
use dalsegno_mdd::Weight;
use rustc_hash::FxHashMap;

use crate::reach::StateSpace;

/// A set of variables of which at most one is 1 at a time, and none is more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exclusive {
    /// The variables.
    pub variables: Vec<VarId>,
    /// Whether this is certain, or only promised.
    pub certain: bool,
}

/// A model with merged variables.
#[derive(Debug)]
pub struct Merged {
    model: Arc<Model>,
    /// How states of the original are read off those of the merged model: a variable is itself, or 1
    /// where a merged one has some value. Groups are the same.
    lift: Lift,
    /// Per variable of the merged model, whether it is merged of several.
    several: Vec<bool>,
    /// What must not be reachable, if the promises are true.
    doubts: Vec<Predicate>,
}

impl Merged {
    /// The model with as many of these sets merged as can be; `None` if that is none.
    ///
    /// A variable of several sets goes with the first.
    #[must_use]
    pub fn new(model: &Model, sets: &[Exclusive]) -> Option<Self> {
        let linears: Option<Vec<&Linear>> = model.groups().iter().map(Group::as_linear).collect();
        let linears = linears?;
        let sets = disjoint(model, &linears, sets);
        if sets.is_empty() {
            return None;
        }
        let mut variables: Vec<Variable> = Vec::new();
        let mut sources = vec![Source::Constant(0); model.variables().len()];
        let mut several = Vec::new();
        let mut certain = Vec::new();
        // A merged variable comes where the first of its variables was.
        let mut first: FxHashMap<VarId, &Exclusive> = FxHashMap::default();
        let mut later = vec![false; model.variables().len()];
        for set in &sets {
            first.insert(set.variables[0], set);
            for v in &set.variables[1..] {
                later[v.index()] = true;
            }
        }
        for v in model.variable_ids().filter(|v| !later[v.index()]) {
            let home = VarId(variables.len() as u32);
            if let Some(set) = first.get(&v) {
                for (value, v) in (1..).zip(&set.variables) {
                    sources[v.index()] = Source::Is(home, value);
                }
                let names = set
                    .variables
                    .iter()
                    .map(|&v| model.variable(v).name.as_str());
                variables.push(Variable {
                    name: names.collect::<Vec<_>>().join("|"),
                    bounds: Bounds::proved(set.variables.len() as u32),
                });
                certain.push(set.certain);
            } else {
                sources[v.index()] = Source::Variable(home);
                variables.push(model.variable(v).clone());
                certain.push(true);
            }
            several.push(first.contains_key(&v));
        }
        let initial = model.initial().iter();
        let initial = initial.map(|state| merge_state(state, &sources, variables.len()));
        let initial = initial.collect();
        let mut doubts = Vec::new();
        let groups = model.groups().iter().zip(linears).map(|(group, linear)| {
            let linear = merge_group(linear, &sources, &variables, &certain, &mut doubts)?;
            Some(Group::linear(group.name(), linear))
        });
        let groups: Option<Vec<Group>> = groups.collect();
        let (ids, count) = (model.group_ids().collect(), model.groups().len());
        let model = Model::new(model.name(), variables, initial, groups?).ok()?;
        Some(Merged {
            model: Arc::new(model),
            lift: Lift::renaming(sources, ids, count),
            several,
            doubts,
        })
    }

    /// The model with merged variables: it has as many states, and as many steps of each group.
    #[must_use]
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The merged variable of a variable of the original, and its value where the original is 1; `None`
    /// if the variable stayed as it was.
    #[must_use]
    pub fn home(&self, variable: VarId) -> (VarId, Option<u32>) {
        home(&self.lift.variables()[variable.index()])
    }

    /// What a value of a variable of the merged model is in the original: the number of tokens.
    #[must_use]
    pub fn tokens(&self, variable: VarId, value: u32) -> u32 {
        if self.several[variable.index()] {
            value.min(1)
        } else {
            value
        }
    }

    /// The state of the merged model that a state of the original is, if no set has two tokens.
    #[must_use]
    pub fn merge(&self, state: &[u32]) -> Vec<u32> {
        merge_state(state, self.lift.variables(), self.several.len())
    }

    /// How states of the original are read off those of the merged model.
    #[must_use]
    pub fn lift(&self) -> &Lift {
        &self.lift
    }

    /// What values of the merged variables add to a weighted sum of variables of the original; each
    /// merged variable comes once.
    #[must_use]
    pub fn weights(&self, terms: impl IntoIterator<Item = (i64, VarId)>) -> Vec<(VarId, Weight)> {
        let mut found: BTreeMap<VarId, Weight> = BTreeMap::new();
        for (coefficient, v) in terms {
            let (home, value) = self.home(v);
            let bound = self.model.variable(home).bounds.certain().unwrap_or(0) as usize;
            match value {
                None => match found.entry(home).or_insert(Weight::Times(0)) {
                    Weight::Times(known) => *known += coefficient,
                    Weight::Listed(_) => unreachable!("a variable is merged or not"),
                },
                Some(value) => {
                    let none = || Weight::Listed(vec![0; bound + 1].into());
                    match found.entry(home).or_insert_with(none) {
                        Weight::Listed(numbers) => numbers[value as usize] += coefficient,
                        Weight::Times(_) => unreachable!("a variable is merged or not"),
                    }
                }
            }
        }
        found.retain(|_, weight| match weight {
            Weight::Times(coefficient) => *coefficient != 0,
            Weight::Listed(numbers) => numbers.iter().any(|&n| n != 0),
        });
        found.into_iter().collect()
    }

    /// Whether all promises are true, given the states that are reached if they are.
    ///
    /// Were one false, some step would have been left out because it puts a second token into a set;
    /// the first such step of a path starts in a state that was reached.
    ///
    /// # Errors
    /// If the budget ran out.
    pub fn is_sound(&self, space: &mut StateSpace) -> Result<bool, Stop> {
        for doubt in &self.doubts {
            if space.find(doubt)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// See [`Merged::home`].
fn home(source: &Source) -> (VarId, Option<u32>) {
    match *source {
        Source::Variable(home) => (home, None),
        Source::Is(home, value) => (home, Some(value)),
        Source::Constant(_) | Source::Sum(_) => unreachable!("a variable is merged or itself"),
    }
}

fn merge_state(state: &[u32], sources: &[Source], variables: usize) -> Vec<u32> {
    let mut merged = vec![0; variables];
    for (&n, source) in state.iter().zip(sources) {
        if n > 0 {
            let (home, value) = home(source);
            merged[home.index()] = value.unwrap_or(n);
        }
    }
    merged
}

/// The sets that can be merged, without what is in an earlier one.
fn disjoint(model: &Model, linears: &[&Linear], sets: &[Exclusive]) -> Vec<Exclusive> {
    let mut taken = vec![false; model.variables().len()];
    for linear in linears {
        for (v, _) in linear.inhibit() {
            taken[v.index()] = true;
        }
    }
    let mut found = Vec::new();
    for set in sets {
        let mut variables = set.variables.clone();
        variables.retain(|v| !taken[v.index()]);
        variables.sort_unstable();
        variables.dedup();
        let tokens = |state: &Vec<u32>| -> u64 {
            let values = variables.iter().map(|v| u64::from(state[v.index()]));
            values.sum()
        };
        if variables.len() < 2 || model.initial().iter().any(|state| tokens(state) > 1) {
            continue;
        }
        for v in &variables {
            taken[v.index()] = true;
        }
        found.push(Exclusive {
            variables,
            certain: set.certain,
        });
    }
    found
}

/// A group over merged variables; adds what must not be reachable for it to be right.
fn merge_group(
    linear: &Linear,
    sources: &[Source],
    variables: &[Variable],
    certain: &[bool],
    doubts: &mut Vec<Predicate>,
) -> Option<Linear> {
    let mut pre = Vec::new();
    let mut inhibit = linear.inhibit().to_vec();
    for entry in &mut inhibit {
        entry.0 = home(&sources[entry.0.index()]).0;
    }
    let mut delta = Vec::new();
    let mut enabled = true;
    let mut overfull = false;
    // Merged variables with the value that is taken and the value that is put.
    let mut touched: Vec<(VarId, Option<u32>, Option<u32>)> = Vec::new();
    for &(v, n) in linear.pre() {
        match home(&sources[v.index()]) {
            (home, None) => pre.push((home, n)),
            (home, Some(value)) => {
                let change = linear.delta().iter().find(|entry| entry.0 == v);
                let left = i64::from(n) + change.map_or(0, |entry| entry.1);
                touched.push((home, Some(value), (left > 0).then_some(value)));
                enabled &= n == 1;
                overfull |= left > 1;
            }
        }
    }
    for &(v, n) in linear.delta() {
        match home(&sources[v.index()]) {
            (home, None) => delta.push((home, n)),
            (home, Some(value)) if linear.at_least(v) == 0 => {
                touched.push((home, None, Some(value)));
                overfull |= n > 1;
            }
            _ => {}
        }
    }
    touched.sort_unstable_by_key(|entry| entry.0);
    let mut moves: Vec<(VarId, Option<u32>, Option<u32>)> = Vec::new();
    for (home, before, after) in touched {
        match moves.last_mut() {
            Some(last) if last.0 == home => {
                // Two tokens of one set are never there to be taken, and never put.
                enabled &= last.1.is_none() || before.is_none();
                overfull |= last.2.is_some() && after.is_some();
                *last = (home, last.1.or(before), last.2.or(after));
            }
            _ => moves.push((home, before, after)),
        }
    }
    let mut conditions = Vec::new();
    let mut hidden = Vec::new();
    for &(home, before, after) in &moves {
        let value = before.unwrap_or(0);
        pre.push((home, value));
        inhibit.push((home, value + 1));
        delta.push((home, i64::from(after.unwrap_or(0)) - i64::from(value)));
        if before.is_some() {
            conditions.push(compare(home, Relation::Eq, value)?);
        } else if !certain[home.index()] {
            hidden.push(compare(home, Relation::Ge, 1)?);
        }
    }
    let never = || {
        // More than there is of it: the group stays in its place and never fires.
        let &(home, ..) = moves.first()?;
        let most = variables[home.index()].bounds.certain()?;
        Linear::new(vec![(home, most + 1)], vec![], vec![]).ok()
    };
    if !enabled {
        return never();
    }
    let shaken = overfull && moves.iter().any(|entry| !certain[entry.0.index()]);
    if shaken || !hidden.is_empty() {
        for &(v, n) in linear.pre() {
            if let (home, None) = home(&sources[v.index()]) {
                conditions.push(compare(home, Relation::Ge, n)?);
            }
        }
        for &(v, n) in linear.inhibit() {
            conditions.push(compare(home(&sources[v.index()]).0, Relation::Lt, n)?);
        }
        let wrong = if overfull {
            Predicate::True
        } else {
            Predicate::any(hidden)
        };
        conditions.push(wrong);
        doubts.push(Predicate::all(conditions));
    }
    if overfull {
        return never();
    }
    Linear::new(pre, inhibit, delta).ok()
}

fn compare(v: VarId, relation: Relation, n: u32) -> Option<Predicate> {
    let compare = Compare::new(vec![(1, v)], relation, i64::from(n));
    compare.ok().map(Predicate::Compare)
}

#[cfg(test)]
mod tests;
