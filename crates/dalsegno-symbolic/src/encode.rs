//! Encoding: states of a model as vectors of a diagram, groups as relations, predicates as guards.
//!
//! One variable is one level. A [`Linear`] group is an implicit event, a table the
//! union of its rows; a predicate becomes a guard by pushing negations down to its comparisons.

use std::collections::BTreeMap;

use dalsegno_kripke::{
    Action, Budget, Compare, GroupId, Linear, Model, Predicate, Relation as Op, Stop, Table,
};
use dalsegno_mdd::{Comparison, Guard, Limits, Local, Manager, Relation, Set, TableRow};
use thiserror::Error;

use crate::order::Order;

/// Why a model has no encoding, or none within the budget.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EncodeError {
    /// The group is a function, or writes what it does not read.
    #[error("group {0} cannot be encoded as a relation")]
    Group(String),
    /// The budget ran out.
    #[error("{0}")]
    Stopped(#[from] Stop),
}

/// A model in diagrams: its manager, and its groups as relations.
#[derive(Debug)]
pub struct Encoding<'m> {
    model: &'m Model,
    order: Order,
    budget: Budget,
    manager: Manager,
    relations: Vec<Relation>,
}

impl<'m> Encoding<'m> {
    /// The encoding of a model by an order.
    ///
    /// # Errors
    /// See [`EncodeError`].
    ///
    /// # Panics
    /// If the order is not one of the model's variables.
    pub fn new(model: &'m Model, order: &Order, budget: &Budget) -> Result<Self, EncodeError> {
        assert_eq!(
            order.len(),
            model.variables().len(),
            "one level per variable"
        );
        let mut manager = Manager::new(order.len() as u32, limits(budget));
        let mut relations = Vec::with_capacity(model.groups().len());
        for group in model.groups() {
            budget.check()?;
            let relation = match group.action() {
                Action::Linear(linear) => manager.linear(&locals(order, linear)),
                Action::Table(table) => {
                    let rows = rows(order, group.reads(), group.writes(), table);
                    let rows = rows.ok_or_else(|| EncodeError::Group(group.name().to_owned()))?;
                    manager.table(&rows)
                }
                Action::Opaque(_) => return Err(EncodeError::Group(group.name().to_owned())),
            };
            relations.push(relation);
        }
        Ok(Encoding {
            model,
            order: order.clone(),
            budget: budget.clone(),
            manager,
            relations,
        })
    }

    /// Works by another budget from now on.
    pub fn set_budget(&mut self, budget: &Budget) {
        self.budget = budget.clone();
        self.manager.set_limits(limits(budget));
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The order of the levels.
    #[must_use]
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// The owner of the diagrams.
    pub fn manager(&mut self) -> &mut Manager {
        &mut self.manager
    }

    /// The relation of each group.
    #[must_use]
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// The relations of one group.
    #[must_use]
    pub fn relations_of(&self, group: GroupId) -> &[Relation] {
        std::slice::from_ref(&self.relations[group.index()])
    }

    /// Why the manager stopped, in words of the budget.
    #[must_use]
    pub fn stop(&self, stop: dalsegno_mdd::Stop) -> Stop {
        match stop {
            dalsegno_mdd::Stop::Memory => Stop::Memory,
            dalsegno_mdd::Stop::Fuel => Stop::Time,
            dalsegno_mdd::Stop::Interrupted => self.budget.check().err().unwrap_or(Stop::Cancelled),
        }
    }

    /// The initial states.
    ///
    /// # Errors
    /// If the budget ran out.
    pub fn initial(&mut self) -> Result<Set, Stop> {
        let mut found = self.manager.empty();
        for state in self.model.initial() {
            let vector = self.order.top_down().iter().map(|v| state[v.index()]);
            let vector: Vec<u32> = vector.collect();
            let one = self.manager.singleton(&vector);
            let united = one.and_then(|one| self.manager.union(&found, &one));
            found = united.map_err(|stop| self.stop(stop))?;
        }
        Ok(found)
    }

    /// The vector of a state.
    #[must_use]
    pub fn vector(&self, state: &[u32]) -> Vec<u32> {
        let levels = self.order.top_down().iter();
        levels.map(|v| state[v.index()]).collect()
    }

    /// The state of a vector.
    #[must_use]
    pub fn state(&self, vector: &[u32]) -> Vec<u32> {
        let mut state = vec![0; vector.len()];
        for (v, &value) in self.order.top_down().iter().zip(vector) {
            state[v.index()] = value;
        }
        state
    }

    /// A predicate as a guard.
    pub fn guard(&mut self, predicate: &Predicate) -> Guard {
        self.signed(predicate, true)
    }

    /// The guard of the states in which a group is enabled.
    pub fn enabled(&mut self, group: GroupId) -> Guard {
        self.enabled_signed(group, true)
    }

    fn signed(&mut self, predicate: &Predicate, sign: bool) -> Guard {
        match predicate {
            Predicate::True if sign => Guard::TRUE,
            Predicate::False if !sign => Guard::TRUE,
            Predicate::True | Predicate::False => Guard::FALSE,
            Predicate::Compare(compare) => self.comparison(compare, sign),
            Predicate::Not(inner) => self.signed(inner, !sign),
            Predicate::And(parts) => {
                let parts: Vec<Guard> = parts.iter().map(|p| self.signed(p, sign)).collect();
                self.junction(&parts, sign)
            }
            Predicate::Or(parts) => {
                let parts: Vec<Guard> = parts.iter().map(|p| self.signed(p, sign)).collect();
                self.junction(&parts, !sign)
            }
            Predicate::Enabled(groups) => self.some_enabled(groups.iter().copied(), sign),
            Predicate::DeadEnd => self.some_enabled(self.model.group_ids(), !sign),
        }
    }

    fn some_enabled(&mut self, groups: impl Iterator<Item = GroupId>, sign: bool) -> Guard {
        let parts: Vec<Guard> = groups.map(|g| self.enabled_signed(g, sign)).collect();
        self.junction(&parts, !sign)
    }

    fn junction(&mut self, parts: &[Guard], conjunction: bool) -> Guard {
        if conjunction {
            self.manager.all(parts)
        } else {
            self.manager.any(parts)
        }
    }

    fn enabled_signed(&mut self, group: GroupId, sign: bool) -> Guard {
        let group = self.model.group(group);
        match group.action() {
            Action::Linear(linear) => {
                let needs = linear.pre().iter().map(|&(v, n)| (v, Op::Ge, n));
                let limits = linear.inhibit().iter().map(|&(v, n)| (v, Op::Lt, n));
                let parts: Vec<Guard> = needs
                    .chain(limits)
                    .map(|(v, op, n)| {
                        let op = if sign { op } else { op.negated() };
                        let level = self.order.level_of(v) as u32;
                        compare(&mut self.manager, &[(level, 1)], op, n.into())
                    })
                    .collect();
                self.junction(&parts, sign)
            }
            Action::Table(table) => {
                let mut rows = Vec::with_capacity(table.len());
                for row in 0..table.len() {
                    let mut parts = Vec::new();
                    for (&v, value) in group.reads().iter().zip(table.pattern(row)) {
                        if let Some(value) = value {
                            let op = if sign { Op::Eq } else { Op::Ne };
                            let level = self.order.level_of(v) as u32;
                            let n = i64::from(*value);
                            parts.push(compare(&mut self.manager, &[(level, 1)], op, n));
                        }
                    }
                    rows.push(self.junction(&parts, sign));
                }
                self.junction(&rows, !sign)
            }
            Action::Opaque(_) => unreachable!("a model with functions has no encoding"),
        }
    }

    fn comparison(&mut self, comparison: &Compare, sign: bool) -> Guard {
        let terms: Vec<(u32, i64)> = comparison
            .terms()
            .iter()
            .map(|&(c, v)| (self.order.level_of(v) as u32, c))
            .collect();
        let op = comparison.op();
        let op = if sign { op } else { op.negated() };
        compare(&mut self.manager, &terms, op, comparison.constant())
    }
}

/// A budget in words of the manager.
fn limits(budget: &Budget) -> Limits {
    let watched = budget.clone();
    Limits {
        bytes: budget.bytes(),
        interrupt: Some(Box::new(move || watched.check().is_err())),
    }
}

/// A comparison as a guard; strict ones become weak ones by moving the constant.
fn compare(manager: &mut Manager, terms: &[(u32, i64)], op: Op, constant: i64) -> Guard {
    let (comparison, constant) = match op {
        Op::Le => (Comparison::AtMost, Some(constant)),
        Op::Lt => (Comparison::AtMost, constant.checked_sub(1)),
        Op::Ge => (Comparison::AtLeast, Some(constant)),
        Op::Gt => (Comparison::AtLeast, constant.checked_add(1)),
        Op::Eq => (Comparison::Equal, Some(constant)),
        Op::Ne => (Comparison::Unequal, Some(constant)),
    };
    // Nothing is below the least number or above the greatest.
    constant.map_or(Guard::FALSE, |constant| {
        manager.compare(terms, comparison, constant)
    })
}

/// What an event does to each level that it names.
fn locals(order: &Order, linear: &Linear) -> Vec<Local> {
    let mut locals: BTreeMap<u32, Local> = BTreeMap::new();
    let mut change = |v, change: &dyn Fn(&mut Local)| {
        let level = order.level_of(v) as u32;
        change(locals.entry(level).or_insert_with(|| Local::new(level)));
    };
    for &(v, n) in linear.pre() {
        change(v, &|local| local.at_least = n);
    }
    for &(v, n) in linear.inhibit() {
        change(v, &|local| local.below = Some(n));
    }
    for &(v, n) in linear.delta() {
        change(v, &|local| local.delta = n);
    }
    locals.into_values().collect()
}

/// The rows of a table by levels; `None` if a row writes what it does not read.
fn rows(
    order: &Order,
    reads: &[dalsegno_kripke::VarId],
    writes: &[dalsegno_kripke::VarId],
    table: &Table,
) -> Option<Vec<TableRow>> {
    (0..table.len())
        .map(|row| {
            let mut levels: TableRow = Vec::new();
            for (&v, pattern) in reads.iter().zip(table.pattern(row)) {
                if let Some(value) = *pattern {
                    levels.push((order.level_of(v) as u32, value, value));
                }
            }
            for (&v, value) in writes.iter().zip(table.values(row)) {
                if let Some(value) = *value {
                    let level = order.level_of(v) as u32;
                    let entry = levels.iter_mut().find(|entry| entry.0 == level)?;
                    entry.2 = value;
                }
            }
            levels.sort_unstable();
            Some(levels)
        })
        .collect()
}
