//! Goals by stubborn sets: for each goal a search of its own that fires only steps that may be on the way to it.
//!
//! A goal that is far away is found by other methods as well; one that is not reachable is known to be so when a
//! fraction of the states has been seen, and sometimes after one. Every goal has a store of its own, since what
//! is left out depends on it.

use std::sync::Arc;

use dalsegno_explicit::space::{self, Space};
use dalsegno_explicit::stubborn::reach::GoalSearch;
use dalsegno_kripke::{Budget, Stop};

use super::{Method, Tool};
use crate::board::Board;
use crate::plan::GOAL_SEARCHES;
use crate::question::{Global, Question};
use crate::slice::Slice;

/// The method.
#[derive(Default)]
pub(crate) struct GoalSearches {
    /// The goals of the board that were begun and not ended.
    kept: Vec<(usize, Space, GoalSearch)>,
    /// What the stores of all goals share is made once.
    origin: Option<Space>,
}

/// States expanded between two looks at the board.
const STEP: u64 = 4096;

impl Method for GoalSearches {
    fn tool(&self) -> Tool {
        Tool::GoalSearch
    }

    fn suits(&self, board: &Board<'_>, question: &Question) -> bool {
        let one_goal = Question::Global(Global::Deadlock);
        board.settings().por && (matches!(question, Question::Reach(_)) || *question == one_goal)
    }

    fn advance(&mut self, board: &Board<'_>, open: &[usize], slice: &Slice) -> Result<(), Stop> {
        let goals = board.open_goals(open);
        let model = board.problem().model();
        let other = |origin: &Space| !Arc::ptr_eq(origin.model(), model);
        if self.origin.as_ref().is_some_and(other) {
            self.release();
        }
        self.kept
            .retain(|(id, ..)| goals.iter().any(|(goal, _)| goal == id));
        let mut shares = slice.shares(goals.len());
        let mut last = Ok(());
        for (id, predicate) in goals.into_iter().take(GOAL_SEARCHES) {
            let budget = shares.next();
            slice.budget.check()?;
            if board.is_known(id) {
                continue;
            }
            let kept = self.kept.iter().position(|(goal, ..)| *goal == id);
            let (mut space, mut search) = if let Some(at) = kept {
                let (_, space, search) = self.kept.swap_remove(at);
                (space, search)
            } else {
                let origin = self.origin.get_or_insert_with(|| Space::new(model));
                let mut space = origin.fresh();
                let search = GoalSearch::new(&mut space, &predicate);
                (space, search)
            };
            let (held, work) = (self.bytes(), slice.work);
            match go_on(board, (&mut space, &mut search), held, work, &budget) {
                Ok(true) => {
                    let reached = search.reached().is_some();
                    board.reachable(id, reached, Tool::GoalSearch);
                }
                Ok(false) | Err(space::Error::Stopped(Stop::Time)) => {
                    last = Err(Stop::States);
                    self.kept.push((id, space, search));
                }
                Err(space::Error::Stopped(stop)) => last = Err(stop),
                // Methods that see all states tell of it.
                Err(space::Error::Fault(_)) => {}
            }
        }
        last
    }

    fn bytes(&self) -> u64 {
        let of = |(_, space, search): &(usize, Space, GoalSearch)| space.bytes() + search.bytes();
        self.kept.iter().map(of).sum()
    }

    fn release(&mut self) {
        *self = Self::default();
    }
}

/// Goes on until the goal is decided, which is true, or so many states have been expanded; other searches hold so
/// many bytes.
fn go_on(
    board: &Board<'_>,
    (space, search): (&mut Space, &mut GoalSearch),
    held: u64,
    work: u64,
    budget: &Budget,
) -> Result<bool, space::Error> {
    while search.expanded() < work {
        budget.check_bytes(held + space.bytes() + search.bytes())?;
        let left = work - search.expanded();
        if search.advance(space, STEP.min(left), budget)? {
            return Ok(true);
        }
        board.progress(space.len() as u64, search.groups().1);
    }
    Ok(false)
}
