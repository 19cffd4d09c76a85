//! Who can change which observed proposition, and from which value.

use dalsegno_kripke::{Changeset, GroupId, Letter, Predicate};

use super::closure::Closure;
use super::goals::Goal;
use super::here::Here;
use super::lists::ListId;

/// The groups that can change the observed propositions. Sets of propositions are bits.
#[derive(Clone)]
pub(crate) struct Changes {
    goals: Vec<Goal>,
    /// Per proposition those who can make it true, and those who can make it false.
    lists: Vec<[ListId; 2]>,
    /// Per group the propositions that it can make true, and false.
    rises: Vec<u64>,
    falls: Vec<u64>,
    /// How many groups can change each proposition.
    weights: Vec<u32>,
}

impl Changes {
    pub fn new(propositions: &[Predicate], closure: &mut Closure) -> Self {
        let groups = closure.model.groups().len();
        let mut changes = Changes {
            goals: Vec::new(),
            lists: Vec::new(),
            rises: vec![0; groups],
            falls: vec![0; groups],
            weights: Vec::new(),
        };
        for (p, proposition) in propositions.iter().enumerate() {
            let goal = Goal::new(proposition, closure);
            let mut lists = [true, false].map(|value| {
                let mut list = Vec::new();
                goal.changers(value, closure, &mut list);
                list.sort_unstable();
                list.dedup();
                list
            });
            changes
                .weights
                .push((lists[0].len() + lists[1].len()) as u32);
            for &g in &lists[0] {
                changes.rises[g as usize] |= 1 << p;
            }
            for &g in &lists[1] {
                changes.falls[g as usize] |= 1 << p;
            }
            let lists = [0, 1].map(|i| closure.keep(std::mem::take(&mut lists[i])));
            changes.lists.push(lists);
            changes.goals.push(goal);
        }
        changes
    }

    /// How many groups can change each proposition.
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// The propositions that a group can change where a letter holds.
    #[inline]
    pub fn possible(&self, group: GroupId, letter: Letter) -> u64 {
        let g = group.index();
        self.rises[g] & !letter.0 | self.falls[g] & letter.0
    }

    /// The propositions that a group can change somewhere.
    #[inline]
    pub fn touched(&self, group: GroupId) -> u64 {
        self.rises[group.index()] | self.falls[group.index()]
    }

    /// Adds all groups that can change these propositions from the values that they have in a letter.
    #[inline]
    pub fn add_changers(&self, propositions: u64, letter: Letter, closure: &mut Closure) {
        for p in Changeset(propositions).iter() {
            closure.add_list(self.lists[p][usize::from(letter.holds(p))]);
        }
    }

    /// No set is of use that has an enabled group which can change one of these propositions where a letter holds.
    pub fn bar_changers(&self, propositions: u64, letter: Letter, closure: &mut Closure) {
        for (p, lists) in self.lists.iter().enumerate() {
            if propositions >> p & 1 == 1 {
                closure.bar_list(lists[usize::from(letter.holds(p))]);
            }
        }
    }

    /// Adds all groups that can change these propositions.
    pub fn add_touching(&self, propositions: u64, closure: &mut Closure) {
        self.add_changers(propositions, Letter(0), closure);
        self.add_changers(propositions, Letter(u64::MAX), closure);
    }

    /// Adds the up-sets of "this proposition changes the value that it has in the letter of this state".
    pub fn add_up(
        &self,
        propositions: u64,
        letter: Letter,
        here: &Here<'_>,
        closure: &mut Closure,
    ) {
        for p in Changeset(propositions).iter() {
            self.goals[p].add_up(!letter.holds(p), here, closure);
        }
    }
}
