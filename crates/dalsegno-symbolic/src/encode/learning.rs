//! Groups whose relations are found with the states: functions, and tables that write what they do
//! not read.
//!
//! Their successors are asked for, for the combinations of values that the variables of a group
//! have in reached states, and kept as tables: see [`dalsegno_mdd::Learner`].

use dalsegno_kripke::{Action, Fault, Group, GroupId, Model, Table, Undefined, VarId};
use dalsegno_mdd::{Guard, Learner, Manager, Relation, Set};

use super::{EncodeError, Encoding};
use crate::order::Order;

/// A group and what is known of it.
#[derive(Debug)]
pub(super) struct Learned {
    group: GroupId,
    learner: Learner,
}

impl Learned {
    /// Knows nothing yet.
    pub(super) fn new(manager: &mut Manager, order: &Order, id: GroupId, group: &Group) -> Self {
        let levels = |list: &[VarId]| -> Vec<u32> {
            let levels = list.iter().map(|&v| order.level_of(v) as u32);
            levels.collect()
        };
        let (reads, writes) = (levels(group.reads()), levels(group.writes()));
        Learned {
            group: id,
            learner: Learner::new(manager, &reads, &writes),
        }
    }

    /// Whether the group is enabled, in states whose successors are known.
    pub(super) fn enabled(&self, manager: &mut Manager, sign: bool) -> Guard {
        self.learner.enabled(manager, sign)
    }
}

impl Encoding<'_> {
    /// The states that the groups lead to from a set, any number of times, the set included.
    ///
    /// The relations of groups that are learned know all transitions from these states afterwards.
    ///
    /// # Errors
    /// If the budget ran out, or the model does not say what happens in one of these states.
    pub fn reach(&mut self, set: &Set) -> Result<Set, EncodeError> {
        let mut fault = None;
        let model = self.model;
        let groups: Vec<GroupId> = self.learned.iter().map(|learned| learned.group).collect();
        let learned = self.learned.iter_mut();
        let mut learners: Vec<&mut Learner> = learned.map(|l| &mut l.learner).collect();
        let given: Vec<Relation> = self.relations.clone();
        let manager = &mut self.manager;
        let reached = manager.reach_learning(set, &given, &mut learners, |question, sink| {
            let group = groups[question.learner];
            let answer = successors(model, group, question.read, question.old, sink);
            answer.map_err(|found| {
                if question.reached {
                    fault = Some(found);
                }
                dalsegno_mdd::Stop::Interrupted
            })
        });
        for learned in &self.learned {
            let known = learned.learner.relations().to_vec();
            self.groups[learned.group.index()] = known;
        }
        self.relations = self.groups.concat();
        match (reached, fault) {
            (Ok(reached), _) => Ok(reached),
            (Err(_), Some(fault)) => Err(fault.into()),
            (Err(stop), None) => Err(self.stop(stop).into()),
        }
    }
}

/// Passes the values on that a group writes when it reads these.
pub(super) fn successors(
    model: &Model,
    id: GroupId,
    read: &[u32],
    old: &mut [u32],
    sink: &mut dyn FnMut(&[u32]),
) -> Result<(), Fault> {
    match model.group(id).action() {
        Action::Opaque(function) => function
            .successors(read, old, sink)
            .map_err(|Undefined(reason)| Fault::Undefined { group: id, reason }),
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
