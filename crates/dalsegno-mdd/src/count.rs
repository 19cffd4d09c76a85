//! The exact number of vectors of a set.
//!
//! One walk up the levels; the numbers of a level are needed by the level above it and then go.
//! Cost: linear in the edges, times the words of the numbers.

use num_bigint::BigUint;

use crate::column::Column;
use crate::levels::Levels;
use crate::store::Node;
use crate::{Manager, Set, Stop};

impl Manager {
    /// The number of vectors of a set.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn count(&mut self, set: &Set) -> Result<BigUint, Stop> {
        let root = self.node(set);
        if root == Node::EMPTY {
            return Ok(BigUint::default());
        }
        let levels = self.levels_of(root)?;
        let mut below = Column::one();
        let mut own = Column::default();
        for level in (0..self.levels).rev() {
            self.count_level(&levels, level, &below, &mut own)?;
            let width = own.needed();
            own.trim(width);
            std::mem::swap(&mut own, &mut below);
        }
        Ok(below.number(0))
    }

    /// Sets `own` to the vectors from each node of a level on, given those of the level below.
    pub(crate) fn count_level(
        &mut self,
        levels: &Levels,
        level: u32,
        below: &Column,
        own: &mut Column,
    ) -> Result<(), Stop> {
        let nodes = levels.at(level);
        let width = below.width() + 1;
        self.afford(levels.bytes() + below.bytes() + Column::bytes_of(nodes.len(), width))?;
        own.reset(nodes.len(), width);
        let start = levels.start(level + 1);
        for (i, &node) in nodes.iter().enumerate() {
            self.tick()?;
            for (_, child) in self.store.row(node) {
                own.add(i, below, place_below(levels, start, child));
            }
        }
        Ok(())
    }
}

/// The place of a child among the nodes of its level, which start at `start`; of the leaf 0.
#[inline]
pub(crate) fn place_below(levels: &Levels, start: usize, child: Node) -> usize {
    if child.is_leaf() {
        0
    } else {
        levels.place(child) - start
    }
}
