//! Fair sets in a search: which of them the nodes and transitions of a component satisfy.
//!
//! A weakly fair set is a further acceptance set: a cycle needs a node where it is disabled, or a step of it. A strongly
//! fair one is a Streett pair: a cycle with a node where it is enabled needs a step of it. Both become two bits per set:
//! whether something is *asked* of the cycle, always for a weak set, and whether it is *met*. There may be any number
//! of sets; a component has a row of words for them.
//!
//! Invariants of the rows of a search, one per component on its path:
//! 1. A row has the nodes of its component and the transitions inside it, and nothing else.
//! 2. The group of `entries` is that of the transition that leads into the component.

use dalsegno_kripke::{Fairness, GroupId, Model, Predicate, Strength};

use crate::nodes::Node;
use crate::product::Product;
use crate::steps::EVERY_GROUP;

/// The sets, by the groups that they have.
pub(crate) struct FairSets {
    /// The words of a bit per set.
    words: usize,
    /// The weak ones, as bits.
    weak: Vec<u64>,
    /// Per set, where it is enabled.
    enabled: Vec<Predicate>,
    /// Per group where its sets start in `sets`, and one more.
    starts: Vec<u32>,
    sets: Vec<u32>,
    /// Whether a set is strong.
    pub(crate) any_strong: bool,
}

impl FairSets {
    pub(crate) fn new(model: &Model, fairness: &Fairness) -> Self {
        let all = fairness.sets();
        let words = all.len().div_ceil(64);
        let mut weak = vec![0; words];
        let mut pairs: Vec<(GroupId, u32)> = Vec::new();
        for (i, set) in (0..).zip(all) {
            if set.strength == Strength::Weak {
                weak[i as usize / 64] |= 1 << (i % 64);
            }
            pairs.extend(set.groups.iter().map(|&group| (group, i)));
        }
        pairs.sort_unstable();
        let mut starts = vec![0; model.groups().len() + 1];
        for (group, _) in &pairs {
            starts[group.index() + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        FairSets {
            words,
            weak,
            enabled: all
                .iter()
                .map(|set| Predicate::Enabled(set.groups.clone()))
                .collect(),
            starts,
            sets: pairs.into_iter().map(|(_, set)| set).collect(),
            any_strong: all.iter().any(|set| set.strength == Strength::Strong),
        }
    }

    /// The words of a row: those of what is met, then those of what is asked.
    pub(crate) fn row_words(&self) -> usize {
        2 * self.words
    }

    fn of(&self, group: GroupId) -> &[u32] {
        let i = group.index();
        &self.sets[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    fn is_weak(&self, set: usize) -> bool {
        self.weak[set / 64] >> (set % 64) & 1 == 1
    }

    /// Appends the row of a node, given its enabled groups as [`Product::enabled`] tells them.
    pub(crate) fn push_row(
        &self,
        product: &Product<'_>,
        node: Node,
        groups: &[GroupId],
        rows: &mut Vec<u64>,
    ) {
        let start = rows.len();
        // Where nothing is enabled, weak sets are content and strong ones ask for nothing.
        rows.extend_from_slice(&self.weak);
        rows.extend_from_slice(&self.weak);
        let row = &mut rows[start..];
        if groups.first() == Some(&EVERY_GROUP) {
            for (set, enabled) in self.enabled.iter().enumerate() {
                if product.space().holds(node.state, enabled) {
                    self.enable(set, row);
                }
            }
            return;
        }
        for &group in groups {
            for &set in self.of(group) {
                self.enable(set as usize, row);
            }
        }
    }

    fn enable(&self, set: usize, row: &mut [u64]) {
        let bit = 1 << (set % 64);
        if self.is_weak(set) {
            row[set / 64] &= !bit;
        } else {
            row[self.words + set / 64] |= bit;
        }
    }

    /// A step of a group is inside.
    pub(crate) fn fire(&self, group: Option<GroupId>, row: &mut [u64]) {
        for &set in group.map_or(&[][..], |group| self.of(group)) {
            row[set as usize / 64] |= 1 << (set % 64);
        }
    }

    /// Whether everything that is asked is met.
    pub(crate) fn is_fair(&self, row: &[u64]) -> bool {
        self.missing(row).all(|word| word == 0)
    }

    /// Whether what is missing may be asked for no longer where some nodes are left out: it is all of strong sets.
    pub(crate) fn may_be_fair(&self, row: &[u64]) -> bool {
        self.missing(row)
            .zip(&self.weak)
            .all(|(word, weak)| word & weak == 0)
    }

    /// The bits of sets that ask for something that is not met.
    fn missing<'r>(&self, row: &'r [u64]) -> impl Iterator<Item = u64> + use<'r> {
        let (met, asked) = row.split_at(self.words);
        met.iter().zip(asked).map(|(met, asked)| asked & !met)
    }

    /// Whether a node asks for something that the component with a row does not have.
    pub(crate) fn asks_too_much(&self, node: &[u64], component: &[u64]) -> bool {
        let missing = self.missing(component);
        let asked = &node[self.words..];
        missing
            .zip(asked)
            .any(|(missing, asked)| missing & asked != 0)
    }
}

/// Adds a row to another.
pub(crate) fn unite(row: &mut [u64], other: &[u64]) {
    for (word, other) in row.iter_mut().zip(other) {
        *word |= other;
    }
}

/// The rows of the components on the path of a search.
pub(crate) struct FairPath {
    pub(crate) sets: FairSets,
    rows: Vec<u64>,
    entries: Vec<Option<GroupId>>,
    /// Whether there is a transition inside.
    cyclic: Vec<bool>,
}

impl FairPath {
    pub(crate) fn new(sets: FairSets) -> Self {
        FairPath {
            sets,
            rows: Vec::new(),
            entries: Vec::new(),
            cyclic: Vec::new(),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        8 * (self.rows.capacity() + self.entries.capacity()) + self.cyclic.capacity()
    }

    /// A node is entered by a step of a group.
    #[cold]
    pub(crate) fn push(
        &mut self,
        product: &Product<'_>,
        node: Node,
        groups: &[GroupId],
        entry: Option<GroupId>,
    ) {
        self.sets.push_row(product, node, groups, &mut self.rows);
        self.entries.push(entry);
        self.cyclic.push(false);
    }

    /// The last component is left.
    #[cold]
    pub(crate) fn pop(&mut self) {
        self.entries.pop();
        self.cyclic.pop();
        self.rows
            .truncate(self.entries.len() * self.sets.row_words());
    }

    /// The last components become one, so that so many are left, and a step of a group is inside.
    #[cold]
    pub(crate) fn merge(&mut self, left: usize, group: Option<GroupId>) {
        while self.entries.len() > left {
            self.join();
        }
        self.fire(group);
    }

    /// The last component becomes part of the one before it.
    fn join(&mut self) {
        let entry = self.entries.last().copied().flatten();
        let last = self.rows.len() - self.sets.row_words();
        let (before, row) = self.rows.split_at_mut(last);
        let own = before.len() - self.sets.row_words();
        unite(&mut before[own..], row);
        self.sets.fire(entry, &mut before[own..]);
        self.pop();
    }

    /// A step of a group is inside the last component.
    fn fire(&mut self, group: Option<GroupId>) {
        let last = self.rows.len() - self.sets.row_words();
        self.sets.fire(group, &mut self.rows[last..]);
        if let Some(cyclic) = self.cyclic.last_mut() {
            *cyclic = true;
        }
    }

    fn last(&self) -> &[u64] {
        &self.rows[self.rows.len() - self.sets.row_words()..]
    }

    /// Whether the last component is fair as a whole.
    #[cold]
    pub(crate) fn is_fair(&self) -> bool {
        self.sets.is_fair(self.last())
    }

    /// Whether a part of the last component, which is not fair as a whole, may be.
    pub(crate) fn has_fair_part(&self) -> bool {
        let cyclic = self.cyclic.last().is_some_and(|&cyclic| cyclic);
        cyclic && self.sets.any_strong && self.sets.may_be_fair(self.last())
    }
}
