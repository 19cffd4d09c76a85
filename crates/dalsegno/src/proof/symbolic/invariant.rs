//! Invariants: the reachable states are closed, and none of them has what must never hold.

use std::collections::BTreeSet;

use dalsegno_verify::diagram::Diagram;
use dalsegno_verify::formula::{Formulas, Id, Node};
use rustc_hash::FxHashMap;

use super::{Made, Product, Ranked};
use crate::proof::Unproved;

impl Product<'_> {
    /// A proof that a set of markings is closed and has nothing that must never hold.
    pub(super) fn closed(&mut self) -> Made<Diagram> {
        let claim = &self.subject.claim;
        let always = match claim.formulas.nodes[claim.goal] {
            Node::Forall(path) => match claim.formulas.nodes[path] {
                Node::Release(left, always) if claim.formulas.nodes[left] == Node::False => {
                    Some(always)
                }
                _ => None,
            },
            _ => None,
        };
        let parts = always.and_then(|always| without_time(&claim.formulas, always));
        let (Some(parts), Some(always)) = (parts, always) else {
            let why = "decision diagrams prove linear time and invariants only";
            return Err(Unproved::Other(why.to_owned()));
        };
        self.slots.push(vec![claim.goal]);
        self.slots.extend(parts.iter().map(|&f| vec![f]));
        let mut ranked = Vec::new();
        for (class, (letter, states)) in self.classes.iter().enumerate() {
            let true_parts = truths(&claim.formulas, &parts, *letter);
            if !true_parts.iter().any(|&i| parts[i] == always) {
                // It holds all the same: no path that counts leads there.
                let why =
                    "a reachable marking violates the invariant, and only infinite paths count";
                return Err(Unproved::Other(why.to_owned()));
            }
            for slot in std::iter::once(0).chain(true_parts.into_iter().map(|i| i + 1)) {
                let (key, states) = ((slot as u32, class), states.clone());
                ranked.push(Ranked {
                    key,
                    rank: 0,
                    choice: None,
                    states,
                });
            }
        }
        self.join(&ranked, None)
    }
}

/// The parts of a formula without temporal operators, smaller ones first; none if there are some.
fn without_time(formulas: &Formulas, f: Id) -> Option<Vec<Id>> {
    let (mut found, mut open) = (BTreeSet::new(), vec![f]);
    while let Some(g) = open.pop() {
        if !found.insert(g) {
            continue;
        }
        match formulas.nodes[g] {
            Node::True | Node::False | Node::Atom(_) | Node::NotAtom(_) => {}
            Node::And(h, k) | Node::Or(h, k) => open.extend([h, k]),
            _ => return None,
        }
    }
    Some(found.into_iter().collect())
}

/// Which parts of a formula without temporal operators a letter satisfies, by their places in the list.
fn truths(formulas: &Formulas, parts: &[Id], letter: u64) -> Vec<usize> {
    let bit = |a: usize| letter >> a & 1 == 1;
    let mut holds: FxHashMap<Id, bool> = FxHashMap::default();
    for &f in parts {
        let value = match formulas.nodes[f] {
            Node::True => true,
            Node::Atom(a) => bit(a),
            Node::NotAtom(a) => !bit(a),
            Node::And(g, h) => holds[&g] && holds[&h],
            Node::Or(g, h) => holds[&g] || holds[&h],
            _ => false,
        };
        holds.insert(f, value);
    }
    (0..parts.len()).filter(|&i| holds[&parts[i]]).collect()
}
