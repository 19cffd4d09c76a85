//! Floods among threads of this process, with nothing but the standard library.
//!
//! A counter has one for each parcel under way and for each worker that is not waiting; the flood is over when it is
//! zero. A parcel is counted before it is sent, and a waiting worker that takes a parcel goes on in its stead. Whoever
//! has too many parcels waiting to be taken stops others from working until it has caught up, so that the backlog is
//! bounded.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use super::{Crew, HALT, Lost, Outbox, Task};

/// Parcels that may wait for a worker, for each one that sends.
const BACKLOG: usize = 16;

/// How long a worker sleeps that may not send.
const PAUSE: Duration = Duration::from_micros(200);

/// Runs the same program on so many workers, each a thread of its own but the first one, and returns what they return.
///
/// # Errors
/// If a worker panics; its message.
pub fn run<R: Send>(
    workers: usize,
    program: impl Fn(&mut Local) -> R + Sync,
) -> Result<Vec<R>, Lost> {
    let workers = workers.max(1);
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..workers).map(|_| channel()).unzip();
    let shared = Arc::new(Shared {
        counter: AtomicUsize::new(0),
        backlogs: (0..workers).map(|_| AtomicUsize::new(0)).collect(),
        meeting: Mutex::new(Meeting::default()),
        met: Condvar::new(),
    });
    let mut crew = (0..).zip(receivers).map(|(index, inbox)| Local {
        index,
        inbox,
        senders: senders.clone(),
        shared: Arc::clone(&shared),
    });
    let program = &program;
    std::thread::scope(|scope| {
        let first = crew.next();
        let others: Vec<_> = crew
            .by_ref()
            .map(|mut local| scope.spawn(move || local.guarded(program)))
            .collect();
        let mut results: Vec<_> = first
            .map(|mut local| local.guarded(program))
            .into_iter()
            .collect();
        results.extend(others.into_iter().map(|other| match other.join() {
            Ok(result) => result,
            Err(_) => Err(Lost("a worker panicked".to_owned())),
        }));
        results.into_iter().collect()
    })
}

/// A thread of a local crew.
pub struct Local {
    index: usize,
    inbox: Receiver<Parcel>,
    senders: Vec<Sender<Parcel>>,
    shared: Arc<Shared>,
}

enum Parcel {
    Records(usize, Vec<u64>),
    /// The flood is over.
    Silence,
}

struct Shared {
    /// Parcels under way and workers that are not waiting.
    counter: AtomicUsize,
    /// Parcels that wait for each worker.
    backlogs: Vec<AtomicUsize>,
    meeting: Mutex<Meeting>,
    met: Condvar,
}

#[derive(Default)]
struct Meeting {
    here: usize,
    meetings: u64,
    lost: bool,
}

impl Local {
    /// Runs the program; if it panics, the others are told.
    fn guarded<R>(&mut self, program: &(impl Fn(&mut Local) -> R + Sync)) -> Result<R, Lost> {
        let shared = Arc::clone(&self.shared);
        let senders = self.senders.clone();
        let run = std::panic::AssertUnwindSafe(|| program(self));
        std::panic::catch_unwind(run).map_err(|panic| {
            if let Ok(mut meeting) = shared.meeting.lock() {
                meeting.lost = true;
            }
            shared.met.notify_all();
            for sender in senders {
                // Who has ended needs no message.
                let _ = sender.send(Parcel::Silence);
            }
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Lost(text.unwrap_or_else(|| "a worker panicked".to_owned()))
        })
    }

    fn lost() -> Lost {
        Lost("another worker was lost".to_owned())
    }

    /// Waits until all workers are here. The last one sets the counter.
    fn meet(&self) -> Result<(), Lost> {
        let mut meeting = self.shared.meeting.lock().map_err(|_| Self::lost())?;
        meeting.here += 1;
        let number = meeting.meetings;
        if meeting.here == self.senders.len() {
            self.shared
                .counter
                .store(self.senders.len(), Ordering::SeqCst);
            meeting.here = 0;
            meeting.meetings += 1;
            self.shared.met.notify_all();
        }
        while meeting.meetings == number && !meeting.lost {
            meeting = self.shared.met.wait(meeting).map_err(|_| Self::lost())?;
        }
        if meeting.lost {
            return Err(Self::lost());
        }
        Ok(())
    }

    /// Whether some worker has so much to take that no more is sent.
    fn is_crowded(&self) -> bool {
        let most = BACKLOG * self.senders.len();
        let mut backlogs = self.shared.backlogs.iter();
        backlogs.any(|backlog| backlog.load(Ordering::Relaxed) > most)
    }

    fn deliver(&self, to: usize, parcel: Vec<u64>) -> Result<(), Lost> {
        self.shared.counter.fetch_add(1, Ordering::SeqCst);
        self.shared.backlogs[to].fetch_add(1, Ordering::Relaxed);
        self.senders[to]
            .send(Parcel::Records(self.index, parcel))
            .map_err(|_| Self::lost())
    }

    /// One less under way or at work; whether it was the last one.
    fn count_down(&self) -> bool {
        self.shared.counter.fetch_sub(1, Ordering::SeqCst) == 1
    }

    fn take<T: Task>(&self, parcel: &[u64], from: usize, task: &mut T, out: &mut Outbox) {
        self.shared.backlogs[self.index].fetch_sub(1, Ordering::Relaxed);
        if parcel == [HALT] {
            out.halted_by_other();
        } else if !out.is_halted() {
            task.receive(from, parcel);
        }
    }

    /// Tells all others that the flood is over.
    fn silence(&self) -> Result<(), Lost> {
        for (to, sender) in self.senders.iter().enumerate() {
            if to != self.index {
                sender.send(Parcel::Silence).map_err(|_| Self::lost())?;
            }
        }
        Ok(())
    }
}

impl Crew for Local {
    fn index(&self) -> usize {
        self.index
    }

    fn peers(&self) -> usize {
        self.senders.len()
    }

    fn flood<T: Task + 'static>(&mut self, mut task: T) -> Result<T, Lost> {
        self.meet()?;
        let mut out = Outbox::new(self.index, self.peers());
        loop {
            while let Ok(parcel) = self.inbox.try_recv() {
                match parcel {
                    // This worker is counted itself, so the counter stays above zero.
                    Parcel::Records(from, parcel) => {
                        self.take(&parcel, from, &mut task, &mut out);
                        self.count_down();
                    }
                    Parcel::Silence => return Err(Self::lost()),
                }
            }
            let crowded = self.is_crowded();
            if crowded && !out.is_halted() {
                // Not while others cannot follow; they may be waiting for this one to take what they sent.
                if self.meeting_is_lost() {
                    return Err(Self::lost());
                }
                std::thread::sleep(PAUSE);
                continue;
            }
            let busy = !out.is_halted() && task.work(&mut out);
            for (to, parcel) in out.take(!busy) {
                self.deliver(to, parcel)?;
            }
            if busy {
                continue;
            }
            if self.count_down() {
                self.silence()?;
                return Ok(task);
            }
            match self.inbox.recv() {
                Ok(Parcel::Records(from, parcel)) => {
                    // The parcel's count becomes that of this worker.
                    self.take(&parcel, from, &mut task, &mut out);
                }
                Ok(Parcel::Silence) => {
                    return if self.meeting_is_lost() {
                        Err(Self::lost())
                    } else {
                        Ok(task)
                    };
                }
                Err(_) => return Err(Self::lost()),
            }
        }
    }
}

impl Local {
    fn meeting_is_lost(&self) -> bool {
        self.shared.meeting.lock().map_or(true, |m| m.lost)
    }
}
