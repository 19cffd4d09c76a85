//! Models from files.

use std::path::Path;

use anyhow::{Context, Result};
use dalsegno::kripke::Budget;
use dalsegno::{LoadError, Session};

use crate::limits::Progress;
use crate::status::{Status, complain};

/// Reads a model; the ending of its name or its contents tell the format. How the run ends if there is
/// none.
pub(crate) fn model(path: &Path, budget: &Budget) -> Result<Result<Session, Status>> {
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
            Ok(Err(Status::Unknown))
        }
        Err(LoadError::Pnml(error)) => {
            let text = String::from_utf8_lossy(&bytes);
            complain(format_args!(
                "error: {}: {}",
                path.display(),
                error.render(&text)
            ));
            Ok(Err(Status::Error))
        }
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}
