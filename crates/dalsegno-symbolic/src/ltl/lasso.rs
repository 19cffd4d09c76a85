//! A run of the model from an accepting cycle of the product.
//!
//! Forward OWCTY leaves states behind accepting cycles. The backward hull inside them leaves states
//! from which an accepting run goes on inside. From one of those, its component is what it reaches
//! and what leads back to it; if that lacks a mark, the search goes on behind it, and ends because
//! components have no cycle among them. Then sets of states by their distance to the goal, backward, tell
//! an explicit walk where to go next: the stem, then to a step with each mark, then back.

use dalsegno_automata::{Marks, StateId};
use dalsegno_kripke::{GroupId, Lasso, Letter, Run, Scratch, Step};
use dalsegno_mdd::Stop;
use rustc_hash::FxHashMap;

use super::nodes::{Key, Nodes};
use super::product::Product;

/// A state of the product.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Place {
    state: Vec<u32>,
    key: Key,
}

/// A step of the product.
struct Arc {
    group: Option<GroupId>,
    marks: Marks,
    target: Place,
}

/// A walk: places with the group that leaves each.
type Walk = Vec<Step>;

impl Product<'_, '_> {
    /// A run through a set that has an accepting cycle.
    pub(super) fn lasso(
        &mut self,
        initial: &Nodes,
        reached: &Nodes,
        cycle: Nodes,
    ) -> Result<Run, Stop> {
        let core = self.component(cycle)?;
        let start = self.places(initial);
        let (stem, place) = self.walk(start, &core, reached)?;
        let mut cycle = Walk::new();
        let mut at = place.clone();
        let mut missing = self.each_mark();
        while let Some(mark) = missing.pop() {
            let before = self.preimage(&core, mark, &core)?;
            let (walk, end) = self.walk(vec![at], &before, &core)?;
            cycle.extend(walk);
            let arc = self.arc(&end, mark, &core);
            cycle.push(Step {
                state: end.state,
                group: arc.group,
            });
            missing.retain(|mark| !arc.marks.contains(*mark));
            at = arc.target;
        }
        if at != place || cycle.is_empty() {
            if cycle.is_empty() {
                let arc = self.arc(&at, Marks::NONE, &core);
                cycle.push(Step {
                    state: at.state,
                    group: arc.group,
                });
                at = arc.target;
            }
            let goal = self.single(&place)?;
            let (walk, _) = self.walk(vec![at], &goal, &core)?;
            cycle.extend(walk);
        }
        Ok(Lasso::new(stem, cycle))
    }

    /// A run that goes to one of these states and on as it likes, until it repeats itself.
    pub(super) fn any_run(
        &mut self,
        initial: &Nodes,
        reached: &Nodes,
        goal: &Nodes,
    ) -> Result<Run, Stop> {
        let start = self.places(initial);
        let (mut stem, place) = self.walk(start, goal, reached)?;
        let mut state = place.state;
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

    /// A strongly connected set with all marks.
    fn component(&mut self, nodes: Nodes) -> Result<Nodes, Stop> {
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

    /// A shortest walk from one of some places to a goal, inside a set that has the goal.
    fn walk(
        &mut self,
        start: Vec<Place>,
        goal: &Nodes,
        within: &Nodes,
    ) -> Result<(Walk, Place), Stop> {
        let mut rings = vec![goal.clone()];
        let mut rest = within.difference(self.manager(), goal)?;
        let mut at = loop {
            let ring = rings.last().expect("there is a goal");
            if let Some(place) = start.iter().find(|place| self.holds(ring, place)) {
                break place.clone();
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
            let arc = self.arc(&at, Marks::NONE, &ring);
            walk.push(Step {
                state: at.state,
                group: arc.group,
            });
            at = arc.target;
        }
        Ok((walk, at))
    }

    /// A step with a mark from a place into a set, which there is.
    fn arc(&mut self, from: &Place, mark: Marks, into: &Nodes) -> Arc {
        let mut moves: Vec<(Option<GroupId>, Vec<u32>)> = Vec::new();
        for (group, target) in self.moves(&from.state) {
            moves.push((Some(group), target));
        }
        if moves.is_empty() {
            moves.push((None, from.state.clone()));
        }
        let (q, letter) = from.key;
        for (group, state) in moves {
            let to = self.letter(&state);
            let steps: Vec<(StateId, Marks)> = self.step(q, letter, to).to_vec();
            for (p, marks) in steps {
                let target = Place {
                    state: state.clone(),
                    key: (p, to),
                };
                if marks.contains(mark) && self.holds(into, &target) {
                    return Arc {
                        group,
                        marks,
                        target,
                    };
                }
            }
        }
        unreachable!("the sets tell of a step")
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

    fn holds(&mut self, nodes: &Nodes, place: &Place) -> bool {
        let vector = self.encoding().vector(&place.state);
        let set = nodes.get(place.key);
        set.is_some_and(|set| self.manager().contains(set, &vector))
    }

    /// The places of a set of initial states.
    fn places(&mut self, nodes: &Nodes) -> Vec<Place> {
        let mut places = Vec::new();
        for state in self.encoding().model().initial() {
            for key in nodes.keys() {
                let state = state.clone();
                let place = Place { state, key };
                if self.holds(nodes, &place) {
                    places.push(place);
                }
            }
        }
        places
    }

    fn single(&mut self, place: &Place) -> Result<Nodes, Stop> {
        let vector = self.encoding().vector(&place.state);
        let mut nodes = Nodes::default();
        nodes.set(place.key, self.manager().singleton(&vector)?);
        Ok(nodes)
    }
}
