//! Groups whose relations are found with the states: functions, and tables that write what they do
//! not read.
//!
//! Their successors are asked for, for the combinations of values that the variables of a group
//! have in reached states, and kept as tables: see [`dalsegno_mdd::Learner`].

use std::sync::Arc;

use dalsegno_kripke::{Action, Fault, Group, GroupId, Table, Undefined, VarId};
use dalsegno_mdd::{Guard, Learner, Manager, Relation, Set};

use super::{EncodeError, Encoding};
use crate::order::Order;

/// A group, or a case of it, and what is known of it.
#[derive(Debug)]
pub(super) struct Learned {
    group: GroupId,
    /// The functions that act together, if the group is taken apart.
    parts: Option<Vec<Group>>,
    learner: Learner,
}

impl Learned {
    /// Knows nothing yet.
    pub(super) fn new(manager: &mut Manager, order: &Order, id: GroupId, group: &Group) -> Self {
        let (reads, writes) = levels(order, group);
        Learned {
            group: id,
            parts: None,
            learner: Learner::new(manager, &reads, &writes),
        }
    }

    /// Knows nothing yet of a case of a group.
    pub(super) fn case(manager: &mut Manager, order: &Order, id: GroupId, parts: &[Group]) -> Self {
        let lists: Vec<(Vec<u32>, Vec<u32>)> = parts.iter().map(|p| levels(order, p)).collect();
        Learned {
            group: id,
            parts: Some(parts.to_vec()),
            learner: Learner::product(manager, &lists),
        }
    }

    /// Whether the group is enabled, in states whose successors are known.
    pub(super) fn enabled(&self, manager: &mut Manager, sign: bool) -> Guard {
        self.learner.enabled(manager, sign)
    }
}

/// The levels that a group reads and those that it writes.
fn levels(order: &Order, group: &Group) -> (Vec<u32>, Vec<u32>) {
    let levels = |list: &[VarId]| -> Vec<u32> {
        let levels = list.iter().map(|&v| order.level_of(v) as u32);
        levels.collect()
    };
    (levels(group.reads()), levels(group.writes()))
}

impl Encoding {
    /// The states that the groups lead to from a set, any number of times, the set included.
    ///
    /// The relations of groups that are learned know all transitions from these states afterwards.
    ///
    /// # Errors
    /// If the budget ran out, or the model does not say what happens in one of these states.
    pub fn reach(&mut self, set: &Set) -> Result<Set, EncodeError> {
        let mut fault = None;
        let model = Arc::clone(&self.model);
        let given: Vec<Relation> = self.relations.clone();
        let mut asked = Vec::with_capacity(self.learned.len());
        let mut learners: Vec<&mut Learner> = Vec::with_capacity(self.learned.len());
        for learned in &mut self.learned {
            asked.push((learned.group, learned.parts.as_deref()));
            learners.push(&mut learned.learner);
        }
        let manager = &mut self.manager;
        let reached = manager.reach_learning(set, &given, &mut learners, |question, sink| {
            let (group, parts) = asked[question.learner];
            let function = parts.map_or(model.group(group), |parts| &parts[question.part]);
            let action = function.action();
            let answer = successors(action, question.read, question.old, sink);
            answer.map_err(|Undefined(reason)| {
                if question.reached {
                    fault = Some(Fault::Undefined { group, reason });
                }
                dalsegno_mdd::Stop::Interrupted
            })
        });
        for learned in &self.learned {
            self.groups[learned.group.index()].clear();
        }
        for learned in &self.learned {
            let known = learned.learner.relations();
            self.groups[learned.group.index()].extend_from_slice(known);
        }
        self.relations = self.groups.concat();
        match (reached, fault) {
            (Ok(reached), _) => match self.fault_in(&reached)? {
                Some(fault) => Err(fault.into()),
                None => Ok(reached),
            },
            (Err(_), Some(fault)) => Err(fault.into()),
            (Err(stop), None) => Err(self.stop(stop).into()),
        }
    }
}

/// Passes the values on that a function or a table writes when it reads these.
pub(super) fn successors(
    action: &Action,
    read: &[u32],
    old: &mut [u32],
    sink: &mut dyn FnMut(&[u32]),
) -> Result<(), Undefined> {
    match action {
        Action::Opaque(function) => function.successors(read, old, sink),
        Action::Table(table) => {
            fire_rows(table, read, old, sink);
            Ok(())
        }
        Action::Linear(_) => unreachable!("an event is not learned"),
    }
}

fn fire_rows(table: &Table, read: &[u32], old: &[u32], sink: &mut dyn FnMut(&[u32])) {
    let mut written = old.to_vec();
    for row in 0..table.len() {
        let mut tested = table.pattern(row).iter().zip(read);
        if tested.all(|(pattern, value)| pattern.is_none_or(|p| p == *value)) {
            for ((new, value), old) in written.iter_mut().zip(table.values(row)).zip(old) {
                *new = value.unwrap_or(*old);
            }
            sink(&written);
        }
    }
}
