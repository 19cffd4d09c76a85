//! Names and types: what a name means in a process, which numbers are constant, where variables lie.

use std::collections::BTreeMap;
use std::sync::Arc;

use dalsegno_kripke::Values;
use dalsegno_logic::nearest;
use rustc_hash::FxHashMap;

use super::code::{Kind, SIGNED_ZERO, binary, unary};
use super::lexer::Fault;
use super::syntax::{
    Binary, Declaration, Expression, ExpressionKind, LeftHandSide, Message, Name, Process, Program,
    Type, Unary,
};
use super::{ErrorKind, MAX_SIZE};
use crate::watch::Watch;

/// An expression whose names are looked up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    Const(i32),
    Load(u32, Kind),
    /// An element of the array of variables that starts at the number, and its index.
    Element(Array, Box<Value>),
    Unary(Unary, Box<Value>),
    Binary(Binary, Box<Value>, Box<Value>),
    /// What is left of a number that was kept in a variable.
    Wrapped(Kind, Box<Value>),
    /// What has no value.
    Undefined,
}

impl Value {
    /// The number of its operators and operands.
    pub(super) fn size(&self) -> usize {
        1 + match self {
            Value::Const(_) | Value::Undefined | Value::Load(..) => 0,
            Value::Element(_, inner) | Value::Unary(_, inner) | Value::Wrapped(_, inner) => {
                inner.size()
            }
            Value::Binary(_, left, right) => left.size() + right.size(),
        }
    }
}

/// What is assigned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Variable(u32, Kind),
    Element(Array, Value),
}

/// Variables in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Array {
    pub first: u32,
    pub len: u32,
    pub kind: Kind,
}

/// A variable of the model.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: String,
    pub kind: Kind,
    pub initial: u32,
    pub values: Values,
    /// The largest value.
    pub most: u32,
}

#[derive(Clone, Copy, Debug)]
enum Entity {
    Constant(i32),
    Scalar(u32, Kind, bool),
    Array(Array, bool),
    Channel(usize),
    Process(usize),
}

impl Entity {
    fn what(self) -> &'static str {
        match self {
            Entity::Constant(_) => "a constant",
            Entity::Scalar(..) => "a variable",
            Entity::Array(..) => "an array",
            Entity::Channel(_) => "a channel",
            Entity::Process(_) => "a process",
        }
    }
}

/// What a process adds to the global names.
#[derive(Debug, Default)]
struct Local {
    names: BTreeMap<String, Entity>,
    states: BTreeMap<String, u32>,
    location: u32,
}

/// A channel: the length of its messages and its buffer.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    pub message: usize,
    pub buffer: Option<Buffer>,
}

/// A buffer: how many messages are in it, and per part of a message the values, the oldest first.
/// Parts behind the last message are 0.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub count: u32,
    pub capacity: u32,
    pub parts: Vec<Array>,
}

/// The names of a program.
#[derive(Debug)]
pub(super) struct Scope {
    pub variables: Vec<Variable>,
    pub channels: Vec<Channel>,
    globals: BTreeMap<String, Entity>,
    locals: Vec<Local>,
}

impl Scope {
    /// Declares everything but a property process, of which `skipped` is the position.
    pub(super) fn new(
        program: &Program,
        skipped: Option<usize>,
        watch: &Watch<'_>,
    ) -> Result<Self, Fault> {
        let spend = |work, name: &Name| {
            let spent = watch.spend(work);
            spent.map_err(|stop| (ErrorKind::Stopped(stop), name.span.clone()))
        };
        let mut scope = Scope {
            variables: Vec::new(),
            channels: Vec::new(),
            globals: BTreeMap::new(),
            locals: Vec::new(),
        };
        for declaration in &program.globals {
            spend(1 + declaration.initial.len(), &declaration.name)?;
            let entity = scope.declare(declaration, "", None)?;
            scope.add_global(&declaration.name, entity)?;
        }
        let uses = first_uses(program, skipped);
        for (i, channel) in program.channels.iter().enumerate() {
            spend(1, &channel.name)?;
            let used = uses.get(channel.name.text.as_str()).copied();
            let entity = scope.channel(channel, used.unwrap_or(0))?;
            scope.channels.push(entity);
            scope.add_global(&channel.name, Entity::Channel(i))?;
        }
        for (i, process) in program.processes.iter().enumerate() {
            scope.add_global(&process.name, Entity::Process(i))?;
        }
        for (i, process) in program.processes.iter().enumerate() {
            scope.locals.push(Local::default());
            spend(
                1 + process.states.len() + process.locals.len(),
                &process.name,
            )?;
            if Some(i) != skipped {
                scope.process(i, process)?;
            }
        }
        Ok(scope)
    }

    fn add_global(&mut self, name: &Name, entity: Entity) -> Result<(), Fault> {
        if self.globals.insert(name.text.clone(), entity).is_some() {
            return Err((ErrorKind::Duplicate(name.text.clone()), name.span.clone()));
        }
        Ok(())
    }

    fn variable(&mut self, name: String, kind: Kind, initial: u32) -> Result<u32, ErrorKind> {
        if self.variables.len() >= MAX_SIZE {
            return Err(ErrorKind::TooLarge("variables"));
        }
        let (values, most) = match kind {
            Kind::Int => (Values::Numbers { zero: SIGNED_ZERO }, 0xffff),
            Kind::Byte | Kind::Location => (Values::default(), 0xff),
        };
        self.variables.push(Variable {
            name,
            kind,
            initial,
            values,
            most,
        });
        Ok(self.variables.len() as u32 - 1)
    }

    /// Declares a variable under a name that begins with `prefix`.
    fn declare(
        &mut self,
        declaration: &Declaration,
        prefix: &str,
        process: Option<usize>,
    ) -> Result<Entity, Fault> {
        let span = declaration.name.span.clone();
        let kind = kind(declaration.ty);
        let name = format!("{prefix}{}", declaration.name.text);
        let initial = declaration.initial.iter();
        let initial = initial.map(|e| self.constant(e, process));
        let initial: Vec<i32> = initial.collect::<Result<_, Fault>>()?;
        let size = match &declaration.size {
            None => None,
            Some(size) => Some(self.size(size, process, 1)?),
        };
        let expected = size.map_or(1, |n| n as usize);
        if initial.len() > expected {
            let found = initial.len();
            return Err((ErrorKind::Initial { expected, found }, span));
        }
        let value = |i: usize| kind.value(initial.get(i).copied().unwrap_or(0));
        let Some(len) = size else {
            if declaration.constant {
                let number = initial.first().copied();
                return Ok(Entity::Constant(number.unwrap_or(0)));
            }
            let id = self.variable(name, kind, value(0));
            let id = id.map_err(|kind| (kind, span))?;
            return Ok(Entity::Scalar(id, kind, declaration.constant));
        };
        let first = self.variables.len() as u32;
        for i in 0..len as usize {
            let id = self.variable(format!("{name}[{i}]"), kind, value(i));
            id.map_err(|kind| (kind, span.clone()))?;
        }
        let array = Array { first, len, kind };
        Ok(Entity::Array(array, declaration.constant))
    }

    fn size(&self, e: &Expression, process: Option<usize>, least: i32) -> Result<u32, Fault> {
        let size = self.constant(e, process)?;
        if size < least || usize::try_from(size).is_ok_and(|n| n > MAX_SIZE) {
            return Err((ErrorKind::Size(size, least), e.span.clone()));
        }
        Ok(size.cast_unsigned())
    }

    /// Declares a channel; `used` is the length of the first message on it.
    fn channel(&mut self, channel: &super::syntax::Channel, used: usize) -> Result<Channel, Fault> {
        let name = &channel.name;
        let kinds: Vec<Kind> = match &channel.message {
            Some(types) => types.iter().map(|&ty| kind(ty)).collect(),
            // Without a declaration the first use tells.
            None => vec![Kind::Int; used],
        };
        let capacity = match &channel.capacity {
            None => 0,
            Some(capacity) => self.size(capacity, None, 0)?,
        };
        let mut buffer = None;
        if capacity > 0 {
            let too_large = |kind| (kind, name.span.clone());
            let variable = self.variable(format!("{}.length", name.text), Kind::Byte, 0);
            let count = variable.map_err(too_large)?;
            self.variables[count as usize].kind = Kind::Location;
            self.variables[count as usize].most = capacity;
            let mut parts = Vec::new();
            for (k, &kind) in kinds.iter().enumerate() {
                let first = self.variables.len() as u32;
                for i in 0..capacity {
                    let part = if kinds.len() == 1 {
                        format!("{}[{i}]", name.text)
                    } else {
                        format!("{}[{i}].{k}", name.text)
                    };
                    self.variable(part, kind, kind.value(0))
                        .map_err(too_large)?;
                }
                let len = capacity;
                parts.push(Array { first, len, kind });
            }
            buffer = Some(Buffer {
                count,
                capacity,
                parts,
            });
        }
        Ok(Channel {
            message: kinds.len(),
            buffer,
        })
    }

    fn process(&mut self, i: usize, process: &Process) -> Result<(), Fault> {
        let name = &process.name;
        let variable = self.variable(name.text.clone(), Kind::Location, 0);
        let location = variable.map_err(|kind| (kind, name.span.clone()))?;
        self.locals[i].location = location;
        for (number, state) in (0..).zip(&process.states) {
            let states = &mut self.locals[i].states;
            if states.insert(state.text.clone(), number).is_some() {
                return Err((ErrorKind::Duplicate(state.text.clone()), state.span.clone()));
            }
        }
        let names: Arc<[String]> = process.states.iter().map(|s| s.text.clone()).collect();
        let initial = self.state(i, &process.initial)?;
        let variable = &mut self.variables[location as usize];
        variable.initial = initial;
        variable.most = names.len() as u32 - 1;
        variable.values = Values::Names(names);
        let prefix = format!("{}.", name.text);
        for declaration in &process.locals {
            let entity = self.declare(declaration, &prefix, Some(i))?;
            let name = &declaration.name;
            if self.locals[i]
                .names
                .insert(name.text.clone(), entity)
                .is_some()
            {
                return Err((ErrorKind::Duplicate(name.text.clone()), name.span.clone()));
            }
        }
        Ok(())
    }

    /// The variable that holds the location of a process.
    pub(super) fn location(&self, process: usize) -> u32 {
        self.locals[process].location
    }

    /// The number of a location.
    pub(super) fn state(&self, process: usize, name: &Name) -> Result<u32, Fault> {
        let states = &self.locals[process].states;
        let unknown = || unknown("state", name, states.keys());
        states.get(&name.text).copied().ok_or_else(unknown)
    }

    fn find(&self, process: Option<usize>, name: &Name) -> Result<Entity, Fault> {
        let local = process.and_then(|p| self.locals[p].names.get(&name.text));
        if let Some(&entity) = local.or_else(|| self.globals.get(&name.text)) {
            return Ok(entity);
        }
        let near = process
            .into_iter()
            .flat_map(|p| self.locals[p].names.keys());
        Err(unknown("variable", name, near.chain(self.globals.keys())))
    }

    /// A channel and its number.
    pub(super) fn find_channel(&self, process: usize, name: &Name) -> Result<usize, Fault> {
        match self.find(Some(process), name) {
            Ok(Entity::Channel(i)) => Ok(i),
            Ok(other) => Err(mismatch(name, other, "a channel")),
            Err(_) => {
                let channels = self.globals.iter();
                let channels = channels.filter(|(_, e)| matches!(e, Entity::Channel(_)));
                Err(unknown("channel", name, channels.map(|(name, _)| name)))
            }
        }
    }

    fn constant(&self, e: &Expression, process: Option<usize>) -> Result<i32, Fault> {
        match self.value(e, process)? {
            Value::Const(number) => Ok(number),
            _ => Err((ErrorKind::NotConstant, e.span.clone())),
        }
    }

    /// An expression of a process, with constants computed.
    pub(super) fn value(&self, e: &Expression, process: Option<usize>) -> Result<Value, Fault> {
        match &e.kind {
            ExpressionKind::Number(number) => Ok(Value::Const(*number)),
            ExpressionKind::Variable(name, index) => {
                let entity = self.find(process, name)?;
                self.read(name, entity, index.as_deref(), process)
            }
            ExpressionKind::Foreign(owner, name, index) => {
                self.foreign(owner, name, index.as_deref(), process)
            }
            ExpressionKind::Unary(operator, inner) => Ok(match self.value(inner, process)? {
                Value::Const(number) => Value::Const(unary(*operator, number)),
                inner => Value::Unary(*operator, Box::new(inner)),
            }),
            ExpressionKind::Binary(operator, left, right) => {
                let (left, right) = (self.value(left, process)?, self.value(right, process)?);
                if let (&Value::Const(l), &Value::Const(r)) = (&left, &right) {
                    let number = binary(*operator, l, r);
                    let number = number.ok_or((ErrorKind::DivisionByZero, e.span.clone()))?;
                    return Ok(Value::Const(number));
                }
                Ok(Value::Binary(*operator, Box::new(left), Box::new(right)))
            }
        }
    }

    fn foreign(
        &self,
        owner: &Name,
        name: &Name,
        index: Option<&Expression>,
        process: Option<usize>,
    ) -> Result<Value, Fault> {
        let other = match self.globals.get(&owner.text) {
            Some(&Entity::Process(other)) => other,
            Some(&entity) => return Err(mismatch(owner, entity, "a process")),
            None => {
                let processes = self.globals.iter();
                let processes = processes.filter(|(_, e)| matches!(e, Entity::Process(_)));
                return Err(unknown("process", owner, processes.map(|(name, _)| name)));
            }
        };
        let local = &self.locals[other];
        if let (Some(&number), None) = (local.states.get(&name.text), index) {
            let location = Value::Load(local.location, Kind::Location);
            let number = Value::Const(number.cast_signed());
            return Ok(Value::Binary(
                Binary::Eq,
                Box::new(location),
                Box::new(number),
            ));
        }
        match local.names.get(&name.text) {
            Some(&entity) => self.read(name, entity, index, process),
            None => Err(unknown(
                "state or variable of this process",
                name,
                local.states.keys().chain(local.names.keys()),
            )),
        }
    }

    fn read(
        &self,
        name: &Name,
        entity: Entity,
        index: Option<&Expression>,
        process: Option<usize>,
    ) -> Result<Value, Fault> {
        match (entity, index) {
            (Entity::Constant(number), None) => Ok(Value::Const(number)),
            (Entity::Scalar(id, kind, _), None) => Ok(Value::Load(id, kind)),
            (Entity::Array(array, _), Some(index)) => {
                Ok(match self.element(name, array, index, process)? {
                    Target::Variable(id, kind) => Value::Load(id, kind),
                    Target::Element(array, index) => Value::Element(array, Box::new(index)),
                })
            }
            (entity, None) => Err(mismatch(name, entity, "a number")),
            (entity, Some(_)) => Err(mismatch(name, entity, "an array")),
        }
    }

    fn element(
        &self,
        name: &Name,
        array: Array,
        index: &Expression,
        process: Option<usize>,
    ) -> Result<Target, Fault> {
        match self.value(index, process)? {
            Value::Const(number) => match u32::try_from(number) {
                Ok(i) if i < array.len => Ok(Target::Variable(array.first + i, array.kind)),
                _ => {
                    let kind = ErrorKind::Index {
                        name: name.text.clone(),
                        size: array.len as usize,
                        index: number,
                    };
                    Err((kind, index.span.clone()))
                }
            },
            index => Ok(Target::Element(array, index)),
        }
    }

    /// What a process assigns.
    pub(super) fn target(&self, left: &LeftHandSide, process: usize) -> Result<Target, Fault> {
        let name = &left.name;
        let constant = || Err((ErrorKind::Constant(name.text.clone()), name.span.clone()));
        match (self.find(Some(process), name)?, &left.index) {
            (Entity::Constant(_) | Entity::Scalar(_, _, true) | Entity::Array(_, true), _) => {
                constant()
            }
            (Entity::Scalar(id, kind, _), None) => Ok(Target::Variable(id, kind)),
            (Entity::Array(array, _), Some(index)) => {
                self.element(name, array, index, Some(process))
            }
            (entity, None) => Err(mismatch(name, entity, "a variable")),
            (entity, Some(_)) => Err(mismatch(name, entity, "an array")),
        }
    }
}

fn kind(ty: Type) -> Kind {
    match ty {
        Type::Byte => Kind::Byte,
        Type::Int => Kind::Int,
    }
}

/// Per channel that is used, the length of the first message that is sent or received on it.
fn first_uses(program: &Program, skipped: Option<usize>) -> FxHashMap<&str, usize> {
    let mut found = FxHashMap::default();
    let processes = program.processes.iter().enumerate();
    let transitions = processes
        .filter(|&(i, _)| Some(i) != skipped)
        .flat_map(|(_, p)| &p.transitions);
    for sync in transitions.filter_map(|t| t.sync.as_ref()) {
        let length = match &sync.message {
            Message::Send(parts) => parts.len(),
            Message::Receive(parts) => parts.len(),
        };
        found.entry(sync.channel.text.as_str()).or_insert(length);
    }
    found
}

fn mismatch(name: &Name, entity: Entity, wanted: &'static str) -> Fault {
    let kind = ErrorKind::Mismatch {
        name: name.text.clone(),
        is: entity.what(),
        wanted,
    };
    (kind, name.span.clone())
}

fn unknown<'a>(
    what: &'static str,
    name: &Name,
    candidates: impl Iterator<Item = &'a String>,
) -> Fault {
    let near = nearest::nearest(&name.text, candidates.map(String::as_str));
    let kind = ErrorKind::Unknown {
        what,
        name: name.text.clone(),
        nearest: near.into_iter().map(str::to_owned).collect(),
    };
    (kind, name.span.clone())
}
