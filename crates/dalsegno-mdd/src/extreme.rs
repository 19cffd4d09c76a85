//! Extreme values: the greatest sum over a set, and the values at a level.

use crate::store::Node;
use crate::{Manager, Set};

impl Manager {
    /// The greatest value of `Σ coefficient · value(level)` over a set; `None` if it is empty.
    ///
    /// Levels that are not listed do not count; a level that is listed twice counts twice. The
    /// absolute values of the coefficients must add up to less than 2^31. Cost: linear in the edges
    /// of the set.
    #[must_use]
    pub fn greatest(&self, set: &Set, terms: &[(u32, i64)]) -> Option<i64> {
        let root = self.node(set);
        if root == Node::EMPTY {
            return None;
        }
        let mut coefficients = vec![0; self.levels as usize];
        for &(level, coefficient) in terms {
            coefficients[level as usize] += coefficient;
        }
        let levels = self.levels_of(root);
        let mut best = vec![0_i64; levels.len()];
        for level in (0..self.levels).rev() {
            for &node in levels.at(level) {
                let sums = self.store.row(node).map(|(value, child)| {
                    let rest = if child.is_leaf() {
                        0
                    } else {
                        best[levels.place(child)]
                    };
                    coefficients[level as usize] * i64::from(value) + rest
                });
                best[levels.place(node)] = sums.max().unwrap_or(i64::MIN);
            }
        }
        Some(if root.is_leaf() {
            0
        } else {
            best[levels.place(root)]
        })
    }

    /// The least value of `Σ coefficient · value(level)` over a set; see [`Manager::greatest`].
    #[must_use]
    pub fn least(&self, set: &Set, terms: &[(u32, i64)]) -> Option<i64> {
        let negated: Vec<(u32, i64)> = terms.iter().map(|term| (term.0, -term.1)).collect();
        self.greatest(set, &negated).map(|value| -value)
    }

    /// The least and the greatest value per level; `None` if the set is empty.
    #[must_use]
    pub fn ranges(&self, set: &Set) -> Option<Vec<(u32, u32)>> {
        let root = self.node(set);
        if root == Node::EMPTY {
            return None;
        }
        let levels = self.levels_of(root);
        let range = |level| {
            let ends = levels.at(level).iter().map(|&node| {
                let last = self.store.row_len(node) - 1;
                (self.store.edge(node, 0).0, self.store.edge(node, last).0)
            });
            ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        };
        (0..self.levels).map(range).collect()
    }
}
