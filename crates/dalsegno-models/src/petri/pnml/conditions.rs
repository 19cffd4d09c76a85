//! Conditions: comparisons of colours and of their classes, and what is made of them.

use dalsegno_kripke::Relation;

use super::declarations::operands;
use super::terms::{Colours, Result, Terms, Value, colour, expected};
use super::tree::Node;
use crate::petri::coloured::{Guard, LeafId, Part, Shifted};
use crate::xml::Element;

impl<'a> Terms<'_, 'a> {
    pub(super) fn connect(&self, node: &Node<'a>, values: Vec<Value>) -> Result<Value> {
        let at = node.element;
        let mut guards = Vec::with_capacity(values.len());
        for value in values {
            match value {
                Value::Condition(guard) => guards.push(guard),
                _ => return Err(expected(at, "conditions")),
            }
        }
        let not = |guard: &Guard| guard.negate(&|leaf| self.leaf_size(leaf));
        let guard = match (at.name, guards.as_slice()) {
            ("and", [_, ..]) => Guard::and(guards),
            ("or", [_, ..]) => Guard::or(guards),
            ("not", [guard]) => not(guard),
            ("imply", [left, right]) => Guard::or([not(left), right.clone()]),
            ("not", _) => return Err(operands(node, "one condition")),
            ("imply", _) => return Err(operands(node, "two conditions")),
            _ => return Err(operands(node, "at least one condition")),
        };
        Ok(Value::Condition(guard))
    }

    pub(super) fn compare(
        &self,
        node: &Node<'a>,
        op: Relation,
        mut values: Vec<Value>,
    ) -> Result<Value> {
        let at = node.element;
        let (Some(right), Some(left), true) = (values.pop(), values.pop(), values.is_empty())
        else {
            return Err(operands(node, "two terms"));
        };
        let ordered = !matches!(op, Relation::Eq | Relation::Ne);
        if matches!(left, Value::ClassOf(..)) || matches!(right, Value::ClassOf(..)) {
            if ordered {
                return Err(expected(at, "colours"));
            }
            let equal = self.same_class(at, left, right)?;
            return Ok(Value::Condition(if op == Relation::Eq {
                equal
            } else {
                equal.negate(&|leaf| self.leaf_size(leaf))
            }));
        }
        let (left, right) = (colour(node, Some(left))?, colour(node, Some(right))?);
        self.same_sort(at, left.sort, right.sort)?;
        let leaves = self.declared.sorts.leaves(left.sort);
        if ordered && leaves.len() != 1 {
            return Err(expected(at, "colours of a sort that is no product"));
        }
        let pairs = parts(&left).into_iter().zip(parts(&right)).zip(leaves);
        let guards = pairs
            .map(|((l, r), &leaf)| compare_parts(l, op, r, self.declared.sorts.leaf_size(leaf)));
        Ok(Value::Condition(if op == Relation::Ne {
            Guard::or(guards)
        } else {
            Guard::and(guards)
        }))
    }

    /// The condition that two values are in the same class of a partition.
    fn same_class(&self, at: Element<'a>, left: Value, right: Value) -> Result<Guard> {
        let member = |partition: usize, class: usize, colour: &Colours| {
            let partition = &self.declared.partitions[partition];
            let size = self.declared.sorts.leaf_size(partition.sort);
            let colours = partition.classes[class].1.iter().map(|&c| (c, c)).collect();
            match parts(colour)[..] {
                [Part::Variable { leaf, shift }] => {
                    Guard::member(Shifted { leaf, shift, size }, &colours)
                }
                [Part::Constant(c)] => Guard::constant(colours.contains(&(c, c))),
                _ => Guard::FALSE,
            }
        };
        match (left, right) {
            (Value::ClassOf(p, x), Value::Colours(named))
            | (Value::Colours(named), Value::ClassOf(p, x)) => match named.class {
                Some((q, class)) if p == q => Ok(member(p, class, &x)),
                _ => Err(expected(at, "classes of one partition")),
            },
            (Value::ClassOf(p, x), Value::ClassOf(q, y)) if p == q => {
                let classes = 0..self.declared.partitions[p].classes.len();
                let both = |class| Guard::and([member(p, class, &x), member(p, class, &y)]);
                Ok(Guard::or(classes.map(both)))
            }
            _ => Err(expected(at, "classes of one partition")),
        }
    }

    fn leaf_size(&self, leaf: LeafId) -> u32 {
        let variables = &self.declared.variables;
        let after = variables.partition_point(|v| v.first_leaf <= leaf);
        let variable = &variables[after - 1];
        let leaves = self.declared.sorts.leaves(variable.sort);
        let sort = leaves[leaf.index() - variable.first_leaf.index()];
        self.declared.sorts.leaf_size(sort)
    }
}

/// The comparison that an element stands for.
pub(super) fn relation(name: &str) -> Option<Relation> {
    Some(match name {
        "equality" => Relation::Eq,
        "inequality" => Relation::Ne,
        "lessthan" => Relation::Lt,
        "lessthanorequal" => Relation::Le,
        "greaterthan" => Relation::Gt,
        "greaterthanorequal" => Relation::Ge,
        _ => return None,
    })
}

fn compare_parts(left: Part, op: Relation, right: Part, size: u32) -> Guard {
    let variable = |leaf, shift| Shifted { leaf, shift, size };
    match (left, right) {
        (Part::Variable { leaf, shift }, Part::Constant(c)) => {
            Guard::compare_constant(variable(leaf, shift), op, c)
        }
        (Part::Constant(c), Part::Variable { leaf, shift }) => {
            Guard::compare_constant(variable(leaf, shift), op.flipped(), c)
        }
        (Part::Variable { leaf: l, shift: a }, Part::Variable { leaf: r, shift: b }) => {
            Guard::compare(variable(l, a), op, variable(r, b))
        }
        (Part::Constant(l), Part::Constant(r)) => {
            Guard::constant(op.holds(i64::from(l), i64::from(r)))
        }
        (Part::All, _) | (_, Part::All) => Guard::FALSE,
    }
}

/// The parts of a single colour.
fn parts(colour: &Colours) -> Vec<Part> {
    let factors = colour.summands.iter().flat_map(|s| &s.factors);
    factors
        .filter_map(|f| f.first().map(|&(part, _)| part))
        .collect()
}
