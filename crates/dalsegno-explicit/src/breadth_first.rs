//! One breadth-first exploration that answers many questions about reachable states.
//!
//! Each goal is a set of states that may or may not be reachable; which groups ever fire is kept too.
//! A goal that was not reached before a step can be reached by it only if the group that fires can change
//! the goal, so on most steps nothing is evaluated.

use std::sync::Arc;

use dalsegno_kripke::{Budget, GroupId, Model, Predicate, Visibility};

use crate::space::{Error, Space, StateId};

/// What has been found so far.
pub struct BreadthFirst {
    space: Space,
    goals: Vec<Predicate>,
    visibility: Visibility,
    reached: Vec<Option<StateId>>,
    open: usize,
    dead_end: Option<usize>,
    fired: Vec<bool>,
    unfired: usize,
    next: StateId,
    transitions: u64,
    known: usize,
}

impl BreadthFirst {
    /// A search that has seen the initial states.
    #[must_use]
    pub fn new(model: &Arc<Model>, goals: Vec<Predicate>) -> Self {
        let space = Space::new(model);
        let visibility = Visibility::new(model, &goals);
        let mut search = BreadthFirst {
            reached: vec![None; goals.len()],
            open: goals.len(),
            dead_end: goals.iter().position(|g| *g == Predicate::DeadEnd),
            fired: vec![false; model.groups().len()],
            unfired: model.groups().len(),
            next: 0,
            transitions: 0,
            known: space.len(),
            space,
            goals,
            visibility,
        };
        for state in 0..search.known as StateId {
            for goal in 0..search.goals.len() {
                search.look(goal, state);
            }
        }
        search
    }

    fn look(&mut self, goal: usize, state: StateId) {
        if self.reached[goal].is_none() && self.space.holds(state, &self.goals[goal]) {
            self.reached[goal] = Some(state);
            self.open -= 1;
        }
    }

    /// Expands up to `steps` states; true when all states have been expanded.
    ///
    /// # Errors
    /// When the budget runs out or the model faults.
    pub fn advance(&mut self, steps: u32, budget: &Budget) -> Result<bool, Error> {
        budget.check()?;
        // A look at many goals may take long.
        let mut unwatched = 0;
        for _ in 0..steps {
            if unwatched > 256 {
                budget.check()?;
                unwatched = 0;
            }
            if self.next as usize == self.space.len() {
                return Ok(true);
            }
            let (mut groups, mut targets) = self.space.take_successors(self.next, budget)?;
            self.transitions += groups.len() as u64;
            unwatched += groups.len();
            if let (true, Some(goal)) = (groups.is_empty(), self.dead_end)
                && self.reached[goal].is_none()
            {
                self.reached[goal] = Some(self.next);
                self.open -= 1;
            }
            for (i, (&group, &target)) in groups.iter().zip(&targets).enumerate() {
                if i % 64 == 63 {
                    budget.check()?;
                }
                self.take(group, target);
            }
            self.known = self.space.len();
            self.space.give_back(&mut groups, &mut targets);
            self.next += 1;
        }
        Ok(self.next as usize == self.space.len())
    }

    fn take(&mut self, group: GroupId, target: StateId) {
        if !self.fired[group.index()] {
            self.fired[group.index()] = true;
            self.unfired -= 1;
        }
        if (target as usize) < self.known || self.open == 0 {
            return;
        }
        self.known = target as usize + 1;
        let mut word = 0;
        while let Some(&bits) = self.visibility.changed_by(group).get(word) {
            let mut left = bits;
            while left != 0 {
                let goal = word * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                if Some(goal) != self.dead_end {
                    self.look(goal, target);
                }
            }
            word += 1;
        }
    }

    /// The first state found in each goal.
    #[must_use]
    pub fn reached(&self) -> &[Option<StateId>] {
        &self.reached
    }

    /// How many goals have not been reached.
    #[must_use]
    pub fn open(&self) -> usize {
        self.open
    }

    /// Which groups have fired.
    #[must_use]
    pub fn fired(&self) -> &[bool] {
        &self.fired
    }

    /// How many groups have never fired.
    #[must_use]
    pub fn unfired(&self) -> usize {
        self.unfired
    }

    /// The transitions taken.
    #[must_use]
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// The states found.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Whether every group can fire again from every state; all states must have been expanded.
    ///
    /// That is so if every bottom component of the state graph has a transition of every group.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn is_live(&mut self, budget: &Budget) -> Result<bool, Error> {
        let groups = self.fired.len();
        let own: Vec<u32> = (0..groups as u32).collect();
        self.are_live(&own, groups, budget)
    }

    /// As [`BreadthFirst::is_live`] for `classes` sets of groups, of which some group must be able to fire
    /// again; `class_of` has the set of each group.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn are_live(
        &mut self,
        class_of: &[u32],
        classes: usize,
        budget: &Budget,
    ) -> Result<bool, Error> {
        let mut ever = vec![false; classes];
        for (&class, &fired) in class_of.iter().zip(&self.fired) {
            ever[class as usize] |= fired;
        }
        if ever.contains(&false) {
            return Ok(false);
        }
        let n = self.space.len();
        let bytes = 4 * (self.transitions + n as u64) + 12 * n as u64 + self.space.bytes();
        budget.check_bytes(bytes)?;
        let mut targets: Vec<StateId> = Vec::with_capacity(self.transitions as usize);
        let mut ends: Vec<usize> = Vec::with_capacity(n);
        for state in 0..n as StateId {
            if state.is_multiple_of(4096) {
                budget.check()?;
            }
            targets.extend_from_slice(self.space.successors(state, budget)?.1);
            ends.push(targets.len());
        }
        let start = |q: u32| if q == 0 { 0 } else { ends[q as usize - 1] };
        let components = dalsegno_automata::scc::Components::new(n, 0..n as u32, |q, i| {
            let at = start(q) + i;
            (at < ends[q as usize]).then(|| targets[at])
        });
        let mut bottom = vec![true; components.count];
        for q in 0..n as u32 {
            let mut out = targets[start(q)..ends[q as usize]].iter();
            if out.any(|&t| !components.same(q, t)) {
                bottom[components.of[q as usize] as usize] = false;
            }
        }
        let mut seen: rustc_hash::FxHashMap<u32, (usize, Vec<bool>)> =
            rustc_hash::FxHashMap::default();
        for q in 0..n as u32 {
            let component = components.of[q as usize];
            if !bottom[component as usize] {
                continue;
            }
            let (count, fired) = seen
                .entry(component)
                .or_insert_with(|| (0, vec![false; classes]));
            if *count == classes {
                continue;
            }
            for g in self.space.successors(q, budget)?.0 {
                if !std::mem::replace(&mut fired[class_of[g.index()] as usize], true) {
                    *count += 1;
                }
            }
        }
        Ok(seen.values().all(|(count, _)| *count == classes))
    }
}
