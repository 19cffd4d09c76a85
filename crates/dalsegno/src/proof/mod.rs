//! Proofs of verdicts that an independent checker accepts: `dalsegno-verify`, which shares no code with the engines.
//!
//! A verdict is found by whatever method finds it; the proof comes from a second pass that knows nothing of the first.
//! What is written has been checked: a file that the checker does not accept is a defect and is never handed out.

mod branching_time;
mod count;
mod diagram;
mod encode;
mod graph;
mod linear_time;
mod subject;

pub use encode::encode;

use std::time::Duration;

use dalsegno_kripke::clock::Instant;
use dalsegno_kripke::{Budget, Stop};
use dalsegno_logic::FormulaStore;
use dalsegno_verify::claim::Logic;
use dalsegno_verify::{Failure, Mode, Options};

use crate::answer::{Answer, Value};
use crate::asked::{Asked, Understood};
use crate::problem::Problem;
use crate::survey::Ending;
use subject::Subject;

/// A proof that the checker has accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The file.
    pub bytes: Vec<u8>,
    /// How the checker went through it: "enumerated", "walked" or "linear".
    pub how: &'static str,
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
            Failure::Limit(what) => Unproved::Limit(what),
            Failure::Error { what, .. } => Unproved::Other(what),
            Failure::Refused { .. } => Unproved::Refused(failure.to_string()),
        }
    }
}

/// Proves the answer to a question, and lets the checker check it.
///
/// # Errors
/// Why there is no proof.
pub fn prove(
    problem: &Problem,
    asked: &Asked,
    understood: &Understood,
    store: &FormulaStore,
    answer: &Answer,
    budget: &Budget,
) -> Result<Proof, Unproved> {
    let begun = Instant::now();
    let subject = match &answer.value {
        Value::Truth(holds) => Subject::new(problem, asked, understood, store, *holds)?,
        Value::Survey(survey) => match &survey.states {
            Some(count) if survey.ending == Ending::Complete => Subject::of_count(problem, count)?,
            _ => return Err(Unproved::Other("not all states were seen".to_owned())),
        },
        _ => {
            return Err(Unproved::Other(
                "this kind of answer has no proofs".to_owned(),
            ));
        }
    };
    let diagram = match subject.claim.logic {
        Logic::Ltl => linear_time::prove(&subject, budget)?,
        Logic::Ctl => branching_time::prove(&subject, budget)?,
        Logic::States => count::prove(&subject, budget)?,
    };
    let bytes = encode(&subject.header, &diagram);
    checked(&subject, bytes, begun)
}

fn checked(subject: &Subject<'_>, bytes: Vec<u8>, begun: Instant) -> Result<Proof, Unproved> {
    let making = begun.elapsed();
    let begun = Instant::now();
    let options = Options {
        mode: Mode::Auto,
        ..Options::default()
    };
    let proved = dalsegno_verify::verify(&subject.net, &bytes, options)?;
    Ok(Proof {
        bytes,
        how: proved.how,
        time: (making, begun.elapsed()),
    })
}
