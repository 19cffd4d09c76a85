//! Runs over representatives as runs of the coloured net.
//!
//! A marking of the run is its representative with colours permuted: the permutation is known for the initial marking, and
//! each step changes it. A binding of the representative is found again, permuted, and fired in the net. A
//! cycle of representatives is repeated until a marking comes again; it is given up when it is too long.
//!
//! Cost: per step, what the successors of a representative cost.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use dalsegno_kripke::{Budget, Step};

use super::super::trace::{Bound, Lifted, MOST_STEPS, Marking, Trace};
use super::graph::{Found, Graph};
use super::representative::Permutation;

/// See [`Orbits::lifted`](super::Orbits::lifted).
pub(super) fn lift(
    graph: &mut Graph,
    stem: &[Step],
    cycle: &[Step],
    budget: &Budget,
) -> Option<Lifted> {
    let net = Arc::clone(&graph.net);
    let initial = graph.initial()?;
    let to_first = graph.representatives.permutation(&initial);
    let identity = graph.representatives.identity();
    let mut firing = Firing {
        way: graph.representatives.back(&identity, &to_first),
        graph,
        trace: Trace::new(&net)?,
    };
    if stem.iter().chain(cycle).next()?.state.first() != Some(&0) {
        return None;
    }
    for (at, step) in stem.iter().enumerate() {
        budget.check().ok()?;
        let next = stem.get(at + 1).or_else(|| cycle.first());
        firing.step(step, next)?;
    }
    let mut start = firing.trace.markings.len();
    if !cycle.is_empty() {
        // Where the cycle began with each marking.
        let mut begun: HashMap<Rc<Marking>, usize> = HashMap::new();
        loop {
            budget.check().ok()?;
            let here = Rc::clone(&firing.trace.now);
            if let Some(&before) = begun.get(&here) {
                start = before;
                break;
            }
            begun.insert(here, firing.trace.markings.len());
            for (at, step) in cycle.iter().enumerate() {
                firing.step(step, cycle.get(at + 1).or_else(|| cycle.first()))?;
            }
            if firing.trace.markings.len() > MOST_STEPS {
                return None;
            }
        }
    }
    firing.trace.part(start, budget)
}

struct Firing<'g, 'n> {
    graph: &'g mut Graph,
    trace: Trace<'n>,
    /// From the colours of the representative to those of the net.
    way: Permutation,
}

impl Firing<'_, '_> {
    fn step(&mut self, step: &Step, next: Option<&Step>) -> Option<()> {
        let here = *step.state.first()?;
        let mut last = None;
        for &(t, _) in self.graph.successors(here).ok()?.iter() {
            if last.replace(t) != Some(t) {
                let found = self.graph.binding(here, t, None)?;
                let bound = self.bound(t, &found);
                self.trace.bindings.insert(bound);
            }
        }
        let Some(group) = step.group else {
            self.trace.stay();
            return Some(());
        };
        let there = *next?.state.first()?;
        let found = self.graph.binding(here, group.0, Some(there))?;
        let bound = self.bound(group.0, &found);
        self.trace.fire(bound)?;
        self.way = self
            .graph
            .representatives
            .back(&self.way, &found.permutation);
        Some(())
    }

    /// A binding of the representative in the colours of the net.
    fn bound(&self, t: u32, found: &Found) -> Bound {
        let representatives = &self.graph.representatives;
        let values = self.graph.leaves(t).iter().map(|leaf| {
            let value = found.values[leaf.index()];
            representatives.moved_value(leaf.index(), value, &self.way)
        });
        (t, values.collect())
    }
}
