//! Paths of witnesses through sets of states: to a goal, and to a cycle.

use dalsegno_kripke::{DeadEnds, GroupId, Predicate, Scratch, Step};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Error, Evaluator, StateSets};

/// The most states that a search for one path looks at one by one.
const MAX_STATES: usize = 20_000;

/// The longest path that is looked for.
const MAX_LENGTH: usize = 20_000;

/// A group that fires, or none where a dead end is repeated, and the state it leads to.
pub(super) type Move = (Option<GroupId>, Vec<u32>);

/// Steps, and the state that the last one leads to.
pub(super) type FinitePath = (Vec<Step>, Vec<u32>);

/// Steps, and the position that the last one leads back to.
pub(super) type Cycle = (Vec<Step>, usize);

impl<S: StateSets> Evaluator<S> {
    /// A shortest path from the first initial state to a state where a predicate holds; its last state has no step. None
    /// if there is none, or if it is too long.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn path_to(&mut self, goal: &Predicate) -> Result<Option<Vec<Step>>, Error> {
        let goal = self.sets.select(goal)?;
        let all = self.sets.all();
        let Some(start) = self.sets.model().initial().first().cloned() else {
            return Ok(None);
        };
        let found = match self.search(&all, &goal, &start)? {
            None => self.approach(&all, &goal, &start)?,
            found => found,
        };
        Ok(found.map(|(mut steps, state)| {
            steps.push(Step { state, group: None });
            steps
        }))
    }

    /// Where a state leads: by its transitions, or to itself if it is a dead end and finite paths count.
    pub(super) fn moves(&self, state: &[u32]) -> Vec<Move> {
        let mut found: Vec<Move> = Vec::new();
        let model = self.sets.model();
        // A fault ends the list: the engine that computed the sets has seen none.
        let _ = model.successors(state, &mut Scratch::default(), |group, target| {
            found.push((Some(group), target.to_vec()));
        });
        if found.is_empty() && self.sets.dead_ends() != DeadEnds::Ignore {
            found.push((None, state.to_vec()));
        }
        found
    }

    /// A shortest path through `hold` to `goal`, state by state; `None` if it is not among the first states.
    pub(super) fn search(
        &mut self,
        hold: &S::Set,
        goal: &S::Set,
        state: &[u32],
    ) -> Result<Option<FinitePath>, Error> {
        let mut found: Vec<(Vec<u32>, usize, Option<GroupId>)> = vec![(state.to_vec(), 0, None)];
        let mut seen: FxHashSet<Vec<u32>> = FxHashSet::default();
        seen.insert(state.to_vec());
        let mut next = 0;
        while next < found.len() && found.len() < MAX_STATES {
            if next % 256 == 0 {
                self.budget.check()?;
            }
            let at = found[next].0.clone();
            if self.sets.contains(goal, &at) {
                let mut steps = Vec::new();
                let mut i = next;
                while i != 0 {
                    let (_, parent, group) = found[i];
                    steps.push(Step {
                        state: found[parent].0.clone(),
                        group,
                    });
                    i = parent;
                }
                steps.reverse();
                return Ok(Some((steps, at)));
            }
            if self.sets.contains(hold, &at) {
                for (group, target) in self.moves(&at) {
                    let on = self.sets.contains(hold, &target) || self.sets.contains(goal, &target);
                    if on && seen.insert(target.clone()) {
                        found.push((target, next, group));
                    }
                }
            }
            next += 1;
        }
        Ok(None)
    }

    /// The same by sets: all states one step from the goal, two steps, and so on.
    pub(super) fn approach(
        &mut self,
        hold: &S::Set,
        goal: &S::Set,
        state: &[u32],
    ) -> Result<Option<FinitePath>, Error> {
        let mut layers = vec![goal.clone()];
        let mut seen = goal.clone();
        while !self.sets.contains(&layers[layers.len() - 1], state) {
            self.budget.check()?;
            let before = self.sets.next(&layers[layers.len() - 1])?;
            let inside = self.sets.intersection(&before, hold)?;
            let others = self.sets.complement(&seen)?;
            let layer = self.sets.intersection(&inside, &others)?;
            if self.sets.is_empty(&layer) || layers.len() > MAX_LENGTH {
                return Ok(None);
            }
            seen = self.sets.union(&seen, &layer)?;
            layers.push(layer);
        }
        let mut steps = Vec::new();
        let mut at = state.to_vec();
        for layer in layers.iter().rev().skip(1) {
            let moves = self.moves(&at);
            let on = moves
                .into_iter()
                .find(|(_, t)| self.sets.contains(layer, t));
            let Some((group, target)) = on else {
                return Ok(None);
            };
            steps.push(Step { state: at, group });
            at = target;
        }
        Ok(Some((steps, at)))
    }

    /// An endless path inside a set in which every state has a successor, a short one if there is a cycle near by.
    pub(super) fn endless_path(
        &mut self,
        set: &S::Set,
        state: &[u32],
    ) -> Result<Option<Cycle>, Error> {
        match self.cycle_in(set, state)? {
            None => self.walk(set, state),
            found => Ok(found),
        }
    }

    /// A walk inside a set in which every state has a successor, until it meets itself: its steps, and the position that
    /// it comes back to.
    fn walk(&mut self, set: &S::Set, state: &[u32]) -> Result<Option<Cycle>, Error> {
        let mut steps: Vec<Step> = Vec::new();
        let mut positions: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        let mut at = state.to_vec();
        while steps.len() < MAX_LENGTH {
            if steps.len().is_multiple_of(256) {
                self.budget.check()?;
            }
            positions.insert(at.clone(), steps.len());
            let mut moves = self.moves(&at);
            moves.retain(|(_, target)| self.sets.contains(set, target));
            let closing = moves.iter().position(|(_, t)| positions.contains_key(t));
            let Some((group, target)) =
                closing.map(|i| moves[i].clone()).or(moves.first().cloned())
            else {
                return Ok(None);
            };
            steps.push(Step { state: at, group });
            if closing.is_some() {
                return Ok(Some((steps, positions[&target])));
            }
            at = target;
        }
        Ok(None)
    }
}
