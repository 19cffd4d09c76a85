//! Rows of measurements in CSV: `bench/peers/rows.csv`, and what others have measured: `bench/peers/reported.csv`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// One run of a program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) date: String,
    pub(super) commit: String,
    pub(super) machine: String,
    pub(super) work: String,
    pub(super) job: String,
    pub(super) program: String,
    pub(super) version: String,
    pub(super) round: u32,
    pub(super) outcome: Outcome,
    pub(super) answer: String,
    pub(super) user_seconds: f64,
    pub(super) system_seconds: f64,
    pub(super) peak_bytes: Option<u64>,
}

/// What became of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Outcome {
    /// The answer is the expected one.
    Right,
    /// It is not.
    Wrong,
    /// There is an answer, and nothing to compare it with.
    Answered,
    /// Time was over.
    Late,
    /// The program ended without an answer.
    Silent,
}

/// A figure that was measured elsewhere.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub(super) struct Reported {
    pub(super) work: String,
    pub(super) job: String,
    pub(super) program: String,
    pub(super) answer: String,
    /// None where only sizes are known.
    pub(super) seconds: Option<f64>,
    pub(super) peak_megabytes: Option<f64>,
    /// Where the seconds are a bound, which: `over` or `at most`.
    pub(super) bound: String,
}

/// All rows of a file; none if there is no file.
pub(super) fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<Vec<T>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read(path).with_context(|| path.display().to_string())?;
    let mut rows = csv::Reader::from_reader(&text[..]);
    let rows = rows.deserialize().collect::<Result<_, _>>();
    rows.with_context(|| path.display().to_string())
}

/// Writes all rows of a file.
pub(super) fn write(path: &Path, rows: &[Row]) -> Result<()> {
    let mut file = csv::Writer::from_path(path).with_context(|| path.display().to_string())?;
    for row in rows {
        file.serialize(row)?;
    }
    file.flush().with_context(|| path.display().to_string())
}
