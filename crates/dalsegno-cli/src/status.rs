//! How a run ends, and what is said on the way.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// How a run ended; of two, the larger counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Status {
    /// All was done.
    Done,
    /// Something ran out of its budget.
    Unknown,
    /// A property fails.
    Fails,
    /// Something was wrong with the input.
    Error,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        match status {
            Status::Done => ExitCode::SUCCESS,
            Status::Fails => ExitCode::from(1),
            Status::Error => ExitCode::from(2),
            Status::Unknown => ExitCode::from(3),
        }
    }
}

/// Writes a line to standard error; a closed standard error is no reason to stop.
pub(crate) fn complain(message: impl fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{message}");
}
