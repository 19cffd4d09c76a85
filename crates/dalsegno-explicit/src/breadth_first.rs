//! One breadth-first search that answers many questions about reachable states.
//!
//! States are numbered as they are found, so the numbers of the store are the queue; states that other searches have
//! added to it are expanded too. Each goal is a set of states that may or may not be reachable. How it is decided
//! depends on what it is:
//!
//! - A goal that was not reached before a step can be reached by it only if the group that fires can change the goal,
//!   so on most steps nothing is evaluated. A state that somebody else has found is looked at for all goals.
//! - That some group is enabled is seen when it fires, and a dead end when nothing does: thousands of such goals cost
//!   nothing per state.

use dalsegno_kripke::{Budget, GroupId, Predicate, Visibility};

use crate::space::{Error, Space, StateId};

/// What has been found so far.
pub struct BreadthFirst {
    reached: Vec<Option<StateId>>,
    wanted: Vec<bool>,
    /// Goals that are wanted and were not reached.
    open: usize,
    /// The goals that are evaluated, and which goals they are.
    predicates: Vec<Predicate>,
    evaluated: Vec<usize>,
    visibility: Visibility,
    /// Evaluated goals that came later, each with the first state that was not looked at for it.
    late: Vec<(usize, StateId)>,
    /// For each group the goals that it decides by firing.
    by_firing: Vec<Vec<usize>>,
    dead_end_goals: Vec<usize>,
    /// The first dead end, and the first state that each group fired from.
    dead_end: Option<StateId>,
    fired_from: Vec<Option<StateId>>,
    fired: Vec<bool>,
    unfired: usize,
    /// All states before this one have been expanded.
    next: StateId,
    transitions: u64,
    /// All states before this one have been looked at, but for the late goals.
    known: StateId,
}

/// Goals looked at between two looks at the budget.
const WATCH: usize = 256;

impl BreadthFirst {
    /// A search that has looked at the initial states.
    #[must_use]
    pub fn new(space: &Space, goals: Vec<Predicate>) -> Self {
        let groups = space.model().groups().len();
        let mut search = BreadthFirst {
            reached: Vec::with_capacity(goals.len()),
            wanted: Vec::with_capacity(goals.len()),
            open: 0,
            predicates: Vec::new(),
            evaluated: Vec::new(),
            visibility: Visibility::new(space.model(), &[]),
            late: Vec::new(),
            by_firing: vec![Vec::new(); groups],
            dead_end_goals: Vec::new(),
            dead_end: None,
            fired_from: vec![None; groups],
            fired: vec![false; groups],
            unfired: groups,
            next: 0,
            transitions: 0,
            known: 0,
        };
        for goal in goals {
            search.register(goal);
        }
        search.visibility = Visibility::new(space.model(), &search.predicates);
        // The first states of a store are the initial ones.
        search.known = space.initial().len() as StateId;
        for state in 0..search.known {
            search.look_at_all(space, state);
        }
        search
    }

    /// Adds a goal and gives its number. What has fired and the initial states are looked at here; the other known
    /// states are looked at by the next [`BreadthFirst::advance`], which watches its budget.
    pub fn add_goal(&mut self, space: &Space, goal: Predicate) -> usize {
        let number = self.register(goal);
        if self.evaluated.last() == Some(&number) {
            self.visibility = Visibility::new(space.model(), &self.predicates);
            let column = self.evaluated.len() - 1;
            let first = space.initial().len() as StateId;
            for state in 0..first {
                self.look(space, column, state);
            }
            if self.is_open(number) {
                self.late.push((column, first));
            }
        }
        number
    }

    /// Stops to look for a goal; it stays reached if it was.
    pub fn drop_goal(&mut self, goal: usize) {
        self.open -= usize::from(self.is_open(goal));
        self.wanted[goal] = false;
    }

    fn register(&mut self, goal: Predicate) -> usize {
        let number = self.reached.len();
        self.reached.push(None);
        self.wanted.push(true);
        self.open += 1;
        match goal {
            Predicate::Enabled(groups) => {
                let found = groups.iter().find_map(|g| self.fired_from[g.index()]);
                if let Some(state) = found {
                    self.reach(number, state);
                } else {
                    for g in groups {
                        self.by_firing[g.index()].push(number);
                    }
                }
            }
            Predicate::DeadEnd => match self.dead_end {
                Some(state) => self.reach(number, state),
                None => self.dead_end_goals.push(number),
            },
            predicate => {
                self.evaluated.push(number);
                self.predicates.push(predicate);
            }
        }
        number
    }

    fn is_open(&self, goal: usize) -> bool {
        self.wanted[goal] && self.reached[goal].is_none()
    }

    fn reach(&mut self, goal: usize, state: StateId) {
        if self.is_open(goal) {
            self.reached[goal] = Some(state);
            self.open -= 1;
        }
    }

    /// Evaluates one goal in a state, if it is open.
    #[inline]
    fn look(&mut self, space: &Space, column: usize, state: StateId) {
        let goal = self.evaluated[column];
        if self.is_open(goal) && space.holds(state, &self.predicates[column]) {
            self.reach(goal, state);
        }
    }

    fn look_at_all(&mut self, space: &Space, state: StateId) {
        for column in 0..self.evaluated.len() {
            self.look(space, column, state);
        }
    }

    /// Expands up to `steps` states; true when all states have been expanded and looked at.
    ///
    /// # Errors
    /// When the budget runs out or the model faults. The search may go on with another budget.
    pub fn advance(
        &mut self,
        space: &mut Space,
        steps: u32,
        budget: &Budget,
    ) -> Result<bool, Error> {
        budget.check()?;
        self.catch_up(space, budget)?;
        // A look at many goals may take long.
        let mut unwatched = 0;
        for _ in 0..steps {
            if unwatched > WATCH {
                budget.check()?;
                unwatched = 0;
            }
            if self.next as usize == space.len() {
                return Ok(true);
            }
            let (mut groups, mut targets) = space.take_successors(self.next, budget)?;
            unwatched += groups.len();
            let taken = self.take(space, &groups, &targets, budget);
            let count = groups.len() as u64;
            space.give_back(&mut groups, &mut targets);
            taken?;
            self.transitions += count;
            self.next += 1;
        }
        Ok(self.next as usize == space.len())
    }

    /// Looks at what others have added, and for late goals at what was known before.
    fn catch_up(&mut self, space: &Space, budget: &Budget) -> Result<(), Error> {
        let mut looks = 0;
        let mut watch = |more: usize| {
            looks += more;
            if looks > WATCH {
                looks = 0;
                return budget.check();
            }
            Ok(())
        };
        while let Some(&(column, state)) = self.late.last() {
            if state >= self.known || !self.is_open(self.evaluated[column]) {
                self.late.pop();
                continue;
            }
            watch(1)?;
            self.look(space, column, state);
            if let Some((_, state)) = self.late.last_mut() {
                *state += 1;
            }
        }
        while (self.known as usize) < space.len() {
            if self.open == 0 {
                self.known = space.len() as StateId;
                break;
            }
            watch(1 + self.evaluated.len())?;
            self.look_at_all(space, self.known);
            self.known += 1;
        }
        Ok(())
    }

    /// Looks at the steps from the next state.
    fn take(
        &mut self,
        space: &Space,
        groups: &[GroupId],
        targets: &[StateId],
        budget: &Budget,
    ) -> Result<(), Error> {
        if groups.is_empty() && self.dead_end.is_none() {
            self.dead_end = Some(self.next);
            for goal in std::mem::take(&mut self.dead_end_goals) {
                self.reach(goal, self.next);
            }
        }
        for (i, (&group, &target)) in groups.iter().zip(targets).enumerate() {
            if i % 64 == 63 {
                budget.check()?;
            }
            if !self.fired[group.index()] {
                self.fire(group);
            }
            if target < self.known {
                continue;
            }
            if self.open > 0 {
                self.look_after(space, group, target);
            }
            self.known = target + 1;
        }
        Ok(())
    }

    fn fire(&mut self, group: GroupId) {
        self.fired[group.index()] = true;
        self.fired_from[group.index()] = Some(self.next);
        self.unfired -= 1;
        for goal in std::mem::take(&mut self.by_firing[group.index()]) {
            self.reach(goal, self.next);
        }
    }

    /// Looks at the goals that a group can change.
    fn look_after(&mut self, space: &Space, group: GroupId, target: StateId) {
        let mut word = 0;
        while let Some(&bits) = self.visibility.changed_by(group).get(word) {
            let mut left = bits;
            while left != 0 {
                let column = word * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                self.look(space, column, target);
            }
            word += 1;
        }
    }

    /// A state found in each goal.
    #[must_use]
    pub fn reached(&self) -> &[Option<StateId>] {
        &self.reached
    }

    /// How many goals are looked for.
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

    /// Whether all states have been expanded, and looked at for all goals that are open.
    #[must_use]
    pub fn is_complete(&self, space: &Space) -> bool {
        let late = |&(column, state): &(usize, StateId)| {
            state < self.known && self.is_open(self.evaluated[column])
        };
        self.next as usize == space.len() && !self.late.iter().any(late)
    }

    /// Whether every group can fire again from every state; all states must have been expanded.
    ///
    /// That is so if every bottom component of the state graph has a transition of every group.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn is_live(&self, space: &mut Space, budget: &Budget) -> Result<bool, Error> {
        let groups = self.fired.len();
        let own: Vec<u32> = (0..groups as u32).collect();
        self.are_live(space, &own, groups, budget)
    }

    /// As [`BreadthFirst::is_live`] for `classes` sets of groups, of which some group must be able to fire
    /// again; `class_of` has the set of each group.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn are_live(
        &self,
        space: &mut Space,
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
        crate::liveness::are_live(space, self.transitions, class_of, classes, budget)
    }
}
