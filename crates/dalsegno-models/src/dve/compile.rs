//! From looked-up expressions to code: which variables a group reads and writes, and where they lie in
//! its frame.
//!
//! A variable that is assigned before it is looked at is written and not read. An index that is only
//! known at run time reads the whole array, and writes it if it is assigned.

use std::collections::BTreeSet;

use dalsegno_kripke::VarId;

use super::code::{Action, Code, Effect, Op, Slot, Slots, Transition};
use super::outline::Outline;
use super::resolve::{Array, Target, Value};
use super::syntax::{Binary, Unary};

/// A transition of the model before it is compiled.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Step {
    /// Locations: the variable, the number before and the number after.
    pub moves: Vec<(u32, u32, u32)>,
    pub guards: Vec<Value>,
    pub effects: Vec<(Target, Value)>,
}

impl Step {
    /// About the bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        let guards: usize = self.guards.iter().map(Value::size).sum();
        let effects = self.effects.iter().map(|(target, value)| {
            let index = match target {
                Target::Variable(..) => 0,
                Target::Element(_, index) => index.size(),
            };
            1 + index + value.size()
        });
        size_of::<Step>() + size_of::<Value>() * (guards + effects.sum::<usize>())
    }
}

/// Compiles a step: what it reads, what it writes, and what it does.
pub(super) fn compile(step: &Step) -> (Vec<VarId>, Vec<VarId>, Action) {
    let mut sets = Sets::default();
    for &(location, before, after) in &step.moves {
        sets.reads.insert(location);
        if before != after {
            sets.writes.insert(location);
        }
    }
    for guard in &step.guards {
        sets.read(guard);
    }
    for (target, value) in &step.effects {
        sets.read(value);
        sets.write(target);
    }
    let reads: Vec<u32> = sets.reads.iter().copied().collect();
    let only_written: Vec<u32> = sets.writes.difference(&sets.reads).copied().collect();
    let local = Frame::Local {
        reads: &reads,
        only_written: &only_written,
    };
    let action = Action {
        local: local.transition(step, &sets.writes, reads.len() + only_written.len()),
        global: Frame::State.transition(step, &sets.writes, 0),
        step: step.clone(),
        outline: Outline::new(step),
    };
    let ids = |set: &BTreeSet<u32>| set.iter().map(|&v| VarId(v)).collect();
    (ids(&sets.reads), ids(&sets.writes), action)
}

#[derive(Default)]
struct Sets {
    reads: BTreeSet<u32>,
    writes: BTreeSet<u32>,
    /// What has a value of this transition by now.
    assigned: BTreeSet<u32>,
}

impl Sets {
    fn read(&mut self, value: &Value) {
        match value {
            Value::Const(_) | Value::Undefined => {}
            Value::Load(id, _) => {
                if !self.assigned.contains(id) {
                    self.reads.insert(*id);
                }
            }
            Value::Element(array, index) => {
                self.read(index);
                self.reads.extend(array.first..array.first + array.len);
            }
            Value::Unary(_, inner) | Value::Wrapped(_, inner) => self.read(inner),
            Value::Binary(_, left, right) => {
                self.read(left);
                self.read(right);
            }
        }
    }

    fn write(&mut self, target: &Target) {
        match target {
            Target::Variable(id, _) => {
                self.writes.insert(*id);
                self.assigned.insert(*id);
            }
            Target::Element(array, index) => {
                self.read(index);
                let elements = array.first..array.first + array.len;
                self.reads.extend(elements.clone());
                self.writes.extend(elements);
            }
        }
    }
}

/// Where variables lie.
pub(super) enum Frame<'a> {
    /// As in a state.
    State,
    /// Those read, ascending, so that arrays stay together, then the others.
    Local {
        reads: &'a [u32],
        only_written: &'a [u32],
    },
}

impl Frame<'_> {
    fn transition(&self, step: &Step, writes: &BTreeSet<u32>, size: usize) -> Transition {
        let changes = step
            .moves
            .iter()
            .filter(|(_, before, after)| before != after);
        let effects = step.effects.iter().map(|(target, value)| match target {
            Target::Variable(id, kind) => {
                let at = self.slot(*id);
                Effect::Variable(Slot { at, kind: *kind }, self.code([value]))
            }
            Target::Element(array, index) => {
                Effect::Element(self.slots(*array), self.code([index]), self.code([value]))
            }
        });
        let from = step.moves.iter();
        Transition {
            from: from.map(|&(v, before, _)| (self.slot(v), before)).collect(),
            guard: (!step.guards.is_empty()).then(|| self.code(&step.guards)),
            effects: effects.collect(),
            to: changes
                .map(|&(v, _, after)| (self.slot(v), after))
                .collect(),
            written: writes.iter().map(|&v| self.slot(v)).collect(),
            frame: size,
        }
    }

    fn slot(&self, variable: u32) -> u32 {
        let Frame::Local {
            reads,
            only_written,
        } = self
        else {
            return variable;
        };
        let behind = |_| {
            let i = only_written.partition_point(|&v| v < variable);
            reads.len() + i
        };
        reads.binary_search(&variable).unwrap_or_else(behind) as u32
    }

    fn slots(&self, array: Array) -> Slots {
        Slots {
            first: self.slot(array.first),
            len: array.len,
            kind: array.kind,
        }
    }

    /// Code for the conjunction of some values.
    pub(super) fn code<'v>(&self, values: impl IntoIterator<Item = &'v Value>) -> Code {
        let mut code = Code::default();
        let mut jumps = Vec::new();
        for (i, value) in values.into_iter().enumerate() {
            if i > 0 {
                jumps.push(code.ops.len());
                code.ops.push(Op::IfZero(0));
            }
            self.add(value, 0, &mut code);
        }
        let end = code.ops.len() as u32;
        for jump in jumps {
            code.ops[jump] = Op::IfZero(end);
        }
        code
    }

    /// Adds the code of a value, with `height` values on the stack.
    fn add(&self, value: &Value, height: usize, code: &mut Code) {
        match value {
            Value::Const(number) => code.ops.push(Op::Const(*number)),
            Value::Undefined => code.ops.push(Op::Fail),
            Value::Wrapped(kind, inner) => {
                self.add(inner, height, code);
                code.ops.push(Op::Wrap(*kind));
            }
            &Value::Load(id, kind) => {
                let at = self.slot(id);
                code.ops.push(Op::Load(Slot { at, kind }));
            }
            Value::Element(array, index) => {
                self.add(index, height, code);
                code.ops.push(Op::LoadElement(self.slots(*array)));
            }
            Value::Unary(operator, inner) => {
                self.add(inner, height, code);
                code.ops.push(Op::Unary(*operator));
            }
            Value::Binary(operator @ (Binary::And | Binary::Or | Binary::Imply), left, right) => {
                self.add(left, height, code);
                if *operator == Binary::Imply {
                    code.ops.push(Op::Unary(Unary::Not));
                }
                let jump = code.ops.len();
                code.ops.push(Op::Truth);
                self.add(right, height, code);
                let end = code.ops.len() as u32;
                code.ops[jump] = match operator {
                    Binary::And => Op::IfZero(end),
                    _ => Op::IfNot(end),
                };
                code.ops.push(Op::Truth);
            }
            Value::Binary(operator, left, right) => {
                self.add(left, height, code);
                match &**right {
                    Value::Const(number) => code.ops.push(Op::WithConst(*operator, *number)),
                    &Value::Load(id, kind) => {
                        let at = self.slot(id);
                        code.ops.push(Op::WithLoad(*operator, Slot { at, kind }));
                    }
                    right => {
                        code.ops.push(Op::Push);
                        code.stack = code.stack.max(height + 1);
                        self.add(right, height + 1, code);
                        code.ops.push(Op::WithPop(*operator));
                    }
                }
            }
        }
    }
}
