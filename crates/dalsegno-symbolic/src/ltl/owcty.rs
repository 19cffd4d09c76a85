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
//! - Before everything is trimmed, a state is followed downwards: a set that it reaches and that
//!   leads back to it is a cycle. Most failing properties end there.
//!
//! Cost: as many images as the longest way without a cycle, each of all groups.

use dalsegno_automata::Marks;
use dalsegno_mdd::{Set, Stop};

use super::components::Component;
use super::nodes::{Key, Nodes};
use super::product::Product;

/// Where an accepting run was found.
pub(super) enum Accepting {
    /// Whatever the model does from these states on is accepted.
    Everything(Nodes),
    /// There is an accepting cycle among these states.
    Cycle(Nodes),
    /// The first states lie on a cycle, which is accepting, among the second.
    Through(Nodes, Nodes),
}

/// All that was reached, and where an accepting run is, if there is one.
pub(super) struct Search {
    pub(super) reached: Nodes,
    pub(super) accepting: Option<Accepting>,
}

/// Pivots that are followed before everything is trimmed.
const PIVOTS: usize = 8;

impl Product<'_, '_> {
    /// Looks for an accepting run.
    pub(super) fn search(&mut self, initial: &Nodes) -> Result<Search, Stop> {
        let repeats = self.dead_ends_repeat();
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
                accepting = self.accepting_cycle(nodes, &component)?;
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
        nodes: Nodes,
        component: &Component,
    ) -> Result<Option<Accepting>, Stop> {
        if let Some(dead) = self.repeating_dead_end(&nodes)? {
            return Ok(Some(Accepting::Through(dead.clone(), dead)));
        }
        let left = if component.weak {
            if let Some((pivot, below)) = self.follow(&nodes, component)? {
                return Ok(Some(Accepting::Through(pivot, below)));
            }
            self.trim(nodes, component)?
        } else {
            self.behind_cycles(nodes, component)?
        };
        Ok((!left.is_empty()).then_some(Accepting::Cycle(left)))
    }

    /// The states behind an accepting cycle in a set that is closed under the steps of a component.
    fn behind_cycles(&mut self, mut nodes: Nodes, component: &Component) -> Result<Nodes, Stop> {
        let inside = |key| component.keys.contains(&key);
        let marks = self.each_mark();
        loop {
            let before = nodes.clone();
            for &mark in &marks {
                let mut next = self.image(&nodes, mark)?;
                next.retain(inside);
                nodes = self.reach(&next, &inside)?;
                if nodes.is_empty() {
                    return Ok(nodes);
                }
            }
            if nodes == before {
                return Ok(nodes);
            }
        }
    }

    /// A dead end that goes on for ever in an automaton state with all marks.
    fn repeating_dead_end(&mut self, nodes: &Nodes) -> Result<Option<Nodes>, Stop> {
        let all = self.all_marks();
        for (key, set) in nodes.iter() {
            let loops = self.step(key.0, key.1, key.1).iter();
            if !loops.clone().any(|&(p, m)| p == key.0 && m.contains(all)) {
                continue;
            }
            if let Some(dead) = self.repeating(set)? {
                let mut found = Nodes::default();
                found.set(key, dead);
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// A state on a cycle and the states that it reaches, found by going down from one state to the
    /// next.
    fn follow(
        &mut self,
        nodes: &Nodes,
        component: &Component,
    ) -> Result<Option<(Nodes, Nodes)>, Stop> {
        let inside = |key| component.keys.contains(&key);
        let mut nodes = nodes.clone();
        for _ in 0..PIVOTS {
            let Some(pivot) = self.pick(&nodes)? else {
                return Ok(None);
            };
            let mut next = self.image(&pivot, Marks::NONE)?;
            next.retain(inside);
            let below = self.reach(&next, &inside)?;
            let back = below.intersection(self.manager(), &pivot)?;
            if !back.is_empty() {
                return Ok(Some((pivot, below)));
            }
            nodes = below;
        }
        Ok(None)
    }

    /// One of these states.
    pub(super) fn pick(&mut self, nodes: &Nodes) -> Result<Option<Nodes>, Stop> {
        let Some((key, set)) = nodes.iter().next() else {
            return Ok(None);
        };
        let mut found = Nodes::default();
        if let Some(vector) = self.manager().pick(set) {
            let one: Set = self.manager().singleton(&vector)?;
            found.set(key, one);
        }
        Ok(Some(found))
    }
}
