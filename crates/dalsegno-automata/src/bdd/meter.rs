//! What the operations of a manager may cost.
//!
//! The budget is looked at after a number of steps, whether or not they made nodes. A meter that has
//! run out stays so: every later operation that is not free ends the same way.

use dalsegno_kripke::{Budget, Stop};

use crate::effort::Effort;

/// Steps between two looks at the budget.
const STRIDE: u64 = 1 << 13;

#[derive(Clone, Debug, Default)]
pub(super) struct Meter {
    /// `None` if there is no limit at all.
    budget: Option<Budget>,
    /// Steps until the next look.
    left: u64,
    /// Steps after those.
    rest: u64,
    /// Bytes that the user of the manager holds besides its tables.
    pub(super) held: u64,
}

impl Meter {
    pub(super) fn unlimited() -> Self {
        Meter {
            budget: None,
            left: 0,
            rest: u64::MAX,
            held: 0,
        }
    }

    pub(super) fn of(effort: &Effort<'_>) -> Self {
        Meter {
            budget: Some(effort.budget().clone()),
            left: 0,
            rest: effort.left(),
            held: 0,
        }
    }

    /// The steps that have not been used.
    pub(super) fn remaining(&self) -> u64 {
        self.left.saturating_add(self.rest)
    }

    /// Uses `steps` steps if there are so many before the next look.
    #[inline]
    pub(super) fn take(&mut self, steps: u64) -> bool {
        let enough = self.left >= steps;
        if enough {
            self.left -= steps;
        }
        enough
    }

    /// Looks at the limits and uses `steps` steps; `bytes` is what the tables hold.
    #[cold]
    pub(super) fn look(&mut self, steps: u64, bytes: u64) -> Result<(), Stop> {
        let Some(rest) = self.remaining().checked_sub(steps) else {
            (self.left, self.rest) = (0, 0);
            return Err(Stop::Time);
        };
        if let Some(budget) = &self.budget {
            let within = budget
                .check()
                .and_then(|()| budget.check_bytes(bytes.saturating_add(self.held)));
            if let Err(stop) = within {
                self.left = 0;
                return Err(stop);
            }
        }
        self.left = rest.min(STRIDE);
        // An unlimited effort stays unlimited.
        if self.rest != u64::MAX {
            self.rest = rest - self.left;
        }
        Ok(())
    }
}
