//! Jobs: work that may take long, on a thread of its own, without the GIL.
//!
//! The thread that called waits and wakes up some times a second: then Python handles signals, and whoever wants to hear
//! of progress hears of it. What is raised there cancels the budget of the job. A job that does not look at its budget
//! for long is left alone: it ends by itself, holds nothing of Python, and its result is dropped.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use dalsegno::kripke::Budget;
use dalsegno::kripke::clock::Instant;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::errors;

/// How long the calling thread sleeps between two looks at signals.
const NAP: Duration = Duration::from_millis(40);

/// How long a job that was cancelled may take to notice.
const PATIENCE: Duration = Duration::from_millis(250);

/// How long a job may go on after its time is over, before its caller goes on without it.
const OVERTIME: Duration = Duration::from_secs(1);

/// Formulas nest as deep as somebody writes them, and dropping or printing some structures recurses.
const STACK_BYTES: usize = 16 << 20;

/// How a job ended.
pub(crate) enum Ended<T> {
    /// With its result.
    Done(T),
    /// Not within its time, though it was given some more.
    Late,
}

impl<T> Ended<T> {
    /// The result, or that the time is over.
    pub(crate) fn or_late(self, what: &str) -> PyResult<T> {
        match self {
            Ended::Done(result) => Ok(result),
            Ended::Late => Err(errors::limit(what, dalsegno::kripke::Stop::Time)),
        }
    }
}

/// Does some work within a budget, and calls `tick` while it goes on.
///
/// # Errors
/// What a signal or `tick` raised, or that the work panicked.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    budget: &Budget,
    mut tick: impl FnMut(Python<'_>) -> PyResult<()>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<Ended<T>> {
    // With the GIL, so that no fork can happen meanwhile.
    listen();
    let (sender, mut receiver) = mpsc::sync_channel(1);
    let work = move || {
        // Who went on without the result does not want it.
        let _ = sender.send(caught(work));
    };
    thread::Builder::new()
        .name("dalsegno".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(work)
        .map_err(|error| PyOSError::new_err(format!("no thread for the work: {error}")))?;
    let end = budget
        .time_left()
        .map(|left| Instant::now() + left + OVERTIME);
    loop {
        let waited = py.detach(move || {
            let waited = receiver.recv_timeout(NAP);
            (receiver, waited)
        });
        receiver = waited.0;
        match waited.1 {
            Ok(result) => {
                // A signal that came in the last moment is not lost.
                py.check_signals()?;
                return result
                    .map(Ended::Done)
                    .map_err(|said| errors::internal(&said));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(errors::internal("a thread ended without a result"));
            }
        }
        if let Err(raised) = py.check_signals().and_then(|()| tick(py)) {
            budget.cancel_flag().store(true, Ordering::Relaxed);
            py.detach(move || drop(receiver.recv_timeout(PATIENCE)));
            return Err(raised);
        }
        if end.is_some_and(|end| Instant::now() > end) {
            budget.cancel_flag().store(true, Ordering::Relaxed);
            return Ok(Ended::Late);
        }
    }
}

/// As [`run`], for work whose progress nobody hears of.
///
/// # Errors
/// As [`run`]; also if the time is over.
pub(crate) fn quiet<T: Send + 'static>(
    py: Python<'_>,
    what: &str,
    budget: &Budget,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    run(py, budget, |_| Ok(()), work)?.or_late(what)
}

/// Does some work on this thread; a panic is an exception.
///
/// # Errors
/// If it panicked.
pub(crate) fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    caught(work).unwrap_or_else(|said| Err(errors::internal(&said)))
}

/// What a panic of this thread said.
enum Said {
    /// Nobody here catches panics: others are told.
    Elsewhere,
    /// Nothing yet.
    Nothing,
    /// This.
    This(String),
}

thread_local! {
    static SAID: RefCell<Said> = const { RefCell::new(Said::Elsewhere) };
}

/// The result, or what the panic said and where.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    listen();
    let before = SAID.replace(Said::Nothing);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    let said = SAID.replace(before);
    result.map_err(|payload| match said {
        Said::This(text) => text,
        Said::Elsewhere | Said::Nothing => message(&*payload),
    })
}

/// Has panics that are caught here told to Python and not to the standard error as well; others are told as before.
fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let place = info
                .location()
                .map(|at| format!(" at {}:{}", at.file(), at.line()));
            let text = format!("{}{}", message(info.payload()), place.unwrap_or_default());
            let heard = SAID.try_with(|said| match said.try_borrow_mut() {
                Ok(mut said) if !matches!(*said, Said::Elsewhere) => {
                    *said = Said::This(text);
                    true
                }
                _ => false,
            });
            if !heard.unwrap_or(false) {
                before(info);
            }
        }));
    });
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a message".to_owned())
}
