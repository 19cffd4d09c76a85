//! Models from files of any format.

use dalsegno_kripke::{Budget, ModelError, Stop};
use dalsegno_models::petri::coloured::{Progress, UnfoldError};
use dalsegno_models::{UnpackError, dve, etf, petri::pnml, unpack};
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
    /// The bytes are those that were unpacked, if the file is packed.
    ///
    /// # Errors
    /// If the file is empty, or of no format that is known.
    ///
    /// # Examples
    /// ```
    /// use dalsegno::{LoadError, ModelFormat};
    ///
    /// assert_eq!(ModelFormat::of("lifts.7.dve", b"system async;"), Ok(ModelFormat::Dve));
    /// assert_eq!(ModelFormat::of("model", b"begin state\nend state"), Ok(ModelFormat::Etf));
    /// assert_eq!(ModelFormat::of("model.pnml.gz", b"<pnml/>"), Ok(ModelFormat::Pnml));
    /// assert_eq!(ModelFormat::of("model.pnml", b" "), Err(LoadError::Empty));
    /// assert_eq!(ModelFormat::of("model", b"just words"), Err(LoadError::Format));
    /// ```
    pub fn of(file_name: &str, bytes: &[u8]) -> Result<Self, LoadError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let start = bytes.trim_ascii_start();
        if start.is_empty() {
            return Err(LoadError::Empty);
        }
        let lower = file_name.to_ascii_lowercase();
        let name = lower.strip_suffix(".gz").unwrap_or(&lower);
        match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
            "pnml" | "xml" => return Ok(ModelFormat::Pnml),
            "etf" => return Ok(ModelFormat::Etf),
            "dve" => return Ok(ModelFormat::Dve),
            _ => {}
        }
        // UTF-16 is left to the reader of XML, which says so.
        if let [b'<', ..] | [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, b'<', ..] = start {
            return Ok(ModelFormat::Pnml);
        }
        let length = start
            .iter()
            .position(|b| !b.is_ascii_alphabetic())
            .unwrap_or(start.len());
        match &start[..length] {
            b"begin" => Ok(ModelFormat::Etf),
            b"byte" | b"int" | b"const" | b"channel" | b"process" | b"system" => {
                Ok(ModelFormat::Dve)
            }
            _ if start.starts_with(b"//") || start.starts_with(b"/*") => Ok(ModelFormat::Dve),
            _ => Err(LoadError::Format),
        }
    }
}

/// What a file may hold, for errors.
const EXPECTED: &str =
    "a Petri net in PNML, tables in ETF or a program in DVE, maybe packed by gzip";

/// Why a file is no model.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// There is nothing in the file.
    #[error("the file is empty: expected {EXPECTED}")]
    Empty,
    /// Neither the name nor the contents tell a format.
    #[error("the file is of an unknown kind: expected {EXPECTED}")]
    Format,
    /// The packed file is damaged, or too large.
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// The tables cannot be made a model.
    #[error(transparent)]
    Lower(#[from] etf::LowerError),
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
            LoadError::Etf(error) => error.stop(),
            LoadError::Dve(error) => error.stop(),
            LoadError::Unpack(error) => error.stop(),
            LoadError::Stopped(stop) | LoadError::Lower(etf::LowerError::Stopped(stop)) => {
                Some(*stop)
            }
            _ => None,
        }
    }
}

/// The answer to `states` if a limit kept the model from being loaded, as `dalsegno.states/1`. What is
/// known of the size of an unfolded net is among the statistics.
#[must_use]
pub fn unloaded_states(model: &str, error: &LoadError) -> Value {
    unknown_states(
        model,
        error.stop(),
        &json!({ "unfolding": unfolding(error) }),
    )
}

/// The answer to `states` if the process has to end, as `dalsegno.states/1`, with what was seen so far.
#[must_use]
pub fn unfinished_states(model: &str, stop: Stop, states: u64, transitions: u64) -> Value {
    let seen = json!({
        "seen_states": states.to_string(),
        "seen_transitions": transitions.to_string(),
    });
    unknown_states(model, Some(stop), &seen)
}

fn unknown_states(model: &str, stop: Option<Stop>, stats: &Value) -> Value {
    json!({
        "schema": "dalsegno.states/1",
        "model": model,
        "engine": null,
        "result": "unknown",
        "reason": stop.map(|stop| stop.to_string()),
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
        let base = base.strip_suffix(".gz").unwrap_or(base);
        let stem = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
        let bytes = &*unpack(bytes, budget)?;
        match ModelFormat::of(file_name, bytes)? {
            ModelFormat::Pnml => Self::load_pnml(bytes, budget, progress),
            ModelFormat::Etf => {
                let etf = etf::parse_within(bytes, budget)?;
                Ok(Self::load_etf(etf, stem, budget)?)
            }
            ModelFormat::Dve => {
                let model = dve::load_within(bytes, stem, budget)?;
                Ok(Self::from_model(model))
            }
        }
    }
}
