//! From a program to a model: one group per transition, or per pair that a channel joins.

use std::collections::BTreeMap;
use std::sync::Arc;

use dalsegno_kripke::{Bounds, Group, Model, Variable};

use super::code::Kind;
use super::compile::{Step, compile};
use super::lexer::Fault;
use super::resolve::{Array, Buffer, Scope, Target, Value};
use super::syntax::{Binary, Message, Process, Program, Transition};
use super::{Error, ErrorKind, MAX_SIZE};
use crate::place::TextError;

impl Program {
    /// The model of the program; `text` is what it was parsed from, for errors.
    ///
    /// # Errors
    /// An [`Error`](type@Error) for a name that means nothing, a wrong type, or a model that is too large.
    pub fn to_model(&self, name: &str, text: &str) -> Result<Model, Error> {
        let model = lower(self, name);
        model.map_err(|(kind, span)| TextError::new(kind, text, span))
    }
}

/// The most guards and effects of all groups together, and of variables that they read and write.
const MAX_PARTS: usize = 1 << 22;

/// A transition whose names are looked up.
struct Resolved {
    process: usize,
    name: String,
    step: Step,
    committed: bool,
    sync: Option<(usize, Side)>,
}

enum Side {
    Send(Vec<Value>),
    Receive(Vec<Target>),
}

fn lower(program: &Program, name: &str) -> Result<Model, Fault> {
    let property = match &program.property {
        None => None,
        Some(property) => {
            let is = |p: &Process| p.name.text == property.text;
            let position = program.processes.iter().position(is);
            let unknown = || {
                let kind = ErrorKind::Unknown {
                    what: "process",
                    name: property.text.clone(),
                    nearest: Vec::new(),
                };
                (kind, property.span.clone())
            };
            Some(position.ok_or_else(unknown)?)
        }
    };
    let scope = Scope::new(program, property)?;
    let mut resolved = Vec::new();
    let mut committed = Vec::new();
    for (i, process) in program.processes.iter().enumerate() {
        if Some(i) == property {
            continue;
        }
        let states = process.committed.iter().chain(&process.accepting);
        let states = states.chain(process.assertions.iter().map(|(state, _)| state));
        for state in states {
            scope.state(i, state)?;
        }
        for (_, assertion) in &process.assertions {
            scope.value(assertion, Some(i))?;
        }
        for state in &process.committed {
            committed.push((i, scope.location(i), scope.state(i, state)?));
        }
        for transition in &process.transitions {
            resolved.push(resolve(&scope, i, process, transition)?);
        }
    }
    let end = || {
        let last = program.processes.last();
        last.map_or(0..0, |p| p.name.span.clone())
    };
    let steps = steps(&scope, &resolved, &committed).map_err(|kind| (kind, end()))?;
    build(&scope, name, &steps).map_err(|kind| (kind, end()))
}

fn resolve(
    scope: &Scope,
    i: usize,
    process: &Process,
    transition: &Transition,
) -> Result<Resolved, Fault> {
    let (source, target) = (&transition.source, &transition.target);
    let (before, after) = (scope.state(i, source)?, scope.state(i, target)?);
    let mut step = Step {
        moves: vec![(scope.location(i), before, after)],
        ..Step::default()
    };
    if let Some(guard) = &transition.guard {
        step.guards.push(scope.value(guard, Some(i))?);
    }
    for (place, value) in &transition.effects {
        step.effects
            .push((scope.place(place, i)?, scope.value(value, Some(i))?));
    }
    let mut sync = None;
    if let Some(used) = &transition.sync {
        let channel = scope.find_channel(i, &used.channel)?;
        let side = match &used.message {
            Message::Send(parts) => {
                let parts = parts.iter().map(|e| scope.value(e, Some(i)));
                Side::Send(parts.collect::<Result<_, Fault>>()?)
            }
            Message::Receive(parts) => {
                let parts = parts.iter().map(|place| scope.place(place, i));
                Side::Receive(parts.collect::<Result<_, Fault>>()?)
            }
        };
        let found = match &side {
            Side::Send(parts) => parts.len(),
            Side::Receive(parts) => parts.len(),
        };
        let expected = scope.channels[channel].message;
        if found != expected {
            let kind = ErrorKind::Message {
                channel: used.channel.text.clone(),
                expected,
                found,
            };
            return Err((kind, used.channel.span.clone()));
        }
        sync = Some((channel, side));
    }
    Ok(Resolved {
        process: i,
        name: format!("{}: {} -> {}", process.name.text, source.text, target.text),
        step,
        committed: process.committed.iter().any(|s| s.text == source.text),
        sync,
    })
}

/// The steps of the model with their names: in the order of the transitions, pairs at the place of
/// the sender.
fn steps(
    scope: &Scope,
    resolved: &[Resolved],
    committed: &[(usize, u32, u32)],
) -> Result<Vec<(String, Step)>, ErrorKind> {
    let mut receivers: BTreeMap<usize, Vec<&Resolved>> = BTreeMap::new();
    for transition in resolved {
        if let Some((channel, Side::Receive(_))) = transition.sync {
            receivers.entry(channel).or_default().push(transition);
        }
    }
    let mut steps = Vec::new();
    let mut parts_of_steps = 0;
    let mut add = |name: String, mut step: Step, parts: &[&Resolved]| {
        if steps.len() >= MAX_SIZE {
            return Err(ErrorKind::TooLarge("groups"));
        }
        if !parts.iter().any(|part| part.committed) {
            let others = committed.iter();
            let others = others.filter(|(p, ..)| parts.iter().all(|part| part.process != *p));
            step.guards.splice(
                0..0,
                others.map(|&(_, location, state)| {
                    let location = Value::Load(location, Kind::Location);
                    let state = Value::Const(state.cast_signed());
                    Value::Binary(Binary::Ne, Box::new(location), Box::new(state))
                }),
            );
        }
        parts_of_steps += step.guards.len() + step.effects.len();
        if parts_of_steps > MAX_PARTS {
            return Err(ErrorKind::TooLarge("guards and effects of groups"));
        }
        steps.push((name, step));
        Ok(())
    };
    for transition in resolved {
        let step = transition.step.clone();
        let name = transition.name.clone();
        let Some((channel, side)) = &transition.sync else {
            add(name, step, &[transition])?;
            continue;
        };
        match (&scope.channels[*channel].buffer, side) {
            (Some(buffer), Side::Send(values)) => {
                add(name, enqueue(buffer, values, step), &[transition])?;
            }
            (Some(buffer), Side::Receive(targets)) => {
                add(name, dequeue(buffer, targets, step), &[transition])?;
            }
            (None, Side::Send(values)) => {
                for receiver in receivers.get(channel).into_iter().flatten() {
                    let Some((_, Side::Receive(targets))) = &receiver.sync else {
                        continue;
                    };
                    if receiver.process == transition.process {
                        continue;
                    }
                    let message = targets.iter().cloned().zip(values.iter().cloned());
                    let mut both = step.clone();
                    both.moves.extend(&receiver.step.moves);
                    both.guards.extend(receiver.step.guards.iter().cloned());
                    both.effects.splice(0..0, message);
                    both.effects.extend(receiver.step.effects.iter().cloned());
                    let name = format!("{name} / {}", receiver.name);
                    add(name, both, &[transition, receiver])?;
                }
            }
            (None, Side::Receive(_)) => {}
        }
    }
    Ok(steps)
}

fn first(array: Array) -> Target {
    Target::Variable(array.first, array.kind)
}

/// Puts a message behind the others, if there is room.
fn enqueue(buffer: &Buffer, values: &[Value], mut step: Step) -> Step {
    let count = || Value::Load(buffer.count, Kind::Location);
    let number = |n: u32| Box::new(Value::Const(n.cast_signed()));
    let room = Value::Binary(Binary::Lt, Box::new(count()), number(buffer.capacity));
    step.guards.push(room);
    let parts = buffer.parts.iter().zip(values);
    let stored = parts.map(|(&array, value)| (Target::Element(array, count()), value.clone()));
    let more = Value::Binary(Binary::Add, Box::new(count()), number(1));
    let counted = (Target::Variable(buffer.count, Kind::Location), more);
    step.effects.splice(0..0, stored.chain([counted]));
    step
}

/// Takes the oldest message, if there is one; the others move up.
fn dequeue(buffer: &Buffer, targets: &[Target], mut step: Step) -> Step {
    let count = || Value::Load(buffer.count, Kind::Location);
    let number = |n: i32| Box::new(Value::Const(n));
    let some = Value::Binary(Binary::Gt, Box::new(count()), number(0));
    step.guards.push(some);
    let mut effects = Vec::new();
    for (target, &array) in targets.iter().zip(&buffer.parts) {
        effects.push((target.clone(), Value::Load(array.first, array.kind)));
    }
    for &array in &buffer.parts {
        for i in array.first..array.first + array.len {
            let next = if i + 1 < array.first + array.len {
                Value::Load(i + 1, array.kind)
            } else {
                Value::Const(0)
            };
            let place = Array { first: i, ..array };
            effects.push((first(place), next));
        }
    }
    let fewer = Value::Binary(Binary::Subtract, Box::new(count()), number(1));
    effects.push((Target::Variable(buffer.count, Kind::Location), fewer));
    step.effects.splice(0..0, effects);
    step
}

fn build(scope: &Scope, name: &str, steps: &[(String, Step)]) -> Result<Model, ErrorKind> {
    let bounds = bounds(scope, steps);
    let variables = scope.variables.iter().zip(bounds);
    let variables = variables.map(|(v, bound)| Variable {
        name: v.name.clone(),
        bounds: Bounds::proved(bound),
    });
    let mut used: BTreeMap<String, u32> = BTreeMap::new();
    let mut groups = Vec::with_capacity(steps.len());
    let mut accesses = 0;
    for (name, step) in steps {
        let count = used.entry(name.clone()).or_insert(0);
        *count += 1;
        let name = match *count {
            1 => name.clone(),
            n => format!("{name} #{n}"),
        };
        let (reads, writes, action) = compile(step);
        accesses += reads.len() + writes.len();
        if accesses > MAX_PARTS {
            return Err(ErrorKind::TooLarge("variables read and written by groups"));
        }
        groups.push(Group::opaque(name, reads, writes, Arc::new(action)));
    }
    let initial = scope.variables.iter().map(|v| v.initial).collect();
    let values = scope.variables.iter().map(|v| v.values.clone()).collect();
    let model = Model::new(name, variables.collect(), vec![initial], groups)?;
    Ok(model.with_values(values))
}

/// The largest value of each variable: of those that are only assigned constants, the largest of
/// these.
fn bounds(scope: &Scope, steps: &[(String, Step)]) -> Vec<u32> {
    let mut bounds: Vec<u32> = scope.variables.iter().map(|v| v.initial).collect();
    let most = |v: u32| scope.variables[v as usize].most;
    let mut grow = |v: u32, value: u32| {
        let bound = &mut bounds[v as usize];
        *bound = value.max(*bound);
    };
    for (_, step) in steps {
        for &(location, _, after) in &step.moves {
            grow(location, after);
        }
        for (target, value) in &step.effects {
            match (target, value) {
                (Target::Variable(v, kind), Value::Const(number)) => grow(*v, kind.value(*number)),
                (Target::Variable(v, _), _) => grow(*v, most(*v)),
                (Target::Element(array, _), Value::Const(number)) => {
                    let elements = array.first..array.first + array.len;
                    elements.for_each(|v| grow(v, array.kind.value(*number)));
                }
                (Target::Element(array, _), _) => {
                    let elements = array.first..array.first + array.len;
                    elements.for_each(|v| grow(v, most(v)));
                }
            }
        }
    }
    bounds
}
