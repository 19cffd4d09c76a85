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
use crate::failure::{Failure, Result, error};
use crate::formula::{Formulas, Id, Node};

/// A set of owed formulas, ascending.
pub type Owed = Vec<Id>;

/// The alternatives that a step may have.
const MOST: usize = 4096;

/// A step: what is owed next, and the untils that are postponed, a bit each.
pub type Step = (Owed, u64);

/// The tableau.
#[derive(Clone, Debug)]
pub struct Tableau<'a> {
    formulas: &'a Formulas,
    /// The untils, ascending.
    untils: Vec<Id>,
}

impl<'a> Tableau<'a> {
    /// The tableau of what a claim says that no run satisfies.
    ///
    /// # Errors
    /// If there are more than 63 untils.
    pub fn new(claim: &'a Claim) -> Result<Self> {
        let mut parts = BTreeSet::from([claim.goal]);
        for f in (0..=claim.goal).rev() {
            if parts.contains(&f) {
                parts.extend(operands(claim.formulas.node(f)));
            }
        }
        let is_until = |&f: &Id| matches!(claim.formulas.node(f), Node::Until(..));
        let untils: Vec<Id> = parts.into_iter().filter(is_until).collect();
        if untils.len() > 63 {
            return Err(Failure::Limit(
                "the property has more than 63 untils".to_owned(),
            ));
        }
        Ok(Tableau {
            formulas: &claim.formulas,
            untils,
        })
    }

    /// The number of marks: one per until, and one that every step carries.
    #[must_use]
    pub fn marks(&self) -> u64 {
        self.untils.len() as u64 + 1
    }

    /// The steps from a set of owed formulas under a letter.
    ///
    /// # Errors
    /// If there are too many.
    pub fn steps(&self, owed: &[Id], letter: u64) -> Result<Vec<Step>> {
        // Operands have smaller numbers: all that matters now, and then from below.
        let mut needed: BTreeSet<Id> = owed.iter().copied().collect();
        let mut open = owed.to_vec();
        while let Some(f) = open.pop() {
            if !matches!(self.formulas.node(f), Node::Next(_)) {
                let new = operands(self.formulas.node(f));
                open.extend(new.into_iter().filter(|&g| needed.insert(g)));
            }
        }
        let mut known: BTreeMap<Id, Vec<Step>> = BTreeMap::new();
        for f in needed {
            let found = self.alternatives(f, letter, &known)?;
            known.insert(f, found);
        }
        let nothing = vec![(Owed::new(), 0)];
        owed.iter()
            .try_fold(nothing, |steps, f| product(&steps, &known[f]))
    }

    fn alternatives(
        &self,
        f: Id,
        letter: u64,
        known: &BTreeMap<Id, Vec<Step>>,
    ) -> Result<Vec<Step>> {
        let constant = |value: bool| {
            if value {
                vec![(Owed::new(), 0)]
            } else {
                Vec::new()
            }
        };
        Ok(match self.formulas.node(f) {
            Node::True => constant(true),
            Node::Atom(a) => constant(letter >> a & 1 == 1),
            // Negations are at atoms and constants only.
            Node::Not(g) => constant(known[&g].is_empty()),
            Node::And(g, h) => product(&known[&g], &known[&h])?,
            Node::Or(g, h) => least([&known[&g][..], &known[&h]].concat())?,
            Node::Next(g) => vec![(vec![g], 0)],
            Node::Until(g, h) => {
                let mark = self.untils.iter().position(|&u| u == f);
                let later = vec![(vec![f], mark.map_or(0, |mark| 1 << mark))];
                let later = product(&known[&g], &later)?;
                least([&known[&h][..], &later].concat())?
            }
            Node::Release(g, h) => {
                let either = [&known[&g][..], &[(vec![f], 0)]].concat();
                product(&known[&h], &least(either)?)?
            }
            Node::Exists(_) | Node::Forall(_) => return error(0, "a quantifier in linear time"),
        })
    }
}

fn operands(node: Node) -> Vec<Id> {
    match node {
        Node::True | Node::Atom(_) => Vec::new(),
        Node::Not(f) | Node::Next(f) | Node::Exists(f) | Node::Forall(f) => vec![f],
        Node::And(f, g) | Node::Or(f, g) | Node::Until(f, g) | Node::Release(f, g) => vec![f, g],
    }
}

fn product(left: &[Step], right: &[Step]) -> Result<Vec<Step>> {
    if left.len() * right.len() > MOST {
        let what = "a set of owed formulas has too many steps";
        return Err(Failure::Limit(what.to_owned()));
    }
    let mut found = Vec::new();
    for (next, postponed) in left {
        for (more, also) in right {
            let union: BTreeSet<Id> = next.iter().chain(more).copied().collect();
            found.push((union.into_iter().collect(), postponed | also));
        }
    }
    least(found)
}

/// The pairs that contain no other one.
fn least(mut steps: Vec<Step>) -> Result<Vec<Step>> {
    if steps.len() > MOST {
        let what = "a set of owed formulas has too many steps";
        return Err(Failure::Limit(what.to_owned()));
    }
    steps.sort();
    steps.dedup();
    let within =
        |a: &Step, b: &Step| a.1 & !b.1 == 0 && a.0.iter().all(|f| b.0.binary_search(f).is_ok());
    let is_least = |b: &Step| !steps.iter().any(|a| a != b && within(a, b));
    Ok(steps
        .iter()
        .filter(|step| is_least(step))
        .cloned()
        .collect())
}
