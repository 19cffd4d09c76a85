//! The way of a walk to a goal, made short.
//!
//! A walk remembers which groups it has fired since it started. Detours are cut out first: where a state comes again, what lies
//! between goes. Then stretches of steps are left out, long ones first and single ones last, as long as the rest can still be
//! fired and leads to the goal (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", TSE 2002). The
//! result is a path to the goal, and mostly a short one; it need not be a shortest one.
//!
//! Cost: the length of the path for each stretch that is tried, limited by steps.

use dalsegno_kripke::{GroupId, Model, Predicate, Scratch, Step};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// Steps that may be taken to make a path short.
const STEPS: u64 = 4_000_000;

/// Where a walk started, and what it has fired since.
#[derive(Clone, Debug, Default)]
pub(super) struct Trail {
    pub(super) start: usize,
    pub(super) groups: Vec<GroupId>,
}

impl Trail {
    /// A short path along this way to a state of the goal; its last state has no step. None if it does not lead there.
    pub(super) fn path(&self, model: &Model, goal: &Predicate) -> Option<Vec<Step>> {
        let mut firing = Firing {
            model,
            start: model.initial().get(self.start)?,
            goal,
            state: Vec::new(),
            next: Vec::new(),
            scratch: Scratch::default(),
            left: STEPS,
        };
        let mut groups = firing.without_detours(&self.groups)?;
        let mut stretch = groups.len() / 2;
        while stretch > 0 && firing.left > 0 {
            let mut at = 0;
            while at < groups.len() {
                let rest = at.saturating_add(stretch).min(groups.len());
                let shorter = [&groups[..at], &groups[rest..]].concat();
                match firing.reaches(&shorter) {
                    Some(length) => {
                        groups = shorter;
                        groups.truncate(length);
                    }
                    None => at = rest,
                }
            }
            stretch /= 2;
        }
        firing.steps(&groups)
    }
}

/// Fires groups from a state.
struct Firing<'a> {
    model: &'a Model,
    start: &'a [u32],
    goal: &'a Predicate,
    state: Vec<u32>,
    next: Vec<u32>,
    scratch: Scratch,
    /// Steps that may still be taken.
    left: u64,
}

impl Firing<'_> {
    fn restart(&mut self) {
        self.state.clear();
        self.state.extend_from_slice(self.start);
    }

    /// Takes a step; whether it could.
    fn fire(&mut self, group: GroupId) -> bool {
        let next = &mut self.next;
        next.clear();
        let fired = self
            .model
            .successors_by(group, &self.state, &mut self.scratch, |target| {
                next.clear();
                next.extend_from_slice(target);
            });
        let fired = fired.is_ok() && next.len() == self.state.len();
        if fired {
            std::mem::swap(&mut self.state, &mut self.next);
        }
        fired
    }

    /// The groups without those that lead back to a state that was there before.
    fn without_detours(&mut self, groups: &[GroupId]) -> Option<Vec<GroupId>> {
        self.restart();
        let mut kept: Vec<GroupId> = Vec::new();
        let mut hashes = vec![hash(&self.state)];
        let mut positions: FxHashMap<u64, usize> = FxHashMap::default();
        positions.insert(hashes[0], 0);
        for &group in groups {
            if !self.fire(group) {
                return None;
            }
            kept.push(group);
            let own = hash(&self.state);
            if let Some(&before) = positions.get(&own) {
                kept.truncate(before);
                for gone in hashes.drain(before + 1..) {
                    positions.remove(&gone);
                }
            } else {
                positions.insert(own, kept.len());
                hashes.push(own);
            }
        }
        Some(kept)
    }

    /// After how many of these groups the goal is reached, if they can be fired until then.
    fn reaches(&mut self, groups: &[GroupId]) -> Option<usize> {
        self.restart();
        for (fired, &group) in groups.iter().enumerate() {
            self.left = self.left.checked_sub(1)?;
            if self.goal.eval(self.model, &self.state) {
                return Some(fired);
            }
            if !self.fire(group) {
                return None;
            }
        }
        self.goal
            .eval(self.model, &self.state)
            .then_some(groups.len())
    }

    /// The states of a path.
    fn steps(&mut self, groups: &[GroupId]) -> Option<Vec<Step>> {
        self.restart();
        let mut path = Vec::with_capacity(groups.len() + 1);
        for &group in groups {
            path.push(Step {
                state: self.state.clone(),
                group: Some(group),
            });
            if !self.fire(group) {
                return None;
            }
        }
        path.push(Step {
            state: self.state.clone(),
            group: None,
        });
        self.goal.eval(self.model, &self.state).then_some(path)
    }
}

fn hash(state: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    for &value in state {
        hasher.write_u32(value);
    }
    hasher.finish()
}
