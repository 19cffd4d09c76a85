//! Operators of multisets: tuples, sums, differences, neighbours.

use super::declarations::operands;
use super::error::{ErrorKind, Located};
use super::terms::{Colours, Result, Terms, Value, colour, expected, too_large};
use super::tree::Node;
use crate::petri::coloured::{Factor, Part, SortKind, Summand};

/// The most factors of a term: tuples of sums of tuples multiply.
const MAX_FACTORS: usize = 1 << 22;

impl<'a> Terms<'_, 'a> {
    pub(super) fn tuple(&mut self, node: &Node<'a>, values: Vec<Value>) -> Result<Value> {
        let at = node.element;
        if values.is_empty() {
            return Err(operands(node, "at least one term"));
        }
        let mut sorts = Vec::with_capacity(values.len());
        let mut tuples = vec![Summand {
            factors: Vec::new(),
            coefficient: 1,
        }];
        let mut single = true;
        for value in values {
            let Value::Colours(part) = value else {
                return Err(expected(at, "terms"));
            };
            sorts.push(part.sort);
            single &= part.single;
            let leaf = self.declared.sorts.leaves(part.sort) == [part.sort];
            let summands = if leaf {
                vec![collapse(part.summands).ok_or_else(|| too_large(at))?]
            } else {
                part.summands
            };
            if let [only] = summands.as_slice() {
                for tuple in &mut tuples {
                    extend(tuple, only).ok_or_else(|| too_large(at))?;
                }
                continue;
            }
            let width = tuples[0].factors.len() + self.declared.sorts.leaves(part.sort).len();
            let count = tuples.len().saturating_mul(summands.len());
            if count.saturating_mul(width) > MAX_FACTORS {
                return Err(too_large(at));
            }
            let mut longer = Vec::with_capacity(tuples.len() * summands.len());
            for tuple in &tuples {
                for summand in &summands {
                    let mut tuple = tuple.clone();
                    extend(&mut tuple, summand).ok_or_else(|| too_large(at))?;
                    longer.push(tuple);
                }
            }
            tuples = longer;
        }
        let product = self.declared.sorts.add(None, SortKind::Product(sorts));
        let sort = product.map_err(|error| {
            let name = "tuple".to_owned();
            Located::new(at.offset, ErrorKind::Sort { name, error })
        })?;
        Ok(Value::Colours(Colours {
            sort,
            summands: tuples,
            single,
            class: None,
        }))
    }

    pub(super) fn sum(&self, node: &Node<'a>, values: Vec<Value>) -> Result<Value> {
        let at = node.element;
        let subtract = at.name == "subtract";
        if values.len() < 1 + usize::from(subtract) {
            return Err(operands(node, "terms"));
        }
        let mut total: Option<Colours> = None;
        for value in values {
            let Value::Colours(mut next) = value else {
                return Err(expected(at, "multisets of colours"));
            };
            let Some(total) = &mut total else {
                next.single = false;
                next.class = None;
                total = Some(next);
                continue;
            };
            self.same_sort(at, total.sort, next.sort)?;
            if subtract {
                scale(&mut next, -1).ok_or_else(|| too_large(at))?;
            }
            total.summands.append(&mut next.summands);
        }
        total
            .map(Value::Colours)
            .ok_or_else(|| operands(node, "terms"))
    }

    pub(super) fn neighbour(&self, node: &Node<'a>, mut values: Vec<Value>) -> Result<Value> {
        let mut colour = colour(node, values.pop().filter(|_| values.is_empty()))?;
        let sort = self.declared.sorts.get(colour.sort);
        if !matches!(sort.kind, SortKind::Enumeration { cyclic: true, .. }) {
            let kind = ErrorKind::NotCyclic(sort.name.clone());
            return Err(Located::new(node.element.offset, kind));
        }
        let size = u64::from(self.declared.sorts.leaf_size(colour.sort)).max(1);
        let step = if node.element.name == "successor" {
            1
        } else {
            size - 1
        };
        let moved = |n: u32| ((u64::from(n) + step) % size) as u32;
        for (part, _) in colour
            .summands
            .iter_mut()
            .flat_map(|s| s.factors.iter_mut().flatten())
        {
            match part {
                Part::Constant(c) => *c = moved(*c),
                Part::Variable { shift, .. } => *shift = moved(*shift),
                Part::All => {}
            }
        }
        Ok(Value::Colours(colour))
    }
}

/// A sum over a sort that is no product, as one factor.
fn collapse(summands: Vec<Summand>) -> Option<Summand> {
    let mut factor = Factor::new();
    for summand in summands {
        for (part, weight) in summand.factors.into_iter().flatten() {
            factor.push((part, weight.checked_mul(summand.coefficient)?));
        }
    }
    Some(Summand {
        factors: vec![factor],
        coefficient: 1,
    })
}

fn extend(tuple: &mut Summand, by: &Summand) -> Option<()> {
    tuple.coefficient = tuple.coefficient.checked_mul(by.coefficient)?;
    tuple.factors.extend_from_slice(&by.factors);
    Some(())
}

pub(super) fn scale(colours: &mut Colours, n: i64) -> Option<()> {
    colours.single = false;
    colours.class = None;
    for summand in &mut colours.summands {
        summand.coefficient = summand.coefficient.checked_mul(n)?;
    }
    Some(())
}
