//! Walks: single runs from the initial state that look for goals, without a table of states.
//!
//! A breadth-first search of a net with thousands of transitions sees the first few steps and nothing
//! else. A walk is deep at once, costs no memory, and takes some hundred thousand steps per second
//! in nets of any size, since a step looks only at what it changes (`tokens`). All goals are watched at every step
//! (`goals`), whatever the walk is made for. What a walk reaches is reachable: every step was fired, and a goal
//! counts only if its predicate holds in the state by definition.
//!
//! Rounds of four kinds take turns, as much work for each, and a little more from cycle to cycle:
//! - *random*: any enabled group, restarted after lengths of all magnitudes;
//! - *rare*: of some enabled groups the one that has fired least;
//! - *dying*, if a dead end is asked for: of some enabled groups the one that leaves the fewest enabled;
//! - *guided*, for one open goal after the other: by relaxed plans (`plan`), whose prices differ from attempt to
//!   attempt, with random steps where plans lead nowhere.
//!
//! A goal to which there is no relaxed plan from the initial state is unreachable. The contest uses walks
//! where a breadth-first search has seen only a part of the states. The same seed gives the same walks.

mod cycle;
mod goals;
mod plan;
#[cfg(test)]
mod tests;
mod tokens;
mod trail;
mod way;

use std::sync::Arc;

use dalsegno_kripke::{Budget, Fault, GroupId, Model, Predicate, Step, Stop, VarId};

use crate::random::Xorshift;
use goals::Goals;
use plan::Planner;
use tokens::{Saved, Tokens};
use trail::Trail;
pub use way::Ways;

/// The work of a round at the start, beside that of looking at the net some times.
const LITTLE_WORK: u64 = 20_000;

/// How much larger than at the start the work of a round becomes.
const GROWTH: u64 = 64;

/// The work between two looks at the clock: a fraction of a millisecond.
const UNWATCHED: u64 = 50_000;

/// The steps of the shortest random walks.
const SHORT_WALK: u64 = 32;

/// Enabled groups that are compared with a first one.
const SAMPLES: u32 = 3;

/// Guided rounds per cycle.
const GUIDED: usize = 8;

/// Walks of a model, and what they have found.
pub struct Walk {
    tokens: Tokens,
    goals: Goals,
    planner: Planner,
    predicates: Vec<Predicate>,
    sums: Vec<(Vec<VarId>, u64)>,
    reached: Vec<bool>,
    largest: Vec<u64>,
    /// The way since the last start, and the ways to goals, if they are to be remembered.
    trail: Option<Trail>,
    ways: Vec<Option<Trail>>,
    starts: Vec<(Saved, Vec<i64>)>,
    random: Xorshift,
    guides: Vec<Guide>,
    /// How often each group has fired, and how often in which guided round.
    fired: Vec<u32>,
    recent: Vec<(u32, u32)>,
    found: Vec<u32>,
    rounds: u32,
    walks: u32,
    cycle: u64,
    next_goal: usize,
    steps: u64,
    watched: u64,
}

/// What is known of the way to a goal.
#[derive(Clone, Copy, Default)]
struct Guide {
    attempts: u32,
    /// There is not even a relaxed plan.
    hopeless: bool,
}

/// How a walk without a goal chooses a step.
#[derive(Clone, Copy)]
enum Choice {
    Any,
    /// What has fired least.
    Rare,
    /// What leaves the fewest groups enabled.
    Dying,
}

/// Why a round ended before its work was done.
enum End {
    /// The goal was reached, or cannot be reached.
    Done,
    Stopped(Stop),
}

impl From<Stop> for End {
    fn from(stop: Stop) -> Self {
        End::Stopped(stop)
    }
}

impl Walk {
    /// Walks that look for states in each of the goals, and for large values of sums of variables, each with a
    /// number that it cannot exceed. `None` if some group of the model is not linear.
    #[must_use]
    pub fn new(
        model: &Arc<Model>,
        predicates: Vec<Predicate>,
        sums: Vec<(Vec<VarId>, u64)>,
        seed: u64,
    ) -> Option<Self> {
        let tokens = Tokens::new(model)?;
        let goals = Goals::new(model, &predicates, &sums);
        let groups = model.groups().len();
        let mut walk = Walk {
            planner: Planner::new(&tokens, &goals),
            reached: vec![false; predicates.len()],
            largest: vec![0; sums.len()],
            trail: None,
            ways: vec![None; predicates.len()],
            guides: vec![Guide::default(); goals.len()],
            starts: Vec::new(),
            random: Xorshift::new(seed),
            fired: vec![0; groups],
            recent: vec![(0, 0); groups],
            found: Vec::new(),
            rounds: 0,
            walks: 0,
            cycle: 0,
            next_goal: 0,
            steps: 0,
            watched: 0,
            tokens,
            goals,
            predicates,
            sums,
        };
        for state in model.initial() {
            walk.tokens.load(state);
            let enabled = walk.tokens.enabled();
            walk.goals.load(state, enabled, &mut walk.found);
            walk.confirm();
            let start = (walk.tokens.save(), walk.goals.save());
            walk.starts.push(start);
        }
        Some(walk)
    }

    /// The same walks, which remember the ways to goals.
    #[must_use]
    pub fn with_ways(mut self) -> Self {
        self.trail = Some(Trail::default());
        self
    }

    /// A path to a goal that was reached, made short; its last state has no step. None if the ways are not
    /// remembered.
    #[must_use]
    pub fn path_to(&self, goal: usize) -> Option<Vec<Step>> {
        let predicate = self.predicates.get(goal)?;
        let model = &*self.tokens.model;
        match &self.ways[goal] {
            Some(way) => way.path(model, predicate),
            // It may hold at once.
            None => Trail::default().path(model, predicate),
        }
    }

    /// Whether each goal was reached.
    #[must_use]
    pub fn reached(&self) -> &[bool] {
        &self.reached
    }

    /// The largest value seen of each sum.
    #[must_use]
    pub fn largest(&self) -> &[u64] {
        &self.largest
    }

    /// Whether the largest value seen of a sum is known to be the largest of all: it is as large as it can be, or
    /// no step makes it larger than at the start.
    #[must_use]
    pub fn is_largest(&self, sum: usize) -> bool {
        let guide = self.guides[self.predicates.len() + sum];
        guide.hopeless || self.largest[sum] >= self.sums[sum].1
    }

    /// Whether a goal is known to be unreachable.
    #[must_use]
    pub fn is_unreachable(&self, goal: usize) -> bool {
        self.guides[goal].hopeless && self.goals.has_sound_plans(goal)
    }

    /// How many goals and sums are still looked for.
    #[must_use]
    pub fn open(&self) -> usize {
        self.goals.open()
    }

    /// The steps taken.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Stops to look for a goal.
    pub fn drop_goal(&mut self, goal: usize) {
        self.goals.drop_goal(goal);
    }

    /// Stops to look for large values of a sum.
    pub fn drop_sum(&mut self, sum: usize) {
        self.goals.drop_goal(self.predicates.len() + sum);
    }

    /// Walks for at most so many cycles of rounds, or until nothing is looked for or nothing can move.
    ///
    /// # Errors
    /// When the budget runs out. What was found so far counts, and walks can go on.
    pub fn advance(&mut self, cycles: u32, budget: &Budget) -> Result<(), Stop> {
        for _ in 0..cycles {
            budget.check()?;
            if !self.seeks() || !self.can_move() {
                return Ok(());
            }
            self.run_cycle(budget)?;
        }
        Ok(())
    }

    /// Whether there is something to look for that is not known to be unreachable.
    fn seeks(&self) -> bool {
        let sought = |g: &usize| {
            let known = self.guides[*g].hopeless && self.goals.has_sound_plans(*g);
            self.goals.goal(*g).open && !known
        };
        (0..self.goals.len()).any(|g| sought(&g))
    }

    fn can_move(&mut self) -> bool {
        (0..self.starts.len()).any(|i| {
            self.restart_at(i);
            !self.tokens.enabled().is_empty()
        })
    }

    fn run_cycle(&mut self, budget: &Budget) -> Result<(), Stop> {
        let little = LITTLE_WORK + 4 * self.tokens.size() as u64;
        // By half more from cycle to cycle.
        let factor = (0..self.cycle.min(32)).fold(2, |f, _| (f + f / 2).min(2 * GROWTH));
        let work = little * factor / 2;
        self.cycle += 1;
        let stopped = |end: Result<(), End>| match end {
            Err(End::Stopped(stop)) => Err(stop),
            _ => Ok(()),
        };
        stopped(self.random_round(work, budget, Choice::Any))?;
        stopped(self.random_round(work, budget, Choice::Rare))?;
        let wants_dead_end =
            |&g: &usize| self.goals.goal(g).open && self.goals.asks_for_dead_end(g);
        if (0..self.goals.len()).any(|g| wants_dead_end(&g)) {
            stopped(self.random_round(work, budget, Choice::Dying))?;
        }
        let mut left = GUIDED;
        for _ in 0..self.goals.len() {
            let goal = self.next_goal;
            self.next_goal = (goal + 1) % self.goals.len();
            if left > 0 && self.goals.goal(goal).open && !self.guides[goal].hopeless {
                left -= 1;
                stopped(self.guided_round(goal, work, budget))?;
            }
            if left == 0 {
                break;
            }
        }
        Ok(())
    }

    fn work(&self) -> u64 {
        self.tokens.work + self.planner.work
    }

    /// Looks at the clock now and then.
    #[inline]
    fn watch(&mut self, budget: &Budget) -> Result<(), Stop> {
        if self.work() >= self.watched + UNWATCHED {
            self.watched = self.work();
            budget.check()?;
        }
        Ok(())
    }

    /// Goes back to an initial state.
    fn restart(&mut self) {
        let i = if self.starts.len() == 1 {
            0
        } else {
            self.random.below(self.starts.len() as u64) as usize
        };
        self.restart_at(i);
    }

    fn restart_at(&mut self, i: usize) {
        let (saved, numbers) = &self.starts[i];
        self.tokens.restore(saved);
        self.goals.restore(numbers);
        if let Some(trail) = &mut self.trail {
            trail.start = i;
            trail.groups.clear();
        }
    }

    /// Fires a group that is enabled.
    #[inline]
    fn step(&mut self, group: u32) -> Result<(), Fault> {
        self.steps += 1;
        let fired = &mut self.fired[group as usize];
        *fired = fired.saturating_add(1);
        self.tokens.fire(group, &mut self.goals)?;
        if let Some(trail) = &mut self.trail {
            trail.groups.push(GroupId(group));
        }
        let enabled = self.tokens.enabled().len();
        self.goals.settle(enabled, &mut self.found);
        if !self.found.is_empty() {
            self.confirm();
        }
        Ok(())
    }

    /// Looks by definition at what was found.
    fn confirm(&mut self) {
        let (model, state) = (&*self.tokens.model, self.tokens.state());
        while let Some(goal) = self.found.pop() {
            let goal = goal as usize;
            if let Some(predicate) = self.predicates.get(goal) {
                let holds = predicate.eval(model, state);
                debug_assert!(holds, "what was counted is what holds");
                if holds && !self.reached[goal] {
                    self.ways[goal].clone_from(&self.trail);
                }
                self.reached[goal] |= holds;
            } else {
                let sum = goal - self.predicates.len();
                let value = |v: &VarId| u64::from(state[v.index()]);
                let value = self.sums[sum].0.iter().map(value).sum();
                self.largest[sum] = self.largest[sum].max(value);
            }
        }
    }

    /// Walks that choose each step in one way.
    fn random_round(&mut self, work: u64, budget: &Budget, choice: Choice) -> Result<(), End> {
        let end = self.work() + work;
        while self.work() < end && self.goals.open() > 0 {
            self.restart();
            // Restarts count as work, so that the round ends where no step can be taken.
            self.tokens.work += 8;
            let length = self.next_length();
            for _ in 0..length {
                self.watch(budget)?;
                if self.tokens.enabled().is_empty() || self.work() >= end {
                    break;
                }
                let stepped = self.choose(choice).and_then(|group| self.step(group));
                if stepped.is_err() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The length of the next random walk: as many steps in all for each of the lengths, which double (Luby,
    /// Sinclair and Zuckerman 1993). The shortest ones are longer than the way back to the start.
    fn next_length(&mut self) -> u64 {
        self.walks = self.walks.wrapping_add(1).max(1);
        let shortest = SHORT_WALK.max(self.tokens.state().len() as u64 / 16);
        shortest << self.walks.trailing_zeros()
    }

    /// Chooses one of the groups that are enabled, of which there is one.
    fn choose(&mut self, choice: Choice) -> Result<u32, Fault> {
        let first = self.any_group();
        match choice {
            Choice::Dying if self.random.below(8) > 0 => self.dying_group(first),
            Choice::Any | Choice::Dying => Ok(first),
            Choice::Rare => Ok(self.rare_group(first)),
        }
    }

    fn any_group(&mut self) -> u32 {
        let enabled = self.tokens.enabled();
        enabled[self.random.below(enabled.len() as u64) as usize]
    }

    fn rare_group(&mut self, mut best: u32) -> u32 {
        for _ in 0..SAMPLES {
            let other = self.any_group();
            if self.fired[other as usize] < self.fired[best as usize] {
                best = other;
            }
        }
        best
    }

    fn dying_group(&mut self, mut best: u32) -> Result<u32, Fault> {
        let mut fewest = self.tokens.enabled_after(best, &mut self.goals)?;
        for _ in 0..SAMPLES {
            let other = self.any_group();
            let left = self.tokens.enabled_after(other, &mut self.goals)?;
            if left < fewest {
                (best, fewest) = (other, left);
            }
        }
        Ok(best)
    }

    /// Walks towards one goal.
    fn guided_round(&mut self, goal: usize, work: u64, budget: &Budget) -> Result<(), End> {
        let end = self.work() + work;
        self.rounds += 1;
        let mut attempt = self.guides[goal].attempts;
        self.restart();
        let mut at_start = true;
        let (mut nearest, mut stale, mut kicks) = (u64::MAX, 0, 0);
        while self.work() < end {
            self.watch(budget)?;
            if !self.goals.goal(goal).open {
                return Err(End::Done);
            }
            let (round, recent) = (self.rounds, &self.recent);
            let price = |group: u32| price(group, attempt, recent[group as usize], round);
            let planned = self
                .planner
                .make(&self.tokens, &mut self.goals, goal, price);
            if !planned && at_start && self.starts.len() == 1 {
                self.guides[goal].hopeless = true;
                return Err(End::Done);
            }
            let steps = self.planner.steps();
            if planned && steps < nearest {
                (nearest, stale) = (steps, 0);
            } else {
                stale += 1;
            }
            let walked = if planned && stale <= PATIENCE {
                at_start = false;
                // Every third attempt looks again after each step.
                self.follow(goal, attempt % 3 < 2, end, budget)?
            } else {
                (nearest, stale) = (u64::MAX, 0);
                kicks += 1;
                planned && kicks <= KICKS && self.kick(1 << kicks)
            };
            if !walked {
                attempt = attempt.wrapping_add(1);
                self.restart();
                (at_start, nearest, stale, kicks) = (true, u64::MAX, 0, 0);
                self.rounds += 1;
                self.tokens.work += 8;
            }
        }
        self.guides[goal].attempts = attempt.wrapping_add(1);
        Ok(())
    }

    /// Fires what can be fired of the plan, in its order; false if the walk is lost.
    fn follow(&mut self, goal: usize, whole: bool, end: u64, budget: &Budget) -> Result<bool, End> {
        loop {
            let mut moved = false;
            for i in 0..self.planner.plan().len() {
                let action = self.planner.plan()[i];
                let mut times = action.times;
                while times > 0 && self.tokens.is_enabled(action.group) {
                    self.watch(budget)?;
                    let (round, count) = &mut self.recent[action.group as usize];
                    *count = if *round == self.rounds { *count + 1 } else { 1 };
                    *round = self.rounds;
                    if self.step(action.group).is_err() {
                        return Ok(false);
                    }
                    times -= 1;
                    moved = true;
                    if !self.goals.goal(goal).open {
                        return Err(End::Done);
                    }
                    if !whole || self.work() >= end {
                        return Ok(true);
                    }
                }
                self.planner.plan()[i].times = times;
            }
            if !moved {
                return Ok(true);
            }
        }
    }

    /// Takes some random steps; false if the walk is lost.
    fn kick(&mut self, steps: u32) -> bool {
        for _ in 0..steps {
            if self.tokens.enabled().is_empty() {
                return false;
            }
            let group = self.any_group();
            let group = self.rare_group(group);
            if self.step(group).is_err() {
                return false;
            }
        }
        true
    }
}

/// Plans in a row that do not come nearer before random steps are taken.
const PATIENCE: u32 = 8;

/// Random steps are taken so often, each time twice as many, before the walk starts again.
const KICKS: u32 = 6;

/// The price of a group: differs from attempt to attempt, and rises with use in one walk.
fn price(group: u32, attempt: u32, (round, used): (u32, u32), now: u32) -> u64 {
    let mixed = u64::from(group)
        .wrapping_add(u64::from(attempt) << 32)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let noise = if attempt == 0 { 0 } else { (mixed >> 40) % 16 };
    let used = if round == now {
        u64::from(used.min(16))
    } else {
        0
    };
    16 + noise + 4 * used
}
