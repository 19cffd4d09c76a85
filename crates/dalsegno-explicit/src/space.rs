//! The state space of a model as far as it is known: states by number, successors on demand.
//!
//! Models whose groups are all linear are compiled to operations on packed words; others are unpacked,
//! asked for their successors and packed again. A value that outgrows its field widens the field and
//! repacks the space, which happens at most a few times per variable.
//!
//! The buffers of a space are reused from state to state: nothing is allocated per state or transition
//! but the growth of the tables.

use std::sync::Arc;

use thiserror::Error;

use dalsegno_kripke::{Budget, Fault, GroupId, Model, Predicate, Scratch, Stop, VarId};

use crate::layout::{Compiled, Layout};
use crate::table::{StateTable, finish, word_hash};

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

/// A variable that outgrew its field, and the group that made it.
type Outgrown = (usize, GroupId);

/// With more groups than this, only those with a marked input are looked at.
const MANY_GROUPS: usize = 48;

/// Stands for all groups, where asking which are enabled is as dear as taking their steps.
pub(crate) const EVERY_GROUP: GroupId = GroupId(u32::MAX);

/// The known part of a state space.
pub struct Space {
    model: Arc<Model>,
    layout: Layout,
    compiled: Option<Compiled>,
    triggers: Option<Triggers>,
    table: StateTable,
    current: Vec<u64>,
    batch: Vec<u64>,
    hashes: Vec<u64>,
    groups: Vec<GroupId>,
    ids: Vec<StateId>,
    values: Vec<u32>,
    scratch: Scratch,
    initial: Vec<StateId>,
    /// Bits of values, and per word the bits above them.
    cap: Option<(u32, Vec<u64>)>,
    /// The variable whose field was widened last, and how often fields were widened.
    pub(crate) widened: Option<usize>,
    broken: Option<VarId>,
    pub(crate) widenings: u32,
}

impl Space {
    /// A space that knows the initial states of a model.
    #[must_use]
    pub fn new(model: &Arc<Model>) -> Self {
        let layout = Layout::new(model);
        let linear = model.groups().iter().all(|g| g.as_linear().is_some());
        let mut space = Space {
            model: Arc::clone(model),
            compiled: linear.then(|| Compiled::new(model, &layout)),
            triggers: (linear && model.groups().len() > MANY_GROUPS)
                .then(|| Triggers::new(model, &layout)),
            table: StateTable::new(layout.words),
            current: vec![0; layout.words],
            layout,
            batch: Vec::new(),
            hashes: Vec::new(),
            groups: Vec::new(),
            ids: Vec::new(),
            values: vec![0; model.variables().len()],
            scratch: Scratch::default(),
            initial: Vec::new(),
            cap: None,
            widened: None,
            broken: None,
            widenings: 0,
        };
        for state in model.initial() {
            let mut packed = vec![0; space.layout.words];
            let fits = space.layout.pack(state, &mut packed);
            debug_assert!(fits.is_ok(), "layouts are made for the initial states");
            let hash = finish(StateTable::hash_sum(&packed));
            let (id, new) = space.table.insert(&packed, hash);
            if new {
                space.initial.push(id);
            }
        }
        space
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Arc<Model> {
        &self.model
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
        let mut packed = vec![0; self.layout.words];
        if values.len() != self.layout.fields.len() {
            return None;
        }
        self.layout.pack(values, &mut packed).ok()?;
        let hash = finish(StateTable::hash_sum(&packed));
        self.table.find(&packed, hash)
    }

    /// Writes the values of a state.
    ///
    /// # Panics
    /// If `out` has another length than the model has variables.
    pub fn values(&self, state: StateId, out: &mut [u32]) {
        assert_eq!(out.len(), self.layout.fields.len());
        self.layout.unpack(self.table.state(state), out);
    }

    /// Of the first `most` states, the largest value of each variable and the largest sum, if no
    /// variable exceeds 1: whole words tell it then.
    pub(crate) fn marks(&self, most: usize) -> Option<(Vec<u32>, u64)> {
        if self.layout.fields.iter().any(|field| field.width > 1) {
            return None;
        }
        let mut ever = vec![0_u64; self.layout.words];
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
        let fields = 0..self.layout.fields.len();
        let largest = fields.map(|v| self.layout.get(&ever, v)).collect();
        Some((largest, largest_sum))
    }

    /// The value of one variable in a state.
    #[inline]
    #[must_use]
    pub fn value(&self, state: StateId, variable: usize) -> u32 {
        self.layout.get(self.table.state(state), variable)
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
    ///
    /// If the groups are not linear it may be a single mark that stands for all of them, even though
    /// none is enabled.
    pub(crate) fn enabled_groups(&self, state: StateId, out: &mut Vec<GroupId>) {
        let Some(compiled) = &self.compiled else {
            out.push(EVERY_GROUP);
            return;
        };
        let packed = self.table.state(state);
        let enabled = |&g: &u32| compiled.enabled(g as usize, packed);
        match &self.triggers {
            None => out.extend(
                (0..self.model.groups().len() as u32)
                    .filter(enabled)
                    .map(GroupId),
            ),
            Some(triggers) => out.extend(triggers.candidates(packed).filter(enabled).map(GroupId)),
        }
    }

    /// The steps of some groups of [`Space::enabled_groups`], handing out the buffers.
    pub(crate) fn take_steps(
        &mut self,
        state: StateId,
        groups: &[GroupId],
        budget: &Budget,
    ) -> Result<(Vec<GroupId>, Vec<StateId>), Error> {
        let every = groups.first() == Some(&EVERY_GROUP);
        self.fire(state, (!every).then_some(groups), budget)?;
        Ok((
            std::mem::take(&mut self.groups),
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
        self.table.reserve(self.hashes.len(), budget)?;
        let before = self.table.len();
        let mut ids = std::mem::take(&mut self.ids);
        self.table.insert_batch(&self.batch, &self.hashes, &mut ids);
        self.ids = ids;
        if self.table.len() != before {
            budget.check_states(self.table.len() as u64)?;
            budget.check_bytes(self.table.bytes())?;
            if self.table.len() >= u32::MAX as usize - self.hashes.len() {
                return Err(Stop::States.into());
            }
        }
        Ok((&self.groups, &self.ids))
    }

    /// Fills the batch with the steps of all groups, or of some that are known to be enabled.
    fn fill(
        &mut self,
        state: StateId,
        enabled: Option<&[GroupId]>,
        budget: &Budget,
    ) -> Result<(), Error> {
        loop {
            let outgrown = if self.compiled.is_some() {
                self.fire_packed(state, enabled)
            } else {
                self.fire_unpacked(state)?
            };
            match outgrown {
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
        if self.compiled.is_some() {
            let dead_end = self.known_packed(state);
            let groups = std::mem::take(&mut self.groups);
            return Ok((groups, std::mem::take(&mut self.ids), dead_end));
        }
        self.fill(state, None, budget)?;
        let (mut groups, mut ids) = (
            std::mem::take(&mut self.groups),
            std::mem::take(&mut self.ids),
        );
        let dead_end = groups.is_empty();
        ids.clear();
        let mut kept = 0;
        let words = self.layout.words;
        for (i, &hash) in self.hashes.iter().enumerate() {
            let target = &self.batch[i * words..(i + 1) * words];
            if let Some(id) = self.table.find(target, hash) {
                groups[kept] = groups[i];
                ids.push(id);
                kept += 1;
            }
        }
        groups.truncate(kept);
        Ok((groups, ids, dead_end))
    }

    /// Lists the groups that lead to states that have numbers, and these; whether the state is a dead end. Each
    /// successor is made in place and undone, as there may be thousands.
    fn known_packed(&mut self, state: StateId) -> bool {
        let compiled = self.compiled.as_ref().expect("checked by the caller");
        self.current.copy_from_slice(self.table.state(state));
        let (current, next) = (&self.current, &mut self.batch);
        next.clear();
        next.extend_from_slice(current);
        let (groups, ids, table) = (&mut self.groups, &mut self.ids, &self.table);
        groups.clear();
        ids.clear();
        let before = StateTable::hash_sum(current);
        let mut dead_end = true;
        let mut look = |group: usize| {
            if !compiled.enabled(group, current) {
                return;
            }
            dead_end = false;
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
            // A value that outgrows its field is in no state that has a number.
            if fits && let Some(id) = table.find(next, finish(sum)) {
                groups.push(GroupId(group as u32));
                ids.push(id);
            }
            for e in compiled.effects(group) {
                next[e.word as usize] = current[e.word as usize];
            }
        };
        match &self.triggers {
            None => (0..self.model.groups().len()).for_each(&mut look),
            Some(triggers) => triggers.candidates(current).for_each(|g| look(g as usize)),
        }
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
            std::mem::take(&mut self.groups),
            std::mem::take(&mut self.ids),
        ))
    }

    /// Takes buffers back, so that they are not allocated again.
    pub(crate) fn give_back(&mut self, groups: &mut Vec<GroupId>, ids: &mut Vec<StateId>) {
        std::mem::swap(&mut self.groups, groups);
        std::mem::swap(&mut self.ids, ids);
    }

    /// Sets the number of bits that [`Space::is_large`] compares values with.
    pub(crate) fn set_cap(&mut self, bits: Option<u32>) {
        self.cap = bits.map(|bits| (bits, self.layout.high(bits)));
    }

    /// Whether some value of a state needs more bits than the cap.
    #[inline]
    pub(crate) fn is_large(&self, state: StateId) -> bool {
        self.cap.as_ref().is_some_and(|(_, high)| {
            let words = self.table.state(state).iter().zip(high);
            words.into_iter().any(|(word, high)| word & high != 0)
        })
    }

    /// Whether a state belongs to a set.
    #[must_use]
    pub fn holds(&self, state: StateId, predicate: &Predicate) -> bool {
        let packed = self.table.state(state);
        self.holds_packed(packed, predicate)
    }

    fn holds_packed(&self, packed: &[u64], predicate: &Predicate) -> bool {
        match predicate {
            Predicate::True => true,
            Predicate::False => false,
            Predicate::Compare(c) => {
                let value = |v: VarId| i64::from(self.layout.get(packed, v.index()));
                let sum = c.terms().iter().map(|&(weight, v)| weight * value(v)).sum();
                c.op().holds(sum, c.constant())
            }
            Predicate::Enabled(groups) => groups.iter().any(|&g| self.enabled(packed, g)),
            Predicate::DeadEnd => !self.model.group_ids().any(|g| self.enabled(packed, g)),
            Predicate::Not(p) => !self.holds_packed(packed, p),
            Predicate::And(ps) => ps.iter().all(|p| self.holds_packed(packed, p)),
            Predicate::Or(ps) => ps.iter().any(|p| self.holds_packed(packed, p)),
            Predicate::Circuit(circuit) => circuit.eval(|p| self.holds_packed(packed, p)),
        }
    }

    fn enabled(&self, packed: &[u64], group: GroupId) -> bool {
        if let Some(compiled) = &self.compiled {
            return compiled.enabled(group.index(), packed);
        }
        let mut values = vec![0; self.layout.fields.len()];
        self.layout.unpack(packed, &mut values);
        self.model.enabled(group, &values)
    }

    /// Fills the batch with the successors of a state, or stops at a value that outgrows its field.
    fn fire_packed(&mut self, state: StateId, enabled: Option<&[GroupId]>) -> Option<Outgrown> {
        let compiled = self.compiled.as_ref().expect("checked by the caller");
        self.current.copy_from_slice(self.table.state(state));
        self.batch.clear();
        self.hashes.clear();
        self.groups.clear();
        let current = &self.current;
        let sum = StateTable::hash_sum(current);
        let (batch, hashes, groups) = (&mut self.batch, &mut self.hashes, &mut self.groups);
        let layout = &self.layout;
        let mut fire = |group: usize| -> Option<Outgrown> {
            let start = batch.len();
            batch.extend_from_slice(current);
            let next = &mut batch[start..];
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

    fn fire_unpacked(&mut self, state: StateId) -> Result<Option<Outgrown>, Error> {
        self.batch.clear();
        self.hashes.clear();
        self.groups.clear();
        let mut values = std::mem::take(&mut self.values);
        self.layout.unpack(self.table.state(state), &mut values);
        let (batch, hashes, groups) = (&mut self.batch, &mut self.hashes, &mut self.groups);
        let layout = &self.layout;
        let mut outgrown = None;
        let visit = |group: GroupId, next: &[u32]| {
            let start = batch.len();
            batch.resize(start + layout.words, 0);
            match layout.pack(next, &mut batch[start..]) {
                Ok(()) => {
                    hashes.push(finish(StateTable::hash_sum(&batch[start..])));
                    groups.push(group);
                }
                Err(variable) => outgrown = Some((variable, group)),
            }
        };
        let result = self.model.successors(&values, &mut self.scratch, visit);
        self.values = values;
        result?;
        Ok(outgrown)
    }

    /// Gives a variable more bits and packs all states anew, in the same order. If that happens again
    /// and again, or takes long, all variables that may grow get more bits at once.
    fn widen(&mut self, variable: usize, group: GroupId, budget: &Budget) -> Result<(), Error> {
        let others = self.widenings >= FEW_WIDENINGS || self.table.len() > FEW_STATES;
        let Some(layout) = self.layout.widened(&self.model, variable, others) else {
            let variable = VarId(variable as u32);
            return Err(Error::Fault(Fault::Overflow { group, variable }));
        };
        let mut table = StateTable::new(layout.words);
        let mut values = vec![0; layout.fields.len()];
        let mut packed = vec![0; layout.words];
        for id in 0..self.table.len() as StateId {
            if id.is_multiple_of(1024) {
                budget.check()?;
            }
            self.layout.unpack(self.table.state(id), &mut values);
            let fits = layout.pack(&values, &mut packed);
            debug_assert!(fits.is_ok(), "a wider layout holds all states");
            table.insert(&packed, finish(StateTable::hash_sum(&packed)));
        }
        if self.compiled.is_some() {
            self.compiled = Some(Compiled::new(&self.model, &layout));
        }
        if self.triggers.is_some() {
            self.triggers = Some(Triggers::new(&self.model, &layout));
        }
        self.current = packed;
        self.table = table;
        self.layout = layout;
        self.set_cap(self.cap.as_ref().map(|&(bits, _)| bits));
        self.widened = Some(variable);
        self.widenings += 1;
        let id = VarId(variable as u32);
        if self.model.variable(id).bounds.promised.is_some() {
            self.broken = Some(id);
        }
        Ok(())
    }
}

/// Widenings of single variables before all that may grow are widened together, and states after which they
/// are: packing many states anew takes longer than wide states do.
const FEW_WIDENINGS: u32 = 16;
const FEW_STATES: usize = 1_000;

/// For large nets: each group is filed under one of its inputs, and only groups filed under marked
/// places are looked at.
struct Triggers {
    /// The variable that each bit of each word belongs to.
    variable_at: Vec<u32>,
    /// The bits of the field of each variable.
    clear: Vec<u64>,
    /// The groups filed under each variable, flattened.
    starts: Vec<u32>,
    filed: Vec<u32>,
    /// The groups without inputs.
    always: Vec<u32>,
}

impl Triggers {
    fn new(model: &Model, layout: &Layout) -> Self {
        let n = layout.fields.len();
        let mut use_count = vec![0u32; n];
        for linear in model.groups().iter().filter_map(|g| g.as_linear()) {
            for &(v, _) in linear.pre() {
                use_count[v.index()] += 1;
            }
        }
        let mut by_variable: Vec<Vec<u32>> = vec![Vec::new(); n];
        let mut always = Vec::new();
        for (g, group) in (0..).zip(model.groups()) {
            let inputs = group.as_linear().map_or(&[][..], |l| l.pre());
            // The input that the fewest groups share is the rarest one to be marked, roughly.
            let rarest = inputs
                .iter()
                .map(|&(v, _)| v.index())
                .min_by_key(|&v| use_count[v]);
            match rarest {
                Some(v) => by_variable[v].push(g),
                None => always.push(g),
            }
        }
        let mut variable_at = vec![0; layout.words * 64];
        let mut clear = vec![0; n];
        for (i, f) in layout.fields.iter().enumerate() {
            for bit in f.shift..=f.shift + f.width {
                variable_at[f.word * 64 + bit as usize] = i as u32;
                clear[i] |= 1 << bit;
            }
        }
        let mut starts = vec![0];
        let mut filed = Vec::new();
        for groups in by_variable {
            filed.extend(groups);
            starts.push(filed.len() as u32);
        }
        Triggers {
            variable_at,
            clear,
            starts,
            filed,
            always,
        }
    }

    fn candidates<'a>(&'a self, state: &'a [u64]) -> impl Iterator<Item = u32> + 'a {
        let marked = state.iter().enumerate().flat_map(move |(word, &bits)| {
            let mut left = bits;
            std::iter::from_fn(move || {
                if left == 0 {
                    return None;
                }
                let bit = left.trailing_zeros() as usize;
                let variable = self.variable_at[word * 64 + bit] as usize;
                left &= !self.clear[variable];
                Some(variable)
            })
        });
        let filed = marked.flat_map(move |v| {
            self.filed[self.starts[v] as usize..self.starts[v + 1] as usize]
                .iter()
                .copied()
        });
        self.always.iter().copied().chain(filed)
    }
}
