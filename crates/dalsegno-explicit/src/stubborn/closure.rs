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
use super::lists::{self, ListId, Lists, Word};
use super::relations::{Part, Relations, outline};
use crate::random::Xorshift;

/// Sets of groups at one state.
#[derive(Clone)]
pub(crate) struct Closure {
    pub model: Arc<Model>,
    pub relations: Arc<Relations>,
    /// Lists beyond those of the relations: of propositions and goals.
    own: Lists,
    set: Set,
    /// The values of the state, where functions are asked for their parts.
    values: Vec<u32>,
    /// Variables that such a function looks at or reads, and that it writes.
    looked: Vec<VarId>,
    written: Vec<VarId>,
    /// Chooses among what is valid, where tests want all valid sets to be tried.
    pub random: Option<Xorshift>,
}

/// A set that grows.
#[derive(Clone)]
struct Set {
    /// By 64 groups.
    parts: Vec<Few>,
    /// The parts with members, with members that wait, and with enabled groups.
    touched: Vec<u32>,
    open: Vec<u32>,
    entered: Vec<u32>,
    /// The set that a list was last added to.
    seen: Vec<u32>,
    stamp: u32,
    /// The enabled members, and how many of them had their rules applied.
    found: Vec<GroupId>,
    treated: usize,
    /// Whether a group was added that must not be.
    barred: bool,
    /// The members whose rules were applied, and the words that were added, in all sets.
    work: u64,
}

/// 64 groups.
#[derive(Clone, Copy, Default)]
struct Few {
    member: u64,
    /// Disabled members whose rules have not been applied.
    waiting: u64,
    /// The groups that are enabled here, and those of them that end a set.
    enabled: u64,
    barred: u64,
}

impl Set {
    #[inline]
    fn add(&mut self, at: u32, bits: u64) {
        let few = &mut self.parts[at as usize];
        let new = bits & !few.member;
        if new == 0 {
            return;
        }
        if few.member == 0 {
            self.touched.push(at);
        }
        few.member |= new;
        self.barred |= new & few.barred != 0;
        let waiting = new & !few.enabled;
        if waiting != 0 {
            if few.waiting == 0 {
                self.open.push(at);
            }
            few.waiting |= waiting;
        }
        let mut enabled = new & few.enabled;
        while enabled != 0 {
            self.found.push(GroupId(64 * at + enabled.trailing_zeros()));
            enabled &= enabled - 1;
        }
    }

    #[inline]
    fn add_list(&mut self, relations: &Relations, own: &Lists, id: ListId) {
        let seen = &mut self.seen[id.0 as usize];
        if *seen != self.stamp {
            *seen = self.stamp;
            let words = words(relations, own, id);
            self.work += words.len() as u64;
            for word in words {
                self.add(word.at, word.bits);
            }
        }
    }
}

/// The groups of a list.
#[inline]
fn words<'l>(relations: &'l Relations, own: &'l Lists, id: ListId) -> &'l [Word] {
    let base = relations.lists.len() as u32;
    if id.0 < base {
        relations.lists.get(id)
    } else {
        own.get(ListId(id.0 - base))
    }
}

/// The part that a group belongs to, and its bit there.
#[inline]
fn bit(group: GroupId) -> (u32, u64) {
    (group.0 / 64, 1 << (group.0 % 64))
}

impl Closure {
    /// Closures of a model.
    pub fn new(model: &Arc<Model>, relations: &Arc<Relations>) -> Self {
        let groups = model.groups().len();
        Closure {
            set: Set {
                parts: vec![Few::default(); groups.div_ceil(64)],
                touched: Vec::new(),
                open: Vec::new(),
                entered: Vec::new(),
                seen: vec![0; relations.lists.len()],
                stamp: 0,
                found: Vec::new(),
                treated: 0,
                barred: false,
                work: 0,
            },
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

    /// A member whose rules have not been applied, if there is one: an enabled one first, since a set that gets too
    /// many of them is given up.
    #[inline]
    pub fn next(&mut self) -> Option<GroupId> {
        let set = &mut self.set;
        set.work += 1;
        if let Some(&group) = set.found.get(set.treated) {
            set.treated += 1;
            return Some(group);
        }
        let at = *set.open.last()?;
        let few = &mut set.parts[at as usize];
        let group = 64 * at + few.waiting.trailing_zeros();
        few.waiting &= few.waiting - 1;
        if few.waiting == 0 {
            set.open.pop();
        }
        Some(GroupId(group))
    }

    /// Applies rule COM to a member.
    #[inline]
    pub fn close_over(&mut self, here: &Here<'_>, group: GroupId) {
        if self.is_enabled(group) {
            for &id in self.relations.drawn(group) {
                self.set.add_list(&self.relations, &self.own, id);
            }
            if self.relations.outlines {
                self.add_used(group);
            }
        } else {
            self.add_enabling(here, group);
        }
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
        while let Some(group) = self.next() {
            self.close_over(here, group);
            if self.set.found.len() > most || self.set.barred {
                return false;
            }
        }
        self.set.found.len() <= most
    }

    /// Adds what a disabled group waits for: those who can make one false part of its guard true. Of several parts, one of which
    /// all are members already, or else the one with the shortest list, which comes first.
    #[inline]
    pub fn add_enabling(&mut self, here: &Here<'_>, group: GroupId) {
        if self.random.is_some() {
            self.add_any_enabling(here, group);
            return;
        }
        let (relations, set) = (&*self.relations, &mut self.set);
        let mut first: Option<&Part> = None;
        for part in relations.parts(group) {
            if part.is_false(here.value(part.variable)) {
                let known = match part.word {
                    Some(word) => word.bits & !set.parts[word.at as usize].member == 0,
                    None => set.seen[part.list.0 as usize] == set.stamp,
                };
                if known {
                    return;
                }
                first = first.or(Some(part));
            }
        }
        match first {
            Some(Part {
                word: Some(word), ..
            }) => {
                set.work += 1;
                set.add(word.at, word.bits);
            }
            Some(part) => set.add_list(relations, &self.own, part.list),
            None => self.add_others(here, group),
        }
    }

    /// The same for a random part.
    fn add_any_enabling(&mut self, here: &Here<'_>, group: GroupId) {
        let count = self.false_parts(here, group).count();
        let choice = self.toss(count);
        let part = self.false_parts(here, group).nth(choice);
        match part {
            Some(list) => self.add_list(list),
            None => self.add_others(here, group),
        }
    }

    /// The same for a group with no part that is known to be false.
    fn add_others(&mut self, here: &Here<'_>, group: GroupId) {
        if self.model.group(group).as_linear().is_some() {
            return;
        }
        if self.add_condition(group) {
            return;
        }
        if let Some(list) = self.watched(here, group) {
            self.add_list(list);
            return;
        }
        let settled = self.settled(group);
        for &v in self.model.group(group).reads() {
            if settled != Some(v) {
                let id = self.relations.write(v);
                self.set.add_list(&self.relations, &self.own, id);
            }
        }
    }

    /// Adds those who write what one false condition of a function looks at; false if it has none. Of several, the one that adds
    /// the fewest.
    fn add_condition(&mut self, group: GroupId) -> bool {
        let model = Arc::clone(&self.model);
        let Some(outline) = outline(model.group(group)) else {
            return false;
        };
        let mut looked = std::mem::take(&mut self.looked);
        looked.clear();
        let mut best: Option<(usize, (usize, usize))> = None;
        let mut found = 0;
        for condition in 0..outline.conditions() {
            let start = looked.len();
            if !outline.is_false(condition, &self.values, &mut looked) {
                continue;
            }
            found += 1;
            let lists = looked[start..].iter().map(|&v| self.relations.write(v));
            let cost = if self.random.is_some() {
                // The last of them is taken with the same chance as each of the others.
                self.toss(found)
            } else {
                lists.map(|list| self.cost(list)).sum()
            };
            if best.is_none_or(|(least, _)| cost < least) || (self.random.is_some() && cost == 0) {
                best = Some((cost, (start, looked.len())));
            }
        }
        if let Some((_, (start, end))) = best {
            for &v in &looked[start..end] {
                self.add_list(self.relations.write(v));
            }
        }
        self.looked = looked;
        best.is_some()
    }

    /// A variable with one value wherever a group is enabled: if it has this value here and the group is disabled, another
    /// variable that the group reads must change before it is enabled.
    fn settled(&self, group: GroupId) -> Option<VarId> {
        let (v, low, high) = self.model.watch(group)?;
        (low == high).then_some(v)
    }

    /// The writers of a variable whose value alone disables a group, if it has one.
    fn watched(&self, here: &Here<'_>, group: GroupId) -> Option<ListId> {
        let (v, low, high) = self.model.watch(group)?;
        let fails = !(low..=high).contains(&here.value(v));
        fails.then(|| self.relations.write(v))
    }

    /// The lists of the false parts of the guard of a group, short ones first.
    fn false_parts<'a>(
        &'a self,
        here: &'a Here<'_>,
        group: GroupId,
    ) -> impl Iterator<Item = ListId> + Clone + 'a {
        let parts = self.relations.parts(group).iter();
        let fails = |part: &&Part| part.is_false(here.value(part.variable));
        parts.filter(fails).map(|part| part.list)
    }

    /// A random choice among so many.
    pub fn toss(&mut self, count: usize) -> usize {
        let random = self.random.as_mut();
        random.map_or(0, |random| random.below(count.max(1) as u64) as usize)
    }

    /// How many groups [`Closure::add_enabling`] may add.
    pub fn enabling_cost(&self, here: &Here<'_>, group: GroupId) -> usize {
        let parts = self.false_parts(here, group);
        if let Some(least) = parts.map(|list| self.cost(list)).min() {
            return least;
        }
        if let Some(list) = self.watched(here, group) {
            return self.cost(list);
        }
        let settled = self.settled(group);
        let reads = self.model.group(group).reads().iter();
        let open = reads.filter(|&&v| settled != Some(v));
        open.map(|&v| self.cost(self.relations.write(v))).sum()
    }

    /// Shows the lists of those who can disable a group.
    pub fn each_disabling(&self, group: GroupId, mut visit: impl FnMut(ListId)) {
        let group = self.model.group(group);
        if let Some(linear) = group.as_linear() {
            for &(v, _) in linear.pre() {
                visit(self.relations.lower(v));
            }
            for &(v, _) in linear.inhibit() {
                visit(self.relations.raise(v));
            }
        } else {
            for &v in group.reads() {
                visit(self.relations.write(v));
            }
        }
    }

    /// Adds those who can disable an enabled group.
    pub fn add_disabling(&mut self, group: GroupId) {
        let group = self.model.group(group);
        let (relations, own, set) = (&self.relations, &self.own, &mut self.set);
        if let Some(linear) = group.as_linear() {
            for &(v, _) in linear.pre() {
                set.add_list(relations, own, relations.lower(v));
            }
            for &(v, _) in linear.inhibit() {
                set.add_list(relations, own, relations.raise(v));
            }
        } else {
            for &v in group.reads() {
                set.add_list(relations, own, relations.write(v));
            }
        }
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
