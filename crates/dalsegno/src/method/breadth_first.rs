//! Breadth-first search of the store of states: goals that are reached, values of sums, numbers of states.
//!
//! When all states have been seen, what was not reached is not reachable, the largest values are the largest
//! ones, and liveness is decided on the bottom components of the state graph.

use std::time::Duration;

use dalsegno_explicit::breadth_first::BreadthFirst;
use dalsegno_explicit::explore::{Exploration, Outcome};
use dalsegno_explicit::space::{self, Space};
use dalsegno_kripke::clock::Instant;
use dalsegno_kripke::{Budget, Predicate, Stop, VarId};

use super::{Method, Tool};
use crate::answer::{Answer, Value};
use crate::board::Board;
use crate::facts::Sum;
use crate::plan::{LOOK, LOOK_STATES};
use crate::question::{Global, Question};
use crate::slice::Slice;
use crate::survey::Survey;

/// The method.
#[derive(Default)]
pub(crate) struct BreadthFirstSearch {
    /// The search for goals, with the goals of the board that it looks for.
    goals: Option<(BreadthFirst, Vec<usize>)>,
    /// The states that the store had before.
    base: u64,
    /// States whose sums have been looked at.
    summed: usize,
    sums: Vec<usize>,
    survey: Option<Exploration>,
    /// The states that the store had before the survey.
    survey_base: u64,
    surveying: Duration,
    pace: Pace,
    /// The age of the store that this is about.
    age: u64,
}

impl Method for BreadthFirstSearch {
    fn tool(&self) -> Tool {
        Tool::BreadthFirst
    }

    fn suits(&self, _: &Board<'_>, question: &Question) -> bool {
        !matches!(
            question,
            Question::Linear(_) | Question::Automaton(_) | Question::Branching(_)
        )
    }

    fn advance(&mut self, board: &Board<'_>, open: &[usize], slice: &Slice) -> Result<(), Stop> {
        let mut store = board.store();
        if self.age != store.age() {
            self.release();
            self.age = store.age();
        }
        let space = store.space(board.problem().model());
        let is_survey = |number: &usize| board.question(*number) == Question::Survey;
        let (surveys, others): (Vec<usize>, Vec<usize>) = open.iter().partition(|n| is_survey(n));
        let ended = if others.is_empty() {
            Ok(())
        } else {
            self.seek(board, space, &others, slice)
        };
        let surveyed = if surveys.is_empty() {
            Ok(())
        } else {
            self.count(board, space, &surveys, slice)
        };
        board.problem().found_broken(space.broken_promise());
        ended.and(surveyed)
    }

    fn bytes(&self) -> u64 {
        self.survey.as_ref().map_or(0, Exploration::bytes)
    }

    fn release(&mut self) {
        *self = Self::default();
    }
}

impl BreadthFirstSearch {
    /// Looks for goals and values until they are known.
    fn seek(
        &mut self,
        board: &Board<'_>,
        space: &mut Space,
        open: &[usize],
        slice: &Slice,
    ) -> Result<(), Stop> {
        let base = self.begin(board, space, open);
        loop {
            let Some((search, goals)) = &mut self.goals else {
                return Ok(());
            };
            let advanced = self.pace.advance(search, space, &slice.budget);
            for (at, &goal) in goals.iter().enumerate() {
                if search.reached()[at].is_some() {
                    board.reachable(goal, true, Tool::BreadthFirst);
                } else if board.is_known(goal) {
                    search.drop_goal(at);
                }
            }
            self.look_at_sums(board, space, open);
            let still: Vec<usize> = open.iter().copied().filter(|&n| board.is_open(n)).collect();
            if still.is_empty() {
                return Ok(());
            }
            match advanced {
                Ok(true) => return self.complete(board, space, &still, &slice.budget),
                Ok(false) => {}
                Err(space::Error::Stopped(stop)) => return give_up(board, &still, stop),
                Err(space::Error::Fault(fault)) => {
                    board.fault(&still, Tool::BreadthFirst, fault);
                    return Ok(());
                }
            }
            let transitions = self.goals.as_ref().map_or(0, |(s, _)| s.transitions());
            board.progress(space.len() as u64, transitions);
            if (space.len() as u64).saturating_sub(base) > slice.work {
                return give_up(board, &still, Stop::States);
            }
        }
    }

    /// Takes up the goals of the board; how many states there are before the first turn.
    fn begin(&mut self, board: &Board<'_>, space: &mut Space, open: &[usize]) -> u64 {
        let wanted = board.open_goals(open);
        if self.goals.is_none() {
            self.base = space.len() as u64;
        }
        let (search, goals) = self.goals.get_or_insert_with(|| {
            let predicates: Vec<Predicate> = wanted.iter().map(|(_, p)| p.clone()).collect();
            let ids = wanted.iter().map(|(id, _)| *id).collect();
            (BreadthFirst::new(space, predicates), ids)
        });
        for (id, predicate) in wanted {
            if !goals.contains(&id) {
                search.add_goal(space, predicate);
                goals.push(id);
            }
        }
        self.base
    }

    /// Looks at the values of sums in states that are new.
    fn look_at_sums(&mut self, board: &Board<'_>, space: &Space, open: &[usize]) {
        let sums: Vec<(usize, Sum)> = board.open_sums(open);
        let ids: Vec<usize> = sums.iter().map(|(id, _)| *id).collect();
        if ids.iter().any(|id| !self.sums.contains(id)) {
            self.summed = 0;
            self.sums.clone_from(&ids);
        }
        for (id, sum) in sums {
            let mut largest = 0;
            for state in self.summed as u32..space.len() as u32 {
                let value = |v: &VarId| u64::from(space.value(state, v.index()));
                largest = largest.max(sum.places.iter().map(value).sum());
            }
            board.saw(id, largest, Tool::BreadthFirst);
        }
        self.summed = space.len();
    }

    /// Everything has been seen.
    fn complete(
        &mut self,
        board: &Board<'_>,
        space: &mut Space,
        open: &[usize],
        budget: &Budget,
    ) -> Result<(), Stop> {
        let Some((search, goals)) = &mut self.goals else {
            return Ok(());
        };
        for (at, &goal) in goals.iter().enumerate() {
            if search.reached()[at].is_none() {
                board.reachable(goal, false, Tool::BreadthFirst);
            }
        }
        for (id, sum) in board.open_sums(open) {
            board.largest(id, Some(sum.seen), Tool::BreadthFirst);
        }
        for &number in open {
            if board.is_open(number) && board.question(number) == Question::Global(Global::Liveness)
            {
                let classes = board.problem().transitions();
                let mut class_of = vec![0; board.problem().model().groups().len()];
                for (class, groups) in (0..).zip(&classes) {
                    for group in groups {
                        class_of[group.index()] = class;
                    }
                }
                match search.are_live(space, &class_of, classes.len(), budget) {
                    Ok(live) => {
                        let answer = Answer::new(Value::Truth(live), Tool::BreadthFirst);
                        board.answer(number, answer);
                    }
                    Err(space::Error::Stopped(stop)) => return Err(stop),
                    Err(space::Error::Fault(fault)) => {
                        board.fault(&[number], Tool::BreadthFirst, fault);
                    }
                }
            }
        }
        Ok(())
    }

    /// Counts states and transitions.
    fn count(
        &mut self,
        board: &Board<'_>,
        space: &mut Space,
        open: &[usize],
        slice: &Slice,
    ) -> Result<(), Stop> {
        let started = Instant::now();
        if self.survey.is_none() {
            self.survey_base = space.len() as u64;
        }
        let survey = self.survey.get_or_insert_with(|| Exploration::new(space));
        let told = |states: u64, transitions: u64| board.progress(states, transitions);
        let most = self.survey_base.saturating_add(slice.work);
        let budget = slice.budget.clone().limit_states(most);
        let ended = survey.advance(space, u64::MAX, &budget, told);
        let outcome = ended.unwrap_or(Outcome::Unknown(Stop::States, space.growing()));
        let mut seen = Survey::explicit(
            board.problem(),
            survey.finish(space, outcome),
            Tool::BreadthFirst,
        );
        self.surveying += started.elapsed();
        seen.time = self.surveying;
        for &number in open {
            if seen.stop().is_some() {
                board.saw_part(number, seen.clone());
            } else {
                let seen = seen.clone().with_bound(board.problem());
                let answer = Answer::new(Value::Survey(Box::new(seen)), Tool::BreadthFirst);
                board.answer(number, answer);
            }
        }
        seen.stop().map_or(Ok(()), Err)
    }
}

/// Takes note of why questions are still open.
fn give_up(board: &Board<'_>, open: &[usize], stop: Stop) -> Result<(), Stop> {
    for &number in open {
        board.tried(number, stop, None);
    }
    Err(stop)
}

/// How many states are expanded between two looks at what was found: as many as take some milliseconds, which
/// depends on the groups and on what is looked for.
struct Pace(u32);

impl Default for Pace {
    fn default() -> Self {
        Pace(1)
    }
}

impl Pace {
    fn advance(
        &mut self,
        search: &mut BreadthFirst,
        space: &mut Space,
        budget: &Budget,
    ) -> Result<bool, space::Error> {
        let started = Instant::now();
        let progress = search.advance(space, self.0, budget);
        let passed = started.elapsed();
        let (short, long) = LOOK;
        if passed < short {
            self.0 = (2 * self.0).min(LOOK_STATES);
        } else if passed > long {
            self.0 = (self.0 / 2).max(1);
        }
        progress
    }
}
