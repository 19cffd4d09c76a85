//! Ways from a state to a goal, for a state graph that grows where a formula asks for it.
//!
//! A formula of branching time asks again and again whether a goal can be reached, from states that are far from the
//! initial one, and often only through states that satisfy something. A way is a guided walk (see the opening comment of
//! [`super`]) from such a state: it follows relaxed plans, takes back steps that lead where it must not go, and makes these
//! dearer. It is a proposal: who expands the states along it finds out what it is worth.
//!
//! Cost: as much work as the caller grants, counted in parts of guards and effects that are looked at.

use std::sync::Arc;

use dalsegno_kripke::{Budget, Fault, GroupId, Model, Predicate, Stop};

use super::cycle::Difference;
use super::goals::Goals;
use super::plan::Planner;
use super::tokens::Tokens;
use super::{KICKS, PATIENCE, UNWATCHED, price};
use crate::random::Xorshift;

/// Whatever it is, the same every time.
const SEED: u64 = 1;

/// How often a step counts as used that leads where the way must not go.
const FORBIDDEN: u32 = 16;

/// Looks for ways to some goals.
pub struct Ways {
    predicates: Vec<Predicate>,
    pub(super) tokens: Tokens,
    pub(super) goals: Goals,
    planner: Planner,
    pub(super) random: Xorshift,
    /// How often each group has fired in which way.
    pub(super) recent: Vec<(u32, u32)>,
    pub(super) round: u32,
    attempts: Vec<u32>,
    pub(super) way: Vec<GroupId>,
    pub(super) difference: Difference,
    watched: u64,
}

impl Ways {
    /// Ways to these goals; `None` if some group of the model is not linear.
    #[must_use]
    pub fn new(model: &Arc<Model>, predicates: Vec<Predicate>) -> Option<Self> {
        let tokens = Tokens::new(model)?;
        let mut goals = Goals::new(model, &predicates, &[]);
        // Goals are asked for one by one, as often as one likes, and not watched.
        for goal in 0..predicates.len() {
            goals.drop_goal(goal);
        }
        Some(Ways {
            planner: Planner::new(&tokens, &goals),
            random: Xorshift::new(SEED),
            recent: vec![(0, 0); model.groups().len()],
            round: 0,
            attempts: vec![0; predicates.len()],
            way: Vec::new(),
            difference: Difference::default(),
            watched: 0,
            predicates,
            tokens,
            goals,
        })
    }

    /// The goals.
    #[must_use]
    pub fn goals(&self) -> &[Predicate] {
        &self.predicates
    }

    /// The work of looking at the whole model some times.
    #[must_use]
    pub fn little_work(&self) -> u64 {
        super::LITTLE_WORK + 4 * self.tokens.size() as u64
    }

    /// The work so far.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.tokens.work + self.planner.work
    }

    /// The groups to fire from a state to come to a goal, or as near to it as the work allows. All states on the way but the
    /// last satisfy `hold`.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn towards(
        &mut self,
        goal: usize,
        from: &[u32],
        hold: &Predicate,
        work: u64,
        budget: &Budget,
    ) -> Result<&[GroupId], Stop> {
        self.begin(from);
        self.round += 1;
        let attempt = self.attempts[goal];
        self.attempts[goal] = attempt.wrapping_add(1);
        let end = self.work() + work;
        let (mut nearest, mut best, mut stale, mut kicks) = (u64::MAX, 0, 0, 0);
        if self.goals.holds(goal) {
            return Ok(&self.way);
        }
        while self.work() < end {
            self.watch(budget)?;
            let (round, recent) = (self.round, &self.recent);
            let price = |group: u32| price(group, attempt, recent[group as usize], round);
            if !(self.planner).make(&self.tokens, &mut self.goals, goal, price) {
                break;
            }
            let steps = self.planner.steps();
            if steps < nearest {
                (nearest, best, stale) = (steps, self.way.len(), 0);
            } else {
                stale += 1;
            }
            let moved = if stale <= PATIENCE {
                self.follow(goal, hold, end)
            } else {
                (nearest, stale, kicks) = (steps, 0, kicks + 1);
                if kicks > KICKS {
                    break;
                }
                self.kick(goal, hold, 1 << kicks)
            };
            match moved {
                Ok(_) if self.goals.holds(goal) => return Ok(&self.way),
                Ok(true) => {}
                // Where a value leaves its range, the way ends before.
                Ok(false) | Err(_) => break,
            }
        }
        self.way.truncate(best);
        Ok(&self.way)
    }

    /// Goes to a state.
    pub(super) fn begin(&mut self, from: &[u32]) {
        self.tokens.load(from);
        let enabled = self.tokens.enabled();
        self.goals.load(from, enabled, &mut Vec::new());
        self.tokens.work += self.tokens.size() as u64;
        self.way.clear();
    }

    pub(super) fn any_enabled(&mut self) -> u32 {
        let enabled = self.tokens.enabled();
        enabled[self.random.below(enabled.len() as u64) as usize]
    }

    pub(super) fn watch(&mut self, budget: &Budget) -> Result<(), Stop> {
        if self.work() >= self.watched + UNWATCHED {
            self.watched = self.work();
            budget.check()?;
        }
        Ok(())
    }

    /// Fires what can be fired of the plan, in its order; whether something was.
    fn follow(&mut self, goal: usize, hold: &Predicate, end: u64) -> Result<bool, Fault> {
        let before = self.way.len();
        loop {
            let mut moved = false;
            for i in 0..self.planner.plan().len() {
                let action = self.planner.plan()[i];
                let mut times = action.times;
                while times > 0 && self.tokens.is_enabled(action.group) && self.work() < end {
                    times -= 1;
                    if !self.step(action.group, Some(goal), hold)? {
                        times = 0;
                        break;
                    }
                    moved = true;
                    if self.goals.holds(goal) {
                        return Ok(true);
                    }
                }
                self.planner.plan()[i].times = times;
            }
            if !moved {
                return Ok(self.way.len() > before);
            }
        }
    }

    /// Takes some random steps; false if none can be taken.
    fn kick(&mut self, goal: usize, hold: &Predicate, steps: u32) -> Result<bool, Fault> {
        for _ in 0..steps {
            if self.tokens.enabled().is_empty() {
                return Ok(false);
            }
            let group = self.any_enabled();
            self.step(group, Some(goal), hold)?;
        }
        Ok(true)
    }

    /// Fires an enabled group; false if that leads where the way must not go, and is taken back.
    ///
    /// # Errors
    /// If a value leaves its range: the state is then of no use.
    pub(super) fn step(
        &mut self,
        group: u32,
        goal: Option<usize>,
        hold: &Predicate,
    ) -> Result<bool, Fault> {
        let (round, count) = &mut self.recent[group as usize];
        *count = if *round == self.round { *count + 1 } else { 1 };
        *round = self.round;
        self.tokens.fire(group, &mut self.goals)?;
        self.settle();
        let allowed = *hold == Predicate::True
            || hold.eval(&self.tokens.model, self.tokens.state())
            || goal.is_some_and(|goal| self.goals.holds(goal));
        if allowed {
            self.way.push(GroupId(group));
            return Ok(true);
        }
        self.tokens.take_back(group, &mut self.goals)?;
        self.settle();
        self.recent[group as usize].1 = FORBIDDEN;
        Ok(false)
    }

    pub(super) fn settle(&mut self) {
        let enabled = self.tokens.enabled().len();
        self.goals.settle(enabled, &mut Vec::new());
    }
}
