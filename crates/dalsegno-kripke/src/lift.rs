//! Lifting: how states and runs of a transformed model are those of the model it was made from.
//!
//! A transformation keeps a [`Lift`], so that what is found in the transformed model is reported, replayed
//! and certified on the model that the user gave. A value of the original is read off the transformed
//! state; a group of the transformed model stands for a sequence of original groups, usually of one.
//!
//! Cost: a state takes time linear in the variables that are read. A step that stands for several groups
//! is fired on the original model, which takes time linear in the states that the sequence can lead to.

use std::collections::BTreeSet;
use std::ops::Range;

use thiserror::Error;

use crate::action::Fault;
use crate::lasso::{Run, Step};
use crate::model::{GroupId, Model, VarId};
use crate::step::Scratch;

/// Where the value of an original variable is found in a transformed state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// It is the value of this variable.
    Variable(VarId),
    /// It never changes, and the transformed model has no variable for it.
    Constant(u32),
    /// It is 1 if this variable has this value, and 0 otherwise.
    Is(VarId, u32),
    /// It is the sum of the variables with these numbers.
    Sum(Range<u32>),
}

impl Source {
    /// The value in a transformed state; `None` if a sum does not fit into 32 bits.
    fn value(&self, transformed: &[u32]) -> Option<u32> {
        match self {
            Source::Variable(v) => Some(transformed[v.index()]),
            Source::Constant(n) => Some(*n),
            Source::Is(v, value) => Some(u32::from(transformed[v.index()] == *value)),
            Source::Sum(range) => {
                let values = transformed[range.start as usize..range.end as usize].iter();
                values.copied().try_fold(0, u32::checked_add)
            }
        }
    }

    /// The same value read off a state that is transformed once more; `None` if no source has it.
    fn through(&self, next: &[Source]) -> Option<Source> {
        match self {
            Source::Constant(n) => Some(Source::Constant(*n)),
            Source::Variable(v) => Some(next[v.index()].clone()),
            Source::Is(v, value) => match &next[v.index()] {
                Source::Variable(w) => Some(Source::Is(*w, *value)),
                Source::Constant(n) => Some(Source::Constant(u32::from(n == value))),
                Source::Is(w, other) if *value == 1 => Some(Source::Is(*w, *other)),
                Source::Is(..) if *value > 1 => Some(Source::Constant(0)),
                Source::Is(..) | Source::Sum(_) => None,
            },
            Source::Sum(range) => sum(&next[range.start as usize..range.end as usize]),
        }
    }
}

/// The sum of some sources as one; `None` if no source has it.
fn sum(parts: &[Source]) -> Option<Source> {
    if let [part] = parts {
        return Some(part.clone());
    }
    let (mut constant, mut range) = (0_u32, 0..0);
    for part in parts {
        let own = match part {
            Source::Constant(n) => {
                constant = constant.checked_add(*n)?;
                continue;
            }
            Source::Variable(v) => v.0..v.0 + 1,
            Source::Sum(own) => own.clone(),
            Source::Is(..) => return None,
        };
        if range.is_empty() {
            range = own;
        } else if !own.is_empty() {
            if own.start != range.end {
                return None;
            }
            range.end = own.end;
        }
    }
    match (constant, range) {
        (n, range) if range.is_empty() => Some(Source::Constant(n)),
        (0, range) => Some(Source::Sum(range)),
        _ => None,
    }
}

/// Why a state or a run of a transformed model is none of the original.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum LiftError {
    /// The value of an original variable does not fit into 32 bits.
    #[error("the value of variable {} leaves the range of 32 bits", .0.0)]
    TooLarge(VarId),
    /// The groups of a step do not lead to the next state.
    #[error("the step at position {0} of the run is none of the original model")]
    NoStep(usize),
    /// No step of the cycle stands for a group of the original.
    #[error("no step of the cycle is one of the original model")]
    EmptyCycle,
    /// The original model has no successor where a step starts.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// A map from a transformed model back to the original one. Invariants:
///
/// 1. `starts` ascends from 0 to the length of `sequences`, with one entry per transformed group and one
///    more; `users_starts` is the same for `users` and original groups.
/// 2. `users` has, per original group, the transformed groups with it in their sequence, ascending, each
///    once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lift {
    /// Per original variable.
    variables: Vec<Source>,
    starts: Vec<usize>,
    sequences: Vec<GroupId>,
    users_starts: Vec<usize>,
    users: Vec<GroupId>,
}

impl Lift {
    /// Nothing was transformed.
    #[must_use]
    pub fn identity(variables: usize, groups: usize) -> Self {
        let variables = (0..variables as u32).map(|v| Source::Variable(VarId(v)));
        let groups_of: Vec<GroupId> = (0..groups as u32).map(GroupId).collect();
        Self::renaming(variables.collect(), groups_of, groups)
    }

    /// Each transformed group stands for one group of the original, which has `originals` groups; an
    /// original group may have no transformed one, or several.
    ///
    /// # Panics
    /// If a group is none of the original.
    #[must_use]
    pub fn renaming(variables: Vec<Source>, groups: Vec<GroupId>, originals: usize) -> Self {
        Self::new(variables, (0..=groups.len()).collect(), groups, originals)
    }

    /// As [`Lift::renaming`], with a sequence of original groups for each transformed one.
    ///
    /// # Panics
    /// If a group is none of the original.
    #[must_use]
    pub fn sequences(variables: Vec<Source>, groups: &[Vec<GroupId>], originals: usize) -> Self {
        let mut starts = vec![0];
        for sequence in groups {
            starts.push(starts[starts.len() - 1] + sequence.len());
        }
        Self::new(variables, starts, groups.concat(), originals)
    }

    fn new(
        variables: Vec<Source>,
        starts: Vec<usize>,
        sequences: Vec<GroupId>,
        originals: usize,
    ) -> Self {
        let mut pairs = Vec::with_capacity(sequences.len());
        for (g, bounds) in (0..).map(GroupId).zip(starts.windows(2)) {
            let sequence = &sequences[bounds[0]..bounds[1]];
            pairs.extend(sequence.iter().map(|&original| (original, g)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut users_starts = vec![0; originals + 1];
        for (original, _) in &pairs {
            users_starts[original.index() + 1] += 1;
        }
        for i in 0..originals {
            users_starts[i + 1] += users_starts[i];
        }
        Lift {
            variables,
            starts,
            sequences,
            users_starts,
            users: pairs.into_iter().map(|(_, g)| g).collect(),
        }
    }

    /// The original groups that a transformed group stands for, in the order in which they fire.
    ///
    /// # Panics
    /// If there is no such group.
    #[must_use]
    pub fn groups(&self, transformed: GroupId) -> &[GroupId] {
        let i = transformed.index();
        &self.sequences[self.starts[i]..self.starts[i + 1]]
    }

    /// The transformed groups that stand for an original one, alone or in a sequence, ascending.
    ///
    /// # Panics
    /// If there is no such group.
    #[must_use]
    pub fn groups_of(&self, original: GroupId) -> &[GroupId] {
        let i = original.index();
        &self.users[self.users_starts[i]..self.users_starts[i + 1]]
    }

    /// The number of original groups.
    #[must_use]
    pub fn originals(&self) -> usize {
        self.users_starts.len() - 1
    }

    /// Where the values of the original variables are found.
    #[must_use]
    pub fn variables(&self) -> &[Source] {
        &self.variables
    }

    /// The numbers of the transformed variables that decide the value of an original one.
    ///
    /// # Panics
    /// If there is no such variable.
    #[must_use]
    pub fn variables_of(&self, original: VarId) -> Range<u32> {
        match &self.variables[original.index()] {
            Source::Variable(v) | Source::Is(v, _) => v.0..v.0 + 1,
            Source::Constant(_) => 0..0,
            Source::Sum(range) => range.clone(),
        }
    }

    /// Writes the original of a transformed state to `out`.
    ///
    /// # Errors
    /// [`LiftError::TooLarge`]; `out` is then of no use.
    ///
    /// # Panics
    /// If a vector has the wrong length.
    pub fn lift_state(&self, transformed: &[u32], out: &mut [u32]) -> Result<(), LiftError> {
        let wanted = self.variables.len();
        assert_eq!(out.len(), wanted, "one value per original variable");
        for (v, (value, source)) in (0..).map(VarId).zip(out.iter_mut().zip(&self.variables)) {
            let found = source.value(transformed);
            *value = found.ok_or(LiftError::TooLarge(v))?;
        }
        Ok(())
    }

    /// The run of the original model that a run of the transformed one stands for.
    ///
    /// States between the groups of one step come from firing them on the original. A step that stands
    /// for no group is left out.
    ///
    /// # Errors
    /// Where the run is none of the original: see [`LiftError`].
    ///
    /// # Panics
    /// If the run or the model does not fit this lift.
    pub fn lift_run(&self, run: &Run, original: &Model) -> Result<Run, LiftError> {
        let mut states = Vec::with_capacity(run.len());
        for position in 0..run.len() {
            let mut state = vec![0; self.variables.len()];
            self.lift_state(&run.get(position).state, &mut state)?;
            states.push(state);
        }
        let (mut stem, mut cycle) = (Vec::new(), Vec::new());
        for (position, state) in states.iter().enumerate() {
            let next = &states[run.successor(position)];
            let steps = match run.get(position).group {
                Some(group) => fire(original, state, self.groups(group), next)?,
                None => repeat(original, state, next),
            };
            let steps = steps.ok_or(LiftError::NoStep(position))?;
            let part = if position < run.stem.len() {
                &mut stem
            } else {
                &mut cycle
            };
            part.extend(steps);
        }
        if cycle.is_empty() {
            return Err(LiftError::EmptyCycle);
        }
        Ok(Run::new(stem, cycle))
    }

    /// The map of two transformations: `self` the first, `next` one of its result. `None` if a value of
    /// the original cannot be told as one [`Source`]; the two lift one after the other all the same.
    ///
    /// # Panics
    /// If `next` starts from another model than `self` leads to.
    #[must_use]
    pub fn then(&self, next: &Lift) -> Option<Lift> {
        let variables = self.variables.iter();
        let variables: Option<_> = variables.map(|s| s.through(&next.variables)).collect();
        let mut starts = vec![0];
        let mut sequences = Vec::new();
        for g in 0..next.starts.len() - 1 {
            for &middle in next.groups(GroupId(g as u32)) {
                sequences.extend_from_slice(self.groups(middle));
            }
            starts.push(sequences.len());
        }
        Some(Self::new(variables?, starts, sequences, self.originals()))
    }
}

/// The steps that lead from a state to another by these groups, one after the other; `None` if they do
/// not.
fn fire(
    model: &Model,
    from: &[u32],
    groups: &[GroupId],
    to: &[u32],
) -> Result<Option<Vec<Step>>, Fault> {
    let mut scratch = Scratch::default();
    // Per number of groups that have fired, the states and where each comes from in the layer before.
    let mut layers = vec![vec![(from.to_vec(), 0)]];
    for &group in groups {
        let mut layer = Vec::new();
        let mut seen = BTreeSet::new();
        for (i, (state, _)) in layers[layers.len() - 1].iter().enumerate() {
            model.successors_by(group, state, &mut scratch, |next| {
                if seen.insert(next.to_vec()) {
                    layer.push((next.to_vec(), i));
                }
            })?;
        }
        layers.push(layer);
    }
    let last = &layers[groups.len()];
    let Some(mut at) = last.iter().position(|(state, _)| state == to) else {
        return Ok(None);
    };
    let mut steps = Vec::with_capacity(groups.len());
    for (i, &group) in groups.iter().enumerate().rev() {
        at = layers[i + 1][at].1;
        let state = layers[i][at].0.clone();
        let group = Some(group);
        steps.push(Step { state, group });
    }
    steps.reverse();
    Ok(Some(steps))
}

/// The repetition of a dead end; `None` if the state is none, or not repeated.
fn repeat(model: &Model, state: &[u32], next: &[u32]) -> Option<Vec<Step>> {
    let state = state.to_vec();
    let repeats = state == next && model.is_dead_end(&state);
    repeats.then(|| vec![Step { state, group: None }])
}

#[cfg(test)]
mod tests;
