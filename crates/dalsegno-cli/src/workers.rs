//! Who does the work: threads of this process, and processes on other hosts.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use dalsegno::{Emptiness, Engine, Hosts};

use crate::quantity::duration;

const HEADING: &str = "Threads and hosts";

/// Options of commands that share their work.
#[derive(Args)]
pub(crate) struct Workers {
    /// How many threads work at the same time [default: one per core]
    #[arg(long, help_heading = HEADING, value_name = "COUNT")]
    threads: Option<NonZeroUsize>,

    /// A file with the `host:port` of each process that takes part, one per line. The same command runs on each host, with
    /// the same file, model, property and options but `--process`
    #[arg(long, help_heading = HEADING, value_name = "FILE", requires = "process")]
    pub(crate) hosts: Option<PathBuf>,

    /// Which line of the file of hosts is this process, from 0
    #[arg(long, help_heading = HEADING, value_name = "NUMBER", requires = "hosts")]
    process: Option<usize>,

    /// How long to wait for a host that does not come, or that says nothing
    #[arg(long, help_heading = HEADING, value_name = "TIME", value_parser = duration, default_value = "30s", requires = "hosts")]
    wait: Duration,
}

impl Workers {
    /// The number of threads.
    pub(crate) fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().ok();
        self.threads.or_else(cores).map_or(1, NonZeroUsize::get)
    }

    /// The processes that take part, if there are others.
    pub(crate) fn hosts(
        &self,
        engine: Engine,
        emptiness: Option<Emptiness>,
    ) -> Result<Option<Hosts>> {
        let (Some(path), Some(process)) = (&self.hosts, self.process) else {
            return Ok(None);
        };
        if engine == Engine::Symbolic {
            bail!("--hosts is for the explicit engine: diagrams stay on one host");
        }
        if emptiness == Some(Emptiness::Couvreur) {
            bail!("--hosts cannot search depth first: leave --emptiness out");
        }
        let name = path.display();
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
        let lines = text.lines().map(str::trim);
        let addresses: Vec<String> = lines
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(str::to_owned)
            .collect();
        if let Some(bad) = addresses.iter().find(|line| !is_address(line)) {
            bail!("{name}: `{bad}` is no host:port");
        }
        if process >= addresses.len() {
            let count = addresses.len();
            bail!("--process {process}: {name} has {count} hosts, numbered from 0");
        }
        Ok(Some(Hosts {
            addresses,
            process,
            wait: self.wait,
        }))
    }
}

fn is_address(text: &str) -> bool {
    let parts = text.rsplit_once(':');
    parts.is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
}
