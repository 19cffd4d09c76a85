//! The steps of a model on packed states: which groups are enabled, what they lead to, what holds.
//!
//! Models whose groups are all linear are compiled to operations on packed words; others are unpacked, asked for
//! their successors and packed again. Steps know no table: whoever stores states, alone or as one of many, fires
//! into a [`Batch`] and looks its states up. A value that outgrows its field stops the batch, and the owner of
//! the states packs them anew for wider [`Steps`].
//!
//! Nothing is allocated per state or transition but the growth of the batch.

use std::sync::Arc;

use dalsegno_kripke::{Fault, GroupId, Model, Predicate, Scratch, VarId};

use crate::layout::{Compiled, Layout};
use crate::table::{finish, hash_of, hash_sum, word_hash};
use crate::triggers::Triggers;

/// A variable that outgrew its field, and the group that made it.
pub type Outgrown = (usize, GroupId);

/// With more groups than this, only those with a marked input are looked at.
const MANY_GROUPS: usize = 48;

/// Stands for all groups, where asking which are enabled is as dear as taking their steps.
pub(crate) const EVERY_GROUP: GroupId = GroupId(u32::MAX);

/// Successors: packed states one after the other, with their hashes and the groups that lead to them.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The words of all states.
    pub states: Vec<u64>,
    /// A hash per state.
    pub hashes: Vec<u64>,
    /// A group per state.
    pub groups: Vec<GroupId>,
}

impl Batch {
    /// Forgets all successors.
    #[inline]
    pub fn clear(&mut self) {
        self.states.clear();
        self.hashes.clear();
        self.groups.clear();
    }
}

/// The steps of a model in one layout of its states.
#[derive(Clone)]
pub struct Steps {
    model: Arc<Model>,
    layout: Layout,
    compiled: Option<Compiled>,
    triggers: Option<Triggers>,
    values: Vec<u32>,
    scratch: Scratch,
}

impl Steps {
    /// The steps of a model, with states as narrow as what is known of the values allows.
    #[must_use]
    pub fn new(model: &Arc<Model>) -> Self {
        Self::with_layout(model, Layout::new(model))
    }

    fn with_layout(model: &Arc<Model>, layout: Layout) -> Self {
        let linear = model.groups().iter().all(|g| g.as_linear().is_some());
        Steps {
            model: Arc::clone(model),
            compiled: linear.then(|| Compiled::new(model, &layout)),
            triggers: (linear && model.groups().len() > MANY_GROUPS)
                .then(|| Triggers::new(model, &layout)),
            layout,
            values: vec![0; model.variables().len()],
            scratch: Scratch::default(),
        }
    }

    /// The same with more bits for one variable, or `None` if it has all that there are; with `others`, variables
    /// that may grow as well get more bits too.
    #[must_use]
    pub fn widened(&self, variable: usize, others: bool) -> Option<Self> {
        let layout = self.layout.widened(&self.model, variable, others)?;
        Some(Self::with_layout(&self.model, layout))
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The words of a packed state.
    #[inline]
    #[must_use]
    pub fn words(&self) -> usize {
        self.layout.words
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The groups on packed states, if all of them are linear.
    #[inline]
    pub(crate) fn compiled(&self) -> Option<&Compiled> {
        self.compiled.as_ref()
    }

    /// Whether all groups are compiled.
    #[inline]
    pub(crate) fn is_compiled(&self) -> bool {
        self.compiled.is_some()
    }

    /// Packs the values of a state.
    ///
    /// # Errors
    /// The first variable whose value does not fit.
    ///
    /// # Panics
    /// If there are not as many values as variables, or not as many words as a state has.
    pub fn pack(&self, values: &[u32], out: &mut [u64]) -> Result<(), usize> {
        assert_eq!(values.len(), self.layout.fields.len());
        assert_eq!(out.len(), self.layout.words);
        self.layout.pack(values, out)
    }

    /// Unpacks a state.
    ///
    /// # Panics
    /// If there is not a value for each variable.
    pub fn unpack(&self, state: &[u64], out: &mut [u32]) {
        assert_eq!(out.len(), self.layout.fields.len());
        self.layout.unpack(state, out);
    }

    /// The value of one variable in a packed state.
    #[inline]
    #[must_use]
    pub fn value(&self, state: &[u64], variable: usize) -> u32 {
        self.layout.get(state, variable)
    }

    /// Whether a packed state belongs to a set.
    #[must_use]
    pub fn holds(&self, state: &[u64], predicate: &Predicate) -> bool {
        match predicate {
            Predicate::True => true,
            Predicate::False => false,
            Predicate::Compare(c) => {
                let value = |v: VarId| i64::from(self.layout.get(state, v.index()));
                let sum = c.terms().iter().map(|&(weight, v)| weight * value(v)).sum();
                c.op().holds(sum, c.constant())
            }
            Predicate::Enabled(groups) => groups.iter().any(|&g| self.enabled(state, g)),
            Predicate::DeadEnd => !self.model.group_ids().any(|g| self.enabled(state, g)),
            Predicate::Not(p) => !self.holds(state, p),
            Predicate::And(ps) => ps.iter().all(|p| self.holds(state, p)),
            Predicate::Or(ps) => ps.iter().any(|p| self.holds(state, p)),
            Predicate::Circuit(circuit) => circuit.eval(|p| self.holds(state, p)),
        }
    }

    fn enabled(&self, state: &[u64], group: GroupId) -> bool {
        if let Some(compiled) = &self.compiled {
            return compiled.enabled(group.index(), state);
        }
        let mut values = vec![0; self.layout.fields.len()];
        self.layout.unpack(state, &mut values);
        self.model.enabled(group, &values)
    }

    /// Appends the groups that are enabled in a packed state, for [`Steps::fire`].
    ///
    /// If the groups are not linear it may be a single mark that stands for all of them, even though none is enabled.
    pub(crate) fn enabled_groups(&self, state: &[u64], out: &mut Vec<GroupId>) {
        let Some(compiled) = &self.compiled else {
            out.push(EVERY_GROUP);
            return;
        };
        let enabled = |&g: &u32| compiled.enabled(g as usize, state);
        match &self.triggers {
            None => out.extend(
                (0..self.model.groups().len() as u32)
                    .filter(enabled)
                    .map(GroupId),
            ),
            Some(triggers) => out.extend(triggers.candidates(state).filter(enabled).map(GroupId)),
        }
    }

    /// Appends the groups that are enabled in a packed state, each of them.
    pub(crate) fn list_enabled(&mut self, state: &[u64], out: &mut Vec<GroupId>) {
        if self.compiled.is_some() {
            self.enabled_groups(state, out);
            return;
        }
        self.layout.unpack(state, &mut self.values);
        let (model, values) = (&self.model, &self.values);
        out.extend(model.group_ids().filter(|&g| model.enabled(g, values)));
    }

    /// Appends the successors of a packed state by all groups, or by some that are known to be enabled. Stops at a
    /// value that outgrows its field; the batch is of no use then.
    ///
    /// # Errors
    /// If the model cannot take a step.
    #[inline]
    pub fn fire(
        &mut self,
        state: &[u64],
        enabled: Option<&[GroupId]>,
        batch: &mut Batch,
    ) -> Result<Option<Outgrown>, Fault> {
        if self.compiled.is_some() {
            return Ok(self.fire_packed(state, enabled, batch));
        }
        self.fire_unpacked(state, enabled, batch)
    }

    #[inline]
    fn fire_packed(
        &self,
        current: &[u64],
        enabled: Option<&[GroupId]>,
        batch: &mut Batch,
    ) -> Option<Outgrown> {
        let compiled = self.compiled.as_ref().expect("checked by the caller");
        let sum = hash_sum(current);
        let Batch {
            states,
            hashes,
            groups,
        } = batch;
        let layout = &self.layout;
        let mut fire = |group: usize| -> Option<Outgrown> {
            let start = states.len();
            states.extend_from_slice(current);
            let next = &mut states[start..];
            let mut sum = sum;
            for e in compiled.effects(group) {
                let word = e.word as usize;
                let old = next[word];
                let new = old.wrapping_add(e.add);
                if new & e.guard != 0 {
                    let variable = layout.overgrown(word, new & e.guard);
                    return Some((variable, GroupId(group as u32)));
                }
                next[word] = new;
                sum = sum
                    .wrapping_sub(word_hash(old, word))
                    .wrapping_add(word_hash(new, word));
            }
            hashes.push(finish(sum));
            groups.push(GroupId(group as u32));
            None
        };
        if let Some(groups) = enabled {
            return groups.iter().find_map(|g| fire(g.index()));
        }
        let mut test_and_fire = |group: usize| {
            if compiled.enabled(group, current) {
                fire(group)
            } else {
                None
            }
        };
        match &self.triggers {
            None => (0..self.model.groups().len()).find_map(&mut test_and_fire),
            Some(triggers) => triggers
                .candidates(current)
                .find_map(|g| test_and_fire(g as usize)),
        }
    }

    fn fire_unpacked(
        &mut self,
        state: &[u64],
        enabled: Option<&[GroupId]>,
        batch: &mut Batch,
    ) -> Result<Option<Outgrown>, Fault> {
        self.layout.unpack(state, &mut self.values);
        let Batch {
            states,
            hashes,
            groups,
        } = batch;
        let layout = &self.layout;
        let mut outgrown = None;
        let mut visit = |group: GroupId, next: &[u32]| {
            let start = states.len();
            states.resize(start + layout.words, 0);
            match layout.pack(next, &mut states[start..]) {
                Ok(()) => {
                    hashes.push(hash_of(&states[start..]));
                    groups.push(group);
                }
                Err(variable) => outgrown = Some((variable, group)),
            }
        };
        let (model, values, scratch) = (&self.model, &self.values, &mut self.scratch);
        match enabled {
            Some(groups) if groups.first() != Some(&EVERY_GROUP) => {
                for &group in groups {
                    model.successors_by(group, values, scratch, |next| visit(group, next))?;
                }
            }
            _ => model.successors(values, scratch, visit)?,
        }
        Ok(outgrown)
    }

    /// Shows the successor by each enabled group of a packed state with its hash, one at a time in the buffer, or
    /// `None` where a value outgrows its field. All groups must be compiled.
    pub(crate) fn each(
        &self,
        current: &[u64],
        next: &mut Vec<u64>,
        mut visit: impl FnMut(GroupId, Option<(&[u64], u64)>),
    ) {
        let compiled = self.compiled.as_ref().expect("checked by the caller");
        next.clear();
        next.extend_from_slice(current);
        let before = hash_sum(current);
        let mut look = |group: usize| {
            if !compiled.enabled(group, current) {
                return;
            }
            let mut sum = before;
            let mut fits = true;
            for e in compiled.effects(group) {
                let word = e.word as usize;
                let old = next[word];
                let new = old.wrapping_add(e.add);
                fits &= new & e.guard == 0;
                next[word] = new;
                sum = sum
                    .wrapping_sub(word_hash(old, word))
                    .wrapping_add(word_hash(new, word));
            }
            visit(GroupId(group as u32), fits.then_some((&*next, finish(sum))));
            for e in compiled.effects(group) {
                next[e.word as usize] = current[e.word as usize];
            }
        };
        match &self.triggers {
            None => (0..self.model.groups().len()).for_each(&mut look),
            Some(triggers) => triggers.candidates(current).for_each(|g| look(g as usize)),
        }
    }
}
