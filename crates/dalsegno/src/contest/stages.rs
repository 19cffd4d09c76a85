//! Explicit first, then diagrams, then explicit again: how the engines share the time.

use std::time::{Duration, Instant};

use dalsegno_explicit::breadth_first::BreadthFirst;
use dalsegno_explicit::space::{Error, Space};
use dalsegno_kripke::{Budget, Stop};
use dalsegno_symbolic::encode::EncodeError;
use dalsegno_symbolic::mdd::with_stack;
use dalsegno_symbolic::reach::StateSpace;

use crate::diagrams;
use crate::session::Session;

/// States that are explored before diagrams are built.
const FEW_STATES: usize = 50_000;

/// The share of the time after which diagrams are given up, in percent.
const SYMBOLIC_SHARE: u32 = 75;

/// The share of the time that may pass before diagrams are built, in percent.
const FIRST_SHARE: u32 = 5;

/// Whether it is time to try diagrams: once, when a sweep has seen more than a few states or has taken
/// its first share of the time.
pub(super) struct Turn {
    taken: bool,
    latest: Option<Instant>,
}

impl Turn {
    /// Nothing has been tried yet.
    pub(super) fn new(budget: &Budget) -> Self {
        let left = budget.time_left();
        Turn {
            taken: false,
            latest: left.map(|left| Instant::now() + left * FIRST_SHARE / 100),
        }
    }

    /// Whether it is time now; never again after it was.
    pub(super) fn comes(&mut self, space: &Space) -> bool {
        let late = self.latest.is_some_and(|latest| Instant::now() >= latest);
        let now = !self.taken && (late || space.len() > FEW_STATES);
        self.taken |= now;
        now
    }
}

/// Asks a question of all reachable states as diagrams, if they can be built in their share of the
/// time.
pub(super) fn ask<T: Send>(
    session: &Session,
    budget: &Budget,
    question: impl FnOnce(&mut StateSpace) -> Result<T, Stop> + Send,
) -> Option<T> {
    let mut share = budget.clone();
    if let Some(left) = budget.time_left() {
        share = share.with_time(left * SYMBOLIC_SHARE / 100);
    }
    let levels = session.model().variables().len() as u32;
    let asked: Result<T, EncodeError> = with_stack(levels, || {
        let (mut space, _) = diagrams::build_merged(session, None, &share)?;
        Ok(question(&mut space)?)
    });
    asked.ok()
}

/// How many states a sweep expands between two looks at the clock: as many as take some milliseconds, which
/// depends on the groups and on what is looked for.
pub(super) struct Pace(u32);

/// What an advance should take at least, and at most.
const SHORT: Duration = Duration::from_millis(5);
const LONG: Duration = Duration::from_millis(20);

/// The most states of an advance.
const MOST_STEPS: u32 = 4096;

impl Pace {
    /// One state to start with.
    pub(super) fn new() -> Self {
        Pace(1)
    }

    /// Lets a sweep go on.
    pub(super) fn advance(
        &mut self,
        sweep: &mut BreadthFirst,
        space: &mut Space,
        budget: &Budget,
    ) -> Result<bool, Error> {
        let started = Instant::now();
        let progress = sweep.advance(space, self.0, budget);
        let passed = started.elapsed();
        if passed < SHORT {
            self.0 = (2 * self.0).min(MOST_STEPS);
        } else if passed > LONG {
            self.0 = (self.0 / 2).max(1);
        }
        progress
    }
}
