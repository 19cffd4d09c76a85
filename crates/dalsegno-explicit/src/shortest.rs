//! Shortest witnesses in a product: a run whose stem and cycle have the fewest steps together, and a shortest path
//! after which the observer accepts whatever comes next.
//!
//! The product is explored breadth first, as deep as a run that is shorter than the one that is known can go.
//! Nodes of accepting components are then tried as the beginning of a cycle, in the order of their depth: a
//! breadth-first search over pairs of a node and the marks seen finds the shortest cycle through a node. With a
//! generalised acceptance condition there is no simpler way: a shortest cycle through all marks is a shortest tour
//! through a choice of edges. A node that is too deep to win ends the search.
//!
//! The run is a shortest one of the model if the automaton is tight (`Translation::tight` of `dalsegno-automata`): others may have to
//! go round a cycle of the model more than once.
//!
//! Cost: the nodes of the part, times the size of their components and 2^marks; limited by a number of nodes and by
//! steps of work.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use dalsegno_automata::Marks;
use dalsegno_automata::scc::Components;
use dalsegno_kripke::{Budget, GroupId, Lasso, Run, Step, Stop};
use rustc_hash::FxHashMap;

use crate::nodes::{Node, NodeMap};
use crate::product::Product;
use crate::space::Error;

/// How much may be looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Nodes of the product.
    pub nodes: u64,
    /// Steps of the searches for cycles.
    pub steps: u64,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found<T> {
    /// The shortest one, if there is one that is short enough.
    pub shortest: Option<T>,
    /// Whether nothing was left out: no other one is shorter.
    pub proved: bool,
}

/// A shortest run with fewer than `bound` steps, stem and cycle together.
///
/// # Errors
/// If the model faults, or the budget runs out while nothing is known yet.
///
/// # Panics
/// If the observer is a TA: livelock acceptance needs no marks.
pub fn run(
    product: &mut Product<'_>,
    bound: usize,
    limits: Limits,
    budget: &Budget,
) -> Result<Found<Run>, Error> {
    assert!(!product.is_ta(), "shortest runs are those of marks");
    let never = |_: &mut Product<'_>, _: Node| false;
    let deepest = bound.saturating_sub(2);
    let part = Part::explore(product, deepest, limits.nodes, budget, never)?;
    let mut best: Option<(u32, Vec<Move>)> = None;
    let mut least = bound;
    let mut work = limits.steps;
    let mut proved = part.complete;
    let component = part.accepting_components(product.all_marks());
    for start in 0..part.nodes.len() as u32 {
        let depth = part.depth[start as usize] as usize;
        if depth + 1 >= least {
            break;
        }
        let Some(own) = component[start as usize] else {
            continue;
        };
        let inside = |n: u32| component[n as usize] == Some(own);
        let most = least - 1 - depth;
        let all = product.all_marks();
        match part.cycle(start, most, all, &inside, &mut work, budget) {
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
    let shortest = best.map(|(start, cycle)| {
        let stem = part.path_to(start);
        Lasso::new(part.steps(product, &stem), part.steps(product, &cycle))
    });
    Ok(Found { shortest, proved })
}

/// A shortest path after whose last state the observer accepts whatever comes next. The last state has no step.
///
/// # Errors
/// If the model faults or the budget runs out.
pub fn prefix(
    product: &mut Product<'_>,
    nodes: u64,
    budget: &Budget,
) -> Result<Found<Vec<Step>>, Error> {
    if !product.has_universal() {
        return Ok(Found {
            shortest: None,
            proved: true,
        });
    }
    let decided = |product: &mut Product<'_>, node: Node| product.is_decided(node);
    let part = Part::explore(product, usize::MAX, nodes, budget, decided)?;
    let Some(end) = part.found else {
        return Ok(Found {
            shortest: None,
            proved: part.complete,
        });
    };
    let mut path = part.steps(product, &part.path_to(end));
    let state = part.values(product, end);
    path.push(Step { state, group: None });
    Ok(Found {
        shortest: Some(path),
        proved: true,
    })
}

/// A node that is left, by number, and the group that leaves it.
type Move = (u32, Option<GroupId>);

/// An edge between numbered nodes.
#[derive(Clone, Copy)]
struct PartEdge {
    target: u32,
    marks: Marks,
    group: Option<GroupId>,
}

/// A part of a product: nodes are numbered in breadth-first order.
struct Part {
    nodes: Vec<Node>,
    depth: Vec<u32>,
    /// How each node was found; initial ones were not.
    parent: Vec<Option<Move>>,
    /// Where the edges of each node begin; one more entry than there are expanded nodes.
    first: Vec<usize>,
    edges: Vec<PartEdge>,
    /// The first node that was looked for.
    found: Option<u32>,
    /// Whether all nodes up to the depth are here.
    complete: bool,
}

impl Part {
    fn explore(
        product: &mut Product<'_>,
        deepest: usize,
        limit: u64,
        budget: &Budget,
        goal: impl Fn(&mut Product<'_>, Node) -> bool,
    ) -> Result<Part, Error> {
        let mut part = Part {
            nodes: Vec::new(),
            depth: Vec::new(),
            parent: Vec::new(),
            first: vec![0],
            edges: Vec::new(),
            found: None,
            complete: true,
        };
        let mut numbers = NodeMap::new(product.automaton_states());
        for root in product.initial() {
            part.add(root, 0, None, &mut numbers);
        }
        let mut out = Vec::new();
        let mut next = 0;
        while next < part.nodes.len() {
            let (node, depth) = (part.nodes[next], part.depth[next]);
            if goal(product, node) {
                part.found = Some(next as u32);
                break;
            }
            if next.is_multiple_of(256) {
                let bytes = product.bytes() + part.bytes() + numbers.bytes();
                if next as u64 >= limit
                    || budget.check().is_err()
                    || budget.check_bytes(bytes).is_err()
                {
                    part.complete = false;
                    break;
                }
            }
            out.clear();
            match product.successors(node, budget, &mut out) {
                Ok(()) => {}
                Err(Error::Stopped(_)) => {
                    part.complete = false;
                    break;
                }
                Err(fault) => return Err(fault),
            }
            for edge in &out {
                let mut target = numbers.get(edge.target);
                if target == 0 && (depth as usize) < deepest {
                    let found = Some((next as u32, edge.group));
                    target = part.add(edge.target, depth + 1, found, &mut numbers);
                }
                if target > 0 {
                    part.edges.push(PartEdge {
                        target: target - 1,
                        marks: edge.marks,
                        group: edge.group,
                    });
                }
            }
            part.first.push(part.edges.len());
            next += 1;
        }
        part.complete &= !product.is_pruned();
        Ok(part)
    }

    /// Adds a node; its number, counted from 1.
    fn add(&mut self, node: Node, depth: u32, parent: Option<Move>, numbers: &mut NodeMap) -> u32 {
        self.nodes.push(node);
        self.depth.push(depth);
        self.parent.push(parent);
        let number = self.nodes.len() as u32;
        numbers.set(node, number);
        number
    }

    fn bytes(&self) -> u64 {
        (self.nodes.capacity() * (size_of::<Node>() + 4 + size_of::<Option<Move>>())
            + self.first.capacity() * 8
            + self.edges.capacity() * size_of::<PartEdge>()) as u64
    }

    /// The edges of a node; none of a node that was not expanded.
    fn edges(&self, node: u32) -> &[PartEdge] {
        match self.first.get(node as usize + 1) {
            Some(&end) => &self.edges[self.first[node as usize]..end],
            None => &[],
        }
    }

    /// The component of each node whose component has an edge with every mark.
    fn accepting_components(&self, all: Marks) -> Vec<Option<u32>> {
        let n = self.nodes.len();
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

    /// A shortest cycle through a node with all marks, of at most so many steps.
    fn cycle(
        &self,
        start: u32,
        most: usize,
        all: Marks,
        inside: &impl Fn(u32) -> bool,
        work: &mut u64,
        budget: &Budget,
    ) -> Result<Option<Vec<Move>>, Stop> {
        let begin = (start, Marks::NONE);
        let mut parent: FxHashMap<(u32, Marks), (u32, Marks, Option<GroupId>)> =
            FxHashMap::default();
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
                    let mut cycle = vec![(node, edge.group)];
                    let mut at = (node, seen);
                    while let Some(&(n, m, group)) = parent.get(&at) {
                        cycle.push((n, group));
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
                    entry.insert((node, seen, edge.group));
                    queue.push_back((to, depth + 1));
                }
            }
        }
        Ok(None)
    }

    fn path_to(&self, end: u32) -> Vec<Move> {
        let mut path = Vec::new();
        let mut at = end;
        while let Some(from) = self.parent[at as usize] {
            path.push(from);
            at = from.0;
        }
        path.reverse();
        path
    }

    fn values(&self, product: &Product<'_>, node: u32) -> Vec<u32> {
        let mut state = vec![0; product.space().model().variables().len()];
        let number = self.nodes[node as usize].state;
        product.space().values(number, &mut state);
        state
    }

    fn steps(&self, product: &Product<'_>, moves: &[Move]) -> Vec<Step> {
        let step = |&(node, group): &Move| Step {
            state: self.values(product, node),
            group,
        };
        moves.iter().map(step).collect()
    }
}
