//! A part of the state graph that grows where it matters.
//!
//! Each round about doubles the number of states. Half of the new ones come from the oldest states that are asked for, which
//! covers what is near; the others from dives: walks that expand every state they pass, because breadth-first search
//! never leaves the neighbourhood of the initial state of a large net. They take steps at random but for what their aim asks
//! of a path. In turn with them, ways lead towards the goal of an aim, as far as relaxed plans lead (`walk/way.rs`), or round
//! a cycle (`walk/cycle.rs`): of the states on a way the next one is all that is looked at, since a state of a large net
//! may have thousands of successors. Nothing depends on the choice but what is known sooner.

use dalsegno_kripke::{Budget, Predicate, Stop};
use rustc_hash::FxHashMap;

use crate::graph::{Graph, Vertex};
use crate::random::Xorshift;
use crate::space::{Error, Space};
use crate::states::StateSet;
use crate::walk::Ways;

/// The states of the first round.
const FIRST: usize = 1_000;

/// The steps of the first dives; each round makes them longer.
const DIVE: usize = 100;

/// Whatever it is, the same every time.
const SEED: u64 = 1;

/// Successors that a step of a dive looks at.
const LOOKS: usize = 64;

/// The most ways that are looked for in a round for each aim.
const TRIES: usize = 3;

/// The work on the ways of a round, and what each state of the graph adds to it: about as much as expanding takes.
const WAYS_WORK: (u64, u64) = (4_000_000, 1_000);

/// The most work on a way, as a multiple of a little.
const GUIDED: u64 = 8;

/// States whose successors are asked for, by one operator of a formula.
#[derive(Clone, Debug)]
pub struct Aim {
    /// The states, none of which has been expanded.
    pub states: Vec<Vertex>,
    /// What paths must satisfy on their way, if that is known without looking further.
    pub hold: Predicate,
    /// Where they should lead.
    pub towards: Towards,
}

/// Where paths should lead, as far as that is known without looking further.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Towards {
    /// Anywhere.
    Anything,
    /// To such a state.
    Goal(Predicate),
    /// Round a cycle.
    Cycle,
}

/// A graph and how it grows.
pub struct PartialGraph {
    graph: Graph,
    /// All states before this one have been expanded.
    oldest: Vertex,
    dive: usize,
    random: Xorshift,
    choice: Vec<Vertex>,
    /// For the goals of the last aims, and the aim whose turn it is.
    ways: Option<Ways>,
    next_aim: usize,
    values: Vec<u32>,
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
            ways: None,
            next_aim: 0,
            values: vec![0; space.model().variables().len()],
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
        self.ways(space, aims, budget)?;
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
            let at = self.any_of(aim);
            self.walk(space, aim, at, enough, budget)?;
            idle = if self.graph.len() == before {
                idle + 1
            } else {
                0
            };
        }
        self.dive = self.dive.saturating_mul(2).min(1 << 20);
        Ok(())
    }

    /// A state of an aim. Newer states are farther away: they are taken more often.
    fn any_of(&mut self, aim: &Aim) -> Vertex {
        let n = aim.states.len() as u64;
        aim.states[self.random.below(n).max(self.random.below(n)) as usize]
    }

    /// Follows ways for the aims in turn, as many as the work of a round allows: from the oldest of the states of an aim, which
    /// is near to where its operator stands, and then from others.
    fn ways(&mut self, space: &mut Space, aims: &[Aim], budget: &Budget) -> Result<(), Error> {
        let goals = self.prepare(space, aims);
        let Some(mut ways) = self.ways.take() else {
            return Ok(());
        };
        let all = WAYS_WORK.0 + WAYS_WORK.1 * self.graph.len() as u64;
        let little = ways.little_work();
        let each = (all / (TRIES * aims.len()) as u64).clamp(little, GUIDED * little);
        let end = ways.work() + all;
        let mut followed = Ok(());
        for i in 0..TRIES * aims.len() {
            if ways.work() >= end || followed.is_err() {
                break;
            }
            let aim = self.next_aim % aims.len();
            self.next_aim = self.next_aim.wrapping_add(1);
            let at = if i < aims.len() {
                aims[aim].states[0]
            } else {
                self.any_of(&aims[aim])
            };
            let aim = (&aims[aim], goals[aim]);
            followed = self.guided(space, &mut ways, aim, (at, each), budget);
        }
        self.ways = Some(ways);
        followed
    }

    /// Makes ways to the goals of aims, and tells which of these goals each aim has.
    fn prepare(&mut self, space: &Space, aims: &[Aim]) -> Vec<usize> {
        let mut known: FxHashMap<&Predicate, usize> = FxHashMap::default();
        let mut goals = Vec::new();
        let mut numbers = Vec::with_capacity(aims.len());
        for aim in aims {
            let Towards::Goal(goal) = &aim.towards else {
                numbers.push(0);
                continue;
            };
            let number = known.entry(goal).or_insert_with(|| {
                goals.push(goal.clone());
                goals.len() - 1
            });
            numbers.push(*number);
        }
        if self.ways.as_ref().is_none_or(|ways| ways.goals() != goals) {
            self.ways = Ways::new(space.model(), goals);
        }
        numbers
    }

    /// Takes the steps of a way towards a goal or round a cycle, if one is found.
    fn guided(
        &mut self,
        space: &mut Space,
        ways: &mut Ways,
        (aim, goal): (&Aim, usize),
        (mut at, work): (Vertex, u64),
        budget: &Budget,
    ) -> Result<(), Error> {
        space.values(self.graph.state(at), &mut self.values);
        let way = match aim.towards {
            Towards::Anything => return Ok(()),
            Towards::Goal(_) => ways.towards(goal, &self.values, &aim.hold, work, budget)?,
            Towards::Cycle => ways.around(&self.values, &aim.hold, work, budget)?,
        };
        for &group in way {
            match self.graph.step(space, at, group, budget)? {
                Some(next) => at = next,
                None => break,
            }
        }
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
