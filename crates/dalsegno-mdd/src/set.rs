//! Handles of sets: what keeps nodes alive between calls.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::store::Node;

/// A set of vectors, alive as long as this handle is.
///
/// Handles can be cloned and compared; equal handles of one manager are equal sets.
pub struct Set {
    pub(crate) node: Node,
    pub(crate) slot: u32,
    pub(crate) roots: Arc<Roots>,
}

/// Which nodes handles hold.
#[derive(Default)]
pub(crate) struct Roots(Mutex<Slots>);

#[derive(Default)]
struct Slots {
    nodes: Vec<Node>,
    free: Vec<u32>,
}

impl Roots {
    fn with<T>(&self, f: impl FnOnce(&mut Slots) -> T) -> T {
        // A slot is written in one step, so a panic elsewhere leaves the table whole.
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn hold(&self, node: Node) -> u32 {
        self.with(|slots| {
            if let Some(slot) = slots.free.pop() {
                slots.nodes[slot as usize] = node;
                return slot;
            }
            slots.nodes.push(node);
            (slots.nodes.len() - 1) as u32
        })
    }

    /// The nodes that are held.
    pub(crate) fn nodes(&self) -> Vec<Node> {
        self.with(|slots| slots.nodes.clone())
    }

    fn release(&self, slot: u32) {
        self.with(|slots| {
            slots.nodes[slot as usize] = Node::EMPTY;
            slots.free.push(slot);
        });
    }
}

impl Set {
    /// Whether there is no vector.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.node == Node::EMPTY
    }
}

impl Clone for Set {
    fn clone(&self) -> Self {
        Set {
            node: self.node,
            slot: self.roots.hold(self.node),
            roots: Arc::clone(&self.roots),
        }
    }
}

impl Drop for Set {
    fn drop(&mut self) {
        self.roots.release(self.slot);
    }
}

impl PartialEq for Set {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.roots, &other.roots) && self.node == other.node
    }
}

impl Eq for Set {}

impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Set({})", self.node.0)
    }
}
