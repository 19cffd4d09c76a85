//! What a disabled group waits for: those who can make one false part of its guard true.

use std::sync::Arc;

use dalsegno_kripke::{GroupId, VarId};

use super::closure::Closure;
use super::here::Here;
use super::lists::ListId;
use super::relations::{Part, Raisers, outline};
use crate::layout::Compiled;

impl Closure {
    /// Adds what a disabled group waits for: those who can make one false part of its guard true. Of several parts, one of which
    /// all are members already, or else the one with the shortest list, which comes first.
    #[inline]
    pub fn add_enabling(&mut self, here: &Here<'_>, group: GroupId) {
        if self.random.is_some() {
            self.add_any_enabling(here, group);
            return;
        }
        match here.steps.compiled() {
            Some(compiled) if !compiled.is_inhibited(group.index()) => {
                self.add_missing(compiled, here.state, group);
            }
            _ => self.add_by_parts(here, group),
        }
    }

    /// The same for a linear group without inhibitors: those who raise an input that has too little. All such inputs of a word
    /// are seen at once.
    #[inline]
    fn add_missing(&mut self, compiled: &Compiled, state: &[u64], group: GroupId) {
        let (relations, set) = (&*self.relations, &mut self.set);
        let mut best = Raisers::MANY;
        for test in compiled.tests(group.index()) {
            let mut missing = test.missing(state);
            while missing != 0 {
                let owner = compiled.owner(test.word, missing.trailing_zeros());
                missing &= missing - 1;
                let raisers = relations.raisers(owner);
                let known = if raisers.is_word() {
                    raisers.bits & !set.parts[raisers.at as usize].member == 0
                } else {
                    set.seen[raisers.at as usize] == set.stamp
                };
                if known {
                    return;
                }
                if raisers.count < best.count {
                    best = *raisers;
                }
            }
        }
        if best.is_word() {
            set.work += 1;
            set.add(best.at, best.bits);
        } else if best.count < u32::MAX {
            set.add_list(relations, &self.own, ListId(best.at));
        }
    }

    /// The same for any group, part by part.
    fn add_by_parts(&mut self, here: &Here<'_>, group: GroupId) {
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
}
