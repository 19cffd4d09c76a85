//! The variables of a transition as quotients see them: equal ones joined, and connected by comparisons.
//!
//! What equalities of the guard join has one *root*, from which each is shifted. Roots that other comparisons connect make a
//! component. See [`Quotient`](super::Quotient) for what follows from that.

use dalsegno_kripke::Relation;
use rustc_hash::FxHashMap;

use super::guard::{Guard, Intervals};
use super::multiset::{LeafId, Multiset, Part, shifted};
use super::net::{ColouredNet, ColouredTransition};
use crate::petri::net::PlaceId;

/// A leaf of a place with the shift of the variable there.
pub(super) type At = (u32, u32, u32);

/// The variables of a transition, equal ones joined.
pub(super) struct Variables {
    /// Per leaf: the variable it is joined to, and how far it is shifted from that one.
    pub(super) root: FxHashMap<LeafId, (LeafId, u32)>,
    pub(super) inputs: FxHashMap<LeafId, Vec<At>>,
    pub(super) outputs: FxHashMap<LeafId, Vec<At>>,
    pub(super) sets: FxHashMap<LeafId, Vec<(u32, Intervals)>>,
    /// Variables whose colours are told apart.
    pub(super) rigid: Vec<LeafId>,
    /// Variables that the guard compares.
    pairs: Vec<(LeafId, LeafId)>,
}

impl Variables {
    pub(super) fn new(net: &ColouredNet, t: &ColouredTransition) -> Self {
        let sorts = net.leaf_sorts();
        let root = net.leaves_of(t).into_iter().map(|leaf| (leaf, (leaf, 0)));
        let mut variables = Variables {
            root: root.collect(),
            inputs: FxHashMap::default(),
            outputs: FxHashMap::default(),
            sets: FxHashMap::default(),
            rigid: Vec::new(),
            pairs: Vec::new(),
        };
        for conjunct in t.guard.conjuncts() {
            if let Guard::Compare(left, Relation::Eq, right) = conjunct {
                let (a, i) = variables.of(left.leaf);
                let (b, j) = variables.of(right.leaf);
                // a + i + left.shift = b + j + right.shift
                let ahead = shifted(j, right.shift, right.size);
                let behind = shifted(i, left.shift, left.size);
                let offset = shifted(ahead, left.size - behind, left.size);
                if a == b {
                    if offset != 0 {
                        variables.rigid.push(a);
                    }
                    continue;
                }
                for (root, shift) in variables.root.values_mut() {
                    if *root == a {
                        (*root, *shift) = (b, shifted(*shift, offset, left.size));
                    }
                }
                variables.rigid = variables
                    .rigid
                    .iter()
                    .map(|&l| if l == a { b } else { l })
                    .collect();
            }
        }
        let sizes = |leaf: LeafId| net.sorts.leaf_size(sorts[leaf.index()]);
        for conjunct in t.guard.conjuncts() {
            if !matches!(conjunct, Guard::Compare(_, Relation::Eq, _)) {
                variables.see(conjunct, &sizes);
            }
        }
        variables
    }

    pub(super) fn of(&self, leaf: LeafId) -> (LeafId, u32) {
        self.root.get(&leaf).copied().unwrap_or((leaf, 0))
    }

    /// What a part of the guard says of single variables and of pairs.
    fn see(&mut self, guard: &Guard, size: &impl Fn(LeafId) -> u32) {
        match guard {
            Guard::And(parts) | Guard::Or(parts) => {
                for part in parts {
                    self.see(part, size);
                }
            }
            Guard::Member(leaf, colours) => {
                let (root, offset) = self.of(*leaf);
                self.sets
                    .entry(root)
                    .or_default()
                    .push((offset, colours.clone()));
            }
            Guard::Compare(left, op, right) => {
                let (a, i) = self.of(left.leaf);
                let (b, j) = self.of(right.leaf);
                let symmetric = matches!(op, Relation::Eq | Relation::Ne);
                let (i, j) = (
                    shifted(i, left.shift, left.size),
                    shifted(j, right.shift, right.size),
                );
                if !symmetric || i != j || a == b || size(a) != size(b) {
                    self.rigid.extend([a, b]);
                }
                self.pairs.push((a, b));
            }
        }
    }

    /// The variables of what is put.
    pub(super) fn put(&mut self, place: PlaceId, term: &Multiset, sizes: &[u32]) {
        let negative = |summand: &super::multiset::Summand| {
            summand.coefficient < 0 || summand.factors.iter().flatten().any(|&(_, n)| n < 0)
        };
        if term.summands.iter().any(negative) {
            self.rigid.extend(term.leaves());
        }
        for summand in &term.summands {
            for ((leaf, factor), &size) in (0..).zip(&summand.factors).zip(sizes) {
                for &(part, _) in factor {
                    if let Part::Variable {
                        leaf: variable,
                        shift,
                    } = part
                    {
                        let (root, offset) = self.of(variable);
                        let at = (place.0, leaf, shifted(offset, shift, size));
                        self.outputs.entry(root).or_default().push(at);
                    }
                }
            }
        }
    }

    pub(super) fn is_rigid(&self, root: LeafId) -> bool {
        self.rigid.iter().any(|&leaf| self.of(leaf).0 == root)
    }

    /// The joined variables that comparisons connect.
    pub(super) fn components(&self) -> Vec<Vec<LeafId>> {
        let mut roots: Vec<LeafId> = self.root.values().map(|&(root, _)| root).collect();
        roots.sort_unstable();
        roots.dedup();
        let mut component: FxHashMap<LeafId, LeafId> = roots.iter().map(|&r| (r, r)).collect();
        for (a, b) in &self.pairs {
            let (from, to) = (component[a], component[b]);
            for of in component.values_mut() {
                if *of == from {
                    *of = to;
                }
            }
        }
        let mut all: Vec<Vec<LeafId>> = Vec::new();
        for &name in &roots {
            let members: Vec<LeafId> = roots
                .iter()
                .copied()
                .filter(|r| component[r] == name)
                .collect();
            if !members.is_empty() {
                all.push(members);
            }
        }
        all
    }
}
