//! Which groups to fire to come nearer to a goal: relaxed plans.
//!
//! If steps only gave and never took, whether and how a goal can be reached would be easy to tell. The
//! additive heuristic of Bonet and Geffner (2001) prices the groups under that assumption: what is enabled
//! costs its own price, and a group whose guard is not met costs in addition what the cheapest group costs that
//! gives what is missing, as often as it must fire. From the prices a relaxed plan is read off backwards
//! (Hoffmann and Nebel, FF, 2001): the groups that the goal needs, cheapest first. A walk then fires what it
//! can of the plan in that order (the look-ahead of Vidal's YAHSP, 2004).
//!
//! Differences: numbers are not sets of facts, so "more in this variable" and "less in this variable" are the
//! facts, and multiplicities are divided by what one step gives. A goal is a tree; the first of its
//! alternatives that can be had is taken. Groups come in the order of their prices (Knuth's generalisation of
//! Dijkstra's algorithm), and the search ends when the goal can be had. Prices of groups are chosen by
//! the caller, so that different attempts make different plans.
//!
//! Cost: the part of the net that is cheaper than the goal, at most all of it, with a logarithm for the queue.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dalsegno_kripke::Relation;

use super::goals::{Fact, Goals, Kind, NO_NODE, Node};
use super::tokens::{Test, Tokens};

/// A group to fire, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Action {
    /// The place of the group in the order of prices.
    rank: u32,
    pub group: u32,
    pub times: u32,
}

/// Who gives what is missing. Valid if the stamp is that of the plan.
#[derive(Clone, Copy, Debug, Default)]
struct Giver {
    stamp: u32,
    group: u32,
    times: u32,
}

/// What is known of a group. Valid if the stamp is that of the plan.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    stamp: u32,
    /// The parts of the guard that nobody gives yet.
    left: u32,
    /// The price of those that somebody gives.
    cost: u64,
    rank: u32,
    /// The plan in which the group is an action, and which.
    chosen: u32,
    action: u32,
}

/// What planning needs, kept from plan to plan.
pub(crate) struct Planner {
    stamp: u32,
    /// Per variable: who gives more of it, who takes of it, and per plan which fact would
    /// like to see it drained.
    more: Vec<Giver>,
    less: Vec<Giver>,
    drains: Vec<Giver>,
    entries: Vec<Entry>,
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    /// Per fact, who makes it hold.
    makers: Vec<Giver>,
    /// Per fact, what the group that is looked at does to its sum.
    effects: Vec<i64>,
    affected: Vec<u32>,
    /// Per node of the goal, how many children are missing, and through which child it was had.
    needs: Vec<u32>,
    through: Vec<u32>,
    wanted: Vec<u32>,
    pending: Vec<u32>,
    plan: Vec<Action>,
    /// What planning has cost so far: parts of guards and effects looked at.
    pub work: u64,
}

impl Planner {
    pub fn new(tokens: &Tokens, goals: &Goals) -> Self {
        let variables = tokens.state().len();
        Planner {
            stamp: 0,
            more: vec![Giver::default(); variables],
            less: vec![Giver::default(); variables],
            drains: vec![Giver::default(); variables],
            entries: vec![Entry::default(); tokens.model.groups().len()],
            queue: BinaryHeap::new(),
            makers: vec![Giver::default(); goals.facts.len()],
            effects: vec![0; goals.facts.len()],
            affected: Vec::new(),
            needs: Vec::new(),
            through: Vec::new(),
            wanted: Vec::new(),
            pending: Vec::new(),
            plan: Vec::new(),
            work: 0,
        }
    }

    /// The last plan, cheapest groups first.
    pub fn plan(&mut self) -> &mut [Action] {
        &mut self.plan
    }

    /// How many steps the last plan has.
    pub fn steps(&self) -> u64 {
        self.plan.iter().map(|action| u64::from(action.times)).sum()
    }

    /// Makes a plan from the state to a goal that does not hold; false if there is none, even if steps took
    /// nothing away.
    pub fn make(
        &mut self,
        tokens: &Tokens,
        goals: &mut Goals,
        goal: usize,
        price: impl Fn(u32) -> u64,
    ) -> bool {
        self.begin(tokens, goals, goal);
        for &group in tokens.enabled() {
            self.queue.push(Reverse((price(group), group)));
        }
        self.work += tokens.enabled().len() as u64;
        let mut rank = 0;
        while let Some(Reverse((cost, group))) = self.queue.pop() {
            let entry = &mut self.entries[group as usize];
            (entry.stamp, entry.left, entry.rank) = (self.stamp, 0, rank);
            rank += 1;
            if self.serves(tokens, goals, goal, group) {
                self.read_off(tokens, goals, goal);
                return true;
            }
            self.give(tokens, group, cost, &price);
        }
        false
    }

    fn begin(&mut self, tokens: &Tokens, goals: &mut Goals, goal: usize) {
        if self.stamp == u32::MAX {
            self.stamp = 0;
            for list in [
                &mut self.more,
                &mut self.less,
                &mut self.drains,
                &mut self.makers,
            ] {
                list.fill(Giver::default());
            }
            self.entries.fill(Entry::default());
        }
        self.stamp += 1;
        self.queue.clear();
        self.plan.clear();
        self.needs.clear();
        goals.holds(goal);
        let start = goals.goal(goal).start;
        let mut drained = false;
        for (i, &value) in goals.values().iter().enumerate() {
            let false_ones = |from: u32, to: u32| {
                let children = goals.children[from as usize..to as usize].iter();
                let missing = children.filter(|&c| !goals.values()[(c - start) as usize]);
                missing.count() as u32
            };
            self.needs.push(match goals.nodes[start as usize + i] {
                _ if value => 0,
                Node::Fact(fact) => {
                    let fact = &goals.facts[fact as usize];
                    drained |= fact.kind == Kind::Set && fact.op == Relation::Le;
                    1
                }
                Node::And(from, to) => false_ones(from, to),
                // An empty alternative can never be had.
                Node::Or(..) => 1,
            });
        }
        self.through.clear();
        self.through.resize(self.needs.len(), NO_NODE);
        if !drained {
            return;
        }
        // What is enabled and should not be is disabled by taking what it needs.
        for &group in tokens.enabled() {
            for &fact in goals.sets(group) {
                let Fact { goal: of, op, .. } = goals.facts[fact as usize];
                if of as usize == goal && op == Relation::Le {
                    for &(v, _) in tokens.guard(group).pre() {
                        let stamp = self.stamp;
                        let (group, times) = (fact, 1);
                        self.drains[v.index()] = Giver {
                            stamp,
                            group,
                            times,
                        };
                    }
                }
            }
        }
    }

    /// Counts what a group that can be had does for the goal; true if the goal can be had now.
    fn serves(&mut self, tokens: &Tokens, goals: &Goals, goal: usize, group: u32) -> bool {
        let mut done = false;
        for &fact in goals.sets(group) {
            let Fact {
                goal: of,
                op,
                holds,
                ..
            } = goals.facts[fact as usize];
            if of as usize == goal && op == Relation::Gt && !holds {
                done |= self.made(goals, goal, fact, group, 0);
            }
        }
        for &(v, n) in tokens.effects(group) {
            let drain = self.drains[v as usize];
            if n < 0 && drain.stamp == self.stamp {
                done |= self.made(goals, goal, drain.group, group, 1);
            }
            for &(fact, coefficient) in goals.sums(v) {
                let Fact {
                    goal: of, holds, ..
                } = goals.facts[fact as usize];
                if of as usize == goal && !holds {
                    if self.effects[fact as usize] == 0 {
                        self.affected.push(fact);
                    }
                    self.effects[fact as usize] += coefficient * n;
                }
            }
        }
        while let Some(fact) = self.affected.pop() {
            let effect = std::mem::take(&mut self.effects[fact as usize]);
            let entry = &goals.facts[fact as usize];
            let missing = entry.missing();
            let helps = match entry.op {
                Relation::Ne => effect != 0,
                _ => effect != 0 && (effect > 0) == (missing > 0),
            };
            if helps {
                let times = missing.unsigned_abs().div_ceil(effect.unsigned_abs());
                done |= self.made(goals, goal, fact, group, times);
            }
        }
        done
    }

    /// A fact of the goal can be had by firing a group some times; true if the goal can be had now.
    fn made(&mut self, goals: &Goals, goal: usize, fact: u32, group: u32, times: u64) -> bool {
        let maker = &mut self.makers[fact as usize];
        if maker.stamp == self.stamp {
            return false;
        }
        let times = u32::try_from(times).unwrap_or(u32::MAX);
        *maker = Giver {
            stamp: self.stamp,
            group,
            times,
        };
        let (start, end) = (goals.goal(goal).start, goals.goal(goal).end);
        let mut node = goals.facts[fact as usize].node;
        loop {
            let need = &mut self.needs[(node - start) as usize];
            if *need == 0 {
                return false;
            }
            *need -= 1;
            if *need > 0 {
                return false;
            }
            if node + 1 == end {
                return true;
            }
            let parent = goals.parents[node as usize];
            if self.needs[(parent - start) as usize] > 0 {
                self.through[(parent - start) as usize] = node;
            }
            node = parent;
        }
    }

    /// A group can be had: so can what it gives, and the groups that waited for nothing else.
    fn give(&mut self, tokens: &Tokens, group: u32, cost: u64, price: &impl Fn(u32) -> u64) {
        self.work += 1;
        for &(v, n) in tokens.effects(group) {
            self.work += 1;
            let times = n.unsigned_abs();
            let giver = Giver {
                stamp: self.stamp,
                group,
                times: times as u32,
            };
            let value = tokens.state()[v as usize];
            let side = if n > 0 {
                &mut self.more
            } else {
                &mut self.less
            };
            if side[v as usize].stamp == self.stamp {
                continue;
            }
            side[v as usize] = giver;
            let tests = tokens.tests(v);
            // More serves what asks for more than there is, less what is inhibited by what there is.
            let at = tests.partition_point(|test| test.number <= value);
            let (asking, inhibits) = if n > 0 {
                (&tests[at..], false)
            } else {
                (&tests[..at], true)
            };
            if n < 0 && asking.iter().all(|test| !test.inhibits) {
                continue;
            }
            self.work += asking.len() as u64;
            for test in asking.iter().filter(|test| test.inhibits == inhibits) {
                let firings = lacking(*test, value).div_ceil(times);
                let entry = &mut self.entries[test.group as usize];
                if entry.stamp != self.stamp {
                    entry.stamp = self.stamp;
                    entry.left = tokens.unmet(test.group);
                    entry.cost = 0;
                }
                entry.cost = entry.cost.saturating_add(cost.saturating_mul(firings));
                entry.left = entry.left.saturating_sub(1);
                if entry.left == 0 {
                    let cost = entry.cost.saturating_add(price(test.group));
                    self.queue.push(Reverse((cost, test.group)));
                }
            }
        }
    }

    /// Collects the groups that the goal needs.
    fn read_off(&mut self, tokens: &Tokens, goals: &Goals, goal: usize) {
        let start = goals.goal(goal).start;
        self.wanted.clear();
        self.pending.clear();
        self.wanted.push(goals.goal(goal).end - 1);
        while let Some(node) = self.wanted.pop() {
            if goals.values()[(node - start) as usize] {
                continue;
            }
            match goals.nodes[node as usize] {
                Node::And(from, to) => {
                    let children = &goals.children[from as usize..to as usize];
                    self.wanted.extend_from_slice(children);
                }
                Node::Or(..) => {
                    let child = self.through[(node - start) as usize];
                    if child != NO_NODE {
                        self.wanted.push(child);
                    }
                }
                Node::Fact(fact) => {
                    let maker = self.makers[fact as usize];
                    if maker.stamp == self.stamp && maker.times > 0 {
                        self.choose(maker.group, maker.times);
                    } else if maker.stamp == self.stamp {
                        self.choose_for(tokens, maker.group);
                    }
                }
            }
        }
        while let Some(group) = self.pending.pop() {
            self.choose_for(tokens, group);
        }
        self.plan.sort_unstable();
    }

    /// Chooses who gives what the guard of a group misses.
    fn choose_for(&mut self, tokens: &Tokens, group: u32) {
        let guard = tokens.guard(group);
        for (list, inhibits) in [(guard.pre(), false), (guard.inhibit(), true)] {
            for &(v, number) in list {
                let value = tokens.state()[v.index()];
                let test = Test {
                    number,
                    group,
                    inhibits,
                };
                let lacks = lacking(test, value);
                let side = if inhibits { &self.less } else { &self.more };
                let giver = side[v.index()];
                if lacks > 0 && giver.stamp == self.stamp {
                    let times = lacks.div_ceil(u64::from(giver.times.max(1)));
                    self.choose(giver.group, u32::try_from(times).unwrap_or(u32::MAX));
                }
            }
        }
    }

    fn choose(&mut self, group: u32, times: u32) {
        let entry = &mut self.entries[group as usize];
        if entry.chosen == self.stamp {
            let action = &mut self.plan[entry.action as usize];
            action.times = action.times.max(times);
            return;
        }
        (entry.chosen, entry.action) = (self.stamp, self.plan.len() as u32);
        let rank = entry.rank;
        self.plan.push(Action { rank, group, times });
        self.pending.push(group);
    }
}

/// How many more, or of an inhibitor how many fewer, a part of a guard needs.
fn lacking(test: Test, value: u32) -> u64 {
    let (number, value) = (u64::from(test.number), u64::from(value));
    if test.inhibits {
        (value + 1).saturating_sub(number)
    } else {
        number.saturating_sub(value)
    }
}
