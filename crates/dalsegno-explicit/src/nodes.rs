//! Nodes of a product, and maps from them.

use rustc_hash::FxHashMap;

use crate::paged::Paged;
use crate::space::StateId;

/// A node of a product: a model state and an automaton state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node {
    /// The state of the model.
    pub state: StateId,
    /// The state of the automaton.
    pub q: dalsegno_automata::StateId,
}

/// A number for each node, 0 where none was set.
///
/// The first few automaton states have a place of their own beside each model state; that is two accesses
/// per look-up, and not more memory than a hash table as long as most of the places are used. The other
/// automaton states are hashed.
#[derive(Clone, Debug)]
pub struct NodeMap {
    stride: usize,
    near: Paged,
    far: FxHashMap<Node, u32>,
}

/// The most automaton states with a place of their own.
const MAX_STRIDE: usize = 8;

impl NodeMap {
    /// A map that expects about so many automaton states.
    #[must_use]
    pub fn new(automaton_states: usize) -> Self {
        NodeMap {
            stride: automaton_states.clamp(1, MAX_STRIDE),
            near: Paged::new(),
            far: FxHashMap::default(),
        }
    }

    /// The number of a node.
    #[inline]
    #[must_use]
    pub fn get(&self, node: Node) -> u32 {
        if node.q.index() < self.stride {
            let at = node.state as usize * self.stride + node.q.index();
            self.near.get(at)
        } else {
            self.far.get(&node).copied().unwrap_or(0)
        }
    }

    /// Sets the number of a node.
    #[inline]
    pub fn set(&mut self, node: Node, number: u32) {
        if node.q.index() < self.stride {
            let at = node.state as usize * self.stride + node.q.index();
            self.near.set(at, number);
        } else {
            self.far.insert(node, number);
        }
    }

    /// The bytes of the map.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.near.bytes() + 24 * self.far.capacity() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_and_far_nodes_are_found_again() {
        let mut map = NodeMap::new(100);
        let at = |state, q| Node {
            state,
            q: dalsegno_automata::StateId::new(q),
        };
        let node = |i: u32| at(i / 7, i as usize % 20);
        for i in 0..10_000 {
            map.set(node(i), i + 1);
        }
        assert_eq!(map.get(node(9_999)), 10_000);
        assert_eq!(map.get(at(5_000, 3)), 0);
        assert_eq!(map.get(at(5_000, 30)), 0);
    }
}
