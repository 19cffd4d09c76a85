//! Looking at the clock now and then.

use dalsegno_kripke::{Budget, Stop};

/// How much work there is between two looks at the budget.
const INTERVAL: usize = 1 << 14;

/// Counts steps of work and looks at the budget every few thousand of them.
pub(super) struct Ticker<'a> {
    budget: &'a Budget,
    work: usize,
}

impl<'a> Ticker<'a> {
    /// A ticker that has looked just now.
    pub(super) fn new(budget: &'a Budget) -> Result<Self, Stop> {
        budget.check()?;
        Ok(Ticker { budget, work: 0 })
    }

    /// Counts `steps` and one more.
    #[inline]
    pub(super) fn tick(&mut self, steps: usize) -> Result<(), Stop> {
        self.work += steps + 1;
        if self.work >= INTERVAL {
            self.work = 0;
            self.budget.check()?;
        }
        Ok(())
    }
}
