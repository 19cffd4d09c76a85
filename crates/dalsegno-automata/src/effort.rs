//! Effort: how much work a computation may do, counted in steps.
//!
//! A step is an operation on a node of a diagram, or one turn of an inner loop. Steps are the same on every
//! machine, so what optional work achieves does not depend on the clock. A computation that
//! must be done has no limit but the budget; work that only improves a result has an effort, and leaves
//! the result alone when the effort or the budget runs out.

use std::cell::Cell;

use dalsegno_kripke::{Budget, Stop};

/// The steps that computations may still do, together, within a budget.
#[derive(Debug)]
pub struct Effort<'a> {
    budget: &'a Budget,
    left: Cell<u64>,
    /// Steps since the last look at the budget.
    since: Cell<u64>,
}

/// Steps between two looks at the budget.
const STRIDE: u64 = 1 << 12;

impl<'a> Effort<'a> {
    /// At most `steps` steps within `budget`.
    #[must_use]
    pub fn new(budget: &'a Budget, steps: u64) -> Self {
        Effort {
            budget,
            left: Cell::new(steps),
            since: Cell::new(STRIDE),
        }
    }

    /// As many steps as `budget` allows.
    #[must_use]
    pub fn unlimited(budget: &'a Budget) -> Self {
        Self::new(budget, u64::MAX)
    }

    /// A part of this effort of at most `steps` steps; what it does not use is returned by
    /// [`Effort::refund`].
    #[must_use]
    pub fn part(&self, steps: u64) -> Effort<'a> {
        let taken = self.left.get().min(steps);
        self.left.set(self.left.get() - taken);
        Effort::new(self.budget, taken)
    }

    /// Takes back what a part has left.
    pub fn refund(&self, part: &Effort<'_>) {
        self.left
            .set(self.left.get().saturating_add(part.left.take()));
    }

    /// The limits that hold besides the number of steps.
    #[must_use]
    pub fn budget(&self) -> &'a Budget {
        self.budget
    }

    /// The steps that are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// Uses up some steps and looks at the budget now and then.
    ///
    /// # Errors
    /// When the budget or the effort runs out, the latter being [`Stop::Time`].
    pub fn spend(&self, steps: u64) -> Result<(), Stop> {
        let Some(left) = self.left.get().checked_sub(steps) else {
            self.left.set(0);
            return Err(Stop::Time);
        };
        self.left.set(left);
        let since = self.since.get().saturating_add(steps);
        self.since.set(since);
        if since >= STRIDE {
            self.budget.check()?;
            self.since.set(0);
        }
        Ok(())
    }

    pub(crate) fn set_left(&self, steps: u64) {
        self.left.set(steps);
    }
}
