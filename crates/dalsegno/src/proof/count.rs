//! Proofs of the number of reachable states, explicitly: each state with its distance and the transition by which it was
//! first entered.

use std::collections::VecDeque;

use dalsegno_kripke::Budget;
use dalsegno_verify::diagram::{Alive, Cell, Diagram, Leaf};
use rustc_hash::FxHashMap;

use super::graph::Graph;
use super::subject::Subject;
use super::{Unproved, diagram};

/// A proof that the reachable states are as many as the claim says.
pub(super) fn prove(subject: &Subject, budget: &Budget) -> Result<Diagram, Unproved> {
    let mut graph = Graph::new(subject, budget);
    let initial = graph.space.initial()[0];
    let mut entered: Vec<Option<(u32, usize)>> = Vec::new();
    let mut distance: Vec<u64> = Vec::new();
    let mut open = VecDeque::from([initial]);
    while let Some(state) = open.pop_front() {
        graph.expand(state)?;
        entered.resize(graph.space.len(), None);
        distance.resize(graph.space.len(), 0);
        for &(t, target) in graph.edges(state) {
            let at = target as usize;
            if target != initial && entered[at].is_none() {
                entered[at] = Some((state, t as usize));
                distance[at] = distance[state as usize] + 1;
                open.push_back(target);
            }
        }
    }
    let mut leaves: Vec<Leaf> = Vec::new();
    let mut leaf_of: FxHashMap<Leaf, u32> = FxHashMap::default();
    let mut states = Vec::new();
    for state in 0..graph.space.len() as u32 {
        let leaf = Leaf {
            letter: 0,
            alive: Alive::Unknown,
            cells: vec![Cell {
                slot: 0,
                rank: distance[state as usize],
                choice: entered[state as usize].map(|(_, t)| t),
            }],
        };
        let number = *leaf_of.entry(leaf.clone()).or_insert(leaves.len() as u32);
        if number as usize == leaves.len() {
            leaves.push(leaf);
        }
        states.push((state, number));
    }
    let slots = vec![Vec::new()];
    diagram::of_states(
        &graph.space,
        subject.order(states.len(), budget),
        &states,
        slots,
        leaves,
        budget,
    )
}
