//! What one run does, and what it tells: the two lines between a process and its child.

use serde::{Deserialize, Serialize};

use crate::ledger::Verdict;

/// One run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Task {
    /// The model, as [`Subject::parse`](crate::Subject::parse) reads it; empty if there is none.
    pub model: String,
    /// The formula; empty if there is none.
    pub formula: String,
    /// The name of the approach.
    pub approach: String,
    /// Whether the size of the whole product is wanted; of diagrams, the share of stuttering transitions.
    pub product: bool,
    /// The limit of processor time in seconds.
    pub timeout: f64,
    /// The memory limit in bytes.
    pub memory: u64,
}

/// What one run tells. Counts are decimal texts, as those of state spaces may have many digits.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Measurement {
    /// How it ended.
    pub verdict: Verdict,
    /// Why nothing is known, if so.
    pub reason: String,
    /// States of the automaton.
    pub automaton_states: Option<u64>,
    /// Transitions of the automaton.
    pub automaton_transitions: Option<u64>,
    /// Its acceptance sets.
    pub acceptance_sets: Option<u32>,
    /// States of the product that the emptiness check looked at; of a survey, the states.
    pub explored_states: Option<String>,
    /// Transitions that the emptiness check looked at; of a survey, the transitions.
    pub explored_transitions: Option<String>,
    /// Passes of the emptiness check.
    pub passes: Option<u32>,
    /// States of the whole product.
    pub product_states: Option<String>,
    /// Transitions of the whole product.
    pub product_transitions: Option<String>,
    /// The share of the model's transitions that change no proposition of the formula.
    pub stuttering: Option<f64>,
    /// Seconds of processor time, translation and witness included, loading the model not.
    pub seconds: f64,
    /// The part of them that went before the search, where states are looked at one by one: translation.
    pub translation_seconds: Option<f64>,
    /// The part of them that reachable states took, where these are built first.
    pub reach_seconds: Option<f64>,
    /// Seconds of the clock for everything, loading and the size of the product included.
    pub wall_seconds: f64,
    /// The most memory that the process had.
    pub peak_bytes: u64,
}

impl Measurement {
    /// Of a run that ended without an answer.
    #[must_use]
    pub fn unknown(reason: impl Into<String>) -> Self {
        Measurement {
            reason: reason.into(),
            ..Measurement::default()
        }
    }
}
