//! Models from files.

use std::path::Path;

use anyhow::{Context, Result};
use dalsegno::Session;

/// Reads a Petri net in PNML.
pub(crate) fn model(path: &Path) -> Result<Session> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Session::from_pnml(&bytes).with_context(|| path.display().to_string())
}
