//! The state graph of a model in compact arrays, both ways; all of it, or a part that grows.
//!
//! Successors of state `s` are a range of `targets`, ascending and without repetition: parallel transitions are one
//! edge. Predecessors likewise, once the graph is linked. A state whose successors have not been looked at has none,
//! but is no dead end. Cost: 8 bytes per edge and 12 per state besides the packed states.

use std::sync::Arc;

use dalsegno_kripke::{Budget, Model, Stop};

use crate::space::{Error, Space, StateId};
use crate::states::StateSet;

/// A state graph.
pub struct Graph {
    space: Space,
    /// Where the successors of each state start and end; [`UNSEEN`] before they are looked at.
    rows: Vec<(u32, u32)>,
    targets: Vec<StateId>,
    back_starts: Vec<u32>,
    sources: Vec<StateId>,
    /// Transitions with parallel ones apart.
    transitions: u64,
    expanded: usize,
    row: Vec<StateId>,
    /// States and transitions since the last look at the budget.
    unwatched: usize,
}

/// States and transitions between two looks at the budget.
const WATCH: usize = 1 << 12;

/// The row of a state that has not been expanded.
const UNSEEN: (u32, u32) = (u32::MAX, u32::MAX);

impl Graph {
    /// The initial states, and nothing of what follows them.
    #[must_use]
    pub fn new(model: &Arc<Model>) -> Self {
        let space = Space::new(model);
        Graph {
            rows: vec![UNSEEN; space.len()],
            targets: Vec::new(),
            back_starts: vec![0; space.len() + 1],
            sources: Vec::new(),
            transitions: 0,
            expanded: 0,
            row: Vec::new(),
            unwatched: 0,
            space,
        }
    }

    /// Explores all reachable states.
    ///
    /// # Errors
    /// If the model faults, or the budget runs out.
    pub fn build(model: &Arc<Model>, budget: &Budget) -> Result<Self, Error> {
        let mut graph = Self::new(model);
        let mut next: StateId = 0;
        while (next as usize) < graph.len() {
            graph.expand(next, budget)?;
            next += 1;
        }
        graph.link(budget)?;
        Ok(graph)
    }

    /// Looks at the successors of a state, if nobody has. New states get numbers; [`Graph::link`] comes before
    /// predecessors are asked for.
    ///
    /// # Errors
    /// If the model faults, or the budget runs out.
    pub fn expand(&mut self, state: StateId, budget: &Budget) -> Result<(), Error> {
        if self.is_expanded(state) {
            return Ok(());
        }
        if self.unwatched > WATCH {
            self.unwatched = 0;
            budget.check()?;
            // What the way back will take is counted from the beginning.
            budget.check_bytes(self.bytes())?;
        }
        self.row.clear();
        let fired = self.space.successors(state, budget).map(|(groups, ids)| {
            self.transitions += groups.len() as u64;
            self.unwatched += 1 + groups.len();
            self.row.extend_from_slice(ids);
        });
        // Also a step that ends early may have found states.
        self.rows.resize(self.space.len(), UNSEEN);
        fired?;
        self.row.sort_unstable();
        self.row.dedup();
        let start = self.targets.len();
        if start + self.row.len() >= u32::MAX as usize {
            return Err(Stop::States.into());
        }
        self.targets.extend_from_slice(&self.row);
        self.rows[state as usize] = (start as u32, self.targets.len() as u32);
        self.expanded += 1;
        Ok(())
    }

    /// Finds the predecessors of all states.
    ///
    /// # Errors
    /// [`Stop`].
    pub fn link(&mut self, budget: &Budget) -> Result<(), Stop> {
        let mut back = vec![0; self.len() + 1];
        for (i, &t) in self.targets.iter().enumerate() {
            if i.is_multiple_of(1 << 20) {
                budget.check()?;
            }
            back[t as usize + 1] += 1;
        }
        for i in 1..back.len() {
            back[i] += back[i - 1];
        }
        let mut place = back.clone();
        let mut sources = std::mem::take(&mut self.sources);
        sources.resize(self.targets.len(), 0);
        for s in 0..self.len() {
            if s.is_multiple_of(1 << 18) {
                budget.check()?;
            }
            for &t in self.successors(s as StateId) {
                let at = &mut place[t as usize];
                sources[*at as usize] = s as StateId;
                *at += 1;
            }
        }
        self.back_starts = back;
        self.sources = sources;
        Ok(())
    }

    /// Whether the successors of a state are known.
    #[inline]
    #[must_use]
    pub fn is_expanded(&self, state: StateId) -> bool {
        self.rows[state as usize] != UNSEEN
    }

    /// Whether a state is known to have no successors.
    #[inline]
    #[must_use]
    pub fn is_dead_end(&self, state: StateId) -> bool {
        self.is_expanded(state) && self.successors(state).is_empty()
    }

    /// Whether the successors of all states are known.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.expanded == self.len()
    }

    /// The states whose successors are not known.
    #[must_use]
    pub fn frontier(&self) -> StateSet {
        let mut frontier = StateSet::none(self.len());
        if !self.is_complete() {
            let states = 0..self.len() as StateId;
            for s in states.filter(|&s| !self.is_expanded(s)) {
                frontier.insert(s);
            }
        }
        frontier
    }

    /// The states.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.space.len()
    }

    /// Whether there is no state; never true of a model with an initial state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of transitions, parallel ones apart.
    #[must_use]
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// The successors of a state.
    #[inline]
    #[must_use]
    pub fn successors(&self, state: StateId) -> &[StateId] {
        let (start, end) = self.rows[state as usize];
        // Nothing lies between the two ends of an unknown row.
        self.targets
            .get(start as usize..end as usize)
            .unwrap_or(&[])
    }

    /// The predecessors of a state, as far as they were known when the graph was linked.
    #[inline]
    #[must_use]
    pub fn predecessors(&self, state: StateId) -> &[StateId] {
        let s = state as usize;
        &self.sources[self.back_starts[s] as usize..self.back_starts[s + 1] as usize]
    }

    /// The bytes of the tables.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.space.bytes() + 12 * self.rows.len() as u64 + 8 * self.targets.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dalsegno_models::petri::generators::Family;

    #[test]
    fn every_edge_is_known_at_both_ends() {
        let model = Arc::new(Family::Philosophers.generate(4).unwrap().to_model());
        let graph = Graph::build(&model, &Budget::unlimited()).unwrap();
        assert_eq!(graph.len(), 81);
        let states = 0..graph.len() as StateId;
        let forward = states.clone().flat_map(|s| {
            let list = graph.successors(s).iter();
            list.map(move |&t| (s, t)).collect::<Vec<_>>()
        });
        let mut forward: Vec<_> = forward.collect();
        let backward = states.flat_map(|t| {
            let list = graph.predecessors(t).iter();
            list.map(move |&s| (s, t)).collect::<Vec<_>>()
        });
        let mut backward: Vec<_> = backward.collect();
        forward.sort_unstable();
        backward.sort_unstable();
        assert_eq!(forward, backward);
        assert!(forward.len() > 81);
        let few = Budget::unlimited().with_states(80);
        assert!(Graph::build(&model, &few).is_err());
    }
}
