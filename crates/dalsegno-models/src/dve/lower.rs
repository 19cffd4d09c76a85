//! From a program to a model: one group per transition, or per pair that a channel joins.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dalsegno_kripke::{Bounds, Budget, Group, Model, Stop, Variable};

use super::code::Kind;
use super::compile::{Step, compile};
use super::lexer::Fault;
use super::resolve::{Array, Buffer, Scope, Target, Value};
use super::syntax::{Binary, Message, Process, Program, Transition};
use super::{Error, ErrorKind, MAX_SIZE};
use crate::text_error::TextError;
use crate::watch::Watch;

impl Program {
    /// The model of the program; `text` is what it was parsed from, for errors.
    ///
    /// # Errors
    /// An [`Error`](type@Error) for a name that means nothing, a wrong type, or a model that is too large.
    pub fn to_model(&self, name: &str, text: &str) -> Result<Model, Error> {
        self.to_model_within(name, text, &Budget::unlimited())
    }

    /// As [`Program::to_model`], as long as the time and the memory of the budget last.
    ///
    /// # Errors
    /// As [`Program::to_model`], or where it was given up.
    pub fn to_model_within(&self, name: &str, text: &str, budget: &Budget) -> Result<Model, Error> {
        let model = lower(self, name, &Watch::new(budget));
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
    /// Whether it leaves a committed location.
    committed: bool,
    sync: Option<(usize, Side)>,
}

enum Side {
    Send(Vec<Value>),
    Receive(Vec<Target>),
}

fn lower(program: &Program, name: &str, watch: &Watch<'_>) -> Result<Model, Fault> {
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
    let scope = Scope::new(program, property, watch)?;
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
        let of_process: BTreeSet<&str> = process.committed.iter().map(|s| &s.text[..]).collect();
        for transition in &process.transitions {
            let mut found = resolve(&scope, i, process, transition)?;
            found.committed = of_process.contains(transition.source.text.as_str());
            let kept = watch.keep(found.step.bytes() + found.name.len());
            kept.map_err(|stop| (ErrorKind::Stopped(stop), transition.source.span.clone()))?;
            resolved.push(found);
        }
    }
    let end = || {
        let last = program.processes.last();
        last.map_or(0..0, |p| p.name.span.clone())
    };
    let steps = steps(&scope, &resolved, &committed, watch).map_err(|kind| (kind, end()))?;
    build(&scope, name, &steps, watch).map_err(|kind| (kind, end()))
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
    for (left, value) in &transition.effects {
        step.effects
            .push((scope.target(left, i)?, scope.value(value, Some(i))?));
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
                let parts = parts.iter().map(|left| scope.target(left, i));
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
        committed: false,
        sync,
    })
}

/// The steps of the model with their names: in the order of the transitions, pairs at the place of
/// the sender.
fn steps(
    scope: &Scope,
    resolved: &[Resolved],
    committed: &[(usize, u32, u32)],
    watch: &Watch<'_>,
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
        // What the step is made of, and the code for both frames that follows.
        let kept = watch.keep(3 * step.bytes() + name.len());
        kept.map_err(ErrorKind::Stopped)?;
        steps.push((name, step));
        Ok(())
    };
    for transition in resolved {
        watch.spend(committed.len()).map_err(ErrorKind::Stopped)?;
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
                    watch
                        .spend(1 + committed.len())
                        .map_err(ErrorKind::Stopped)?;
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

fn build(
    scope: &Scope,
    name: &str,
    steps: &[(String, Step)],
    watch: &Watch<'_>,
) -> Result<Model, ErrorKind> {
    let bounds = bounds(scope, steps, watch).map_err(ErrorKind::Stopped)?;
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
        watch.spend(step.bytes()).map_err(ErrorKind::Stopped)?;
        let (reads, writes, action) = compile(step);
        let accessed = reads.len() + writes.len();
        watch.keep(16 * accessed).map_err(ErrorKind::Stopped)?;
        accesses += accessed;
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
fn bounds(scope: &Scope, steps: &[(String, Step)], watch: &Watch<'_>) -> Result<Vec<u32>, Stop> {
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
            if let Target::Element(array, _) = target {
                watch.spend(array.len as usize)?;
            }
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
    Ok(bounds)
}
