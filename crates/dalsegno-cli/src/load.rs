//! Models and properties from files.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use dalsegno::kripke::{Budget, Stop};
use dalsegno::{LoadError, Problem, Source};

use crate::progress::Progress;
use crate::status::{Status, complain, warn};

/// A model that is not there: what was wrong has been said.
pub(crate) struct Unloaded {
    /// How the run ends.
    pub(crate) status: Status,
    /// The limit that was hit, if it was one.
    pub(crate) unknown: Option<LoadError>,
}

/// Reads a model; the ending of its name or its contents tell the format.
pub(crate) fn source(path: &Path, budget: &Budget) -> Result<Result<Source, Unloaded>> {
    let loaded = if is_standard_input(path) {
        from_standard_input(budget).and_then(|bytes| Source::from_bytes(&bytes, "-", budget))
    } else {
        Source::open_within(path, budget)
    };
    known(loaded, path)
}

/// Whether a path stands for standard input.
fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// How many of some paths stand for standard input.
pub(crate) fn reads_standard_input<'p>(paths: impl Iterator<Item = &'p PathBuf>) -> usize {
    paths.filter(|path| is_standard_input(path)).count()
}

fn from_standard_input(budget: &Budget) -> Result<Vec<u8>, LoadError> {
    dalsegno::read_from(io::stdin().lock(), "standard input", budget)
}

/// Reads a model and makes it ready to be asked.
pub(crate) fn problem(path: &Path, budget: &Budget) -> Result<Result<Arc<Problem>, Unloaded>> {
    let source = match source(path, budget)? {
        Ok(source) => source,
        Err(unloaded) => return Ok(Err(unloaded)),
    };
    let mut progress = Progress::new(budget);
    let problem = source.problem(budget, |found| {
        progress.unfolding(found.places, found.transitions);
    });
    drop(progress);
    known(problem.cloned(), path)
}

fn known<T>(loaded: Result<T, LoadError>, path: &Path) -> Result<Result<T, Unloaded>> {
    match loaded {
        Ok(loaded) => Ok(Ok(loaded)),
        Err(error) if error.stop().is_some() => {
            complain(format_args!("unknown: {}: {error}", path.display()));
            Ok(Err(Unloaded {
                status: Status::Unknown,
                unknown: Some(error),
            }))
        }
        Err(error @ LoadError::Read { .. }) => Err(error.into()),
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}

/// The bytes of a file, unpacked if they were packed, or why reading it was given up.
pub(crate) fn read(path: &Path, budget: &Budget) -> Result<Result<Vec<u8>, Stop>> {
    let read = if is_standard_input(path) {
        from_standard_input(budget)
    } else {
        dalsegno::read(path, budget)
    };
    match read {
        Ok(bytes) => Ok(Ok(bytes)),
        Err(error) => match error.stop() {
            Some(stop) => Ok(Err(stop)),
            None if matches!(error, LoadError::Read { .. }) => Err(error.into()),
            None => Err(error).with_context(|| path.display().to_string()),
        },
    }
}

/// What to call a model that could not be loaded: its file's name without the ending.
pub(crate) fn name(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// What helps where a name is unknown.
pub(crate) fn names_hint(model: &str) -> String {
    format!("`dalsegno info {model} PATTERN` lists the names of the model")
}

/// Says that the file promises what is not so, if that was found out.
pub(crate) fn warn_of_broken_promise(source: &Source) {
    let Some(problem) = source.ready() else {
        return;
    };
    if let Some(variable) = problem.broken_promise() {
        let name = &problem.model().variable(variable).name;
        warn(format_args!(
            "the file promises that its units are safe, but `{name}` can have more than one token"
        ));
    }
}
