//! Proofs of verdicts that an independent checker accepts: `dalsegno-verify`, which shares no code with the engines.
//!
//! A verdict is found by whatever method finds it; the proof comes from a second pass that knows nothing of the first.
//! What is written has been checked: a file that the checker does not accept is a defect and is never handed out.

mod abstraction;
mod branching_time;
mod count;
mod diagram;
mod encode;
mod firing;
mod graph;
mod linear;
mod linear_time;
mod show;
mod subject;
mod symbolic;
mod view;

pub use encode::encode;

use std::time::Duration;

use dalsegno_kripke::clock::Instant;
use dalsegno_kripke::{Budget, Stop};
use dalsegno_verify::claim::Logic;
use dalsegno_verify::diagram::Diagram;
use dalsegno_verify::{Failure, Mode, Options};

use crate::method::Tool;
pub(crate) use subject::Subject;

/// A proof that the checker has accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The file.
    pub bytes: Vec<u8>,
    /// How the checker went through it: "enumerated", "walked" or "linear".
    pub how: &'static str,
    /// Whether it is about the unfolding of a coloured net, which is trusted.
    pub unfolded: bool,
    /// The time to make it, and to check it.
    pub time: (Duration, Duration),
}

/// Why there is no proof. The verdict stands.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unproved {
    /// A limit.
    #[error("{0}")]
    Limit(String),
    /// Something else.
    #[error("{0}")]
    Other(String),
    /// The checker refuses what was made: a defect of the producer, or a wrong verdict.
    #[error("the checker refuses the proof: {0}")]
    Refused(String),
}

impl From<Stop> for Unproved {
    fn from(stop: Stop) -> Self {
        Unproved::Limit(format!("no {stop} left for a proof"))
    }
}

impl From<Failure> for Unproved {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Limit(what) => Unproved::Limit(what.to_owned()),
            Failure::Error(what, _) => Unproved::Other(what),
            Failure::Refused(..) => Unproved::Refused(failure.to_string()),
        }
    }
}

/// So many states are looked at one by one before few places are.
const TINY: u64 = 500;

/// So many are looked at before sets of states are tried for a short time.
const FEW: u64 = 20_000;

/// So many are looked at before sets are tried for half of the time that is left.
const MANY: u64 = 500_000;

/// How much longer than the first states sets are tried for a short time.
const SHORT: u32 = 5;

/// How a proof is made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Way {
    /// As it fits the verdict and the number of states.
    #[default]
    Auto,
    /// From states one by one.
    Explicit,
    /// From sets of states.
    Symbolic,
    /// From few of the places.
    FewPlaces,
    /// From multipliers of the state equation.
    Linear,
}

impl Subject<'_> {
    /// Proves the claim, and lets the checker check the proof. The method that gave the verdict decides what is tried
    /// first.
    ///
    /// # Errors
    /// Why there is no proof.
    pub(crate) fn prove(
        &self,
        way: Way,
        by: Option<Tool>,
        budget: &Budget,
    ) -> Result<Proof, Unproved> {
        let begun = Instant::now();
        let linear = way == Way::Linear || way == Way::Auto && by == Some(Tool::StateEquation);
        if linear && let Some(bytes) = linear::prove(self, budget)? {
            return checked(self, bytes, begun, budget);
        }
        let diagram = match way {
            Way::Auto => by_diagram(self, by, budget)?,
            Way::Explicit => self.explicit(budget)?,
            Way::Symbolic => symbolic::prove(self, budget)?,
            Way::FewPlaces => match abstraction::prove(self, budget)? {
                Some(diagram) => diagram,
                None => return Err(Unproved::Other("few places do not show it".to_owned())),
            },
            Way::Linear => {
                return Err(Unproved::Other("no linear proof was found".to_owned()));
            }
        };
        checked(self, encode(&self.header, &diagram), begun, budget)
    }

    fn explicit(&self, budget: &Budget) -> Result<Diagram, Unproved> {
        match self.claim.header.logic {
            Logic::Ltl => linear_time::prove(self, budget),
            Logic::Ctl => branching_time::prove(self, budget),
            Logic::States => count::prove(self, budget),
        }
    }
}

/// A proof by diagram: from states one by one if they are few, and otherwise from few places or from sets of states, if
/// there are such proofs; whatever comes to an end. Neither is tried much longer than the other before.
fn by_diagram(
    subject: &Subject<'_>,
    by: Option<Tool>,
    budget: &Budget,
) -> Result<Diagram, Unproved> {
    // Whoever limits the states does not want sets of more of them.
    let enough = |states| budget.states().is_some_and(|most| most <= states);
    let is_final = |tried: &Result<Diagram, Unproved>, states| {
        !matches!(tried, Err(Unproved::Limit(_))) || enough(states) || budget.check().is_err()
    };
    let first = subject.explicit(&budget.clone().limit_states(TINY));
    if is_final(&first, TINY) {
        return first;
    }
    if let Some(diagram) = abstraction::prove(subject, budget)? {
        return Ok(diagram);
    }
    let begun = Instant::now();
    let first = subject.explicit(&budget.clone().limit_states(FEW));
    if is_final(&first, FEW) {
        return first;
    }
    if by != Some(Tool::Diagrams) {
        let short = begun.elapsed().max(Duration::from_millis(20)) * SHORT;
        if let Ok(diagram) = symbolic::prove(subject, &budget.clone().with_time(short)) {
            return Ok(diagram);
        }
        let second = subject.explicit(&budget.clone().limit_states(MANY));
        if is_final(&second, MANY) {
            return second;
        }
    }
    let half = budget.time_left().map_or(Duration::MAX, |left| left / 2);
    match symbolic::prove(subject, &budget.clone().with_time(half)) {
        Ok(diagram) => Ok(diagram),
        Err(why) => subject.explicit(budget).map_err(|last| match last {
            Unproved::Limit(_) => why,
            last => last,
        }),
    }
}

/// The bytes that a pair of nodes takes in the tables of the checker, and those that it takes for each of the file.
const PAIR: u64 = 40;
const BYTE: u64 = 30;

/// Lets the checker check a proof, within the limits of the budget.
fn checked(
    subject: &Subject<'_>,
    bytes: Vec<u8>,
    begun: Instant,
    budget: &Budget,
) -> Result<Proof, Unproved> {
    let making = begun.elapsed();
    let begun = Instant::now();
    let size = bytes.len() as u64 * BYTE;
    budget.check_bytes(size)?;
    let usual = Options::default();
    let most = budget.bytes().map_or(u64::MAX, |most| (most - size) / PAIR);
    let options = Options {
        mode: Mode::Auto,
        pairs: usual.pairs.min(most),
        stop: &|| budget.check().is_err(),
        ..usual
    };
    let proved =
        dalsegno_verify::verify(&subject.net, &bytes, options).map_err(|failure| {
            match (failure, budget.check()) {
                (Failure::Limit(_), Err(stop)) => Unproved::from(stop),
                (failure, _) => Unproved::from(failure),
            }
        })?;
    Ok(Proof {
        bytes,
        how: proved.how,
        unfolded: subject.problem.colours().is_some(),
        time: (making, begun.elapsed()),
    })
}
