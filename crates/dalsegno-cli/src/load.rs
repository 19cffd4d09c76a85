//! Models and properties from files.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use dalsegno::kripke::{Budget, Stop};
use dalsegno::{LoadError, Problem, Source};

use crate::limits::Progress;
use crate::status::{Status, complain};

/// A model that is not there: what was wrong has been said.
pub(crate) struct Unloaded {
    /// How the run ends.
    pub(crate) status: Status,
    /// The limit that was hit, if it was one.
    pub(crate) unknown: Option<LoadError>,
}

/// Reads a model; the ending of its name or its contents tell the format.
pub(crate) fn source(path: &Path, budget: &Budget) -> Result<Result<Source, Unloaded>> {
    known(Source::open_within(path, budget), path)
}

/// Reads a model and makes it ready to be asked.
pub(crate) fn problem(path: &Path, budget: &Budget) -> Result<Result<Arc<Problem>, Unloaded>> {
    let source = match source(path, budget)? {
        Ok(source) => source,
        Err(unloaded) => return Ok(Err(unloaded)),
    };
    let mut progress = Progress::new();
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
    match dalsegno::read(path, budget) {
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
        complain(format_args!(
            "warning: the file promises that its units are safe, but `{name}` can have more than one token"
        ));
    }
}
