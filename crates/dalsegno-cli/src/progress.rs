//! The live line on a terminal, and the lines that tell which method works.

use std::io::{self, IsTerminal};
use std::time::Duration;

use dalsegno::kripke::Budget;
use dalsegno::kripke::clock::Instant;
use dalsegno::{Event, Tool};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::memory;
use crate::status::{complain, is_quiet};

/// Nothing is shown of work that ends sooner.
const PATIENCE: Duration = Duration::from_millis(300);

/// How often the line is written anew.
const TICK: Duration = Duration::from_millis(200);

/// The most characters of a property in the line.
const SHOWN: usize = 30;

/// A line on standard error: who works on what, how far it is, the nodes of diagrams, the time and the memory. Nothing if that
/// is not a terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    start: Instant,
    /// When numbers were told last, if they are shown at all.
    last: Option<Instant>,
}

impl Progress {
    /// The line of work with a budget, whose diagrams tell it their nodes.
    pub(crate) fn new(budget: &Budget) -> Self {
        let budget = budget.clone();
        let nodes = move |_: &ProgressState, line: &mut dyn std::fmt::Write| {
            let nodes = budget.nodes();
            if nodes > 0 {
                let _ = write!(line, "{nodes} nodes, ");
            }
        };
        let memory = |_: &ProgressState, line: &mut dyn std::fmt::Write| {
            let _ = write!(line, "{} MB", memory::held() / 1_000_000);
        };
        let style = ProgressStyle::with_template("{prefix}{msg}{nodes}{elapsed}, {memory}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_style(style.with_key("nodes", nodes).with_key("memory", memory));
        let terminal = io::stderr().is_terminal() && !is_quiet();
        if terminal {
            let shown = bar.clone();
            // Methods that tell nothing for long are shown as well.
            std::thread::spawn(move || {
                std::thread::sleep(PATIENCE);
                if !shown.is_finished() {
                    shown.set_draw_target(ProgressDrawTarget::stderr());
                    shown.enable_steady_tick(TICK);
                }
            });
        }
        Progress {
            bar,
            start: Instant::now(),
            last: terminal.then(Instant::now),
        }
    }

    /// Whether numbers are worth telling again.
    fn due(&mut self) -> bool {
        match &mut self.last {
            Some(last) if last.elapsed() >= TICK => {
                *last = Instant::now();
                true
            }
            _ => false,
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
        self.bar.set_prefix(format!("{tool}{on}{first}{others}: "));
        self.bar.set_message("");
    }

    pub(crate) fn unfolding(&mut self, places: u64, transitions: u64) {
        if self.due() {
            let line = format!("unfolding: {places} places, {transitions} transitions, ");
            self.bar.set_message(line);
        }
    }

    pub(crate) fn tell(&mut self, states: u64, transitions: u64) {
        if !self.due() {
            return;
        }
        let milliseconds = self.start.elapsed().as_millis() as u64;
        let rate = transitions / milliseconds.max(1);
        self.bar.set_message(format!(
            "{states} states, {transitions} transitions, {rate} thousand/s, "
        ));
    }

    /// Writes something else; the line comes again after it.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
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
