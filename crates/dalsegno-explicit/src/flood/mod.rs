//! The flood: packed records go to their owners until silence.
//!
//! A state belongs to the worker that its hash names, and each worker has a shard of the table. A [`Task`] is what a
//! worker does in a flood: it takes records that others sent, does its own work, and writes records for others into an
//! [`Outbox`]. The flood ends when nobody has work and nothing is under way. Exploration, OWCTY and the
//! reconstruction of a lasso are sequences of floods. They are written once, for any [`Crew`]: threads of this process
//! ([`local`]), or whoever else can deliver parcels.
//!
//! Every worker runs the same program. Between floods the workers tell each other what they have seen ([`gather`]), so
//! that all of them decide alike; the numbers and runs that come out are the same for any number of workers.

pub mod emptiness;
pub mod explore;
mod lasso;
mod levels;
pub mod local;
mod owcty;
mod product;
mod report;
mod shard;

use thiserror::Error;

/// Words of a parcel: records for one worker are sent when there are so many.
const PARCEL: usize = 4096;

/// Another worker was lost, and with it all that it knew.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct Lost(pub String);

/// What a worker does in a flood.
pub trait Task {
    /// Takes records, which were sent in this order by one worker. Sends nothing: so whoever waits for room can always be
    /// relieved.
    fn receive(&mut self, from: usize, records: &[u64]);

    /// Does a part of the own work, and sends; false if none is left.
    fn work(&mut self, out: &mut Outbox) -> bool;
}

/// Workers, each with an index, that can run floods together.
pub trait Crew {
    /// The number of this worker, from 0.
    fn index(&self) -> usize;

    /// How many workers there are.
    fn peers(&self) -> usize;

    /// Runs a task until silence, together with the other workers, who do the same.
    ///
    /// # Errors
    /// If a worker is lost.
    fn flood<T: Task + 'static>(&mut self, task: T) -> Result<T, Lost>;
}

/// The worker that owns a state with this hash.
#[inline]
#[must_use]
pub fn owner(hash: u64, peers: usize) -> usize {
    // The upper half is the one by which tables tell states apart; the lower half finds their slots.
    (((hash >> 32) * peers as u64) >> 32) as usize
}

/// Records on their way out, in parcels.
pub struct Outbox {
    index: usize,
    open: Vec<Vec<u64>>,
    full: Vec<(usize, Vec<u64>)>,
    halted: bool,
    told: bool,
    /// The bytes of parcels that others have not taken yet.
    under_way: u64,
}

impl Outbox {
    /// The outbox of a worker, with nothing in it.
    #[must_use]
    pub fn new(index: usize, peers: usize) -> Self {
        Outbox {
            index,
            open: vec![Vec::new(); peers],
            full: Vec::new(),
            halted: false,
            told: false,
            under_way: 0,
        }
    }

    /// The number of this worker.
    #[inline]
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// How many workers there are.
    #[inline]
    #[must_use]
    pub fn peers(&self) -> usize {
        self.open.len()
    }

    /// Where a record for a worker is appended; [`Outbox::sent`] is called when it is complete.
    #[inline]
    pub fn to(&mut self, worker: usize) -> &mut Vec<u64> {
        &mut self.open[worker]
    }

    /// A record for a worker is complete.
    #[inline]
    pub fn sent(&mut self, worker: usize) {
        if self.open[worker].len() >= PARCEL {
            self.close(worker);
        }
    }

    #[cold]
    fn close(&mut self, worker: usize) {
        let next = Vec::with_capacity(PARCEL + PARCEL / 8);
        let parcel = std::mem::replace(&mut self.open[worker], next);
        self.full.push((worker, parcel));
    }

    /// Asks all workers to end this flood without finishing their work. Records under way may be lost.
    pub fn halt(&mut self) {
        self.halted = true;
    }

    /// Whether the flood is to end.
    #[inline]
    #[must_use]
    pub fn is_halted(&self) -> bool {
        self.halted
    }

    /// The bytes of what was not taken yet.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let open: usize = self.open.iter().map(Vec::capacity).sum();
        let full: usize = self.full.iter().map(|(_, parcel)| parcel.capacity()).sum();
        8 * (open + full) as u64 + self.under_way
    }

    /// For crews: what is to be delivered, and with `all` also what would wait for more. Parcels of one word say that
    /// the flood is to end.
    pub fn take(&mut self, all: bool) -> impl Iterator<Item = (usize, Vec<u64>)> + '_ {
        if all {
            for worker in 0..self.open.len() {
                if !self.open[worker].is_empty() {
                    let parcel = std::mem::take(&mut self.open[worker]);
                    self.full.push((worker, parcel));
                }
            }
        }
        if self.halted && !std::mem::replace(&mut self.told, true) {
            // Nobody needs records any more.
            self.full.clear();
            let others = (0..self.open.len()).filter(|&worker| worker != self.index);
            self.full.extend(others.map(|worker| (worker, vec![HALT])));
        }
        self.full.drain(..)
    }

    /// For crews: another worker asks to end the flood.
    pub fn halted_by_other(&mut self) {
        self.halted = true;
        self.told = true;
        self.full.clear();
    }

    /// For crews: the bytes of parcels that were taken and have not arrived.
    pub fn set_under_way(&mut self, bytes: u64) {
        self.under_way = bytes;
    }
}

/// The only word of a parcel that ends the flood.
pub const HALT: u64 = u64::MAX;

/// What every worker says, known to every worker, by worker.
///
/// # Errors
/// If a worker is lost.
pub fn gather<C: Crew>(crew: &mut C, mine: Vec<u64>) -> Result<Vec<Vec<u64>>, Lost> {
    let mut heard = vec![Vec::new(); crew.peers()];
    heard[crew.index()].clone_from(&mine);
    let task = crew.flood(Telling {
        mine: Some(mine),
        heard,
    })?;
    Ok(task.heard)
}

/// Sums over all workers.
///
/// # Errors
/// If a worker is lost.
pub fn sums<C: Crew>(crew: &mut C, mine: &[u64]) -> Result<Vec<u64>, Lost> {
    let mut sums = vec![0; mine.len()];
    for numbers in gather(crew, mine.to_vec())? {
        for (sum, number) in sums.iter_mut().zip(numbers) {
            *sum += number;
        }
    }
    Ok(sums)
}

struct Telling {
    mine: Option<Vec<u64>>,
    heard: Vec<Vec<u64>>,
}

impl Task for Telling {
    fn receive(&mut self, from: usize, records: &[u64]) {
        // The first word makes that no parcel is empty or looks like a halt.
        self.heard[from] = records[1..].to_vec();
    }

    fn work(&mut self, out: &mut Outbox) -> bool {
        if let Some(mine) = self.mine.take() {
            let own = out.index();
            for worker in (0..out.peers()).filter(|&worker| worker != own) {
                out.to(worker).push(0);
                out.to(worker).extend_from_slice(&mine);
                out.sent(worker);
            }
        }
        false
    }
}
