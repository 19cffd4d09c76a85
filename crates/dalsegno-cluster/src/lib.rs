//! Floods over several hosts: processes with threads that work together as one crew.
//!
//! Each process runs the same program on the same model. They connect, compare what they are about to do, and then run
//! it as workers of one timely dataflow computation, which delivers parcels and knows when nothing is under way. Beside
//! the connections of timely there is one more between each two processes, over which they tell each other several times
//! a second that they are alive. When one of them is lost, falls silent or is interrupted, all others end: what a lost one
//! knew is known to nobody, so there is no recovery.
//!
//! Connections are neither encrypted nor authenticated: this is for networks that are trusted.

mod connect;
mod crew;
mod heart;
mod parcel;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Once};
use std::time::Duration;

use dalsegno_explicit::flood::Lost;
use dalsegno_kripke::{Budget, Stop};
use thiserror::Error;
use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};

pub use connect::Greeting;
pub use crew::Member;

use connect::Connections;
use heart::Heart;

/// The processes that work together, of which this is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hosts {
    /// Where each process listens, as `host:port`; the same list for all of them.
    pub addresses: Vec<String>,
    /// Which of them this one is, from 0.
    pub process: usize,
    /// How long to wait for a process that does not come, or that says nothing.
    pub wait: Duration,
}

/// Why there is no result.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Failure {
    /// A process was lost, or does something else.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// The budget ran out before all were there.
    #[error("gave up: {0}")]
    Stop(#[from] Stop),
}

/// How often the state of the others is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Runs a program on so many threads of each of the processes, all of which must do the same; what the threads of this
/// process return.
///
/// # Errors
/// If another process does not come, does something else, is lost or falls silent, and if the budget ends before all are
/// there. Threads that cannot be ended are left behind: the process should end.
pub fn run<R: Send + 'static>(
    hosts: &Hosts,
    threads: usize,
    greeting: &Greeting,
    budget: &Budget,
    program: impl Fn(&mut Member<'_>) -> R + Send + Sync + 'static,
) -> Result<Vec<R>, Failure> {
    let threads = threads.max(1);
    let Connections { data, control } = connect::connect(hosts, threads, greeting, budget)?;
    let broken = |error: std::io::Error| Lost(format!("cannot use a connection: {error}"));
    let mut kept = Vec::new();
    for socket in data.iter().flatten() {
        kept.push(socket.try_clone().map_err(broken)?);
    }
    silence_threads();
    let heart = Heart::start(hosts, control).map_err(broken)?;
    let fault = heart.fault();
    let (sender, receiver) = channel();
    let me = hosts.process;
    let work = move || {
        let hooks = Hooks::default();
        let process =
            ProcessBuilder::new_typed_vector(threads, hooks.refill.clone(), hooks.spill.clone());
        let (tcp, guard) = initialize_networking_from_sockets(process, data, me, threads, hooks)
            .map_err(|e| e.to_string())?;
        let builders = tcp.into_iter().map(AllocatorBuilder::Tcp).collect();
        let config = timely::WorkerConfig::default();
        let run = move |worker: &mut timely::worker::Worker| {
            program(&mut Member::new(worker, Arc::clone(&fault)))
        };
        let guards = timely::execute::execute_from(builders, Box::new(guard), config, run)?;
        guards
            .join()
            .into_iter()
            .collect::<Result<Vec<R>, String>>()
    };
    std::thread::Builder::new()
        .name("timely:run".to_owned())
        .spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(work));
            let result = result.unwrap_or_else(|_| Err("a connection broke".to_owned()));
            // Nobody waits any more after a fault.
            let _ = sender.send(result);
        })
        .map_err(broken)?;
    loop {
        let lost = match receiver.recv_timeout(LOOK) {
            Ok(Ok(results)) => {
                heart.finish();
                return Ok(results);
            }
            // Who was lost first is what the user wants to know.
            Ok(Err(text)) => heart
                .reason()
                .unwrap_or(Lost(format!("a worker was lost: {text}"))),
            Err(RecvTimeoutError::Timeout) => match heart.reason() {
                Some(lost) => lost,
                None => continue,
            },
            Err(RecvTimeoutError::Disconnected) => Lost("the workers are gone".to_owned()),
        };
        heart.stop();
        for socket in kept {
            // It may be closed already.
            let _ = socket.shutdown(std::net::Shutdown::Both);
        }
        return Err(lost.into());
    }
}

/// Panics of timely's threads are results of this crate, told once: they print nothing.
fn silence_threads() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let thread = std::thread::current();
            if !thread
                .name()
                .is_some_and(|name| name.starts_with("timely:"))
            {
                others(info);
            }
        }));
    });
}
