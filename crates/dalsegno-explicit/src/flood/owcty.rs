//! OWCTY on transition marks: nodes are taken out that no accepting cycle can lead to, until nothing changes.
//!
//! "One way catch them young" (Fisler and others, TACAS 2001; on explicit states Černá and Pelánek, SPIN 2003), forward,
//! with the marks on transitions, so that TGBA and TGTA need no degeneralisation. A round goes, for each mark, from the
//! edges that carry it forward to all that they reach (*reach*), which renews the numbers of predecessors on the way, and
//! then takes out what has no predecessor (*trim*). Nodes that are left after a round that changed nothing have a
//! predecessor among them, and for each mark a path from an edge that carries it: walking back and changing the mark at
//! each crossed one must close an accepting cycle.
//!
//! If all that stays among the nodes accepts (weak automata, livelocks of a TA) no marks are needed: predecessors are
//! counted once (*count*) and what has none is trimmed.
//!
//! Cost: a round is linear in the nodes for each mark; there are few rounds, in the worst case as many as nodes.

use dalsegno_automata::Marks;

use super::shard::{Shard, Usable};
use super::{Crew, Lost, Outbox, Task, sums};
use crate::flood::report::{Agreed, agree};
use crate::states::StateSet;

/// Of a record: its source is taken to be reached, so that all of its edges were sent.
const WHOLE: u64 = 1;
/// Of a record: the edge carries the mark.
const MARKED: u64 = 2;

/// Nodes that are expanded before records are looked up.
const PART: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// All edges are counted.
    Count,
    /// From edges with this mark.
    Reach(Marks),
    /// What has no predecessor is taken out.
    Trim,
}

/// The nodes of a shard of which some are alive.
pub(crate) struct Sieve {
    pub shard: Shard,
    pub alive: StateSet,
    pub usable: Usable,
    reached: StateSet,
    before: Vec<u32>,
    queue: Vec<u32>,
    next: u32,
    phase: Phase,
    expanded: u64,
}

impl Sieve {
    /// A sieve over an explored shard, in which these nodes are alive.
    pub fn new(shard: Shard, alive: StateSet, usable: Usable) -> Self {
        let n = shard.nodes.len();
        Sieve {
            shard,
            alive,
            usable,
            reached: StateSet::none(0),
            before: vec![0; n],
            queue: Vec::new(),
            next: 0,
            phase: Phase::Count,
            expanded: 0,
        }
    }

    fn bytes(&self) -> u64 {
        4 * (self.before.capacity() + self.queue.capacity()) as u64
            + self.shard.nodes.len() as u64 / 4
    }

    fn begin(&mut self, phase: Phase) {
        let n = self.shard.nodes.len();
        self.phase = phase;
        self.next = 0;
        if phase == Phase::Trim {
            for node in 0..n as u32 {
                if self.alive.has(node) && self.before[node as usize] == 0 {
                    self.alive.remove(node);
                    self.queue.push(node);
                }
            }
        } else {
            self.before.fill(0);
            self.reached = StateSet::none(n);
        }
    }

    fn arrive(&mut self, records: &[u64]) {
        let stride = self.shard.record();
        for part in records.chunks(Shard::part(stride)) {
            if !self.shard.look_up(part, stride, false) {
                return;
            }
            let arrived = std::mem::take(&mut self.shard.arrived);
            for (record, &node) in part.chunks_exact(stride).zip(&arrived) {
                if self.alive.has(node) {
                    self.meet(node, self.shard.flags(record));
                }
            }
            self.shard.arrived = arrived;
        }
    }

    #[inline]
    fn meet(&mut self, node: u32, flags: u64) {
        let before = &mut self.before[node as usize];
        match self.phase {
            Phase::Count => *before += 1,
            Phase::Reach(_) => {
                *before += u32::from(flags & WHOLE != 0);
                if self.reached.insert(node) {
                    self.queue.push(node);
                }
            }
            Phase::Trim => {
                *before -= 1;
                if *before == 0 {
                    self.alive.remove(node);
                    self.queue.push(node);
                }
            }
        }
    }

    /// Expands a node that waits for it; whether there was one.
    fn expand_next(&mut self, out: &mut Outbox) -> bool {
        let phase = self.phase;
        if let Some(node) = self.queue.pop() {
            self.shard
                .expand(node, self.usable, &[], out, |_| Some(WHOLE));
            self.expanded += 1;
            return true;
        }
        while (self.next as usize) < self.shard.nodes.len() {
            let node = self.next;
            match phase {
                Phase::Trim => return false,
                Phase::Count => {
                    self.next += 1;
                    if self.alive.has(node) {
                        self.shard
                            .expand(node, self.usable, &[], out, |_| Some(WHOLE));
                        self.expanded += 1;
                        return true;
                    }
                }
                Phase::Reach(mark) => {
                    self.next += 1;
                    // What is reached is or was expanded as a whole.
                    if self.alive.has(node) && !self.reached.has(node) {
                        let marked = |marks: Marks| {
                            (marks.intersection(mark) != Marks::NONE).then_some(MARKED)
                        };
                        self.shard.expand(node, self.usable, &[], out, marked);
                        self.expanded += 1;
                        return true;
                    }
                }
            }
        }
        false
    }
}

impl Task for Sieve {
    fn receive(&mut self, _: usize, records: &[u64]) {
        if self.shard.end.is_none() {
            self.arrive(records);
        }
    }

    fn work(&mut self, out: &mut Outbox) -> bool {
        for _ in 0..64 {
            let mut worked = 0;
            while worked < PART && !self.shard.is_inbox_full() && self.expand_next(out) {
                worked += 1;
            }
            let inbox = self.shard.take_inbox();
            let nothing = inbox.is_empty();
            self.arrive(&inbox);
            self.shard.give_back(inbox);
            if self.shard.end.is_some() {
                out.halt();
                return false;
            }
            if worked == 0 && nothing {
                return false;
            }
        }
        let bytes = self.bytes() + out.bytes();
        if !self.shard.goes_on(bytes) {
            out.halt();
            return false;
        }
        true
    }
}

/// What a sieve says.
pub(crate) enum Sieved {
    /// No node is left.
    Empty(Sieve),
    /// Nodes are left: an accepting cycle is among them.
    Left(Sieve),
    /// Somebody could not go on.
    Ended(Agreed),
}

/// Runs a phase.
fn run<C: Crew>(
    crew: &mut C,
    mut sieve: Sieve,
    phase: Phase,
) -> Result<Result<Sieve, Agreed>, Lost> {
    sieve.begin(phase);
    let mut sieve = crew.flood(sieve)?;
    let end = sieve.shard.end.clone();
    let agreed = agree(crew, end.as_ref(), &mut sieve.shard.steps)?;
    Ok(match agreed {
        None => Ok(sieve),
        Some(agreed) => Err(agreed),
    })
}

/// Takes out what no accepting cycle leads to, for an acceptance by these marks; without marks every cycle accepts.
pub(crate) fn sieve<C: Crew>(
    crew: &mut C,
    mut sieve: Sieve,
    marks: &[Marks],
) -> Result<Sieved, Lost> {
    let mut left = sums(crew, &[sieve.alive.count()])?[0];
    while left > 0 {
        let phases = marks.iter().map(|&mark| Phase::Reach(mark));
        let count = marks.is_empty().then_some(Phase::Count);
        for phase in phases.chain(count) {
            sieve = match run(crew, sieve, phase)? {
                Ok(sieve) => sieve,
                Err(agreed) => return Ok(Sieved::Ended(agreed)),
            };
            if let Phase::Reach(_) = phase {
                std::mem::swap(&mut sieve.alive, &mut sieve.reached);
            }
        }
        sieve = match run(crew, sieve, Phase::Trim)? {
            Ok(sieve) => sieve,
            Err(agreed) => return Ok(Sieved::Ended(agreed)),
        };
        let now = sums(crew, &[sieve.alive.count()])?[0];
        if now > 0 && (now == left || marks.is_empty()) {
            return Ok(Sieved::Left(sieve));
        }
        left = now;
    }
    Ok(Sieved::Empty(sieve))
}
