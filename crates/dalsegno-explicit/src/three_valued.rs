//! CTL on a part of the state graph, in three values: in each state a formula surely holds, surely does not, or may.
//!
//! Bruns and Godefroid, "Model checking partial state spaces with 3-valued temporal logics", CAV 1999. A set is a pair
//! of sets, the states that are surely in it and those that may be; each operator is computed twice, once as if the
//! graph ended where it is unknown and once as if whatever helps lay beyond. Twice the cost of a complete graph.

use dalsegno_automata::Automaton;
use dalsegno_branching::StateSets;
use dalsegno_kripke::{Budget, DeadEnds, Model, Predicate, Stop};

use crate::fixpoints::Fixpoints;
use crate::graph::{Graph, Vertex};
use crate::space::Space;
use crate::states::StateSet;

/// The states of a part of a graph, and fixpoints among them.
pub struct ThreeValuedSets<'g> {
    least: Fixpoints<'g>,
    most: Fixpoints<'g>,
}

/// A set of states as far as it is known; `sure` is a subset of `maybe`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    sure: StateSet,
    maybe: StateSet,
}

impl Bounds {
    /// What is known of a vertex.
    #[must_use]
    pub fn value(&self, vertex: Vertex) -> Option<bool> {
        match (self.sure.has(vertex), self.maybe.has(vertex)) {
            (true, _) => Some(true),
            (_, false) => Some(false),
            _ => None,
        }
    }

    fn exactly(set: StateSet) -> Self {
        Bounds {
            sure: set.clone(),
            maybe: set,
        }
    }
}

impl<'g> ThreeValuedSets<'g> {
    /// Fixpoints among the states of a linked graph.
    #[must_use]
    pub fn new(graph: &'g Graph, space: &'g Space, dead_ends: DeadEnds, budget: &Budget) -> Self {
        ThreeValuedSets {
            least: Fixpoints::new(graph, space, dead_ends, budget),
            most: Fixpoints::with_beyond(graph, space, dead_ends, budget, graph.frontier()),
        }
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &'g Graph {
        self.least.graph
    }

    /// The store of its states.
    #[must_use]
    pub fn space(&self) -> &'g Space {
        self.least.space
    }
}

impl StateSets for ThreeValuedSets<'_> {
    type Set = Bounds;

    fn dead_ends(&self) -> DeadEnds {
        self.least.dead_ends
    }

    fn is_complete(&self) -> bool {
        self.graph().is_complete()
    }

    fn all(&mut self) -> Bounds {
        Bounds::exactly(self.least.all())
    }

    fn select(&mut self, predicate: &Predicate) -> Result<Bounds, Stop> {
        Ok(Bounds::exactly(self.least.select(predicate)?))
    }

    fn complement(&mut self, set: &Bounds) -> Result<Bounds, Stop> {
        let (mut sure, mut maybe) = (set.maybe.clone(), set.sure.clone());
        sure.flip();
        maybe.flip();
        Ok(Bounds { sure, maybe })
    }

    fn union(&mut self, a: &Bounds, b: &Bounds) -> Result<Bounds, Stop> {
        let mut united = a.clone();
        united.sure.unite(&b.sure);
        united.maybe.unite(&b.maybe);
        Ok(united)
    }

    fn intersection(&mut self, a: &Bounds, b: &Bounds) -> Result<Bounds, Stop> {
        let mut common = a.clone();
        common.sure.intersect(&b.sure);
        common.maybe.intersect(&b.maybe);
        Ok(common)
    }

    fn is_empty(&self, set: &Bounds) -> bool {
        set.sure.is_empty()
    }

    fn contains(&self, set: &Bounds, state: &[u32]) -> bool {
        self.value(set, state) == Some(true)
    }

    fn value(&self, set: &Bounds, state: &[u32]) -> Option<bool> {
        set.value(self.least.find(state)?)
    }

    fn count(&mut self, _: &Bounds) -> Result<String, Stop> {
        Err(Stop::States)
    }

    fn sample(&mut self, set: &Bounds, most: usize) -> Vec<Vec<u32>> {
        self.least.sample(&set.sure, most)
    }

    fn model(&self) -> &Model {
        self.least.space.model()
    }

    fn alive(&mut self) -> Result<Bounds, Stop> {
        Ok(Bounds {
            sure: self.least.alive()?,
            maybe: self.most.alive()?,
        })
    }

    fn next(&mut self, set: &Bounds) -> Result<Bounds, Stop> {
        Ok(Bounds {
            sure: self.least.next(&set.sure)?,
            maybe: self.most.next(&set.maybe)?,
        })
    }

    fn until(&mut self, hold: &Bounds, goal: &Bounds) -> Result<Bounds, Stop> {
        Ok(Bounds {
            sure: self.least.until(&hold.sure, &goal.sure)?,
            maybe: self.most.until(&hold.maybe, &goal.maybe)?,
        })
    }

    fn globally(&mut self, set: &Bounds) -> Result<Bounds, Stop> {
        Ok(Bounds {
            sure: self.least.globally(&set.sure)?,
            maybe: self.most.globally(&set.maybe)?,
        })
    }

    /// Path formulas wait for the complete graph.
    fn fair(&mut self, _: &Automaton, _: &[Bounds]) -> Result<Vec<Bounds>, Stop> {
        Err(Stop::States)
    }
}
