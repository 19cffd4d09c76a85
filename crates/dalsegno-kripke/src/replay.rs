//! Lifting by replay: runs of a reduced model as runs of the model it was made from.
//!
//! Where a reduction removes variables whose values nothing in the reduced state tells, a [`Lift`](crate::Lift) does not
//! suffice: the original run is found by firing, from the original initial state on, what each reduced group stands for.
//! What a group stands for is a node of a graph without cycles whose parts are shared: a sequence, or alternatives
//! (variables that were fused have a true split, which only the replay knows). What may be fired at any time (a variable
//! that has an inexhaustible supply) is fired before it is needed. At the end of a finite run, what the reduction
//! postponed is fired until the state is a dead end of the original as well.
//!
//! The result is a run of the original model by construction. Whether it shows what it should is for the caller to
//! certify: a reduced cycle need not close, since variables that nothing reads may grow.
//!
//! Cost: linear in the moves that are tried, with a copy of the state for each one that is fired.

use thiserror::Error;

use crate::action::Fault;
use crate::explanation::End;
use crate::lasso::{Run, Step};
use crate::model::{GroupId, Model, VarId};

/// A node of what reduced groups stand for: a position in [`Replay::moves`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MoveId(pub u32);

impl MoveId {
    /// The position.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What reduced groups stand for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Move {
    /// This group of the original fires.
    Group(GroupId),
    /// These, one after the other.
    Sequence(Vec<MoveId>),
    /// The first of these that can be fired is.
    Either(Vec<MoveId>),
}

/// How runs of a reduced model are replayed on the original.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Replay {
    /// The nodes; parts come before what they are parts of.
    pub moves: Vec<Move>,
    /// What is fired before everything else.
    pub first: Vec<MoveId>,
    /// Per reduced group, what it stands for.
    pub groups: Vec<MoveId>,
    /// What can be fired in any state and raises a variable, in the order in which it was found.
    pub supplies: Vec<(VarId, MoveId)>,
    /// What may be left to be fired at a dead end of the reduced model: sets, the last one first, each as long as
    /// one of its members can be fired.
    pub leftovers: Vec<Vec<MoveId>>,
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

/// The most moves that are tried.
const MOST_TRIED: u64 = 50_000_000;

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

    /// The original of a path of an explanation, from an original state on; from the initial one if there is none.
    ///
    /// # Errors
    /// See [`ReplayError`].
    ///
    /// # Panics
    /// If a group is none of the reduced model, or the path goes back to where it has no step.
    pub fn continued(
        &self,
        steps: &[Step],
        end: &End,
        from: Option<&[u32]>,
        original: &Model,
    ) -> Result<Continued, ReplayError> {
        let mut player = match from {
            Some(state) => Player::at(self, original, state.to_vec()),
            None => Player::new(self, original)?,
        };
        let open = usize::from(matches!(end, End::Open(_)));
        let mut positions: Vec<Vec<usize>> = vec![Vec::new(); steps.len() + open];
        let (stem, cycle) = match *end {
            End::Open(_) => (steps, None),
            End::Back(start) => (&steps[..start], Some(&steps[start..])),
        };
        // What is fired before everything else belongs to the first step.
        let here = |player: &Player<'_>, at: usize, round: usize| match (at, round) {
            (0, 0) => 0,
            _ => player.steps.len(),
        };
        for (at, step) in stem.iter().enumerate() {
            positions[at].push(here(&player, at, 0));
            player.play(std::slice::from_ref(step), at)?;
        }
        let start = stem.len();
        let Some(cycle) = cycle else {
            positions[start].push(here(&player, start, 0));
            return Ok(Continued {
                steps: player.steps,
                end: End::Open(player.state),
                positions,
            });
        };
        if cycle.iter().all(|step| step.group.is_none()) {
            positions[start].push(here(&player, start, 0));
            player.run_out()?;
            let last = player.steps.len();
            for at in &mut positions[start..] {
                at.push(last);
                at.dedup();
            }
            let steps = player.ended();
            let end = End::Back(last);
            return Ok(Continued {
                steps,
                end,
                positions,
            });
        }
        let mut rounds = vec![(player.steps.len(), player.state.clone())];
        for round in 0..ROUNDS {
            for (at, step) in (start..).zip(cycle) {
                positions[at].push(here(&player, at, round));
                player.play(std::slice::from_ref(step), at)?;
            }
            let closed = rounds.iter().find(|(_, state)| *state == player.state);
            if let Some(&(at, _)) = closed
                && at < player.steps.len()
            {
                let (steps, end) = (player.steps, End::Back(at));
                return Ok(Continued {
                    steps,
                    end,
                    positions,
                });
            }
            rounds.push((player.steps.len(), player.state.clone()));
        }
        Err(ReplayError::Open)
    }
}

/// The original of a path of an explanation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Continued {
    /// Its steps.
    pub steps: Vec<Step>,
    /// How it goes on.
    pub end: End,
    /// For each position of the reduced path, the positions that stand for it.
    pub positions: Vec<Vec<usize>>,
}

/// Replays moves from the original initial state on.
struct Player<'a> {
    replay: &'a Replay,
    model: &'a Model,
    state: Vec<u32>,
    steps: Vec<Step>,
    tried: u64,
}

/// A sequence or alternatives that are being replayed.
struct Frame {
    node: MoveId,
    /// The part that is next.
    next: usize,
    /// The steps before it.
    steps: usize,
}

impl<'a> Player<'a> {
    /// From an original state on.
    fn at(replay: &'a Replay, model: &'a Model, state: Vec<u32>) -> Self {
        Player {
            replay,
            model,
            state,
            steps: Vec::new(),
            tried: 0,
        }
    }

    fn new(replay: &'a Replay, model: &'a Model) -> Result<Self, ReplayError> {
        let mut player = Self::at(replay, model, model.initial()[0].clone());
        for &node in &replay.first {
            if !player.fire(node, 0)? {
                return Err(ReplayError::NoStep(0));
            }
        }
        Ok(player)
    }

    /// Replays steps; the first of them is at this position of the run.
    fn play(&mut self, steps: &[Step], position: usize) -> Result<(), ReplayError> {
        let replay = self.replay;
        for (at, step) in (position..).zip(steps) {
            if let Some(group) = step.group
                && !self.fire(replay.groups[group.index()], 0)?
            {
                return Err(ReplayError::NoStep(at));
            }
        }
        Ok(())
    }

    /// Fires what was postponed until nothing is enabled.
    fn run_out(&mut self) -> Result<(), ReplayError> {
        let replay = self.replay;
        for left in replay.leftovers.iter().rev() {
            let mut fired = true;
            while std::mem::take(&mut fired) {
                for &node in left {
                    fired |= self.fire(node, 0)?;
                }
            }
        }
        if self.model.is_dead_end(&self.state) {
            Ok(())
        } else {
            Err(ReplayError::NotDead)
        }
    }

    /// Fires what a node stands for, or nothing; whether it did. Sequences are as deep as rules were applied, so this does
    /// not recurse over them.
    fn fire(&mut self, node: MoveId, depth: usize) -> Result<bool, ReplayError> {
        let replay = self.replay;
        let mut open: Vec<Frame> = Vec::new();
        let mut entered = Some(node);
        let mut fired = false;
        loop {
            if let Some(node) = entered.take() {
                match &replay.moves[node.index()] {
                    Move::Group(group) => fired = self.group(*group, depth)?,
                    compound => {
                        open.push(Frame {
                            node,
                            next: 0,
                            steps: self.steps.len(),
                        });
                        fired = matches!(compound, Move::Sequence(_));
                    }
                }
            }
            let Some(frame) = open.last_mut() else {
                return Ok(fired);
            };
            let (parts, goes_on) = match &replay.moves[frame.node.index()] {
                Move::Sequence(parts) => (parts, fired),
                Move::Either(parts) => (parts, !fired),
                Move::Group(_) => unreachable!("frames are of sequences and alternatives"),
            };
            if goes_on && frame.next < parts.len() {
                entered = Some(parts[frame.next]);
                frame.next += 1;
            } else {
                let steps = frame.steps;
                open.pop();
                if !fired {
                    self.take_back(steps);
                }
            }
        }
    }

    /// Goes back to where there were so many steps.
    fn take_back(&mut self, steps: usize) {
        if steps < self.steps.len() {
            self.steps.truncate(steps + 1);
            if let Some(step) = self.steps.pop() {
                self.state = step.state;
            }
        }
    }

    /// Fires a group, after what supplies it; whether it did.
    fn group(&mut self, group: GroupId, depth: usize) -> Result<bool, ReplayError> {
        self.tried += 1;
        if self.tried > MOST_TRIED {
            return Err(ReplayError::TooLong);
        }
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
        for (variable, node) in replay.supplies.iter().rev() {
            let least = linear.at_least(*variable);
            while self.state[variable.index()] < least {
                let before = self.state[variable.index()];
                if !self.fire(*node, depth + 1)? || self.state[variable.index()] <= before {
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
