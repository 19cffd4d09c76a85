//! Projection: which values some levels have together.
//!
//! A level that stays keeps its row; one that goes away is replaced by the union of what its
//! children become. Cost: unions at the levels that go away, which can be exponential in their
//! number; nothing where the levels that stay are the topmost ones.

use crate::cache::{NUMBERS, Op, key};
use crate::store::Node;
use crate::{Manager, Set, Stop};

/// What becomes of the levels that do not stay.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    /// They have the value 0.
    Zero,
    /// They are no levels any more: vectors become shorter.
    Gone,
}

struct Task<'l> {
    levels: &'l [u32],
    others: Others,
    number: u32,
    /// By level, the vector of zeros from there on; shorter if it is not needed.
    zeros: &'l [Node],
}

impl Manager {
    /// The vectors of a set with 0 in place of every value whose level is not listed.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    ///
    /// # Panics
    /// If the manager does not have a level.
    pub fn project(&mut self, set: &Set, levels: &[u32]) -> Result<Set, Stop> {
        self.project_as(set, levels, Others::Zero)
    }

    fn project_as(&mut self, set: &Set, levels: &[u32], others: Others) -> Result<Set, Stop> {
        let node = self.node(set);
        let mut levels = levels.to_vec();
        levels.sort_unstable();
        levels.dedup();
        let known = levels.last().is_none_or(|&last| last < self.levels);
        assert!(known, "levels of the manager");
        let result = self
            .safe_point()
            .and_then(|()| self.project_root(node, &levels, others));
        self.finish(result)
    }

    fn project_root(&mut self, root: Node, levels: &[u32], others: Others) -> Result<Node, Stop> {
        let mut zeros = vec![Node::ONE];
        if others == Others::Zero {
            for _ in 0..self.levels {
                let below = zeros.last().copied().unwrap_or(Node::ONE);
                zeros.push(self.make_single(0, below)?);
            }
            zeros.reverse();
        }
        let task = Task {
            levels,
            others,
            number: 2 * self.projection(levels) + u32::from(others == Others::Gone),
            zeros: &zeros,
        };
        self.project_node(&task, levels, root, 0)
    }

    /// The vectors below a node of a level without the values whose level is not listed.
    pub(crate) fn shorten_below(
        &mut self,
        node: Node,
        levels: &[u32],
        level: u32,
    ) -> Result<Node, Stop> {
        let task = Task {
            levels,
            others: Others::Gone,
            number: 2 * self.projection(levels) + 1,
            zeros: &[Node::ONE],
        };
        let left = &levels[levels.partition_point(|&l| l < level)..];
        self.project_node(&task, left, node, level)
    }

    /// The number of a list of levels, among the keys of the cache.
    fn projection(&mut self, levels: &[u32]) -> u32 {
        if let Some(&number) = self.projections.get(levels) {
            return number;
        }
        if self.projections.len() >= (NUMBERS / 2) as usize {
            self.projections.clear();
            self.cache.forget(&[Op::PROJECTION]);
        }
        let number = self.projections.len() as u32;
        self.projections.insert(levels.into(), number);
        number
    }

    /// Projects a node on the levels of `left`, which are those of the task that are not above it.
    fn project_node(
        &mut self,
        task: &Task,
        left: &[u32],
        node: Node,
        level: u32,
    ) -> Result<Node, Stop> {
        if node == Node::EMPTY {
            return Ok(Node::EMPTY);
        }
        let Some((&next, rest)) = left.split_first() else {
            let at = if task.others == Others::Zero {
                level
            } else {
                0
            };
            return Ok(task.zeros[at as usize]);
        };
        debug_assert!(task.levels.ends_with(left));
        let key = key(Op::PROJECTION, task.number, 0, node);
        if let Some(known) = self.cache.get(key) {
            return Ok(known);
        }
        self.tick()?;
        let result = if next == level {
            let base = self.rows.len();
            for i in 0..self.store.row_len(node) {
                let (value, child) = self.store.edge(node, i);
                let child = self.project_node(task, rest, child, level + 1)?;
                self.push_edge(value, child);
            }
            self.make_node(base)?
        } else {
            let mut united = Node::EMPTY;
            for i in 0..self.store.row_len(node) {
                let (_, child) = self.store.edge(node, i);
                let child = self.project_node(task, left, child, level + 1)?;
                united = self.unite(united, child)?;
            }
            match task.others {
                Others::Zero => self.make_single(0, united)?,
                Others::Gone => united,
            }
        };
        self.cache.put(key, result);
        Ok(result)
    }
}
