//! Shortest witnesses in a product: a run whose stem and cycle have the fewest steps together, and a shortest path
//! after which the observer accepts whatever comes next.
//!
//! The product is explored breadth first, as deep as a run that is shorter than the one that is known can go. What was
//! seen is searched for a shortest accepting lasso (`dalsegno_automata::lasso`).
//!
//! The run is a shortest one of the model if the automaton is tight (`Translation::tight` of `dalsegno-automata`): others may have to
//! go round a cycle of the model more than once.
//!
//! Under fairness, what a weakly fair set asks for is a further mark. So is a step of a strongly fair set, which is more than
//! that asks for where it is never enabled.
//!
//! Cost: the nodes of the part, times the size of their components and 2^marks; limited by a number of nodes and by
//! steps of work.

use dalsegno_automata::Marks;
use dalsegno_automata::lasso::{MarkedEdge, MarkedGraph, Move};
use dalsegno_kripke::{Budget, FairSet, GroupId, Lasso, Predicate, Run, Step, Strength};

use crate::nodes::{Node, NodeMap};
use crate::product::Product;
use crate::space::Error;

/// How much may be looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Nodes of the product.
    pub nodes: u64,
    /// Transitions of the product, and steps of the searches for cycles.
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

/// A shortest run with fewer than `bound` steps, stem and cycle together, in which strongly fair sets fire whether or not they
/// are enabled.
///
/// # Errors
/// If the model faults, or the budget runs out while nothing is known yet.
///
/// # Panics
/// If the observer is a TA: livelock acceptance needs no marks; or if there are more than 64 marks and fair sets.
pub fn run(
    product: &mut Product<'_>,
    bound: usize,
    limits: Limits,
    budget: &Budget,
) -> Result<Found<Run>, Error> {
    assert!(!product.is_ta(), "shortest runs are those of marks");
    let never = |_: &mut Product<'_>, _: Node| false;
    let deepest = bound.saturating_sub(2);
    let fair = FairMarks::new(product);
    let part = Part::explore(product, deepest, limits, budget, &fair, never)?;
    let all = product.all_marks().union(fair.all());
    let found = part.graph.shortest(all, bound, limits.steps, budget);
    let shortest = found.lasso.map(|lasso| {
        Lasso::new(
            part.steps(product, &lasso.stem),
            part.steps(product, &lasso.cycle),
        )
    });
    let proved = part.complete && found.proved;
    Ok(Found { shortest, proved })
}

/// A shortest path after whose last state the observer accepts whatever comes next. The last state has no step.
///
/// # Errors
/// If the model faults or the budget runs out.
pub fn prefix(
    product: &mut Product<'_>,
    limits: Limits,
    budget: &Budget,
) -> Result<Found<Vec<Step>>, Error> {
    if !product.has_universal() {
        return Ok(Found {
            shortest: None,
            proved: true,
        });
    }
    let decided = |product: &mut Product<'_>, node: Node| product.is_decided(node);
    let fair = FairMarks::default();
    let part = Part::explore(product, usize::MAX, limits, budget, &fair, decided)?;
    let Some(end) = part.found else {
        return Ok(Found {
            shortest: None,
            proved: part.complete,
        });
    };
    let mut path = part.steps(product, &part.graph.path_to(end));
    let state = part.values(product, end);
    path.push(Step { state, group: None });
    Ok(Found {
        shortest: Some(path),
        proved: true,
    })
}

/// Fair sets as marks behind those of the automaton.
#[derive(Default)]
struct FairMarks(Vec<(Marks, FairSet, Predicate)>);

impl FairMarks {
    fn new(product: &Product<'_>) -> Self {
        let first = 64 - product.all_marks().0.leading_zeros() as usize;
        let sets = product.fairness().sets();
        assert!(first + sets.len() <= 64, "64 marks and fair sets at most");
        let mark = |(i, set): (usize, &FairSet)| {
            let enabled = Predicate::Enabled(set.groups.clone());
            (Marks(1 << (first + i)), set.clone(), enabled)
        };
        FairMarks(sets.iter().enumerate().map(mark).collect())
    }

    fn all(&self) -> Marks {
        let marks = self.0.iter().map(|(mark, ..)| *mark);
        marks.fold(Marks::NONE, Marks::union)
    }

    /// The marks of all transitions that leave a node.
    fn of_node(&self, product: &Product<'_>, node: Node) -> Marks {
        let content = |(mark, set, enabled): &(Marks, FairSet, Predicate)| {
            let weak = set.strength == Strength::Weak;
            let content = weak && !product.space().holds(node.state, enabled);
            if content { *mark } else { Marks::NONE }
        };
        self.0.iter().map(content).fold(Marks::NONE, Marks::union)
    }

    /// The marks of the steps of a group.
    fn of_step(&self, group: Option<GroupId>) -> Marks {
        let sets = self.0.iter().filter(|(_, set, _)| set.fires(group));
        sets.map(|(mark, ..)| *mark).fold(Marks::NONE, Marks::union)
    }
}

/// A node that is left, by number, and the group that leaves it.
type GroupMove = Move<Option<GroupId>>;

/// A part of a product: nodes are numbered in breadth-first order.
struct Part {
    nodes: Vec<Node>,
    graph: MarkedGraph<Option<GroupId>>,
    /// The first node that was looked for.
    found: Option<u32>,
    /// Whether all nodes up to the depth are here.
    complete: bool,
}

impl Part {
    fn explore(
        product: &mut Product<'_>,
        deepest: usize,
        limits: Limits,
        budget: &Budget,
        fair: &FairMarks,
        goal: impl Fn(&mut Product<'_>, Node) -> bool,
    ) -> Result<Part, Error> {
        let mut part = Part {
            nodes: Vec::new(),
            graph: MarkedGraph::default(),
            found: None,
            complete: true,
        };
        let mut numbers = NodeMap::new(product.automaton_states());
        for root in product.initial() {
            part.add(root, None, &mut numbers);
        }
        let mut out = Vec::new();
        let mut next = 0;
        let mut transitions = 0;
        while next < part.nodes.len() {
            let node = part.nodes[next];
            if goal(product, node) {
                part.found = Some(next as u32);
                break;
            }
            if transitions > limits.steps {
                part.complete = false;
                break;
            }
            if next.is_multiple_of(256) {
                let nodes = part.nodes.capacity() * size_of::<Node>();
                let bytes = product.bytes() + part.graph.bytes() + nodes as u64 + numbers.bytes();
                if next as u64 >= limits.nodes
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
            transitions += out.len() as u64;
            let depth = part.graph.depth(next as u32) as usize;
            let content = fair.of_node(product, node);
            for edge in &out {
                let mut target = numbers.get(edge.target);
                if target == 0 && depth < deepest {
                    let found = Some((next as u32, edge.group));
                    target = part.add(edge.target, found, &mut numbers);
                }
                if target > 0 {
                    part.graph.add_edge(MarkedEdge {
                        target: target - 1,
                        marks: edge.marks.union(content).union(fair.of_step(edge.group)),
                        label: edge.group,
                    });
                }
            }
            part.graph.end_node();
            next += 1;
        }
        part.complete &= !product.is_pruned();
        Ok(part)
    }

    /// Adds a node; its number, counted from 1.
    fn add(&mut self, node: Node, parent: Option<GroupMove>, numbers: &mut NodeMap) -> u32 {
        self.nodes.push(node);
        let number = self.graph.add_node(parent) + 1;
        numbers.set(node, number);
        number
    }

    fn values(&self, product: &Product<'_>, node: u32) -> Vec<u32> {
        let mut state = vec![0; product.space().model().variables().len()];
        let number = self.nodes[node as usize].state;
        product.space().values(number, &mut state);
        state
    }

    fn steps(&self, product: &Product<'_>, moves: &[GroupMove]) -> Vec<Step> {
        let step = |&(node, group): &GroupMove| Step {
            state: self.values(product, node),
            group,
        };
        moves.iter().map(step).collect()
    }
}
