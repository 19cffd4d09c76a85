//! Lassos from a state: a short cycle inside a set, and a path that the automaton of a path formula accepts.
//!
//! The graph is built breadth first from the given state: of the model inside a set, or of its product with an automaton among
//! fair states only, where every way leads to an accepting cycle. Each time after eight times as many nodes, what was
//! seen is searched for a shortest accepting lasso (`dalsegno_automata::lasso`). When there is one, nodes that are too deep to be on
//! a shorter one are left out.
//!
//! An automaton that is reduced for size may have to go round a cycle of the model more than once. A shorter lasso is therefore
//! looked for in the product with a tight automaton (`Translation::tight`), if the formula is small enough to have one.

use dalsegno_automata::lasso::{MarkedEdge, MarkedGraph, Move};
use dalsegno_automata::{Automaton, Marks, StateId};
use dalsegno_kripke::{Budget, GroupId, Letter, Step};
use rustc_hash::FxHashMap;

use crate::witness_paths::Cycle;
use crate::{Error, Evaluator, StateSets};

/// The nodes that are looked at before what was seen is searched for a lasso.
const LIMITS: [usize; 4] = [40, 320, 2_560, 20_480];

/// The steps of each search for a lasso.
const WORK: u64 = 1_000_000;

/// The product of the model with an automaton, as far as paths are accepted.
#[derive(Clone, Debug)]
pub(super) struct FairProduct<Set> {
    pub(super) automaton: Automaton,
    /// The states in which each proposition of the automaton holds.
    pub(super) propositions: Vec<Set>,
    /// For each state of the automaton, the states from which it accepts a path; empty if that is not known.
    pub(super) states: Vec<Set>,
}

impl<S> FairProduct<S> {
    /// The steps of a lasso from a state that has fewer than `bound` steps, and the position that it comes back to.
    pub(super) fn find<T: StateSets<Set = S>>(
        &self,
        evaluator: &Evaluator<T>,
        state: &[u32],
        bound: usize,
    ) -> Result<Option<Cycle>, Error> {
        let fair = |q: StateId, state: &[u32]| {
            let set = self.states.get(q.index());
            set.is_none_or(|set| evaluator.sets.contains(set, state))
        };
        let initial = self.automaton.initial().iter().copied();
        let roots: Vec<StateId> = initial.filter(|&q| fair(q, state)).collect();
        let mut search = Search::new(state, &roots);
        let expand = |at: &[u32], q: StateId, found: &mut Found<'_>| {
            let sets = self.propositions.iter().enumerate();
            let letter = sets.fold(Letter::default(), |letter, (i, set)| {
                letter.with(i, evaluator.sets.contains(set, at))
            });
            let mut moves = None;
            for edge in self.automaton.enabled(q, letter) {
                for (group, target) in moves.get_or_insert_with(|| evaluator.moves(at)).iter() {
                    if fair(edge.target, target) {
                        found(*group, edge.marks, target, edge.target);
                    }
                }
            }
        };
        search.lasso(
            self.automaton.all_marks(),
            bound,
            &expand,
            &evaluator.budget,
        )
    }
}

impl<S: StateSets> Evaluator<S> {
    /// A short lasso inside a set, which has the state: its steps, and the position that it comes back to. None if
    /// there is no cycle near the state.
    pub(super) fn cycle_in(&self, set: &S::Set, state: &[u32]) -> Result<Option<Cycle>, Error> {
        let mut search = Search::new(state, &[StateId::default()]);
        let expand = |at: &[u32], _: StateId, found: &mut Found<'_>| {
            for (group, target) in self.moves(at) {
                if self.sets.contains(set, &target) {
                    found(group, Marks::NONE, &target, StateId::default());
                }
            }
        };
        search.lasso(Marks::NONE, usize::MAX, &expand, &self.budget)
    }
}

/// Takes a successor: the group that leads to it, the marks on the way, its state and the state of the automaton.
type Found<'a> = dyn FnMut(Option<GroupId>, Marks, &[u32], StateId) + 'a;

/// Tells the successors of a state of the model and one of the automaton.
type Expand<'a> = dyn Fn(&[u32], StateId, &mut Found<'_>) + 'a;

/// What was seen of a product.
struct Search {
    nodes: Vec<(Vec<u32>, StateId)>,
    numbers: FxHashMap<(Vec<u32>, StateId), u32>,
    graph: MarkedGraph<Option<GroupId>>,
}

impl Search {
    fn new(state: &[u32], roots: &[StateId]) -> Self {
        let mut search = Search {
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            graph: MarkedGraph::default(),
        };
        for &q in roots {
            search.node(state, q, None);
        }
        search
    }

    fn node(&mut self, state: &[u32], q: StateId, parent: Option<Move<Option<GroupId>>>) -> u32 {
        let key = (state.to_vec(), q);
        if let Some(&known) = self.numbers.get(&key) {
            return known;
        }
        let number = self.graph.add_node(parent);
        self.nodes.push(key.clone());
        self.numbers.insert(key, number);
        number
    }

    /// A lasso with fewer than `bound` steps: a shortest one, unless that is not among the first nodes.
    fn lasso(
        &mut self,
        all: Marks,
        mut bound: usize,
        expand: &Expand<'_>,
        budget: &Budget,
    ) -> Result<Option<Cycle>, Error> {
        let mut best = None;
        for limit in LIMITS {
            let complete = self.explore(limit, bound.saturating_sub(2), expand, budget)?;
            let found = self.graph.shortest(all, bound, WORK, budget).lasso;
            let last = complete || best.is_some();
            if let Some(lasso) = found {
                bound = lasso.len();
                best = Some(lasso);
            }
            if last {
                break;
            }
        }
        Ok(best.map(|lasso| {
            let step = |&(node, group): &Move<Option<GroupId>>| Step {
                state: self.nodes[node as usize].0.clone(),
                group,
            };
            let steps = lasso.stem.iter().chain(&lasso.cycle).map(step).collect();
            (steps, lasso.stem.len())
        }))
    }

    /// Expands nodes up to a number and a depth; whether no node of that depth is left.
    fn explore(
        &mut self,
        limit: usize,
        deepest: usize,
        expand: &Expand<'_>,
        budget: &Budget,
    ) -> Result<bool, Error> {
        while self.graph.expanded() < self.nodes.len() {
            let number = self.graph.expanded() as u32;
            if self.graph.depth(number) as usize > deepest {
                return Ok(true);
            }
            if number as usize >= limit {
                return Ok(false);
            }
            if number.is_multiple_of(256) {
                budget.check()?;
            }
            let (at, q) = self.nodes[number as usize].clone();
            expand(&at, q, &mut |group, marks, target, q| {
                let target = self.node(target, q, Some((number, group)));
                self.graph.add_edge(MarkedEdge {
                    target,
                    marks,
                    label: group,
                });
            });
            self.graph.end_node();
        }
        Ok(true)
    }
}
