//! Replay of a run on a model: does it exist, and does it violate the property?
//!
//! Step by step by the definition of the model: the first state is an initial one, every step is a
//! transition of the group it names to the state that follows, and the last state goes back to the first
//! of the cycle. A step without a group is the repetition of a dead end.

use std::collections::BTreeMap;

use thiserror::Error;

use dalsegno_kripke::{DeadEnds, Fairness, Letter, Model, Predicate, Run, Scratch, Step, Word};
use dalsegno_logic::{FormulaId, FormulaStore};

use crate::atoms::{Atoms, Moment, meaning, moments, moments_of_beginning};
use crate::fairness::treated_unfairly;
use crate::prefix::{truth_on_path, value_on_path};
use crate::word::{self, truth_on_lasso};

/// What is wrong with a run, at a position counted from 0 through stem and cycle.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// A state has the wrong number of values.
    #[error("state {0} does not belong to this model")]
    WrongLength(usize),
    /// The first state is not initial.
    #[error("the run does not start in an initial state")]
    NotInitial,
    /// The group named does not lead to the next state.
    #[error("step {0}: the transition does not lead to the next state")]
    NoTransition(usize),
    /// A group that the model does not have.
    #[error("step {0}: there is no such transition")]
    NoGroup(usize),
    /// A dead end is repeated that is none, or where dead ends do not repeat, or to another state.
    #[error("step {0}: the state is not a dead end that repeats itself")]
    NotDeadEnd(usize),
    /// The run is one that does not count.
    #[error("the run is not fair: a transition that should fire never does")]
    Unfair,
    /// A path ends elsewhere.
    #[error("the path does not lead to a state that was asked for")]
    NotReached,
    /// The run satisfies the property that it should violate.
    #[error("the run does not violate the property")]
    NoViolation,
    /// The property cannot be evaluated.
    #[error(transparent)]
    Property(#[from] word::Error),
}

/// Checks that a run is a run of the model.
///
/// # Errors
/// The first step that is not one.
pub fn replay(model: &Model, run: &Run, dead_ends: DeadEnds) -> Result<(), Error> {
    for position in 0..run.len() {
        if run.get(position).state.len() != model.variables().len() {
            return Err(Error::WrongLength(position));
        }
    }
    if !model.initial().contains(&run.get(0).state) {
        return Err(Error::NotInitial);
    }
    let mut scratch = Scratch::default();
    for position in 0..run.len() {
        let next = &run.get(run.successor(position)).state;
        take(model, run.get(position), next, dead_ends, &mut scratch)
            .map_err(|wrong| wrong(position))?;
    }
    Ok(())
}

/// Checks that one step leads to the next state; what is wrong with it if it does not.
fn take(
    model: &Model,
    step: &Step,
    next: &[u32],
    dead_ends: DeadEnds,
    scratch: &mut Scratch,
) -> Result<(), fn(usize) -> Error> {
    let Some(group) = step.group else {
        let repeats = dead_ends == DeadEnds::Stutter && model.is_dead_end(&step.state);
        return if repeats && *next == step.state {
            Ok(())
        } else {
            Err(Error::NotDeadEnd)
        };
    };
    if group.index() >= model.groups().len() {
        return Err(Error::NoGroup);
    }
    let mut found = false;
    let stepped = model.successors_by(group, &step.state, scratch, |reached| {
        found |= reached == next;
    });
    if stepped.is_err() || !found {
        return Err(Error::NoTransition);
    }
    Ok(())
}

/// Checks that a path is the beginning of a run of the model. Dead ends repeat themselves, so that every path goes on.
/// What the last step says about a group is not looked at.
///
/// # Errors
/// What is wrong.
pub fn replay_path(model: &Model, path: &[Step]) -> Result<(), Error> {
    let length = model.variables().len();
    if let Some(position) = path.iter().position(|step| step.state.len() != length) {
        return Err(Error::WrongLength(position));
    }
    let starts = |step: &Step| model.initial().contains(&step.state);
    if !path.first().is_some_and(starts) {
        return Err(Error::NotInitial);
    }
    let mut scratch = Scratch::default();
    for (position, pair) in path.windows(2).enumerate() {
        let (step, next) = (&pair[0], &pair[1].state);
        take(model, step, next, DeadEnds::Stutter, &mut scratch)
            .map_err(|wrong| wrong(position))?;
    }
    Ok(())
}

/// Checks that a path of the model leads to a state of a set, as [`replay_path`] does.
///
/// # Errors
/// What is wrong.
pub fn reaches(model: &Model, path: &[Step], goal: &Predicate) -> Result<(), Error> {
    replay_path(model, path)?;
    match path.last() {
        Some(last) if goal.eval(model, &last.state) => Ok(()),
        _ => Err(Error::NotReached),
    }
}

/// Checks that a path is the beginning of a run of the model and that no run that begins so satisfies an LTL
/// formula; `atoms` says what its propositions mean. Dead ends repeat themselves, so that every path goes on.
/// What the last step says about a group is not looked at.
///
/// # Errors
/// What is wrong.
pub fn refute_prefix<'a>(
    model: &Model,
    path: &[Step],
    store: &FormulaStore,
    f: FormulaId,
    atoms: impl Into<Atoms<'a>>,
) -> Result<(), Error> {
    replay_path(model, path)?;
    let moments = moments_of_beginning(path);
    match value_on_path(store, f, &moments, meaning(model, atoms.into()))? {
        Some(false) => Ok(()),
        _ => Err(Error::NoViolation),
    }
}

/// The truth of every subformula of an LTL formula at every position of a run.
///
/// # Errors
/// If the formula is not LTL over atoms that have a meaning.
pub fn truth_on_run<'a>(
    model: &Model,
    run: &Run,
    store: &FormulaStore,
    f: FormulaId,
    atoms: impl Into<Atoms<'a>>,
) -> Result<BTreeMap<FormulaId, Vec<bool>>, Error> {
    let meaning = meaning(model, atoms.into());
    let holds = |p| meaning(p).map(|holds| move |m: &Moment<'_>| holds(m) == Some(true));
    Ok(truth_on_lasso(store, f, &moments(run), holds)?)
}

/// As [`truth_on_run`] for the beginning of a run, where the truth is known whatever comes next.
///
/// # Errors
/// If the formula is not LTL over atoms that have a meaning.
pub fn truth_on_beginning<'a>(
    model: &Model,
    path: &[Step],
    store: &FormulaStore,
    f: FormulaId,
    atoms: impl Into<Atoms<'a>>,
) -> Result<BTreeMap<FormulaId, Vec<Option<bool>>>, Error> {
    let moments = moments_of_beginning(path);
    let meaning = meaning(model, atoms.into());
    Ok(truth_on_path(store, f, &moments, meaning)?)
}

fn letter<'p>(
    model: &Model,
    step: &Step,
    propositions: impl Iterator<Item = &'p Predicate>,
) -> Letter {
    let holds = |(i, p): (usize, &Predicate)| (i, p.eval(model, &step.state));
    let values = propositions.enumerate().map(holds);
    values.fold(Letter::default(), |letter, (i, value)| {
        letter.with(i, value)
    })
}

/// The letters along a run; bit i is proposition i.
///
/// # Panics
/// If there are more than 64 propositions.
#[must_use]
pub fn word_of(model: &Model, run: &Run, propositions: &[Predicate]) -> Word {
    let letter = |step: &Step| letter(model, step, propositions.iter());
    Word::new(
        run.stem.iter().map(letter).collect(),
        run.cycle.iter().map(letter).collect(),
    )
}

/// Checks that a run is a run of the model and violates an LTL formula; `atoms` says what its
/// propositions mean.
///
/// # Errors
/// What is wrong.
pub fn refute<'a>(
    model: &Model,
    run: &Run,
    dead_ends: DeadEnds,
    store: &FormulaStore,
    f: FormulaId,
    atoms: impl Into<Atoms<'a>>,
) -> Result<(), Error> {
    replay(model, run, dead_ends)?;
    if truth_on_run(model, run, store, f, atoms)?[&f][0] {
        return Err(Error::NoViolation);
    }
    Ok(())
}

/// Checks that a run is fair.
///
/// # Errors
/// [`Error::Unfair`] if it is not.
pub fn is_fair(model: &Model, run: &Run, fairness: &Fairness) -> Result<(), Error> {
    match treated_unfairly(model, run, fairness).next() {
        Some(_) => Err(Error::Unfair),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dalsegno_kripke::{Bounds, Group, GroupId, Linear, Relation, VarId, Variable};

    /// One token that goes from x to y, where the net is dead.
    fn model() -> Model {
        let variable = |name: &str| Variable {
            name: name.to_owned(),
            bounds: Bounds::proved(1),
        };
        let linear = Linear::new(
            vec![(VarId(0), 1)],
            vec![],
            vec![(VarId(0), -1), (VarId(1), 1)],
        );
        let group = Group::linear("t", linear.unwrap());
        Model::new(
            "m",
            vec![variable("x"), variable("y")],
            vec![vec![1, 0]],
            vec![group],
        )
        .unwrap()
    }

    fn step(state: [u32; 2], group: Option<u32>) -> Step {
        Step {
            state: state.to_vec(),
            group: group.map(GroupId),
        }
    }

    #[test]
    fn a_run_is_replayed_and_refutes() {
        let m = model();
        let run = Run::new(vec![step([1, 0], Some(0))], vec![step([0, 1], None)]);
        assert_eq!(replay(&m, &run, DeadEnds::Stutter), Ok(()));
        assert_eq!(
            replay(&m, &run, DeadEnds::Ignore),
            Err(Error::NotDeadEnd(1))
        );
        let mut store = FormulaStore::new();
        let x = dalsegno_logic::parse(&mut store, "G x").unwrap();
        let y = dalsegno_logic::parse(&mut store, "F G !x").unwrap();
        let prop = store.proposition("x").unwrap();
        let atoms = [(prop, Predicate::single(VarId(0), Relation::Ge, 1))];
        let refuted = |f| refute(&m, &run, DeadEnds::Stutter, &store, f, &atoms);
        assert_eq!(refuted(x), Ok(()));
        assert_eq!(refuted(y), Err(Error::NoViolation));
    }

    #[test]
    fn a_beginning_refutes_what_no_future_can_mend() {
        let m = model();
        let mut store = FormulaStore::new();
        let always = dalsegno_logic::parse(&mut store, "G x").unwrap();
        let later = dalsegno_logic::parse(&mut store, "G F x").unwrap();
        let prop = store.proposition("x").unwrap();
        let atoms = [(prop, Predicate::single(VarId(0), Relation::Ge, 1))];
        let refuted = |path: &[Step], f| refute_prefix(&m, path, &store, f, &atoms);
        let path = [step([1, 0], Some(0)), step([0, 1], None)];
        assert_eq!(refuted(&path, always), Ok(()));
        assert_eq!(refuted(&path, later), Err(Error::NoViolation));
        assert_eq!(refuted(&path[..1], always), Err(Error::NoViolation));
        assert_eq!(refuted(&path[1..], always), Err(Error::NotInitial));
        assert_eq!(refuted(&[], always), Err(Error::NotInitial));
        let jump = [step([1, 0], None), step([0, 1], None)];
        assert_eq!(refuted(&jump, always), Err(Error::NotDeadEnd(0)));
    }

    #[test]
    fn a_step_fires_its_group_and_a_dead_end_none() {
        let m = model();
        let run = Run::new(vec![step([1, 0], Some(0))], vec![step([0, 1], None)]);
        let mut store = FormulaStore::new();
        let mut parse = |text| dalsegno_logic::parse(&mut store, text).unwrap();
        let (first, later, again) = (parse("fires"), parse("X F fires"), parse("X fires"));
        let fires = [(store.proposition("fires").unwrap(), vec![GroupId(0)])];
        let atoms = Atoms {
            states: &[],
            fires: &fires,
        };
        let refuted = |f| refute(&m, &run, DeadEnds::Stutter, &store, f, atoms);
        assert_eq!(refuted(first), Err(Error::NoViolation));
        assert_eq!(refuted(later), Ok(()));
        // What leaves the last state of a beginning is not known.
        let path = [step([1, 0], Some(0)), step([0, 1], None)];
        let bad = |path: &[Step], f| refute_prefix(&m, path, &store, f, atoms);
        assert_eq!(bad(&path, again), Err(Error::NoViolation));
        assert_eq!(bad(&path[..1], first), Err(Error::NoViolation));
        let path = [path.clone(), path].concat();
        assert_eq!(bad(&path[1..], first), Err(Error::NotInitial));
        let path = [path[0].clone(), path[1].clone(), path[1].clone()];
        assert_eq!(bad(&path, again), Ok(()));
    }

    #[test]
    fn what_is_no_run_is_refused() {
        let m = model();
        let check = |stem: Vec<Step>, cycle: Vec<Step>| {
            replay(&m, &Run::new(stem, cycle), DeadEnds::Stutter).unwrap_err()
        };
        assert_eq!(check(vec![], vec![step([0, 1], None)]), Error::NotInitial);
        assert_eq!(
            check(vec![], vec![step([1, 0], None)]),
            Error::NotDeadEnd(0)
        );
        assert_eq!(
            check(vec![], vec![step([1, 0], Some(0))]),
            Error::NoTransition(0)
        );
        assert_eq!(
            check(vec![], vec![step([1, 0], Some(7))]),
            Error::NoGroup(0)
        );
        let short = Step {
            state: vec![1],
            group: None,
        };
        assert_eq!(check(vec![], vec![short]), Error::WrongLength(0));
    }
}
