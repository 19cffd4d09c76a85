//! Path formulas on a stored graph: the states from which an automaton accepts some path.
//!
//! The product of graph and automaton is walked, not stored: a node is a state and an automaton state, and its
//! successors follow from both. One pass of Tarjan's algorithm finds the strongly connected components; a
//! component whose inner edges carry all marks is accepting, and so is what leads to one. Linear in the product.

use dalsegno_automata::scc::Components;
use dalsegno_automata::{Automaton, Edge, Marks};
use dalsegno_kripke::{Budget, Letter, Stop};
use rustc_hash::FxHashMap;

use crate::graph::{Graph, Vertex};
use crate::space::Space;
use crate::states::StateSet;

/// Bytes per product state of what Tarjan's algorithm keeps.
const BYTES_PER_NODE: u64 = 32;

/// For each state of the automaton, the states from which it accepts a path; with `repeat`, a dead end repeats itself.
pub(crate) fn accepted(
    graph: &Graph,
    space: &Space,
    automaton: &Automaton,
    propositions: &[StateSet],
    repeat: bool,
    budget: &Budget,
) -> Result<Vec<StateSet>, Stop> {
    let product = Product::new(graph, automaton, propositions, repeat);
    let nodes = product.graph.len() as u64 * automaton.len() as u64;
    budget.check_bytes(space.bytes() + graph.bytes() + nodes.saturating_mul(BYTES_PER_NODE))?;
    if nodes >= u64::from(u32::MAX) {
        return Err(Stop::Memory);
    }
    let nodes = nodes as usize;
    let components = Components::try_new(
        nodes,
        0..nodes as u32,
        |node, i| product.successor(node, i),
        || budget.check(),
    )?;
    budget.check()?;
    let mut marks = vec![Marks::NONE; components.count];
    let mut loops = vec![false; components.count];
    let mut fair = vec![false; components.count];
    for node in 0..nodes as u32 {
        if node % (1 << 14) == 0 {
            budget.check()?;
        }
        let own = components.of[node as usize] as usize;
        product.each(node, |target, edge| {
            if components.of[target as usize] as usize == own {
                marks[own] = marks[own].union(edge.marks);
                loops[own] = true;
            }
        });
    }
    for (component, fair) in fair.iter_mut().enumerate() {
        *fair = loops[component] && marks[component].contains(automaton.all_marks());
    }
    // Successors have the same component or one with a smaller number: by number, once is enough.
    let mut order: Vec<u32> = (0..nodes as u32).collect();
    order.sort_by_key(|&node| components.of[node as usize]);
    for &node in &order {
        let own = components.of[node as usize] as usize;
        if !fair[own] {
            let mut reaches = false;
            product.each(node, |target, _| {
                reaches |= fair[components.of[target as usize] as usize];
            });
            fair[own] |= reaches;
        }
    }
    let mut found = vec![StateSet::none(graph.len()); automaton.len()];
    for s in 0..graph.len() as Vertex {
        for (q, set) in (0..).zip(&mut found) {
            if fair[components.of[product.node(s, q) as usize] as usize] {
                set.insert(s);
            }
        }
    }
    Ok(found)
}

struct Product<'a> {
    graph: &'a Graph,
    states: u32,
    repeat: bool,
    /// The number of each state's letter.
    letters: Vec<u32>,
    /// For each letter and automaton state the enabled edges.
    enabled: Vec<Vec<Edge>>,
}

impl<'a> Product<'a> {
    fn new(
        graph: &'a Graph,
        automaton: &Automaton,
        propositions: &[StateSet],
        repeat: bool,
    ) -> Self {
        let mut numbers: FxHashMap<Letter, u32> = FxHashMap::default();
        let mut enabled = Vec::new();
        let mut letters = Vec::with_capacity(graph.len());
        for s in 0..graph.len() as Vertex {
            let sets = propositions.iter().enumerate();
            let letter = sets.fold(Letter::default(), |l, (i, set)| l.with(i, set.has(s)));
            let next = numbers.len() as u32;
            letters.push(*numbers.entry(letter).or_insert_with(|| {
                for q in automaton.states() {
                    enabled.push(automaton.enabled(q, letter).collect());
                }
                next
            }));
        }
        Product {
            graph,
            states: automaton.len() as u32,
            repeat,
            letters,
            enabled,
        }
    }

    fn node(&self, state: Vertex, q: u32) -> u32 {
        state * self.states + q
    }

    /// The successors of a state, and the enabled edges of the automaton.
    fn parts(&self, node: u32) -> (Vertex, &[Vertex], &[Edge]) {
        let (state, q) = (node / self.states, node % self.states);
        let letter = self.letters[state as usize];
        let edges = &self.enabled[(letter * self.states + q) as usize];
        (state, self.graph.successors(state), edges)
    }

    fn successor(&self, node: u32, i: usize) -> Option<u32> {
        let (state, targets, edges) = self.parts(node);
        if targets.is_empty() {
            let edge = edges.get(i).filter(|_| self.repeat)?;
            return Some(self.node(state, edge.target.packed()));
        }
        let edge = edges.get(i / targets.len())?;
        Some(self.node(targets[i % targets.len()], edge.target.packed()))
    }

    fn each(&self, node: u32, mut visit: impl FnMut(u32, &Edge)) {
        let (state, targets, edges) = self.parts(node);
        let own = [state];
        let targets = if targets.is_empty() && self.repeat {
            &own[..]
        } else {
            targets
        };
        for edge in edges {
            for &target in targets {
                visit(self.node(target, edge.target.packed()), edge);
            }
        }
    }
}
