//! Emptiness by forward OWCTY: states that lie behind an accepting cycle.
//!
//! P14 Fig. 2, which follows Kesten, Pnueli and Raviv's FEASIBLE (ICALP 1998): reachable states are cut
//! down to those that follow a step with mark f, for every f, until nothing changes; what is left
//! is reachable from an accepting cycle, and empty if there is none. Ours differs in what it need
//! not look at:
//!
//! - It goes component by component of the automaton's side, and forgets the rest.
//! - A key from which everything is accepted ends the search as soon as it is reached, if every run
//!   goes on for ever.
//! - A dead end that repeats itself with all marks is a cycle at once.
//! - Trimming to states behind a cycle (Fig. 2, lines 5 and 6) is left out where marks do it:
//!   following a step with a mark again and again is following a cycle.
//! - Before everything is cut down, some states are followed downwards until one of them comes back to
//!   itself. Most failing properties end there.
//!
//! Cost: as many images as the longest way without a cycle, each of all groups.

use dalsegno_mdd::Stop;

use super::accepting_cycle::AcceptingCycle;
use super::components::Component;
use super::product::Product;
use super::product_set::{Key, ProductSet};

/// Where an accepting run was found.
pub(super) enum Accepting {
    /// Whatever the model does from these states on is accepted.
    Everything(ProductSet),
    /// There is an accepting cycle among these states, all of which lie behind one.
    Among(ProductSet, Component),
    /// There is a fair accepting cycle among these states, all of which lie behind one.
    Fair(ProductSet),
    /// This is an accepting cycle.
    Cycle(AcceptingCycle),
}

/// All that was reached, and where an accepting run is, if there is one.
pub(super) struct Search {
    pub(super) reached: ProductSet,
    pub(super) accepting: Option<Accepting>,
}

/// Tries to follow states of a component in which every cycle accepts.
const TRIES: usize = 8;

/// Tries where marks are missing on some steps, and going on would rarely find them.
const MARKED_TRIES: usize = 2;

impl Product<'_> {
    /// Looks for an accepting run.
    pub(super) fn search(&mut self, initial: &ProductSet) -> Result<Search, Stop> {
        // Where everything is accepted there is a fair run, but not every run is one.
        let repeats = self.dead_ends_repeat() && self.fairness.is_empty();
        let mut enough = |p: &mut Self, key: Key| repeats && p.accepts_everything(key);
        let (reached, everything) = self.reach_until(initial, &|_| true, &mut enough)?;
        let mut accepting = None;
        if let Some(key) = everything {
            let mut nodes = reached.clone();
            nodes.retain(|other| other == key);
            accepting = Some(Accepting::Everything(nodes));
        } else {
            for component in self.components(&reached) {
                let mut nodes = reached.clone();
                nodes.retain(|key| component.keys.contains(&key));
                accepting = self.accepting_cycle(nodes, component)?;
                if accepting.is_some() {
                    break;
                }
            }
        }
        Ok(Search { reached, accepting })
    }

    /// An accepting cycle, if there is one in a set that is closed under the steps of a component.
    fn accepting_cycle(
        &mut self,
        nodes: ProductSet,
        component: Component,
    ) -> Result<Option<Accepting>, Stop> {
        if let Some(dead) = self.repeating_dead_end(&nodes)? {
            return Ok(self.repeated(&dead)?.map(Accepting::Cycle));
        }
        if !self.fairness.is_empty() {
            let left = self.behind_fair_cycles(nodes, &component)?;
            return Ok((!left.is_empty()).then_some(Accepting::Fair(left)));
        }
        let left = if component.weak {
            if let Some(cycle) = self.try_cycle(nodes.clone(), &component, TRIES)? {
                return Ok(Some(Accepting::Cycle(cycle)));
            }
            self.trim(nodes, &component)?
        } else {
            let nodes = self.behind_marks(nodes, &component)?;
            if let Some(cycle) = self.try_cycle(nodes.clone(), &component, MARKED_TRIES)? {
                return Ok(Some(Accepting::Cycle(cycle)));
            }
            self.behind_cycles(nodes, &component)?
        };
        Ok((!left.is_empty()).then_some(Accepting::Among(left, component)))
    }

    /// The states behind an accepting cycle in a set that is closed under the steps of a component.
    fn behind_cycles(
        &mut self,
        mut nodes: ProductSet,
        component: &Component,
    ) -> Result<ProductSet, Stop> {
        while !nodes.is_empty() {
            let next = self.behind_marks(nodes.clone(), component)?;
            if next == nodes {
                break;
            }
            nodes = next;
        }
        Ok(nodes)
    }

    /// The states behind a step with the first mark, of these those behind one with the second, and
    /// so on.
    fn behind_marks(
        &mut self,
        mut nodes: ProductSet,
        component: &Component,
    ) -> Result<ProductSet, Stop> {
        let inside = |key| component.keys.contains(&key);
        for mark in self.each_mark() {
            let mut next = self.image(&nodes, mark)?;
            next.retain(inside);
            nodes = self.reach(&next, &inside)?;
        }
        Ok(nodes)
    }

    /// A dead end that goes on for ever in an automaton state with all marks.
    fn repeating_dead_end(&mut self, nodes: &ProductSet) -> Result<Option<ProductSet>, Stop> {
        let all = self.all_marks();
        for (key, set) in nodes.iter() {
            let loops = self.step(key.0, key.1, key.1).iter();
            if !loops.clone().any(|&(p, m)| p == key.0 && m.contains(all)) {
                continue;
            }
            if let Some(dead) = self.repeating(set)? {
                let mut found = ProductSet::default();
                found.set(key, dead);
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}
