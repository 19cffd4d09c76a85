//! The whole state graph of a model in compact arrays, both ways.
//!
//! Successors of state `s` are `targets[starts[s]..starts[s + 1]]`, ascending and without repetition: parallel
//! transitions are one edge. Predecessors likewise. Cost: 8 bytes per edge and state besides the packed states.

use dalsegno_kripke::{Budget, Model, Stop};

use crate::space::{Error, Space, StateId};

/// A complete state graph.
pub struct Graph<'m> {
    space: Space<'m>,
    starts: Vec<u32>,
    targets: Vec<StateId>,
    back_starts: Vec<u32>,
    sources: Vec<StateId>,
    /// Transitions with parallel ones apart.
    transitions: u64,
}

impl<'m> Graph<'m> {
    /// Explores all reachable states.
    ///
    /// # Errors
    /// If the model faults, or the budget runs out.
    pub fn build(model: &'m Model, budget: &Budget) -> Result<Self, Error> {
        let mut space = Space::new(model);
        let mut starts = vec![0];
        let mut targets: Vec<StateId> = Vec::new();
        let mut transitions = 0;
        let mut row: Vec<StateId> = Vec::new();
        let mut next: StateId = 0;
        while (next as usize) < space.len() {
            if next.is_multiple_of(1024) {
                budget.check()?;
                // Three numbers per state and two per edge, once the way back is there.
                let bytes = space.bytes() + 8 * space.len() as u64 + 8 * targets.len() as u64;
                budget.check_bytes(bytes)?;
            }
            let (groups, ids) = space.successors(next, budget)?;
            transitions += groups.len() as u64;
            row.clear();
            row.extend_from_slice(ids);
            row.sort_unstable();
            row.dedup();
            targets.extend_from_slice(&row);
            if targets.len() >= u32::MAX as usize {
                return Err(Stop::States.into());
            }
            starts.push(targets.len() as u32);
            next += 1;
        }
        let (back_starts, sources) = turned(&starts, &targets, budget)?;
        Ok(Graph {
            space,
            starts,
            targets,
            back_starts,
            sources,
            transitions,
        })
    }

    /// The states.
    #[must_use]
    pub fn space(&self) -> &Space<'m> {
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
        let s = state as usize;
        &self.targets[self.starts[s] as usize..self.starts[s + 1] as usize]
    }

    /// The predecessors of a state.
    #[inline]
    #[must_use]
    pub fn predecessors(&self, state: StateId) -> &[StateId] {
        let s = state as usize;
        &self.sources[self.back_starts[s] as usize..self.back_starts[s + 1] as usize]
    }

    /// The bytes of the tables.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let numbers = self.starts.len() + self.targets.len();
        self.space.bytes() + 8 * numbers as u64
    }
}

/// The same edges by their targets.
fn turned(
    starts: &[u32],
    targets: &[StateId],
    budget: &Budget,
) -> Result<(Vec<u32>, Vec<StateId>), Stop> {
    let mut back = vec![0; starts.len()];
    for (i, &t) in targets.iter().enumerate() {
        if i.is_multiple_of(1 << 20) {
            budget.check()?;
        }
        back[t as usize + 1] += 1;
    }
    for i in 1..back.len() {
        back[i] += back[i - 1];
    }
    let mut place = back.clone();
    let mut sources = vec![0; targets.len()];
    for (s, pair) in starts.windows(2).enumerate() {
        if s.is_multiple_of(1 << 18) {
            budget.check()?;
        }
        for &t in &targets[pair[0] as usize..pair[1] as usize] {
            let at = &mut place[t as usize];
            sources[*at as usize] = s as StateId;
            *at += 1;
        }
    }
    Ok((back, sources))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dalsegno_models::petri::generators::Family;

    #[test]
    fn every_edge_is_known_at_both_ends() {
        let model = Family::Philosophers.generate(4).unwrap().to_model();
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
