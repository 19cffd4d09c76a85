//! Limits that the user sets.

use std::time::Duration;

use clap::Args;
use dalsegno::kripke::Budget;

use crate::memory;
use crate::quantity::{duration, size};
use crate::watch::Watch;

/// How much a command may use.
#[derive(Args)]
pub(crate) struct Limits {
    /// Give up after this time, in seconds or such as 250ms, 5s, 2m or 1h30m; the answer is then unknown
    #[arg(long, help_heading = "Limits", value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,

    /// Give up when the process needs more memory, such as 500MB, 4G or 4GiB [default: three quarters of the
    /// memory that the machine, the control group and the address space leave]
    #[arg(long, help_heading = "Limits", value_name = "SIZE", value_parser = size)]
    memory: Option<u64>,

    /// Give up after this many states
    #[arg(long, help_heading = "Limits", value_name = "COUNT")]
    max_states: Option<u64>,
}

impl Limits {
    /// The budget of a command; the limits hold for the whole process.
    pub(crate) fn budget(&self, watch: &Watch) -> Budget {
        let bytes = self.memory.unwrap_or_else(memory::default_limit);
        let budget = watch.budget(self.timeout, bytes);
        match self.max_states {
            Some(states) => budget.with_states(states),
            None => budget,
        }
    }
}
