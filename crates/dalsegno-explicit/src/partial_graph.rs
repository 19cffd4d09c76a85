//! A part of the state graph that grows where it matters.
//!
//! Each round about doubles the number of states. Half of the new ones come from the oldest states in demand, which
//! covers what is near; the others from dives: walks that expand every state they pass, at random but for what
//! their aim asks of a path, because breadth-first search never leaves the neighbourhood of the initial state of a
//! large net. Nothing depends on the choice but what is known sooner.

use std::sync::Arc;

use dalsegno_kripke::{Budget, Model, Predicate};

use crate::graph::Graph;
use crate::random::Xorshift;
use crate::space::{Error, StateId};
use crate::states::StateSet;

/// The states of the first round.
const FIRST: usize = 1_000;

/// The steps of the first dives; each round makes them longer.
const DIVE: usize = 100;

/// Whatever it is, the same every time.
const SEED: u64 = 1;

/// Successors that a step of a dive looks at.
const LOOKS: usize = 64;

/// States whose successors are asked for, by one operator of a formula.
#[derive(Clone, Debug)]
pub struct Aim {
    /// The states, none of which has been expanded.
    pub states: Vec<StateId>,
    /// What paths must satisfy on their way, if that is known without looking further.
    pub hold: Predicate,
}

/// A graph and how it grows.
pub struct PartialGraph {
    graph: Graph,
    /// All states before this one have been expanded.
    oldest: StateId,
    dive: usize,
    random: Xorshift,
    choice: Vec<StateId>,
}

impl PartialGraph {
    /// Nothing but the initial states.
    #[must_use]
    pub fn new(model: &Arc<Model>) -> Self {
        PartialGraph {
            graph: Graph::new(model),
            oldest: 0,
            dive: DIVE,
            random: Xorshift::new(SEED),
            choice: Vec::new(),
        }
    }

    /// The graph, linked.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Expands states, the ones in demand first, until there are about twice as many states; without a demand, the
    /// oldest ones.
    ///
    /// # Errors
    /// If the model faults, or the budget runs out. What has been found stays, and the graph is linked
    /// unless time ran out.
    pub fn grow(&mut self, aims: &[Aim], budget: &Budget) -> Result<(), Error> {
        let grown = self.expand(aims, budget);
        self.graph.link(budget)?;
        grown
    }

    fn expand(&mut self, aims: &[Aim], budget: &Budget) -> Result<(), Error> {
        let start = self.graph.len();
        // What is small is explored as a whole.
        if start < FIRST || aims.is_empty() {
            return self.oldest(FIRST.max(2 * start), budget);
        }
        let mut wanted = StateSet::none(start);
        for &s in aims.iter().flat_map(|aim| &aim.states) {
            wanted.insert(s);
        }
        for s in wanted.iter() {
            if self.graph.len() >= start + start / 2 {
                break;
            }
            self.graph.expand(s, budget)?;
        }
        self.dives(aims, start + start / 10 * 9, budget)?;
        self.oldest(2 * start, budget)
    }

    /// Expands the oldest states until there are enough.
    fn oldest(&mut self, enough: usize, budget: &Budget) -> Result<(), Error> {
        while self.graph.len() < enough && (self.oldest as usize) < self.graph.len() {
            self.graph.expand(self.oldest, budget)?;
            self.oldest += 1;
        }
        Ok(())
    }

    /// Walks from states in demand until there are enough, or nothing new was found for a while.
    fn dives(&mut self, aims: &[Aim], enough: usize, budget: &Budget) -> Result<(), Error> {
        let mut idle = 0;
        for aim in aims.iter().cycle() {
            budget.check()?;
            let before = self.graph.len();
            if before >= enough || idle > 2 * aims.len() {
                break;
            }
            // Newer states are farther away: take them more often.
            let n = aim.states.len() as u64;
            let at = self.random.below(n).max(self.random.below(n)) as usize;
            self.walk(aim, aim.states[at], enough, budget)?;
            idle = if self.graph.len() == before {
                idle + 1
            } else {
                0
            };
        }
        self.dive = self.dive.saturating_mul(2).min(1 << 20);
        Ok(())
    }

    fn walk(
        &mut self,
        aim: &Aim,
        mut at: StateId,
        enough: usize,
        budget: &Budget,
    ) -> Result<(), Error> {
        for _ in 0..self.dive {
            self.graph.expand(at, budget)?;
            if self.graph.len() >= enough {
                break;
            }
            match self.onward(at, &aim.hold) {
                Some(next) => at = next,
                None => break,
            }
        }
        Ok(())
    }

    /// A successor that has not been expanded and satisfies `hold`, at random.
    fn onward(&mut self, at: StateId, hold: &Predicate) -> Option<StateId> {
        let mut choice = std::mem::take(&mut self.choice);
        choice.clear();
        let successors = self.graph.successors(at);
        let unseen = successors.iter().filter(|&&t| !self.graph.is_expanded(t));
        choice.extend(unseen);
        let mut found = None;
        for _ in 0..LOOKS {
            if choice.is_empty() {
                break;
            }
            let i = self.random.below(choice.len() as u64) as usize;
            let next = choice.swap_remove(i);
            if self.graph.space().holds(next, hold) {
                found = Some(next);
                break;
            }
        }
        self.choice = choice;
        found
    }
}
