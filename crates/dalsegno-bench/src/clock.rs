//! The time of a run: what it used, and the limit.
//!
//! Time is processor time where the system tells it: on a busy machine a second of the clock may be a tenth
//! of one of the processor, and neither tables nor limits should depend on that.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use dalsegno::kripke::clock::Instant;
use dalsegno::kripke::{Budget, Stop};

use crate::machine;
use crate::task::{Measurement, Task};

/// A moment to measure from.
pub(crate) struct Clock {
    wall: Instant,
    processor: Option<Duration>,
}

impl Clock {
    /// Measures from now on.
    pub(crate) fn start() -> Self {
        Clock {
            wall: Instant::now(),
            processor: machine::usage().map(|usage| usage.processor),
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        match (self.processor, machine::usage()) {
            (Some(before), Some(now)) => now.processor.saturating_sub(before),
            _ => self.wall.elapsed(),
        }
    }

    /// Writes down what was used since the start.
    pub(crate) fn stop(&self, measurement: &mut Measurement) {
        measurement.seconds = self.elapsed().as_secs_f64();
        measurement.peak_bytes = machine::usage().map_or(0, |usage| usage.peak_bytes);
    }
}

/// How often the limit is looked at.
const INTERVAL: Duration = Duration::from_millis(10);

/// A budget of the memory and the time of the task, from now on; a thread ends it.
pub(crate) fn budget(task: &Task) -> Budget {
    let time = Duration::try_from_secs_f64(task.timeout).unwrap_or(Duration::MAX);
    let budget = Budget::unlimited().with_bytes(task.memory);
    let flag = budget.cancel_flag();
    flag.store(time.is_zero(), Ordering::Relaxed);
    // Where the budget is gone, nobody is left to tell.
    let watched = Arc::downgrade(&flag);
    let clock = Clock::start();
    thread::spawn(move || {
        while let Some(flag) = watched.upgrade() {
            if clock.elapsed() > time {
                flag.store(true, Ordering::Relaxed);
                break;
            }
            drop(flag);
            thread::sleep(INTERVAL);
        }
    });
    budget
}

/// Why a search stopped: who cancels such a budget is the watch over its time.
pub(crate) fn reason(stop: Stop) -> String {
    match stop {
        Stop::Cancelled => Stop::Time.to_string(),
        stop => stop.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_runs_out() {
        let task = Task {
            model: String::new(),
            formula: String::new(),
            approach: String::new(),
            product: false,
            timeout: 0.05,
            memory: 1_000,
        };
        let budget = budget(&task);
        assert!(budget.check().is_ok());
        let clock = Clock::start();
        let mut steps = 0_u64;
        let stopped = loop {
            steps = std::hint::black_box(steps + 1);
            if let Err(stop) = budget.check() {
                break stop;
            }
        };
        assert_eq!(reason(stopped), "time");
        assert!(clock.elapsed() >= Duration::from_millis(40));
    }
}
