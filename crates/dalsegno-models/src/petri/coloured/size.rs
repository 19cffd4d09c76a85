//! How large an unfolding can become, without doing it.

use std::fmt;

use dalsegno_kripke::Relation;

use super::guard::{Guard, Intervals, intersection};
use super::net::{ColouredNet, ColouredTransition};

/// A bound on the size of an unfolded net.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// All colours of all places.
    pub places: u128,
    /// All bindings that satisfy what the guards say of single variables and of equal ones.
    pub transitions: u128,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Size {
            places,
            transitions,
        } = self;
        write!(f, "{places} places and {transitions} transitions")
    }
}

impl Size {
    /// The bound for a net.
    #[must_use]
    pub fn of(net: &ColouredNet) -> Self {
        let sizes = net
            .places
            .iter()
            .map(|p| u128::from(net.sorts.size(p.sort)));
        let bindings = net.transitions.iter().map(|t| bindings(net, t));
        Size {
            places: sizes.fold(0, u128::saturating_add),
            transitions: bindings.fold(0, u128::saturating_add),
        }
    }
}

fn bindings(net: &ColouredNet, t: &ColouredTransition) -> u128 {
    let leaves = net.leaves_of(t);
    let sorts = net.leaf_sorts();
    let position = |leaf| leaves.iter().position(|&l| l == leaf);
    // The representative of each variable, and the colours left to it.
    let mut same: Vec<usize> = (0..leaves.len()).collect();
    let mut domains: Vec<Intervals> = leaves
        .iter()
        .map(|leaf| match net.sorts.leaf_size(sorts[leaf.index()]) {
            0 => Intervals::new(),
            size => vec![(0, size - 1)],
        })
        .collect();
    for conjunct in t.guard.conjuncts() {
        match conjunct {
            Guard::Member(leaf, colours) => {
                if let Some(i) = position(*leaf) {
                    domains[i] = intersection(&domains[i], colours);
                }
            }
            Guard::Compare(left, Relation::Eq, right) => {
                if let (Some(i), Some(j)) = (position(left.leaf), position(right.leaf)) {
                    let (i, j) = (same[i], same[j]);
                    for root in &mut same {
                        if *root == j {
                            *root = i;
                        }
                    }
                }
            }
            Guard::Or(guards) if guards.is_empty() => return 0,
            _ => {}
        }
    }
    let count = |colours: &Intervals| -> u128 {
        colours
            .iter()
            .map(|&(low, high)| u128::from(high - low) + 1)
            .sum()
    };
    let mut product: u128 = 1;
    for root in 0..leaves.len() {
        let class = (0..leaves.len()).filter(|&i| same[i] == root);
        if let Some(least) = class.map(|i| count(&domains[i])).min() {
            product = product.saturating_mul(least);
        }
    }
    product
}
