//! The nodes of one set, level by level: what counting and measuring walk along.

use crate::store::Node;
use crate::{Manager, Set, Stop};

/// The nodes that are reachable from a root, each with a place in the list of them.
///
/// Children lie one level deeper, so walking the levels upwards sees children before parents,
/// without recursion, and what is known of a level can go when the level above is done.
pub(crate) struct Levels {
    /// All nodes, level after level.
    nodes: Vec<Node>,
    /// Where each level begins, and where the last one ends.
    starts: Vec<usize>,
    /// By node, its place among all nodes; unspecified for others.
    places: Vec<u32>,
}

impl Levels {
    /// The nodes from level `level` on.
    #[inline]
    pub(crate) fn at(&self, level: u32) -> &[Node] {
        let level = level as usize;
        &self.nodes[self.starts[level]..self.starts[level + 1]]
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The place of a node that is listed.
    #[inline]
    pub(crate) fn place(&self, node: Node) -> usize {
        self.places[node.index()] as usize
    }

    /// The place of the first node of a level, or of the end.
    #[inline]
    pub(crate) fn start(&self, level: u32) -> usize {
        self.starts[level as usize]
    }

    /// The bytes that the lists take.
    pub(crate) fn bytes(&self) -> u64 {
        let starts = self.starts.capacity() * size_of::<usize>();
        (4 * self.nodes.capacity() + starts + 4 * self.places.capacity()) as u64
    }
}

impl Manager {
    /// The nodes of a set by level.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub(crate) fn levels_of(&mut self, root: Node) -> Result<Levels, Stop> {
        const UNSEEN: u32 = u32::MAX;
        let numbers = self.store.numbers();
        self.afford(4 * numbers as u64)?;
        let mut places = vec![UNSEEN; numbers];
        let mut nodes = Vec::new();
        let mut starts = Vec::with_capacity(self.levels as usize + 1);
        starts.push(0);
        if !root.is_leaf() {
            places[root.index()] = 0;
            nodes.push(root);
        }
        for level in 0..self.levels as usize {
            let end = nodes.len();
            starts.push(end);
            for i in starts[level]..end {
                self.tick()?;
                if nodes.len() == nodes.capacity() {
                    // The list doubles when it is full.
                    self.afford((4 * numbers + 12 * nodes.len()) as u64)?;
                }
                for (_, child) in self.store.row(nodes[i]) {
                    let place = &mut places[child.index()];
                    if !child.is_leaf() && *place == UNSEEN {
                        *place = nodes.len() as u32;
                        nodes.push(child);
                    }
                }
            }
        }
        Ok(Levels {
            nodes,
            starts,
            places,
        })
    }

    /// The number of nodes of a set.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn size(&mut self, set: &Set) -> Result<usize, Stop> {
        let root = self.node(set);
        Ok(self.levels_of(root)?.len())
    }
}
