//! A run of the model along an accepting cycle of the product.
//!
//! Of the cycle some states are known, and sets through which the one leads to the next. The rest are
//! walks: the stem, and from each of these states to a step into the next.
//! Before that, a cycle is looked for near the initial states, and near the first of these states.
//! A walk is looked for state by state while there are few; then sets of states by their distance to the
//! goal, backward, tell where to go next.
//!
//! If no such states were found in some tries, the backward hull inside what forward OWCTY leaves has states
//! from which an accepting run goes on inside. From one of those, its component is what it reaches
//! and what leads back to it; if that lacks a mark, the search goes on behind it, and ends because
//! components have no cycle among them.

use dalsegno_automata::Marks;
use dalsegno_kripke::{GroupId, Lasso, Letter, Run, Scratch, Step};
use dalsegno_mdd::Stop;
use rustc_hash::{FxHashMap, FxHashSet};

use super::accepting_cycle::AcceptingCycle;
use super::components::Component;
use super::owcty::Accepting;
use super::product::Product;
use super::product_set::{Key, ProductSet};

/// A state of the product.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct ProductState {
    pub(super) state: Vec<u32>,
    pub(super) key: Key,
}

/// A step of the product.
pub(super) struct ProductEdge {
    pub(super) group: Option<GroupId>,
    pub(super) marks: Marks,
    pub(super) target: ProductState,
}

/// Tries to find a cycle forward before it is looked for backward.
const TRIES: usize = 8;

/// The product state before, by its number, and the group that leaves it; nothing where a walk starts.
type Predecessor = Option<(usize, Option<GroupId>)>;

/// A walk: product states with the group that leaves each.
pub(super) type Walk = Vec<Step>;

impl Product<'_> {
    /// A run that the automaton accepts.
    pub(super) fn build_witness(
        &mut self,
        initial: &ProductSet,
        reached: &ProductSet,
        accepting: &Accepting,
    ) -> Result<Run, Stop> {
        if let Accepting::Everything(goal) = accepting {
            return self.any_run(initial, reached, goal);
        }
        let start = self.states_of(initial);
        if let Accepting::Fair(nodes) = accepting {
            return self.fair_lasso(&start, reached, nodes);
        }
        // A cycle that is near need not be a fair one.
        let near = self.fairness.is_empty();
        if near && let Some((stem, cycle)) = self.cycle_nearby(&start, reached)? {
            return Ok(Lasso::new(stem, cycle));
        }
        match accepting {
            Accepting::Cycle(cycle) => self.lasso(&start, reached, cycle),
            Accepting::Among(nodes, component) => {
                let cycle = self.cycle_among(nodes, component)?;
                self.lasso(&start, reached, &cycle)
            }
            Accepting::Everything(_) | Accepting::Fair(_) => unreachable!("it has returned"),
        }
    }

    /// A run to an accepting cycle and along it.
    fn lasso(
        &mut self,
        start: &[ProductState],
        reached: &ProductSet,
        accepting: &AcceptingCycle,
    ) -> Result<Run, Stop> {
        let segments = &accepting.segments;
        let (mut stem, mut at) = self.walk(start, &segments[0].from, reached)?;
        let near = self.fairness.is_empty();
        if near
            && let Some((walk, cycle)) =
                self.cycle_nearby(std::slice::from_ref(&at), &segments[0].within)?
        {
            stem.extend(walk);
            return Ok(Lasso::new(stem, cycle));
        }
        let mut cycle = Walk::new();
        let next = segments.iter().cycle().skip(1);
        for (segment, next) in segments.iter().zip(next) {
            let before = self.preimage(&next.from, segment.marks, &segment.within)?;
            let (walk, end) = self.walk(&[at], &before, &segment.within)?;
            cycle.extend(walk);
            let edge = self.edge(&end, segment.marks, &next.from);
            cycle.push(Step {
                state: end.state,
                group: edge.group,
            });
            at = edge.target;
        }
        Ok(Lasso::new(stem, cycle))
    }

    /// A run that goes to one of these states and on as it likes, until it repeats itself.
    fn any_run(
        &mut self,
        initial: &ProductSet,
        reached: &ProductSet,
        goal: &ProductSet,
    ) -> Result<Run, Stop> {
        let start = self.states_of(initial);
        let (mut stem, node) = self.walk(&start, goal, reached)?;
        let mut state = node.state;
        let mut seen: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        loop {
            if let Some(&first) = seen.get(&state) {
                let cycle = stem.split_off(first);
                return Ok(Lasso::new(stem, cycle));
            }
            seen.insert(state.clone(), stem.len());
            let next = self.moves(&state).into_iter().next();
            let (group, target) = match next {
                Some((group, target)) => (Some(group), target),
                None => (None, state.clone()),
            };
            stem.push(Step { state, group });
            state = target;
            self.manager().look()?;
        }
    }

    /// An accepting cycle among states behind one.
    fn cycle_among(
        &mut self,
        nodes: &ProductSet,
        component: &Component,
    ) -> Result<AcceptingCycle, Stop> {
        if let Some(cycle) = self.try_cycle(nodes.clone(), component, TRIES)? {
            return Ok(cycle);
        }
        let core = self.core(nodes.clone())?;
        self.cycle_in(&core)
    }

    /// A strongly connected set with all marks.
    fn core(&mut self, nodes: ProductSet) -> Result<ProductSet, Stop> {
        let weak = self.each_mark().is_empty();
        let mut hull = self.hull(nodes, weak)?;
        loop {
            let pivot = self.pick(&hull)?.expect("an accepting run stays inside");
            let below = self.reach_within(&pivot, &hull)?;
            let core = self.leads_to(&pivot, &below)?;
            let mut complete = true;
            let mut marks = self.each_mark();
            marks.push(Marks::NONE);
            for mark in marks {
                complete &= !self.preimage(&core, mark, &core)?.is_empty();
            }
            if complete {
                return Ok(core);
            }
            hull = below.difference(self.manager(), &core)?;
        }
    }

    /// A shortest walk from one of some product states to a goal, inside a set that has the goal.
    pub(super) fn walk(
        &mut self,
        start: &[ProductState],
        goal: &ProductSet,
        within: &ProductSet,
    ) -> Result<(Walk, ProductState), Stop> {
        let at_goal = |product: &mut Self, node: &ProductState| product.holds(goal, node);
        let inside = |product: &mut Self, node: &ProductState| product.holds(within, node);
        if let Some(found) = self.short_walk(start, at_goal, inside, self.near)? {
            return Ok(found);
        }
        let mut rings = vec![goal.clone()];
        let mut rest = within.difference(self.manager(), goal)?;
        let mut at = loop {
            let ring = rings.last().expect("there is a goal");
            if let Some(node) = start.iter().find(|node| self.holds(ring, node)) {
                break node.clone();
            }
            let ring = ring.clone();
            let next = self.preimage(&ring, Marks::NONE, &rest)?;
            assert!(!next.is_empty(), "the goal is reachable");
            rest = rest.difference(self.manager(), &next)?;
            rings.push(next);
        };
        rings.pop();
        let mut walk = Walk::new();
        while let Some(ring) = rings.pop() {
            let edge = self.edge(&at, Marks::NONE, &ring);
            walk.push(Step {
                state: at.state,
                group: edge.group,
            });
            at = edge.target;
        }
        Ok((walk, at))
    }

    /// The same, breadth-first and product state by product state, if not too many product states are seen on the way.
    pub(super) fn short_walk(
        &mut self,
        start: &[ProductState],
        goal: impl Fn(&mut Self, &ProductState) -> bool,
        within: impl Fn(&mut Self, &ProductState) -> bool,
        most: usize,
    ) -> Result<Option<(Walk, ProductState)>, Stop> {
        let mut found: Vec<(ProductState, Predecessor)> = Vec::new();
        let mut seen: FxHashSet<ProductState> = FxHashSet::default();
        for node in start {
            if seen.insert(node.clone()) {
                found.push((node.clone(), None));
            }
        }
        let mut next = 0;
        while let Some((node, _)) = found.get(next) {
            let node = node.clone();
            if goal(self, &node) {
                let mut walk = Walk::new();
                let mut at = next;
                while let Some((before, group)) = found[at].1 {
                    let state = found[before].0.state.clone();
                    walk.push(Step { state, group });
                    at = before;
                }
                walk.reverse();
                return Ok(Some((walk, node)));
            }
            let edges = self.edges(&node);
            self.watch_edges(edges.len())?;
            for edge in edges {
                if !seen.contains(&edge.target) && within(self, &edge.target) {
                    seen.insert(edge.target.clone());
                    found.push((edge.target, Some((next, edge.group))));
                }
            }
            if found.len() > most {
                return Ok(None);
            }
            self.manager().look()?;
            next += 1;
        }
        Ok(None)
    }

    /// A step with a mark from a product state into a set, which there is.
    fn edge(&mut self, from: &ProductState, mark: Marks, into: &ProductSet) -> ProductEdge {
        let mut edges = self.edges(from).into_iter();
        let fits = |edge: &ProductEdge| edge.marks.contains(mark) && self.holds(into, &edge.target);
        edges.find(fits).expect("the sets tell of a step")
    }

    /// Looks at the clock now and then: each step takes a membership test per class of letters, of which and of levels
    /// there may be many.
    pub(super) fn watch_edges(&mut self, edges: usize) -> Result<(), Stop> {
        let tests = self.letters.classes().len() * self.encoding().order().len();
        self.manager().watch((1 + edges * (1 + tests / 16)) as u64)
    }

    /// The steps from a product state.
    pub(super) fn edges(&mut self, from: &ProductState) -> Vec<ProductEdge> {
        let moves = self.moves(&from.state).into_iter();
        let mut moves: Vec<_> = moves.map(|(group, target)| (Some(group), target)).collect();
        if moves.is_empty() && self.dead_ends_repeat() {
            moves.push((None, from.state.clone()));
        }
        let (q, letter) = from.key;
        let mut edges = Vec::new();
        for (group, state) in moves {
            let to = self.letter(&state);
            for &(p, marks) in self.step(q, letter, to) {
                let target = ProductState {
                    state: state.clone(),
                    key: (p, to),
                };
                edges.push(ProductEdge {
                    group,
                    marks,
                    target,
                });
            }
        }
        edges
    }

    /// The steps of the model from a state.
    fn moves(&mut self, state: &[u32]) -> Vec<(GroupId, Vec<u32>)> {
        let model = self.encoding().model();
        let mut moves = Vec::new();
        let visit = |group, next: &[u32]| moves.push((group, next.to_vec()));
        // A fault would have ended the search for reachable states.
        let _ = model.successors(state, &mut Scratch::default(), visit);
        moves
    }

    /// The letter of a reachable state.
    fn letter(&mut self, state: &[u32]) -> Letter {
        let vector = self.encoding().vector(state);
        let classes = self.letters.classes().iter();
        let classes: Vec<_> = classes
            .map(|(&l, class)| (l, class.states.clone()))
            .collect();
        let manager = self.manager();
        let mut holding = classes
            .iter()
            .filter(|(_, set)| manager.contains(set, &vector));
        holding
            .next()
            .expect("every reachable state has a letter")
            .0
    }

    pub(super) fn holds(&mut self, nodes: &ProductSet, node: &ProductState) -> bool {
        let vector = self.encoding().vector(&node.state);
        let set = nodes.get(node.key);
        set.is_some_and(|set| self.manager().contains(set, &vector))
    }

    /// The product states of a set of initial states.
    fn states_of(&mut self, nodes: &ProductSet) -> Vec<ProductState> {
        let mut found = Vec::new();
        let model = self.encoding().model().clone();
        for state in model.initial() {
            for key in nodes.keys() {
                let state = state.clone();
                let node = ProductState { state, key };
                if self.holds(nodes, &node) {
                    found.push(node);
                }
            }
        }
        found
    }
}
