//! Trying orders against each other: the one that gets there first builds the state space.
//!
//! Metrics tell how large a set will be under an order, but not how large the sets on the way
//! are: an order and its reverse end with diagrams of the same size, and one of them may take a
//! thousand times as long. So orders are tried. If the model has many tokens, they are first compared on
//! models with few (`successive_halving`). Then the best are tried in turn with a small
//! number of steps, then fewer of them with eight times as many, and so on. Steps are counted, not
//! timed: the order that wins is the same on every machine, and for any number of threads that try orders at the same
//! time, as the first in line of those that get there wins a round.
//!
//! Of the metrics, the sum of unique and productive spans and the sum of tops predict best which
//! order is fast, then the bits, and they err on different models, so the three lists are taken in
//! turn. Where all err it is often the declared order that is good, because whoever wrote the model
//! put together what belongs together: after the best by spans and by tops it comes next, either
//! way up.
//!
//! Cost: at most a small multiple of the work of the order that wins, and about twice the work of
//! the first order if that one wins.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Arc, atomic};
use std::thread;

use dalsegno_kripke::{Budget, Model, Stop, VarId};
use dalsegno_mdd::with_stack;
use rustc_hash::FxHashSet;

use crate::encode::{EncodeError, ValueRanges};
use crate::order::{Candidate, Heuristic, Metrics, Order, Recipe};
use crate::reach::StateSpace;
use crate::successive_halving;

/// Steps of the first round; more for models with more variables.
const FIRST: u64 = 1 << 14;

/// How many candidates take part in the rounds; the last number is for all rounds after.
const ROUNDS: [usize; 4] = [12, 6, 6, 5];

/// The same after a trial.
const ROUNDS_AFTER_TRIAL: [usize; 1] = [2];

/// How much longer each round is.
const GROWTH: u64 = 8;

/// Orders of one model that are tried against each other.
#[derive(Debug)]
pub struct Race {
    model: Arc<Model>,
    ranges: ValueRanges,
    candidates: Vec<Candidate>,
    /// The candidates that are left, best first.
    entrants: Vec<usize>,
    sizes: &'static [usize],
    round: usize,
    steps: u64,
    threads: usize,
}

impl Race {
    /// A race between candidates.
    ///
    /// Where the metrics are equal, candidates that come first are tried first.
    ///
    /// # Errors
    /// See [`EncodeError`].
    ///
    /// # Panics
    /// If there is no candidate.
    pub fn new(
        model: &Arc<Model>,
        candidates: Vec<Candidate>,
        budget: &Budget,
    ) -> Result<Self, EncodeError> {
        assert!(!candidates.is_empty(), "a race needs a candidate");
        let mut entrants = distinct(model, &candidates, &line_up(&candidates));
        let mut steps = FIRST.max(32 * model.variables().len() as u64);
        let mut sizes = &ROUNDS[..];
        let orders = |i: usize| &candidates[i].order;
        if let Some(seen) = successive_halving::compare(model, &orders, &mut entrants, budget)? {
            sizes = &ROUNDS_AFTER_TRIAL;
            steps = steps.max(seen.steps.saturating_mul(GROWTH));
            if seen.clear {
                entrants.truncate(1);
            }
        }
        Ok(Race {
            model: Arc::clone(model),
            ranges: ValueRanges::new(model, budget)?,
            candidates,
            entrants,
            sizes,
            round: 0,
            steps,
            threads: 1,
        })
    }

    /// How many orders are tried at the same time from now on; who wins does not depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
    }

    /// The steps that each order has in the next round.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The next round: the state space under the order that gets there, and how it is made; `None`
    /// if none does.
    ///
    /// # Errors
    /// See [`EncodeError`]; memory runs out when it does for all candidates of a round.
    pub fn round(&mut self, budget: &Budget) -> Result<Option<(StateSpace, Recipe)>, EncodeError> {
        let size = self.sizes[self.round.min(self.sizes.len() - 1)];
        let size = size.min(self.entrants.len());
        let mut out_of_memory = true;
        let mut next = 0;
        while next < size {
            let together = self.try_together(next..size.min(next + self.threads), budget);
            for result in together {
                let i = self.entrants[next];
                next += 1;
                match result {
                    Ok(space) => return Ok(Some((space, self.candidates[i].recipe))),
                    // Another order may do with less.
                    Err(EncodeError::Stopped(Stop::Memory)) => {}
                    // The steps were used up, or the budget was: it knows why.
                    Err(EncodeError::Stopped(Stop::Time)) => {
                        budget.check()?;
                        out_of_memory = false;
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        if out_of_memory {
            return Err(Stop::Memory.into());
        }
        self.steps = self.steps.saturating_mul(GROWTH);
        self.round += 1;
        Ok(None)
    }

    /// Tries some entrants, at the same time if there are several, up to the first one that gets there. Each has its part of
    /// the memory then; one that runs out of it ends the list unless it is the first, which is tried again alone.
    fn try_together(
        &self,
        places: Range<usize>,
        budget: &Budget,
    ) -> Vec<Result<StateSpace, EncodeError>> {
        let entrants = &self.entrants[places];
        let attempt = |i: usize, budget: &Budget| {
            let order = &self.candidates[i].order;
            StateSpace::try_build_with(&self.model, &self.ranges, order, budget, self.steps)
        };
        if let [alone] = entrants {
            return vec![attempt(*alone, budget)];
        }
        let parts: Vec<Budget> = entrants
            .iter()
            .map(|_| match budget.bytes() {
                Some(bytes) => budget.part().with_bytes(bytes / entrants.len() as u64),
                None => budget.part(),
            })
            .collect();
        let levels = self.model.variables().len() as u32;
        let mut results: Vec<_> = thread::scope(|scope| {
            let start = |(at, &i): (usize, &usize)| {
                let parts = &parts;
                scope.spawn(move || {
                    let result = with_stack(levels, || attempt(i, &parts[at]))
                        .unwrap_or_else(|_| Err(Stop::Memory.into()));
                    if result.is_ok() {
                        // Those after it have lost.
                        for part in &parts[at + 1..] {
                            part.cancel_flag().store(true, atomic::Ordering::Relaxed);
                        }
                    }
                    result
                })
            };
            let started: Vec<_> = entrants.iter().enumerate().map(start).collect();
            let joined = started.into_iter().map(|one| match one.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.collect()
        });
        let full =
            |result: &Result<_, _>| matches!(result, Err(EncodeError::Stopped(Stop::Memory)));
        let won = results.iter().position(Result::is_ok);
        results.truncate(won.map_or(results.len(), |at| at + 1));
        match results.iter().position(full) {
            Some(0) => {
                results.clear();
                vec![attempt(entrants[0], budget)]
            }
            Some(at) => {
                results.truncate(at);
                results
            }
            None => results,
        }
    }

    /// So many rounds, or fewer if an order wins before: see [`Race::round`].
    ///
    /// # Errors
    /// See [`Race::round`].
    pub fn rounds(
        &mut self,
        most: usize,
        budget: &Budget,
    ) -> Result<Option<(StateSpace, Recipe)>, EncodeError> {
        for _ in 0..most {
            let won = self.round(budget)?;
            if won.is_some() {
                return Ok(won);
            }
        }
        Ok(None)
    }
}

/// The candidates in the order in which they are tried.
fn line_up(candidates: &[Candidate]) -> Vec<usize> {
    let sorted = |compare: fn(&Metrics, &Metrics) -> Ordering| {
        let mut list: Vec<usize> = (0..candidates.len()).collect();
        list.sort_by(|&i, &j| compare(&candidates[i].metrics, &candidates[j].metrics));
        list
    };
    let by_soups = sorted(|a, b| a.soups.cmp(&b.soups));
    let by_tops = sorted(|a, b| a.sum_of_tops.cmp(&b.sum_of_tops));
    let by_bits = sorted(|a, b| a.bits.total_cmp(&b.bits));
    let turns = (0..candidates.len()).flat_map(|k| [by_soups[k], by_tops[k], by_bits[k]]);
    let mut line: Vec<usize> = turns.collect();
    let mut seen = vec![false; candidates.len()];
    line.retain(|&i| !std::mem::replace(&mut seen[i], true));
    // The first two stay, the declared orders come next; sorting keeps the order of the others.
    let is_declared = |i: usize| candidates[i].recipe.heuristic == Heuristic::Declared;
    let rest = line.len().min(2);
    line[rest..].sort_by_key(|&i| !is_declared(i));
    line
}

/// The candidates whose orders differ in more than the places of variables that never change.
fn distinct(model: &Model, candidates: &[Candidate], line: &[usize]) -> Vec<usize> {
    let mut changes = vec![false; model.variables().len()];
    for group in model.groups() {
        for v in group.writes() {
            changes[v.index()] = true;
        }
    }
    let moving = |order: &Order| -> Vec<VarId> {
        let variables = order.top_down().iter().copied();
        variables.filter(|v| changes[v.index()]).collect()
    };
    let mut seen: FxHashSet<Vec<VarId>> = FxHashSet::default();
    let different = |i: &usize| seen.insert(moving(&candidates[*i].order));
    line.iter().copied().filter(different).collect()
}

#[cfg(test)]
mod tests {
    use dalsegno_kripke::{Bounds, Group, Linear, Variable};

    use super::*;
    use crate::order::{self, Hints};

    /// Tokens go round in a ring of five; a sixth variable never changes.
    fn ring(tokens: u32) -> Arc<Model> {
        let variable = |i| Variable {
            name: format!("v{i}"),
            bounds: Bounds::proved(tokens),
        };
        let step = |i: u32| {
            let (from, to) = (VarId(i), VarId((i + 1) % 5));
            let linear = Linear::new(vec![(from, 1)], vec![], vec![(from, -1), (to, 1)]);
            Group::linear(format!("t{i}"), linear.unwrap())
        };
        let initial = vec![tokens, 0, 0, 0, 0, 1];
        let variables = (0..6).map(variable).collect();
        let groups = (0..5).map(step).collect();
        Arc::new(Model::new("ring", variables, vec![initial], groups).unwrap())
    }

    fn run(model: &Arc<Model>, rounds: usize) -> Option<(String, Recipe)> {
        run_on(1, model, rounds, &Budget::unlimited())
    }

    fn run_on(
        threads: usize,
        model: &Arc<Model>,
        rounds: usize,
        budget: &Budget,
    ) -> Option<(String, Recipe)> {
        let candidates = order::candidates(model, Hints::default(), budget);
        let mut race = Race::new(model, candidates, budget).unwrap();
        race.set_threads(threads);
        let winner = race.rounds(rounds, budget).unwrap();
        winner.map(|(mut space, recipe)| (space.states().unwrap().to_string(), recipe))
    }

    #[test]
    fn the_winner_has_all_states_and_is_always_the_same() {
        // Ways to put so many tokens into five places.
        for (tokens, states) in [(1, "5"), (3, "35"), (60, "635376")] {
            let model = ring(tokens);
            let first = run(&model, usize::MAX).unwrap();
            assert_eq!(first.0, states);
            assert_eq!(run(&model, usize::MAX), Some(first));
        }
    }

    #[test]
    fn threads_do_not_change_who_wins() {
        for tokens in [1, 3, 60] {
            let model = ring(tokens);
            let expected = run(&model, usize::MAX);
            for threads in [2, 3, 12] {
                let whole = Budget::unlimited();
                assert_eq!(run_on(threads, &model, usize::MAX, &whole), expected);
                // Each has a part of the memory, and who needs more is tried alone.
                let scarce = Budget::unlimited().with_bytes(40 << 20);
                assert_eq!(run_on(threads, &model, usize::MAX, &scarce), expected);
            }
        }
    }

    #[test]
    fn a_race_of_no_rounds_has_no_winner() {
        assert_eq!(run(&ring(2), 0), None);
        assert!(run(&ring(2), 1).is_some());
    }

    #[test]
    fn orders_that_differ_in_constants_only_run_once() {
        let model = ring(1);
        let candidate = |list: [u32; 6]| Candidate {
            recipe: Heuristic::Declared.into(),
            order: Order::new(list.map(VarId).to_vec()).unwrap(),
            metrics: Metrics::default(),
        };
        let candidates = [
            candidate([0, 1, 2, 3, 4, 5]),
            candidate([0, 1, 5, 2, 3, 4]),
            candidate([1, 0, 2, 3, 4, 5]),
        ];
        assert_eq!(distinct(&model, &candidates, &[0, 1, 2]), [0, 2]);
    }

    #[test]
    fn the_best_by_spans_and_tops_come_first_and_the_declared_order_next() {
        let candidate = |recipe: &str, soups, sum_of_tops, bits| Candidate {
            recipe: recipe.parse().unwrap(),
            order: Order::declared(6),
            metrics: Metrics {
                sum_of_tops,
                soups,
                bits,
                ..Metrics::default()
            },
        };
        let candidates = [
            candidate("noack", 1, 9, 3.0),
            candidate("force", 2, 8, 4.0),
            candidate("sloan", 3, 1, 5.0),
            candidate("declared", 4, 7, 2.0),
            candidate("units", 5, 2, 1.0),
            candidate("declared+reversed", 6, 6, 6.0),
        ];
        assert_eq!(line_up(&candidates), [0, 2, 3, 5, 4, 1]);
        assert_eq!(line_up(&candidates[..1]), [0]);
    }

    #[test]
    fn a_spent_budget_ends_the_race() {
        let model = ring(60);
        let budget = Budget::unlimited();
        let candidates = order::candidates(&model, Hints::default(), &budget);
        let spent = budget.with_time(std::time::Duration::ZERO);
        let race = Race::new(&model, candidates, &spent);
        let result = race.and_then(|mut race| race.rounds(usize::MAX, &spent));
        assert!(matches!(result, Err(EncodeError::Stopped(Stop::Time))));
    }
}
