//! Calls: the work of a request on a thread of its own, while this one writes lines and looks whether anybody still reads.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use dalsegno::kripke::Budget;
use dalsegno::kripke::clock::Instant;
use dalsegno::service;

use super::http::Connection;

/// How often a connection is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// How long a call may say nothing before a sign of life is written for it.
const SILENCE: Duration = Duration::from_millis(500);

/// Lines that may wait to be written.
const WAITING: usize = 64;

/// The stack of the thread that works: readers and reports recurse a little.
const STACK: usize = 16 << 20;

/// How many calls work at the same time, and how much they may be given to read.
pub(super) struct Slots {
    free: Mutex<usize>,
    freed: Condvar,
    /// Bytes of bodies that may still be taken.
    room: Mutex<u64>,
}

impl Slots {
    pub(super) fn new(calls: usize, room: u64) -> Self {
        Slots {
            free: Mutex::new(calls),
            freed: Condvar::new(),
            room: Mutex::new(room),
        }
    }

    /// Waits for a slot until `LOOK` has passed; whether there is one.
    fn try_take(&self) -> bool {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.freed.wait_timeout_while(free, LOOK, |free| *free == 0);
        let (mut free, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *free == 0 {
            return false;
        }
        *free -= 1;
        true
    }

    fn give_back(&self) {
        *self.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.freed.notify_one();
    }

    /// Room for so many bytes of a body, if there is any; it goes back when the room is dropped.
    pub(super) fn room(&self, bytes: u64) -> Option<Room<'_>> {
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        *room = room.checked_sub(bytes)?;
        Some(Room { slots: self, bytes })
    }
}

/// Room for a body.
pub(super) struct Room<'s> {
    slots: &'s Slots,
    bytes: u64,
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        let room = self.slots.room.lock();
        *room.unwrap_or_else(PoisonError::into_inner) += self.bytes;
    }
}

/// A slot, given back when it is dropped.
struct Slot<'s>(&'s Slots);

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.0.give_back();
    }
}

/// Answers a request with lines; whoever hangs up cancels it.
///
/// # Errors
/// If the other side is gone.
pub(super) fn answer(
    connection: &mut Connection,
    request: &str,
    budget: &Budget,
    slots: &Slots,
) -> io::Result<()> {
    connection.begin_lines()?;
    let started = Instant::now();
    let mut told = started;
    let slot = loop {
        if slots.try_take() {
            break Slot(slots);
        }
        sign(connection, budget, started, &mut told)?;
    };
    let (sender, lines) = sync_channel::<String>(WAITING);
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("call".to_owned());
        let work = builder.stack_size(STACK).spawn_scoped(scope, move || {
            service::call(request, budget, &mut |line| {
                // Nobody hears it: the call is cancelled by then.
                let _ = sender.send(line.to_owned());
            });
        })?;
        let written = loop {
            let written = match lines.recv_timeout(LOOK) {
                Ok(line) => {
                    told = Instant::now();
                    connection.line(&line)
                }
                Err(RecvTimeoutError::Timeout) => sign(connection, budget, started, &mut told),
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
            };
            if written.is_err() {
                budget.cancel_flag().store(true, Ordering::Relaxed);
                break written;
            }
        };
        drop(lines);
        if work.join().is_err() && written.is_ok() {
            let message =
                "internal error: the call has ended early; the server's terminal says why";
            connection.line(&service::error_line(message))?;
        }
        drop(slot);
        written
    })
}

/// Looks whether the other side is there, and gives a sign of life if nothing was said for a while.
fn sign(
    connection: &mut Connection,
    budget: &Budget,
    started: Instant,
    told: &mut Instant,
) -> io::Result<()> {
    if connection.has_hung_up() {
        return Err(io::ErrorKind::ConnectionAborted.into());
    }
    if told.elapsed() >= SILENCE {
        *told = Instant::now();
        let seconds = started.elapsed().as_secs_f64();
        connection.line(&service::sign_of_life(budget, seconds))?;
    }
    Ok(())
}
