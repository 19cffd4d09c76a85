//! Limits as Python gives them.

use std::time::Duration;

use dalsegno::kripke::Budget;
use pyo3::prelude::*;

use crate::errors;

/// The seconds that an argument `timeout` is.
///
/// # Errors
/// If it is neither a number nor nothing.
pub(crate) fn seconds(timeout: Option<&Bound<'_, PyAny>>) -> PyResult<Option<f64>> {
    let Some(value) = timeout.filter(|value| !value.is_none()) else {
        return Ok(None);
    };
    match value.extract() {
        Ok(seconds) => Ok(Some(seconds)),
        Err(_) => Err(errors::kind("timeout", "seconds", value)),
    }
}

/// A budget with these limits: seconds, states, bytes of the tables.
///
/// # Errors
/// If the seconds are no time.
pub(crate) fn budget(
    timeout: Option<f64>,
    max_states: Option<u64>,
    memory: Option<u64>,
) -> PyResult<Budget> {
    let mut budget = Budget::unlimited();
    if let Some(seconds) = timeout {
        if seconds.is_nan() || seconds < 0.0 {
            let message =
                format!("{seconds} is no time: give seconds, 0 or more, or None for no limit");
            return Err(errors::argument("timeout", message));
        }
        // More seconds than a clock counts are no limit.
        if let Ok(time) = Duration::try_from_secs_f64(seconds) {
            budget = budget.with_time(time);
        }
    }
    if let Some(states) = max_states {
        budget = budget.with_states(states);
    }
    if let Some(bytes) = memory {
        budget = budget.with_bytes(bytes);
    }
    Ok(budget)
}
