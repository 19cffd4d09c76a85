//! Closed sets of groups, grown from seeds.
//!
//! A set T is closed at a state (rule COM) if with an enabled group it has all groups that depend on it, and with a
//! disabled one all groups that can make *one* false part of its guard true. Then steps outside of T neither disable an
//! enabled member nor enable a disabled one, and the first member of T on any path can be moved to its front.
//!
//! A closure is linear in the lists that it looks at. Stamps tell what belongs to it, so that beginning a new one
//! costs nothing, and nothing is allocated once the stacks have grown.

use std::sync::Arc;

use dalsegno_kripke::{GroupId, Model, VarId};

use super::here::Here;
use super::lists::{ListId, Lists};
use super::relations::{Part, Relations};
use crate::random::Xorshift;

/// Sets of groups at one state.
pub(crate) struct Closure {
    pub model: Arc<Model>,
    pub relations: Arc<Relations>,
    /// Lists beyond those of the relations: of propositions and goals.
    own: Lists,
    set: Set,
    /// Chooses among what is valid, where tests want all valid sets to be tried.
    pub random: Option<Xorshift>,
}

/// A set that grows.
struct Set {
    /// The set that a group and a list were last added to, and the node at which a group was last enabled.
    member: Vec<u32>,
    seen: Vec<u32>,
    enabled: Vec<u32>,
    stamp: u32,
    node: u32,
    /// The enabled members, and how many of them had their rules applied.
    found: Vec<GroupId>,
    treated: usize,
    /// Disabled members whose rules have not been applied.
    waiting: Vec<u32>,
    /// The entries of lists that were looked at, in all sets.
    scanned: u64,
}

impl Set {
    #[inline]
    fn add(&mut self, group: u32) {
        let i = group as usize;
        if self.member[i] != self.stamp {
            self.member[i] = self.stamp;
            if self.enabled[i] == self.node {
                self.found.push(GroupId(group));
            } else {
                self.waiting.push(group);
            }
        }
    }

    #[inline]
    fn add_list(&mut self, relations: &Relations, own: &Lists, id: ListId) {
        let seen = &mut self.seen[id.0 as usize];
        if *seen != self.stamp {
            *seen = self.stamp;
            let list = list(relations, own, id);
            self.scanned += list.len() as u64;
            for &group in list {
                self.add(group);
            }
        }
    }
}

/// The groups of a list.
#[inline]
fn list<'l>(relations: &'l Relations, own: &'l Lists, id: ListId) -> &'l [u32] {
    let base = relations.lists.len() as u32;
    if id.0 < base {
        relations.lists.get(id)
    } else {
        own.get(ListId(id.0 - base))
    }
}

impl Closure {
    /// Closures of a model.
    pub fn new(model: &Arc<Model>, relations: &Arc<Relations>) -> Self {
        let groups = model.groups().len();
        Closure {
            set: Set {
                member: vec![0; groups],
                seen: vec![0; relations.lists.len()],
                enabled: vec![0; groups],
                stamp: 0,
                node: 0,
                found: Vec::new(),
                treated: 0,
                waiting: Vec::new(),
                scanned: 0,
            },
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
    pub fn list(&self, id: ListId) -> &[u32] {
        list(&self.relations, &self.own, id)
    }

    /// A state is looked at, with its enabled groups.
    pub fn enter(&mut self, enabled: &[GroupId]) {
        let set = &mut self.set;
        if set.node == u32::MAX {
            set.node = 0;
            set.enabled.fill(0);
        }
        set.node += 1;
        for group in enabled {
            set.enabled[group.index()] = set.node;
        }
    }

    /// Whether a group is enabled here.
    #[inline]
    pub fn is_enabled(&self, group: GroupId) -> bool {
        self.set.enabled[group.index()] == self.set.node
    }

    /// Begins a new set.
    pub fn begin(&mut self) {
        let set = &mut self.set;
        if set.stamp == u32::MAX {
            set.stamp = 0;
            set.member.fill(0);
            set.seen.fill(0);
        }
        set.stamp += 1;
        set.waiting.clear();
        set.found.clear();
        set.treated = 0;
    }

    /// Whether a group belongs to the set.
    #[inline]
    pub fn has(&self, group: GroupId) -> bool {
        self.set.member[group.index()] == self.set.stamp
    }

    /// The enabled members, in the order in which they came.
    pub fn found(&self) -> &[GroupId] {
        &self.set.found
    }

    /// Adds a group.
    #[inline]
    pub fn add(&mut self, group: GroupId) {
        self.set.add(group.0);
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
            self.list(id).len()
        }
    }

    /// A member whose rules have not been applied, if there is one: an enabled one first, since a set that gets too
    /// many of them is given up.
    #[inline]
    pub fn next(&mut self) -> Option<GroupId> {
        let set = &mut self.set;
        if let Some(&group) = set.found.get(set.treated) {
            set.treated += 1;
            return Some(group);
        }
        set.waiting.pop().map(GroupId)
    }

    /// Applies rule COM to a member.
    #[inline]
    pub fn close_over(&mut self, here: &Here<'_>, group: GroupId) {
        if self.is_enabled(group) {
            for id in self.relations.drawn(group.0) {
                self.set.add_list(&self.relations, &self.own, id);
            }
        } else {
            self.add_enabling(here, group);
        }
    }

    /// Closes the set, unless it gets more than `most` enabled members: whether it is closed.
    pub fn close(&mut self, here: &Here<'_>, most: usize) -> bool {
        while let Some(group) = self.next() {
            self.close_over(here, group);
            if self.set.found.len() > most {
                return false;
            }
        }
        self.set.found.len() <= most
    }

    /// Adds what a disabled group waits for: those who can make one false part of its guard true.
    pub fn add_enabling(&mut self, here: &Here<'_>, group: GroupId) {
        // A linear group without parts is never disabled.
        if !self.relations.parts(group).is_empty() {
            if let Some(list) = self.false_part(here, group) {
                self.add_list(list);
            }
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

    /// The lists of the false parts of the guard of a linear group.
    fn false_parts<'a>(
        &'a self,
        here: &'a Here<'_>,
        group: GroupId,
    ) -> impl Iterator<Item = ListId> + Clone + 'a {
        let parts = self.relations.parts(group).iter();
        let fails = |part: &&Part| (here.value(part.variable) >= part.bound) == part.inhibits;
        parts.filter(fails).map(|part| part.list)
    }

    /// The list of one of them: of those that add the fewest groups, the first; none if one adds nothing.
    fn false_part(&mut self, here: &Here<'_>, group: GroupId) -> Option<ListId> {
        let parts = self.false_parts(here, group);
        if self.random.is_none() {
            let mut best = None;
            for list in parts {
                let cost = self.cost(list);
                if cost == 0 {
                    return None;
                }
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, list));
                }
            }
            return best.map(|(_, list)| list);
        }
        let count = parts.count();
        let choice = self.toss(count);
        self.false_parts(here, group).nth(choice)
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

    /// The entries of lists that were looked at so far: the work that closures have taken.
    pub fn scanned(&self) -> u64 {
        self.set.scanned
    }

    /// The bytes of the tables, without those of the relations.
    pub fn bytes(&self) -> u64 {
        let Set {
            member,
            seen,
            enabled,
            waiting,
            found,
            ..
        } = &self.set;
        let words = member.capacity() + seen.capacity() + enabled.capacity();
        4 * (words + waiting.capacity() + found.capacity()) as u64 + self.own.bytes()
    }
}
