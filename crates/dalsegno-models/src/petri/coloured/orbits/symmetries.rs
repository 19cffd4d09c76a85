//! Which permutations of colours change nothing of what transitions do.
//!
//! A permutation of the colours of a sort is a *symmetry* if each guard holds of a binding as it holds of the permuted one,
//! and each arc of the permuted binding has the permuted colours. Sorts are divided into classes such that all permutations that
//! keep the classes are symmetries, those of different sorts independently of each other. Only what transitions say
//! divides: initial markings need not be symmetric.
//!
//! *What divides:* a set of colours in a guard divides into those inside and outside. So does a constant on an arc, or the
//! set of all constants that stand in tuples that are otherwise the same: a sum of all colours one by one divides nothing. *What leaves nothing to be exchanged* in a sort: a successor, and a comparison by order.
//! Variables that are equal or different stay so under any permutation, and `all` has all colours.
//!
//! Cost: a split looks at all colours of a sort.

use std::collections::BTreeMap;

use dalsegno_kripke::Relation;

use super::super::classes::Classes;
use super::super::guard::{Guard, Shifted, contains};
use super::super::multiset::{Factor, Multiset, Part, Summand};
use super::super::net::ColouredNet;
use super::super::sort::{SortId, SortKind};

/// The most colours of a sort that are exchanged.
const MOST_COLOURS: u32 = 1 << 16;

/// A condition without which markings would stand for others wrongly. Tests drop each of them, to see that it is missed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// A constant on an arc is told apart.
    Constants,
    /// The colours of a set in a guard are told apart from the others.
    Sets,
    /// Colours that are compared by order are told apart.
    Order,
    /// Colours that have successors are told apart.
    Successors,
    /// The exchange of twins leaves a marking as it is.
    Twins,
}

impl Condition {
    /// All of them.
    pub const ALL: [Condition; 5] = [
        Condition::Constants,
        Condition::Sets,
        Condition::Order,
        Condition::Successors,
        Condition::Twins,
    ];
}

/// Classes of colours that may be exchanged, per sort.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Symmetries {
    /// By the number of the sort.
    pub(super) classes: Vec<Classes>,
    dropped: Option<Condition>,
}

impl Symmetries {
    /// The coarsest classes of this kind, without a condition if one is to be dropped.
    pub(super) fn of(net: &ColouredNet, dropped: Option<Condition>) -> Self {
        let classes = net.sorts.all().iter().zip(0..).map(|(sort, number)| {
            let size = net.sorts.size(SortId(number));
            match sort.kind {
                SortKind::Product(_) => Classes::Single,
                _ if size <= 1 || size > u64::from(MOST_COLOURS) => Classes::Single,
                _ => Classes::Whole,
            }
        });
        let mut found = Symmetries {
            classes: classes.collect(),
            dropped,
        };
        let leaf_sorts = net.leaf_sorts();
        for t in net.transitions.iter().filter(|t| t.guard != Guard::FALSE) {
            found.guard(net, &leaf_sorts, &t.guard);
            let arcs = t.pre.iter().chain(&t.post).chain(&t.test).chain(&t.inhibit);
            for (_, term) in arcs {
                found.term(net, &leaf_sorts, term);
            }
        }
        found
    }

    /// Whether nothing may be exchanged.
    pub(super) fn is_trivial(&self) -> bool {
        self.classes.iter().all(|c| *c == Classes::Single)
    }

    fn is_kept(&self, condition: Condition) -> bool {
        self.dropped != Some(condition)
    }

    fn single(&mut self, sort: SortId) {
        self.classes[sort.index()] = Classes::Single;
    }

    fn guard(&mut self, net: &ColouredNet, leaf_sorts: &[SortId], guard: &Guard) {
        match guard {
            Guard::And(parts) | Guard::Or(parts) => {
                for part in parts {
                    self.guard(net, leaf_sorts, part);
                }
            }
            Guard::Member(leaf, colours) if self.is_kept(Condition::Sets) => {
                let sort = leaf_sorts[leaf.index()];
                let size = net.sorts.leaf_size(sort);
                self.classes[sort.index()]
                    .split(size, |colour| u32::from(contains(colours, colour)));
            }
            Guard::Member(..) => {}
            Guard::Compare(left, op, right) => {
                let sort = |side: &Shifted| leaf_sorts[side.leaf.index()];
                let ordered = !matches!(op, Relation::Eq | Relation::Ne);
                let moved = left.shift != right.shift;
                if ordered && self.is_kept(Condition::Order)
                    || moved && self.is_kept(Condition::Successors)
                    || sort(left) != sort(right)
                {
                    self.single(sort(left));
                    self.single(sort(right));
                }
            }
        }
    }

    fn term(&mut self, net: &ColouredNet, leaf_sorts: &[SortId], term: &Multiset) {
        let leaves = net.sorts.leaves(term.sort);
        // Sets of constants that stand in the same place: a leaf and a summand without its factor there.
        let mut sets: BTreeMap<(usize, Summand), Vec<u32>> = BTreeMap::new();
        for summand in &term.summands {
            for (at, (factor, &sort)) in summand.factors.iter().zip(leaves).enumerate() {
                for &(part, _) in factor {
                    if let Part::Variable { leaf, shift } = part {
                        let of_variable = leaf_sorts[leaf.index()];
                        let moved = shift != 0 && self.is_kept(Condition::Successors);
                        if moved || of_variable != sort {
                            self.single(sort);
                            self.single(of_variable);
                        }
                    }
                }
                if let [(Part::Constant(colour), 1)] = factor.as_slice() {
                    let mut beside = summand.factors.iter().zip(leaves).enumerate();
                    let same = |(other, (factor, &of)): (usize, (&Factor, &SortId))| {
                        other != at && of == sort && constants(factor).next().is_some()
                    };
                    // Two constants of one sort in a tuple move together.
                    if beside.any(same) {
                        self.set(net, sort, &[*colour]);
                        continue;
                    }
                    let mut rest = summand.clone();
                    rest.factors[at].clear();
                    sets.entry((at, rest)).or_default().push(*colour);
                    continue;
                }
                let mut weights: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
                for (colour, weight) in constants(factor) {
                    weights.entry(weight).or_default().push(colour);
                }
                for colours in weights.values() {
                    self.set(net, sort, colours);
                }
            }
        }
        for ((at, _), colours) in sets {
            self.set(net, leaves[at], &colours);
        }
    }

    /// Tells the colours of a set apart from the others.
    fn set(&mut self, net: &ColouredNet, sort: SortId, colours: &[u32]) {
        if self.is_kept(Condition::Constants) && self.classes[sort.index()] != Classes::Single {
            let size = net.sorts.leaf_size(sort);
            let mut inside: Vec<bool> = vec![false; size as usize];
            for &colour in colours {
                inside[colour as usize] = true;
            }
            self.classes[sort.index()].split(size, |colour| u32::from(inside[colour as usize]));
        }
    }
}

/// The constants of a factor with their weights.
fn constants(factor: &Factor) -> impl Iterator<Item = (u32, i64)> + '_ {
    factor.iter().filter_map(|&(part, weight)| match part {
        Part::Constant(colour) => Some((colour, weight)),
        _ => None,
    })
}
