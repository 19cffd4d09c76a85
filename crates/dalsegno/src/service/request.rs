//! Requests: which fields each call has. A field that a call does not know is an error: it may be misspelt.

use std::time::Duration;

use dalsegno_automata::observer::Kind;
use dalsegno_kripke::{Budget, DeadEnds};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::fault::Fault;
use crate::asked::Logic;
use crate::settings::Engine;

/// The names of the calls.
pub(super) const CALLS: [&str; 7] = [
    "check",
    "translate",
    "compare",
    "examples",
    "info",
    "states",
    "version",
];

/// The longest time that can be asked for, in seconds: a year.
const LONGEST: f64 = 366.0 * 86_400.0;

/// A request that has been read.
pub(super) struct Request {
    pub(super) wanted: Wanted,
    pub(super) limits: Limits,
}

/// What is wanted.
pub(super) enum Wanted {
    Check(Check),
    Translate(Translate),
    Compare(Compare),
    Examples,
    Info(Info),
    States(States),
    Version,
}

/// Limits of a call.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Limits {
    /// Seconds.
    timeout: Option<f64>,
    states: Option<u64>,
    /// Bytes.
    memory: Option<u64>,
}

/// A model as a text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Model {
    /// The name of its file, whose ending may tell the format.
    #[serde(default)]
    pub(super) name: String,
    pub(super) text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Check {
    pub(super) model: Model,
    pub(super) properties: Vec<Property>,
    #[serde(default)]
    pub(super) engine: Option<String>,
    #[serde(default)]
    pub(super) automaton: Option<String>,
    #[serde(default)]
    pub(super) dead_ends: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Property {
    pub(super) logic: String,
    pub(super) text: String,
    #[serde(default)]
    pub(super) name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Translate {
    pub(super) formula: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Compare {
    pub(super) left: String,
    pub(super) right: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Info {
    pub(super) model: Model,
    #[serde(default)]
    pub(super) pattern: Option<String>,
    /// Whether lists are told whole.
    #[serde(default)]
    pub(super) all: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct States {
    pub(super) model: Model,
    #[serde(default)]
    pub(super) engine: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

impl Request {
    pub(super) fn read(text: &str) -> Result<Self, Fault> {
        let value: Value = serde_json::from_str(text).map_err(|error| Fault::of_json(&error))?;
        let Value::Object(mut fields) = value else {
            return Err(Fault::new("a request is a JSON object"));
        };
        let call = match fields.remove("call") {
            Some(Value::String(call)) => call,
            Some(_) => return Err(Fault::new("`call` is not a text")),
            None => return Err(Fault::new(format!("`call` is missing: {}", known_calls()))),
        };
        let limited = !matches!(call.as_str(), "examples" | "version");
        let limits = if limited {
            take_limits(&mut fields)?
        } else {
            Limits::default()
        };
        let wanted = match call.as_str() {
            "check" => Wanted::Check(read(&call, fields)?),
            "translate" => Wanted::Translate(read(&call, fields)?),
            "compare" => Wanted::Compare(read(&call, fields)?),
            "info" => Wanted::Info(read(&call, fields)?),
            "states" => Wanted::States(read(&call, fields)?),
            "examples" => read(&call, fields).map(|Nothing {}| Wanted::Examples)?,
            "version" => read(&call, fields).map(|Nothing {}| Wanted::Version)?,
            other => {
                let message = format!("no call is named `{other}`: {}", known_calls());
                return Err(Fault::new(message));
            }
        };
        Ok(Request { wanted, limits })
    }
}

fn known_calls() -> String {
    format!("expected one of {}", CALLS.join(", "))
}

fn read<T: DeserializeOwned>(call: &str, fields: Map<String, Value>) -> Result<T, Fault> {
    let read = serde_json::from_value(Value::Object(fields));
    read.map_err(|error| Fault::new(format!("in a request `{call}`: {error}")))
}

/// The limits among the fields of any request.
fn take_limits(fields: &mut Map<String, Value>) -> Result<Limits, Fault> {
    let taken = ["timeout", "states", "memory"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), fields.remove(name)?)));
    let limits: Limits = serde_json::from_value(Value::Object(taken.collect()))
        .map_err(|error| Fault::new(format!("in the limits of a request: {error}")))?;
    if limits
        .timeout
        .is_some_and(|t| !(0.0..=LONGEST).contains(&t))
    {
        return Err(Fault::new(
            "`timeout` is a number of seconds, at most a year",
        ));
    }
    Ok(limits)
}

impl Limits {
    /// A part of a budget within these limits.
    pub(super) fn narrow(&self, budget: &Budget) -> Budget {
        let mut part = budget.part();
        if let Some(seconds) = self.timeout {
            part = part.with_time(Duration::from_secs_f64(seconds));
        }
        if let Some(states) = self.states {
            part = part.limit_states(states);
        }
        if let Some(bytes) = self.memory {
            part = part.with_bytes(bytes);
        }
        part
    }
}

/// A choice by its name.
fn chosen<T: std::str::FromStr<Err = dalsegno_kripke::UnknownName>>(
    name: &str,
) -> Result<T, Fault> {
    name.parse().map_err(|error| Fault::new(format!("{error}")))
}

/// The engine by its name, `auto` if there is none.
pub(super) fn engine(name: Option<&str>) -> Result<Engine, Fault> {
    name.map_or(Ok(Engine::Auto), chosen)
}

impl Check {
    pub(super) fn automaton(&self) -> Result<Option<Kind>, Fault> {
        match self.automaton.as_deref() {
            None | Some("auto") => Ok(None),
            Some(name) => chosen(name).map(Some),
        }
    }

    pub(super) fn dead_ends(&self) -> Result<Option<DeadEnds>, Fault> {
        self.dead_ends.as_deref().map(chosen).transpose()
    }
}

impl Property {
    pub(super) fn logic(&self) -> Result<Logic, Fault> {
        chosen(&self.logic)
    }
}
