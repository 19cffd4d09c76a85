//! How a run ends, and what is said on the way.

use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use dalsegno::Value;

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

impl Status {
    /// What an answer means for the exit code.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Truth(true) | Value::Bound(_) => Status::Done,
            Value::Truth(false) => Status::Fails,
            Value::Survey(survey) if survey.is_complete() => Status::Done,
            Value::Survey(_) | Value::Unknown(_) => Status::Unknown,
            Value::Error(_) => Status::Error,
        }
    }

    /// The exit code.
    pub(crate) fn code(self) -> i32 {
        match self {
            Status::Done => 0,
            Status::Fails => 1,
            Status::Error => 2,
            Status::Unknown => 3,
        }
    }
}

/// The exit code after the reader of standard output has gone away: what a shell shows of a process that
/// SIGPIPE ended.
pub(crate) const BROKEN_PIPE: i32 = 141;

/// Writes a line to standard error; a closed standard error is no reason to stop.
pub(crate) fn complain(message: impl fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{message}");
}

/// Whether only errors and results are wanted.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Says neither warnings nor progress from now on.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether neither warnings nor progress are wanted.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Writes a warning to standard error, unless none are wanted.
pub(crate) fn warn(message: impl fmt::Display) {
    if !is_quiet() {
        complain(format_args!("warning: {message}"));
    }
}
