//! Models from files.

use std::path::Path;

use anyhow::{Context, Result};
use dalsegno::kripke::Budget;
use dalsegno::{LoadError, Session};

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
pub(crate) fn model(path: &Path, budget: &Budget) -> Result<Result<Session, Unloaded>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut progress = Progress::new();
    let session = Session::load(&bytes, &name, budget, |found| {
        progress.unfolding(found.places, found.transitions);
    });
    drop(progress);
    match session {
        Ok(session) => Ok(Ok(session)),
        Err(error) if error.stop().is_some() => {
            complain(format_args!("unknown: {}: {error}", path.display()));
            Ok(Err(Unloaded {
                status: Status::Unknown,
                unknown: Some(error),
            }))
        }
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}

/// What to call a model that could not be loaded: its file's name without the ending.
pub(crate) fn name(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
