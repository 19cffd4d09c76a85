//! Which values a variable may have, foreseen without reaching states, and functions as tables over them.
//!
//! Every group is asked for all combinations of the values that its variables may have; what it
//! writes may be there next time, until nothing is added (a Cartesian abstraction: variables are
//! taken apart, so there may be too many values, never too few). A group with few combinations is
//! then a table like any other, and nothing has to be learned. Where there are too many, or a function
//! refuses an answer because the combination has no meaning, what the group writes may be anything
//! within the bounds of its variables.
//!
//! Cost: a call per combination, at most [`MOST_ASKED`] for all groups together.

use dalsegno_kripke::{Action, Budget, Group, GroupId, Model, Stop, VarId};
use rustc_hash::FxHashSet;

use super::learning::successors;
use crate::order::Order;

/// The most combinations of one group.
const MOST_COMBINATIONS: usize = 1 << 12;
/// The most combinations of all groups.
const MOST_ASKED: usize = 1 << 19;
/// The largest bound of a variable all values of which are considered.
const LARGEST_BOUND: u32 = 255;

/// A step of a group: the values of its variables before and after, in the order of
/// [`variables`].
pub(super) type Step = (Vec<u32>, Vec<u32>);

/// The values of the variables of a model.
pub(super) struct Domains {
    /// The values that a variable may have, in the order in which they were found; `None` if not known.
    values: Vec<Option<Vec<u32>>>,
    /// The steps of the groups that are functions or write what they do not read, if all are known.
    steps: Vec<Option<Vec<Step>>>,
}

/// The variables that a group reads or writes, each once.
pub(super) fn variables(group: &Group) -> Vec<VarId> {
    let mut list: Vec<VarId> = group
        .reads()
        .iter()
        .chain(group.writes())
        .copied()
        .collect();
    list.sort_unstable();
    list.dedup();
    list
}

impl Domains {
    /// The values of all variables, as far as they can be foreseen; `asked` tells which groups are
    /// to be asked.
    pub(super) fn new(
        model: &Model,
        asked: impl Fn(GroupId) -> bool,
        budget: &Budget,
    ) -> Result<Self, Stop> {
        let mut search = Search::new(model);
        for id in model.group_ids() {
            search.given(id);
        }
        let mut groups: Vec<Asked> = model
            .group_ids()
            .filter(|&id| asked(id))
            .map(|id| Asked::new(model, id))
            .collect();
        let mut grew = true;
        while grew {
            grew = false;
            for group in &mut groups {
                budget.check()?;
                grew |= search.ask(group);
            }
        }
        let mut steps = vec![None; model.groups().len()];
        for group in groups {
            steps[group.id.index()] = group.steps;
        }
        Ok(Domains {
            values: search.values,
            steps,
        })
    }

    /// The values that the variable of each level may have, ascending, if they are known.
    pub(super) fn by_level(&self, order: &Order) -> Vec<Option<Vec<u32>>> {
        let sorted = |v: &VarId| {
            let mut values = self.values[v.index()].clone()?;
            values.sort_unstable();
            Some(values)
        };
        order.top_down().iter().map(sorted).collect()
    }

    /// The steps of a group that was asked, if all are known.
    pub(super) fn take_steps(&mut self, id: GroupId) -> Option<Vec<Step>> {
        self.steps[id.index()].take()
    }
}

/// A group that is asked.
struct Asked {
    id: GroupId,
    variables: Vec<VarId>,
    /// How many values of each variable were combined.
    done: Vec<usize>,
    /// `None` if there are too many.
    steps: Option<Vec<Step>>,
}

impl Asked {
    fn new(model: &Model, id: GroupId) -> Self {
        let variables = variables(model.group(id));
        Asked {
            id,
            done: vec![0; variables.len()],
            variables,
            steps: Some(Vec::new()),
        }
    }
}

struct Search<'m> {
    model: &'m Model,
    values: Vec<Option<Vec<u32>>>,
    known: Vec<FxHashSet<u32>>,
    left: usize,
}

impl<'m> Search<'m> {
    fn new(model: &'m Model) -> Self {
        let variables = model.variables().len();
        let mut search = Search {
            model,
            values: vec![Some(Vec::new()); variables],
            known: vec![FxHashSet::default(); variables],
            left: MOST_ASKED,
        };
        for state in model.initial() {
            for (v, &value) in model.variable_ids().zip(state) {
                search.add(v, value);
            }
        }
        search
    }

    fn add(&mut self, v: VarId, value: u32) -> bool {
        let Some(values) = &mut self.values[v.index()] else {
            return false;
        };
        let new = self.known[v.index()].insert(value);
        if new {
            values.push(value);
        }
        new
    }

    /// What groups write that are no functions.
    fn given(&mut self, id: GroupId) {
        let group = self.model.group(id);
        match group.action() {
            Action::Linear(linear) => {
                for &(v, _) in linear.delta() {
                    self.anything(v);
                }
            }
            Action::Table(table) => {
                for row in 0..table.len() {
                    for (&v, value) in group.writes().iter().zip(table.values(row)) {
                        if let Some(value) = *value {
                            self.add(v, value);
                        }
                    }
                }
            }
            Action::Opaque(_) => {}
        }
    }

    /// Any value within its bound may be there; whether that is more than before.
    fn anything(&mut self, v: VarId) -> bool {
        let bound = self.model.variable(v).bound;
        match bound.filter(|&bound| bound <= LARGEST_BOUND) {
            Some(bound) => {
                let mut grew = false;
                for value in 0..=bound {
                    grew |= self.add(v, value);
                }
                grew
            }
            None => self.values[v.index()].take().is_some(),
        }
    }

    /// Asks a group for the combinations that are new; whether it writes new values.
    fn ask(&mut self, group: &mut Asked) -> bool {
        if group.steps.is_none() {
            return false;
        }
        let answered = self.combine(group);
        if let Some(grew) = answered {
            return grew;
        }
        group.steps = None;
        let mut grew = false;
        for &v in self.model.group(group.id).writes() {
            grew |= self.anything(v);
        }
        grew
    }

    /// As [`Search::ask`]; `None` if there are too many combinations or one has no answer.
    fn combine(&mut self, asked: &mut Asked) -> Option<bool> {
        let group = self.model.group(asked.id);
        let lists = asked
            .variables
            .iter()
            .map(|v| self.values[v.index()].clone());
        let lists: Vec<Vec<u32>> = lists.collect::<Option<_>>()?;
        let sizes: Vec<usize> = lists.iter().map(Vec::len).collect();
        let first = asked.done.is_empty() && asked.steps.as_ref().is_some_and(Vec::is_empty);
        if sizes == asked.done && !first {
            return Some(false);
        }
        let number = sizes.iter().copied().fold(1, usize::saturating_mul);
        if number > MOST_COMBINATIONS || number > self.left {
            return None;
        }
        self.left -= number;
        let place = |v: &VarId| asked.variables.partition_point(|other| other < v);
        let reads: Vec<usize> = group.reads().iter().map(place).collect();
        let writes: Vec<usize> = group.writes().iter().map(place).collect();
        let (mut read, mut old) = (vec![0; reads.len()], vec![0; writes.len()]);
        let mut digits = vec![0; lists.len()];
        let mut found: Vec<Step> = Vec::new();
        loop {
            let new = digits
                .iter()
                .zip(&asked.done)
                .any(|(digit, done)| digit >= done);
            if new || digits.is_empty() {
                let before: Vec<u32> = lists.iter().zip(&digits).map(|(l, &d)| l[d]).collect();
                let fill = |list: &mut [u32], places: &[usize]| {
                    for (value, &place) in list.iter_mut().zip(places) {
                        *value = before[place];
                    }
                };
                fill(&mut read, &reads);
                fill(&mut old, &writes);
                let mut sink = |written: &[u32]| {
                    let mut after = before.clone();
                    for (&place, &value) in writes.iter().zip(written) {
                        after[place] = value;
                    }
                    found.push((before.clone(), after));
                };
                successors(self.model, asked.id, &read, &mut old, &mut sink).ok()?;
            }
            // The next combination.
            let turns = digits.iter_mut().zip(&sizes);
            let mut carried = true;
            for (digit, &size) in turns {
                *digit += 1;
                if *digit < size {
                    carried = false;
                    break;
                }
                *digit = 0;
            }
            if carried {
                break;
            }
        }
        asked.done = sizes;
        let mut grew = false;
        for (_, after) in &found {
            for &place in &writes {
                grew |= self.add(asked.variables[place], after[place]);
            }
        }
        asked.steps.as_mut()?.extend(found);
        Some(grew)
    }
}
