//! A set of groups that grows, 64 groups at a time.
//!
//! Of the groups of a word it is known which are members, which of these still wait for their rules, which are enabled
//! at the state, and which must not be added. Enabled members are also listed, since the size of a set is their number.

use dalsegno_kripke::GroupId;

use super::lists::{ListId, Lists, Word};
use super::relations::Relations;

/// A set that grows.
#[derive(Clone)]
pub(super) struct Set {
    /// By 64 groups.
    pub parts: Vec<Few>,
    /// The parts with members, with members that wait, and with enabled groups.
    pub touched: Vec<u32>,
    pub open: Vec<u32>,
    pub entered: Vec<u32>,
    /// The set that a list was last added to.
    pub seen: Vec<u32>,
    pub stamp: u32,
    /// The enabled members, and how many of them had their rules applied.
    pub found: Vec<GroupId>,
    pub treated: usize,
    /// Whether a group was added that must not be.
    pub barred: bool,
    /// The members whose rules were applied, and the words that were added, in all sets.
    pub work: u64,
}

/// 64 groups.
#[derive(Clone, Copy, Default)]
pub(super) struct Few {
    pub member: u64,
    /// Disabled members whose rules have not been applied.
    pub waiting: u64,
    /// The groups that are enabled here, and those of them that end a set.
    pub enabled: u64,
    pub barred: u64,
}

impl Set {
    /// The empty set of so many groups, with so many lists.
    pub fn new(groups: usize, lists: usize) -> Self {
        Set {
            parts: vec![Few::default(); groups.div_ceil(64)],
            touched: Vec::new(),
            open: Vec::new(),
            entered: Vec::new(),
            seen: vec![0; lists],
            stamp: 0,
            found: Vec::new(),
            treated: 0,
            barred: false,
            work: 0,
        }
    }

    /// Adds some of 64 groups.
    #[inline]
    pub fn add(&mut self, at: u32, bits: u64) {
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

    /// Adds the groups of a list, unless they were.
    #[inline]
    pub fn add_list(&mut self, relations: &Relations, own: &Lists, id: ListId) {
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
pub(super) fn words<'l>(relations: &'l Relations, own: &'l Lists, id: ListId) -> &'l [Word] {
    let base = relations.lists.len() as u32;
    if id.0 < base {
        relations.lists.get(id)
    } else {
        own.get(ListId(id.0 - base))
    }
}

/// The part that a group belongs to, and its bit there.
#[inline]
pub(super) fn bit(group: GroupId) -> (u32, u64) {
    (group.0 / 64, 1 << (group.0 % 64))
}
