//! Sets of states for CTL and CTL* on a stored graph of all states: fixpoints (see `fixpoints.rs`), and automata for
//! path formulas (see `fair.rs`).

use dalsegno_automata::Automaton;
use dalsegno_branching::StateSets;
use dalsegno_kripke::{Budget, DeadEnds, Model, Predicate, Stop};

use crate::fair;
use crate::fixpoints::Fixpoints;
use crate::graph::Graph;
use crate::space::Space;
use crate::states::StateSet;

/// The states of a complete graph, and fixpoints among them.
pub struct GraphSets<'g> {
    fixpoints: Fixpoints<'g>,
}

impl<'g> GraphSets<'g> {
    /// Fixpoints among the states of a graph.
    ///
    /// # Panics
    /// If the graph is not complete.
    #[must_use]
    pub fn new(graph: &'g Graph, space: &'g Space, dead_ends: DeadEnds, budget: &Budget) -> Self {
        assert!(graph.is_complete(), "a part of a graph has other sets");
        GraphSets {
            fixpoints: Fixpoints::new(graph, space, dead_ends, budget),
        }
    }
}

impl StateSets for GraphSets<'_> {
    type Set = StateSet;

    fn dead_ends(&self) -> DeadEnds {
        self.fixpoints.dead_ends
    }

    fn all(&mut self) -> StateSet {
        self.fixpoints.all()
    }

    fn select(&mut self, predicate: &Predicate) -> Result<StateSet, Stop> {
        self.fixpoints.select(predicate)
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
        self.fixpoints.find(state).is_some_and(|s| set.has(s))
    }

    fn count(&mut self, set: &StateSet) -> Result<String, Stop> {
        Ok(set.count().to_string())
    }

    fn sample(&mut self, set: &StateSet, most: usize) -> Vec<Vec<u32>> {
        self.fixpoints.sample(set, most)
    }

    fn model(&self) -> &Model {
        self.fixpoints.space.model()
    }

    fn alive(&mut self) -> Result<StateSet, Stop> {
        self.fixpoints.alive()
    }

    fn next(&mut self, set: &StateSet) -> Result<StateSet, Stop> {
        self.fixpoints.next(set)
    }

    fn until(&mut self, hold: &StateSet, goal: &StateSet) -> Result<StateSet, Stop> {
        self.fixpoints.until(hold, goal)
    }

    fn globally(&mut self, set: &StateSet) -> Result<StateSet, Stop> {
        self.fixpoints.globally(set)
    }

    fn fair(
        &mut self,
        automaton: &Automaton,
        propositions: &[StateSet],
    ) -> Result<Vec<StateSet>, Stop> {
        let Fixpoints {
            graph,
            space,
            dead_ends,
            budget,
            ..
        } = &self.fixpoints;
        let repeat = *dead_ends == DeadEnds::Stutter;
        fair::accepted(graph, space, automaton, propositions, repeat, budget)
    }
}
