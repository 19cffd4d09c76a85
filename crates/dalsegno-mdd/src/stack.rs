//! Room for recursion: diagrams are as deep as a model has variables.

use std::thread;

/// What one level of the deepest walk takes, generously.
const BYTES_PER_LEVEL: usize = 2 << 10;

/// What everything else takes.
const BYTES_BESIDES: usize = 8 << 20;

/// Runs `work` on a thread whose stack is deep enough for diagrams of so many levels.
///
/// The operations of a [`Manager`](crate::Manager) recurse once or twice per level; with more than a few
/// thousand levels they belong in here. The system gives the pages of the stack as they are used.
///
/// # Panics
/// If `work` panics, or the system has no thread to give.
pub fn with_stack<T: Send>(levels: u32, work: impl FnOnce() -> T + Send) -> T {
    let bytes = BYTES_BESIDES + levels as usize * BYTES_PER_LEVEL;
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("diagrams".to_owned());
        let handle = builder.stack_size(bytes).spawn_scoped(scope, work);
        match handle.expect("the system has a thread to give").join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
