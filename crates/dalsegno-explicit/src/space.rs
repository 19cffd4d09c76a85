//! The state space of a model as far as it is known: states by number, successors on demand.
//!
//! A space is a table of packed states and the [`Steps`] between them. A value that outgrows its field widens the
//! field and repacks the space, which happens at most a few times per variable.
//!
//! The buffers of a space are reused from state to state: nothing is allocated per state or transition
//! but the growth of the tables.

use std::sync::Arc;

use thiserror::Error;

use dalsegno_kripke::{Budget, Fault, GroupId, Letter, Model, Predicate, Stop, VarId};

use crate::labelling::Labelling;
use crate::steps::{Batch, Steps};
use crate::stubborn::here::Here;
use crate::stubborn::relations::Relations;
use crate::table::{StateTable, hash_of};

/// A state of a [`Space`], numbered as found.
pub type StateId = u32;

/// Why successors could not be computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// The model cannot take a step.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The budget ran out.
    #[error("gave up: {0}")]
    Stopped(#[from] Stop),
}

/// The known part of a state space.
pub struct Space {
    steps: Steps,
    table: StateTable,
    batch: Batch,
    ids: Vec<StateId>,
    initial: Vec<StateId>,
    /// Bits of values, and per word the bits above them.
    cap: Option<(u32, Vec<u64>)>,
    /// The variable whose field was widened last, and how often fields were widened.
    pub(crate) widened: Option<usize>,
    broken: Option<VarId>,
    pub(crate) widenings: u32,
    /// Made when it is asked for.
    relations: Option<Arc<Relations>>,
}

impl Space {
    /// A space that knows the initial states of a model.
    #[must_use]
    pub fn new(model: &Arc<Model>) -> Self {
        let steps = Steps::new(model);
        let mut space = Space {
            table: StateTable::new(steps.words()),
            steps,
            batch: Batch::default(),
            ids: Vec::new(),
            initial: Vec::new(),
            cap: None,
            widened: None,
            broken: None,
            widenings: 0,
            relations: None,
        };
        for state in model.initial() {
            let mut packed = vec![0; space.steps.words()];
            let fits = space.steps.pack(state, &mut packed);
            debug_assert!(fits.is_ok(), "layouts are made for the initial states");
            let (id, new) = space.table.insert(&packed, hash_of(&packed));
            if new {
                space.initial.push(id);
            }
        }
        space
    }

    /// A space of the same model that knows its initial states, and shares what is known of its groups.
    #[must_use]
    pub fn fresh(&mut self) -> Self {
        let relations = Some(self.relations());
        Space {
            relations,
            ..Space::new(self.model())
        }
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Arc<Model> {
        self.steps.model()
    }

    /// The initial states.
    #[must_use]
    pub fn initial(&self) -> &[StateId] {
        &self.initial
    }

    /// The number of states known.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether no state is known; never true of a model with an initial state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of the tables.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.table.bytes()
    }

    /// A variable that outgrew what was expected of it, if one did: the last one.
    #[must_use]
    pub fn growing(&self) -> Option<usize> {
        self.widened
    }

    /// A variable that exceeds what was promised of it, if one was seen to.
    #[must_use]
    pub fn broken_promise(&self) -> Option<VarId> {
        self.broken
    }

    /// The state with these values, if it is known.
    #[must_use]
    pub fn find(&self, values: &[u32]) -> Option<StateId> {
        let mut packed = vec![0; self.steps.words()];
        if values.len() != self.model().variables().len() {
            return None;
        }
        self.steps.pack(values, &mut packed).ok()?;
        self.table.find(&packed, hash_of(&packed))
    }

    /// Writes the values of a state.
    ///
    /// # Panics
    /// If `out` has another length than the model has variables.
    pub fn values(&self, state: StateId, out: &mut [u32]) {
        self.steps.unpack(self.table.state(state), out);
    }

    /// Of the first `most` states, the largest value of each variable and the largest sum, if no
    /// variable exceeds 1: whole words tell it then.
    pub(crate) fn marks(&self, most: usize) -> Option<(Vec<u32>, u64)> {
        let layout = self.steps.layout();
        if layout.fields.iter().any(|field| field.width > 1) {
            return None;
        }
        let mut ever = vec![0_u64; layout.words];
        let mut largest_sum = 0;
        for state in 0..self.len().min(most) as StateId {
            let words = self.table.state(state);
            let mut sum = 0;
            for (ever, &word) in ever.iter_mut().zip(words) {
                *ever |= word;
                sum += u64::from(word.count_ones());
            }
            largest_sum = largest_sum.max(sum);
        }
        let fields = 0..layout.fields.len();
        let largest = fields.map(|v| layout.get(&ever, v)).collect();
        Some((largest, largest_sum))
    }

    /// The value of one variable in a state.
    #[inline]
    #[must_use]
    pub fn value(&self, state: StateId, variable: usize) -> u32 {
        self.steps.value(self.table.state(state), variable)
    }

    /// The transitions that leave a state: groups and targets, in step. New targets get numbers.
    ///
    /// # Errors
    /// If the model faults or the budget's states or bytes are used up. Time is not checked here.
    pub fn successors(
        &mut self,
        state: StateId,
        budget: &Budget,
    ) -> Result<(&[GroupId], &[StateId]), Error> {
        self.fire(state, None, budget)
    }

    /// Appends the groups that are enabled in a state, for [`Space::take_steps`].
    pub(crate) fn enabled_groups(&self, state: StateId, out: &mut Vec<GroupId>) {
        self.steps.enabled_groups(self.table.state(state), out);
    }

    /// Appends the groups that are enabled in a state, each of them, for [`Space::take_steps`].
    pub(crate) fn list_enabled(&mut self, state: StateId, out: &mut Vec<GroupId>) {
        self.steps.list_enabled(self.table.state(state), out);
    }

    /// A state as stubborn sets look at it.
    pub(crate) fn here(&mut self, state: StateId) -> Here<'_> {
        Here {
            state: self.table.state(state),
            steps: &mut self.steps,
        }
    }

    /// The dependence of the groups.
    pub(crate) fn relations(&mut self) -> Arc<Relations> {
        let model = self.steps.model();
        let relations = self
            .relations
            .get_or_insert_with(|| Arc::new(Relations::new(model)));
        Arc::clone(relations)
    }

    /// The steps of some groups of [`Space::enabled_groups`], handing out the buffers.
    pub(crate) fn take_steps(
        &mut self,
        state: StateId,
        groups: &[GroupId],
        budget: &Budget,
    ) -> Result<(Vec<GroupId>, Vec<StateId>), Error> {
        self.fire(state, Some(groups), budget)?;
        Ok((
            std::mem::take(&mut self.batch.groups),
            std::mem::take(&mut self.ids),
        ))
    }

    /// The steps of all groups, or of some that are known to be enabled.
    fn fire(
        &mut self,
        state: StateId,
        enabled: Option<&[GroupId]>,
        budget: &Budget,
    ) -> Result<(&[GroupId], &[StateId]), Error> {
        self.fill(state, enabled, budget)?;
        self.table.reserve(self.batch.hashes.len(), budget)?;
        let before = self.table.len();
        let mut ids = std::mem::take(&mut self.ids);
        self.table
            .insert_batch(&self.batch.states, &self.batch.hashes, &mut ids);
        self.ids = ids;
        if self.table.len() != before {
            budget.check_states(self.table.len() as u64)?;
            budget.check_bytes(self.table.bytes())?;
            if self.table.len() >= u32::MAX as usize - self.batch.hashes.len() {
                return Err(Stop::States.into());
            }
        }
        Ok((&self.batch.groups, &self.ids))
    }

    /// Fills the batch with the steps of all groups, or of some that are known to be enabled.
    fn fill(
        &mut self,
        state: StateId,
        enabled: Option<&[GroupId]>,
        budget: &Budget,
    ) -> Result<(), Error> {
        loop {
            self.batch.clear();
            let state = self.table.state(state);
            match self.steps.fire(state, enabled, &mut self.batch)? {
                None => return Ok(()),
                Some((variable, group)) => self.widen(variable, group, budget)?,
            }
        }
    }

    /// The transitions that leave a state to states that have numbers, handing out the buffers, and whether
    /// the state is a dead end.
    pub(crate) fn take_known(
        &mut self,
        state: StateId,
        budget: &Budget,
    ) -> Result<(Vec<GroupId>, Vec<StateId>, bool), Error> {
        if self.steps.is_compiled() {
            let dead_end = self.known_packed(state);
            let groups = std::mem::take(&mut self.batch.groups);
            return Ok((groups, std::mem::take(&mut self.ids), dead_end));
        }
        self.fill(state, None, budget)?;
        let (mut groups, mut ids) = (
            std::mem::take(&mut self.batch.groups),
            std::mem::take(&mut self.ids),
        );
        let dead_end = groups.is_empty();
        ids.clear();
        let mut kept = 0;
        let words = self.steps.words();
        for (i, &hash) in self.batch.hashes.iter().enumerate() {
            let target = &self.batch.states[i * words..(i + 1) * words];
            if let Some(id) = self.table.find(target, hash) {
                groups[kept] = groups[i];
                ids.push(id);
                kept += 1;
            }
        }
        groups.truncate(kept);
        Ok((groups, ids, dead_end))
    }

    /// The steps of an enabled group that lead to states that have numbers, handing out the buffers; `None` if there are others.
    pub(crate) fn take_known_steps(
        &mut self,
        state: StateId,
        group: GroupId,
    ) -> Option<(Vec<GroupId>, Vec<StateId>)> {
        let (batch, words) = (&mut self.batch, self.steps.words());
        batch.clear();
        self.ids.clear();
        let fired = self
            .steps
            .fire(self.table.state(state), Some(&[group]), batch);
        // A value that outgrows its field is in no state that has a number.
        if fired != Ok(None) {
            return None;
        }
        for (target, &hash) in batch.states.chunks_exact(words).zip(&batch.hashes) {
            self.ids.push(self.table.find(target, hash)?);
        }
        Some((
            std::mem::take(&mut self.batch.groups),
            std::mem::take(&mut self.ids),
        ))
    }

    /// Whether all steps of an enabled group lead to states that have numbers.
    pub(crate) fn is_known_step(&mut self, state: StateId, group: GroupId) -> bool {
        let known = self.take_known_steps(state, group);
        known.is_some_and(|(mut groups, mut ids)| {
            self.give_back(&mut groups, &mut ids);
            true
        })
    }

    /// Lists the groups that lead to states that have numbers, and these; whether the state is a dead end. Each
    /// successor is made in place and undone, as there may be thousands.
    fn known_packed(&mut self, state: StateId) -> bool {
        let (ids, table) = (&mut self.ids, &self.table);
        let Batch { states, groups, .. } = &mut self.batch;
        groups.clear();
        ids.clear();
        let mut dead_end = true;
        self.steps.each(table.state(state), states, |group, next| {
            dead_end = false;
            // A value that outgrows its field is in no state that has a number.
            if let Some((state, hash)) = next
                && let Some(id) = table.find(state, hash)
            {
                groups.push(group);
                ids.push(id);
            }
        });
        dead_end
    }

    /// As [`Space::successors`], handing out the buffers; [`Space::give_back`] returns them.
    pub(crate) fn take_successors(
        &mut self,
        state: StateId,
        budget: &Budget,
    ) -> Result<(Vec<GroupId>, Vec<StateId>), Error> {
        self.successors(state, budget)?;
        Ok((
            std::mem::take(&mut self.batch.groups),
            std::mem::take(&mut self.ids),
        ))
    }

    /// Takes buffers back, so that they are not allocated again.
    pub(crate) fn give_back(&mut self, groups: &mut Vec<GroupId>, ids: &mut Vec<StateId>) {
        std::mem::swap(&mut self.batch.groups, groups);
        std::mem::swap(&mut self.ids, ids);
    }

    /// Sets the number of bits that [`Space::is_large`] compares values with.
    pub(crate) fn set_cap(&mut self, bits: Option<u32>) {
        self.cap = bits.map(|bits| (bits, self.steps.layout().high(bits)));
    }

    /// Whether some value of a state needs more bits than the cap.
    #[inline]
    pub(crate) fn is_large(&self, state: StateId) -> bool {
        self.cap.as_ref().is_some_and(|(_, high)| {
            let words = self.table.state(state).iter().zip(high);
            words.into_iter().any(|(word, high)| word & high != 0)
        })
    }

    /// The letter of a state, which a group leads to from a state with another letter if that is told.
    pub(crate) fn letter(
        &self,
        state: StateId,
        met: Option<(GroupId, Letter)>,
        labelling: &Labelling,
    ) -> Letter {
        let packed = self.table.state(state);
        match met {
            Some((group, from)) => labelling.letter_after(&self.steps, packed, group, from),
            None => labelling.letter(&self.steps, packed),
        }
    }

    /// Whether a state belongs to a set.
    #[must_use]
    pub fn holds(&self, state: StateId, predicate: &Predicate) -> bool {
        let packed = self.table.state(state);
        self.steps.holds(packed, predicate)
    }

    /// Gives a variable more bits and packs all states anew, in the same order. If that happens again
    /// and again, or takes long, all variables that may grow get more bits at once.
    fn widen(&mut self, variable: usize, group: GroupId, budget: &Budget) -> Result<(), Error> {
        let others = self.widenings >= FEW_WIDENINGS || self.table.len() > FEW_STATES;
        let Some(steps) = self.steps.widened(variable, others) else {
            let variable = VarId(variable as u32);
            return Err(Error::Fault(Fault::Overflow { group, variable }));
        };
        let mut table = StateTable::new(steps.words());
        let mut values = vec![0; self.model().variables().len()];
        let mut packed = vec![0; steps.words()];
        for id in 0..self.table.len() as StateId {
            if id.is_multiple_of(1024) {
                budget.check()?;
            }
            self.steps.unpack(self.table.state(id), &mut values);
            let fits = steps.pack(&values, &mut packed);
            debug_assert!(fits.is_ok(), "a wider layout holds all states");
            table.insert(&packed, hash_of(&packed));
        }
        self.table = table;
        self.steps = steps;
        self.set_cap(self.cap.as_ref().map(|&(bits, _)| bits));
        self.widened = Some(variable);
        self.widenings += 1;
        let id = VarId(variable as u32);
        if self.model().variable(id).bounds.promised.is_some() {
            self.broken = Some(id);
        }
        Ok(())
    }
}

/// Widenings of single variables before all that may grow are widened together, and states after which they
/// are: packing many states anew takes longer than wide states do.
const FEW_WIDENINGS: u32 = 16;
const FEW_STATES: usize = 1_000;
