//! The fixpoints of CTL on a stored graph, each linear in its edges.
//!
//! `E(f U g)` is a search backwards from `g` through `f`. `EG f` counts for each state of `f` its successors inside
//! and drops those that have none left (Arnold and Crubillé, "A linear algorithm to solve fixed-point equations on
//! transition systems", IPL 1988). Of a graph that is known in part, the states beyond which it is unknown either
//! lead nowhere or lead wherever it helps: the one gives a subset of the true states of a formula, the other a
//! superset.

use dalsegno_kripke::{Budget, DeadEnds, Predicate, Stop};

use crate::graph::{Graph, Vertex};
use crate::space::Space;
use crate::states::StateSet;

/// Fixpoints among the states of a graph.
pub(crate) struct Fixpoints<'g> {
    pub(crate) graph: &'g Graph,
    pub(crate) space: &'g Space,
    pub(crate) dead_ends: DeadEnds,
    pub(crate) budget: Budget,
    /// States that are taken to have whatever successors help.
    beyond: StateSet,
    /// The states from which an infinite path starts, once asked for.
    infinite: Option<StateSet>,
}

/// States between two looks at the budget.
const STRIDE: usize = 1 << 14;

impl<'g> Fixpoints<'g> {
    /// Fixpoints with nothing beyond what is known.
    pub(crate) fn new(
        graph: &'g Graph,
        space: &'g Space,
        dead_ends: DeadEnds,
        budget: &Budget,
    ) -> Self {
        let nowhere = StateSet::none(graph.len());
        Self::with_beyond(graph, space, dead_ends, budget, nowhere)
    }

    /// Fixpoints where some states have whatever successors help.
    pub(crate) fn with_beyond(
        graph: &'g Graph,
        space: &'g Space,
        dead_ends: DeadEnds,
        budget: &Budget,
        beyond: StateSet,
    ) -> Self {
        Fixpoints {
            graph,
            space,
            dead_ends,
            budget: budget.clone(),
            beyond,
            infinite: None,
        }
    }

    /// All states.
    pub(crate) fn all(&self) -> StateSet {
        StateSet::all(self.graph.len())
    }

    /// The states in which a predicate holds.
    pub(crate) fn select(&self, predicate: &Predicate) -> Result<StateSet, Stop> {
        let mut set = StateSet::none(self.graph.len());
        let stride = (STRIDE / work(predicate)).max(1);
        for s in 0..self.graph.len() as Vertex {
            if (s as usize).is_multiple_of(stride) {
                self.budget.check()?;
            }
            if self.space.holds(self.graph.state(s), predicate) {
                set.insert(s);
            }
        }
        Ok(set)
    }

    /// The states from which a path starts that counts.
    pub(crate) fn alive(&mut self) -> Result<StateSet, Stop> {
        if self.dead_ends != DeadEnds::Ignore {
            return Ok(self.all());
        }
        if self.infinite.is_none() {
            self.infinite = Some(self.staying(&self.all(), false)?);
        }
        Ok(self.infinite.clone().expect("just computed"))
    }

    fn living(&mut self, set: &StateSet) -> Result<StateSet, Stop> {
        let mut living = set.clone();
        if self.dead_ends == DeadEnds::Ignore {
            living.intersect(&self.alive()?);
        }
        Ok(living)
    }

    /// The greatest subset of a set in which every state has a successor, or is a dead end if `ends`.
    fn staying(&self, set: &StateSet, ends: bool) -> Result<StateSet, Stop> {
        let mut left = set.clone();
        let mut inside = vec![0u32; self.graph.len()];
        let mut dropped: Vec<Vertex> = Vec::new();
        for (i, s) in set.iter().enumerate() {
            if i % STRIDE == 0 {
                self.budget.check()?;
            }
            let successors = self.graph.successors(s);
            let count = successors.iter().filter(|&&t| set.has(t)).count();
            inside[s as usize] = count as u32;
            let stays = count > 0 || self.beyond.has(s) || ends && self.graph.is_dead_end(s);
            if !stays {
                dropped.push(s);
            }
        }
        let mut steps = 0;
        while let Some(s) = dropped.pop() {
            steps += 1;
            if steps % STRIDE == 0 {
                self.budget.check()?;
            }
            left.remove(s);
            for &p in self.graph.predecessors(s) {
                if left.has(p) {
                    let count = &mut inside[p as usize];
                    *count -= 1;
                    // A state without successors from the beginning was dropped then. One that may have others stays.
                    if *count == 0 && p != s && !self.beyond.has(p) {
                        dropped.push(p);
                    }
                }
            }
        }
        Ok(left)
    }

    /// `EX set`.
    pub(crate) fn next(&mut self, set: &StateSet) -> Result<StateSet, Stop> {
        let set = self.living(set)?;
        let mut found = self.beyond.clone();
        for (i, s) in set.iter().enumerate() {
            if i % STRIDE == 0 {
                self.budget.check()?;
            }
            for &p in self.graph.predecessors(s) {
                found.insert(p);
            }
            if self.dead_ends == DeadEnds::Stutter && self.graph.is_dead_end(s) {
                found.insert(s);
            }
        }
        Ok(found)
    }

    /// `E(hold U goal)`.
    pub(crate) fn until(&mut self, hold: &StateSet, goal: &StateSet) -> Result<StateSet, Stop> {
        let mut found = hold.clone();
        found.intersect(&self.beyond);
        found.unite(&self.living(goal)?);
        let mut open: Vec<Vertex> = found.iter().collect();
        let mut steps = 0;
        while let Some(s) = open.pop() {
            steps += 1;
            if steps % STRIDE == 0 {
                self.budget.check()?;
            }
            for &p in self.graph.predecessors(s) {
                if hold.has(p) && found.insert(p) {
                    open.push(p);
                }
            }
        }
        Ok(found)
    }

    /// `EG set`.
    pub(crate) fn globally(&self, set: &StateSet) -> Result<StateSet, Stop> {
        self.staying(set, self.dead_ends != DeadEnds::Ignore)
    }

    /// The vertex of the state with these values, if the graph has met it.
    pub(crate) fn find(&self, values: &[u32]) -> Option<Vertex> {
        self.graph.find(self.space, values)
    }

    /// The values of some states.
    pub(crate) fn sample(&self, set: &StateSet, most: usize) -> Vec<Vec<u32>> {
        let (graph, space) = (self.graph, self.space);
        let values = |s: Vertex| {
            let mut values = vec![0; space.model().variables().len()];
            space.values(graph.state(s), &mut values);
            values
        };
        set.iter().take(most).map(values).collect()
    }
}

/// About how many numbers a look at a predicate compares.
fn work(predicate: &Predicate) -> usize {
    match predicate {
        Predicate::Compare(compare) => 1 + compare.terms().len(),
        Predicate::Enabled(groups) => 1 + 2 * groups.len(),
        Predicate::Not(inner) => work(inner),
        Predicate::And(parts) | Predicate::Or(parts) => 1 + parts.iter().map(work).sum::<usize>(),
        Predicate::Circuit(circuit) => {
            circuit.gates().len() + circuit.leaves().map(work).sum::<usize>()
        }
        // A dead end is seen when no group is enabled.
        Predicate::DeadEnd => 64,
        Predicate::True | Predicate::False => 1,
    }
}
