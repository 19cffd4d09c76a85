//! Parcels as timely carries them: words for one worker, in memory or as bytes on the way.

use std::io::Write;

use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};

/// Words from one worker to another, with how many parcels of the receiver the sender has taken since it said so last.
#[derive(Clone, Default)]
pub(crate) struct Parcel {
    pub to: u32,
    pub from: u32,
    /// Parcels that were taken.
    pub taken: u32,
    /// Whether it says something; timely makes parcels that do not.
    pub counts: bool,
    pub words: Vec<u64>,
}

/// The words before those of the parcel.
const HEAD: usize = 2;

impl timely::Accountable for Parcel {
    fn record_count(&self) -> i64 {
        i64::from(self.counts)
    }
}

impl ContainerBytes for Parcel {
    fn from_bytes(bytes: Bytes) -> Self {
        let mut words = bytes.chunks_exact(8).map(|word| {
            word.iter()
                .rev()
                .fold(0, |sum, &byte| sum << 8 | u64::from(byte))
        });
        let (ends, head) = (words.next().unwrap_or(0), words.next().unwrap_or(0));
        Parcel {
            to: (ends >> 32) as u32,
            from: ends as u32,
            taken: (head >> 32) as u32,
            counts: head & 1 == 1,
            words: words.collect(),
        }
    }

    fn length_in_bytes(&self) -> usize {
        8 * (HEAD + self.words.len())
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let ends = u64::from(self.to) << 32 | u64::from(self.from);
        let head = u64::from(self.taken) << 32 | u64::from(self.counts);
        for word in [ends, head].iter().chain(&self.words) {
            // The buffer has the room that was asked for.
            writer
                .write_all(&word.to_le_bytes())
                .expect("written to memory");
        }
    }
}

/// A parcel knows where it goes.
pub(crate) struct Router;

impl Distributor<Parcel> for Router {
    fn partition<T: Clone, P: Push<Message<T, Parcel>>>(
        &mut self,
        parcel: &mut Parcel,
        time: &T,
        pushers: &mut [P],
    ) {
        let to = parcel.to as usize;
        Message::push_at(parcel, time.clone(), &mut pushers[to]);
    }

    fn flush<T: Clone, P: Push<Message<T, Parcel>>>(&mut self, _: &T, _: &mut [P]) {}
}
