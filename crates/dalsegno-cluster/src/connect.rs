//! Connections between processes: who is there, and whether all are about to do the same.
//!
//! Each process listens at its address, and connects to those before it in the list, twice: once for parcels, once to say
//! that it is alive. Both sides of a connection begin with a greeting of the same length, and compare.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use dalsegno_explicit::flood::Lost;
use dalsegno_kripke::Budget;
use dalsegno_kripke::clock::Instant;

use crate::{Failure, Hosts};

/// What a process is about to do; equal numbers mean equal things.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Greeting {
    /// The version of the program.
    pub version: u64,
    /// The model.
    pub model: u64,
    /// The property, and the options that matter.
    pub task: u64,
}

/// The connections to all other processes; none to this one.
pub(crate) struct Connections {
    pub data: Vec<Option<TcpStream>>,
    pub control: Vec<Option<TcpStream>>,
}

/// The first word of a greeting.
const MAGIC: u64 = u64::from_le_bytes(*b"dalsegno");

/// Words of a greeting: magic, version, model, task, processes, threads, who speaks, and what the connection is for.
const WORDS: usize = 8;

const PAUSE: Duration = Duration::from_millis(20);

/// What a stranger may take to say who it is.
const INTRODUCTION: Duration = Duration::from_secs(5);

struct Introduction<'a> {
    hosts: &'a Hosts,
    words: [u64; WORDS],
}

pub(crate) fn connect(
    hosts: &Hosts,
    threads: usize,
    greeting: &Greeting,
    budget: &Budget,
) -> Result<Connections, Failure> {
    let count = hosts.addresses.len();
    let own = hosts
        .addresses
        .get(hosts.process)
        .ok_or_else(|| Lost(format!("there is no host number {}", hosts.process)))?;
    let end = Instant::now() + hosts.wait;
    let listener = TcpListener::bind(own)
        .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
        .map_err(|error| Lost(format!("cannot listen at {own}: {error}")))?;
    let none = || (0..count).map(|_| None).collect::<Vec<Option<TcpStream>>>();
    let mut all = Connections {
        data: none(),
        control: none(),
    };
    let mine = Introduction {
        hosts,
        words: [
            MAGIC,
            greeting.version,
            greeting.model,
            greeting.task,
            count as u64,
            threads as u64,
            hosts.process as u64,
            0,
        ],
    };
    for other in 0..hosts.process {
        for channel in 0..2 {
            let stream = mine.call(other, channel, end, budget)?;
            let list = if channel == 0 {
                &mut all.data
            } else {
                &mut all.control
            };
            list[other] = Some(stream);
        }
    }
    loop {
        let mut missing = (hosts.process + 1..count)
            .filter(|&other| all.data[other].is_none() || all.control[other].is_none());
        let Some(other) = missing.next() else {
            return Ok(all);
        };
        budget.check()?;
        match listener.accept() {
            Ok((stream, _)) => {
                if let Some((other, channel, stream)) = mine.answer(stream)? {
                    let list = if channel == 0 {
                        &mut all.data
                    } else {
                        &mut all.control
                    };
                    list[other] = Some(stream);
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                if Instant::now() >= end {
                    return Err(mine.did_not_come(other).into());
                }
                std::thread::sleep(PAUSE);
            }
            Err(error) => return Err(Lost(format!("cannot listen at {own}: {error}")).into()),
        }
    }
}

impl Introduction<'_> {
    fn did_not_come(&self, other: usize) -> Lost {
        let (name, wait) = (&self.hosts.addresses[other], self.hosts.wait);
        Lost(format!(
            "{name} did not come within {} seconds",
            wait.as_secs()
        ))
    }

    /// Connects to a process before this one in the list.
    fn call(
        &self,
        other: usize,
        channel: u64,
        end: Instant,
        budget: &Budget,
    ) -> Result<TcpStream, Failure> {
        let address = &self.hosts.addresses[other];
        loop {
            budget.check()?;
            // A host that is not up yet refuses, or closes the connection before it has said anything.
            if let Ok(mut stream) = TcpStream::connect(address)
                && let Ok(theirs) = self.greet(&mut stream, channel)
            {
                self.compare(other, &theirs)?;
                if theirs[6] != other as u64 {
                    let text = format!("{address} takes itself for another host of the list");
                    return Err(Lost(text).into());
                }
                return Ok(stream);
            }
            if Instant::now() >= end {
                return Err(self.did_not_come(other).into());
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Greets whoever has connected; who it is and what the connection is for, unless it is nobody of the list.
    fn answer(&self, mut stream: TcpStream) -> Result<Option<(usize, u64, TcpStream)>, Failure> {
        let Ok(theirs) = self.greet(&mut stream, 0) else {
            return Ok(None);
        };
        if theirs[0] != MAGIC {
            return Ok(None);
        }
        let other = usize::try_from(theirs[6]).unwrap_or(usize::MAX);
        if other <= self.hosts.process || other >= self.hosts.addresses.len() {
            return Err(Lost("two processes take themselves for the same host".to_owned()).into());
        }
        self.compare(other, &theirs)?;
        Ok(Some((other, theirs[7].min(1), stream)))
    }

    fn greet(&self, stream: &mut TcpStream, channel: u64) -> io::Result<[u64; WORDS]> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(INTRODUCTION))?;
        stream.set_write_timeout(Some(INTRODUCTION))?;
        let mut mine = self.words;
        mine[7] = channel;
        stream.write_all(mine.map(u64::to_le_bytes).as_flattened())?;
        let mut bytes = [[0; 8]; WORDS];
        stream.read_exact(bytes.as_flattened_mut())?;
        stream.set_read_timeout(None)?;
        stream.set_write_timeout(None)?;
        Ok(bytes.map(u64::from_le_bytes))
    }

    /// Whether another process is about to do the same.
    fn compare(&self, other: usize, theirs: &[u64; WORDS]) -> Result<(), Lost> {
        let differences = [
            (0, "is no dalsegno"),
            (1, "has another version of the program"),
            (2, "has another model"),
            (3, "has another property or other options"),
            (4, "has another number of hosts in its list"),
            (5, "has another number of threads: give --threads"),
        ];
        let different = |&&(word, _): &&(usize, _)| theirs[word] != self.words[word];
        match differences.iter().find(different) {
            None => Ok(()),
            Some((_, text)) => Err(Lost(format!("{} {text}", self.hosts.addresses[other]))),
        }
    }
}
