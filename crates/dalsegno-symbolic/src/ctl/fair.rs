//! Path formulas: the states from which an automaton accepts some path.
//!
//! The product of model and automaton is never built: a set of product states is one diagram per automaton state.
//! Its fair states are found backwards, one strongly connected component of the automaton after the other, those that
//! others lead to first. Within a component that has all marks, the hull of Emerson and Lei ("Efficient model
//! checking in fragments of the propositional mu-calculus", LICS 1986): the greatest set in which every
//! state reaches, by a step or more inside, an edge of each mark. Then all that leads to the hull, or to a component below.
//!
//! A component of one automaton state is a part of the model alone, and its ways back are constrained saturations
//! by the label of its loops; larger components chain these along their edges.

use dalsegno_automata::bdd::Bdd;
use dalsegno_automata::scc::Components;
use dalsegno_automata::{Automaton, Marks};
use dalsegno_kripke::Stop;
use dalsegno_mdd::Set;
use rustc_hash::FxHashMap;

use super::Backward;

/// An edge of the automaton: its label as a set of states.
struct Edge {
    label: Set,
    marks: Marks,
    target: usize,
}

impl Backward<'_> {
    /// For each state of the automaton, the states from which it accepts some path.
    pub(super) fn accepted(
        &mut self,
        automaton: &Automaton,
        propositions: &[Set],
    ) -> Result<Vec<Set>, Stop> {
        let none = self.manager().empty();
        let mut labels: FxHashMap<Bdd, Set> = FxHashMap::default();
        labels.insert(Bdd::TRUE, self.space.reachable().clone());
        labels.insert(Bdd::FALSE, none.clone());
        let mut edges: Vec<Vec<Edge>> = Vec::with_capacity(automaton.len());
        for q in automaton.states() {
            let list = automaton.edges(q);
            let mut row = Vec::with_capacity(list.len());
            for edge in list {
                row.push(Edge {
                    label: self.label(automaton, edge.guard, propositions, &mut labels)?,
                    marks: edge.marks,
                    target: edge.target.index(),
                });
            }
            edges.push(row);
        }
        let components = Components::new(automaton.len(), automaton.states(), |q, i| {
            automaton.edges(q).get(i).map(|edge| edge.target)
        });
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); components.count];
        for (q, &component) in components.of.iter().enumerate() {
            members[component as usize].push(q);
        }
        // Edges lead to components of the same number or a smaller one.
        let mut fair: Vec<Set> = vec![none.clone(); automaton.len()];
        for inside in &members {
            let hull = self.hull(automaton.all_marks(), &edges, inside)?;
            let mut start = Vec::with_capacity(inside.len());
            for (i, &q) in inside.iter().enumerate() {
                let below = |edge: &&Edge| !inside.contains(&edge.target);
                let out = self.step_back(edges[q].iter().filter(below), &fair)?;
                let both = self.manager().union(&hull[i], &out);
                start.push(self.told(both)?);
            }
            let all = self.space.reachable().clone();
            let room = vec![all; inside.len()];
            let found = self.leading(&edges, inside, start, &room)?;
            for (&q, set) in inside.iter().zip(found) {
                fair[q] = set;
            }
        }
        Ok(fair)
    }

    /// The states whose letters a guard holds for.
    fn label(
        &mut self,
        automaton: &Automaton,
        guard: Bdd,
        propositions: &[Set],
        known: &mut FxHashMap<Bdd, Set>,
    ) -> Result<Set, Stop> {
        let guards = &automaton.guards();
        for node in guards.nodes_of(guard) {
            if known.contains_key(&node) {
                continue;
            }
            let (low, high) = (&known[&guards.low(node)], &known[&guards.high(node)]);
            let here = &propositions[guards.var(node) as usize];
            let with = self.manager().intersection(high, here);
            let with = self.told(with)?;
            let without = self.manager().difference(low, here);
            let without = self.told(without)?;
            let both = self.manager().union(&with, &without);
            known.insert(node, self.told(both)?);
        }
        Ok(known[&guard].clone())
    }

    /// The states that some of these edges take into `sets`, by automaton state.
    fn step_back<'e>(
        &mut self,
        edges: impl Iterator<Item = &'e Edge>,
        sets: &[Set],
    ) -> Result<Set, Stop> {
        let mut found = self.manager().empty();
        for edge in edges {
            let target = &sets[edge.target];
            if target.is_empty() || edge.label.is_empty() {
                continue;
            }
            let before = self.next_within(target, &edge.label)?;
            let united = self.manager().union(&found, &before);
            found = self.told(united)?;
        }
        Ok(found)
    }

    /// The fair states inside a component, by position in `inside`.
    fn hull(
        &mut self,
        all: Marks,
        edges: &[Vec<Edge>],
        inside: &[usize],
    ) -> Result<Vec<Set>, Stop> {
        let none = self.manager().empty();
        let within = |edge: &&Edge| inside.contains(&edge.target);
        let mut marks = Marks::NONE;
        let mut loops = false;
        for edge in inside.iter().flat_map(|&q| edges[q].iter()).filter(within) {
            marks = marks.union(edge.marks);
            loops = true;
        }
        if !loops || !marks.contains(all) {
            return Ok(vec![none; inside.len()]);
        }
        // A position of `sets` per automaton state, those outside stay empty.
        let spread = |hull: &[Set]| {
            let mut sets = vec![none.clone(); edges.len()];
            for (&q, set) in inside.iter().zip(hull) {
                sets[q] = set.clone();
            }
            sets
        };
        let mut hull = Vec::with_capacity(inside.len());
        for &q in inside {
            let mut label = none.clone();
            for edge in edges[q].iter().filter(within) {
                let united = self.manager().union(&label, &edge.label);
                label = self.told(united)?;
            }
            hull.push(self.living(&label)?);
        }
        // Without marks, and with marks on every edge, the only question is whether a path goes on for ever.
        let single = inside.len() == 1;
        let q = inside[0];
        if single
            && edges[q]
                .iter()
                .filter(within)
                .all(|e| e.marks.contains(all))
        {
            return Ok(vec![self.going_on(&hull[0])?]);
        }
        loop {
            let before = hull.clone();
            for mark in all.iter() {
                let sets = spread(&hull);
                let mut goal = Vec::with_capacity(inside.len());
                for (i, &q) in inside.iter().enumerate() {
                    let marked = edges[q].iter().filter(within).filter(|e| e.marks.has(mark));
                    let steps = self.step_back(marked, &sets)?;
                    let kept = self.manager().intersection(&steps, &hull[i]);
                    goal.push(self.told(kept)?);
                }
                hull = self.leading(edges, inside, goal, &hull)?;
            }
            if single {
                let kept = self.going_on(&hull[0])?;
                hull = vec![kept];
            } else {
                let sets = spread(&hull);
                for (i, &q) in inside.iter().enumerate() {
                    let steps = self.step_back(edges[q].iter().filter(within), &sets)?;
                    let kept = self.manager().intersection(&steps, &hull[i]);
                    hull[i] = self.told(kept)?;
                }
            }
            if hull == before {
                return Ok(hull);
            }
        }
    }

    /// The states of a set from which an infinite path stays in it, a dead end being repeated if dead ends are.
    fn going_on(&mut self, set: &Set) -> Result<Set, Stop> {
        if self.steps.dead_ends == dalsegno_kripke::DeadEnds::Ignore {
            self.cycling(set)
        } else {
            self.maximal(set)
        }
    }

    /// What leads to `goal` by edges inside a component and states of `room`; the goal included.
    fn leading(
        &mut self,
        edges: &[Vec<Edge>],
        inside: &[usize],
        goal: Vec<Set>,
        room: &[Set],
    ) -> Result<Vec<Set>, Stop> {
        // Loops of the automaton are steps of the model alone.
        let mut idle = Vec::with_capacity(inside.len());
        for (i, &q) in inside.iter().enumerate() {
            let mut hold = self.manager().empty();
            for edge in edges[q].iter().filter(|edge| edge.target == q) {
                let united = self.manager().union(&hold, &edge.label);
                hold = self.told(united)?;
            }
            let hold = self.manager().intersection(&hold, &room[i]);
            idle.push(self.told(hold)?);
        }
        let mut found = goal;
        loop {
            let before = found.clone();
            for (i, &q) in inside.iter().enumerate() {
                for edge in edges[q].iter().filter(|edge| edge.target != q) {
                    let Some(j) = inside.iter().position(|&p| p == edge.target) else {
                        continue;
                    };
                    let hold = self.manager().intersection(&edge.label, &room[i]);
                    let hold = self.told(hold)?;
                    let more = self.next_within(&found[j], &hold)?;
                    let united = self.manager().union(&found[i], &more);
                    found[i] = self.told(united)?;
                }
                found[i] = self.backwards(&found[i], &idle[i])?;
            }
            if inside.len() == 1 || found == before {
                return Ok(found);
            }
        }
    }
}
