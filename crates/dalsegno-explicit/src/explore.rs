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
pub struct Summary {
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

/// Explores the state space of a model in a store of its own; `progress` is called now and then with states and
/// transitions seen.
#[must_use]
pub fn explore(model: &Arc<Model>, budget: &Budget, mut progress: impl FnMut(u64, u64)) -> Summary {
    let mut space = Space::new(model);
    let mut exploration = Exploration::new(&space);
    loop {
        let ended = exploration.advance(&mut space, u64::MAX, budget, &mut progress);
        if let Some(outcome) = ended {
            return exploration.finish(&space, outcome);
        }
    }
}

/// An exploration that can be interrupted. The store is lent to it; states that others add are explored too.
pub struct Exploration {
    next: StateId,
    transitions: u64,
    dead_ends: u64,
    /// Whether the first few states were looked at for unboundedness, if it is possible, and what that proved.
    looked: bool,
    growing: Option<VarId>,
    parents: Parents,
}

impl Exploration {
    /// Nothing has been seen.
    #[must_use]
    pub fn new(space: &Space) -> Self {
        let model = space.model();
        let bounded = model.variables().iter().all(|v| v.bounds.proved.is_some());
        Exploration {
            next: 0,
            transitions: 0,
            dead_ends: 0,
            looked: bounded,
            growing: None,
            parents: Parents::new(!bounded && is_monotone(model)),
        }
    }

    /// Expands up to `steps` states; how the exploration ended, if it did. After [`Outcome::Unknown`] it may go on with
    /// another budget. `progress` is called now and then with states and transitions seen.
    pub fn advance(
        &mut self,
        space: &mut Space,
        steps: u64,
        budget: &Budget,
        mut progress: impl FnMut(u64, u64),
    ) -> Option<Outcome> {
        if !self.looked {
            self.looked = true;
            self.growing = quickly_unbounded(space.model(), budget);
        }
        if let Some(variable) = self.growing {
            return Some(Outcome::Unbounded(variable.index()));
        }
        // Of states that others have added nobody knows the parent.
        self.parents.add_roots(space.len());
        let mut widenings = space.widenings;
        for _ in 0..steps {
            if self.next as usize == space.len() {
                return Some(Outcome::Complete);
            }
            if self.next.is_multiple_of(4096) {
                let bytes = space.bytes() + self.parents.bytes();
                if let Err(stop) = budget.check().and_then(|()| budget.check_bytes(bytes)) {
                    return Some(Outcome::Unknown(stop, space.widened));
                }
                progress(u64::from(self.next), self.transitions);
            }
            let known = space.len();
            let fired = space.successors(self.next, budget);
            let fired = fired.map(|(groups, _)| groups.len());
            // Also a step that ends early may have found states.
            self.parents.extend(self.next, known, space.len());
            match fired {
                Ok(count) => {
                    self.transitions += count as u64;
                    self.dead_ends += u64::from(count == 0);
                }
                Err(Error::Stopped(stop)) => return Some(Outcome::Unknown(stop, space.widened)),
                Err(Error::Fault(fault)) => return Some(Outcome::Fault(fault)),
            }
            self.next += 1;
            if space.widenings != widenings {
                widenings = space.widenings;
                self.growing = self.parents.growing(space, known);
                if let Some(variable) = self.growing {
                    return Some(Outcome::Unbounded(variable.index()));
                }
            }
        }
        (self.next as usize == space.len()).then_some(Outcome::Complete)
    }

    /// The states expanded.
    #[must_use]
    pub fn expanded(&self) -> u64 {
        u64::from(self.next)
    }

    /// The bytes of the tables, without those of the store.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.parents.bytes()
    }

    /// What was seen, if that is how it ended.
    #[must_use]
    pub fn finish(&self, space: &Space, outcome: Outcome) -> Summary {
        let model = space.model();
        let most = match outcome {
            Outcome::Complete => space.len(),
            _ => LAST_LOOK / model.variables().len().max(1),
        };
        let (largest, largest_sum) = extremes(space, most);
        let exceeds = |&v: &VarId| model.variable(v).bounds.is_broken_by(largest[v.index()]);
        let broken = model.variable_ids().find(exceeds);
        Summary {
            outcome,
            states: space.len() as u64,
            transitions: self.transitions,
            dead_ends: self.dead_ends,
            largest,
            largest_sum,
            broken: broken.or(space.broken_promise()),
            bytes: space.bytes() + self.parents.bytes(),
        }
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

/// From which state each state was found first; kept only if the net may be unbounded. A root is its own parent.
struct Parents(Option<Vec<StateId>>);

impl Parents {
    fn new(wanted: bool) -> Self {
        Parents(wanted.then(Vec::new))
    }

    /// Makes the states up to a number roots, but for those that have a parent.
    fn add_roots(&mut self, to: usize) {
        if let Some(parents) = &mut self.0 {
            parents.extend(parents.len() as StateId..to as StateId);
        }
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
    fn growing(&self, space: &Space, from: usize) -> Option<VarId> {
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
                    let mut variables = space.model().variable_ids();
                    return variables.find(|v| above[v.index()] > below[v.index()]);
                }
            }
        }
        None
    }
}
