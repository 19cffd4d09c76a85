//! The tableau of a formula of LTL in negation normal form: an automaton over sets of owed formulas.
//!
//! For a letter, `alternatives(f)` is a set of pairs (next, postponed): what has to hold at the next position so
//! that `f` holds now, and which untils are put off by that.
//!
//! - a literal: nothing more is owed if it is true, there is no alternative if it is false
//! - `f & g`: unions of an alternative of each; `f | g`: the alternatives of both; `X f`: `f` is owed
//! - `u = f U g`: the alternatives of `g`, and those of `f` with `u` owed and postponed
//! - `r = f R g`: unions of an alternative of `g` with one of `f`, or with `r` owed
//!
//! A pair that contains another one is dropped. From a set of owed formulas there is a step for each union of
//! alternatives of its members. Every word that satisfies the formula has a run on which each until is postponed
//! finitely often in a row: choose `g` as soon as it is true; keeping less only owes less.

use std::collections::{BTreeMap, BTreeSet};

use crate::claim::Claim;
use crate::formula::{Formulas, Id, Node};
use crate::{Failure, Result, error};

/// A set of owed formulas, ascending.
pub type Owed = Vec<Id>;

/// A step: what is owed next, and the untils that are postponed, a bit each.
pub type Step = (Owed, u64);

/// The alternatives that a formula may have.
const MOST: usize = 4096;

/// The tableau.
#[derive(Clone, Debug)]
pub struct Tableau<'a> {
    formulas: &'a Formulas,
    /// The untils, ascending.
    untils: Vec<Id>,
}

impl<'a> Tableau<'a> {
    /// The tableau of what a claim says that no run satisfies.
    pub fn new(claim: &'a Claim) -> Result<Self> {
        let formulas = &claim.formulas;
        let is_until = |&f: &Id| matches!(formulas.nodes[f], Node::Until(..));
        let untils: Vec<Id> = parts(formulas, &[claim.goal], |_| true).into_iter().filter(is_until).collect();
        match untils.len() {
            0..64 => Ok(Tableau { formulas, untils }),
            _ => Err(Failure::Limit("the property has more than 63 untils")),
        }
    }

    /// The number of marks: one per until, and one that every step carries.
    pub fn marks(&self) -> u64 {
        self.untils.len() as u64 + 1
    }

    /// The steps from a set of owed formulas under a letter.
    pub fn steps(&self, owed: &[Id], letter: u64) -> Result<Vec<Step>> {
        let mut known: BTreeMap<Id, Vec<Step>> = BTreeMap::new();
        // Operands have smaller numbers, and come first. What is below a next does not matter now.
        for f in parts(self.formulas, owed, |node| !matches!(node, Node::Next(_))) {
            let found = self.alternatives(f, letter, &known)?;
            known.insert(f, found);
        }
        owed.iter().try_fold(vec![(Owed::new(), 0)], |steps, f| product(&steps, &known[f]))
    }

    fn alternatives(&self, f: Id, letter: u64, known: &BTreeMap<Id, Vec<Step>>) -> Result<Vec<Step>> {
        let constant = |value: bool| if value { vec![(Owed::new(), 0)] } else { Vec::new() };
        Ok(match self.formulas.nodes[f] {
            Node::True => constant(true),
            Node::False => constant(false),
            Node::Atom(a) => constant(letter >> a & 1 == 1),
            Node::NotAtom(a) => constant(letter >> a & 1 == 0),
            Node::And(g, h) => product(&known[&g], &known[&h])?,
            Node::Or(g, h) => least([&known[&g][..], &known[&h]].concat())?,
            Node::Next(g) => vec![(vec![g], 0)],
            Node::Until(g, h) => {
                let mark = self.untils.iter().position(|&u| u == f);
                let later = product(&known[&g], &[(vec![f], mark.map_or(0, |mark| 1 << mark))])?;
                least([&known[&h][..], &later].concat())?
            }
            Node::Release(g, h) => product(&known[&h], &least([&known[&g][..], &[(vec![f], 0)]].concat())?)?,
            Node::Exists(_) | Node::Forall(_) => return error(0, "a quantifier in linear time"),
        })
    }
}

/// Some formulas and the formulas in them, as far as one looks into.
fn parts(formulas: &Formulas, of: &[Id], look_into: impl Fn(Node) -> bool) -> BTreeSet<Id> {
    let (mut found, mut open) = (BTreeSet::new(), of.to_vec());
    while let Some(f) = open.pop() {
        if found.insert(f) && look_into(formulas.nodes[f]) {
            open.extend(formulas.nodes[f].operands());
        }
    }
    found
}

fn product(left: &[Step], right: &[Step]) -> Result<Vec<Step>> {
    let mut found = Vec::new();
    for ((next, postponed), (more, also)) in left.iter().flat_map(|a| right.iter().map(move |b| (a, b))).take(MOST + 1)
    {
        let union: BTreeSet<Id> = next.iter().chain(more).copied().collect();
        found.push((union.into_iter().collect(), postponed | also));
    }
    least(found)
}

/// The pairs that contain no other one.
fn least(mut steps: Vec<Step>) -> Result<Vec<Step>> {
    if steps.len() > MOST {
        return Err(Failure::Limit("a set of owed formulas has too many steps"));
    }
    steps.sort();
    steps.dedup();
    let within = |a: &Step, b: &Step| a.1 & !b.1 == 0 && a.0.iter().all(|f| b.0.binary_search(f).is_ok());
    let is_least = |b: &&Step| !steps.iter().any(|a| a != *b && within(a, b));
    Ok(steps.iter().filter(is_least).cloned().collect())
}
