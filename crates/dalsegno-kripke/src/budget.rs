//! Budgets: how long a computation may go on, and why it stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::clock::Instant;
use thiserror::Error;

/// Why a computation gave up. Giving up is an answer, never a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Error)]
pub enum Stop {
    /// The deadline passed.
    #[error("time")]
    Time,
    /// The tables grew beyond the bytes granted.
    #[error("memory")]
    Memory,
    /// More states than granted.
    #[error("states")]
    States,
    /// Somebody asked to stop.
    #[error("cancelled")]
    Cancelled,
}

/// Limits of a computation, checked by every long loop.
///
/// Clones share the cancel flag.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    states: Option<u64>,
    bytes: Option<u64>,
    cancel: Arc<AtomicBool>,
    /// The flags of the budgets that this one is a part of.
    outer: Vec<Arc<AtomicBool>>,
    /// Set while the process holds more memory than it may.
    full: Option<Arc<AtomicBool>>,
    /// The nodes of the decision diagrams that were seen last.
    nodes: Arc<AtomicU64>,
}

impl Budget {
    /// No limit but cancellation.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Takes note of how many nodes decision diagrams have, for whoever shows progress; parts of a budget share the number.
    pub fn saw_nodes(&self, nodes: usize) {
        self.nodes.store(nodes as u64, Ordering::Relaxed);
    }

    /// The nodes of decision diagrams that were seen last; 0 if there are none.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// This budget, ending after `time` from now, or earlier if it did.
    #[must_use]
    pub fn with_time(mut self, time: Duration) -> Self {
        let end = Instant::now().checked_add(time);
        self.deadline = match (self.deadline, end) {
            (Some(old), Some(new)) => Some(old.min(new)),
            (old, new) => old.or(new),
        };
        self
    }

    /// This budget, ending while a flag is set: somebody watches the memory of the whole process.
    #[must_use]
    pub fn with_memory_flag(mut self, full: Arc<AtomicBool>) -> Self {
        self.full = Some(full);
        self
    }

    /// This budget with at most `states` states.
    #[must_use]
    pub fn with_states(mut self, states: u64) -> Self {
        self.states = Some(states);
        self
    }

    /// The most states, if there is a limit.
    #[must_use]
    pub fn states(&self) -> Option<u64> {
        self.states
    }

    /// This budget with at most `states` states, or fewer if it had fewer.
    #[must_use]
    pub fn limit_states(self, states: u64) -> Self {
        let least = self.states.map_or(states, |old| old.min(states));
        self.with_states(least)
    }

    /// This budget with at most `bytes` bytes in the big tables, or fewer if it had fewer.
    #[must_use]
    pub fn with_bytes(mut self, bytes: u64) -> Self {
        self.bytes = Some(self.bytes.map_or(bytes, |old| old.min(bytes)));
        self
    }

    /// The bytes granted, if they are limited.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        self.bytes
    }

    /// The time that is left, if it is limited.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// This budget, cancelled by a flag that somebody else holds.
    #[must_use]
    pub fn with_cancel_flag(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.cancel = cancel;
        self
    }

    /// The flag that cancels this budget and its clones.
    #[must_use]
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancel)
    }

    /// A part of this budget that can be cancelled alone; cancelling the whole cancels the part.
    #[must_use]
    pub fn part(&self) -> Self {
        let mut part = self.clone();
        part.outer.push(std::mem::take(&mut part.cancel));
        part
    }

    /// Checks the cancel flag, the memory of the process and the deadline.
    ///
    /// # Errors
    /// [`Stop::Cancelled`], [`Stop::Memory`] or [`Stop::Time`].
    pub fn check(&self) -> Result<(), Stop> {
        let mut flags = self.outer.iter().chain([&self.cancel]);
        if flags.any(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Stop::Cancelled);
        }
        let full = self.full.as_ref();
        if full.is_some_and(|full| full.load(Ordering::Relaxed)) {
            return Err(Stop::Memory);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stop::Time),
            _ => Ok(()),
        }
    }

    /// Checks a number of states against the limit.
    ///
    /// # Errors
    /// [`Stop::States`].
    #[inline]
    pub fn check_states(&self, states: u64) -> Result<(), Stop> {
        match self.states {
            Some(limit) if states > limit => Err(Stop::States),
            _ => Ok(()),
        }
    }

    /// Checks the bytes that a table's owner accounts for against the limit.
    ///
    /// # Errors
    /// [`Stop::Memory`].
    #[inline]
    pub fn check_bytes(&self, bytes: u64) -> Result<(), Stop> {
        match self.bytes {
            Some(limit) if bytes > limit => Err(Stop::Memory),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_cancelled_alone_or_with_the_whole() {
        let whole = Budget::unlimited();
        let (one, other) = (whole.part(), whole.part());
        one.cancel_flag().store(true, Ordering::Relaxed);
        assert_eq!(one.check(), Err(Stop::Cancelled));
        assert_eq!((other.check(), whole.check()), (Ok(()), Ok(())));
        let inner = other.part();
        whole.cancel_flag().store(true, Ordering::Relaxed);
        assert_eq!(inner.check(), Err(Stop::Cancelled));
    }

    #[test]
    fn shares_only_narrow() {
        let hour = Duration::from_secs(3600);
        let spent = Budget::unlimited().with_time(Duration::ZERO);
        assert_eq!(spent.with_time(hour).check(), Err(Stop::Time));
        let few = Budget::unlimited().with_bytes(8);
        assert_eq!(few.clone().with_bytes(9).bytes(), Some(8));
        assert_eq!(few.with_bytes(7).bytes(), Some(7));
    }

    #[test]
    fn a_full_process_stops_all_that_share_its_flag() {
        let full = Arc::new(AtomicBool::new(false));
        let part = Budget::unlimited()
            .with_memory_flag(Arc::clone(&full))
            .part();
        assert_eq!(part.check(), Ok(()));
        full.store(true, Ordering::Relaxed);
        assert_eq!(part.check(), Err(Stop::Memory));
        full.store(false, Ordering::Relaxed);
        assert_eq!(part.check(), Ok(()));
    }

    #[test]
    fn a_budget_says_why_it_stopped() {
        let spent = Budget::unlimited().with_time(Duration::ZERO).with_states(3);
        assert_eq!(spent.check(), Err(Stop::Time));
        assert_eq!(spent.check_states(3), Ok(()));
        assert_eq!(spent.check_states(4), Err(Stop::States));
        let other = Budget::unlimited();
        other.clone().cancel_flag().store(true, Ordering::Relaxed);
        assert_eq!(other.check(), Err(Stop::Cancelled));
        let whole = Budget::unlimited();
        let part = whole.part();
        let other = whole.part();
        part.clone().cancel_flag().store(true, Ordering::Relaxed);
        assert_eq!(part.check(), Err(Stop::Cancelled));
        assert_eq!(whole.check(), Ok(()));
        whole.cancel_flag().store(true, Ordering::Relaxed);
        assert_eq!(other.check(), Err(Stop::Cancelled));
        assert_eq!(
            Budget::unlimited().with_bytes(8).check_bytes(9),
            Err(Stop::Memory)
        );
    }
}
