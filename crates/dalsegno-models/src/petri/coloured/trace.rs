//! Runs in colours, fired by definition, and the part of the unfolded net that they need.
//!
//! The part has the places that are marked along the run, the bindings that fire, and those that are enabled somewhere, as far as
//! they were told. The net is not unfolded for that.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use dalsegno_kripke::{Budget, GroupId, Step};
use rustc_hash::FxHashMap;

use super::assemble::{Bindings, assemble};
use super::multiset::Scratch;
use super::net::{ColouredArcs, ColouredNet};
use super::origin::Unfolded;
use super::relation::Tokens;
use crate::petri::net::TransitionId;

/// A run of the coloured net, and the part of the unfolded net that it needs.
#[derive(Clone, Debug)]
pub struct Lifted {
    /// The part of the unfolded net.
    pub unfolded: Unfolded,
    /// The steps before the cycle, or all of them.
    pub stem: Vec<Step>,
    /// The steps of the cycle, if there is one.
    pub cycle: Vec<Step>,
}

/// The most steps of a run.
const MOST_STEPS: usize = 100_000;

/// The most colours that a term may have.
const MOST_COLOURS: u64 = 1_000_000;

/// Tokens by place and colour.
pub(super) type Marking = BTreeMap<(u32, u64), u32>;

/// A coloured transition and the colours of the leaves of its variables.
pub(super) type Bound = (u32, Vec<u32>);

/// A run as far as it was fired.
pub(super) struct Trace<'n> {
    net: &'n ColouredNet,
    pub(super) now: Rc<Marking>,
    /// The markings that were left, and what fired there; nothing at a dead end.
    markings: Vec<(Rc<Marking>, Option<Bound>)>,
    /// Bindings that are enabled somewhere along the run.
    pub(super) bindings: BTreeSet<Bound>,
    scratch: Scratch,
}

impl<'n> Trace<'n> {
    /// A run of no steps; `None` if the initial marking has no value.
    pub(super) fn new(net: &'n ColouredNet) -> Option<Self> {
        let mut scratch = Scratch::default();
        let mut now = Marking::new();
        let mut colours = Vec::new();
        for (number, place) in (0..).zip(&net.places) {
            let values = &[];
            let initial = &place.initial;
            let evaluated =
                initial.evaluate(&net.sorts, values, MOST_COLOURS, &mut colours, &mut scratch);
            evaluated.ok()?;
            now.extend(colours.iter().map(|&(colour, n)| ((number, colour), n)));
        }
        Some(Trace {
            net,
            now: Rc::new(now),
            markings: Vec::new(),
            bindings: BTreeSet::new(),
            scratch,
        })
    }

    /// Stays where it is.
    pub(super) fn stay(&mut self) {
        self.markings.push((Rc::clone(&self.now), None));
    }

    /// Fires a binding; `None` if it is not enabled.
    pub(super) fn fire(&mut self, bound: Bound) -> Option<()> {
        let [pre, post] = {
            let t = &self.net.transitions[bound.0 as usize];
            [
                self.evaluated(&t.pre, &bound)?,
                self.evaluated(&t.post, &bound)?,
            ]
        };
        let mut next = Marking::clone(&self.now);
        for (token, n) in pre {
            let count = next.get_mut(&token)?;
            *count = count.checked_sub(n)?;
            if *count == 0 {
                next.remove(&token);
            }
        }
        for (token, n) in post {
            let count = next.entry(token).or_insert(0);
            *count = count.checked_add(n)?;
        }
        self.bindings.insert(bound.clone());
        let before = std::mem::replace(&mut self.now, Rc::new(next));
        self.markings.push((before, Some(bound)));
        Some(())
    }

    /// Whether the marking enables a binding, by definition; `None` if a term has no value.
    pub(super) fn is_enabled(&mut self, bound: &Bound) -> Option<bool> {
        let t = &self.net.transitions[bound.0 as usize];
        let now = Rc::clone(&self.now);
        let count = |token: &(u32, u64)| now.get(token).copied().unwrap_or(0);
        let needs = self.evaluated(&t.pre, bound)?;
        let mut all = needs.iter().all(|(token, &n)| count(token) >= n);
        for arc in &t.test {
            let needs = self.evaluated(&vec![arc.clone()], bound)?;
            all &= needs.iter().all(|(token, &n)| count(token) >= n);
        }
        for arc in &t.inhibit {
            let limits = self.evaluated(&vec![arc.clone()], bound)?;
            all &= limits.iter().all(|(token, &n)| count(token) < n);
        }
        Some(all)
    }

    /// The tokens of arcs under a binding.
    fn evaluated(&mut self, arcs: &ColouredArcs, (t, values): &Bound) -> Option<Marking> {
        let mut all = vec![0; self.net.leaf_count()];
        let leaves = self.net.leaves_of(&self.net.transitions[*t as usize]);
        for (leaf, &value) in leaves.iter().zip(values) {
            all[leaf.index()] = value;
        }
        let (mut found, mut out) = (Marking::new(), Vec::new());
        for (place, term) in arcs {
            let sorts = &self.net.sorts;
            let evaluated = term.evaluate(sorts, &all, MOST_COLOURS, &mut out, &mut self.scratch);
            evaluated.ok()?;
            for &(colour, n) in &out {
                let count = found.entry((place.0, colour)).or_insert(0);
                *count = count.checked_add(n)?;
            }
        }
        Some(found)
    }

    /// Fires what the steps of another run stand for, and repeats the cycle, if there is one, until a marking comes again.
    /// `fire` has the step and the one after it. `None` if a step stands for nothing, the run would be too long, or the
    /// budget ends.
    pub(super) fn follow(
        mut self,
        stem: &[Step],
        cycle: &[Step],
        budget: &Budget,
        mut fire: impl FnMut(&mut Self, &Step, Option<&Step>) -> Option<()>,
    ) -> Option<Lifted> {
        for (at, step) in stem.iter().enumerate() {
            budget.check().ok()?;
            let next = stem.get(at + 1).or_else(|| cycle.first());
            fire(&mut self, step, next)?;
        }
        if cycle.is_empty() {
            let start = self.markings.len();
            return self.part(start, budget);
        }
        // Where the cycle began with each marking.
        let mut begun: HashMap<Rc<Marking>, usize> = HashMap::new();
        loop {
            budget.check().ok()?;
            let here = Rc::clone(&self.now);
            if let Some(&start) = begun.get(&here) {
                return self.part(start, budget);
            }
            begun.insert(here, self.markings.len());
            for (at, step) in cycle.iter().enumerate() {
                fire(&mut self, step, cycle.get(at + 1).or_else(|| cycle.first()))?;
            }
            if self.markings.len() > MOST_STEPS {
                return None;
            }
        }
    }

    /// The part of the unfolded net, and the run in it; the cycle begins at `start`.
    fn part(mut self, start: usize, budget: &Budget) -> Option<Lifted> {
        let net = self.net;
        let mut tokens = Tokens::new(&net.sorts, net.places.iter().map(|p| p.sort));
        let first = self
            .markings
            .first()
            .map_or(&self.now, |(marking, _)| marking);
        let initial: Vec<(u32, u32)> = first
            .iter()
            .map(|(&(place, colour), &n)| (tokens.find(place, colour), n))
            .collect();
        for &(place, colour) in self.markings.iter().flat_map(|(marking, _)| marking.keys()) {
            tokens.find(place, colour);
        }
        let mut found = Bindings::default();
        for bound in std::mem::take(&mut self.bindings) {
            let transition = &net.transitions[bound.0 as usize];
            found.begin(bound.0, &bound.1);
            for (kind, arcs) in [&transition.pre, &transition.post, &transition.test]
                .into_iter()
                .enumerate()
            {
                for arc in arcs {
                    for ((place, colour), n) in self.evaluated(&vec![arc.clone()], &bound)? {
                        found.arc(kind, tokens.find(place, colour), n);
                    }
                }
            }
            for ((place, colour), n) in self.evaluated(&transition.inhibit, &bound)? {
                found.inhibitor(place, colour, n);
            }
        }
        let unfolded = assemble(net.clone(), None, &tokens, &found, &initial, budget).ok()?;
        let mut groups: FxHashMap<Bound, GroupId> = FxHashMap::default();
        for group in (0..unfolded.net.transitions().len() as u32).map(GroupId) {
            let (t, values) = unfolded.origin.transition(TransitionId(group.0));
            groups.insert((t.0, values.to_vec()), group);
        }
        let state = |marking: &Marking| -> Vec<u32> {
            let places = unfolded.origin.places.iter();
            places
                .map(|token| marking.get(token).copied().unwrap_or(0))
                .collect()
        };
        let mut steps = Vec::with_capacity(self.markings.len());
        for (marking, bound) in &self.markings {
            let group = match bound {
                Some(bound) => Some(*groups.get(bound)?),
                None => None,
            };
            let state = state(marking);
            steps.push(Step { state, group });
        }
        let cycle = steps.split_off(start);
        Some(Lifted {
            unfolded,
            stem: steps,
            cycle,
        })
    }
}
