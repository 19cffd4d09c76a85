//! Models from files of any format.

use dalsegno_kripke::{Budget, ModelError, Stop};
use dalsegno_models::petri::coloured::{Progress, UnfoldError};
use dalsegno_models::{dve, etf, petri::pnml};
use serde_json::{Value, json};
use thiserror::Error;

use crate::session::Session;

/// The formats of models.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModelFormat {
    /// Petri nets in XML.
    Pnml,
    /// Tables of transitions.
    Etf,
    /// Programs.
    Dve,
}

impl ModelFormat {
    /// The format that the ending of a file name tells; by the contents if it tells nothing.
    ///
    /// # Examples
    /// ```
    /// use dalsegno::ModelFormat;
    ///
    /// assert_eq!(ModelFormat::of("lifts.7.dve", b""), ModelFormat::Dve);
    /// assert_eq!(ModelFormat::of("model", b"begin state\nend state"), ModelFormat::Etf);
    /// ```
    #[must_use]
    pub fn of(file_name: &str, bytes: &[u8]) -> Self {
        let ending = file_name.rsplit_once('.').map_or("", |(_, ending)| ending);
        match &ending.to_ascii_lowercase()[..] {
            "pnml" | "xml" => return ModelFormat::Pnml,
            "etf" => return ModelFormat::Etf,
            "dve" => return ModelFormat::Dve,
            _ => {}
        }
        let start = bytes.trim_ascii_start();
        if start.starts_with(b"begin ") {
            ModelFormat::Etf
        } else if start.starts_with(b"<") || start.starts_with(b"\xef\xbb\xbf<") {
            ModelFormat::Pnml
        } else {
            ModelFormat::Dve
        }
    }
}

/// Why a file is no model.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LoadError {
    /// A fault in PNML.
    #[error(transparent)]
    Pnml(#[from] pnml::Error),
    /// The coloured net cannot be unfolded.
    #[error(transparent)]
    Unfold(#[from] UnfoldError),
    /// A fault in ETF.
    #[error(transparent)]
    Etf(#[from] etf::Error),
    /// A fault in DVE.
    #[error(transparent)]
    Dve(#[from] dve::Error),
    /// The file was not read to its end.
    #[error("{0}")]
    Stopped(Stop),
    /// What the file describes is no model.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl LoadError {
    /// The limit that was hit, if that is the reason: then nothing is wrong with the model, and the
    /// answer is not known.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        match self {
            LoadError::Pnml(error) => error.stop(),
            LoadError::Unfold(error) => error.stop(),
            LoadError::Stopped(stop) => Some(*stop),
            _ => None,
        }
    }
}

/// The answer to `states` if a limit kept the model from being loaded, as `dalsegno.states/1`. What is
/// known of the size of an unfolded net is among the statistics.
#[must_use]
pub fn unloaded_states(model: &str, error: &LoadError) -> Value {
    let reason = error.stop().map(|stop| stop.to_string());
    unknown_states(model, reason, &json!({ "unfolding": unfolding(error) }))
}

/// The answer to `states` if the process has to end, as `dalsegno.states/1`, with what was seen so far.
#[must_use]
pub fn unfinished_states(model: &str, stop: Stop, states: u64, transitions: u64) -> Value {
    let seen = json!({
        "seen_states": states.to_string(),
        "seen_transitions": transitions.to_string(),
    });
    unknown_states(model, Some(stop.to_string()), &seen)
}

fn unknown_states(model: &str, reason: Option<String>, stats: &Value) -> Value {
    json!({
        "schema": "dalsegno.states/1",
        "model": model,
        "engine": null,
        "result": "unknown",
        "reason": reason,
        "states": null,
        "transitions": null,
        "dead_ends": null,
        "max_tokens_in_place": null,
        "max_tokens_per_marking": null,
        "proved_bound": null,
        "stopped": [],
        "seconds": null,
        "peak_bytes": null,
        "order": null,
        "stats": stats,
    })
}

/// At most how large the unfolded net would be, if that is why a model could not be loaded; counts are decimal
/// strings.
#[must_use]
pub fn unfolding(error: &LoadError) -> Value {
    let LoadError::Unfold(error) = error else {
        return Value::Null;
    };
    error.size().map_or(Value::Null, |size| {
        json!({
            "places_at_most": size.places.to_string(),
            "transitions_at_most": size.transitions.to_string(),
        })
    })
}

impl Session {
    /// A session for a model in any format; `file_name` tells which, and what to call the model.
    /// `progress` hears of the unfolding of a coloured net.
    ///
    /// # Errors
    /// If the text is not a model in its format, or a coloured net that the budget does not allow to
    /// unfold.
    pub fn load(
        bytes: &[u8],
        file_name: &str,
        budget: &Budget,
        progress: impl FnMut(Progress),
    ) -> Result<Self, LoadError> {
        let base = file_name.rsplit(['/', '\\']).next().unwrap_or(file_name);
        let stem = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
        match ModelFormat::of(file_name, bytes) {
            ModelFormat::Pnml => Self::load_pnml(bytes, budget, progress),
            ModelFormat::Etf => Ok(Self::from_etf(etf::parse(bytes)?, stem)?),
            ModelFormat::Dve => Ok(Self::from_model(dve::load(bytes, stem)?)),
        }
    }
}
