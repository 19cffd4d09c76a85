//! The store of states that all explicit methods of a run extend.

use std::sync::Arc;

use dalsegno_explicit::space::Space;
use dalsegno_kripke::Model;

/// The states that are known. A method that keeps numbers of states keeps the age of the store with them: if it is
/// another one, the numbers mean nothing.
#[derive(Default)]
pub(crate) struct Store {
    space: Option<Space>,
    age: u64,
}

impl Store {
    /// The states; the initial ones, if there are none yet.
    pub(crate) fn space(&mut self, model: &Arc<Model>) -> &mut Space {
        self.space.get_or_insert_with(|| Space::new(model))
    }

    /// How often the store was cleared.
    pub(crate) fn age(&self) -> u64 {
        self.age
    }

    /// Forgets all states.
    pub(crate) fn clear(&mut self) {
        self.space = None;
        self.age += 1;
    }

    /// The number of states.
    pub(crate) fn len(&self) -> usize {
        self.space.as_ref().map_or(0, Space::len)
    }

    /// The bytes of the tables.
    pub(crate) fn bytes(&self) -> u64 {
        self.space.as_ref().map_or(0, Space::bytes)
    }
}
