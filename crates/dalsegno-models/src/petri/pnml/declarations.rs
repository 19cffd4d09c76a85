//! Sorts, variables and partitions.
//!
//! Declarations may come in any order, and after their use. Sorts are put together parts first; a sort
//! that needs itself is found on the way.

use std::borrow::Cow;

use dalsegno_logic::nearest;
use rustc_hash::{FxHashMap, FxHashSet};

use super::error::{ErrorKind, Located};
use super::tree::{Node, Tree, Trees};
use super::watch::Watch;
use crate::petri::coloured::{
    ColourVariable, Constant, LeafId, Partition, SortId, SortKind, Sorts,
};
use crate::xml::Element;

/// The parts that a product may have: putting a sort together costs no more than this.
const LEAVES: usize = 256;

type Result<T> = std::result::Result<T, Located>;

/// What a `<useroperator>` may name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    Constant(SortId, u32),
    /// A partition and a class of it.
    Class(usize, usize),
}

/// What a file declares.
#[derive(Default)]
pub(super) struct Declarations<'a> {
    pub(super) sorts: Sorts,
    pub(super) partitions: Vec<Partition>,
    pub(super) variables: Vec<ColourVariable>,
    pub(super) variable_ids: FxHashMap<Cow<'a, str>, usize>,
    pub(super) partition_ids: FxHashMap<Cow<'a, str>, usize>,
    pub(super) operators: FxHashMap<Cow<'a, str>, Operator>,
    named: FxHashMap<Cow<'a, str>, Named>,
    /// The named sorts in the order of the file.
    order: Vec<Cow<'a, str>>,
}

#[derive(Clone, Copy)]
enum Named {
    /// The node of its declaration.
    Open(usize),
    /// Its parts are being put together.
    Entered(usize),
    Done(SortId),
}

/// Reads the declarations of all trees.
pub(super) fn declarations<'a>(
    trees: &Trees<'a>,
    roots: &[Tree],
    watch: &Watch<'_>,
) -> Result<Declarations<'a>> {
    let mut found = Declarations::default();
    let mut variables = Vec::new();
    let mut partitions = Vec::new();
    for root in roots {
        let root = &trees.nodes[root.start];
        if root.element.name != "declarations" {
            return Err(element(root.element, "list of declarations"));
        }
        for &child in &root.children {
            let node = &trees.nodes[child];
            watch.spend(node.element, 1)?;
            match node.element.name {
                "namedsort" => {
                    let id = required(node.element, "id")?;
                    found.order.push(id.clone());
                    if found.named.insert(id.clone(), Named::Open(child)).is_some() {
                        return Err(twice(node.element, &id));
                    }
                }
                "variabledecl" => variables.push(child),
                "partition" => partitions.push(child),
                _ => return Err(element(node.element, "declaration")),
            }
        }
    }
    for id in found.order.clone() {
        found.resolve(trees, id, watch)?;
    }
    for partition in partitions {
        let node = &trees.nodes[partition];
        watch.spend(node.element, node.children.len())?;
        found.partition(trees, node)?;
    }
    for variable in variables {
        watch.spend(trees.nodes[variable].element, 1)?;
        found.variable(trees, &trees.nodes[variable])?;
    }
    Ok(found)
}

impl<'a> Declarations<'a> {
    /// Puts a named sort together, and before it the sorts that it is made of.
    fn resolve(&mut self, trees: &Trees<'a>, id: Cow<'a, str>, watch: &Watch<'_>) -> Result<()> {
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            match self.named.get(&id).copied() {
                None | Some(Named::Done(_)) => {}
                Some(Named::Open(at)) => {
                    self.named.insert(id.clone(), Named::Entered(at));
                    stack.push(id);
                    for needed in needed(trees, at)? {
                        watch.spend(trees.nodes[at].element, 1)?;
                        match self.named.get(&needed) {
                            Some(Named::Open(_)) => stack.push(needed),
                            Some(Named::Entered(_)) => {
                                let kind = ErrorKind::CircularSort(needed.into_owned());
                                let offset = trees.nodes[at].element.offset;
                                return Err(Located::new(offset, kind));
                            }
                            Some(Named::Done(_)) | None => {}
                        }
                    }
                }
                Some(Named::Entered(at)) => {
                    let node = &trees.nodes[at];
                    // A product of a product lists its parts anew.
                    watch.spend(node.element, LEAVES)?;
                    let sort = self.named_sort(trees, node)?;
                    self.named.insert(id, Named::Done(sort));
                }
            }
        }
        Ok(())
    }

    fn named_sort(&mut self, trees: &Trees<'a>, node: &Node<'a>) -> Result<SortId> {
        let [body] = node.children[..] else {
            return Err(operands(node, "one sort"));
        };
        let name = node.element.attribute("name")?;
        let id = required(node.element, "id")?;
        let name = name.filter(|n| !n.is_empty()).unwrap_or(id);
        let body = &trees.nodes[body];
        let cyclic = match body.element.name {
            "cyclicenumeration" => true,
            "finiteenumeration" => false,
            _ => return self.sort(trees, body, Some(&name)),
        };
        let mut constants: Vec<Constant> = Vec::new();
        let mut names: FxHashMap<String, u32> = FxHashMap::default();
        for &child in &body.children {
            let child = &trees.nodes[child];
            if child.element.name != "feconstant" {
                return Err(element(child.element, "constant"));
            }
            let id = required(child.element, "id")?;
            let name = child.element.attribute("name")?;
            let name = name.filter(|n| !n.is_empty()).unwrap_or(id.clone());
            *names.entry(name.clone().into_owned()).or_default() += 1;
            constants.push(Constant {
                id: id.into_owned(),
                name: name.into_owned(),
            });
        }
        // A name that two colours share tells nothing: their identifiers do.
        for constant in &mut constants {
            if names[&constant.name] > 1 {
                constant.name = constant.id.clone();
            }
        }
        let ids: Vec<String> = constants.iter().map(|c| c.id.clone()).collect();
        let kind = SortKind::Enumeration { constants, cyclic };
        let sort = self.add(node.element, Some(&name), kind)?;
        for ((colour, id), &child) in (0..).zip(ids).zip(&body.children) {
            let constant = Operator::Constant(sort, colour);
            if self
                .operators
                .insert(Cow::Owned(id.clone()), constant)
                .is_some()
            {
                return Err(twice(trees.nodes[child].element, &id));
            }
        }
        Ok(sort)
    }

    fn add(&mut self, at: Element<'a>, name: Option<&str>, kind: SortKind) -> Result<SortId> {
        self.sorts.add(name, kind).map_err(|error| {
            let name = name.unwrap_or(at.name).to_owned();
            Located::new(at.offset, ErrorKind::Sort { name, error })
        })
    }

    /// The sort that an element stands for; the sorts that it names are known.
    pub(super) fn sort(
        &mut self,
        trees: &Trees<'a>,
        node: &Node<'a>,
        name: Option<&str>,
    ) -> Result<SortId> {
        let at = node.element;
        match at.name {
            "dot" => self.add(at, name, SortKind::Dot),
            "finiteintrange" => {
                let (start, end) = (integer(at, "start")?, integer(at, "end")?);
                self.add(at, name, SortKind::Range { start, end })
            }
            "usersort" => self.user_sort(at),
            "productsort" => {
                if node.children.is_empty() {
                    return Err(operands(node, "at least one sort"));
                }
                let parts = node.children.iter().map(|&part| {
                    let part = &trees.nodes[part].element;
                    // Products inside of products have names.
                    match part.name {
                        "usersort" => self.user_sort(*part),
                        "dot" => self.add(*part, None, SortKind::Dot),
                        "finiteintrange" => {
                            let (start, end) = (integer(*part, "start")?, integer(*part, "end")?);
                            self.add(*part, None, SortKind::Range { start, end })
                        }
                        _ => Err(element(*part, "part of a product")),
                    }
                });
                let parts = parts.collect::<Result<Vec<_>>>()?;
                self.add(at, name, SortKind::Product(parts))
            }
            _ => Err(element(at, "sort")),
        }
    }

    fn user_sort(&mut self, at: Element<'a>) -> Result<SortId> {
        let id = required(at, "declaration")?;
        match self.named.get(&id) {
            Some(Named::Done(sort)) => Ok(*sort),
            // The sort of plain tokens is often used without a declaration.
            _ if id == "dot" => self.add(at, None, SortKind::Dot),
            _ => {
                let names = self.order.iter().map(|name| &**name);
                Err(undeclared(at, "sort", &id, names))
            }
        }
    }

    fn partition(&mut self, trees: &Trees<'a>, node: &Node<'a>) -> Result<()> {
        let id = required(node.element, "id")?;
        let Some((&of, classes)) = node.children.split_first() else {
            return Err(operands(node, "a sort and its classes"));
        };
        let sort = self.sort(trees, &trees.nodes[of], None)?;
        if self.sorts.leaves(sort) != [sort] {
            return Err(element(trees.nodes[of].element, "sort that can be divided"));
        }
        let position = self.partitions.len();
        let mut placed: FxHashSet<u32> = FxHashSet::default();
        let mut partition = Partition {
            id: id.clone().into_owned(),
            sort,
            classes: Vec::new(),
        };
        for &class in classes {
            let class = &trees.nodes[class];
            if class.element.name != "partitionelement" {
                return Err(element(class.element, "class of a partition"));
            }
            let class_id = required(class.element, "id")?;
            let mut colours = Vec::with_capacity(class.children.len());
            for &child in &class.children {
                let child = &trees.nodes[child];
                let colour = self.class_member(trees, child, sort)?;
                if !placed.insert(colour) {
                    let label = self.sorts.leaf_label(sort, colour);
                    return Err(twice(child.element, &label));
                }
                colours.push(colour);
            }
            colours.sort_unstable();
            let operator = Operator::Class(position, partition.classes.len());
            partition
                .classes
                .push((class_id.clone().into_owned(), colours));
            if self.operators.insert(class_id.clone(), operator).is_some() {
                return Err(twice(class.element, &class_id));
            }
        }
        self.partitions.push(partition);
        if self.partition_ids.insert(id.clone(), position).is_some() {
            return Err(twice(node.element, &id));
        }
        Ok(())
    }

    fn class_member(&mut self, trees: &Trees<'a>, node: &Node<'a>, sort: SortId) -> Result<u32> {
        let (found, colour) = match node.element.name {
            "useroperator" => match self.operator(node.element)? {
                Operator::Constant(found, colour) => (found, colour),
                Operator::Class(..) => return Err(element(node.element, "constant")),
            },
            "finiteintrangeconstant" => self.range_constant(trees, node)?,
            _ => return Err(element(node.element, "constant")),
        };
        if found == sort {
            Ok(colour)
        } else {
            Err(self.clash(node.element, sort, found))
        }
    }

    fn variable(&mut self, trees: &Trees<'a>, node: &Node<'a>) -> Result<()> {
        let id = required(node.element, "id")?;
        let [sort] = node.children[..] else {
            return Err(operands(node, "one sort"));
        };
        let sort = self.sort(trees, &trees.nodes[sort], None)?;
        let first_leaf = match self.variables.last() {
            Some(last) => last.first_leaf.0 + self.sorts.leaves(last.sort).len() as u32,
            None => 0,
        };
        let name = node.element.attribute("name")?;
        let name = name.filter(|n| !n.is_empty()).unwrap_or(id.clone());
        self.variables.push(ColourVariable {
            id: id.clone().into_owned(),
            name: name.into_owned(),
            sort,
            first_leaf: LeafId(first_leaf),
        });
        let position = self.variables.len() - 1;
        if self.variable_ids.insert(id.clone(), position).is_some() {
            return Err(twice(node.element, &id));
        }
        Ok(())
    }

    /// What a `<useroperator>` names.
    pub(super) fn operator(&self, at: Element<'a>) -> Result<Operator> {
        let id = required(at, "declaration")?;
        self.operators.get(&id).copied().ok_or_else(|| {
            let mut names: Vec<&str> = self.operators.keys().map(|name| &**name).collect();
            names.sort_unstable();
            undeclared(at, "constant", &id, names)
        })
    }

    /// A `<finiteintrangeconstant>`: its sort, and the position of its value.
    pub(super) fn range_constant(
        &mut self,
        trees: &Trees<'a>,
        node: &Node<'a>,
    ) -> Result<(SortId, u32)> {
        let [range] = node.children[..] else {
            return Err(operands(node, "one range"));
        };
        let sort = self.sort(trees, &trees.nodes[range], None)?;
        let value = integer(node.element, "value")?;
        match self.sorts.get(sort).kind {
            SortKind::Range { start, end } if (start..=end).contains(&value) => {
                // The size fits into 32 bits.
                Ok((sort, value.abs_diff(start) as u32))
            }
            _ => {
                let name = value.to_string();
                let kind = ErrorKind::Undeclared {
                    what: "number in the range",
                    name,
                    nearest: Vec::new(),
                };
                Err(Located::new(node.element.offset, kind))
            }
        }
    }

    pub(super) fn clash(&self, at: Element<'_>, expected: SortId, found: SortId) -> Located {
        let name = |sort| self.sorts.get(sort).name.clone();
        let kind = ErrorKind::Clash {
            expected: name(expected),
            found: name(found),
        };
        Located::new(at.offset, kind)
    }
}

/// The named sorts that a declaration mentions.
fn needed<'a>(trees: &Trees<'a>, declaration: usize) -> Result<Vec<Cow<'a, str>>> {
    let mut found = Vec::new();
    let mut stack = trees.nodes[declaration].children.clone();
    while let Some(at) = stack.pop() {
        let node = &trees.nodes[at];
        if node.element.name == "usersort" {
            found.push(required(node.element, "declaration")?);
        }
        stack.extend_from_slice(&node.children);
    }
    Ok(found)
}

pub(super) fn required<'a>(at: Element<'a>, attribute: &'static str) -> Result<Cow<'a, str>> {
    at.attribute(attribute)?.ok_or_else(|| {
        let element = at.name.to_owned();
        Located::new(at.offset, ErrorKind::Attribute { element, attribute })
    })
}

pub(super) fn integer(at: Element<'_>, attribute: &'static str) -> Result<i64> {
    let text = required(at, attribute)?;
    text.trim().parse().map_err(|_| {
        let text = text.chars().take(40).collect();
        let kind = ErrorKind::Integer { attribute, text };
        Located::new(at.offset, kind)
    })
}

pub(super) fn element(at: Element<'_>, expected: &'static str) -> Located {
    let element = at.name.to_owned();
    Located::new(at.offset, ErrorKind::Element { element, expected })
}

pub(super) fn operands(node: &Node<'_>, expected: &'static str) -> Located {
    let kind = ErrorKind::Operands {
        element: node.element.name.to_owned(),
        expected,
        found: node.children.len(),
    };
    Located::new(node.element.offset, kind)
}

pub(super) fn undeclared<'n>(
    at: Element<'_>,
    what: &'static str,
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> Located {
    let nearest = nearest::nearest(name, known);
    let kind = ErrorKind::Undeclared {
        what,
        name: name.to_owned(),
        nearest: nearest.into_iter().map(str::to_owned).collect(),
    };
    Located::new(at.offset, kind)
}

fn twice(at: Element<'_>, id: &str) -> Located {
    Located::new(at.offset, ErrorKind::DuplicateId(id.to_owned()))
}
