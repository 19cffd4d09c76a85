//! Which part of the guard of a step is false in a state, and which variables the step uses there.
//!
//! The lists of variables of a group have whole arrays where an index is only known at run time. In a state it is known, and an
//! evaluation that looks at some variables gives the same as long as these do not change. Expressions are walked as trees, and
//! every variable that is looked at is noted. What cannot be told counts as used: an index that depends on what the step
//! itself has assigned uses the whole array.

use dalsegno_kripke::VarId;

use super::code::{binary, unary};
use super::compile::Step;
use super::resolve::{Array, Target, Value};
use super::syntax::Binary;

/// A step by its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Outline {
    moves: Vec<(VarId, u32, u32)>,
    conditions: Vec<Value>,
    effects: Vec<(Target, Value)>,
    varies: bool,
}

impl Outline {
    /// The parts of a step.
    pub(super) fn new(step: &Step) -> Self {
        let moves = step.moves.iter();
        let mut conditions = Vec::new();
        for guard in &step.guards {
            split(guard, &mut conditions);
        }
        let indexed = |(target, value): &(Target, Value)| {
            matches!(target, Target::Element(..)) || has_element(value)
        };
        Outline {
            moves: moves.map(|&(v, from, to)| (VarId(v), from, to)).collect(),
            varies: conditions.iter().any(has_element) || step.effects.iter().any(indexed),
            conditions,
            effects: step.effects.clone(),
        }
    }
}

/// Appends the parts of a conjunction: the right one is looked at only if the left one is true, so each of them is true
/// where the whole is.
fn split(guard: &Value, out: &mut Vec<Value>) {
    match guard {
        Value::Binary(Binary::And, left, right) => {
            split(left, out);
            split(right, out);
        }
        part => out.push(part.clone()),
    }
}

fn has_element(value: &Value) -> bool {
    match value {
        Value::Element(..) => true,
        Value::Const(_) | Value::Load(..) | Value::Undefined => false,
        Value::Unary(_, inner) | Value::Wrapped(_, inner) => has_element(inner),
        Value::Binary(_, left, right) => has_element(left) || has_element(right),
    }
}

fn elements(array: Array) -> impl Iterator<Item = VarId> {
    (array.first..array.first + array.len).map(VarId)
}

/// An evaluation after some effects have happened.
struct Walk<'a> {
    state: &'a [u32],
    /// The effects that have happened.
    done: &'a [(Target, Value)],
    looked: &'a mut Vec<VarId>,
}

impl Walk<'_> {
    /// Whether a variable may have another value by now, and whether it certainly has.
    fn assigned(&self, id: u32) -> (bool, bool) {
        let (mut may, mut must) = (false, false);
        for (target, _) in self.done {
            match target {
                Target::Variable(v, _) => must |= *v == id,
                Target::Element(array, _) => {
                    may |= (array.first..array.first + array.len).contains(&id);
                }
            }
        }
        (may || must, must)
    }

    /// The value of an expression, if it has one that only depends on the variables looked at.
    fn value(&mut self, value: &Value) -> Option<i32> {
        match value {
            Value::Const(number) => Some(*number),
            Value::Undefined => None,
            Value::Load(id, kind) => {
                let (may, must) = self.assigned(*id);
                if !must {
                    self.looked.push(VarId(*id));
                }
                (!may).then(|| kind.number(self.state[*id as usize]))
            }
            Value::Element(array, index) => {
                let index = self.index(*array, index);
                let Some(id) = index else {
                    self.looked.extend(elements(*array));
                    return None;
                };
                self.looked.push(VarId(id));
                let (may, _) = self.assigned(id);
                (!may).then(|| array.kind.number(self.state[id as usize]))
            }
            Value::Unary(operator, inner) => Some(unary(*operator, self.value(inner)?)),
            Value::Wrapped(kind, inner) => Some(kind.wrapped(self.value(inner)?)),
            Value::Binary(operator, left, right) => {
                let first = self.value(left);
                // Where the left side decides, the right one is not looked at.
                match (operator, first) {
                    (Binary::And, Some(0)) => return Some(0),
                    (Binary::Or, Some(n)) if n != 0 => return Some(1),
                    (Binary::Imply, Some(0)) => return Some(1),
                    _ => {}
                }
                let second = self.value(right);
                binary(*operator, first?, second?)
            }
        }
    }

    /// The variable that an index stands for.
    fn index(&mut self, array: Array, index: &Value) -> Option<u32> {
        let index = u32::try_from(self.value(index)?).ok()?;
        (index < array.len).then_some(array.first + index)
    }
}

impl dalsegno_kripke::Outline for Outline {
    fn moves(&self) -> &[(VarId, u32, u32)] {
        &self.moves
    }

    fn conditions(&self) -> usize {
        self.conditions.len()
    }

    fn is_false(&self, condition: usize, state: &[u32], looked: &mut Vec<VarId>) -> bool {
        let before = looked.len();
        let done = &[];
        let mut walk = Walk {
            state,
            done,
            looked,
        };
        let is_false = walk.value(&self.conditions[condition]) == Some(0);
        if !is_false {
            looked.truncate(before);
        }
        is_false
    }

    fn varies(&self) -> bool {
        self.varies
    }

    fn used(&self, state: &[u32], reads: &mut Vec<VarId>, writes: &mut Vec<VarId>) {
        let mut walk = Walk {
            state,
            done: &[],
            looked: reads,
        };
        for condition in &self.conditions {
            walk.value(condition);
        }
        for (i, (target, value)) in self.effects.iter().enumerate() {
            walk.done = &self.effects[..i];
            walk.value(value);
            match target {
                Target::Variable(id, _) => writes.push(VarId(*id)),
                Target::Element(array, index) => {
                    if let Some(id) = walk.index(*array, index) {
                        writes.push(VarId(id));
                    } else {
                        // It keeps all elements but one.
                        walk.looked.extend(elements(*array));
                        writes.extend(elements(*array));
                    }
                }
            }
        }
    }
}
