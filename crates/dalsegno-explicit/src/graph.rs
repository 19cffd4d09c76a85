//! The state graph of a model in compact arrays, both ways; all of it, or a part that grows.
//!
//! The states lie in a store that others share and fill too. A graph numbers the states that it meets on its own, so
//! that it depends on nothing but what it was asked to expand, and costs what it has met.
//!
//! Successors of vertex `v` are a range of `targets`, ascending and without repetition: parallel transitions are one
//! edge. Predecessors likewise, once the graph is linked. A vertex whose successors have not been looked at is no dead end;
//! of some such vertices a few successors are known, by steps that were taken one by one (`partial`). Cost: 8 bytes per edge
//! and 20 per vertex besides the packed states.

use dalsegno_kripke::{Budget, GroupId, Stop};
use rustc_hash::FxHashMap;

use crate::paged::Paged;
use crate::space::{Error, Space, StateId};
use crate::states::StateSet;

/// A state of a [`Graph`], numbered as it was met.
pub type Vertex = u32;

/// A state graph.
pub struct Graph {
    /// The state of each vertex, and the vertex of each state plus one.
    states: Vec<StateId>,
    vertices: Paged,
    /// Where the successors of each vertex start and end; [`UNSEEN`] before they are looked at.
    rows: Vec<(u32, u32)>,
    targets: Vec<Vertex>,
    /// Successors of vertices that have not been expanded, ascending; and how many these are.
    partial: FxHashMap<Vertex, Vec<Vertex>>,
    partial_edges: usize,
    back_starts: Vec<u32>,
    sources: Vec<Vertex>,
    /// Transitions with parallel ones apart.
    transitions: u64,
    expanded: usize,
    row: Vec<Vertex>,
    /// States and transitions since the last look at the budget.
    unwatched: usize,
}

/// States and transitions between two looks at the budget.
const WATCH: usize = 1 << 12;

/// The row of a vertex that has not been expanded.
const UNSEEN: (u32, u32) = (u32::MAX, u32::MAX);

impl Graph {
    /// The initial states, and nothing of what follows them.
    #[must_use]
    pub fn new(space: &Space) -> Self {
        let mut graph = Graph {
            states: Vec::new(),
            vertices: Paged::new(),
            rows: Vec::new(),
            targets: Vec::new(),
            partial: FxHashMap::default(),
            partial_edges: 0,
            back_starts: vec![0; space.initial().len() + 1],
            sources: Vec::new(),
            transitions: 0,
            expanded: 0,
            row: Vec::new(),
            unwatched: 0,
        };
        for &state in space.initial() {
            graph.meet(state);
        }
        graph
    }

    /// Explores all reachable states.
    ///
    /// # Errors
    /// If the model faults, or the budget runs out.
    pub fn build(space: &mut Space, budget: &Budget) -> Result<Self, Error> {
        let mut graph = Self::new(space);
        let mut next: Vertex = 0;
        while (next as usize) < graph.len() {
            graph.expand(space, next, budget)?;
            next += 1;
        }
        graph.link(budget)?;
        Ok(graph)
    }

    /// The vertex of a state, a new one if the state is met for the first time.
    #[inline]
    fn meet(&mut self, state: StateId) -> Vertex {
        match self.vertices.get(state as usize) {
            0 => {
                self.states.push(state);
                self.rows.push(UNSEEN);
                let number = self.states.len() as u32;
                self.vertices.set(state as usize, number);
                number - 1
            }
            number => number - 1,
        }
    }

    /// Looks at the successors of a vertex, if nobody has. [`Graph::link`] comes before predecessors are asked for.
    ///
    /// # Errors
    /// If the model faults, or the budget runs out. The vertex is as before; successors that were found until then are
    /// vertices, which a later look expands.
    pub fn expand(
        &mut self,
        space: &mut Space,
        vertex: Vertex,
        budget: &Budget,
    ) -> Result<(), Error> {
        if self.is_expanded(vertex) {
            return Ok(());
        }
        if self.unwatched > WATCH {
            self.unwatched = 0;
            budget.check()?;
            // What the way back will take is counted from the beginning.
            budget.check_bytes(space.bytes() + self.bytes())?;
        }
        let known = space.len();
        let (groups, targets) = match space.successors(self.state(vertex), budget) {
            Ok(found) => found,
            Err(error) => {
                for state in known..space.len() {
                    self.meet(state as StateId);
                }
                return Err(error);
            }
        };
        if self.targets.len() + targets.len() >= u32::MAX as usize {
            return Err(Stop::States.into());
        }
        self.transitions += groups.len() as u64;
        self.unwatched += 1 + groups.len();
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        row.extend(targets.iter().map(|&state| self.meet(state)));
        row.sort_unstable();
        row.dedup();
        let start = self.targets.len() as u32;
        self.targets.extend_from_slice(&row);
        self.row = row;
        self.rows[vertex as usize] = (start, self.targets.len() as u32);
        self.expanded += 1;
        if let Some(known) = self.partial.remove(&vertex) {
            self.partial_edges -= known.len();
        }
        Ok(())
    }

    /// Takes one step, by a group that is enabled and has one successor; the vertex that it leads to. If nobody has looked at
    /// the others, they stay unknown. [`Graph::link`] comes before predecessors are asked for.
    ///
    /// # Errors
    /// As [`Graph::expand`].
    pub fn step(
        &mut self,
        space: &mut Space,
        vertex: Vertex,
        group: GroupId,
        budget: &Budget,
    ) -> Result<Option<Vertex>, Error> {
        let (mut groups, mut targets) = space.take_steps(self.state(vertex), &[group], budget)?;
        let target = targets.first().copied();
        space.give_back(&mut groups, &mut targets);
        let Some(target) = target.map(|state| self.meet(state)) else {
            return Ok(None);
        };
        if !self.is_expanded(vertex) {
            let known = self.partial.entry(vertex).or_default();
            if let Err(at) = known.binary_search(&target) {
                known.insert(at, target);
                self.partial_edges += 1;
            }
        }
        Ok(Some(target))
    }

    /// Finds the predecessors of all vertices.
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
        for &t in self.partial.values().flatten() {
            back[t as usize + 1] += 1;
        }
        for i in 1..back.len() {
            back[i] += back[i - 1];
        }
        let mut place = back.clone();
        let mut sources = std::mem::take(&mut self.sources);
        sources.resize(self.edges(), 0);
        for s in 0..self.len() {
            if s.is_multiple_of(1 << 18) {
                budget.check()?;
            }
            for &t in self.successors(s as Vertex) {
                let at = &mut place[t as usize];
                sources[*at as usize] = s as Vertex;
                *at += 1;
            }
        }
        self.back_starts = back;
        self.sources = sources;
        Ok(())
    }

    /// Whether the predecessors of all vertices are those that were found last.
    #[must_use]
    pub fn is_linked(&self) -> bool {
        self.back_starts.len() == self.len() + 1 && self.sources.len() == self.edges()
    }

    fn edges(&self) -> usize {
        self.targets.len() + self.partial_edges
    }

    /// Whether the successors of a vertex are known.
    #[inline]
    #[must_use]
    pub fn is_expanded(&self, vertex: Vertex) -> bool {
        self.rows[vertex as usize] != UNSEEN
    }

    /// Whether a vertex is known to have no successors.
    #[inline]
    #[must_use]
    pub fn is_dead_end(&self, vertex: Vertex) -> bool {
        self.is_expanded(vertex) && self.successors(vertex).is_empty()
    }

    /// Whether the successors of all vertices are known.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.expanded == self.len()
    }

    /// The vertices whose successors are not known.
    #[must_use]
    pub fn frontier(&self) -> StateSet {
        let mut frontier = StateSet::none(self.len());
        if !self.is_complete() {
            let vertices = 0..self.len() as Vertex;
            for s in vertices.filter(|&s| !self.is_expanded(s)) {
                frontier.insert(s);
            }
        }
        frontier
    }

    /// The state of a vertex in the store.
    #[inline]
    #[must_use]
    pub fn state(&self, vertex: Vertex) -> StateId {
        self.states[vertex as usize]
    }

    /// The vertex of a state of the store, if the graph has met it.
    #[must_use]
    pub fn vertex(&self, state: StateId) -> Option<Vertex> {
        self.vertices.get(state as usize).checked_sub(1)
    }

    /// The vertex of the state with these values, if the graph has met it.
    #[must_use]
    pub fn find(&self, space: &Space, values: &[u32]) -> Option<Vertex> {
        self.vertex(space.find(values)?)
    }

    /// The number of vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no vertex; never true of a model with an initial state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of transitions, parallel ones apart.
    #[must_use]
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// The successors of a vertex, as far as they are known.
    #[inline]
    #[must_use]
    pub fn successors(&self, vertex: Vertex) -> &[Vertex] {
        let (start, end) = self.rows[vertex as usize];
        match self.targets.get(start as usize..end as usize) {
            Some(all) if self.is_expanded(vertex) => all,
            _ if self.partial.is_empty() => &[],
            _ => self.partial.get(&vertex).map_or(&[], Vec::as_slice),
        }
    }

    /// The predecessors of a vertex, as far as they were known when the graph was linked.
    #[inline]
    #[must_use]
    pub fn predecessors(&self, vertex: Vertex) -> &[Vertex] {
        let v = vertex as usize;
        &self.sources[self.back_starts[v] as usize..self.back_starts[v + 1] as usize]
    }

    /// The bytes of the tables, without those of the store.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let per_vertex = 16 * self.rows.len() as u64;
        let partial = 64 * self.partial.len() as u64;
        per_vertex + partial + 8 * self.edges() as u64 + self.vertices.bytes()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use dalsegno_models::petri::generators::Family;

    #[test]
    fn every_edge_is_known_at_both_ends() {
        let model = Arc::new(Family::Philosophers.generate(4).unwrap().to_model());
        let graph = Graph::build(&mut Space::new(&model), &Budget::unlimited()).unwrap();
        assert_eq!(graph.len(), 81);
        let states = 0..graph.len() as Vertex;
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
        let mut part = Graph::new(&Space::new(&model));
        assert!(part.is_linked());
        let mut space = Space::new(&model);
        part.expand(&mut space, 0, &Budget::unlimited()).unwrap();
        assert!(!part.is_linked());
        part.link(&Budget::unlimited()).unwrap();
        assert!(part.is_linked());
        let few = Budget::unlimited().with_states(80);
        assert!(Graph::build(&mut Space::new(&model), &few).is_err());
    }
}
