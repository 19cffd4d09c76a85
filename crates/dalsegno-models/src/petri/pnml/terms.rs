//! Typed terms from elements: markings, inscriptions and conditions.
//!
//! A tree is evaluated from its end to its start, so operands come before operators. Values are already in
//! the normal forms of [`Multiset`] and [`Guard`]; which variables occur is noted before anything cancels
//! out, because a binding gives a colour to each of them.

use std::collections::BTreeSet;

use super::conditions::relation;
use super::declarations::{
    Declarations, Operator, element, integer, operands, required, undeclared,
};
use super::error::{ErrorKind, Located};
use super::multisets::scale;
use super::tree::{Node, Tree, Trees};
use super::watch::Watch;
use crate::petri::coloured::{Factor, Guard, LeafId, Multiset, Part, SortId, SortKind, Summand};
use crate::xml::Element;

pub(super) type Result<T> = std::result::Result<T, Located>;

/// What an element stands for.
pub(super) enum Value {
    /// Something that only its surroundings look at.
    Unit,
    Number(i64),
    Sort(SortId),
    Condition(Guard),
    Colours(Colours),
    /// The class of a colour in a partition.
    ClassOf(usize, Colours),
}

impl Value {
    /// About how much it takes to make it.
    fn len(&self) -> usize {
        match self {
            Value::Unit | Value::Number(_) | Value::Sort(_) => 1,
            Value::Condition(guard) => guard.len(),
            Value::Colours(colours) | Value::ClassOf(_, colours) => {
                let factors = colours.summands.iter().flat_map(|s| &s.factors);
                1 + factors.map(|factor| 1 + factor.len()).sum::<usize>()
            }
        }
    }
}

pub(super) struct Colours {
    pub(super) sort: SortId,
    pub(super) summands: Vec<Summand>,
    /// Whether it is one colour, and not a multiset.
    pub(super) single: bool,
    /// The partition and class that was named.
    pub(super) class: Option<(usize, usize)>,
}

pub(super) struct Terms<'t, 'a> {
    pub(super) trees: &'t Trees<'a>,
    pub(super) declared: &'t mut Declarations<'a>,
    /// The variables that occurred, as positions among the declared ones.
    pub(super) used: BTreeSet<usize>,
    pub(super) watch: &'t Watch<'t>,
}

impl<'a> Terms<'_, 'a> {
    /// The multiset of a marking or an inscription of a place of this sort.
    pub(super) fn multiset(&mut self, tree: &Tree, sort: SortId) -> Result<Multiset> {
        let root = self.trees.nodes[tree.start].element;
        let Value::Colours(colours) = self.evaluate(tree)? else {
            return Err(expected(root, "a multiset of colours"));
        };
        self.same_sort(root, sort, colours.sort)?;
        let multiset = Multiset {
            sort,
            summands: colours.summands,
        };
        let normalised = multiset.normalised().ok_or_else(|| too_large(root))?;
        let factors = normalised.summands.iter().flat_map(|s| &s.factors);
        let kept: usize = factors.map(|factor| 24 + 24 * factor.len()).sum();
        self.watch.keep(root, kept)?;
        Ok(normalised)
    }

    /// The condition of a transition.
    pub(super) fn condition(&mut self, tree: &Tree) -> Result<Guard> {
        let root = self.trees.nodes[tree.start].element;
        match self.evaluate(tree)? {
            Value::Condition(guard) => {
                self.watch.keep(root, 40 * guard.len())?;
                Ok(guard)
            }
            _ => Err(expected(root, "a condition")),
        }
    }

    fn evaluate(&mut self, tree: &Tree) -> Result<Value> {
        let mut values: Vec<Option<Value>> = Vec::new();
        values.resize_with(tree.len(), || None);
        for at in tree.clone().rev() {
            let node = &self.trees.nodes[at];
            let operands: Vec<Value> = node
                .children
                .iter()
                .filter_map(|&child| values[child - tree.start].take())
                .collect();
            let value = self.apply(node, operands)?;
            self.watch.spend(node.element, value.len())?;
            values[at - tree.start] = Some(value);
        }
        Ok(values[0].take().unwrap_or(Value::Unit))
    }

    fn apply(&mut self, node: &Node<'a>, mut values: Vec<Value>) -> Result<Value> {
        let at = node.element;
        match at.name {
            "dot" | "finiteintrange" | "usersort" | "productsort" => {
                Ok(Value::Sort(self.declared.sort(self.trees, node, None)?))
            }
            "positive" | "natural" | "integer" | "multisetsort" => Ok(Value::Unit),
            "numberconstant" => Ok(Value::Number(integer(at, "value")?)),
            "booleanconstant" => {
                let value = required(at, "value")?;
                Ok(Value::Condition(Guard::constant(value.trim() == "true")))
            }
            "variable" => self.variable(at),
            "useroperator" => match self.declared.operator(at)? {
                Operator::Constant(sort, colour) => Ok(constant(sort, colour)),
                Operator::Class(partition, class) => Ok(self.class(partition, class)),
            },
            "dotconstant" => {
                let dot = self.declared.sorts.add(None, SortKind::Dot);
                Ok(constant(dot.map_err(|_| too_large(at))?, 0))
            }
            "finiteintrangeconstant" => {
                let (sort, colour) = self.declared.range_constant(self.trees, node)?;
                Ok(constant(sort, colour))
            }
            "all" | "empty" => match (values.pop(), values.is_empty()) {
                (Some(Value::Sort(sort)), true) => Ok(self.all(sort, at.name == "empty")),
                _ => Err(operands(node, "one sort")),
            },
            "tuple" => self.tuple(node, values),
            "numberof" | "scalarproduct" => {
                let (Some(Value::Colours(mut colours)), Some(Value::Number(n)), true) =
                    (values.pop(), values.pop(), values.is_empty())
                else {
                    return Err(expected(at, "a number and a term"));
                };
                if n < 0 {
                    return Err(expected(at, "a number from 0 on"));
                }
                scale(&mut colours, n).ok_or_else(|| too_large(at))?;
                Ok(Value::Colours(colours))
            }
            "add" | "subtract" => self.sum(node, values),
            "successor" | "predecessor" => self.neighbour(node, values),
            "partitionelementof" => {
                let id = required(at, "refpartition")?;
                let Some(&partition) = self.declared.partition_ids.get(&id) else {
                    let names = self.declared.partitions.iter().map(|p| p.id.as_str());
                    return Err(undeclared(at, "partition", &id, names));
                };
                let colour = colour(node, values.pop().filter(|_| values.is_empty()))?;
                let sort = self.declared.partitions[partition].sort;
                self.same_sort(at, sort, colour.sort)?;
                Ok(Value::ClassOf(partition, colour))
            }
            "and" | "or" | "not" | "imply" => self.connect(node, values),
            name => match relation(name) {
                Some(op) => self.compare(node, op, values),
                None => Err(element(at, "term")),
            },
        }
    }

    fn variable(&mut self, at: Element<'a>) -> Result<Value> {
        let id = required(at, "refvariable")?;
        let Some(&position) = self.declared.variable_ids.get(&id) else {
            let names = self.declared.variables.iter().map(|v| v.id.as_str());
            return Err(undeclared(at, "variable", &id, names));
        };
        self.used.insert(position);
        let variable = &self.declared.variables[position];
        let (sort, first) = (variable.sort, variable.first_leaf.0);
        let count = self.declared.sorts.leaves(sort).len() as u32;
        let leaf = |leaf| Part::Variable {
            leaf: LeafId(leaf),
            shift: 0,
        };
        let factors = (first..first + count).map(|l| vec![(leaf(l), 1)]).collect();
        Ok(single(sort, factors))
    }

    /// The colours of a class, each once.
    fn class(&self, partition: usize, class: usize) -> Value {
        let found = &self.declared.partitions[partition];
        let colours = found.classes[class].1.iter();
        let factor: Factor = colours.map(|&c| (Part::Constant(c), 1)).collect();
        Value::Colours(Colours {
            sort: found.sort,
            summands: vec![Summand {
                factors: vec![factor],
                coefficient: 1,
            }],
            single: false,
            class: Some((partition, class)),
        })
    }

    fn all(&self, sort: SortId, empty: bool) -> Value {
        let factors = vec![vec![(Part::All, 1)]; self.declared.sorts.leaves(sort).len()];
        let all = Summand {
            factors,
            coefficient: 1,
        };
        Value::Colours(Colours {
            sort,
            summands: if empty { Vec::new() } else { vec![all] },
            single: false,
            class: None,
        })
    }

    /// Sorts are the same if they have the same leaves: how tuples are nested makes no difference.
    pub(super) fn same_sort(&self, at: Element<'_>, expected: SortId, found: SortId) -> Result<()> {
        let sorts = &self.declared.sorts;
        if sorts.leaves(expected) == sorts.leaves(found) {
            Ok(())
        } else {
            Err(self.declared.clash(at, expected, found))
        }
    }
}

fn constant(sort: SortId, colour: u32) -> Value {
    single(sort, vec![vec![(Part::Constant(colour), 1)]])
}

fn single(sort: SortId, factors: Vec<Factor>) -> Value {
    Value::Colours(Colours {
        sort,
        summands: vec![Summand {
            factors,
            coefficient: 1,
        }],
        single: true,
        class: None,
    })
}

/// The one colour that an operand must be.
pub(super) fn colour(node: &Node<'_>, value: Option<Value>) -> Result<Colours> {
    match value {
        Some(Value::Colours(colours)) if colours.single => Ok(colours),
        _ => Err(expected(node.element, "a colour")),
    }
}

pub(super) fn expected(at: Element<'_>, expected: &'static str) -> Located {
    let element = at.name.to_owned();
    Located::new(at.offset, ErrorKind::Expected { element, expected })
}

pub(super) fn too_large(at: Element<'_>) -> Located {
    Located::new(at.offset, ErrorKind::TermTooLarge)
}
