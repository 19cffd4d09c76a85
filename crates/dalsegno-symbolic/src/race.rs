//! Trying orders against each other: the one that gets there first builds the state space.
//!
//! Metrics tell how large a set will be under an order, but not how large the sets on the way
//! are: an order and its reverse end with diagrams of the same size, and one of them may take a
//! thousand times as long. So the best orders by metric are tried in turn with a small number of
//! steps, then fewer of them with eight times as many, and so on. Steps are counted, not timed: the
//! order that wins is the same on every machine.
//!
//! Cost: at most a small multiple of the work of the order that wins, and about twice the work of
//! the first order if that one wins.

use dalsegno_kripke::{Budget, Model, Stop};

use crate::encode::EncodeError;
use crate::order::Candidate;
use crate::reach::StateSpace;

/// Steps of the first round.
const FIRST: u64 = 1 << 14;

/// How many candidates take part in the rounds; the last number is for all rounds after.
const ROUNDS: [usize; 5] = [16, 8, 4, 3, 2];

/// The state space under the order that wins, and the number of that order in the list.
///
/// The candidates are expected best first.
///
/// # Errors
/// See [`EncodeError`]; memory runs out when it does for the last candidate of a round.
///
/// # Panics
/// If there is no candidate.
pub fn race<'m>(
    model: &'m Model,
    candidates: &[Candidate],
    budget: &Budget,
) -> Result<(StateSpace<'m>, usize), EncodeError> {
    assert!(!candidates.is_empty(), "a race needs a candidate");
    let mut distinct: Vec<usize> = Vec::new();
    for (i, candidate) in candidates.iter().enumerate() {
        if distinct.len() == ROUNDS[0] {
            break;
        }
        let seen = |&j: &usize| candidates[j].order == candidate.order;
        if !distinct.iter().any(seen) {
            distinct.push(i);
        }
    }
    let mut steps = FIRST;
    for round in 0.. {
        let entrants = ROUNDS[round.min(ROUNDS.len() - 1)];
        let mut out_of_memory = true;
        for &i in distinct.iter().take(entrants) {
            match StateSpace::try_build(model, &candidates[i].order, budget, steps) {
                Ok(space) => return Ok((space, i)),
                // Another order may do with less.
                Err(EncodeError::Stopped(Stop::Memory)) => {}
                Err(EncodeError::Stopped(Stop::Time)) if budget.check().is_ok() => {
                    out_of_memory = false;
                }
                Err(error) => return Err(error),
            }
        }
        if out_of_memory {
            return Err(Stop::Memory.into());
        }
        steps = steps.saturating_mul(8);
    }
    unreachable!("the rounds go on until the budget ends them")
}
