//! What a manager may use, what it used, and why it gave up.

use std::fmt;

use thiserror::Error;

/// Why an operation gave up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Error)]
pub enum Stop {
    /// The tables would have grown beyond the bytes granted.
    #[error("memory")]
    Memory,
    /// The interrupt said so.
    #[error("interrupted")]
    Interrupted,
    /// The steps granted by [`Manager::refuel`](crate::Manager::refuel) were used up.
    #[error("fuel")]
    Fuel,
}

/// What a manager may use.
#[derive(Default)]
pub struct Limits {
    /// The most bytes that the tables may take; no limit if absent.
    pub bytes: Option<u64>,
    /// Asked every few thousand steps of an operation, with the number of nodes; `true` ends it with
    /// [`Stop::Interrupted`].
    pub interrupt: Option<Box<dyn Fn(usize) -> bool + Send>>,
}

impl fmt::Debug for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits")
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

/// What a manager did so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Nodes now.
    pub nodes: usize,
    /// The most nodes at a time.
    pub peak_nodes: usize,
    /// Look-ups in the operation cache.
    pub lookups: u64,
    /// How many of them found a result.
    pub hits: u64,
    /// Collections.
    pub collections: u64,
    /// Bytes of the tables now.
    pub bytes: u64,
    /// The most bytes of the tables at a time.
    pub peak_bytes: u64,
}
