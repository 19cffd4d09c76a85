//! Whether a set of states is reachable, looked for on a part of the state graph.
//!
//! Breadth-first in a store of its own. From a state outside of the goal only the members of a closed set are fired
//! that has the goal's up-set (`goals.rs`): every path to the goal has a step of a member, the first of them can be moved to
//! the front, and then the path is one step shorter. So the goal is reachable by fired steps alone if it is at all, and a
//! state without enabled members is left without successors. Dead ends are kept by any closed set with an enabled
//! member. No condition on cycles is needed. See `docs/stubborn.md`; Kristensen, Schmidt and Valmari (2006).
//!
//! Cost: linear in what is fired, and for each state a closure that is at most linear in the arcs of the model. A model
//! that has an undefined step elsewhere is not told so.

use dalsegno_kripke::{Budget, GroupId, Predicate};

use super::closure::Closure;
use super::gain::Gain;
use super::goals::Goal;
use super::seeds;
use crate::random::Xorshift;
use crate::space::{Error, Space, StateId};

/// A search for one goal. The store is lent to it and belongs to it alone.
pub struct GoalSearch {
    predicate: Predicate,
    goal: Goal,
    /// Whether the goal is a dead end.
    dead_ends: bool,
    closure: Closure,
    enabled: Vec<GroupId>,
    fired: Vec<GroupId>,
    /// All states before this one have been expanded.
    next: StateId,
    reached: Option<StateId>,
    gain: Gain,
    /// The groups enabled and fired in the states that were expanded.
    counts: (u64, u64),
}

/// States expanded between two looks at the budget.
const CHECK_EVERY: u64 = 16;

impl GoalSearch {
    /// A search that has seen nothing.
    #[must_use]
    pub fn new(space: &mut Space, goal: &Predicate) -> Self {
        let relations = space.relations();
        let mut closure = Closure::new(space.model(), &relations);
        GoalSearch {
            predicate: goal.clone(),
            goal: Goal::new(goal, &mut closure),
            dead_ends: matches!(goal, Predicate::DeadEnd),
            closure,
            enabled: Vec::new(),
            fired: Vec::new(),
            next: 0,
            reached: None,
            gain: Gain::default(),
            counts: (0, 0),
        }
    }

    /// The same search with random choices among valid sets.
    #[must_use]
    pub fn with_random_choices(mut self, seed: u64) -> Self {
        self.closure.random = Some(Xorshift::new(seed));
        self
    }

    /// Expands up to `steps` states; true when the goal is reached, or is known not to be.
    ///
    /// # Errors
    /// When the budget runs out or the model faults. The search may go on with another budget.
    pub fn advance(
        &mut self,
        space: &mut Space,
        steps: u64,
        budget: &Budget,
    ) -> Result<bool, Error> {
        for step in 0..steps {
            if step.is_multiple_of(CHECK_EVERY) {
                budget.check()?;
                budget.check_bytes(space.bytes() + self.bytes())?;
            }
            if self.reached.is_some() || self.next as usize == space.len() {
                return Ok(true);
            }
            let pays = self.closure.random.is_some() || self.gain.pays();
            let reached = if pays {
                self.choose(space)
            } else {
                space.holds(self.next, &self.predicate)
            };
            if reached {
                self.reached = Some(self.next);
                return Ok(true);
            }
            if pays {
                if !self.fired.is_empty() {
                    let (mut groups, mut targets) =
                        space.take_steps(self.next, &self.fired, budget)?;
                    space.give_back(&mut groups, &mut targets);
                }
                self.counts.0 += self.enabled.len() as u64;
                self.counts.1 += self.fired.len() as u64;
            } else {
                // Where choices rest, nothing is made that only they need.
                let (mut groups, mut targets) = space.take_successors(self.next, budget)?;
                self.counts.0 += groups.len() as u64;
                self.counts.1 += groups.len() as u64;
                space.give_back(&mut groups, &mut targets);
            }
            self.next += 1;
        }
        Ok(self.reached.is_some() || self.next as usize == space.len())
    }

    /// Leaves in `fired` what is fired at the next state; true if it belongs to the goal.
    fn choose(&mut self, space: &mut Space) -> bool {
        self.enabled.clear();
        space.list_enabled(self.next, &mut self.enabled);
        let here = space.here(self.next);
        let (closure, enabled, fired) = (&mut self.closure, &self.enabled, &mut self.fired);
        closure.enter(&here, enabled);
        let before = closure.work();
        if self.goal.holds(&here, closure) {
            return true;
        }
        if self.dead_ends {
            seeds::to_dead_ends(closure, &here, enabled, fired);
        } else {
            closure.begin();
            self.goal.add_up(true, &here, closure);
            // A set that has all that is enabled need not be closed.
            if closure.close(&here, enabled.len().saturating_sub(1)) {
                seeds::keep(closure, fired);
            } else {
                fired.clone_from(enabled);
            }
        }
        let work = closure.relations.overhead() + closure.work() - before;
        self.gain.chosen(enabled.len(), fired.len(), work);
        let left_out = enabled.len() - fired.len();
        if let Some(which) = self.gain.wants(left_out) {
            let mut others = enabled.iter().filter(|g| !fired.contains(g));
            if let Some(&group) = others.nth(which)
                && let Some((state, group)) = self.gain.remember((self.next, group))
            {
                self.gain.looked_up(space.is_known_step(state, group));
            }
        }
        false
    }

    /// A state of the goal, if one was found.
    #[must_use]
    pub fn reached(&self) -> Option<StateId> {
        self.reached
    }

    /// The states expanded.
    #[must_use]
    pub fn expanded(&self) -> u64 {
        u64::from(self.next)
    }

    /// The groups that were enabled in these states, and how many of them were fired.
    #[must_use]
    pub fn groups(&self) -> (u64, u64) {
        self.counts
    }

    /// The bytes of the tables, without those of the store.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.closure.bytes() + self.closure.relations.bytes()
    }
}
