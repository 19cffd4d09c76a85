//! Runs over representatives as runs of the coloured net.
//!
//! A marking of the run is its representative with colours permuted: the permutation is known for the initial marking, and
//! each step changes it. A binding of the representative is found again, permuted, and fired in the net. A
//! cycle of representatives is repeated until a marking comes again; it is given up when it is too long.
//!
//! Cost: per step, what the successors of a representative cost.

use std::sync::Arc;

use dalsegno_kripke::{Budget, Step};

use super::super::trace::{Bound, Lifted, Trace};
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
    };
    if stem.iter().chain(cycle).next()?.state.first() != Some(&0) {
        return None;
    }
    Trace::new(&net)?.follow(stem, cycle, budget, |trace, step, next| {
        firing.step(trace, step, next)
    })
}

struct Firing<'g> {
    graph: &'g mut Graph,
    /// From the colours of the representative to those of the net.
    way: Permutation,
}

impl Firing<'_> {
    fn step(&mut self, trace: &mut Trace<'_>, step: &Step, next: Option<&Step>) -> Option<()> {
        let here = *step.state.first()?;
        let mut last = None;
        for &(t, _) in self.graph.successors(here).ok()?.iter() {
            if last.replace(t) != Some(t) {
                let found = self.graph.binding(here, t, None)?;
                let bound = self.bound(t, &found);
                trace.bindings.insert(bound);
            }
        }
        let Some(group) = step.group else {
            trace.stay();
            return Some(());
        };
        let there = *next?.state.first()?;
        let found = self.graph.binding(here, group.0, Some(there))?;
        let bound = self.bound(group.0, &found);
        trace.fire(bound)?;
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
