//! Extreme values: the greatest sum over a set, and the values at a level.

use rustc_hash::FxHashSet;

use crate::store::Node;
use crate::{Manager, Set, Stop};

impl Manager {
    /// The greatest value of `Σ coefficient · value(level)` over a set; `None` if it is empty.
    ///
    /// Levels that are not listed do not count; a level that is listed twice counts twice. The
    /// absolute values of the coefficients must add up to less than 2^31. Cost: linear in the edges
    /// of the set.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn greatest(&mut self, set: &Set, terms: &[(u32, i64)]) -> Result<Option<i64>, Stop> {
        let mut coefficients = vec![0; self.levels as usize];
        for &(level, coefficient) in terms {
            coefficients[level as usize] += coefficient;
        }
        self.greatest_by(set, |level, value| {
            coefficients[level as usize] * i64::from(value)
        })
    }

    /// The greatest sum of weights over a set; `None` if it is empty. The weight of a value may
    /// differ from level to level; sums of weights must have room.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn greatest_by(
        &mut self,
        set: &Set,
        weight: impl Fn(u32, u32) -> i64,
    ) -> Result<Option<i64>, Stop> {
        let root = self.node(set);
        if root == Node::EMPTY {
            return Ok(None);
        }
        let levels = self.levels_of(root)?;
        self.afford(levels.bytes() + 8 * levels.len() as u64)?;
        // By place, the greatest sum of a node's level and those below.
        let mut best = vec![0_i64; levels.len()];
        for level in (0..self.levels).rev() {
            for &node in levels.at(level) {
                self.tick()?;
                let sums = self.store.row(node).map(|(value, child)| {
                    let rest = if child.is_leaf() {
                        0
                    } else {
                        best[levels.place(child)]
                    };
                    weight(level, value) + rest
                });
                best[levels.place(node)] = sums.max().unwrap_or(i64::MIN);
            }
        }
        Ok(Some(best.first().copied().unwrap_or(0)))
    }

    /// The least value of `Σ coefficient · value(level)` over a set; see [`Manager::greatest`].
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn least(&mut self, set: &Set, terms: &[(u32, i64)]) -> Result<Option<i64>, Stop> {
        let negated: Vec<(u32, i64)> = terms.iter().map(|term| (term.0, -term.1)).collect();
        Ok(self.greatest(set, &negated)?.map(|value| -value))
    }

    /// The least and the greatest value per level; `None` if the set is empty.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn ranges(&mut self, set: &Set) -> Result<Option<Vec<(u32, u32)>>, Stop> {
        let root = self.node(set);
        if root == Node::EMPTY {
            return Ok(None);
        }
        let levels = self.levels_of(root)?;
        let mut ranges = Vec::with_capacity(self.levels as usize);
        for level in 0..self.levels {
            let (mut least, mut greatest) = (u32::MAX, 0);
            for &node in levels.at(level) {
                self.tick()?;
                let last = self.store.row_len(node) - 1;
                least = least.min(self.store.edge(node, 0).0);
                greatest = greatest.max(self.store.edge(node, last).0);
            }
            ranges.push((least, greatest));
        }
        Ok(Some(ranges))
    }

    /// The values per level, ascending; `None` if the set is empty.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn values(&mut self, set: &Set) -> Result<Option<Vec<Vec<u32>>>, Stop> {
        let root = self.node(set);
        if root == Node::EMPTY {
            return Ok(None);
        }
        let levels = self.levels_of(root)?;
        let mut found = Vec::with_capacity(self.levels as usize);
        for level in 0..self.levels {
            let mut values = FxHashSet::default();
            for &node in levels.at(level) {
                self.tick()?;
                values.extend(self.store.row(node).map(|(value, _)| value));
            }
            let mut values: Vec<u32> = values.into_iter().collect();
            values.sort_unstable();
            found.push(values);
        }
        Ok(Some(found))
    }
}
