//! Nodes to be read: the diagram of a set as it is.

use crate::store::Node;
use crate::{Manager, Set};

/// A node of the diagram of a set. It means something as long as a handle of the set is alive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct View(Node);

impl Manager {
    /// The top node of a set; `None` if it is empty.
    #[must_use]
    pub fn view(&self, set: &Set) -> Option<View> {
        Some(View(self.node(set))).filter(|view| view.0 != Node::EMPTY)
    }

    /// The values of a node and where they lead, values ascending; nothing below the last level.
    pub fn arcs(&self, view: View) -> impl Iterator<Item = (u32, View)> + '_ {
        let row = (!view.0.is_leaf()).then(|| self.store.row(view.0));
        row.into_iter()
            .flatten()
            .map(|(value, child)| (value, View(child)))
    }
}
