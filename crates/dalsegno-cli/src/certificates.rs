//! Files of proofs that `dalsegno check --certificate` writes.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use dalsegno::Answered;

use crate::status::complain;

/// Where proofs are written, and what went wrong.
pub(crate) struct Certificates {
    path: PathBuf,
    /// Whether there is one property: the path is then that of its file.
    single: bool,
    written: usize,
    failed: Option<anyhow::Error>,
}

impl Certificates {
    pub(crate) fn new(path: &Path, single: bool) -> Self {
        Certificates {
            path: path.to_owned(),
            single,
            written: 0,
            failed: None,
        }
    }

    /// Writes the proof of an answer, if there is one.
    pub(crate) fn take(&mut self, answered: &Answered<'_>) {
        if let (Some(Ok(proof)), None) = (answered.answer.proof.as_deref(), &self.failed) {
            let written = self.write(answered, &proof.bytes);
            self.failed = written.err();
            self.written += 1;
        }
    }

    fn write(&self, answered: &Answered<'_>, bytes: &[u8]) -> Result<()> {
        let mut path = self.path.clone();
        if !self.single {
            std::fs::create_dir_all(&path)
                .with_context(|| format!("cannot make the folder {}", path.display()))?;
            let word = |c: char| {
                if c.is_alphanumeric() || c == '-' {
                    c
                } else {
                    '_'
                }
            };
            let name: String = answered.name.chars().map(word).collect();
            let dash = if name.is_empty() { "" } else { "-" };
            path.push(format!("{}{dash}{name}.dscert", answered.number + 1));
        }
        std::fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
    }

    /// What went wrong, if something did.
    pub(crate) fn end(self) -> Result<()> {
        if self.written == 0 {
            complain("no answer has a proof to save");
        }
        self.failed.map_or(Ok(()), Err)
    }
}
