//! Stubborn sets of a product: which groups are fired at a node.
//!
//! The rules are those of `docs/stubborn.md`. What the automaton reacts to at its state and letter (a [`Reaction`])
//! says which kinds of sets there are:
//!
//! - Where stuttering is *free*: an **I set** has enabled members, none of which changes anything now or while others
//!   are moved past it; a **G set** has whoever takes part in the next change with an edge, and its members keep the
//!   values that they leave. I sets need a *release*: every cycle must have a node whose set is a G set or full.
//! - Where letters are read one by one, rule **X**: the set has whoever takes part in leaving the letters on which the
//!   automaton just loops.
//! - A deterministic automaton of a stutter-invariant language has I sets, released to all groups.
//!
//! In a free state those propositions are visible that it sees, which also decide what a stuttering step is; in others all that are
//! observed. Of the sets that are tried the one with the fewest enabled members is taken; of equals, one
//! that needs no release. The kind that was better last time is tried first, and the other is given up as soon as it has as many
//! members; a G set that a release needs is made then. Whatever is not certain makes a node full.
//!
//! Cost: at most ten closures per node; most of them end early, since a set that meets the seed of another try is no better.
//! Where little is left out choices become rare (`gain.rs`), judged for each state of the automaton by itself.

use std::sync::Arc;

use dalsegno_automata::StateId;
use dalsegno_automata::observer::Observer;
use dalsegno_automata::reaction::Reaction;
use dalsegno_kripke::{GroupId, Letter, Model};

use super::changes::Changes;
use super::closure::Closure;
use super::gain::{self, Gain, Sample};
use super::here::Here;
use super::relations::Relations;
use super::seeds;
use crate::labelling::Labelling;
use crate::nodes::Node;
use crate::random::Xorshift;
use crate::steps::Batch;

/// What is fired at a node: of its enabled groups, in the order that they were brought into, the first `fired` ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Choice {
    pub fired: usize,
    /// Whether the node needs no release.
    pub released: bool,
}

impl Choice {
    /// All groups are fired.
    pub fn full(groups: usize) -> Self {
        Choice {
            fired: groups,
            released: true,
        }
    }
}

/// A node at which a set is chosen.
pub(crate) struct At<'a> {
    pub here: Here<'a>,
    pub q: StateId,
    pub letter: Letter,
    pub observer: &'a mut Observer,
}

/// Chooses stubborn sets for one search.
#[derive(Clone)]
pub(crate) struct Stubborn {
    closure: Closure,
    changes: Changes,
    labelling: Labelling,
    batch: Batch,
    /// The enabled members of the best I set and of the G set.
    invisible: Vec<GroupId>,
    goal: Vec<GroupId>,
    /// Per group, whether it is brought to the front; false for all between two choices.
    front: Vec<bool>,
    rest: Vec<GroupId>,
    /// What the last I set was grown from.
    seed: Option<GroupId>,
    /// Whether the last set in a free state was a G set.
    goal_first: bool,
    /// What choices have gained, by automaton state.
    gains: Vec<Gain>,
    pub enabled: u64,
    pub fired: u64,
    #[cfg(test)]
    mutant: Option<super::Flaw>,
}

/// The work that the tries of I sets may take, for each enabled group.
const EFFORT: u64 = 1024;

impl Stubborn {
    /// Sets for a search in the product of this model with an observer of these propositions.
    pub fn new(
        model: &Arc<Model>,
        relations: &Arc<Relations>,
        labelling: &Labelling,
        random: Option<u64>,
    ) -> Self {
        let mut closure = Closure::new(model, relations);
        let changes = Changes::new(labelling.propositions(), &mut closure);
        closure.random = random.map(Xorshift::new);
        Stubborn {
            front: vec![false; model.groups().len()],
            closure,
            changes,
            labelling: labelling.clone(),
            batch: Batch::default(),
            invisible: Vec::new(),
            goal: Vec::new(),
            rest: Vec::new(),
            seed: None,
            goal_first: true,
            gains: Vec::new(),
            enabled: 0,
            fired: 0,
            #[cfg(test)]
            mutant: super::tests::mutant(),
        }
    }

    /// Whether a set is to be chosen at the next node with this automaton state.
    #[inline]
    pub fn pays(&mut self, q: StateId) -> bool {
        // Random choices are for tests, which want them everywhere.
        self.closure.random.is_some() || self.gain(q).pays()
    }

    /// Whether there may be a set that leaves something out where an automaton state is at a letter.
    #[inline]
    pub fn may_reduce(&self, observer: &mut Observer, q: StateId, letter: Letter) -> bool {
        observer.reaction(q, letter, self.changes.weights()) != Reaction::Any
    }

    #[inline]
    fn gain(&mut self, q: StateId) -> &mut Gain {
        if q.index() >= self.gains.len() {
            self.gains.resize(q.index() + 1, Gain::default());
        }
        &mut self.gains[q.index()]
    }

    /// Whether nodes are released.
    pub fn releases(&self) -> bool {
        !self.is_mutant(super::Flaw::NoRelease)
    }

    /// A node of whose groups the first ones were fired is released: brings those of a G set in front of the others, if it has
    /// one; how many more are fired.
    pub fn release(&mut self, mut at: At<'_>, groups: &mut [GroupId], fired: usize) -> usize {
        let reaction = at
            .observer
            .reaction(at.q, at.letter, self.changes.weights());
        let mut more = groups.len() - fired;
        if let Reaction::Free {
            accepting,
            meets,
            visible,
        } = reaction
        {
            self.closure.enter(&at.here, groups);
            let mask = self.mask(meets, visible);
            let most = groups.len() - 1;
            if self.goal_set(&mut at, groups, (accepting, meets), mask, most) {
                more = self.bring_goal(&mut groups[fired..]);
            }
        }
        self.fired += more as u64;
        self.gain(at.q).released(more);
        more
    }

    /// The bytes of the tables.
    pub fn bytes(&self) -> u64 {
        self.closure.bytes()
            + self.closure.relations.bytes()
            + 25 * self.front.len() as u64
            + (size_of::<Gain>() * self.gains.capacity()) as u64
    }

    /// Chooses what is fired at a node with these enabled groups, and brings them into that order.
    pub fn choose(&mut self, mut at: At<'_>, groups: &mut [GroupId]) -> Choice {
        let before = self.closure.work();
        let choice = if groups.len() <= 1 {
            Choice::full(groups.len())
        } else {
            self.closure.enter(&at.here, groups);
            self.choose_among(&mut at, groups)
        };
        self.enabled += groups.len() as u64;
        self.fired += choice.fired as u64;
        let work = self.closure.relations.overhead() + self.closure.work() - before;
        self.gain(at.q).chosen(groups.len(), choice.fired, work);
        choice
    }

    /// After a choice at a node, which has left out these groups: remembers a step now and then, and returns an earlier one with the
    /// same automaton state, that is to be looked up.
    #[inline]
    pub fn remember(&mut self, node: Node, left_out: &[GroupId]) -> Option<Sample> {
        let gain = self.gain(node.q);
        let which = gain.wants(left_out.len())?;
        gain.remember((node.state, left_out[which]))
    }

    /// All nodes that a step leads to which was left out have been seen by now, or not.
    pub fn looked_up(&mut self, q: StateId, known: bool) {
        self.gain(q).looked_up(known);
    }

    /// Chooses what is fired where no node is released: brings these enabled groups into an order of which the first ones are
    /// fired, and tells how many. It depends on nothing but the node, so it is the same whenever and wherever it is asked.
    pub fn choose_alone(&mut self, mut at: At<'_>, groups: &mut [GroupId]) -> usize {
        let fired = self.alone(&mut at, groups);
        self.enabled += groups.len() as u64;
        self.fired += fired as u64;
        fired
    }

    fn alone(&mut self, at: &mut At<'_>, groups: &mut [GroupId]) -> usize {
        if groups.len() <= 1 {
            return groups.len();
        }
        self.closure.enter(&at.here, groups);
        let reaction = at
            .observer
            .reaction(at.q, at.letter, self.changes.weights());
        let found = match reaction {
            Reaction::Any | Reaction::Order => false,
            Reaction::Free {
                accepting,
                meets,
                visible,
            } => {
                let (mask, most) = (self.mask(meets, visible), groups.len() - 1);
                self.goal_set(at, groups, (accepting, meets), mask, most)
            }
            Reaction::Quiet {
                accepting,
                meets,
                support,
            } => self.quiet_set(at, groups, accepting, meets, support),
        };
        if found {
            self.bring_goal(groups)
        } else {
            groups.len()
        }
    }

    /// Whether all sets so far were worth what they took.
    pub fn was_good(&self) -> bool {
        gain::is_good(self.enabled, self.fired, self.closure.work())
    }

    fn choose_among(&mut self, at: &mut At<'_>, groups: &mut [GroupId]) -> Choice {
        let reaction = at
            .observer
            .reaction(at.q, at.letter, self.changes.weights());
        let (invisible, goal) = match reaction {
            Reaction::Any => (false, false),
            Reaction::Order => {
                let found = self.invisible_set(at, groups, u64::MAX, groups.len());
                (found, false)
            }
            Reaction::Free {
                accepting,
                meets,
                visible,
            } => {
                let mask = self.mask(meets, visible);
                let found = self.free_sets(at, groups, (accepting, meets), mask);
                self.goal_first = found.1;
                found
            }
            Reaction::Quiet {
                accepting,
                meets,
                support,
            } => {
                let found = self.quiet_set(at, groups, accepting, meets, support);
                (false, found)
            }
        };
        if goal {
            let fired = self.bring_goal(groups);
            let released = true;
            Choice { fired, released }
        } else if invisible {
            let members = std::mem::take(&mut self.invisible);
            let fired = self.bring(groups, &members);
            self.invisible = members;
            let released = false;
            Choice { fired, released }
        } else {
            Choice::full(groups.len())
        }
    }

    /// Leaves an I set in `invisible` or a G set in `goal`: which of them. Begins with the kind that was better last time, and looks
    /// for the other one only if that may have fewer members.
    fn free_sets(
        &mut self,
        at: &mut At<'_>,
        groups: &[GroupId],
        (accepting, meets): (bool, u64),
        mask: u64,
    ) -> (bool, bool) {
        let all = groups.len();
        if self.closure.random.is_some() {
            let invisible = self.invisible_set(at, groups, mask, all + 1);
            let goal = self.goal_set(at, groups, (accepting, meets), mask, all - 1);
            let goal = goal && !(invisible && self.closure.toss(2) == 0);
            return (invisible, goal);
        }
        if self.goal_first {
            let goal = self.goal_set(at, groups, (accepting, meets), mask, all - 1);
            let most = if goal { self.goal.len() } else { all };
            let invisible = self.invisible_set(at, groups, mask, most);
            return (invisible, goal && !invisible);
        }
        let invisible = self.invisible_set(at, groups, mask, all);
        if invisible && self.invisible.len() == 1 {
            return (true, false);
        }
        // Of equals, a G set is better, since it needs no release.
        let most = if invisible {
            self.invisible.len()
        } else {
            all - 1
        };
        let goal = self.goal_set(at, groups, (accepting, meets), mask, most);
        (invisible, goal)
    }

    fn bring_goal(&mut self, groups: &mut [GroupId]) -> usize {
        let members = std::mem::take(&mut self.goal);
        let count = self.bring(groups, &members);
        self.goal = members;
        count
    }

    /// Brings the members of a set to the front of these groups, which keep their order otherwise; how many of them there are.
    fn bring(&mut self, groups: &mut [GroupId], members: &[GroupId]) -> usize {
        for member in members {
            self.front[member.index()] = true;
        }
        self.rest.clear();
        let mut count = 0;
        for i in 0..groups.len() {
            let group = groups[i];
            if self.front[group.index()] {
                groups[count] = group;
                count += 1;
            } else {
                self.rest.push(group);
            }
        }
        groups[count..].copy_from_slice(&self.rest);
        for member in members {
            self.front[member.index()] = false;
        }
        count
    }

    /// Leaves the enabled members of an I set in `invisible`, if one with fewer than so many is found.
    fn invisible_set(
        &mut self,
        at: &At<'_>,
        groups: &[GroupId],
        mask: u64,
        mut most: usize,
    ) -> bool {
        self.invisible.clear();
        if most <= 1 {
            return false;
        }
        self.changes
            .bar_changers(mask, at.letter, &mut self.closure);
        self.rest.clear();
        for &group in groups {
            if !self.closure.is_barred(group) {
                self.rest.push(group);
            }
        }
        if self.closure.random.is_some() {
            let seed = self.closure.toss(self.rest.len());
            let most = groups.len();
            return !self.rest.is_empty() && self.grow_invisible(at, self.rest[seed], most, mask);
        }
        // Who was good last time may still be.
        let last = self
            .seed
            .and_then(|seed| self.rest.iter().position(|&g| g == seed));
        let limit = self.closure.work() + EFFORT * (4 + groups.len() as u64);
        for seed in last.into_iter().chain(seeds::spread(self.rest.len())) {
            if most <= 1 || self.closure.work() > limit {
                break;
            }
            let seed = self.rest[seed];
            if self.closure.is_barred(seed) {
                continue;
            }
            if !self.closure.fails_at_once(seed, most - 1)
                && self.grow_invisible(at, seed, most - 1, mask)
            {
                most = self.invisible.len();
                self.seed = Some(seed);
            }
            // A set that has this one is no smaller, and has what ended this one.
            self.closure.bar(seed);
        }
        !self.invisible.is_empty()
    }

    /// Grows an I set with at most so many enabled members: none changes what is visible, and neither may those who are
    /// moved past it.
    fn grow_invisible(&mut self, at: &At<'_>, seed: GroupId, most: usize, mask: u64) -> bool {
        let (closure, changes) = (&mut self.closure, &self.changes);
        closure.begin();
        closure.add(seed);
        while let Some((group, enabled)) = closure.next() {
            if enabled {
                let touched = changes.touched(group) & mask;
                changes.add_changers(touched, at.letter, closure);
            }
            closure.close_over(&at.here, (group, enabled));
            // Those who change what is visible are barred.
            if closure.found().len() > most || closure.meets_barred() {
                return false;
            }
        }
        seeds::keep(closure, &mut self.invisible);
        true
    }

    /// Leaves the enabled members of a G set in `goal`, if there is one with at most so many.
    fn goal_set(
        &mut self,
        at: &mut At<'_>,
        groups: &[GroupId],
        (accepting, meets): (bool, u64),
        mask: u64,
        most: usize,
    ) -> bool {
        self.closure.begin();
        let (changes, closure) = (&self.changes, &mut self.closure);
        changes.add_up(meets, at.letter, &at.here, closure);
        let mut stutters = !accepting || self.is_mutant(super::Flaw::NoStep);
        loop {
            while let Some((group, enabled)) = self.closure.next() {
                if enabled {
                    self.keep_values(at, group, mask);
                }
                self.closure.close_over(&at.here, (group, enabled));
                if self.closure.found().len() > most {
                    return false;
                }
            }
            if stutters {
                break;
            }
            stutters = true;
            match self.stuttering(at, groups, mask) {
                Found::Member | Found::Nobody => {}
                Found::Other(group) => self.closure.add(group),
                Found::Unknown => return false,
            }
        }
        seeds::keep(&self.closure, &mut self.goal);
        true
    }

    /// G3: nobody who is moved past an enabled member changes what it may change from the value that it leaves.
    fn keep_values(&mut self, at: &mut At<'_>, group: GroupId, mask: u64) {
        if self.is_mutant(super::Flaw::NoValues) {
            return;
        }
        let touched = self.changes.touched(group) & mask;
        if touched == 0 {
            return;
        }
        let possible = self.changes.possible(group, at.letter) & mask;
        let kept = touched & !possible;
        self.changes
            .add_changers(kept, at.letter, &mut self.closure);
        if possible == 0 {
            return;
        }
        // What is true and what is false after some step.
        let (mut truths, mut falsehoods) = (0, 0);
        if at.here.peek(group, &mut self.batch) {
            let words = at.here.steps.words();
            for state in self.batch.states.chunks_exact(words) {
                let after = self
                    .labelling
                    .letter_after(at.here.steps, state, group, at.letter);
                truths |= after.0;
                falsehoods |= !after.0;
            }
        } else {
            (truths, falsehoods) = (u64::MAX, u64::MAX);
        }
        let (changes, closure) = (&self.changes, &mut self.closure);
        changes.add_changers(possible & truths, Letter(u64::MAX), closure);
        changes.add_changers(possible & falsehoods, Letter(0), closure);
    }

    /// G4: who changes nothing here. Members are preferred, and groups of which that is known without firing them.
    fn stuttering(&mut self, at: &mut At<'_>, groups: &[GroupId], mask: u64) -> Found {
        let letter = at.letter;
        let still = |g: &GroupId, changes: &Changes| changes.possible(*g, letter) & mask == 0;
        if self.closure.found().iter().any(|g| still(g, &self.changes)) {
            return Found::Member;
        }
        let members = self.closure.found().len();
        let mut unknown = false;
        for i in 0..members {
            let group = self.closure.found()[i];
            match self.stutters_by(at, group, mask) {
                Some(true) => return Found::Member,
                Some(false) => {}
                None => unknown = true,
            }
        }
        if let Some(&group) = groups.iter().find(|g| still(g, &self.changes)) {
            return Found::Other(group);
        }
        for &group in groups {
            if self.closure.has(group) {
                continue;
            }
            match self.stutters_by(at, group, mask) {
                Some(true) => return Found::Other(group),
                Some(false) => {}
                None => unknown = true,
            }
        }
        if unknown {
            Found::Unknown
        } else {
            Found::Nobody
        }
    }

    /// Whether some step of a group changes nothing, if that can be told.
    fn stutters_by(&mut self, at: &mut At<'_>, group: GroupId, mask: u64) -> Option<bool> {
        if !at.here.peek(group, &mut self.batch) {
            return None;
        }
        let words = at.here.steps.words();
        let steps = &*at.here.steps;
        let mut states = self.batch.states.chunks_exact(words);
        Some(states.any(|state| {
            let after = self.labelling.letter_after(steps, state, group, at.letter);
            (at.letter ^ after).0 & mask == 0
        }))
    }

    /// Rule X: leaves in `goal` the enabled members of a set that has whoever takes part in leaving the quiet letters, if there
    /// is one that leaves something out.
    fn quiet_set(
        &mut self,
        at: &mut At<'_>,
        groups: &[GroupId],
        accepting: bool,
        meets: u64,
        support: u64,
    ) -> bool {
        self.closure.begin();
        let (changes, closure) = (&self.changes, &mut self.closure);
        changes.add_up(meets, at.letter, &at.here, closure);
        let mut has_all = self.is_mutant(super::Flaw::NoQuiet);
        loop {
            while let Some((group, enabled)) = self.closure.next() {
                if enabled && self.changes.touched(group) & support != 0 {
                    if !has_all {
                        has_all = true;
                        self.changes.add_touching(support, &mut self.closure);
                    }
                    if !self.stays_quiet(at, group) {
                        return false;
                    }
                }
                self.closure.close_over(&at.here, (group, enabled));
                if self.closure.found().len() >= groups.len() {
                    return false;
                }
            }
            if !accepting || !self.closure.found().is_empty() {
                break;
            }
            // Staying for ever is accepted, so there must be a step.
            let mut all = groups.iter();
            let still = all.find(|g| self.changes.touched(**g) & support == 0);
            self.closure.add(still.copied().unwrap_or(groups[0]));
        }
        seeds::keep(&self.closure, &mut self.goal);
        true
    }

    /// Whether all steps of a group lead to quiet letters.
    fn stays_quiet(&mut self, at: &mut At<'_>, group: GroupId) -> bool {
        if self.is_mutant(super::Flaw::NoQuiet) {
            return true;
        }
        if !at.here.peek(group, &mut self.batch) {
            return false;
        }
        let words = at.here.steps.words();
        let mut states = self.batch.states.chunks_exact(words);
        states.all(|state| {
            let after = self
                .labelling
                .letter_after(at.here.steps, state, group, at.letter);
            at.observer.is_quiet(at.q, at.letter, after)
        })
    }

    /// The propositions whose changes are visible.
    fn mask(&self, meets: u64, visible: u64) -> u64 {
        #[cfg(test)]
        if let Some(super::Flaw::UnmaskedSteps(mask)) = self.mutant {
            return mask;
        }
        if self.is_mutant(super::Flaw::OwnMask) {
            meets
        } else {
            visible
        }
    }

    /// Whether a rule is left out, which only tests do.
    #[cfg(test)]
    fn is_mutant(&self, flaw: super::Flaw) -> bool {
        self.mutant == Some(flaw)
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "tests ask the same question")]
    fn is_mutant(&self, _: super::Flaw) -> bool {
        false
    }
}

/// Who changes nothing at a node.
enum Found {
    /// A member of the set.
    Member,
    /// Another group.
    Other(GroupId),
    Nobody,
    /// It cannot be told.
    Unknown,
}
