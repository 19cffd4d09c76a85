//! The token game: one state, and which groups are enabled in it, kept up to date from step to step.
//!
//! Each group has the number of parts of its guard that do not hold; it is enabled at 0. The parts are
//! filed under their variables in the order of their numbers, so a step looks only at the parts
//! whose number lies between the old and the new value of a variable: in most nets, a few.
//!
//! Invariants, between steps:
//! 1. `unmet[g]` is the number of entries of the guard of `g` that do not hold in `state`.
//! 2. `enabled` lists the groups with `unmet[g] == 0`, and `position[g]` is the place of `g` in it, or
//!    `NOWHERE`.
//!
//! A step that faults breaks them; [`Tokens::restore`] makes them hold again.

use std::sync::Arc;

use dalsegno_kripke::{Fault, GroupId, Linear, Model, VarId};

use super::goals::Goals;

/// The position of a group that is not enabled.
const NOWHERE: u32 = u32::MAX;

/// A part of a guard: at least so many, or for an inhibitor fewer than so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Test {
    pub number: u32,
    pub group: u32,
    pub inhibits: bool,
}

/// A state to come back to.
#[derive(Clone, Debug)]
pub(crate) struct Saved {
    state: Vec<u32>,
    unmet: Vec<u32>,
    enabled: Vec<u32>,
    position: Vec<u32>,
}

/// See the opening comment.
pub(crate) struct Tokens {
    pub model: Arc<Model>,
    /// The effects of the groups, flattened; what they take comes before what they give.
    effect_starts: Vec<u32>,
    effects: Vec<(u32, i64)>,
    /// The tests of each variable in the order of their numbers, flattened.
    test_starts: Vec<u32>,
    tests: Vec<Test>,
    state: Vec<u32>,
    unmet: Vec<u32>,
    enabled: Vec<u32>,
    position: Vec<u32>,
    /// What the steps have cost so far, roughly in memory accesses.
    pub work: u64,
}

impl Tokens {
    /// The first initial state; `None` if some group is not linear, or if the guards are too many.
    pub fn new(model: &Arc<Model>) -> Option<Self> {
        let guards: Option<Vec<&Linear>> = model.groups().iter().map(|g| g.as_linear()).collect();
        let guards = guards?;
        let parts = |l: &&Linear| l.pre().len() + l.inhibit().len() + l.delta().len();
        if guards.iter().map(parts).sum::<usize>() >= u32::MAX as usize {
            return None;
        }
        let mut effects = Vec::new();
        let mut effect_starts = vec![0];
        let mut tested = Vec::new();
        for (g, linear) in (0..).zip(&guards) {
            let takes = linear.delta().iter().filter(|e| e.1 < 0);
            let gives = linear.delta().iter().filter(|e| e.1 > 0);
            effects.extend(takes.chain(gives).map(|&(v, n)| (v.0, n)));
            effect_starts.push(effects.len() as u32);
            let test = |inhibits| {
                move |&(v, number): &(VarId, u32)| {
                    let group = g;
                    (
                        v,
                        Test {
                            number,
                            group,
                            inhibits,
                        },
                    )
                }
            };
            tested.extend(linear.pre().iter().map(test(false)));
            tested.extend(linear.inhibit().iter().map(test(true)));
        }
        tested.sort_unstable();
        let mut test_starts = vec![0; model.variables().len() + 1];
        for (v, _) in &tested {
            test_starts[v.index() + 1] += 1;
        }
        for v in 0..model.variables().len() {
            test_starts[v + 1] += test_starts[v];
        }
        let n = guards.len();
        let mut tokens = Tokens {
            model: Arc::clone(model),
            effect_starts,
            effects,
            test_starts,
            tests: tested.into_iter().map(|(_, test)| test).collect(),
            state: model.initial()[0].clone(),
            unmet: vec![0; n],
            enabled: Vec::with_capacity(n),
            position: vec![NOWHERE; n],
            work: 0,
        };
        tokens.count();
        Some(tokens)
    }

    /// Makes the invariants hold for the values of the state.
    fn count(&mut self) {
        self.enabled.clear();
        let state = &self.state;
        let linear = self.model.groups().iter().filter_map(|g| g.as_linear());
        for (g, linear) in (0..).zip(linear) {
            let low = linear.pre().iter().filter(|&&(v, n)| state[v.index()] < n);
            let high = linear
                .inhibit()
                .iter()
                .filter(|&&(v, n)| state[v.index()] >= n);
            let unmet = low.count() + high.count();
            self.unmet[g] = unmet as u32;
            self.position[g] = NOWHERE;
            if unmet == 0 {
                self.position[g] = self.enabled.len() as u32;
                self.enabled.push(g as u32);
            }
        }
    }

    /// The values of the state.
    #[inline]
    pub fn state(&self) -> &[u32] {
        &self.state
    }

    /// The groups that are enabled, in an order that depends on the steps so far.
    #[inline]
    pub fn enabled(&self) -> &[u32] {
        &self.enabled
    }

    #[inline]
    pub fn is_enabled(&self, group: u32) -> bool {
        self.unmet[group as usize] == 0
    }

    /// How many parts of the guard of a group do not hold.
    #[inline]
    pub fn unmet(&self, group: u32) -> u32 {
        self.unmet[group as usize]
    }

    /// The guard of a group.
    #[inline]
    pub fn guard(&self, group: u32) -> &Linear {
        let linear = self.model.group(GroupId(group)).as_linear();
        linear.expect("all groups are linear")
    }

    /// What a group adds to which variables.
    #[inline]
    pub fn effects(&self, group: u32) -> &[(u32, i64)] {
        let at = |g: u32| self.effect_starts[g as usize] as usize;
        &self.effects[at(group)..at(group + 1)]
    }

    /// The parts of guards that look at a variable, in the order of their numbers.
    #[inline]
    pub fn tests(&self, variable: u32) -> &[Test] {
        let at = |v: u32| self.test_starts[v as usize] as usize;
        &self.tests[at(variable)..at(variable + 1)]
    }

    /// The number of parts of guards and effects: what looking at the whole net costs.
    pub fn size(&self) -> usize {
        self.effects.len() + self.tests.len()
    }

    /// Fires a group that is enabled, and tells the goals what changes.
    ///
    /// # Errors
    /// If a value leaves its 32 bits: the state is then of no use and must be restored.
    #[inline]
    pub fn fire(&mut self, group: u32, goals: &mut Goals) -> Result<(), Fault> {
        debug_assert!(self.is_enabled(group), "only enabled groups fire");
        self.add(group, 1, goals)
    }

    /// Takes the last step back, which fired this group.
    ///
    /// # Errors
    /// As [`Tokens::fire`].
    pub fn take_back(&mut self, group: u32, goals: &mut Goals) -> Result<(), Fault> {
        self.add(group, -1, goals)
    }

    /// How many groups are enabled after a group has fired; the state is the same as before.
    ///
    /// # Errors
    /// As [`Tokens::fire`].
    pub fn enabled_after(&mut self, group: u32, goals: &mut Goals) -> Result<usize, Fault> {
        self.add(group, 1, goals)?;
        let enabled = self.enabled.len();
        self.add(group, -1, goals)?;
        Ok(enabled)
    }

    #[inline]
    fn add(&mut self, group: u32, sign: i64, goals: &mut Goals) -> Result<(), Fault> {
        let at = |g: usize| self.effect_starts[g] as usize;
        for i in at(group as usize)..at(group as usize + 1) {
            let (variable, n) = (self.effects[i].0, sign * self.effects[i].1);
            let old = self.state[variable as usize];
            let Ok(new) = u32::try_from(i64::from(old) + n) else {
                let (group, variable) = (GroupId(group), VarId(variable));
                return Err(Fault::Overflow { group, variable });
            };
            self.state[variable as usize] = new;
            self.cross(variable, old, new, goals);
            goals.change(variable, n);
        }
        self.work += 8;
        Ok(())
    }

    /// Counts anew what a variable decides.
    #[inline]
    fn cross(&mut self, variable: u32, old: u32, new: u32, goals: &mut Goals) {
        let at = |v: usize| self.test_starts[v] as usize;
        let (start, end) = (at(variable as usize), at(variable as usize + 1));
        let (low, high, rises) = if old < new {
            (old, new, true)
        } else {
            (new, old, false)
        };
        // The last test has the largest number: most values are beyond all of them.
        if start == end || self.tests[end - 1].number <= low {
            return;
        }
        let mut i = start;
        if self.tests[start].number <= low {
            i += self.tests[start..end].partition_point(|test| test.number <= low);
        }
        while i < end && self.tests[i].number <= high {
            let Test {
                group, inhibits, ..
            } = self.tests[i];
            i += 1;
            self.work += 1;
            let unmet = &mut self.unmet[group as usize];
            if inhibits == rises {
                *unmet += 1;
                if *unmet == 1 {
                    self.disable(group);
                    goals.switch(group, -1);
                }
            } else {
                *unmet -= 1;
                if *unmet == 0 {
                    self.position[group as usize] = self.enabled.len() as u32;
                    self.enabled.push(group);
                    goals.switch(group, 1);
                }
            }
        }
    }

    #[inline]
    fn disable(&mut self, group: u32) {
        let hole = std::mem::replace(&mut self.position[group as usize], NOWHERE);
        self.enabled.swap_remove(hole as usize);
        if let Some(&moved) = self.enabled.get(hole as usize) {
            self.position[moved as usize] = hole;
        }
    }

    /// The state as it is now.
    pub fn save(&self) -> Saved {
        Saved {
            state: self.state.clone(),
            unmet: self.unmet.clone(),
            enabled: self.enabled.clone(),
            position: self.position.clone(),
        }
    }

    /// Goes back to a state; asks for no memory.
    pub fn restore(&mut self, saved: &Saved) {
        self.work += (self.state.len() + self.unmet.len()) as u64 / 4;
        self.state.copy_from_slice(&saved.state);
        self.unmet.copy_from_slice(&saved.unmet);
        self.position.copy_from_slice(&saved.position);
        self.enabled.clear();
        self.enabled.extend_from_slice(&saved.enabled);
    }

    /// Goes to a state given by its values.
    pub fn load(&mut self, values: &[u32]) {
        self.state.copy_from_slice(values);
        self.count();
    }

    /// Whether the invariants hold.
    #[cfg(test)]
    pub fn check_invariants(&self) -> bool {
        let all = |&g: &u32| self.guard(g).enabled(&self.state);
        let groups = 0..self.unmet.len() as u32;
        groups.clone().all(|g| all(&g) == self.is_enabled(g))
            && self.enabled.iter().all(all)
            && self.enabled.len() == groups.filter(|g| all(g)).count()
            && (0..)
                .zip(&self.enabled)
                .all(|(i, &g)| self.position[g as usize] == i)
    }
}
