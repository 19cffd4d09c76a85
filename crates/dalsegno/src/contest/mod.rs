//! The Model Checking Contest: an examination of a net, answered line by line.
//!
//! Of a coloured net the numbers of tokens alone are asked first. Examinations that speak of reachable
//! states are asked of the first states that are explored, then of walks, of the state equation, of all
//! states as diagrams, then of all states one by one and of more walks; each question is answered by the first
//! that knows. LTL properties are searched one by one, CTL properties share all states. What cannot be
//! answered in time stays open.

mod branching;
mod counted;
mod global;
mod goal;
mod linear;
mod proofs;
mod reachability;
mod stages;
mod walks;

use std::io::{self, Write};
use std::time::Duration;

use dalsegno_kripke::Budget;
use dalsegno_logic::FormulaStore;
use dalsegno_models::petri::coloured::UnfoldError;
use dalsegno_models::petri::{pnml, properties};
use rustc_hash::FxHashSet;
use thiserror::Error;

pub use counted::examine_counted;

use crate::session::Session;
use crate::survey::{Ending, Engine, SurveyOptions, survey};

/// What the contest asks for, and what it grants.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The name of the examination.
    pub examination: &'a str,
    /// The properties, for examinations that have some.
    pub properties: Option<&'a [u8]>,
    /// What is granted.
    pub budget: &'a Budget,
    /// Which engine answers `StateSpace`, LTL and CTL. Other examinations use both.
    pub engine: Engine,
    /// Hears what should never happen: a model that overflows, or an answer whose certificate is refuted and
    /// which is therefore not given.
    pub on_defect: &'a (dyn Fn(&str) + Sync),
}

impl<'a> Request<'a> {
    /// A request for an examination without properties, by any engine.
    #[must_use]
    pub fn new(examination: &'a str, budget: &'a Budget) -> Self {
        Request {
            examination,
            properties: None,
            budget,
            engine: Engine::Auto,
            on_defect: &|_| {},
        }
    }

    /// The request with these properties.
    #[must_use]
    pub fn with_properties(mut self, properties: &'a [u8]) -> Self {
        self.properties = Some(properties);
        self
    }

    /// The time that is left: an hour if there is no limit, as the contest has it.
    fn left(&self) -> Duration {
        self.budget.time_left().unwrap_or(NO_LIMIT)
    }
}

/// What is divided among methods where no time is granted.
const NO_LIMIT: Duration = Duration::from_secs(3600);

/// Why an examination could not be started.
#[derive(Debug, Error)]
pub enum ContestError {
    /// An examination that is not known.
    #[error("unknown examination {0:?}")]
    Examination(String),
    /// An examination with properties, and no file of them.
    #[error("the examination needs a file of properties")]
    NoProperties,
    /// The model cannot be read.
    #[error(transparent)]
    Model(#[from] pnml::Error),
    /// The coloured net has no unfolding.
    #[error(transparent)]
    Unfold(#[from] UnfoldError),
    /// The properties cannot be read.
    #[error(transparent)]
    Properties(#[from] properties::Error),
    /// The answers cannot be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// What answered: states one by one.
const EXPLICIT: &str = "EXPLICIT";
/// What answered: a run that reaches a state.
const WALK: &str = "RANDOM_WALK";
/// What answered: sets of states.
const SYMBOLIC: &str = "DECISION_DIAGRAMS";
/// What answered: a proof that no firing of transitions gets there.
const EQUATION: &str = "STATE_EQUATION";

/// Answers an examination; true if all of it was answered.
///
/// # Errors
/// See [`ContestError`].
pub fn examine(
    session: &Session,
    request: &Request<'_>,
    out: &mut (impl Write + Send),
) -> Result<bool, ContestError> {
    let answered = match session.colours() {
        Some(colours) => counted::first_answers(colours.coloured(), request, out)?,
        None => FxHashSet::default(),
    };
    examine_rest(session, request, &answered, out)
}

/// Answers an examination of a net in PNML; true if all of it was answered. A coloured net is unfolded only
/// for what its numbers of tokens leave open; `unknown` hears why it is not, if that is too much.
///
/// # Errors
/// See [`ContestError`].
pub fn examine_pnml(
    model: &[u8],
    request: &Request<'_>,
    unknown: impl FnOnce(&UnfoldError),
    out: &mut (impl Write + Send),
) -> Result<bool, ContestError> {
    let net = match pnml::parse_net_within(model, request.budget) {
        Ok(pnml::Net::Plain(net)) => {
            return examine(&Session::within(net, request.budget), request, out);
        }
        Ok(pnml::Net::Coloured(net)) => net,
        Err(error) if error.stop().is_some() => return cannot_compute(out),
        Err(error) => return Err(error.into()),
    };
    let mut answered = counted::first_answers(&net, request, out)?;
    if counted::is_complete(request, &answered)? {
        return Ok(true);
    }
    match Session::of_coloured(net.clone(), request.budget, |_| {}) {
        Ok(session) => examine_rest(&session, request, &answered, out),
        Err(error) if error.stop().is_some() => {
            unknown(&error);
            counted::last_answers(&net, request, &mut answered, out)
        }
        Err(error) => Err(error.into()),
    }
}

/// Answers what is not answered yet.
fn examine_rest(
    session: &Session,
    request: &Request<'_>,
    answered: &FxHashSet<String>,
    out: &mut (impl Write + Send),
) -> Result<bool, ContestError> {
    let budget = request.budget;
    if answered.contains(request.examination) {
        return Ok(true);
    }
    match request.examination {
        "StateSpace" => state_space(session, request.engine, budget, out),
        "ReachabilityDeadlock" | "OneSafe" | "StableMarking" | "QuasiLiveness" | "Liveness" => {
            global::global(session, request.examination, budget, out)
        }
        "UpperBounds"
        | "ReachabilityCardinality"
        | "ReachabilityFireability"
        | "LTLCardinality"
        | "LTLFireability"
        | "CTLCardinality"
        | "CTLFireability" => {
            let bytes = request.properties.ok_or(ContestError::NoProperties)?;
            let mut store = FormulaStore::new();
            let read = properties::parse_within(bytes, session.symbols(), &mut store, budget);
            let mut set = match read {
                Ok(set) => set,
                Err(error) if error.stop().is_some() => return cannot_compute(out),
                Err(error) => return Err(error.into()),
            };
            set.properties.retain(|p| !answered.contains(&p.id));
            if set.properties.is_empty() {
                return Ok(true);
            }
            if let Some(colours) = session.colours() {
                counted::decide_atoms(colours.coloured(), bytes, &store, &mut set, budget)?;
            }
            match request.examination {
                "UpperBounds" => reachability::bounds(session, &set, request.left(), budget, out),
                "LTLCardinality" | "LTLFireability" => {
                    linear::linear(session, &mut store, &set, request, out)
                }
                "CTLCardinality" | "CTLFireability" => {
                    branching::branching(session, &mut store, &set, request, out)
                }
                _ => reachability::reachability(session, &store, &set, budget, out),
            }
        }
        other => Err(ContestError::Examination(other.to_owned())),
    }
}

fn answer(
    out: &mut impl Write,
    technique: &str,
    name: &str,
    value: impl std::fmt::Display,
) -> io::Result<()> {
    writeln!(out, "FORMULA {name} {value} TECHNIQUES {technique}")?;
    out.flush()
}

fn truth(value: bool) -> &'static str {
    if value { "TRUE" } else { "FALSE" }
}

fn cannot_compute(out: &mut impl Write) -> Result<bool, ContestError> {
    writeln!(out, "CANNOT_COMPUTE")?;
    Ok(false)
}

fn state_space(
    session: &Session,
    engine: Engine,
    budget: &Budget,
    out: &mut impl Write,
) -> Result<bool, ContestError> {
    let options = SurveyOptions {
        engine,
        ..SurveyOptions::default()
    };
    let seen = survey(session, options, budget, |_, _| {});
    let technique = match seen.engine {
        Engine::Symbolic => SYMBOLIC,
        _ => EXPLICIT,
    };
    let infinite = Some("+inf".to_owned());
    // Numbers of a part of the states are no answers; of all states, those that are known.
    let values = match seen.ending {
        Ending::Unbounded(_) => [const { None }; 4].map(|_: Option<String>| infinite.clone()),
        Ending::Complete => [
            seen.states,
            seen.transitions,
            seen.largest,
            seen.largest_sum,
        ],
        Ending::Unknown(..) if seen.engine == Engine::Symbolic => [
            seen.states,
            seen.transitions,
            seen.largest,
            seen.largest_sum,
        ],
        _ => Default::default(),
    };
    let complete = values.iter().all(Option::is_some);
    let names = [
        "STATES",
        "TRANSITIONS",
        "MAX_TOKEN_IN_PLACE",
        "MAX_TOKEN_PER_MARKING",
    ];
    for (name, value) in names.into_iter().zip(values) {
        if let Some(value) = value {
            writeln!(out, "STATE_SPACE {name} {value} TECHNIQUES {technique}")?;
        }
    }
    if complete {
        Ok(true)
    } else {
        cannot_compute(out)
    }
}
