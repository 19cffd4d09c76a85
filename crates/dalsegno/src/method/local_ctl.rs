//! Branching time on a growing part of the state graph.
//!
//! After each round of growth every open property is evaluated in three values; what stays undecided says which
//! states it needs to know more of. A property that a part of the graph decides is answered when that part is
//! known. When nothing is left to expand, the graph is complete and decides everything.

use dalsegno_branching::Evaluator;
use dalsegno_explicit::branching::GraphSets;
use dalsegno_explicit::partial_graph::{Aim, PartialGraph};
use dalsegno_explicit::space::{self, Space};
use dalsegno_explicit::three_valued::ThreeValuedSets;
use dalsegno_kripke::{Budget, DeadEnds, Stop};

use super::evaluate::Evaluating;
use super::undecided::undecided;
use super::{Method, Tool};
use crate::board::Board;
use crate::plan::SHOWING;
use crate::question::Question;
use crate::slice::Slice;

/// The method.
#[derive(Default)]
pub(crate) struct LocalCtl {
    graph: Option<PartialGraph>,
    /// The states that the store had before.
    base: u64,
    /// The age of the store that the graph is about.
    age: u64,
}

impl Method for LocalCtl {
    fn tool(&self) -> Tool {
        Tool::LocalCtl
    }

    fn suits(&self, _: &Board<'_>, question: &Question) -> bool {
        matches!(question, Question::Branching(_))
    }

    fn advance(&mut self, board: &Board<'_>, open: &[usize], slice: &Slice) -> Result<(), Stop> {
        let mut store = board.store();
        if self.age != store.age() {
            self.release();
            self.age = store.age();
        }
        let space = store.space(board.problem().model());
        if self.graph.is_none() {
            self.base = space.len() as u64;
        }
        let graph = self.graph.get_or_insert_with(|| PartialGraph::new(space));
        let budget = slice.budget.clone();
        let budget = budget.limit_states(self.base.saturating_add(slice.work));
        let mut growing = Growing {
            board,
            open,
            graph,
            space,
            evaluating: Evaluating::new(board, Tool::LocalCtl),
        };
        let mut ended = growing.go_on(&budget);
        let unshown = growing.evaluating.unshown();
        if !unshown.is_empty() && ended == Err(Stop::States) {
            // The answers are known, and a path is worth some more states.
            growing.open = &unshown;
            let more = self.base.saturating_add(slice.work.max(SHOWING));
            let shown = growing.go_on(&slice.budget.clone().limit_states(more));
            ended = ended.and(shown);
        }
        growing.evaluating.give_unshown();
        if let Err(stop) = ended {
            for &number in open {
                board.tried(number, stop, None);
            }
        }
        ended
    }

    fn bytes(&self) -> u64 {
        self.graph.as_ref().map_or(0, |graph| graph.graph().bytes())
    }

    fn release(&mut self) {
        self.graph = None;
    }
}

struct Growing<'a, 'r> {
    board: &'a Board<'r>,
    open: &'a [usize],
    graph: &'a mut PartialGraph,
    space: &'a mut Space,
    evaluating: Evaluating<'a, 'r>,
}

impl Growing<'_, '_> {
    /// Answers what the growing graph decides.
    fn go_on(&mut self, budget: &Budget) -> Result<(), Stop> {
        let sample = self.board.settings().sample.is_some();
        self.graph.link(budget)?;
        loop {
            if self.graph.graph().is_complete() {
                return self.complete(budget);
            }
            // The states that satisfy a property are asked of all states.
            let aims = if sample {
                Vec::new()
            } else {
                self.look(budget)
            };
            if self.still_open().is_empty() {
                return Ok(());
            }
            let grown = self.graph.grow(self.space, &aims, budget);
            let states = self.space.len() as u64;
            self.board
                .progress(states, self.graph.graph().transitions());
            match grown {
                Ok(()) => {}
                Err(space::Error::Stopped(stop)) => {
                    // Where there is time left, the last states may decide something.
                    if stop == Stop::Memory && !sample {
                        self.look(budget);
                    }
                    return Err(stop);
                }
                Err(space::Error::Fault(fault)) => {
                    self.board.fault(&self.still_open(), Tool::LocalCtl, fault);
                    return Ok(());
                }
            }
        }
    }

    fn still_open(&self) -> Vec<usize> {
        let open = self.open.iter().copied();
        open.filter(|&n| self.board.is_open(n)).collect()
    }

    /// The open questions by what dead ends do.
    fn by_dead_ends(&self) -> Vec<(DeadEnds, Vec<usize>)> {
        let modes = [DeadEnds::Finite, DeadEnds::Stutter, DeadEnds::Ignore];
        let mode = |n: usize| self.board.property(n).map(|p| p.dead_ends);
        let of = |dead_ends: DeadEnds| {
            let open = self.still_open().into_iter();
            let open = open.filter(|&n| mode(n) == Some(dead_ends));
            (dead_ends, open.collect::<Vec<usize>>())
        };
        let all = modes.into_iter().map(of);
        all.filter(|(_, open)| !open.is_empty()).collect()
    }

    /// Answers what the known part decides; what the others need to know.
    fn look(&mut self, budget: &Budget) -> Vec<Aim> {
        let graph = self.graph.graph();
        let bytes = graph.bytes() + self.space.bytes();
        let by_dead_ends = self.by_dead_ends();
        let evaluating = &mut self.evaluating;
        let mut aims = Vec::new();
        for (dead_ends, open) in by_dead_ends {
            let sets = ThreeValuedSets::new(graph, self.space, dead_ends, budget);
            let mut evaluator = Evaluator::new(sets, budget);
            evaluating.tell_atoms(&mut evaluator, &open);
            for number in open {
                let answered = evaluating.one(&mut evaluator, number, &mut |_| bytes);
                // Where the answer is known, what was asked is to be shown.
                let undecided_property = if evaluating.is_unshown(number) {
                    self.board.given(number)
                } else {
                    self.board.property(number)
                };
                if let (Err(_), Some(property)) = (answered, undecided_property) {
                    let store = &mut evaluating.store;
                    aims.extend(undecided(&evaluator, store, property.formula));
                }
            }
        }
        aims
    }

    fn complete(&mut self, budget: &Budget) -> Result<(), Stop> {
        let graph = self.graph.graph();
        let bytes = graph.bytes() + self.space.bytes();
        let mut ended = Ok(());
        for (dead_ends, open) in self.by_dead_ends() {
            let sets = GraphSets::new(graph, self.space, dead_ends, budget);
            let mut evaluator = Evaluator::new(sets, budget);
            let asked = self
                .evaluating
                .rounds(&mut evaluator, &open, &[u64::MAX], &mut |_| bytes);
            ended = ended.and(asked);
        }
        ended
    }
}
