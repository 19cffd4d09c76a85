//! The nodes of one set, level by level: what counting and measuring walk along.

use crate::store::Node;
use crate::{Manager, Set};

/// The nodes that are reachable from a root, each with a place among those of its level.
///
/// Children lie one level deeper, so walking the levels upwards sees children before parents,
/// without recursion.
pub(crate) struct Levels {
    by_level: Vec<Vec<Node>>,
    /// By node, its place among all nodes listed; unspecified for others.
    places: Vec<u32>,
    len: usize,
}

impl Levels {
    /// The nodes from level `level` on.
    pub(crate) fn at(&self, level: u32) -> &[Node] {
        &self.by_level[level as usize]
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The place of a node that is listed.
    #[inline]
    pub(crate) fn place(&self, node: Node) -> usize {
        self.places[node.index()] as usize
    }
}

impl Manager {
    /// The nodes of a set by level.
    pub(crate) fn levels_of(&self, root: Node) -> Levels {
        const UNSEEN: u32 = u32::MAX;
        let mut places = vec![UNSEEN; self.store.numbers()];
        let mut by_level: Vec<Vec<Node>> = Vec::with_capacity(self.levels as usize);
        let mut len = 0;
        let mut current = Vec::new();
        if !root.is_leaf() {
            places[root.index()] = 0;
            len = 1;
            current.push(root);
        }
        for _ in 0..self.levels {
            let mut next = Vec::new();
            for &node in &current {
                for (_, child) in self.store.row(node) {
                    let place = &mut places[child.index()];
                    if !child.is_leaf() && *place == UNSEEN {
                        *place = len as u32;
                        len += 1;
                        next.push(child);
                    }
                }
            }
            by_level.push(std::mem::replace(&mut current, next));
        }
        Levels {
            by_level,
            places,
            len,
        }
    }

    /// The number of nodes of a set.
    #[must_use]
    pub fn size(&self, set: &Set) -> usize {
        self.levels_of(self.node(set)).len()
    }
}
