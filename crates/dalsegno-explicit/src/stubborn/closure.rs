//! Closed sets of groups, grown from seeds.
//!
//! A set T is closed at a state (rule COM) if with an enabled group it has all groups that depend on it, and with a
//! disabled one all groups that can make *one* false part of its guard true. Then steps outside of T neither disable an
//! enabled member nor enable a disabled one, and the first member of T on any path can be moved to its front.
//!
//! A closure is linear in the sets that it looks at, which are added a word of 64 groups at a time. What the last
//! closure has touched is cleared when the next one begins, and nothing is allocated once the stacks have grown.

use std::sync::Arc;

use dalsegno_kripke::{GroupId, Model, VarId};

use super::here::Here;
use super::lists::{self, ListId, Lists};
use super::relations::{Relations, outline};
use super::set::{Few, Set, bit, words};
use crate::random::Xorshift;

/// Sets of groups at one state.
#[derive(Clone)]
pub(crate) struct Closure {
    pub model: Arc<Model>,
    pub relations: Arc<Relations>,
    /// Lists beyond those of the relations: of propositions and goals.
    pub(super) own: Lists,
    pub(super) set: Set,
    /// The values of the state, where functions are asked for their parts.
    pub(super) values: Vec<u32>,
    /// Variables that such a function looks at or reads, and that it writes.
    pub(super) looked: Vec<VarId>,
    written: Vec<VarId>,
    /// Chooses among what is valid, where tests want all valid sets to be tried.
    pub random: Option<Xorshift>,
}

impl Closure {
    /// Closures of a model.
    pub fn new(model: &Arc<Model>, relations: &Arc<Relations>) -> Self {
        let groups = model.groups().len();
        Closure {
            set: Set::new(groups, relations.lists.len()),
            values: Vec::new(),
            looked: Vec::new(),
            written: Vec::new(),
            random: None,
            own: Lists::default(),
            model: Arc::clone(model),
            relations: Arc::clone(relations),
        }
    }

    /// Keeps a list of groups beyond those of the relations.
    pub fn keep(&mut self, groups: Vec<u32>) -> ListId {
        let base = self.relations.lists.len() as u32;
        let ListId(number) = self.own.push(groups);
        self.set.seen.push(0);
        ListId(base + number)
    }

    /// The groups of a list.
    pub fn list(&self, id: ListId) -> impl Iterator<Item = u32> + '_ {
        lists::groups(words(&self.relations, &self.own, id))
    }

    /// A state is looked at, with its enabled groups.
    pub fn enter(&mut self, here: &Here<'_>, enabled: &[GroupId]) {
        self.begin();
        if self.relations.outlines {
            self.values.resize(self.model.variables().len(), 0);
            here.steps.unpack(here.state, &mut self.values);
        }
        let set = &mut self.set;
        for &at in &set.entered {
            let few = &mut set.parts[at as usize];
            (few.enabled, few.barred) = (0, 0);
        }
        set.entered.clear();
        for &group in enabled {
            let (at, bit) = bit(group);
            let few = &mut set.parts[at as usize];
            if few.enabled == 0 {
                set.entered.push(at);
            }
            few.enabled |= bit;
        }
    }

    /// Whether a group is enabled here.
    #[inline]
    pub fn is_enabled(&self, group: GroupId) -> bool {
        let (at, bit) = bit(group);
        self.set.parts[at as usize].enabled & bit != 0
    }

    /// The first group that is enabled here.
    pub fn first_enabled(&self) -> Option<GroupId> {
        let at = *self.set.entered.iter().min()?;
        let enabled = self.set.parts[at as usize].enabled;
        Some(GroupId(64 * at + enabled.trailing_zeros()))
    }

    /// No set at this state that has this enabled group is of use any more.
    #[inline]
    pub fn bar(&mut self, group: GroupId) {
        let (at, bit) = bit(group);
        self.set.parts[at as usize].barred |= bit;
    }

    /// The same for the enabled groups of a list.
    pub fn bar_list(&mut self, id: ListId) {
        for word in words(&self.relations, &self.own, id) {
            let few = &mut self.set.parts[word.at as usize];
            few.barred |= word.bits & few.enabled;
        }
    }

    /// Whether an enabled group is of no use.
    #[inline]
    pub fn is_barred(&self, group: GroupId) -> bool {
        let (at, bit) = bit(group);
        self.set.parts[at as usize].barred & bit != 0
    }

    /// Whether the set has a group that is of no use.
    #[inline]
    pub fn meets_barred(&self) -> bool {
        self.set.barred
    }

    /// Begins a new set.
    pub fn begin(&mut self) {
        let set = &mut self.set;
        if set.stamp == u32::MAX {
            set.stamp = 0;
            set.seen.fill(0);
        }
        set.stamp += 1;
        for &at in &set.touched {
            let few = &mut set.parts[at as usize];
            (few.member, few.waiting) = (0, 0);
        }
        set.touched.clear();
        set.open.clear();
        set.found.clear();
        set.treated = 0;
        set.barred = false;
    }

    /// Whether a group belongs to the set.
    #[inline]
    pub fn has(&self, group: GroupId) -> bool {
        let (at, bit) = bit(group);
        self.set.parts[at as usize].member & bit != 0
    }

    /// The enabled members, in the order in which they came.
    pub fn found(&self) -> &[GroupId] {
        &self.set.found
    }

    /// Adds a group.
    #[inline]
    pub fn add(&mut self, group: GroupId) {
        let (at, bit) = bit(group);
        self.set.add(at, bit);
    }

    /// Adds the groups of a list.
    #[inline]
    pub fn add_list(&mut self, id: ListId) {
        self.set.add_list(&self.relations, &self.own, id);
    }

    /// How many groups a list may add.
    #[inline]
    pub fn cost(&self, id: ListId) -> usize {
        if self.set.seen[id.0 as usize] == self.set.stamp {
            0
        } else {
            let base = self.relations.lists.len() as u32;
            if id.0 < base {
                self.relations.lists.count(id)
            } else {
                self.own.count(ListId(id.0 - base))
            }
        }
    }

    /// A member whose rules have not been applied, if there is one, and whether it is enabled: enabled ones first, since a
    /// set that gets too many of them is given up.
    #[inline]
    pub fn next(&mut self) -> Option<(GroupId, bool)> {
        let set = &mut self.set;
        set.work += 1;
        if let Some(&group) = set.found.get(set.treated) {
            set.treated += 1;
            return Some((group, true));
        }
        let at = *set.open.last()?;
        let few = &mut set.parts[at as usize];
        let group = 64 * at + few.waiting.trailing_zeros();
        few.waiting &= few.waiting - 1;
        if few.waiting == 0 {
            set.open.pop();
        }
        Some((GroupId(group), false))
    }

    /// Applies rule COM to a member.
    #[inline]
    pub fn close_over(&mut self, here: &Here<'_>, (group, enabled): (GroupId, bool)) {
        if enabled {
            let (relations, set) = (&*self.relations, &mut self.set);
            let words = relations.drawn_words(group);
            set.work += words.len() as u64;
            for word in words {
                set.add(word.at, word.bits);
            }
            for &id in relations.drawn(group) {
                set.add_list(relations, &self.own, id);
            }
            if relations.outlines {
                self.add_used(group);
            }
        } else {
            self.add_enabling(here, group);
        }
    }

    /// Whether those alone who depend on an enabled group are too many enabled ones, or have one that is of no use.
    #[inline]
    pub fn fails_at_once(&mut self, group: GroupId, most: usize) -> bool {
        let set = &mut self.set;
        set.work += 1;
        let mut count = 0;
        for word in self.relations.drawn_words(group) {
            let few = set.parts[word.at as usize];
            if word.bits & few.barred != 0 {
                return true;
            }
            count += (word.bits & few.enabled).count_ones();
        }
        count as usize > most
    }

    /// Adds those who depend on an enabled function by what it reads and writes in this state.
    fn add_used(&mut self, group: GroupId) {
        let Some(outline) = outline(self.model.group(group)).filter(|o| o.varies()) else {
            return;
        };
        self.looked.clear();
        self.written.clear();
        outline.used(&self.values, &mut self.looked, &mut self.written);
        let (relations, own) = (&self.relations, &self.own);
        for &v in &self.looked {
            self.set.add_list(relations, own, relations.write(v));
        }
        for &v in &self.written {
            self.set.add_list(relations, own, relations.use_of(v));
        }
    }

    /// Closes the set, unless it gets more than `most` enabled members or one that is barred: whether it is closed.
    pub fn close(&mut self, here: &Here<'_>, most: usize) -> bool {
        while let Some(member) = self.next() {
            self.close_over(here, member);
            if self.set.found.len() > most || self.set.barred {
                return false;
            }
        }
        self.set.found.len() <= most
    }

    /// A random choice among so many.
    pub fn toss(&mut self, count: usize) -> usize {
        let random = self.random.as_mut();
        random.map_or(0, |random| random.below(count.max(1) as u64) as usize)
    }

    /// The work that closures have taken: the members whose rules were applied, and the words that were added.
    pub fn work(&self) -> u64 {
        self.set.work
    }

    /// The bytes of the tables, without those of the relations.
    pub fn bytes(&self) -> u64 {
        let set = &self.set;
        let stacks = set.touched.capacity() + set.open.capacity() + set.entered.capacity();
        let words = stacks + set.seen.capacity() + set.found.capacity();
        let parts = size_of::<Few>() * set.parts.capacity();
        (4 * words + parts) as u64 + self.own.bytes()
    }
}
