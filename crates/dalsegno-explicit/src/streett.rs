//! A fair part of a component that is not fair as a whole.
//!
//! The standard emptiness check of Streett automata (Emerson and Lei, "Modalities for model checking", 1987): nodes where
//! a strongly fair set is enabled that never fires in the component are on no fair cycle; they are left out, what is left
//! is split into components, and so on. All parts are split at the same time. A component that lacks a mark, or what a
//! weakly fair set asks for, has no part that does not.
//!
//! Cost: linear in the transitions of the component per round, and as many rounds as there are strongly fair sets at most.

use dalsegno_automata::Marks;
use dalsegno_automata::scc::Components;
use dalsegno_kripke::{Budget, GroupId};
use rustc_hash::FxHashMap;

use crate::fairness::{FairSets, unite};
use crate::nodes::Node;
use crate::product::Product;
use crate::space::Error;

/// Nodes of a component that lie on a fair accepting cycle through all of them, if there are such.
///
/// # Errors
/// When the budget runs out or the model faults.
pub(crate) fn fair_part(
    product: &mut Product<'_>,
    nodes: &[Node],
    sets: &FairSets,
    budget: &Budget,
) -> Result<Option<Vec<Node>>, Error> {
    let graph = Graph::new(product, nodes, sets, budget)?;
    let all_marks = product.all_marks();
    let mut alive = vec![true; nodes.len()];
    loop {
        let (parts, count) = graph.split(&alive, budget)?;
        if count == 0 {
            return Ok(None);
        }
        let mut rows = vec![0; count * graph.words];
        let mut marks = vec![Marks::NONE; count];
        let mut cyclic = vec![false; count];
        for node in (0..nodes.len()).filter(|&node| alive[node]) {
            let part = parts[node] as usize;
            let row = &mut rows[part * graph.words..][..graph.words];
            unite(row, graph.row(node));
            for edge in graph.edges(node) {
                let target = edge.target as usize;
                if alive[target] && parts[target] as usize == part {
                    cyclic[part] = true;
                    marks[part] = marks[part].union(edge.marks);
                    sets.fire(edge.group, row);
                }
            }
        }
        let row_of = |part: usize| &rows[part * graph.words..][..graph.words];
        let accepts = |part: usize| cyclic[part] && marks[part].contains(all_marks);
        if let Some(found) = (0..count).find(|&part| accepts(part) && sets.is_fair(row_of(part))) {
            let inside = (0..nodes.len()).filter(|&n| alive[n] && parts[n] as usize == found);
            return Ok(Some(inside.map(|n| nodes[n]).collect()));
        }
        for node in 0..nodes.len() {
            if alive[node] {
                let part = parts[node] as usize;
                let hopeful = accepts(part) && sets.may_be_fair(row_of(part));
                alive[node] = hopeful && !sets.asks_too_much(graph.row(node), row_of(part));
            }
        }
    }
}

/// The nodes of a component by number, with their rows and the transitions between them.
struct Graph {
    words: usize,
    rows: Vec<u64>,
    starts: Vec<usize>,
    edges: Vec<Inner>,
}

struct Inner {
    target: u32,
    marks: Marks,
    group: Option<GroupId>,
}

impl Graph {
    fn new(
        product: &mut Product<'_>,
        nodes: &[Node],
        sets: &FairSets,
        budget: &Budget,
    ) -> Result<Self, Error> {
        let numbers: FxHashMap<Node, u32> = nodes.iter().copied().zip(0..).collect();
        let mut graph = Graph {
            words: sets.row_words(),
            rows: Vec::new(),
            starts: vec![0],
            edges: Vec::new(),
        };
        let (mut groups, mut edges) = (Vec::new(), Vec::new());
        for (i, &node) in nodes.iter().enumerate() {
            if i % 1024 == 0 {
                budget.check()?;
                budget.check_bytes(product.bytes() + graph.bytes() + 32 * nodes.len() as u64)?;
            }
            groups.clear();
            product.enabled(node, &mut groups);
            sets.push_row(product, node, &groups, &mut graph.rows);
            edges.clear();
            product.known_successors(node, budget, &mut edges)?;
            for edge in &edges {
                if let Some(&target) = numbers.get(&edge.target) {
                    graph.edges.push(Inner {
                        target,
                        marks: edge.marks,
                        group: edge.group,
                    });
                }
            }
            graph.starts.push(graph.edges.len());
        }
        Ok(graph)
    }

    fn bytes(&self) -> u64 {
        let rows = 8 * (self.rows.capacity() + self.starts.capacity());
        (rows + size_of::<Inner>() * self.edges.capacity()) as u64
    }

    fn row(&self, node: usize) -> &[u64] {
        &self.rows[node * self.words..][..self.words]
    }

    fn edges(&self, node: usize) -> &[Inner] {
        &self.edges[self.starts[node]..self.starts[node + 1]]
    }

    /// The component of each node that is left, and the number of components.
    fn split(&self, alive: &[bool], budget: &Budget) -> Result<(Vec<u32>, usize), Error> {
        let left = (0..alive.len() as u32).filter(|&node| alive[node as usize]);
        let successor = |node: u32, i: usize| {
            let edge = self.edges(node as usize).get(i)?;
            let there = alive[edge.target as usize];
            // A transition to itself makes no difference to components.
            Some(if there { edge.target } else { node })
        };
        let components = Components::try_new(alive.len(), left, successor, || budget.check())?;
        Ok((components.of, components.count))
    }
}
