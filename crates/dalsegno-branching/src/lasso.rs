//! A lasso of the model that an automaton accepts, from the sets of states where each automaton state accepts.
//!
//! The product is searched breadth-first from the given state, among fair states only; every way among them leads to an
//! accepting cycle. Now and then, each time after eight times as many states, the search stops to look for a strongly connected
//! component of what was seen that carries all marks: the shortest way to it, then from mark to mark inside it and back.

use dalsegno_kripke::{GroupId, Letter, Step};
use rustc_hash::FxHashMap;

use crate::witness_paths::Cycle;
use crate::{Error, Evaluator, StateSets};
use dalsegno_automata::scc::Components;
use dalsegno_automata::{Automaton, Marks};

/// The product states that are looked at before what was seen is searched for a cycle.
const LIMITS: [usize; 4] = [40, 320, 2_560, 20_480];

/// The product of the model with an automaton, as far as paths are accepted.
#[derive(Clone, Debug)]
pub(super) struct FairProduct<Set> {
    pub(super) automaton: Automaton,
    /// The states in which each proposition of the automaton holds.
    pub(super) propositions: Vec<Set>,
    /// For each state of the automaton, the states from which it accepts a path.
    pub(super) states: Vec<Set>,
}

struct Edge {
    group: Option<GroupId>,
    marks: Marks,
    target: u32,
}

#[derive(Default)]
struct Seen {
    states: Vec<Vec<u32>>,
    edges: Vec<Vec<Edge>>,
    /// The node and the edge that found each node first.
    parents: Vec<(u32, usize)>,
    numbers: FxHashMap<(Vec<u32>, u32), u32>,
}

impl Seen {
    fn node(&mut self, state: &[u32], q: u32, parent: (u32, usize)) -> u32 {
        if let Some(&known) = self.numbers.get(&(state.to_vec(), q)) {
            return known;
        }
        let number = self.states.len() as u32;
        self.numbers.insert((state.to_vec(), q), number);
        self.states.push(state.to_vec());
        self.parents.push(parent);
        number
    }
}

impl<S> FairProduct<S> {
    /// The steps of a lasso from a state, and the position that it comes back to.
    pub(super) fn find<T: StateSets<Set = S>>(
        &self,
        evaluator: &Evaluator<T>,
        state: &[u32],
    ) -> Result<Option<Cycle>, Error> {
        let mut seen = Seen::default();
        let mut automaton_states: Vec<u32> = Vec::new();
        for &q in &self.automaton.initial {
            if evaluator.sets.contains(&self.states[q as usize], state) {
                let node = seen.node(state, q, (u32::MAX, 0));
                automaton_states.resize(node as usize + 1, q);
            }
        }
        for limit in LIMITS {
            while seen.edges.len() < seen.states.len().min(limit) {
                let node = seen.edges.len();
                if node % 256 == 0 {
                    evaluator.budget.check()?;
                }
                let row = self.row(evaluator, &mut seen, &mut automaton_states, node);
                seen.edges.push(row);
            }
            let found = self.accepting(&seen);
            if found.is_some() || seen.edges.len() == seen.states.len() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The edges of a node to fair nodes; new ones get numbers.
    fn row<T: StateSets<Set = S>>(
        &self,
        evaluator: &Evaluator<T>,
        seen: &mut Seen,
        automaton_states: &mut Vec<u32>,
        node: usize,
    ) -> Vec<Edge> {
        let mut row = Vec::new();
        let at = seen.states[node].clone();
        let sets = self.propositions.iter().enumerate();
        let letter = sets.fold(Letter::default(), |letter, (i, set)| {
            letter.with(i, evaluator.sets.contains(set, &at))
        });
        let moves = evaluator.moves(&at);
        for edge in self.automaton.enabled(automaton_states[node], letter) {
            let fair = &self.states[edge.target as usize];
            for (group, target) in &moves {
                if !evaluator.sets.contains(fair, target) {
                    continue;
                }
                let number = seen.node(target, edge.target, (node as u32, row.len()));
                if number as usize == automaton_states.len() {
                    automaton_states.push(edge.target);
                }
                row.push(Edge {
                    group: *group,
                    marks: edge.marks,
                    target: number,
                });
            }
        }
        row
    }

    fn accepting(&self, seen: &Seen) -> Option<Cycle> {
        let n = seen.states.len();
        let components = Components::new(n, 0..n as u32, |node, i| {
            let row = seen.edges.get(node as usize)?;
            row.get(i).map(|edge| edge.target)
        });
        let mut marks = vec![None; components.count];
        for (node, row) in (0..).zip(&seen.edges) {
            for edge in row.iter().filter(|e| components.same(node, e.target)) {
                let own = &mut marks[components.of[node as usize] as usize];
                *own = Some(own.unwrap_or(Marks::NONE).union(edge.marks));
            }
        }
        let all = self.automaton.all_marks();
        let accepts = |node: &u32| {
            let own = marks[components.of[*node as usize] as usize];
            own.is_some_and(|own: Marks| own.contains(all))
        };
        // Nodes are numbered breadth-first: the first one is nearest.
        let first = (0..n as u32).find(accepts)?;
        let mut steps = Vec::new();
        let mut node = first;
        while seen.parents[node as usize].0 != u32::MAX {
            let (parent, edge) = seen.parents[node as usize];
            steps.push((parent, edge));
            node = parent;
        }
        steps.reverse();
        let back = steps.len();
        let inside = |edge: &Edge| components.same(first, edge.target);
        let mut missing = all;
        let mut at = first;
        while missing != Marks::NONE {
            let wanted = |_: u32, edge: &Edge| edge.marks.intersection(missing) != Marks::NONE;
            let part = shortest(seen, at, &inside, &wanted)?;
            for &(node, edge) in &part {
                missing = Marks(missing.0 & !seen.edges[node as usize][edge].marks.0);
            }
            at = target(seen, &part)?;
            steps.extend(part);
        }
        if at != first || steps.len() == back {
            let part = shortest(seen, at, &inside, &|_, edge| edge.target == first)?;
            steps.extend(part);
        }
        let step = |&(node, edge): &(u32, usize)| Step {
            state: seen.states[node as usize].clone(),
            group: seen.edges[node as usize][edge].group,
        };
        Some((steps.iter().map(step).collect(), back))
    }
}

fn target(seen: &Seen, part: &[(u32, usize)]) -> Option<u32> {
    let &(node, edge) = part.last()?;
    Some(seen.edges[node as usize][edge].target)
}

/// A shortest way of at least one edge, along edges that are `inside`, whose last edge is `wanted`.
fn shortest(
    seen: &Seen,
    from: u32,
    inside: &dyn Fn(&Edge) -> bool,
    wanted: &dyn Fn(u32, &Edge) -> bool,
) -> Option<Vec<(u32, usize)>> {
    let mut parents: FxHashMap<u32, Option<(u32, usize)>> = FxHashMap::default();
    parents.insert(from, None);
    let mut queue = vec![from];
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        for (i, edge) in seen.edges[node as usize].iter().enumerate() {
            if !inside(edge) {
                continue;
            }
            if wanted(node, edge) {
                let mut way = vec![(node, i)];
                let mut at = node;
                while let Some(Some(step)) = parents.get(&at) {
                    way.push(*step);
                    at = step.0;
                }
                way.reverse();
                return Some(way);
            }
            parents.entry(edge.target).or_insert_with(|| {
                queue.push(edge.target);
                Some((node, i))
            });
        }
    }
    None
}
