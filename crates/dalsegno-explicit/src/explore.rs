//! Breadth-first exploration of a whole state space.
//!
//! States are numbered as they are found, so the numbers are the queue. Unboundedness is proved, for
//! nets without inhibitors, when a state strictly covers one of its ancestors (Karp and Miller): the
//! steps between them can be repeated for ever. That is looked for among the first few states, and whenever
//! a value outgrows its field.

use std::sync::Arc;

use dalsegno_kripke::{Budget, Model, Stop, VarId};

use crate::coverability::{is_monotone, quickly_unbounded};
use crate::space::{Error, Space, StateId};

/// How an exploration ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All states were seen.
    Complete,
    /// The variable can grow for ever.
    Unbounded(usize),
    /// The budget ran out first; the variable that grew last, if one did.
    Unknown(Stop, Option<usize>),
    /// The model cannot take a step.
    Fault(dalsegno_kripke::Fault),
}

/// What an exploration saw; numbers are of the part seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exploration {
    /// How it ended.
    pub outcome: Outcome,
    /// The states.
    pub states: u64,
    /// The transitions (source, group, target), parallel ones apart.
    pub transitions: u64,
    /// The states that no transition leaves.
    pub dead_ends: u64,
    /// The largest value of each variable; if the budget ran out, at least of the first states.
    pub largest: Vec<u32>,
    /// The largest sum of the values of a state, likewise.
    pub largest_sum: u64,
    /// A variable that exceeds what was promised of it, if one was seen to.
    pub broken: Option<VarId>,
    /// The bytes of the tables.
    pub bytes: u64,
}

/// Explores the state space; `progress` is called now and then with states and transitions seen.
#[must_use]
pub fn explore(
    model: &Arc<Model>,
    budget: &Budget,
    mut progress: impl FnMut(u64, u64),
) -> Exploration {
    let mut space = Space::new(model);
    let bounded = model.variables().iter().all(|v| v.bounds.proved.is_some());
    let mut parents = Parents::new(!bounded && is_monotone(model), &space);
    let growing = if bounded {
        None
    } else {
        quickly_unbounded(model, budget)
    };
    let (mut transitions, mut dead_ends) = (0u64, 0u64);
    let mut next: StateId = 0;
    let mut widenings = 0;
    let outcome = loop {
        if let Some(variable) = growing {
            break Outcome::Unbounded(variable.index());
        }
        if next as usize == space.len() {
            break Outcome::Complete;
        }
        if next.is_multiple_of(4096) {
            if let Err(stop) = budget
                .check()
                .and_then(|()| budget.check_bytes(space.bytes() + parents.bytes()))
            {
                break Outcome::Unknown(stop, space.widened);
            }
            progress(u64::from(next), transitions);
        }
        let known = space.len();
        match space.successors(next, budget) {
            Ok((groups, _)) => {
                transitions += groups.len() as u64;
                dead_ends += u64::from(groups.is_empty());
            }
            Err(Error::Stopped(stop)) => break Outcome::Unknown(stop, space.widened),
            Err(Error::Fault(fault)) => break Outcome::Fault(fault),
        }
        parents.extend(next, known, space.len());
        if space.widenings != widenings {
            widenings = space.widenings;
            if let Some(variable) = parents.growing(&space, known) {
                break Outcome::Unbounded(variable);
            }
        }
        next += 1;
    };
    let most = match outcome {
        Outcome::Complete => space.len(),
        _ => LAST_LOOK / model.variables().len().max(1),
    };
    let (largest, largest_sum) = extremes(&space, most);
    let exceeds = |&v: &VarId| model.variable(v).bounds.is_broken_by(largest[v.index()]);
    let broken = model.variable_ids().find(exceeds);
    Exploration {
        outcome,
        states: space.len() as u64,
        transitions,
        dead_ends,
        largest,
        largest_sum,
        broken: broken.or(space.broken_promise()),
        bytes: space.bytes() + parents.bytes(),
    }
}

/// How many values are looked at after the budget has run out: a fraction of a second.
const LAST_LOOK: usize = 10_000_000;

fn extremes(space: &Space, most: usize) -> (Vec<u32>, u64) {
    if let Some(marks) = space.marks(most) {
        return marks;
    }
    let n = space.model().variables().len();
    let mut largest = vec![0; n];
    let mut values = vec![0; n];
    let mut largest_sum = 0;
    for state in 0..space.len().min(most) as StateId {
        space.values(state, &mut values);
        let mut sum = 0u64;
        for (max, &value) in largest.iter_mut().zip(&values) {
            *max = value.max(*max);
            sum += u64::from(value);
        }
        largest_sum = largest_sum.max(sum);
    }
    (largest, largest_sum)
}

/// From which state each state was found first; kept only if the net may be unbounded.
struct Parents(Option<Vec<StateId>>);

impl Parents {
    fn new(wanted: bool, space: &Space) -> Self {
        Parents(wanted.then(|| (0..space.len() as StateId).collect()))
    }

    fn bytes(&self) -> u64 {
        self.0.as_ref().map_or(0, |p| 4 * p.capacity() as u64)
    }

    fn extend(&mut self, parent: StateId, from: usize, to: usize) {
        if let Some(parents) = &mut self.0 {
            parents.extend(std::iter::repeat_n(parent, to - from));
        }
    }

    /// A variable in which one of the newest states exceeds an ancestor that it covers.
    fn growing(&self, space: &Space, from: usize) -> Option<usize> {
        let parents = self.0.as_ref()?;
        let n = space.model().variables().len();
        let (mut above, mut below) = (vec![0; n], vec![0; n]);
        for state in from..space.len() {
            space.values(state as StateId, &mut above);
            let mut at = state as StateId;
            while parents[at as usize] != at {
                at = parents[at as usize];
                space.values(at, &mut below);
                if above.iter().zip(&below).all(|(a, b)| a >= b) {
                    return (0..n).find(|&i| above[i] > below[i]);
                }
            }
        }
        None
    }
}
