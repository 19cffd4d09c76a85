//! Limits that the user sets, the interrupt key, and the live line on a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use clap::Args;
use dalsegno::kripke::Budget;
use dalsegno::{Event, Tool};

use crate::memory;
use crate::quantity::{duration, size};
use crate::status::{complain, is_quiet};
use crate::watch::Watch;

/// How much a command may use.
#[derive(Args)]
pub(crate) struct Limits {
    /// Give up after this time, in seconds or such as 250ms, 5s, 2m or 1h30m; the answer is then unknown
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,

    /// Give up when the process needs more memory, such as 500MB, 4G or 4GiB [default: three quarters of the
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

/// A line on standard error that is written over and over; nothing if that is not a terminal.
pub(crate) struct Progress {
    shown: bool,
    last: Instant,
    start: Instant,
    /// Who works on what.
    work: String,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        Progress {
            shown: io::stderr().is_terminal() && !is_quiet(),
            last: now,
            start: now,
            work: String::new(),
        }
    }

    /// Takes note of who works on what: a method, and the first of the open properties.
    pub(crate) fn begin(&mut self, tool: Tool, open: usize, first: &str) {
        let others = match open {
            0 | 1 => String::new(),
            more => format!(" and {} more", more - 1),
        };
        let first = shorten(first);
        let on = if first.is_empty() { "" } else { " on " };
        self.work = format!("{tool}{on}{first}{others}: ");
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
        let work = &self.work;
        let megabytes = memory::held() / 1_000_000;
        let _ = write!(
            io::stderr().lock(),
            "\r{work}{states} states, {transitions} transitions, {seconds} s, {rate} thousand/s, {megabytes} MB\x1b[K"
        );
    }
}

/// The most characters of a property in the line.
const SHOWN: usize = 30;

fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
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
                let open = open.len();
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
