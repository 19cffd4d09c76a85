//! Progress of a call: what a run tells, as lines that do not come too often.

use std::time::Duration;

use dalsegno_kripke::Budget;
use dalsegno_kripke::clock::Instant;
use serde::Serialize;
use serde_json::{Value, json};

use super::Emit;
use crate::event::Event;

/// The least time between two lines.
const PAUSE: Duration = Duration::from_millis(100);

/// What has been seen of a call.
#[derive(Serialize, Default, Clone)]
pub(super) struct Seen {
    /// The method that works.
    pub(super) method: Option<&'static str>,
    /// The first of the properties that it works on, from 0.
    pub(super) property: Option<usize>,
    pub(super) states: u64,
    pub(super) transitions: u64,
    /// Nodes of decision diagrams.
    pub(super) nodes: u64,
    /// Places of a coloured net that is being unfolded.
    pub(super) unfolded: u64,
    /// Since the call began.
    pub(super) seconds: f64,
}

/// What has been seen, as a line.
pub(super) fn line(seen: &Seen) -> String {
    let mut line = json!(seen);
    line["event"] = "progress".into();
    line.to_string()
}

/// Tells progress to whoever hears the lines of a call.
pub(super) struct Progress<'p> {
    pub(super) budget: Budget,
    emit: Emit<'p>,
    seen: Seen,
    started: Instant,
    told: Instant,
}

impl<'p> Progress<'p> {
    pub(super) fn new(budget: &Budget, emit: Emit<'p>) -> Self {
        let now = Instant::now();
        Progress {
            budget: budget.clone(),
            emit,
            seen: Seen::default(),
            started: now,
            told: now,
        }
    }

    /// Hears an event, and tells of it if that was not just done.
    pub(super) fn hear(&mut self, event: &Event<'_>) {
        match event {
            Event::Unfolding { places, .. } => self.seen.unfolded = *places,
            Event::Begins(tool, open) => {
                self.seen.method = Some(tool.name());
                self.seen.property = open.first().copied();
                (self.seen.states, self.seen.transitions) = (0, 0);
            }
            Event::Progress {
                states,
                transitions,
            } => {
                self.seen.states = *states;
                self.seen.transitions = *transitions;
            }
            _ => return,
        }
        if self.told.elapsed() >= PAUSE {
            self.told = Instant::now();
            self.seen.nodes = self.budget.nodes();
            self.seen.seconds = self.started.elapsed().as_secs_f64();
            (self.emit)(&line(&self.seen));
        }
    }

    /// Tells something else.
    pub(super) fn tell(&mut self, event: &Value) {
        (self.emit)(&event.to_string());
    }

    /// What was seen last.
    pub(super) fn seen(&self) -> &Seen {
        &self.seen
    }
}
