//! Formulas from elements, innermost first.

use std::collections::BTreeMap;

use dalsegno_kripke::{Predicate, Relation, VarId};
use dalsegno_logic::{FormulaId, FormulaStore, Node, PropId};

use super::error::{ErrorKind, Located};
use crate::petri::proposition;
use crate::petri::sums::Sum;
use crate::petri::symbols::Symbols;
use crate::xml::{Cursor, Element, Step};

type Result<T> = std::result::Result<T, Located>;

/// What an element stands for.
pub(super) enum Value<'a> {
    Formula(FormulaId),
    Sum(Sum<'a>),
    Bound(Vec<VarId>),
}

/// Operators with elements inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Op {
    /// `<formula>`, `<before>`, `<reach>`: what is inside.
    Same,
    Forall,
    Exists,
    Globally,
    Finally,
    Next,
    Until,
    Not,
    And,
    Or,
    Xor,
    Implies,
    Iff,
    Compare(Relation),
    Add,
    Subtract,
}

/// Elements and their operators.
const OPERATORS: [(&str, Op); 24] = [
    ("formula", Op::Same),
    ("before", Op::Same),
    ("reach", Op::Same),
    ("all-paths", Op::Forall),
    ("exists-path", Op::Exists),
    ("globally", Op::Globally),
    ("finally", Op::Finally),
    ("next", Op::Next),
    ("until", Op::Until),
    ("negation", Op::Not),
    ("conjunction", Op::And),
    ("disjunction", Op::Or),
    ("exclusive-disjunction", Op::Xor),
    ("implication", Op::Implies),
    ("equivalence", Op::Iff),
    ("integer-le", Op::Compare(Relation::Le)),
    ("integer-lt", Op::Compare(Relation::Lt)),
    ("integer-ge", Op::Compare(Relation::Ge)),
    ("integer-gt", Op::Compare(Relation::Gt)),
    ("integer-eq", Op::Compare(Relation::Eq)),
    ("integer-neq", Op::Compare(Relation::Ne)),
    ("integer-ne", Op::Compare(Relation::Ne)),
    ("integer-sum", Op::Add),
    ("integer-difference", Op::Subtract),
];

struct Frame {
    op: Op,
    name: &'static str,
    offset: usize,
    /// Where its operands start on the stack of values.
    base: usize,
}

pub(super) struct Builder<'a> {
    symbols: &'a Symbols,
    store: &'a mut FormulaStore,
    atoms: &'a mut BTreeMap<PropId, Predicate>,
    /// Terms put together since the last look at the budget.
    work: usize,
}

/// Terms put together between two looks at the budget.
const PATIENCE: usize = 1 << 16;

impl<'a> Builder<'a> {
    pub(super) fn new(
        symbols: &'a Symbols,
        store: &'a mut FormulaStore,
        atoms: &'a mut BTreeMap<PropId, Predicate>,
    ) -> Self {
        Builder {
            symbols,
            store,
            atoms,
            work: 0,
        }
    }

    /// Asks for time after much work: sums of sums are added up at every level.
    fn watch(&mut self, cursor: &Cursor<'_>, value: &Value<'a>) -> Result<()> {
        self.work += match value {
            Value::Sum(sum) => sum.len(),
            Value::Bound(variables) => variables.len(),
            Value::Formula(_) => 1,
        };
        if self.work > PATIENCE {
            self.work = 0;
            cursor.check()?;
        }
        Ok(())
    }

    /// Reads `<formula>`, opened last: `None` if it is empty.
    pub(super) fn formula(&mut self, cursor: &mut Cursor<'_>) -> Result<Option<Value<'a>>> {
        let mut frames = vec![Frame {
            op: Op::Same,
            name: "formula",
            offset: cursor.offset(),
            base: 0,
        }];
        let mut values: Vec<Value<'a>> = Vec::new();
        while let Some(frame) = frames.pop() {
            match cursor.step()? {
                Step::Open(element) => {
                    frames.push(frame);
                    let operator = OPERATORS.iter().find(|(name, _)| *name == element.name);
                    if let Some(&(name, op)) = operator {
                        frames.push(Frame {
                            op,
                            name,
                            offset: element.offset,
                            base: values.len(),
                        });
                    } else {
                        cursor.hold(128);
                        values.push(self.leaf(cursor, element)?);
                    }
                }
                Step::Close | Step::End => {
                    if frames.is_empty() && values.is_empty() {
                        return Ok(None);
                    }
                    let operands = values.drain(frame.base..).collect();
                    let value = self.apply(&frame, operands)?;
                    self.watch(cursor, &value)?;
                    values.push(value);
                }
            }
        }
        Ok(values.pop())
    }

    /// Reads an element without operators inside.
    fn leaf(&mut self, cursor: &mut Cursor<'_>, element: Element<'_>) -> Result<Value<'a>> {
        match element.name {
            "deadlock" => {
                cursor.skip()?;
                Ok(self.atom("deadlock", Predicate::DeadEnd))
            }
            "true" | "false" => {
                cursor.skip()?;
                let is_true = element.name == "true";
                let constant = [FormulaId::FALSE, FormulaId::TRUE][usize::from(is_true)];
                Ok(Value::Formula(constant))
            }
            "is-fireable" => {
                let mut transitions = Vec::new();
                self.list(
                    cursor,
                    element.offset,
                    "transition",
                    |symbols, name, offset| {
                        let found = symbols.find_transition(name);
                        let (name, groups) = found.map_err(|e| Located::new(offset, e))?;
                        transitions.push((groups, name));
                        Ok(())
                    },
                )?;
                let fireable = proposition::fireable(transitions);
                Ok(self.atom(&fireable.text, fireable.predicate))
            }
            "tokens-count" => {
                let mut sum = Sum::default();
                self.list(cursor, element.offset, "place", |symbols, name, offset| {
                    let found = symbols.find_place(name);
                    let (name, variables) = found.map_err(|e| Located::new(offset, e))?;
                    sum.add_place(1, name, variables);
                    Ok(())
                })?;
                Ok(Value::Sum(sum))
            }
            "place-bound" => {
                let mut bound: Vec<VarId> = Vec::new();
                self.list(cursor, element.offset, "place", |symbols, name, offset| {
                    let variables = symbols.place(name);
                    bound.extend(variables.map_err(|e| Located::new(offset, e))?);
                    Ok(())
                })?;
                Ok(Value::Bound(bound))
            }
            "integer-constant" => {
                let text = cursor.text()?;
                let number = text.trim().parse().map_err(|_| {
                    let text = text.trim().chars().take(40).collect();
                    Located::new(element.offset, ErrorKind::Number(text))
                })?;
                Ok(Value::Sum(Sum::constant(number)))
            }
            other => {
                let kind = ErrorKind::Unknown(other.to_owned());
                Err(Located::new(element.offset, kind))
            }
        }
    }

    /// Reads the names in the element opened last.
    fn list(
        &self,
        cursor: &mut Cursor<'_>,
        offset: usize,
        item: &'static str,
        mut each: impl FnMut(&'a Symbols, &str, usize) -> Result<()>,
    ) -> Result<()> {
        let mut empty = true;
        while let Step::Open(element) = cursor.step()? {
            cursor.hold(32);
            if element.name != item {
                let kind = ErrorKind::Unknown(element.name.to_owned());
                return Err(Located::new(element.offset, kind));
            }
            let name = cursor.text()?;
            each(self.symbols, name.trim(), element.offset)?;
            empty = false;
        }
        if empty {
            return Err(Located::new(offset, ErrorKind::NoName(item)));
        }
        Ok(())
    }

    fn atom(&mut self, text: &str, predicate: Predicate) -> Value<'a> {
        let atom = self.store.atom(text);
        if let Node::Atom(proposition) = self.store.node(atom) {
            self.atoms.entry(proposition).or_insert(predicate);
        }
        Value::Formula(atom)
    }

    fn apply(&mut self, frame: &Frame, mut operands: Vec<Value<'a>>) -> Result<Value<'a>> {
        match frame.op {
            Op::Same => {
                expect(frame, "one operand", operands.len() == 1, operands.len())?;
                operands.pop().ok_or_else(|| wrong_sort(frame, "a formula"))
            }
            Op::Compare(relation) => {
                let [left, right] = pair(frame, operands)?;
                let (left, right) = (sum(frame, left)?, sum(frame, right)?);
                let compared = left.compare(relation, right);
                let (predicate, text) = compared.map_err(|e| Located::new(frame.offset, e))?;
                Ok(self.atom(&text, predicate))
            }
            Op::Add | Op::Subtract => {
                let found = operands.len();
                let fits = found >= 1 && (frame.op == Op::Add || found == 2);
                expect(frame, "two operands", fits, found)?;
                let sign = if frame.op == Op::Add { 1 } else { -1 };
                let mut total = Sum::default();
                for (i, operand) in operands.into_iter().enumerate() {
                    let added = total.add(if i == 0 { 1 } else { sign }, sum(frame, operand)?);
                    added.map_err(|e| Located::new(frame.offset, e))?;
                }
                Ok(Value::Sum(total))
            }
            _ => {
                let formulas: Result<Vec<FormulaId>> =
                    operands.iter().map(|v| formula(frame, v)).collect();
                self.connect(frame, &formulas?).map(Value::Formula)
            }
        }
    }

    fn connect(&mut self, frame: &Frame, operands: &[FormulaId]) -> Result<FormulaId> {
        let store = &mut *self.store;
        let wrong = |expected| operand_count(frame, expected, operands.len());
        match (frame.op, operands) {
            (Op::And, [_, ..]) => Ok(store.and(operands.iter().copied())),
            (Op::Or, [_, ..]) => Ok(store.or(operands.iter().copied())),
            (Op::Forall, &[f]) => Ok(store.forall(f)),
            (Op::Exists, &[f]) => Ok(store.exists(f)),
            (Op::Globally, &[f]) => Ok(store.globally(f)),
            (Op::Finally, &[f]) => Ok(store.finally(f)),
            (Op::Next, &[f]) => Ok(store.next(f)),
            (Op::Not, &[f]) => Ok(store.not(f)),
            (Op::Until, &[f, g]) => Ok(store.until(f, g)),
            (Op::Implies, &[f, g]) => Ok(store.implies(f, g)),
            (Op::Iff, &[f, g]) => Ok(store.iff(f, g)),
            (Op::Xor, &[f, ref rest @ ..]) => Ok(rest.iter().fold(f, |a, &b| store.xor(a, b))),
            (Op::And | Op::Or | Op::Xor, []) => Err(wrong("at least one operand")),
            (Op::Until | Op::Implies | Op::Iff, _) => Err(wrong("two operands")),
            _ => Err(wrong("one operand")),
        }
    }
}

fn operand_count(frame: &Frame, expected: &'static str, found: usize) -> Located {
    let element = frame.name;
    let kind = ErrorKind::Operands {
        element,
        expected,
        found,
    };
    Located::new(frame.offset, kind)
}

fn expect(frame: &Frame, expected: &'static str, fits: bool, found: usize) -> Result<()> {
    if fits {
        Ok(())
    } else {
        Err(operand_count(frame, expected, found))
    }
}

fn pair<'a>(frame: &Frame, operands: Vec<Value<'a>>) -> Result<[Value<'a>; 2]> {
    let wrong = |values: Vec<Value<'a>>| operand_count(frame, "two operands", values.len());
    operands.try_into().map_err(wrong)
}

fn wrong_sort(frame: &Frame, expected: &'static str) -> Located {
    let element = frame.name;
    Located::new(frame.offset, ErrorKind::Sort { element, expected })
}

fn formula(frame: &Frame, value: &Value<'_>) -> Result<FormulaId> {
    match value {
        Value::Formula(f) => Ok(*f),
        Value::Sum(_) | Value::Bound(_) => Err(wrong_sort(frame, "formulas")),
    }
}

fn sum<'a>(frame: &Frame, value: Value<'a>) -> Result<Sum<'a>> {
    match value {
        Value::Sum(sum) => Ok(sum),
        Value::Formula(_) | Value::Bound(_) => Err(wrong_sort(frame, "numbers")),
    }
}
