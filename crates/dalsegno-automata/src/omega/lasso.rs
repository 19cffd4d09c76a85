//! Shortest accepting lassos of a graph whose edges carry marks: the fewest edges in stem and cycle together.
//!
//! Nodes are numbered in breadth-first order as the graph is built. Nodes of accepting components are tried as the
//! beginning of a cycle, in the order of their depth: a breadth-first search over pairs of a node and the marks seen finds
//! the shortest cycle through a node. With a generalised acceptance condition there is no simpler way: a shortest cycle
//! through all marks is a shortest tour through a choice of edges. A node that is too deep to win ends the search.
//!
//! Cost: the nodes, times the size of their components and 2^marks; limited by steps of work.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use dalsegno_kripke::{Budget, Lasso, Stop};
use rustc_hash::FxHashMap;

use super::edge::Marks;
use super::scc::Components;

/// An edge with a label, for the one who builds the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MarkedEdge<L> {
    /// The node that it leads to.
    pub target: u32,
    /// Its marks.
    pub marks: Marks,
    /// Its label.
    pub label: L,
}

/// A node that is left, and the label of the edge that leaves it.
pub type Move<L> = (u32, L);

/// A graph that is built breadth first.
#[derive(Clone, Debug)]
pub struct MarkedGraph<L> {
    depth: Vec<u32>,
    /// How each node was found; initial ones were not.
    parent: Vec<Option<Move<L>>>,
    /// Where the edges of each node begin; one more entry than there are expanded nodes.
    first: Vec<usize>,
    edges: Vec<MarkedEdge<L>>,
}

/// What [`MarkedGraph::shortest`] has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shortest<L> {
    /// A lasso, if there is one that is short enough.
    pub lasso: Option<Lasso<Move<L>>>,
    /// Whether the search came to its end: no other lasso of this graph is shorter.
    pub proved: bool,
}

impl<L> Default for MarkedGraph<L> {
    fn default() -> Self {
        MarkedGraph {
            depth: Vec::new(),
            parent: Vec::new(),
            first: vec![0],
            edges: Vec::new(),
        }
    }
}

impl<L: Copy> MarkedGraph<L> {
    /// The number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.depth.len()
    }

    /// Whether there is no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.depth.is_empty()
    }

    /// The number of nodes whose edges are known.
    #[must_use]
    pub fn expanded(&self) -> usize {
        self.first.len() - 1
    }

    /// The steps from an initial node to a node.
    #[must_use]
    pub fn depth(&self, node: u32) -> u32 {
        self.depth[node as usize]
    }

    /// Adds a node that was found by a move, or an initial one.
    pub fn add_node(&mut self, parent: Option<Move<L>>) -> u32 {
        let depth = parent.map_or(0, |(node, _)| self.depth(node) + 1);
        debug_assert!(self.depth.last().is_none_or(|&last| last <= depth));
        self.depth.push(depth);
        self.parent.push(parent);
        self.depth.len() as u32 - 1
    }

    /// Adds an edge to the first node that is not expanded yet.
    pub fn add_edge(&mut self, edge: MarkedEdge<L>) {
        self.edges.push(edge);
    }

    /// All edges of the first node that is not expanded yet have been added.
    pub fn end_node(&mut self) {
        self.first.push(self.edges.len());
    }

    /// The bytes of the graph.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.depth.capacity() * (4 + size_of::<Option<Move<L>>>())
            + self.first.capacity() * 8
            + self.edges.capacity() * size_of::<MarkedEdge<L>>()) as u64
    }

    /// The edges of a node; none of a node that is not expanded.
    #[must_use]
    pub fn edges(&self, node: u32) -> &[MarkedEdge<L>] {
        match self.first.get(node as usize + 1) {
            Some(&end) => &self.edges[self.first[node as usize]..end],
            None => &[],
        }
    }

    /// A shortest path from an initial node to a node.
    #[must_use]
    pub fn path_to(&self, end: u32) -> Vec<Move<L>> {
        let mut path = Vec::new();
        let mut at = end;
        while let Some(from) = self.parent[at as usize] {
            path.push(from);
            at = from.0;
        }
        path.reverse();
        path
    }

    /// A shortest lasso with all of these marks on its cycle and fewer than `bound` edges; `work` is the number of
    /// steps that it may take.
    #[must_use]
    pub fn shortest(&self, all: Marks, bound: usize, work: u64, budget: &Budget) -> Shortest<L> {
        let mut best: Option<(u32, Vec<Move<L>>)> = None;
        let mut least = bound;
        let mut work = work;
        let mut proved = true;
        let component = self.accepting_components(all);
        for start in 0..self.len() as u32 {
            let depth = self.depth(start) as usize;
            if depth + 1 >= least {
                break;
            }
            let Some(own) = component[start as usize] else {
                continue;
            };
            let inside = |n: u32| component[n as usize] == Some(own);
            let most = least - 1 - depth;
            match self.cycle(start, most, all, &inside, &mut work, budget) {
                Ok(Some(cycle)) => {
                    least = depth + cycle.len();
                    best = Some((start, cycle));
                }
                Ok(None) => {}
                Err(_) => {
                    proved = false;
                    break;
                }
            }
        }
        Shortest {
            lasso: best.map(|(start, cycle)| Lasso::new(self.path_to(start), cycle)),
            proved,
        }
    }

    /// The component of each node whose component has an edge with every mark.
    fn accepting_components(&self, all: Marks) -> Vec<Option<u32>> {
        let n = self.len();
        let successor = |q: u32, i: usize| self.edges(q).get(i).map(|edge| edge.target);
        let components = Components::new(n, 0..n as u32, successor);
        // The marks inside each component, if it has an edge at all.
        let mut marks: Vec<Option<Marks>> = vec![None; components.count];
        for q in 0..n as u32 {
            let own = components.of[q as usize];
            for edge in self.edges(q) {
                if components.of[edge.target as usize] == own {
                    let seen = marks[own as usize].get_or_insert(Marks::NONE);
                    *seen = seen.union(edge.marks);
                }
            }
        }
        let accepts = |c: &u32| marks[*c as usize].is_some_and(|seen| seen.contains(all));
        components
            .of
            .iter()
            .map(|c| Some(*c).filter(accepts))
            .collect()
    }

    /// A shortest cycle through a node with all marks, of at most so many edges.
    fn cycle(
        &self,
        start: u32,
        most: usize,
        all: Marks,
        inside: &impl Fn(u32) -> bool,
        work: &mut u64,
        budget: &Budget,
    ) -> Result<Option<Vec<Move<L>>>, Stop> {
        let begin = (start, Marks::NONE);
        let mut parent: FxHashMap<(u32, Marks), (u32, Marks, L)> = FxHashMap::default();
        let mut queue = VecDeque::from([(begin, 0usize)]);
        while let Some(((node, seen), depth)) = queue.pop_front() {
            if depth == most {
                break;
            }
            let edges = self.edges(node);
            *work = work
                .checked_sub(1 + edges.len() as u64)
                .ok_or(Stop::States)?;
            if work.is_multiple_of(256) {
                budget.check()?;
            }
            for edge in edges.iter().filter(|edge| inside(edge.target)) {
                let marks = seen.union(edge.marks);
                let to = (edge.target, marks);
                if edge.target == start && marks == all {
                    let mut cycle = vec![(node, edge.label)];
                    let mut at = (node, seen);
                    while let Some(&(n, m, label)) = parent.get(&at) {
                        cycle.push((n, label));
                        at = (n, m);
                    }
                    cycle.reverse();
                    return Ok(Some(cycle));
                }
                // Going through the start without all marks is allowed, coming back as one was is not.
                if to == begin {
                    continue;
                }
                if let Entry::Vacant(entry) = parent.entry(to) {
                    entry.insert((node, seen, edge.label));
                    queue.push_back((to, depth + 1));
                }
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph from lists of (target, marks); targets that were not seen yet are numbered as they come.
    fn graph(lists: &[&[(u32, u64)]]) -> MarkedGraph<()> {
        let mut graph = MarkedGraph::default();
        graph.add_node(None);
        for (node, list) in (0..).zip(lists) {
            for &(target, marks) in *list {
                if target as usize == graph.len() {
                    graph.add_node(Some((node, ())));
                }
                graph.add_edge(MarkedEdge {
                    target,
                    marks: Marks(marks),
                    label: (),
                });
            }
            graph.end_node();
        }
        graph
    }

    fn lengths(graph: &MarkedGraph<()>, all: Marks, bound: usize) -> Option<(usize, usize)> {
        let found = graph.shortest(all, bound, u64::MAX, &Budget::unlimited());
        assert!(found.proved);
        found.lasso.map(|l| (l.stem.len(), l.cycle.len()))
    }

    #[test]
    fn a_longer_stem_may_lead_to_a_shorter_lasso() {
        // 0 -> 1 -> 2 -> 3 -> 5 -> 1 with the mark, and 2 -> 4 with a loop that has it.
        let graph = graph(&[
            &[(1, 0)],
            &[(2, 0)],
            &[(3, 0), (4, 0)],
            &[(5, 0)],
            &[(4, 1)],
            &[(1, 1)],
        ]);
        assert_eq!(lengths(&graph, Marks(1), usize::MAX), Some((3, 1)));
        assert_eq!(lengths(&graph, Marks(1), 4), None);
        assert_eq!(lengths(&graph, Marks(3), usize::MAX), None);
    }

    #[test]
    fn a_cycle_visits_all_marks() {
        // Two loops at 0, each with one of the marks.
        let graph = graph(&[&[(0, 1), (1, 0)], &[(0, 2)]]);
        assert_eq!(lengths(&graph, Marks(1), usize::MAX), Some((0, 1)));
        assert_eq!(lengths(&graph, Marks(2), usize::MAX), Some((0, 2)));
        assert_eq!(lengths(&graph, Marks(3), usize::MAX), Some((0, 3)));
    }

    #[test]
    fn work_that_runs_out_proves_nothing() {
        let graph = graph(&[&[(1, 0)], &[(0, 1)]]);
        let found = graph.shortest(Marks(1), usize::MAX, 1, &Budget::unlimited());
        assert_eq!(
            found,
            Shortest {
                lasso: None,
                proved: false
            }
        );
    }
}
