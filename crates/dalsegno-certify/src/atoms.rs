//! What the atoms of a formula mean on a run: sets of states, and groups that fire.

use std::collections::BTreeMap;

use dalsegno_kripke::{GroupId, Lasso, Model, Predicate, Run, Step};
use dalsegno_logic::PropId;

/// The meanings of atoms.
#[derive(Clone, Copy, Debug, Default)]
pub struct Atoms<'a> {
    /// Atoms that hold in sets of states.
    pub states: &'a [(PropId, Predicate)],
    /// Atoms that hold where the step that is taken next is one of these groups. The repetition of a dead end is a step
    /// of no group.
    pub fires: &'a [(PropId, Vec<GroupId>)],
}

impl<'a> From<&'a [(PropId, Predicate)]> for Atoms<'a> {
    fn from(states: &'a [(PropId, Predicate)]) -> Self {
        Atoms { states, fires: &[] }
    }
}

impl<'a> From<&'a Vec<(PropId, Predicate)>> for Atoms<'a> {
    fn from(states: &'a Vec<(PropId, Predicate)>) -> Self {
        states.as_slice().into()
    }
}

impl<'a, const N: usize> From<&'a [(PropId, Predicate); N]> for Atoms<'a> {
    fn from(states: &'a [(PropId, Predicate); N]) -> Self {
        states.as_slice().into()
    }
}

/// A state of a run and the step that leaves it.
pub(crate) struct Moment<'a> {
    state: &'a [u32],
    step: Taken,
}

/// The step that leaves a state.
#[derive(Clone, Copy)]
enum Taken {
    Group(GroupId),
    /// A dead end repeats itself.
    Repetition,
    /// The path ends.
    Unknown,
}

/// The moments of a run.
pub(crate) fn moments(run: &Run) -> Lasso<Moment<'_>> {
    Lasso::new(
        run.stem.iter().map(taken).collect(),
        run.cycle.iter().map(taken).collect(),
    )
}

/// The moments of the beginning of a run; which step leaves its last state is not known.
pub(crate) fn moments_of_beginning(path: &[Step]) -> Vec<Moment<'_>> {
    let mut moments: Vec<Moment<'_>> = path.iter().map(taken).collect();
    if let Some(last) = moments.last_mut() {
        last.step = Taken::Unknown;
    }
    moments
}

fn taken(step: &Step) -> Moment<'_> {
    Moment {
        state: &step.state,
        step: step.group.map_or(Taken::Repetition, Taken::Group),
    }
}

/// Whether an atom holds at a moment, if that is known.
pub(crate) type Holds<'a> = Box<dyn Fn(&Moment<'_>) -> Option<bool> + 'a>;

/// When each atom holds.
pub(crate) fn meaning<'a>(
    model: &'a Model,
    atoms: Atoms<'a>,
) -> impl Fn(PropId) -> Option<Holds<'a>> {
    let states: BTreeMap<PropId, &Predicate> = atoms.states.iter().map(|(p, m)| (*p, m)).collect();
    let fires: BTreeMap<PropId, &[GroupId]> = atoms.fires.iter().map(|(p, m)| (*p, &**m)).collect();
    move |p| {
        if let Some(&predicate) = states.get(&p) {
            return Some(Box::new(|moment: &Moment<'_>| {
                Some(predicate.eval(model, moment.state))
            }));
        }
        let groups = *fires.get(&p)?;
        Some(Box::new(|moment: &Moment<'_>| match moment.step {
            Taken::Group(group) => Some(groups.contains(&group)),
            Taken::Repetition => Some(false),
            Taken::Unknown => None,
        }))
    }
}
