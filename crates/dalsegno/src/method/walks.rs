//! Walks: single runs that look for goals and for large values of sums.
//!
//! In its first turn, before diagrams, a walk goes on while it finds something: what it finds need not be
//! found there. Where the diagrams give up, walks and the breadth-first search share the rest of the time.

use std::time::Duration;

use dalsegno_explicit::walk::Walk;
use dalsegno_kripke::clock::Instant;
use dalsegno_kripke::{Budget, Stop, VarId};

use super::{Method, Tool};
use crate::board::Board;
use crate::plan::{QUIET_WALKS, SHORT_TURN, WALK_CYCLES};
use crate::question::Question;
use crate::slice::Slice;

/// Whatever it is, the same every time.
const SEED: u64 = 1;

/// The method.
#[derive(Default)]
pub(crate) struct Walks {
    walking: Option<Walking>,
}

/// Walks that look for goals and sums of the board.
struct Walking {
    walk: Walk,
    goals: Vec<usize>,
    sums: Vec<usize>,
}

impl Method for Walks {
    fn tool(&self) -> Tool {
        Tool::Walks
    }

    fn suits(&self, board: &Board<'_>, question: &Question) -> bool {
        let linear = |g: &dalsegno_kripke::Group| g.as_linear().is_some();
        let asks = !matches!(
            question,
            Question::Linear(_)
                | Question::Automaton(_)
                | Question::Branching(_)
                | Question::Survey
        );
        asks && board.problem().model().groups().iter().all(linear)
    }

    fn advance(&mut self, board: &Board<'_>, open: &[usize], slice: &Slice) -> Result<(), Stop> {
        let goals = board.open_goals(open);
        let sums = board.open_sums(open);
        // New goals begin new walks; bounds that were proved since are known to the board.
        let known = self.walking.as_ref().is_some_and(|walking| {
            goals.iter().all(|(id, _)| walking.goals.contains(id))
                && sums.iter().all(|(id, _)| walking.sums.contains(id))
        });
        if !known {
            let predicates = goals.iter().map(|(_, p)| p.clone()).collect();
            let limits: Vec<(Vec<VarId>, u64)> = sums
                .iter()
                .map(|(_, sum)| (sum.places.clone(), sum.most.unwrap_or(u64::MAX)))
                .collect();
            let Some(walk) = Walk::new(board.problem().model(), predicates, limits, SEED) else {
                return Ok(());
            };
            let walk = if board.settings().evidence {
                walk.with_ways()
            } else {
                walk
            };
            self.walking = Some(Walking {
                walk,
                goals: goals.iter().map(|(id, _)| *id).collect(),
                sums: sums.iter().map(|(id, _)| *id).collect(),
            });
        }
        let Some(walking) = &mut self.walking else {
            return Ok(());
        };
        let ended = if known {
            walking.turn(&slice.budget)
        } else {
            walking.first_turn(board, &slice.budget)
        };
        walking.tell(board);
        ended
    }

    fn bytes(&self) -> u64 {
        0
    }

    fn release(&mut self) {
        self.walking = None;
    }
}

impl Walking {
    /// Walks while they find something: not after they have found nothing for a part of the time so far. The
    /// diagrams may know the rest at once.
    fn first_turn(&mut self, board: &Board<'_>, budget: &Budget) -> Result<(), Stop> {
        let started = Instant::now();
        let mut found = started;
        let mut open = usize::MAX;
        let (percent, few) = QUIET_WALKS;
        for cycle in 0.. {
            if self.walk.open() < open {
                (open, found) = (self.walk.open(), Instant::now());
                self.tell(board);
            }
            let (passed, quiet): (Duration, Duration) = (started.elapsed(), found.elapsed());
            let idle = cycle >= few && quiet >= SHORT_TURN && quiet >= passed / 100 * percent;
            if open == 0 || idle {
                break;
            }
            self.walk.advance(1, budget)?;
        }
        Ok(())
    }

    fn turn(&mut self, budget: &Budget) -> Result<(), Stop> {
        let cycles = match budget.time_left() {
            Some(_) => u32::MAX,
            None => WALK_CYCLES,
        };
        self.walk.advance(cycles, budget)
    }

    /// Tells the board what was found.
    fn tell(&mut self, board: &Board<'_>) {
        for (at, &goal) in self.goals.iter().enumerate() {
            if self.walk.reached()[at] {
                // A path is made once, for those who want to see it.
                let wanted = board.settings().evidence && !board.is_known(goal);
                match wanted.then(|| self.walk.path_to(at)).flatten() {
                    Some(path) => board.reached_by(goal, &path, Tool::Walks),
                    None => board.reachable(goal, true, Tool::Walks),
                }
            } else if self.walk.is_unreachable(at) {
                board.reachable(goal, false, Tool::Walks);
            } else if board.is_known(goal) {
                self.walk.drop_goal(at);
            }
        }
        for (at, &sum) in self.sums.iter().enumerate() {
            let seen = self.walk.largest()[at];
            board.saw(sum, seen, Tool::Walks);
            if self.walk.is_largest(at) {
                board.bounded(sum, seen, Tool::Walks);
            }
        }
    }
}
