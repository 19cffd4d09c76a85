//! Exploration of a whole state space as a flood.
//!
//! Each worker expands the states that it owns in the order in which it found them; successors of several states are
//! looked up together. If a value outgrows its field the flood ends, all workers agree on wider fields, and the states
//! are found anew: their hashes change, and with them their owners. Unboundedness is looked for before the flood, as its
//! proofs need ancestors.

use std::sync::Arc;

use dalsegno_kripke::{Budget, Model, Stop, VarId};

use super::report::{Agreed, End, agree, widen};
use super::{Crew, Lost, Outbox, Task, gather, owner};
use crate::coverability::quickly_unbounded;
use crate::explore::{Outcome, Summary};
use crate::steps::{Batch, Steps};
use crate::table::{StateTable, hash_of};

/// States that are expanded before others are heard.
const PART: usize = 512;

/// Successors that are looked up together.
const TOGETHER: usize = 64;

/// Explores the state space of a model with all workers, each within the budget; all of them get the summary of the whole.
/// The number of states of the budget is that of all workers, its bytes are those of one.
///
/// # Errors
/// If a worker is lost.
pub fn explore<C: Crew>(
    crew: &mut C,
    model: &Arc<Model>,
    budget: &Budget,
) -> Result<Summary, Lost> {
    let bounded = model.variables().iter().all(|v| v.bounds.proved.is_some());
    let growing = if bounded {
        None
    } else {
        quickly_unbounded(model, budget)
    };
    let mut steps = Steps::new(model);
    let mut widened = Widened::default();
    if let Some(variable) = agree_on_growth(crew, growing)? {
        let nothing = Explorer::new(steps, crew.index(), crew.peers(), budget);
        return nothing.summary(crew, Outcome::Unbounded(variable), &widened);
    }
    loop {
        let explorer = Explorer::new(steps, crew.index(), crew.peers(), budget);
        let mut explorer = crew.flood(explorer)?;
        let end = explorer.end.take();
        let outcome = match agree(crew, end.as_ref(), &mut explorer.steps)? {
            Some(Agreed::Outgrown(outgrown)) => {
                let states = explorer.table.len() as u64;
                let states = super::sums(crew, &[states])?[0];
                match widen(&explorer.steps, &outgrown, widened.times, states) {
                    Ok(wider) => {
                        widened.by(outgrown[0].0, model);
                        steps = wider;
                        continue;
                    }
                    Err(fault) => Outcome::Fault(fault),
                }
            }
            Some(Agreed::Stop(stop)) => Outcome::Unknown(stop, widened.last),
            Some(Agreed::Fault(fault)) => Outcome::Fault(fault),
            Some(Agreed::Found) | None => Outcome::Complete,
        };
        return explorer.summary(crew, outcome, &widened);
    }
}

/// Workers may have had different times to look; what one has proved holds for all.
fn agree_on_growth<C: Crew>(crew: &mut C, growing: Option<VarId>) -> Result<Option<usize>, Lost> {
    let mine = growing.map(|v| u64::from(v.0)).into_iter().collect();
    let all = gather(crew, mine)?;
    Ok(all.concat().first().map(|&variable| variable as usize))
}

/// What was seen of variables that outgrow their fields.
#[derive(Default)]
struct Widened {
    times: u32,
    last: Option<usize>,
    broken: Option<VarId>,
}

impl Widened {
    fn by(&mut self, variable: usize, model: &Model) {
        self.times += 1;
        self.last = Some(variable);
        let id = VarId(variable as u32);
        if model.variable(id).bounds.promised.is_some() {
            self.broken = Some(id);
        }
    }
}

struct Explorer {
    steps: Steps,
    table: StateTable,
    index: usize,
    peers: usize,
    budget: Budget,
    /// More states than this are too many for one worker.
    most: u64,
    next: u32,
    transitions: u64,
    dead_ends: u64,
    end: Option<End>,
    batch: Batch,
    states: Vec<u64>,
    hashes: Vec<u64>,
    ids: Vec<u32>,
}

impl Explorer {
    fn new(steps: Steps, index: usize, peers: usize, budget: &Budget) -> Self {
        let words = steps.words();
        let mut table = StateTable::new(words);
        for values in steps.model().initial() {
            let mut packed = vec![0; words];
            let hash = match steps.pack(values, &mut packed) {
                Ok(()) => hash_of(&packed),
                Err(_) => continue,
            };
            if owner(hash, peers) == index {
                table.insert(&packed, hash);
            }
        }
        Explorer {
            most: most_states(budget.states(), peers),
            budget: budget.clone(),
            steps,
            table,
            index,
            peers,
            next: 0,
            transitions: 0,
            dead_ends: 0,
            end: None,
            batch: Batch::default(),
            states: Vec::new(),
            hashes: Vec::new(),
            ids: Vec::new(),
        }
    }

    fn goes_on(&mut self, others: u64) -> bool {
        let buffers = self.states.capacity() + self.hashes.capacity();
        let bytes = self.table.bytes() + 8 * buffers as u64 + others;
        let states = self.table.len() as u64;
        let enough = self
            .budget
            .check()
            .and_then(|()| self.budget.check_bytes(bytes))
            .and(if states > self.most {
                Err(Stop::States)
            } else {
                Ok(())
            });
        if let Err(stop) = enough {
            self.end.get_or_insert(End::Stop(stop));
        }
        self.end.is_none()
    }

    /// Makes room for more states.
    fn reserve(&mut self, more: usize) -> bool {
        let full = self.table.len() + more >= u32::MAX as usize;
        let room = if full {
            Err(Stop::States)
        } else {
            self.table.reserve(more, &self.budget)
        };
        if let Err(stop) = room {
            self.end.get_or_insert(End::Stop(stop));
        }
        self.end.is_none()
    }

    /// Expands states until there are some successors; false if the worker cannot go on.
    fn fire(&mut self, left: &mut usize) -> bool {
        self.batch.clear();
        while self.batch.hashes.len() < TOGETHER && *left > 0 && self.has_work() {
            let before = self.batch.hashes.len();
            let state = self.table.state(self.next);
            let end = match self.steps.fire(state, None, &mut self.batch) {
                Ok(None) => None,
                Ok(Some(outgrown)) => Some(End::Outgrown(outgrown)),
                Err(_) => {
                    let mut values = vec![0; self.steps.model().variables().len()];
                    self.steps.unpack(state, &mut values);
                    Some(End::Fault(values))
                }
            };
            if end.is_some() {
                self.end = end;
                return false;
            }
            self.dead_ends += u64::from(self.batch.hashes.len() == before);
            self.next += 1;
            *left -= 1;
        }
        true
    }

    fn has_work(&self) -> bool {
        (self.next as usize) < self.table.len()
    }

    /// Keeps the states of the batch that belong to this worker, and sends the others.
    fn route(&mut self, out: &mut Outbox) {
        let words = self.steps.words();
        self.states.clear();
        self.hashes.clear();
        let states = self.batch.states.chunks_exact(words);
        for (state, &hash) in states.zip(&self.batch.hashes) {
            let to = owner(hash, self.peers);
            if to == self.index {
                self.states.extend_from_slice(state);
                self.hashes.push(hash);
            } else {
                out.to(to).extend_from_slice(state);
                out.sent(to);
            }
        }
    }

    /// What all workers have seen.
    fn summary<C: Crew>(
        &self,
        crew: &mut C,
        outcome: Outcome,
        widened: &Widened,
    ) -> Result<Summary, Lost> {
        let model = self.steps.model();
        let n = model.variables().len();
        let (largest, largest_sum) = self.extremes(&outcome);
        let bytes = self.table.bytes();
        let states = self.table.len() as u64;
        let mut mine = vec![states, self.transitions, self.dead_ends, bytes, largest_sum];
        mine.extend(largest.into_iter().map(u64::from));
        let mut all = vec![0; 5 + n];
        for told in gather(crew, mine)? {
            for (i, (sum, number)) in all.iter_mut().zip(told).enumerate() {
                *sum = if i < 4 {
                    *sum + number
                } else {
                    number.max(*sum)
                };
            }
        }
        let outcome = match (outcome, self.budget.check_states(all[0])) {
            (Outcome::Complete, Err(stop)) => Outcome::Unknown(stop, widened.last),
            (outcome, _) => outcome,
        };
        let largest: Vec<u32> = all[5..].iter().map(|&value| value as u32).collect();
        let exceeds = |&v: &VarId| model.variable(v).bounds.is_broken_by(largest[v.index()]);
        let broken = model.variable_ids().find(exceeds).or(widened.broken);
        Ok(Summary {
            outcome,
            states: all[0],
            transitions: all[1],
            dead_ends: all[2],
            bytes: all[3],
            largest_sum: all[4],
            largest,
            broken,
        })
    }

    /// The largest values and the largest sum of the own states; of some of them, if not all were found.
    fn extremes(&self, outcome: &Outcome) -> (Vec<u32>, u64) {
        let n = self.steps.model().variables().len();
        let most = match outcome {
            Outcome::Complete => self.table.len(),
            _ => self.table.len().min(LAST_LOOK / n.max(1)),
        };
        let (mut largest, mut values) = (vec![0; n], vec![0; n]);
        let mut largest_sum = 0;
        for state in 0..most as u32 {
            self.steps.unpack(self.table.state(state), &mut values);
            let mut sum = 0u64;
            for (max, &value) in largest.iter_mut().zip(&values) {
                *max = value.max(*max);
                sum += u64::from(value);
            }
            largest_sum = sum.max(largest_sum);
        }
        (largest, largest_sum)
    }
}

/// How many values are looked at after a budget has run out.
const LAST_LOOK: usize = 10_000_000;

/// The states that one worker may own if all together may have so many: owners are not quite even.
pub(crate) fn most_states(all: Option<u64>, peers: usize) -> u64 {
    all.map_or(u64::MAX, |all| {
        if peers == 1 {
            all
        } else {
            let share = all / peers as u64;
            share
                .saturating_add(share / 4)
                .saturating_add(1_000)
                .min(all)
        }
    })
}

impl Task for Explorer {
    fn receive(&mut self, _: usize, records: &[u64]) {
        let words = self.steps.words();
        for part in records.chunks(words * 2 * TOGETHER) {
            if !self.reserve(part.len() / words) {
                return;
            }
            self.hashes.clear();
            self.hashes.extend(part.chunks_exact(words).map(hash_of));
            self.table.insert_batch(part, &self.hashes, &mut self.ids);
        }
    }

    fn work(&mut self, out: &mut Outbox) -> bool {
        let mut left = PART;
        while left > 0 && self.end.is_none() && self.has_work() {
            if !self.fire(&mut left) {
                break;
            }
            let count = self.batch.hashes.len();
            self.transitions += count as u64;
            if !self.reserve(count) {
                break;
            }
            if self.peers == 1 {
                let Batch { states, hashes, .. } = &self.batch;
                self.table.insert_batch(states, hashes, &mut self.ids);
            } else {
                self.route(out);
                self.table
                    .insert_batch(&self.states, &self.hashes, &mut self.ids);
            }
        }
        if !self.goes_on(out.bytes()) {
            out.halt();
            return false;
        }
        self.has_work()
    }
}
