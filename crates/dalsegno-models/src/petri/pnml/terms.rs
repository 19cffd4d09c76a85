//! Typed terms from elements: markings, inscriptions and conditions.
//!
//! A tree is evaluated from its end to its start, so operands come before operators. Values are already in
//! the normal forms of [`Multiset`] and [`Guard`]; which variables occur is noted before anything cancels
//! out, because a binding gives a colour to each of them.

use std::collections::BTreeSet;

use dalsegno_kripke::Relation;

use super::declarations::{
    Declarations, Operator, element, integer, operands, required, undeclared,
};
use super::error::{ErrorKind, Located};
use super::tree::{Node, Tree, Trees};
use crate::petri::coloured::{
    Factor, Guard, LeafId, Multiset, Part, Shifted, SortId, SortKind, Summand,
};
use crate::xml::Element;

type Result<T> = std::result::Result<T, Located>;

/// The most summands of a term: tuples of sums of tuples multiply.
const MAX_SUMMANDS: usize = 1 << 20;

/// What an element stands for.
enum Value {
    /// Something that only its surroundings look at.
    Unit,
    Number(i64),
    Sort(SortId),
    Condition(Guard),
    Colours(Colours),
    /// The class of a colour in a partition.
    ClassOf(usize, Colours),
}

struct Colours {
    sort: SortId,
    summands: Vec<Summand>,
    /// Whether it is one colour, and not a multiset.
    single: bool,
    /// The partition and class that was named.
    class: Option<(usize, usize)>,
}

pub(super) struct Terms<'t, 'a> {
    pub(super) trees: &'t Trees<'a>,
    pub(super) declared: &'t mut Declarations<'a>,
    /// The variables that occurred, as positions among the declared ones.
    pub(super) used: BTreeSet<usize>,
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
        let normalised = multiset.normalised();
        normalised.ok_or_else(|| too_large(root))
    }

    /// The condition of a transition.
    pub(super) fn condition(&mut self, tree: &Tree) -> Result<Guard> {
        let root = self.trees.nodes[tree.start].element;
        match self.evaluate(tree)? {
            Value::Condition(guard) => Ok(guard),
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
            values[at - tree.start] = Some(self.apply(node, operands)?);
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

    fn tuple(&mut self, node: &Node<'a>, values: Vec<Value>) -> Result<Value> {
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
            if tuples.len().saturating_mul(summands.len()) > MAX_SUMMANDS {
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

    fn sum(&self, node: &Node<'a>, values: Vec<Value>) -> Result<Value> {
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

    fn neighbour(&self, node: &Node<'a>, mut values: Vec<Value>) -> Result<Value> {
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

    fn connect(&self, node: &Node<'a>, values: Vec<Value>) -> Result<Value> {
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

    fn leaf_size(&self, leaf: LeafId) -> u32 {
        let variables = &self.declared.variables;
        let after = variables.partition_point(|v| v.first_leaf <= leaf);
        let variable = &variables[after - 1];
        let leaves = self.declared.sorts.leaves(variable.sort);
        let sort = leaves[leaf.index() - variable.first_leaf.index()];
        self.declared.sorts.leaf_size(sort)
    }

    fn compare(&self, node: &Node<'a>, op: Relation, mut values: Vec<Value>) -> Result<Value> {
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

    /// Sorts are the same if they have the same leaves: how tuples are nested makes no difference.
    fn same_sort(&self, at: Element<'_>, expected: SortId, found: SortId) -> Result<()> {
        let sorts = &self.declared.sorts;
        if sorts.leaves(expected) == sorts.leaves(found) {
            Ok(())
        } else {
            Err(self.declared.clash(at, expected, found))
        }
    }
}

fn relation(name: &str) -> Option<Relation> {
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
fn colour(node: &Node<'_>, value: Option<Value>) -> Result<Colours> {
    match value {
        Some(Value::Colours(colours)) if colours.single => Ok(colours),
        _ => Err(expected(node.element, "a colour")),
    }
}

/// The parts of a single colour.
fn parts(colour: &Colours) -> Vec<Part> {
    let factors = colour.summands.iter().flat_map(|s| &s.factors);
    factors
        .filter_map(|f| f.first().map(|&(part, _)| part))
        .collect()
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

fn scale(colours: &mut Colours, n: i64) -> Option<()> {
    colours.single = false;
    colours.class = None;
    for summand in &mut colours.summands {
        summand.coefficient = summand.coefficient.checked_mul(n)?;
    }
    Some(())
}

fn expected(at: Element<'_>, expected: &'static str) -> Located {
    let element = at.name.to_owned();
    Located::new(at.offset, ErrorKind::Expected { element, expected })
}

fn too_large(at: Element<'_>) -> Located {
    Located::new(at.offset, ErrorKind::TermTooLarge)
}
