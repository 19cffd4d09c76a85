//! Slices of a budget: what a method has for its turn, and how it is divided among questions.

use dalsegno_kripke::Budget;

use crate::plan::{Search, Turn};

/// What a method has for its turn.
#[derive(Clone, Debug)]
pub struct Slice {
    /// Time and memory.
    pub budget: Budget,
    /// How many states it may look at.
    pub work: u64,
    /// How an explicit search looks at the product.
    pub search: Search,
    /// How many threads it may use.
    pub threads: usize,
    /// Ended by a method that knows that another one beside it cannot get there.
    pub beside: Option<Budget>,
}

impl Slice {
    /// The slice of a turn.
    #[must_use]
    pub(crate) fn new(turn: &Turn, whole: &Budget, bytes: Option<u64>) -> Self {
        let mut budget = whole.part();
        if let Some(time) = turn.time.of(whole.time_left()) {
            budget = budget.with_time(time);
        }
        if let Some(bytes) = bytes {
            budget = budget.with_bytes(bytes / 100 * turn.memory);
        }
        Slice {
            budget,
            work: turn.work,
            search: turn.search,
            threads: turn.threads,
            beside: None,
        }
    }

    /// Divides the time among so many questions.
    #[must_use]
    pub(crate) fn shares(&self, questions: usize) -> Shares {
        Shares::new(self.budget.clone(), questions)
    }
}

/// Divides a budget's time among questions: what one leaves, the next ones have.
pub(crate) struct Shares {
    whole: Budget,
    questions: u32,
}

impl Shares {
    pub(crate) fn new(whole: Budget, questions: usize) -> Self {
        let questions = questions as u32;
        Shares { whole, questions }
    }

    /// What the next question has.
    pub(crate) fn next(&mut self) -> Budget {
        let share = self.whole.clone();
        let count = self.questions.max(1);
        self.questions = self.questions.saturating_sub(1);
        match self.whole.time_left() {
            Some(left) => share.with_time(left / count),
            None => share,
        }
    }
}
