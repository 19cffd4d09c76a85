//! Limits that hold whatever the program is doing: a thread that watches the clock, the memory and the signals.
//!
//! Everything long asks a [`Budget`] and ends by itself when a limit is hit, with what it knows. This thread is for
//! the rest: a read from a pipe that nobody writes to, an allocation between two questions, a loop that was
//! forgotten. A little after the limit it says what is known so far and ends the process.
//!
//! The memory is the resident set of the process, read from the operating system some hundred times a second:
//! beyond the limit the budget is told so, well beyond it the process ends. Where the system does not tell, only the
//! tables are counted.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use dalsegno::kripke::clock::Instant;
use dalsegno::kripke::{Budget, Stop};

use crate::memory::{self, Resident};
use crate::status::{Status, complain};

/// How often the thread looks.
const PAUSE: Duration = Duration::from_millis(4);

/// How long the program has to end by itself after a signal.
const AFTER_SIGNAL: Duration = Duration::from_millis(350);

/// How long it has after the end of the time: this, and a part of the time in percent.
const AFTER_TIME: Duration = Duration::from_millis(250);
const AFTER_TIME_PERCENT: u32 = 2;

/// How much more memory than granted ends the process: a part in percent, and this many bytes.
const MORE_MEMORY_PERCENT: u64 = 5;
const MORE_MEMORY: u64 = 20_000_000;

/// How long an answer that is being written may take when the process has to end.
const WRITING: Duration = Duration::from_millis(100);

/// What is said when the process has to end: how the run ended.
type LastWords = Box<dyn FnOnce(Stop, &mut Vec<u8>) -> Status + Send>;

/// The thread's view of the program.
#[derive(Clone)]
pub(crate) struct Watch(Arc<Shared>);

struct Shared {
    cancel: Arc<AtomicBool>,
    full: Arc<AtomicBool>,
    /// The bytes granted.
    memory: AtomicU64,
    limits: Mutex<Limits>,
    /// Held while something is written to standard output, and for ever when the process ends.
    output: Mutex<Option<LastWords>>,
}

#[derive(Default)]
struct Limits {
    /// When the time is over, and how long the program has to end after that.
    deadline: Option<(Instant, Duration)>,
    signalled: Option<Instant>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch {
    /// Starts to watch: signals, and the memory that there is; other limits when they are set.
    ///
    /// # Errors
    /// If signals cannot be handled.
    pub(crate) fn start() -> Result<Self> {
        let watch = Watch(Arc::new(Shared {
            cancel: Arc::default(),
            full: Arc::default(),
            memory: AtomicU64::new(memory::default_limit()),
            limits: Mutex::default(),
            output: Mutex::default(),
        }));
        let signalled = watch.clone();
        ctrlc::set_handler(move || {
            // Asked twice: the user does not want to wait for what is known.
            if signalled.0.cancel.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            locked(&signalled.0.limits).signalled = Some(Instant::now());
        })?;
        let watching = watch.clone();
        thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || watching.run())?;
        Ok(watch)
    }

    /// A budget that ends when the user interrupts the program, and when its memory is used up.
    pub(crate) fn budget(&self, time: Option<Duration>, bytes: u64) -> Budget {
        self.0.memory.store(bytes, Ordering::Relaxed);
        if let Some(time) = time {
            let after = AFTER_TIME + time * AFTER_TIME_PERCENT / 100;
            let end = Instant::now().checked_add(time);
            locked(&self.0.limits).deadline = end.map(|end| (end, after));
        }
        let mut budget = Budget::unlimited()
            .with_cancel_flag(Arc::clone(&self.0.cancel))
            .with_memory_flag(Arc::clone(&self.0.full))
            .with_bytes(bytes);
        if let Some(time) = time {
            budget = budget.with_time(time);
        }
        budget
    }

    /// Lets the time begin anew, for the next of several tasks that have the same time each.
    pub(crate) fn renew(&self, time: Option<Duration>) {
        locked(&self.0.limits).deadline = time.and_then(|time| {
            let after = AFTER_TIME + time * AFTER_TIME_PERCENT / 100;
            Some((Instant::now().checked_add(time)?, after))
        });
    }

    /// The flag that a signal sets.
    pub(crate) fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.cancel)
    }

    /// What is to be said if the process has to end before the command has come to its end.
    pub(crate) fn last_words(
        &self,
        words: impl FnOnce(Stop, &mut Vec<u8>) -> Status + Send + 'static,
    ) {
        *locked(&self.0.output) = Some(Box::new(words));
    }

    /// A writer to standard output: what is written appears when it is flushed, whole.
    pub(crate) fn output(&self) -> Output {
        Output {
            watch: self.clone(),
            buffer: Vec::new(),
        }
    }

    /// Ends the process with an exit code, at once: large tables take long to be given back one by one.
    pub(crate) fn end(&self, code: i32) -> ! {
        // Held until the process is gone: nobody else has a last word.
        std::mem::forget(locked(&self.0.output));
        std::process::exit(code);
    }

    /// Writes what is left and ends the process as a command ended.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub(crate) fn finish(&self, out: &mut Output, status: Status) -> Result<Status> {
        out.flush()?;
        self.end(status.code())
    }

    fn run(&self) {
        let mut resident = Resident::open();
        loop {
            thread::sleep(PAUSE);
            let granted = self.0.memory.load(Ordering::Relaxed);
            let held = resident.as_mut().and_then(Resident::read).unwrap_or(0);
            memory::note_held(held);
            self.0.full.store(held > granted, Ordering::Relaxed);
            if let Some(stop) = self.due(held, granted) {
                self.stop(stop);
            }
        }
    }

    /// Why the process has to end now, if it has.
    fn due(&self, held: u64, granted: u64) -> Option<Stop> {
        let more = granted / 100 * MORE_MEMORY_PERCENT + MORE_MEMORY;
        if held > granted.saturating_add(more) {
            return Some(Stop::Memory);
        }
        let limits = locked(&self.0.limits);
        if limits
            .signalled
            .is_some_and(|at| at.elapsed() > AFTER_SIGNAL)
        {
            return Some(Stop::Cancelled);
        }
        let late = |&(end, after): &(Instant, Duration)| {
            Instant::now().saturating_duration_since(end) > after
        };
        limits.deadline.as_ref().filter(|d| late(d))?;
        Some(Stop::Time)
    }

    /// Says what is known and ends the process.
    fn stop(&self, stop: Stop) {
        let started = Instant::now();
        let words = loop {
            match self.0.output.try_lock() {
                Ok(mut words) => {
                    let taken = words.take();
                    std::mem::forget(words);
                    break taken;
                }
                Err(TryLockError::Poisoned(_)) => break None,
                Err(TryLockError::WouldBlock) if started.elapsed() > WRITING => break None,
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            }
        };
        let mut said = Vec::new();
        let status = if let Some(words) = words {
            words(stop, &mut said)
        } else {
            complain(format_args!("unknown: {stop}"));
            Status::Unknown
        };
        let mut out = io::stdout().lock();
        let _ = out.write_all(&said).and_then(|()| out.flush());
        std::process::exit(status.code());
    }
}

/// Standard output, in pieces that are not torn apart.
pub(crate) struct Output {
    watch: Watch,
    buffer: Vec<u8>,
}

/// More than this is written although it is not flushed.
const LARGE: usize = 1 << 20;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() > LARGE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let _whole = locked(&self.watch.0.output);
        let mut out = io::stdout().lock();
        let written = out.write_all(&self.buffer).and_then(|()| out.flush());
        self.buffer.clear();
        written
    }
}
