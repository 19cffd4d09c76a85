//! Encoding: states of a model as vectors of a diagram, groups as relations, predicates as guards.
//!
//! One variable is one level, or several are, if they were [merged](crate::merge). A [`Linear`] group is an implicit event, a table the
//! union of its rows; a predicate becomes a guard by pushing negations down to its comparisons.
//! Functions, and tables with rows that write what they do not read, become tables or products of
//! tables if the values of their variables are known beforehand (`value_ranges`), and otherwise as states are
//! reached (`learning`).

mod learning;
mod products;
mod value_ranges;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use dalsegno_kripke::circuit::{Circuit, Gate};
use dalsegno_kripke::{
    Action, Budget, Compare, Fault, Group, GroupId, Linear, Model, Predicate, Relation as Op,
    Scratch, Stop, Table, VarId,
};
use dalsegno_mdd::{Comparison, Guard, Limits, Local, Manager, Relation, Set, TableRow, Weight};
use thiserror::Error;

use crate::merge::Merged;
use crate::order::Order;
use learning::Learned;
pub use value_ranges::ValueRanges;
use value_ranges::{Known, Rows};

/// Why a model has no encoding, or none within the budget.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EncodeError {
    /// The model does not say what happens in a reachable state.
    #[error("{0}")]
    Fault(#[from] Fault),
    /// The budget ran out.
    #[error("{0}")]
    Stopped(#[from] Stop),
}

/// A model in diagrams: its manager, and its groups as relations.
#[derive(Debug)]
pub struct Encoding {
    model: Arc<Model>,
    /// The model that is spoken of, if the encoded one is it with merged variables.
    original: Option<(Arc<Model>, Arc<Merged>)>,
    order: Order,
    budget: Budget,
    manager: Manager,
    /// The relations of each group; what is learned comes in with the states.
    groups: Vec<Vec<Relation>>,
    /// Those of all groups.
    relations: Vec<Relation>,
    learned: Vec<Learned>,
    tests: Vec<Test>,
    /// Groups, and where they have no meaning.
    faults: Vec<(GroupId, Guard)>,
    /// The same as products of conditions, if the values of their variables are not known before.
    suspects: Vec<(GroupId, Vec<Group>)>,
}

/// How to find out whether a group is enabled.
#[derive(Clone, Copy, Debug)]
enum Test {
    /// By the guard of the event.
    Event,
    /// By the sources of the rows: whether a row fires, and whether none does.
    Table(Guard, Guard),
    /// By what was learned, from this place to that.
    Learned(usize, usize),
}

impl Encoding {
    /// The encoding of a model by an order.
    ///
    /// # Errors
    /// See [`EncodeError`].
    ///
    /// # Panics
    /// If the order is not one of the model's variables.
    pub fn new(model: &Arc<Model>, order: &Order, budget: &Budget) -> Result<Self, EncodeError> {
        let ranges = ValueRanges::new(model, budget)?;
        Self::with(model, &ranges, order, budget)
    }

    /// As [`Encoding::new`], for a model of which some is known before; several orders can share it.
    ///
    /// # Errors
    /// See [`EncodeError`].
    ///
    /// # Panics
    /// If the order is not one of the model's variables.
    pub fn with(
        model: &Arc<Model>,
        ranges: &ValueRanges,
        order: &Order,
        budget: &Budget,
    ) -> Result<Self, EncodeError> {
        assert_eq!(
            order.len(),
            model.variables().len(),
            "one level per variable"
        );
        let levels = order.len() as u32;
        if !dalsegno_mdd::has_room(levels) {
            // The stack is memory, too.
            return Err(Stop::Memory.into());
        }
        let mut manager = Manager::new(levels, limits(budget));
        let mut groups = Vec::with_capacity(model.groups().len());
        let mut learned = Vec::new();
        let mut tests = Vec::with_capacity(model.groups().len());
        let tables: Vec<Option<Vec<Vec<TableRow>>>> = model
            .groups()
            .iter()
            .map(|group| rows(order, group, table_of(group)?))
            .collect();
        let values = ranges.by_level(order);
        let (mut faults, mut suspects) = (Vec::new(), Vec::new());
        for (id, table) in model.group_ids().zip(&tables) {
            budget.check()?;
            let group = model.group(id);
            if let Some(linear) = group.as_linear() {
                groups.push(vec![manager.linear(&locals(order, linear))]);
                tests.push(Test::Event);
                continue;
            }
            let (lists, test) = match (table, table_of(group), ranges.of(id)) {
                (Some(lists), Some(table), _) => {
                    let test = test(&mut manager, order, group, table);
                    (lists.clone(), test)
                }
                (_, _, Some(Known::Whole(rows))) => whole(&mut manager, order, rows),
                (
                    _,
                    _,
                    Some(Known::Cases {
                        steps,
                        faults: wrong,
                    }),
                ) => {
                    let made = products::encode(&mut manager, order, &values, steps, wrong);
                    let made = made.map_err(|stop| in_words_of(budget, stop))?;
                    groups.push(made.relations);
                    tests.push(Test::Table(made.enabled, made.disabled));
                    faults.extend(made.faults.into_iter().map(|guard| (id, guard)));
                    continue;
                }
                _ => {
                    let from = learned.len();
                    groups.push(Vec::new());
                    match ranges.cases(id) {
                        Some(cases) => {
                            let steps = cases.steps.iter();
                            learned.extend(
                                steps.map(|parts| Learned::case(&mut manager, order, id, parts)),
                            );
                            let wrong = cases.faults.iter();
                            suspects.extend(wrong.map(|parts| (id, parts.clone())));
                        }
                        None => learned.push(Learned::new(&mut manager, order, id, group)),
                    }
                    tests.push(Test::Learned(from, learned.len()));
                    continue;
                }
            };
            let lists = lists.iter();
            groups.push(
                lists
                    .map(|rows| manager.table_over(rows, &values))
                    .collect(),
            );
            tests.push(test.map_err(|stop| in_words_of(budget, stop))?);
        }
        let relations = groups.concat();
        Ok(Encoding {
            model: Arc::clone(model),
            original: None,
            order: order.clone(),
            budget: budget.clone(),
            manager,
            groups,
            relations,
            learned,
            tests,
            faults,
            suspects,
        })
    }

    /// Works by another budget from now on.
    pub fn set_budget(&mut self, budget: &Budget) {
        self.budget = budget.clone();
        self.manager.set_limits(limits(budget));
    }

    /// Speaks of the states of `original` from now on, whose merged model is encoded.
    pub(crate) fn speak_of(&mut self, original: &Arc<Model>, merged: &Arc<Merged>) {
        self.original = Some((Arc::clone(original), Arc::clone(merged)));
    }

    /// The model that states, predicates and groups are of.
    #[must_use]
    pub fn model(&self) -> &Arc<Model> {
        let original = self.original.as_ref().map(|(original, _)| original);
        original.unwrap_or(&self.model)
    }

    /// Whether a level may stand for several variables of the model.
    pub(crate) fn is_merged(&self) -> bool {
        self.original.is_some()
    }

    /// What values of levels add to a sum of variables of the model, each level once.
    pub(crate) fn weights(&self, terms: &[(i64, VarId)]) -> Vec<(u32, Weight)> {
        let weights: Vec<(VarId, Weight)> = if let Some((_, merged)) = &self.original {
            merged.weights(terms.iter().copied())
        } else {
            let mut sums: BTreeMap<VarId, i64> = BTreeMap::new();
            for &(coefficient, v) in terms {
                *sums.entry(v).or_default() += coefficient;
            }
            let sums = sums.into_iter().filter(|(_, c)| *c != 0);
            sums.map(|(v, c)| (v, Weight::Times(c))).collect()
        };
        let level = |v| self.order.level_of(v) as u32;
        weights.into_iter().map(|(v, w)| (level(v), w)).collect()
    }

    /// The level of a variable of the model, and the value that stands for its being 1 if the level has
    /// several variables.
    #[must_use]
    pub fn level(&self, variable: VarId) -> (usize, Option<u32>) {
        let home = self
            .original
            .as_ref()
            .map(|(_, merged)| merged.home(variable));
        let (home, value) = home.unwrap_or((variable, None));
        (self.order.level_of(home), value)
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

    /// The relations of all groups, one group after the other.
    ///
    /// Of groups that are learned they have the pairs whose sources were reached.
    #[must_use]
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// The relations of a group. A transition is a pair of one of them: if the group has two
    /// transitions between the same states, two relations have that pair.
    #[must_use]
    pub fn relations_of(&self, group: GroupId) -> &[Relation] {
        &self.groups[group.index()]
    }

    /// Why the manager stopped, in words of the budget.
    #[must_use]
    pub fn stop(&self, stop: dalsegno_mdd::Stop) -> Stop {
        in_words_of(&self.budget, stop)
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
        let state: Cow<'_, [u32]> = match &self.original {
            Some((_, merged)) => merged.merge(state).into(),
            None => state.into(),
        };
        let levels = self.order.top_down().iter();
        levels.map(|v| state[v.index()]).collect()
    }

    /// The state of a vector.
    ///
    /// # Panics
    /// Never: a merged variable is no sum, and all else fits into 32 bits.
    #[must_use]
    pub fn state(&self, vector: &[u32]) -> Vec<u32> {
        let mut state = vec![0; vector.len()];
        for (v, &value) in self.order.top_down().iter().zip(vector) {
            state[v.index()] = value;
        }
        let Some((original, merged)) = &self.original else {
            return state;
        };
        let mut lifted = vec![0; original.variables().len()];
        let told = merged.lift().lift_state(&state, &mut lifted);
        told.expect("no variable of a merged model is a sum");
        lifted
    }

    /// Whether a state is in a set.
    #[must_use]
    pub fn contains(&self, set: &Set, state: &[u32]) -> bool {
        self.manager.contains(set, &self.vector(state))
    }

    /// A fault of a group in one of these states, if there is one.
    fn fault_in(&mut self, set: &Set) -> Result<Option<Fault>, Stop> {
        let mut faults = self.faults.clone();
        for (group, parts) in &self.suspects {
            let guard = products::condition_in(&mut self.manager, &self.order, set, parts);
            faults.push((
                *group,
                guard.map_err(|stop| in_words_of(&self.budget, stop))?,
            ));
        }
        for (group, guard) in faults {
            let found = self.manager.find(set, guard);
            let found = found.map_err(|stop| in_words_of(&self.budget, stop))?;
            if let Some(vector) = found {
                let state = self.state(&vector);
                let scratch = &mut Scratch::default();
                let fired = self.model.successors_by(group, &state, scratch, |_| {});
                debug_assert!(fired.is_err(), "the group has no meaning there");
                return Ok(fired.err());
            }
        }
        Ok(None)
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
            Predicate::Circuit(circuit) => self.circuit(circuit, sign),
        }
    }

    /// A circuit or its complement: each gate becomes a guard and the guard of its complement.
    fn circuit(&mut self, circuit: &Circuit, sign: bool) -> Guard {
        let mut guards: Vec<[Guard; 2]> = Vec::with_capacity(circuit.gates().len());
        for gate in circuit.gates() {
            let signs = [false, true].map(|sign| {
                let at = |g: &u32, sign: bool| guards[*g as usize][usize::from(sign)];
                match gate {
                    Gate::Leaf(leaf) => self.signed(leaf, sign),
                    Gate::Not(g) => at(g, !sign),
                    Gate::And(gs) => {
                        let parts: Vec<Guard> = gs.iter().map(|g| at(g, sign)).collect();
                        self.junction(&parts, sign)
                    }
                    Gate::Or(gs) => {
                        let parts: Vec<Guard> = gs.iter().map(|g| at(g, sign)).collect();
                        self.junction(&parts, !sign)
                    }
                    Gate::Iff(a, b) => {
                        let one = self.junction(&[at(a, true), at(b, sign)], true);
                        let other = self.junction(&[at(a, false), at(b, !sign)], true);
                        self.junction(&[one, other], false)
                    }
                }
            });
            guards.push(signs);
        }
        guards[circuit.gates().len() - 1][usize::from(sign)]
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
        match self.tests[group.index()] {
            Test::Event => {}
            Test::Table(yes, no) => return if sign { yes } else { no },
            Test::Learned(from, to) => {
                let learned = self.learned[from..to].iter();
                let manager = &mut self.manager;
                let parts: Vec<Guard> = learned.map(|l| l.enabled(manager, sign)).collect();
                return self.junction(&parts, !sign);
            }
        }
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
                        let value = vec![(level, Weight::Times(1))];
                        compare(&mut self.manager, value, op, n.into())
                    })
                    .collect();
                self.junction(&parts, sign)
            }
            Action::Table(_) | Action::Opaque(_) => {
                unreachable!("a group that is no event is tested or learned")
            }
        }
    }

    fn comparison(&mut self, comparison: &Compare, sign: bool) -> Guard {
        let terms = self.weights(comparison.terms());
        let op = comparison.op();
        let op = if sign { op } else { op.negated() };
        compare(&mut self.manager, terms, op, comparison.constant())
    }
}

/// A budget in words of the manager.
fn limits(budget: &Budget) -> Limits {
    let watched = budget.clone();
    Limits {
        bytes: budget.bytes(),
        interrupt: Some(Box::new(move |nodes| {
            watched.saw_nodes(nodes);
            watched.check().is_err()
        })),
    }
}

/// Why a manager stopped, in words of its budget.
fn in_words_of(budget: &Budget, stop: dalsegno_mdd::Stop) -> Stop {
    match stop {
        dalsegno_mdd::Stop::Memory => Stop::Memory,
        dalsegno_mdd::Stop::Fuel => Stop::Time,
        // Of all reasons only the memory of the process can be over again.
        dalsegno_mdd::Stop::Interrupted => budget.check().err().unwrap_or(Stop::Memory),
    }
}

/// A comparison as a guard; strict ones become weak ones by moving the constant.
fn compare(manager: &mut Manager, terms: Vec<(u32, Weight)>, op: Op, constant: i64) -> Guard {
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
        manager.compare_by(terms, comparison, constant)
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

/// The rows of a table by levels, in lists that have no pair of states in common twice; `None` if
/// a row writes what it does not read.
///
/// Rows that test the same variables and differ have no pair in common, so these share a list;
/// second copies of rows are in another one.
fn rows(order: &Order, group: &Group, table: &Table) -> Option<Vec<Vec<TableRow>>> {
    let level = |v: VarId| order.level_of(v) as u32;
    let mut classes: BTreeMap<Vec<u32>, BTreeMap<TableRow, usize>> = BTreeMap::new();
    for row in 0..table.len() {
        let mut levels: TableRow = Vec::new();
        for (&v, pattern) in group.reads().iter().zip(table.pattern(row)) {
            if let Some(value) = *pattern {
                levels.push((level(v), value, value));
            }
        }
        for (&v, value) in group.writes().iter().zip(table.values(row)) {
            if let Some(value) = *value {
                let entry = levels.iter_mut().find(|entry| entry.0 == level(v))?;
                entry.2 = value;
            }
        }
        levels.sort_unstable();
        let tested = levels.iter().map(|entry| entry.0).collect();
        let class = classes.entry(tested).or_default();
        *class.entry(levels).or_default() += 1;
    }
    let mut lists = Vec::new();
    for class in classes.into_values() {
        let most = class.values().copied().max().unwrap_or(0);
        for copy in 0..most {
            let rows = class.iter().filter(|entry| *entry.1 > copy);
            lists.push(rows.map(|(row, _)| row.clone()).collect());
        }
    }
    Some(lists)
}

/// Whether some row of a table fires: rows that test the same variables are looked up together.
fn test(
    manager: &mut Manager,
    order: &Order,
    group: &Group,
    table: &Table,
) -> Result<Test, dalsegno_mdd::Stop> {
    let mut classes: BTreeMap<Vec<u32>, Vec<Vec<u32>>> = BTreeMap::new();
    for row in 0..table.len() {
        let tested = group.reads().iter().zip(table.pattern(row));
        let tested = tested.filter_map(|(&v, value)| Some((order.level_of(v) as u32, (*value)?)));
        let mut tested: Vec<(u32, u32)> = tested.collect();
        tested.sort_unstable();
        let (levels, values) = tested.into_iter().unzip();
        classes.entry(levels).or_default().push(values);
    }
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    for (levels, rows) in &classes {
        yes.push(manager.listed(levels, rows, true)?);
        no.push(manager.listed(levels, rows, false)?);
    }
    Ok(Test::Table(manager.any(&yes), manager.all(&no)))
}

fn table_of(group: &Group) -> Option<&Table> {
    match group.action() {
        Action::Table(table) => Some(table),
        Action::Linear(_) | Action::Opaque(_) => None,
    }
}

/// The steps of a function as rows by levels, further copies apart, and whether it is enabled.
fn whole(
    manager: &mut Manager,
    order: &Order,
    rows: &Rows,
) -> (Vec<Vec<TableRow>>, Result<Test, dalsegno_mdd::Stop>) {
    let (levels, list) = products::by_level(order, rows);
    let mut copies: BTreeMap<TableRow, usize> = BTreeMap::new();
    let mut sources: Vec<Vec<u32>> = Vec::new();
    for row in list {
        sources.push(row.iter().map(|entry| entry.1).collect());
        *copies.entry(row).or_default() += 1;
    }
    let most = copies.values().copied().max().unwrap_or(0);
    let list = |copy| {
        let rows = copies.iter().filter(|entry| *entry.1 > copy);
        rows.map(|(row, _)| row.clone()).collect()
    };
    let lists = (0..most).map(list).collect();
    let yes = manager.listed(&levels, &sources, true);
    let no = manager.listed(&levels, &sources, false);
    (lists, yes.and_then(|yes| Ok(Test::Table(yes, no?))))
}
