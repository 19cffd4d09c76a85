//! Exploration of a product as a flood: every reachable node gets a number at its owner.
//!
//! The flood ends early at a node after which the observer accepts whatever comes next, if that is asked for.

use super::report::End;
use super::shard::{Shard, Usable};
use super::{Outbox, Task};

/// Nodes that are expanded before records are looked up.
const PART: usize = 16;

/// A worker's part of an exploration.
pub(crate) struct Exploration {
    pub shard: Shard,
    /// Whether to end at universal nodes.
    ends_early: bool,
    next: u32,
    /// The nodes that were looked at for that.
    looked: usize,
}

impl Exploration {
    pub fn new(shard: Shard, ends_early: bool) -> Self {
        Exploration {
            shard,
            ends_early,
            next: 0,
            looked: 0,
        }
    }

    fn arrive(&mut self, records: &[u64]) {
        let stride = self.shard.record();
        for part in records.chunks(Shard::part(stride)) {
            if !self.shard.look_up(part, stride, true) {
                return;
            }
        }
        if self.ends_early {
            for node in self.looked..self.shard.nodes.len() {
                let q = self.shard.nodes[node].q;
                if self.shard.moves.observer.is_universal(q) {
                    self.shard.ended(End::Found);
                }
            }
            self.looked = self.shard.nodes.len();
        }
    }
}

impl Task for Exploration {
    fn receive(&mut self, _: usize, records: &[u64]) {
        if self.shard.end.is_none() {
            self.arrive(records);
        }
    }

    fn work(&mut self, out: &mut Outbox) -> bool {
        for _ in 0..64 {
            let inbox = self.shard.take_inbox();
            let nothing = inbox.is_empty();
            self.arrive(&inbox);
            self.shard.give_back(inbox);
            let mut worked = 0;
            while worked < PART
                && !self.shard.is_inbox_full()
                && (self.next as usize) < self.shard.nodes.len()
                && self.shard.end.is_none()
            {
                self.shard
                    .expand(self.next, Usable::All, &[], out, |_| Some(0));
                self.next += 1;
                worked += 1;
            }
            if self.shard.end.is_some() {
                out.halt();
                return false;
            }
            if worked == 0 && nothing {
                return false;
            }
        }
        if !self.shard.goes_on(out.bytes()) {
            out.halt();
            return false;
        }
        true
    }
}
