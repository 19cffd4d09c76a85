//! Sets of states for CTL and CTL*: fixpoints on a stored graph, each linear in its edges.
//!
//! `E(f U g)` is a search backwards from `g` through `f`. `EG f` counts for each state of `f` its successors inside
//! and drops those that have none left (Arnold and Crubillé, "A linear algorithm to solve fixed-point equations on
//! transition systems", IPL 1988). Path formulas: see `fair.rs`.

use dalsegno_automata::Automaton;
use dalsegno_automata::branching::StateSets;
use dalsegno_kripke::{Budget, DeadEnds, Model, Predicate, Stop};

use crate::fair;
use crate::graph::Graph;
use crate::space::StateId;
use crate::states::StateSet;

/// The states of a graph, and fixpoints among them.
pub struct GraphSets<'g, 'm> {
    graph: &'g Graph<'m>,
    dead_ends: DeadEnds,
    budget: Budget,
    /// The states from which an infinite path starts, once asked for.
    infinite: Option<StateSet>,
}

/// States between two looks at the budget.
const STRIDE: usize = 1 << 14;

impl<'g, 'm> GraphSets<'g, 'm> {
    /// Fixpoints among the states of a graph.
    #[must_use]
    pub fn new(graph: &'g Graph<'m>, dead_ends: DeadEnds, budget: &Budget) -> Self {
        GraphSets {
            graph,
            dead_ends,
            budget: budget.clone(),
            infinite: None,
        }
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &'g Graph<'m> {
        self.graph
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
        let mut dropped: Vec<StateId> = Vec::new();
        for (i, s) in set.iter().enumerate() {
            if i % STRIDE == 0 {
                self.budget.check()?;
            }
            let successors = self.graph.successors(s);
            let count = successors.iter().filter(|&&t| set.has(t)).count();
            inside[s as usize] = count as u32;
            if count == 0 && !(ends && successors.is_empty()) {
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
                    // A state without successors from the beginning was dropped then.
                    if *count == 0 && p != s {
                        dropped.push(p);
                    }
                }
            }
        }
        Ok(left)
    }
}

impl StateSets for GraphSets<'_, '_> {
    type Set = StateSet;

    fn dead_ends(&self) -> DeadEnds {
        self.dead_ends
    }

    fn all(&mut self) -> StateSet {
        StateSet::all(self.graph.len())
    }

    fn select(&mut self, predicate: &Predicate) -> Result<StateSet, Stop> {
        let space = self.graph.space();
        let mut set = StateSet::none(self.graph.len());
        for s in 0..self.graph.len() as StateId {
            if (s as usize).is_multiple_of(STRIDE) {
                self.budget.check()?;
            }
            if space.holds(s, predicate) {
                set.insert(s);
            }
        }
        Ok(set)
    }

    fn complement(&mut self, set: &StateSet) -> Result<StateSet, Stop> {
        let mut rest = set.clone();
        rest.flip();
        Ok(rest)
    }

    fn union(&mut self, a: &StateSet, b: &StateSet) -> Result<StateSet, Stop> {
        let mut united = a.clone();
        united.unite(b);
        Ok(united)
    }

    fn intersection(&mut self, a: &StateSet, b: &StateSet) -> Result<StateSet, Stop> {
        let mut common = a.clone();
        common.intersect(b);
        Ok(common)
    }

    fn is_empty(&self, set: &StateSet) -> bool {
        set.is_empty()
    }

    fn contains(&self, set: &StateSet, state: &[u32]) -> bool {
        self.graph.space().find(state).is_some_and(|s| set.has(s))
    }

    fn count(&mut self, set: &StateSet) -> Result<String, Stop> {
        Ok(set.count().to_string())
    }

    fn sample(&mut self, set: &StateSet, most: usize) -> Vec<Vec<u32>> {
        let space = self.graph.space();
        let values = |s: StateId| {
            let mut values = vec![0; space.model().variables().len()];
            space.values(s, &mut values);
            values
        };
        set.iter().take(most).map(values).collect()
    }

    fn model(&self) -> &Model {
        self.graph.space().model()
    }

    fn alive(&mut self) -> Result<StateSet, Stop> {
        if self.dead_ends != DeadEnds::Ignore {
            return Ok(self.all());
        }
        if self.infinite.is_none() {
            let all = self.all();
            self.infinite = Some(self.staying(&all, false)?);
        }
        Ok(self.infinite.clone().expect("just computed"))
    }

    fn next(&mut self, set: &StateSet) -> Result<StateSet, Stop> {
        let set = self.living(set)?;
        let mut found = StateSet::none(self.graph.len());
        for (i, s) in set.iter().enumerate() {
            if i % STRIDE == 0 {
                self.budget.check()?;
            }
            for &p in self.graph.predecessors(s) {
                found.insert(p);
            }
            if self.dead_ends == DeadEnds::Stutter && self.graph.successors(s).is_empty() {
                found.insert(s);
            }
        }
        Ok(found)
    }

    fn until(&mut self, hold: &StateSet, goal: &StateSet) -> Result<StateSet, Stop> {
        let mut found = self.living(goal)?;
        let mut open: Vec<StateId> = found.iter().collect();
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

    fn globally(&mut self, set: &StateSet) -> Result<StateSet, Stop> {
        self.staying(set, self.dead_ends != DeadEnds::Ignore)
    }

    fn fair(
        &mut self,
        automaton: &Automaton,
        propositions: &[StateSet],
    ) -> Result<Vec<StateSet>, Stop> {
        let repeat = self.dead_ends == DeadEnds::Stutter;
        fair::accepted(self.graph, automaton, propositions, repeat, &self.budget)
    }
}
