//! Proofs of verdicts that an independent checker accepts: `dalsegno-verify`, which shares no code with the engines.
//!
//! A verdict is found by whatever method finds it; the proof comes from a second pass that knows nothing of the first.
//! What is written has been checked: a file that the checker does not accept is a defect and is never handed out.

mod abstraction;
mod attempts;
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
            Way::Auto => attempts::prove(self, by, budget)?,
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
