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

use super::circle::Circle;
use super::components::Component;
use super::nodes::{Key, Nodes};
use super::owcty::Accepting;
use super::product::Product;

/// A state of the product.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Place {
    pub(super) state: Vec<u32>,
    pub(super) key: Key,
}

/// A step of the product.
pub(super) struct Arc {
    pub(super) group: Option<GroupId>,
    pub(super) marks: Marks,
    pub(super) target: Place,
}

/// Tries to find a cycle forward before it is looked for backward.
const TRIES: usize = 8;

/// The place before, by its number, and the group that leaves it; nothing where a walk starts.
type Origin = Option<(usize, Option<GroupId>)>;

/// A walk: places with the group that leaves each.
pub(super) type Walk = Vec<Step>;

impl Product<'_> {
    /// A run that the automaton accepts.
    pub(super) fn tell(
        &mut self,
        initial: &Nodes,
        reached: &Nodes,
        accepting: &Accepting,
    ) -> Result<Run, Stop> {
        if let Accepting::Everything(goal) = accepting {
            return self.any_run(initial, reached, goal);
        }
        let start = self.places(initial);
        if let Some((stem, cycle)) = self.nearby(&start, reached)? {
            return Ok(Lasso::new(stem, cycle));
        }
        match accepting {
            Accepting::Circle(circle) => self.lasso(&start, reached, circle),
            Accepting::Cycle(nodes, component) => {
                let circle = self.circle_among(nodes, component)?;
                self.lasso(&start, reached, &circle)
            }
            Accepting::Everything(_) => unreachable!("told above"),
        }
    }

    /// A run to an accepting cycle and round it.
    fn lasso(&mut self, start: &[Place], reached: &Nodes, circle: &Circle) -> Result<Run, Stop> {
        let legs = &circle.legs;
        let (mut stem, mut at) = self.walk(start, &legs[0].from, reached)?;
        if let Some((walk, cycle)) = self.nearby(std::slice::from_ref(&at), &legs[0].within)? {
            stem.extend(walk);
            return Ok(Lasso::new(stem, cycle));
        }
        let mut cycle = Walk::new();
        let next = legs.iter().cycle().skip(1);
        for (leg, next) in legs.iter().zip(next) {
            let before = self.preimage(&next.from, leg.marks, &leg.within)?;
            let (walk, end) = self.walk(&[at], &before, &leg.within)?;
            cycle.extend(walk);
            let arc = self.arc(&end, leg.marks, &next.from);
            cycle.push(Step {
                state: end.state,
                group: arc.group,
            });
            at = arc.target;
        }
        Ok(Lasso::new(stem, cycle))
    }

    /// A run that goes to one of these states and on as it likes, until it repeats itself.
    fn any_run(&mut self, initial: &Nodes, reached: &Nodes, goal: &Nodes) -> Result<Run, Stop> {
        let start = self.places(initial);
        let (mut stem, place) = self.walk(&start, goal, reached)?;
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

    /// An accepting cycle among states behind one.
    fn circle_among(&mut self, nodes: &Nodes, component: &Component) -> Result<Circle, Stop> {
        if let Some(circle) = self.circle(nodes.clone(), component, TRIES)? {
            return Ok(circle);
        }
        let core = self.core(nodes.clone())?;
        self.circle_in(&core)
    }

    /// A strongly connected set with all marks.
    fn core(&mut self, nodes: Nodes) -> Result<Nodes, Stop> {
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
        start: &[Place],
        goal: &Nodes,
        within: &Nodes,
    ) -> Result<(Walk, Place), Stop> {
        let at_goal = |product: &mut Self, place: &Place| product.holds(goal, place);
        let inside = |product: &mut Self, place: &Place| product.holds(within, place);
        if let Some(found) = self.short_walk(start, at_goal, inside, self.near)? {
            return Ok(found);
        }
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

    /// The same, breadth-first and place by place, if not too many places are seen on the way.
    pub(super) fn short_walk(
        &mut self,
        start: &[Place],
        goal: impl Fn(&mut Self, &Place) -> bool,
        within: impl Fn(&mut Self, &Place) -> bool,
        most: usize,
    ) -> Result<Option<(Walk, Place)>, Stop> {
        let mut places: Vec<(Place, Origin)> = Vec::new();
        let mut seen: FxHashSet<Place> = FxHashSet::default();
        for place in start {
            if seen.insert(place.clone()) {
                places.push((place.clone(), None));
            }
        }
        let mut next = 0;
        while let Some((place, _)) = places.get(next) {
            let place = place.clone();
            if goal(self, &place) {
                let mut walk = Walk::new();
                let mut at = next;
                while let Some((before, group)) = places[at].1 {
                    let state = places[before].0.state.clone();
                    walk.push(Step { state, group });
                    at = before;
                }
                walk.reverse();
                return Ok(Some((walk, place)));
            }
            for arc in self.arcs(&place) {
                if !seen.contains(&arc.target) && within(self, &arc.target) {
                    seen.insert(arc.target.clone());
                    places.push((arc.target, Some((next, arc.group))));
                }
            }
            if places.len() > most {
                return Ok(None);
            }
            self.manager().look()?;
            next += 1;
        }
        Ok(None)
    }

    /// A step with a mark from a place into a set, which there is.
    fn arc(&mut self, from: &Place, mark: Marks, into: &Nodes) -> Arc {
        let mut arcs = self.arcs(from).into_iter();
        let fits = |arc: &Arc| arc.marks.contains(mark) && self.holds(into, &arc.target);
        arcs.find(fits).expect("the sets tell of a step")
    }

    /// The steps from a place.
    pub(super) fn arcs(&mut self, from: &Place) -> Vec<Arc> {
        let moves = self.moves(&from.state).into_iter();
        let mut moves: Vec<_> = moves.map(|(group, target)| (Some(group), target)).collect();
        if moves.is_empty() && self.dead_ends_repeat() {
            moves.push((None, from.state.clone()));
        }
        let (q, letter) = from.key;
        let mut arcs = Vec::new();
        for (group, state) in moves {
            let to = self.letter(&state);
            for &(p, marks) in self.step(q, letter, to) {
                let target = Place {
                    state: state.clone(),
                    key: (p, to),
                };
                arcs.push(Arc {
                    group,
                    marks,
                    target,
                });
            }
        }
        arcs
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

    pub(super) fn holds(&mut self, nodes: &Nodes, place: &Place) -> bool {
        let vector = self.encoding().vector(&place.state);
        let set = nodes.get(place.key);
        set.is_some_and(|set| self.manager().contains(set, &vector))
    }

    /// The places of a set of initial states.
    fn places(&mut self, nodes: &Nodes) -> Vec<Place> {
        let mut places = Vec::new();
        let model = self.encoding().model().clone();
        for state in model.initial() {
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
}
