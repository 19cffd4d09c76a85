//! Limits that the user sets, the interrupt key, and the live line on a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use dalsegno::Event;
use dalsegno::kripke::Budget;

use crate::memory;
use crate::status::complain;
use crate::watch::Watch;

/// How much a command may use.
#[derive(Args)]
pub(crate) struct Limits {
    /// Give up after this time; the answer is then unknown
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,

    /// Give up when the process needs more memory, such as 500M or 4G [default: three quarters of the
    /// memory that the machine, the control group and the address space leave]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<u64>,

    /// Give up after this many states
    #[arg(long, value_name = "COUNT")]
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

/// A number of seconds, such as 10 or 0.5.
pub(crate) fn seconds(text: &str) -> Result<Duration> {
    let seconds: f64 = text.parse()?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) => Ok(time),
        Err(_) => bail!("not a time"),
    }
}

/// A number of bytes with an optional K, M, G or T.
pub(crate) fn size(text: &str) -> Result<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..].to_ascii_uppercase()[..] {
        "" | "B" => 1,
        "K" | "KB" => 1_000,
        "M" | "MB" => 1_000_000,
        "G" | "GB" => 1_000_000_000,
        "T" | "TB" => 1_000_000_000_000,
        other => bail!("unknown unit {other:?}: use K, M, G or T"),
    };
    let number: u64 = digits.parse()?;
    match number.checked_mul(unit) {
        Some(bytes) => Ok(bytes),
        None => bail!("too large"),
    }
}

/// A line on standard error that is written over and over; nothing if that is not a terminal.
pub(crate) struct Progress {
    shown: bool,
    last: Instant,
    start: Instant,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        Progress {
            shown: io::stderr().is_terminal(),
            last: now,
            start: now,
        }
    }

    /// Whether it is time to write the line again.
    fn due(&mut self) -> bool {
        if !self.shown || self.last.elapsed() < Duration::from_millis(200) {
            return false;
        }
        self.last = Instant::now();
        true
    }

    pub(crate) fn unfolding(&mut self, places: u64, transitions: u64) {
        if self.due() {
            let _ = write!(
                io::stderr().lock(),
                "\runfolding: {places} places, {transitions} transitions\x1b[K"
            );
        }
    }

    pub(crate) fn tell(&mut self, states: u64, transitions: u64) {
        if !self.due() {
            return;
        }
        let elapsed = self.start.elapsed();
        let rate = transitions / (elapsed.as_millis() as u64).max(1);
        let seconds = elapsed.as_secs();
        let _ = write!(
            io::stderr().lock(),
            "\r{states} states, {transitions} transitions, {seconds} s, {rate} thousand transitions/s\x1b[K"
        );
    }
}

impl Progress {
    /// Takes the line away, before something else is written.
    pub(crate) fn clear(&mut self) {
        if self.shown {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Lines on standard error that tell which method works.
pub(crate) struct Trace(Instant);

impl Trace {
    pub(crate) fn new() -> Self {
        Trace(Instant::now())
    }

    pub(crate) fn tell(&self, event: &Event<'_>) {
        let seconds = self.0.elapsed().as_secs_f64();
        match event {
            Event::Begins(tool, open) => {
                complain(format_args!("{seconds:8.3} s  {tool} begins, {open} open"));
            }
            Event::Ends(tool, open, None) => {
                complain(format_args!("{seconds:8.3} s  {tool} ends, {open} open"));
            }
            Event::Ends(tool, open, Some(stop)) => {
                complain(format_args!(
                    "{seconds:8.3} s  {tool} ends ({stop}), {open} open"
                ));
            }
            _ => {}
        }
    }
}
