//! A shortest path to a state that is known to be reachable, if few states are enough to find it.

use std::sync::Arc;

use dalsegno_explicit::space::{Space, StateId};
use dalsegno_kripke::{Budget, GroupId, Model, Predicate, Step};

use crate::plan::PATH;

/// A shortest path to a state of the goal; its last state has no step. None if it is not found within a small
/// part of the budget.
pub(crate) fn path_to(model: &Arc<Model>, goal: &Predicate, budget: &Budget) -> Option<Vec<Step>> {
    let (states, percent) = PATH;
    let mut share = budget.clone().limit_states(states);
    if let Some(left) = budget.time_left() {
        share = share.with_time(left / 100 * percent);
    }
    let mut space = Space::new(model);
    // From which state, and by which group, each state was found.
    let mut found: Vec<Option<(StateId, GroupId)>> = vec![None; space.len()];
    for state in 0..space.len() as StateId {
        if space.holds(state, goal) {
            return Some(trace(&space, &found, state));
        }
    }
    let mut looked_at = space.len();
    let mut next: StateId = 0;
    while (next as usize) < space.len() {
        if next.is_multiple_of(256) {
            share.check().ok()?;
        }
        let (groups, targets) = space.successors(next, &share).ok()?;
        for (&group, &target) in groups.iter().zip(targets) {
            if target as usize == found.len() {
                found.push(Some((next, group)));
            }
        }
        for state in looked_at as StateId..found.len() as StateId {
            if space.holds(state, goal) {
                return Some(trace(&space, &found, state));
            }
        }
        looked_at = found.len();
        next += 1;
    }
    None
}

/// The path on which a state was found.
fn trace(space: &Space, found: &[Option<(StateId, GroupId)>], end: StateId) -> Vec<Step> {
    let values = |state: StateId| {
        let mut values = vec![0; space.model().variables().len()];
        space.values(state, &mut values);
        values
    };
    let mut path = vec![Step {
        state: values(end),
        group: None,
    }];
    let mut at = end;
    while let Some((before, group)) = found[at as usize] {
        path.push(Step {
            state: values(before),
            group: Some(group),
        });
        at = before;
    }
    path.reverse();
    path
}
