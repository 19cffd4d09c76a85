//! A part of the state graph that grows where it matters.
//!
//! Each round about doubles the number of states. Half of the new ones come from the oldest states that are asked for, which
//! covers what is near; the others from dives: walks that expand every state they pass, at random but for what
//! their aim asks of a path, because breadth-first search never leaves the neighbourhood of the initial state of a
//! large net. Nothing depends on the choice but what is known sooner.

use dalsegno_kripke::{Budget, Predicate, Stop};

use crate::graph::{Graph, Vertex};
use crate::random::Xorshift;
use crate::space::{Error, Space};
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
    pub states: Vec<Vertex>,
    /// What paths must satisfy on their way, if that is known without looking further.
    pub hold: Predicate,
}

/// A graph and how it grows.
pub struct PartialGraph {
    graph: Graph,
    /// All states before this one have been expanded.
    oldest: Vertex,
    dive: usize,
    random: Xorshift,
    choice: Vec<Vertex>,
}

impl PartialGraph {
    /// Nothing but the initial states.
    #[must_use]
    pub fn new(space: &Space) -> Self {
        PartialGraph {
            graph: Graph::new(space),
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

    /// Links the graph, if time ran out before that was done.
    ///
    /// # Errors
    /// If time runs out again.
    pub fn link(&mut self, budget: &Budget) -> Result<(), Stop> {
        if self.graph.is_linked() {
            return Ok(());
        }
        self.graph.link(budget)
    }

    /// Expands states, the ones in demand first, until there are about twice as many states; without a demand, the
    /// oldest ones.
    ///
    /// # Errors
    /// If the model faults, or the budget runs out. What has been found stays, and the graph is linked
    /// unless time ran out.
    pub fn grow(&mut self, space: &mut Space, aims: &[Aim], budget: &Budget) -> Result<(), Error> {
        let grown = self.expand(space, aims, budget);
        self.graph.link(budget)?;
        grown
    }

    fn expand(&mut self, space: &mut Space, aims: &[Aim], budget: &Budget) -> Result<(), Error> {
        let start = self.graph.len();
        // What is small is explored as a whole.
        if start < FIRST || aims.is_empty() {
            return self.oldest(space, FIRST.max(2 * start), budget);
        }
        let mut wanted = StateSet::none(start);
        for &s in aims.iter().flat_map(|aim| &aim.states) {
            wanted.insert(s);
        }
        for s in wanted.iter() {
            if self.graph.len() >= start + start / 2 {
                break;
            }
            self.graph.expand(space, s, budget)?;
        }
        self.dives(space, aims, start + start / 10 * 9, budget)?;
        self.oldest(space, 2 * start, budget)
    }

    /// Expands the oldest states until there are enough.
    fn oldest(&mut self, space: &mut Space, enough: usize, budget: &Budget) -> Result<(), Error> {
        while self.graph.len() < enough && (self.oldest as usize) < self.graph.len() {
            self.graph.expand(space, self.oldest, budget)?;
            self.oldest += 1;
        }
        Ok(())
    }

    /// Walks from states that are asked for until there are enough, or nothing new was found for a while.
    fn dives(
        &mut self,
        space: &mut Space,
        aims: &[Aim],
        enough: usize,
        budget: &Budget,
    ) -> Result<(), Error> {
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
            self.walk(space, aim, aim.states[at], enough, budget)?;
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
        space: &mut Space,
        aim: &Aim,
        mut at: Vertex,
        enough: usize,
        budget: &Budget,
    ) -> Result<(), Error> {
        for _ in 0..self.dive {
            self.graph.expand(space, at, budget)?;
            if self.graph.len() >= enough {
                break;
            }
            match self.onward(space, at, &aim.hold) {
                Some(next) => at = next,
                None => break,
            }
        }
        Ok(())
    }

    /// A successor that has not been expanded and satisfies `hold`, at random.
    fn onward(&mut self, space: &Space, at: Vertex, hold: &Predicate) -> Option<Vertex> {
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
            if space.holds(self.graph.state(next), hold) {
                found = Some(next);
                break;
            }
        }
        self.choice = choice;
        found
    }
}
