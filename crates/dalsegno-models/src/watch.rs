//! A budget that is asked now and then.

use std::cell::Cell;

use dalsegno_kripke::{Budget, Stop};

/// Counts work and bytes, and asks the budget after some of them.
#[derive(Debug)]
pub(crate) struct Watch<'b> {
    budget: &'b Budget,
    work: Cell<usize>,
    bytes: Cell<u64>,
}

/// Work between two looks at the budget: a part of a millisecond.
const PATIENCE: usize = 1 << 16;

impl<'b> Watch<'b> {
    pub(crate) fn new(budget: &'b Budget) -> Self {
        Watch {
            budget,
            // The first piece of work asks: what comes late to a budget that is spent does nothing.
            work: Cell::new(PATIENCE),
            bytes: Cell::new(0),
        }
    }

    /// Notes some work.
    #[inline]
    pub(crate) fn spend(&self, work: usize) -> Result<(), Stop> {
        let total = self.work.get().saturating_add(work);
        if total < PATIENCE {
            self.work.set(total);
            return Ok(());
        }
        self.work.set(0);
        self.budget.check()
    }

    /// Notes bytes that stay.
    #[inline]
    pub(crate) fn keep(&self, bytes: usize) -> Result<(), Stop> {
        let total = self.bytes.get().saturating_add(bytes as u64);
        self.bytes.set(total);
        self.budget.check_bytes(total)?;
        self.spend(bytes / 8)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_spent_budget_is_noticed_at_once() {
        let now = Budget::unlimited().with_time(Duration::ZERO);
        assert_eq!(Watch::new(&now).spend(1), Err(Stop::Time));
        let small = Budget::unlimited().with_bytes(1 << 20);
        let watch = Watch::new(&small);
        let kept = (0..10_000).find(|_| watch.keep(1024) == Err(Stop::Memory));
        assert_eq!(kept, Some(1024));
    }
}
