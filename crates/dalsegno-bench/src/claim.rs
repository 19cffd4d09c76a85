//! The folder of an experiment belongs to one run at a time.
//!
//! Two runs in one folder would do the same work twice and mix their rows. The claim is an advisory lock of the operating
//! system on a file in the folder: it ends with the process, however that ends, so no run has to clean up after another. Who
//! only reads the rows needs no claim.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::Path;

use crate::error::Error;

/// The file that is locked. It stays when the run has ended and means nothing then.
const FILE: &str = "running.lock";

/// Keeps other runs out of a folder while it lives.
#[derive(Debug)]
pub struct Claim {
    _locked: File,
}

impl Claim {
    /// Claims a folder.
    ///
    /// # Errors
    /// [`Error::InUse`] if another run has it, or if the file cannot be made.
    pub fn of(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(FILE);
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(Error::file(&path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::InUse(folder.to_owned())),
            // Some file systems have no locks; there the user has to take care.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(Error::file(&path)(error)),
        }
        Ok(Claim { _locked: file })
    }
}
