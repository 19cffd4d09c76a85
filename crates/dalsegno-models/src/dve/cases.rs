//! Transitions taken apart: guards and effects that look at few variables each.
//!
//! The effects of a transition happen one after the other. Symbolic execution turns them into effects that
//! happen at once, each a number computed from the state before. An element of an array whose index
//! depends on the state is many variables; so where there is one, the transition is split by the
//! value of the index into cases that name a variable each, and one in which there is no such
//! element. What is left is a conjunction of guards and, per variable written, an effect: the parts
//! of a product. A guard that looks at no other variables than an effect joins it.
//!
//! Cost: the size of the transition, times the number of its cases, which is limited.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dalsegno_kripke::{Cases, Group, Opaque, Undefined, VarId};

use super::code::{Code, Kind, binary, unary};
use super::compile::{Frame, Step};
use super::resolve::{Array, Target, Value};
use super::syntax::Binary;

/// The most cases of a transition.
const MOST_CASES: usize = 256;

/// The most operators and operands that one case may have while it is executed.
const MOST_NODES: usize = 1 << 13;

/// The cases of a step, unless they are too many or too large.
pub(super) fn cases(step: &Step) -> Option<Cases> {
    let mut open = vec![Vec::new()];
    let mut found = Cases::default();
    let mut runs = 0;
    while let Some(choices) = open.pop() {
        runs += 1;
        if runs > 2 * MOST_CASES {
            return None;
        }
        let mut path = Path {
            choices,
            assigned: BTreeMap::new(),
            left: MOST_NODES,
        };
        match path.execute(step) {
            Ok(outcome) => outcome.add_to(&mut found),
            Err(Halt::Large) => return None,
            Err(Halt::Open(index, len)) => {
                if is_fallible(&index) {
                    return None;
                }
                let values = (0..len).map(Some).chain([None]);
                for value in values.rev() {
                    let mut choices = path.choices.clone();
                    choices.push(Choice {
                        index: index.clone(),
                        len,
                        value,
                    });
                    open.push(choices);
                }
                if open.len() > MOST_CASES {
                    return None;
                }
            }
        }
    }
    Some(found)
}

/// An index and what it is taken to be.
#[derive(Clone)]
struct Choice {
    index: Value,
    /// The length of the array.
    len: u32,
    /// `None` if it is out of range.
    value: Option<u32>,
}

impl Choice {
    /// The condition that it is so.
    fn guard(&self) -> Value {
        let compare = |operator, number: u32| {
            let number = Value::Const(number.cast_signed());
            Value::Binary(operator, Box::new(self.index.clone()), Box::new(number))
        };
        match self.value {
            Some(value) => compare(Binary::Eq, value),
            None => Value::Binary(
                Binary::Or,
                Box::new(compare(Binary::Lt, 0)),
                Box::new(compare(Binary::Ge, self.len)),
            ),
        }
    }
}

/// Why an execution does not go on.
enum Halt {
    /// There is no choice yet for an index of an array of this length.
    Open(Value, u32),
    /// There is too much of it.
    Large,
}

/// One execution.
struct Path {
    choices: Vec<Choice>,
    /// The values of variables that are assigned, by the values of the state before.
    assigned: BTreeMap<u32, (Kind, Value)>,
    left: usize,
}

/// What is known after an execution.
#[derive(Default)]
struct Outcome {
    /// In the order in which they are looked at.
    guards: Vec<Value>,
    /// What is computed once they hold and may have no value.
    fallible: Vec<Value>,
    /// Whether something has no value in any case.
    fails: bool,
    effects: BTreeMap<u32, (Kind, Value)>,
}

impl Path {
    fn execute(&mut self, step: &Step) -> Result<Outcome, Halt> {
        let mut outcome = Outcome::default();
        for choice in &self.choices {
            outcome.guards.push(choice.guard());
        }
        for &(location, before, _) in &step.moves {
            let location = Value::Load(location, Kind::Location);
            let before = Value::Const(before.cast_signed());
            let there = Value::Binary(Binary::Eq, Box::new(location), Box::new(before));
            outcome.guards.push(there);
        }
        for guard in &step.guards {
            let guard = self.value(guard)?;
            conjuncts(guard, &mut outcome.guards);
        }
        for (target, value) in &step.effects {
            let (variable, kind) = match target {
                Target::Variable(id, kind) => (Some(*id), *kind),
                Target::Element(array, index) => {
                    let index = self.value(index)?;
                    outcome.note(&index);
                    (self.element(*array, &index)?, array.kind)
                }
            };
            let value = self.value(value)?;
            outcome.note(&value);
            match variable {
                Some(variable) => {
                    self.assigned.insert(variable, (kind, wrapped(kind, value)));
                }
                None => outcome.fails = true,
            }
        }
        outcome.effects = std::mem::take(&mut self.assigned);
        for &(location, before, after) in &step.moves {
            if before != after {
                let after = Value::Const(after.cast_signed());
                outcome.effects.insert(location, (Kind::Location, after));
            }
        }
        Ok(outcome)
    }

    /// The variable of an element; `None` if there is no such element.
    fn element(&self, array: Array, index: &Value) -> Result<Option<u32>, Halt> {
        let place = match index {
            Value::Undefined => None,
            Value::Const(number) => u32::try_from(*number).ok().filter(|&i| i < array.len),
            index => {
                let is = |choice: &&Choice| choice.len == array.len && choice.index == *index;
                match self.choices.iter().find(is) {
                    Some(choice) => choice.value,
                    None => return Err(Halt::Open(index.clone(), array.len)),
                }
            }
        };
        Ok(place.map(|place| array.first + place))
    }

    /// The value of a variable by now.
    fn load(&mut self, id: u32, kind: Kind) -> Result<Value, Halt> {
        match self.assigned.get(&id) {
            None => Ok(Value::Load(id, kind)),
            Some((_, value)) => {
                let value = value.clone();
                self.pay(value.size())?;
                Ok(value)
            }
        }
    }

    fn pay(&mut self, nodes: usize) -> Result<(), Halt> {
        self.left = self.left.checked_sub(nodes).ok_or(Halt::Large)?;
        Ok(())
    }

    /// A value by the values of the state before.
    fn value(&mut self, value: &Value) -> Result<Value, Halt> {
        self.pay(1)?;
        match value {
            Value::Const(_) | Value::Undefined => Ok(value.clone()),
            Value::Load(id, kind) => self.load(*id, *kind),
            Value::Element(array, index) => {
                let index = self.value(index)?;
                match self.element(*array, &index)? {
                    Some(id) => self.load(id, array.kind),
                    None => Ok(Value::Undefined),
                }
            }
            Value::Wrapped(kind, inner) => Ok(wrapped(*kind, self.value(inner)?)),
            Value::Unary(operator, inner) => Ok(match self.value(inner)? {
                Value::Const(number) => Value::Const(unary(*operator, number)),
                Value::Undefined => Value::Undefined,
                inner => Value::Unary(*operator, Box::new(inner)),
            }),
            Value::Binary(operator, left, right) => {
                let left = self.value(left)?;
                match (operator, &left) {
                    (_, Value::Undefined) => return Ok(Value::Undefined),
                    (Binary::And, Value::Const(0)) => return Ok(Value::Const(0)),
                    (Binary::Imply, Value::Const(0)) => return Ok(Value::Const(1)),
                    (Binary::Or, Value::Const(number)) if *number != 0 => {
                        return Ok(Value::Const(1));
                    }
                    _ => {}
                }
                let right = self.value(right)?;
                let lazy = matches!(operator, Binary::And | Binary::Or | Binary::Imply);
                Ok(match (&left, &right) {
                    (Value::Const(l), Value::Const(r)) => {
                        binary(*operator, *l, *r).map_or(Value::Undefined, Value::Const)
                    }
                    (_, Value::Undefined) if !lazy || matches!(left, Value::Const(_)) => {
                        Value::Undefined
                    }
                    _ => Value::Binary(*operator, Box::new(left), Box::new(right)),
                })
            }
        }
    }
}

/// What is left of a value in a variable.
fn wrapped(kind: Kind, value: Value) -> Value {
    match value {
        Value::Const(number) => Value::Const(kind.wrapped(number)),
        Value::Undefined => Value::Undefined,
        // What comes from such a variable fits.
        Value::Load(_, from) if from == kind => value,
        value => Value::Wrapped(kind, Box::new(value)),
    }
}

/// The parts of a conjunction, in their order.
fn conjuncts(value: Value, list: &mut Vec<Value>) {
    match value {
        Value::Binary(Binary::And, left, right) => {
            conjuncts(*left, list);
            conjuncts(*right, list);
        }
        value => list.push(value),
    }
}

/// Whether there may be no value.
fn is_fallible(value: &Value) -> bool {
    match value {
        Value::Const(_) | Value::Load(..) => false,
        Value::Undefined | Value::Element(..) => true,
        Value::Unary(_, inner) | Value::Wrapped(_, inner) => is_fallible(inner),
        Value::Binary(operator, left, right) => {
            let divides = matches!(operator, Binary::Divide | Binary::Remainder);
            let zero = divides && !matches!(**right, Value::Const(number) if number != 0);
            zero || is_fallible(left) || is_fallible(right)
        }
    }
}

fn reads(value: &Value, set: &mut BTreeSet<u32>) {
    match value {
        Value::Const(_) | Value::Undefined => {}
        Value::Load(id, _) => {
            set.insert(*id);
        }
        Value::Element(array, index) => {
            set.extend(array.first..array.first + array.len);
            reads(index, set);
        }
        Value::Unary(_, inner) | Value::Wrapped(_, inner) => reads(inner, set),
        Value::Binary(_, left, right) => {
            reads(left, set);
            reads(right, set);
        }
    }
}

impl Outcome {
    /// Notes that a value is computed once the guards hold.
    fn note(&mut self, value: &Value) {
        match value {
            Value::Undefined => self.fails = true,
            value if is_fallible(value) => self.fallible.push(value.clone()),
            _ => {}
        }
    }

    fn add_to(self, cases: &mut Cases) {
        // Where a guard has no value and those before it hold, the transition has no meaning.
        for (i, guard) in self.guards.iter().enumerate() {
            if is_fallible(guard) {
                let parts = parts(&self.guards[..i], &BTreeMap::new());
                cases.faults.extend(with_failure(parts, guard));
            }
        }
        let Some(guards) = parts(&self.guards, &BTreeMap::new()) else {
            return;
        };
        for value in &self.fallible {
            cases
                .faults
                .extend(with_failure(Some(guards.clone()), value));
        }
        if self.fails {
            cases.faults.push(guards);
            return;
        }
        cases.steps.extend(parts(&self.guards, &self.effects));
    }
}

/// The parts together with the condition that a value cannot be computed.
fn with_failure(parts: Option<Vec<Group>>, value: &Value) -> Option<Vec<Group>> {
    let mut parts = parts?;
    let mut set = BTreeSet::new();
    reads(value, &mut set);
    parts.push(group(&set, None, &[value], Wanted::Failure));
    Some(parts)
}

/// The parts of a product; `None` if it is never enabled.
fn parts(guards: &[Value], effects: &BTreeMap<u32, (Kind, Value)>) -> Option<Vec<Group>> {
    let mut tests: Vec<(BTreeSet<u32>, &Value)> = Vec::new();
    for guard in guards {
        match guard {
            Value::Const(0) | Value::Undefined => return None,
            Value::Const(_) => {}
            guard => {
                let mut set = BTreeSet::new();
                reads(guard, &mut set);
                tests.push((set, guard));
            }
        }
    }
    let mut found = Vec::new();
    let mut joined = vec![false; tests.len()];
    for (&id, (kind, value)) in effects {
        if matches!(value, Value::Load(same, _) if *same == id) {
            continue;
        }
        let mut read = BTreeSet::new();
        reads(value, &mut read);
        let mut known = read.clone();
        known.insert(id);
        let mut code = Vec::new();
        for ((set, guard), joined) in tests.iter().zip(&mut joined) {
            if set.is_subset(&known) {
                *joined = true;
                read.extend(set);
                code.push(*guard);
            }
        }
        let effect = Some((id, *kind, value));
        found.push(group(&read, effect, &code, Wanted::Truth));
    }
    let mut rest: Vec<(BTreeSet<u32>, Vec<&Value>)> = Vec::new();
    let mut left: Vec<&(BTreeSet<u32>, &Value)> = Vec::new();
    left.extend(tests.iter().zip(joined).filter(|t| !t.1).map(|t| t.0));
    // Large ones first, so that small ones find one to join.
    left.sort_by_key(|test| std::cmp::Reverse(test.0.len()));
    for (set, guard) in left {
        match rest.iter_mut().find(|(other, _)| set.is_subset(other)) {
            Some((_, code)) => code.push(guard),
            None => rest.push((set.clone(), vec![guard])),
        }
    }
    for (set, code) in rest {
        found.push(group(&set, None, &code, Wanted::Truth));
    }
    Some(found)
}

fn group(
    read: &BTreeSet<u32>,
    effect: Option<(u32, Kind, &Value)>,
    guards: &[&Value],
    wanted: Wanted,
) -> Group {
    let list: Vec<u32> = read.iter().copied().collect();
    let frame = Frame::Local {
        reads: &list,
        only_written: &[],
    };
    let part = Part {
        guard: (!guards.is_empty()).then(|| frame.code(guards.iter().copied())),
        wanted,
        effect: effect.map(|(_, kind, value)| (kind, frame.code([value]))),
    };
    let reads = list.iter().map(|&v| VarId(v)).collect();
    let writes = effect.iter().map(|effect| VarId(effect.0)).collect();
    Group::opaque("", reads, writes, Arc::new(part))
}

/// What a guard must do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    Truth,
    Failure,
}

/// A guard and an effect on one variable at most.
#[derive(Debug)]
struct Part {
    guard: Option<Code>,
    wanted: Wanted,
    effect: Option<(Kind, Code)>,
}

impl Opaque for Part {
    fn enabled(&self, read: &[u32]) -> bool {
        self.guard.as_ref().is_none_or(|guard| {
            let result = guard.run(read);
            match self.wanted {
                Wanted::Truth => result.is_ok_and(|number| number != 0),
                Wanted::Failure => result.is_err(),
            }
        })
    }

    fn successors(
        &self,
        read: &[u32],
        write: &mut [u32],
        emit: &mut dyn FnMut(&[u32]),
    ) -> Result<(), Undefined> {
        if !self.enabled(read) {
            return Ok(());
        }
        if let Some((kind, code)) = &self.effect {
            // Where there is no value, the product is among the faults.
            let Ok(number) = code.run(read) else {
                return Ok(());
            };
            write[0] = kind.value(number);
        }
        emit(write);
        Ok(())
    }
}
