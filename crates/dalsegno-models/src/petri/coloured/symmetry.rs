//! Variables of a transition that may be exchanged are bound once.
//!
//! Two variables of one sort are *interchangeable* if the transition is the same when they are exchanged in its guard and in
//! all its arcs. Bindings that differ by the exchange then have the same arcs, and if one satisfies the guard, so does
//! the other. Interchangeability is an equivalence: exchanges of x, y and of y, z generate all permutations of x, y, z. So of the
//! bindings that differ by permutations within a class it suffices to take the one whose colours ascend, and the
//! guard may demand that: k variables over n colours have C(n + k - 1, k) such bindings instead of n^k.
//!
//! Cost: each pair of variables is exchanged in the whole transition once.

use dalsegno_kripke::Relation;

use super::guard::{Guard, Shifted};
use super::multiset::{LeafId, Multiset, Part};
use super::net::{ColouredArcs, ColouredNet, ColouredTransition};

/// The most variables of a transition whose pairs are looked at.
const MOST_VARIABLES: usize = 64;

/// The guard of a transition that also demands that interchangeable variables ascend.
pub(super) fn ascending(net: &ColouredNet, t: &ColouredTransition) -> Guard {
    // A variable of a product sort has several leaves, which would have to be exchanged together.
    let single = |&&v: &&usize| net.sorts.leaves(net.variables[v].sort).len() == 1;
    let variables: Vec<usize> = t.variables.iter().filter(single).copied().collect();
    if variables.len() > MOST_VARIABLES {
        return t.guard.clone();
    }
    let own = canonical_guard(&t.guard);
    let mut taken = vec![false; variables.len()];
    let mut demands = vec![t.guard.clone()];
    for i in 0..variables.len() {
        let mut last = i;
        for j in i + 1..variables.len() {
            let (x, y) = (&net.variables[variables[i]], &net.variables[variables[j]]);
            if taken[j] || x.sort != y.sort || !is_symmetric(t, &own, x.first_leaf, y.first_leaf) {
                continue;
            }
            taken[j] = true;
            let size = net.sorts.leaf_size(x.sort);
            let at = |v: usize| Shifted {
                leaf: net.variables[variables[v]].first_leaf,
                shift: 0,
                size,
            };
            demands.push(Guard::compare(at(last), Relation::Le, at(j)));
            last = j;
        }
    }
    match demands.len() {
        1 => t.guard.clone(),
        _ => Guard::and(demands),
    }
}

/// Whether a transition of the net has variables that may be exchanged.
#[must_use]
pub fn has_interchangeable(net: &ColouredNet) -> bool {
    let mut transitions = net.transitions.iter();
    transitions.any(|t| ascending(net, t) != t.guard)
}

/// Whether a transition stays the same when two variables are exchanged; `guard` is its guard in canonical order.
fn is_symmetric(t: &ColouredTransition, guard: &Guard, x: LeafId, y: LeafId) -> bool {
    let lists = [&t.pre, &t.post, &t.test, &t.inhibit];
    let arcs = |arcs: &ColouredArcs| {
        let same = |term: &Multiset| exchanged(term, x, y).as_ref() == Some(term);
        arcs.iter().all(|(_, term)| same(term))
    };
    lists.into_iter().all(arcs) && canonical_guard(&exchanged_guard(&t.guard, x, y)) == *guard
}

fn swap(leaf: LeafId, x: LeafId, y: LeafId) -> LeafId {
    match leaf {
        _ if leaf == x => y,
        _ if leaf == y => x,
        other => other,
    }
}

/// A term with two variables exchanged.
fn exchanged(term: &Multiset, x: LeafId, y: LeafId) -> Option<Multiset> {
    let mut term = term.clone();
    for (part, _) in term
        .summands
        .iter_mut()
        .flat_map(|s| s.factors.iter_mut().flatten())
    {
        if let Part::Variable { leaf, .. } = part {
            *leaf = swap(*leaf, x, y);
        }
    }
    term.normalised()
}

fn exchanged_guard(guard: &Guard, x: LeafId, y: LeafId) -> Guard {
    let all = |parts: &[Guard]| {
        parts
            .iter()
            .map(|part| exchanged_guard(part, x, y))
            .collect()
    };
    match guard {
        Guard::And(parts) => Guard::And(all(parts)),
        Guard::Or(parts) => Guard::Or(all(parts)),
        Guard::Member(leaf, colours) => Guard::Member(swap(*leaf, x, y), colours.clone()),
        Guard::Compare(left, op, right) => {
            let at = |s: &Shifted| Shifted {
                leaf: swap(s.leaf, x, y),
                ..*s
            };
            Guard::compare(at(left), *op, at(right))
        }
    }
}

/// The guard with the parts of conjunctions and disjunctions in an order that does not depend on how they were written.
fn canonical_guard(guard: &Guard) -> Guard {
    let sorted = |parts: &[Guard]| {
        let mut parts: Vec<Guard> = parts.iter().map(canonical_guard).collect();
        parts.sort_by_cached_key(|part| format!("{part:?}"));
        parts
    };
    match guard {
        Guard::And(parts) => Guard::And(sorted(parts)),
        Guard::Or(parts) => Guard::Or(sorted(parts)),
        other => other.clone(),
    }
}
