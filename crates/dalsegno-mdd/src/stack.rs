//! Room for recursion: diagrams are as deep as a model has variables.

use thiserror::Error;

/// There is no stack for diagrams of so many levels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("there is no stack for decision diagrams of {0} levels")]
pub struct NoRoom(pub u32);

/// The most levels for which a module of WebAssembly has room. Its host keeps the frames of functions on a stack of its own,
/// which a module cannot ask about: in workers of Chromium 156, walks through 800 levels have passed and others through 1000 have
/// not; in Node 20 it was 1500 and 2000.
const MOST_IN_WASM: u32 = 400;

/// Whether there may be a stack for diagrams of so many levels: whoever makes one asks before, as a module of WebAssembly
/// that runs out of stack ends at once.
#[must_use]
pub fn has_room(levels: u32) -> bool {
    !cfg!(target_family = "wasm") || levels <= MOST_IN_WASM
}

/// Runs `work` on a thread whose stack is deep enough for diagrams of so many levels.
///
/// The operations of a [`Manager`](crate::Manager) recurse once or twice per level; with more than a few
/// thousand levels they belong in here. The system gives the pages of the stack as they are used. A module of
/// WebAssembly has no threads: there it runs where it is, see [`has_room`].
///
/// # Errors
/// [`NoRoom`] if the system has no such stack to give.
///
/// # Panics
/// If `work` panics.
pub fn with_stack<T: Send>(levels: u32, work: impl FnOnce() -> T + Send) -> Result<T, NoRoom> {
    room::with_stack(levels, work)
}

#[cfg(not(target_family = "wasm"))]
mod room {
    use std::thread;

    use super::NoRoom;

    /// What one level of the deepest walk takes, generously.
    const BYTES_PER_LEVEL: usize = 2 << 10;

    /// What everything else takes.
    const BYTES_BESIDES: usize = 8 << 20;

    pub(super) fn with_stack<T: Send>(
        levels: u32,
        work: impl FnOnce() -> T + Send,
    ) -> Result<T, NoRoom> {
        let bytes = (levels as usize)
            .checked_mul(BYTES_PER_LEVEL)
            .and_then(|bytes| bytes.checked_add(BYTES_BESIDES));
        let bytes = bytes.ok_or(NoRoom(levels))?;
        thread::scope(|scope| {
            let builder = thread::Builder::new().name("diagrams".to_owned());
            let handle = builder.stack_size(bytes).spawn_scoped(scope, work);
            match handle.map_err(|_| NoRoom(levels))?.join() {
                Ok(result) => Ok(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }
}

#[cfg(target_family = "wasm")]
mod room {
    use super::NoRoom;

    pub(super) fn with_stack<T>(_: u32, work: impl FnOnce() -> T) -> Result<T, NoRoom> {
        Ok(work())
    }
}
