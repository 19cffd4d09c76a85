//! Models from files.

use std::path::Path;

use anyhow::{Context, Result};
use dalsegno::Session;

/// Reads a model; the ending of its name or its contents tell the format.
pub(crate) fn model(path: &Path) -> Result<Session> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Session::load(&bytes, &name).with_context(|| path.display().to_string())
}
