//! Lifting by replay: runs of a reduced model as runs of the model it was made from.
//!
//! Where a reduction removes variables whose values nothing in the reduced state tells, a [`Lift`](crate::Lift) does not
//! suffice: the original run is found by firing, from the original initial state on, what each reduced group stands for.
//! A word of moves may have alternatives (variables that were fused have a true split, which only the replay knows), and
//! needs what may be fired at any time first (a variable that has an inexhaustible supply). At the end of a finite run,
//! what the reduction postponed is fired until the state is a dead end of the original as well.
//!
//! The result is a run of the original model by construction. Whether it shows what it should is for the caller to
//! certify: a reduced cycle need not close, since variables that nothing reads may grow.
//!
//! Cost: linear in the moves that are tried, each with a copy of the state.

use thiserror::Error;

use crate::action::Fault;
use crate::lasso::{Run, Step};
use crate::model::{GroupId, Model, VarId};

/// A part of what a reduced group stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Move {
    /// This group of the original fires.
    Group(GroupId),
    /// The first of these words that can be fired is.
    Either(Vec<Vec<Move>>),
}

/// How runs of a reduced model are replayed on the original.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Replay {
    /// What is fired before everything else.
    pub first: Vec<Move>,
    /// Per reduced group, what it stands for.
    pub groups: Vec<Vec<Move>>,
    /// Words that can be fired in any state and raise a variable, in the order in which they were found.
    pub supplies: Vec<(VarId, Vec<Move>)>,
    /// What may be left to be fired at a dead end of the reduced model: sets of words, the last one first, each as long as
    /// one of its words can be fired.
    pub leftovers: Vec<Vec<Vec<Move>>>,
}

/// Why a run of the reduced model has no original.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// What a step stands for cannot be fired.
    #[error("the step at position {0} of the reduced run cannot be replayed")]
    NoStep(usize),
    /// The state does not repeat, however often the cycle is replayed.
    #[error("the cycle of the reduced run does not close in the original model")]
    Open,
    /// The state after a finite run is no dead end.
    #[error("the end of the reduced run is no dead end of the original model")]
    NotDead,
    /// There are too many steps.
    #[error("the run has too many steps")]
    TooLong,
    /// The original model has no successor where a step starts.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// The most steps of a run that is replayed.
const MOST_STEPS: usize = 2_000_000;

/// The most values in all states of a run that is replayed: some gigabytes are too many.
const MOST_VALUES: usize = 100_000_000;

/// How often a cycle is replayed until its state repeats.
const ROUNDS: usize = 64;

/// How deep supplies may need supplies.
const MOST_DEPTH: usize = 32;

impl Replay {
    /// The original of a finite path, whose last step has no group.
    ///
    /// # Errors
    /// See [`ReplayError`].
    ///
    /// # Panics
    /// If a group is none of the reduced model.
    pub fn path(&self, path: &[Step], original: &Model) -> Result<Vec<Step>, ReplayError> {
        let mut player = Player::new(self, original)?;
        player.play(path, 0)?;
        Ok(player.ended())
    }

    /// As [`Replay::path`], for a path to a dead end.
    ///
    /// # Errors
    /// See [`ReplayError`].
    ///
    /// # Panics
    /// If a group is none of the reduced model.
    pub fn path_to_dead_end(
        &self,
        path: &[Step],
        original: &Model,
    ) -> Result<Vec<Step>, ReplayError> {
        let mut player = Player::new(self, original)?;
        player.play(path, 0)?;
        player.run_out()?;
        Ok(player.ended())
    }

    /// The original of an infinite run.
    ///
    /// # Errors
    /// See [`ReplayError`].
    ///
    /// # Panics
    /// If a group is none of the reduced model.
    pub fn run(&self, run: &Run, original: &Model) -> Result<Run, ReplayError> {
        let mut player = Player::new(self, original)?;
        player.play(&run.stem, 0)?;
        if run.cycle.iter().all(|step| step.group.is_none()) {
            player.run_out()?;
            let state = player.state.clone();
            return Ok(Run::new(player.steps, vec![Step { state, group: None }]));
        }
        // Where each round began, and the state there.
        let mut rounds = vec![(player.steps.len(), player.state.clone())];
        for _ in 0..ROUNDS {
            player.play(&run.cycle, run.stem.len())?;
            let closed = rounds.iter().find(|(_, state)| *state == player.state);
            if let Some(&(at, _)) = closed
                && at < player.steps.len()
            {
                let cycle = player.steps.split_off(at);
                return Ok(Run::new(player.steps, cycle));
            }
            rounds.push((player.steps.len(), player.state.clone()));
        }
        Err(ReplayError::Open)
    }
}

/// Replays moves from the original initial state on.
struct Player<'a> {
    replay: &'a Replay,
    model: &'a Model,
    state: Vec<u32>,
    steps: Vec<Step>,
}

impl<'a> Player<'a> {
    fn new(replay: &'a Replay, model: &'a Model) -> Result<Self, ReplayError> {
        let mut player = Player {
            replay,
            model,
            state: model.initial()[0].clone(),
            steps: Vec::new(),
        };
        if player.word(&replay.first, 0)? {
            Ok(player)
        } else {
            Err(ReplayError::NoStep(0))
        }
    }

    /// Replays steps; the first of them is at this position of the run.
    fn play(&mut self, steps: &[Step], position: usize) -> Result<(), ReplayError> {
        let replay = self.replay;
        for (at, step) in (position..).zip(steps) {
            if let Some(group) = step.group
                && !self.word(&replay.groups[group.index()], 0)?
            {
                return Err(ReplayError::NoStep(at));
            }
        }
        Ok(())
    }

    /// Fires what was postponed until nothing is enabled.
    fn run_out(&mut self) -> Result<(), ReplayError> {
        let replay = self.replay;
        for words in replay.leftovers.iter().rev() {
            let mut fired = true;
            while std::mem::take(&mut fired) {
                for word in words {
                    fired |= self.word(word, 0)?;
                }
            }
        }
        if self.model.is_dead_end(&self.state) {
            Ok(())
        } else {
            Err(ReplayError::NotDead)
        }
    }

    /// Fires all moves of a word, or none; whether it did.
    fn word(&mut self, word: &[Move], depth: usize) -> Result<bool, ReplayError> {
        if let [Move::Group(group)] = word {
            return self.group(*group, depth);
        }
        let (state, steps) = (self.state.clone(), self.steps.len());
        for part in word {
            let fired = match part {
                Move::Group(group) => self.group(*group, depth)?,
                Move::Either(words) => {
                    let mut fired = false;
                    for word in words {
                        fired = fired || self.word(word, depth)?;
                    }
                    fired
                }
            };
            if !fired {
                self.state = state;
                self.steps.truncate(steps);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Fires a group, after what supplies it; whether it did.
    fn group(&mut self, group: GroupId, depth: usize) -> Result<bool, ReplayError> {
        self.supply(group, depth)?;
        if !self.model.enabled(group, &self.state) {
            return Ok(false);
        }
        if self.steps.len() >= MOST_STEPS || self.steps.len() * self.state.len() >= MOST_VALUES {
            return Err(ReplayError::TooLong);
        }
        let mut next = self.state.clone();
        if !self.model.fire(group, &self.state, &mut next)? {
            return Ok(false);
        }
        let state = std::mem::replace(&mut self.state, next);
        let group = Some(group);
        self.steps.push(Step { state, group });
        Ok(true)
    }

    /// Raises what a group needs and can be had at any time.
    fn supply(&mut self, group: GroupId, depth: usize) -> Result<(), ReplayError> {
        let replay = self.replay;
        let Some(linear) = self.model.group(group).as_linear() else {
            return Ok(());
        };
        if replay.supplies.is_empty() || depth >= MOST_DEPTH {
            return Ok(());
        }
        // A supply may take from those that were found before it.
        for (variable, word) in replay.supplies.iter().rev() {
            let least = linear.at_least(*variable);
            while self.state[variable.index()] < least {
                let before = self.state[variable.index()];
                if !self.word(word, depth + 1)? || self.state[variable.index()] <= before {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The path, with the state where it ends.
    fn ended(mut self) -> Vec<Step> {
        let state = self.state;
        self.steps.push(Step { state, group: None });
        self.steps
    }
}

#[cfg(test)]
mod tests;
