//! A state as stubborn sets look at it.

use dalsegno_kripke::{GroupId, VarId};

use crate::steps::{Batch, Steps};

/// A packed state and the steps of its model.
pub(crate) struct Here<'a> {
    pub steps: &'a mut Steps,
    pub state: &'a [u64],
}

impl Here<'_> {
    /// The value of a variable.
    #[inline]
    pub fn value(&self, v: VarId) -> u32 {
        self.steps.value(self.state, v.index())
    }

    /// Fills a batch with the successors by one enabled group; false if they are not known.
    pub fn peek(&mut self, group: GroupId, batch: &mut Batch) -> bool {
        batch.clear();
        let fired = self.steps.fire(self.state, Some(&[group]), batch);
        fired == Ok(None)
    }
}
