//! Who does the work: threads of this process.

use std::num::NonZeroUsize;

use clap::Args;

/// Options of commands that share their work.
#[derive(Args)]
pub(crate) struct Workers {
    /// How many threads work at the same time [default: one per core]
    #[arg(long, value_name = "COUNT")]
    threads: Option<NonZeroUsize>,
}

impl Workers {
    /// The number of threads.
    pub(crate) fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().ok();
        self.threads.or_else(cores).map_or(1, NonZeroUsize::get)
    }
}
