//! Signs of life: processes tell each other several times a second that they are there.
//!
//! A process that ends says so before; one that is gone without a word, or silent for too long, is lost. A process that is
//! stopped is silent although its connections stay, so that nothing else would tell.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use dalsegno_explicit::flood::Lost;

use crate::Hosts;

/// How often a process says that it is there.
const BEAT: Duration = Duration::from_millis(200);

const ALIVE: u8 = b'.';
const DONE: u8 = b'!';

/// Who was lost first, if somebody was.
#[derive(Default)]
pub(crate) struct Fault {
    is_set: AtomicBool,
    reason: Mutex<Option<String>>,
}

impl Fault {
    /// Whether somebody was lost.
    pub fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Relaxed)
    }

    /// Who was.
    pub fn reason(&self) -> Option<Lost> {
        let reason = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        reason.clone().map(Lost)
    }

    fn set(&self, text: String) {
        let mut reason = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        reason.get_or_insert(text);
        self.is_set.store(true, Ordering::Relaxed);
    }
}

/// The signs of life of this process, and an ear for those of others.
pub(crate) struct Heart {
    fault: Arc<Fault>,
    done: Arc<AtomicBool>,
    sockets: Vec<TcpStream>,
    beating: Option<JoinHandle<()>>,
}

impl Heart {
    /// Begins to beat.
    pub fn start(hosts: &Hosts, sockets: Vec<Option<TcpStream>>) -> io::Result<Self> {
        let fault = Arc::new(Fault::default());
        let done = Arc::new(AtomicBool::new(false));
        let (mut outgoing, mut kept) = (Vec::new(), Vec::new());
        for (other, socket) in sockets.into_iter().enumerate() {
            let Some(socket) = socket else { continue };
            socket.set_write_timeout(Some(hosts.wait))?;
            outgoing.push(socket.try_clone()?);
            kept.push(socket.try_clone()?);
            socket.set_read_timeout(Some(hosts.wait.max(5 * BEAT)))?;
            let name = hosts.addresses[other].clone();
            let (fault, wait) = (Arc::clone(&fault), hosts.wait);
            std::thread::Builder::new()
                .name(format!("timely:ear-{other}"))
                .spawn(move || listen(socket, &name, wait, &fault))?;
        }
        let ended = Arc::clone(&done);
        let beating = std::thread::Builder::new()
            .name("timely:heart".to_owned())
            .spawn(move || beat(&mut outgoing, &ended))?;
        Ok(Heart {
            fault,
            done,
            sockets: kept,
            beating: Some(beating),
        })
    }

    /// What others have to look at.
    pub fn fault(&self) -> Arc<Fault> {
        Arc::clone(&self.fault)
    }

    /// Who was lost, if somebody was.
    pub fn reason(&self) -> Option<Lost> {
        self.fault.reason()
    }

    /// Ends without a word, so that all others hear of it.
    pub fn stop(self) {
        for socket in &self.sockets {
            // It may be closed already.
            let _ = socket.shutdown(Shutdown::Both);
        }
        self.done.store(true, Ordering::Relaxed);
    }

    /// Says good-bye.
    pub fn finish(mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(beating) = self.beating.take() {
            beating.thread().unpark();
            // It ends with the last word, or has ended because nobody listens.
            let _ = beating.join();
        }
    }
}

fn beat(sockets: &mut [TcpStream], done: &AtomicBool) {
    loop {
        let last = done.load(Ordering::Relaxed);
        let word = if last { DONE } else { ALIVE };
        for socket in &mut *sockets {
            // Whoever does not listen is heard of by the ear.
            let _ = socket.write_all(&[word]);
        }
        if last {
            return;
        }
        std::thread::park_timeout(BEAT);
    }
}

fn listen(mut socket: TcpStream, name: &str, wait: Duration, fault: &Fault) {
    let mut words = [0; 64];
    loop {
        match socket.read(&mut words) {
            Ok(0) => return fault.set(format!("{name} was lost")),
            Ok(count) if words[..count].contains(&DONE) => return,
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return fault.set(format!(
                    "{name} has said nothing for {} seconds",
                    wait.as_secs()
                ));
            }
            Err(_) => return fault.set(format!("{name} was lost")),
        }
    }
}
