//! Models from files.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use dalsegno::kripke::{Budget, Stop};
use dalsegno::models::unpack;
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
    let bytes = match read(path, budget)? {
        Ok(bytes) => bytes,
        Err(stop) => {
            complain(format_args!("unknown: {}: {stop}", path.display()));
            return Ok(Err(Unloaded {
                status: Status::Unknown,
                unknown: Some(LoadError::Stopped(stop)),
            }));
        }
    };
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

/// The bytes of a file, unpacked if they were packed, or why reading it was given up.
pub(crate) fn read(path: &Path, budget: &Budget) -> Result<Result<Vec<u8>, Stop>> {
    let open = || -> std::io::Result<Result<Vec<u8>, Stop>> {
        let mut file = File::open(path)?;
        let mut bytes = Vec::new();
        loop {
            let read = (&mut file).take(PIECE).read_to_end(&mut bytes)?;
            let grown = budget.check_bytes(bytes.len() as u64);
            if let Err(stop) = budget.check().and(grown) {
                return Ok(Err(stop));
            }
            if read == 0 {
                return Ok(Ok(bytes));
            }
        }
    };
    let bytes = match open().with_context(|| format!("cannot read {}", path.display()))? {
        Ok(bytes) => bytes,
        Err(stop) => return Ok(Err(stop)),
    };
    match unpack(&bytes, budget) {
        Ok(Cow::Owned(unpacked)) => Ok(Ok(unpacked)),
        Ok(Cow::Borrowed(_)) => Ok(Ok(bytes)),
        Err(error) => match error.stop() {
            Some(stop) => Ok(Err(stop)),
            None => Err(error).with_context(|| path.display().to_string()),
        },
    }
}

/// How much is read between two looks at the limits.
const PIECE: u64 = 1 << 22;

/// What to call a model that could not be loaded: its file's name without the ending.
pub(crate) fn name(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Says that the file promises what is not so, if that was found out.
pub(crate) fn warn_of_broken_promise(session: &Session) {
    if let Some(variable) = session.broken_promise() {
        let name = &session.model().variable(variable).name;
        complain(format_args!(
            "warning: the file promises that its units are safe, but `{name}` can have more than one token"
        ));
    }
}
