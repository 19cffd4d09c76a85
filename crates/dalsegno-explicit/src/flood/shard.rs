//! A worker's part of a product: the states that it owns, their letters, and the nodes with these states.
//!
//! A record is the words of a state, a word with the key of the automaton state and eight bits of flags, and what a task
//! appends. The source fires the groups, routes each target to its owner while firing, and knows nothing about it; the
//! owner looks the state up and labels it when it is new. Records for the worker itself wait in its inbox.
//!
//! Cost per node: 8 bytes, and 4 for each automaton state beside the same model state; per state its words, 4 bytes for
//! its letter and some 16 of the table.

use std::sync::Arc;

use dalsegno_automata::{Marks, StateId};
use dalsegno_kripke::{Budget, GroupId, Letter, Step, Stop};
use rustc_hash::FxHashMap;

use super::report::End;
use super::{Outbox, owner};
use crate::moves::Moves;
use crate::nodes::{Node, NodeMap};
use crate::steps::{Batch, Steps};
use crate::stubborn::choice::{At, Stubborn};
use crate::stubborn::here::Here;
use crate::table::{StateTable, hash_of};

/// The bits of a record's word that a task may use.
pub(crate) const FLAGS: u32 = 8;

/// States looked up together.
const TOGETHER: usize = 128;

/// Records of the own inbox that wait until they are looked up.
const INBOX: usize = 1 << 12;

pub(crate) struct Shard {
    pub steps: Steps,
    pub moves: Moves,
    table: StateTable,
    /// The number of each state's letter.
    letters: Vec<u32>,
    alphabet: Vec<Letter>,
    letter_numbers: FxHashMap<Letter, u32>,
    /// The number of each node plus one.
    numbers: NodeMap,
    pub nodes: Vec<Node>,
    pub transitions: u64,
    pub budget: Budget,
    pub end: Option<End>,
    peers: usize,
    index: usize,
    batch: Batch,
    current: Vec<u64>,
    states: Vec<u64>,
    hashes: Vec<u64>,
    ids: Vec<u32>,
    /// The nodes of the records that were looked up last.
    pub arrived: Vec<u32>,
    inbox: Vec<u64>,
    /// What chooses the groups that are fired, if not all are, and the groups of the node at hand.
    pub stubborn: Option<Box<Stubborn>>,
    enabled: Vec<GroupId>,
}

/// Which edges of a node are sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Usable {
    All,
    /// Those that change no proposition.
    Stuttering,
}

impl Shard {
    /// A shard with the initial nodes that belong to this worker in its inbox.
    pub fn new(steps: Steps, moves: Moves, index: usize, peers: usize, budget: Budget) -> Self {
        let words = steps.words();
        let mut shard = Shard {
            numbers: NodeMap::new(moves.observer.expected_len()),
            table: StateTable::new(words),
            current: vec![0; words],
            steps,
            moves,
            letters: Vec::new(),
            alphabet: Vec::new(),
            letter_numbers: FxHashMap::default(),
            nodes: Vec::new(),
            transitions: 0,
            budget,
            end: None,
            peers,
            index,
            batch: Batch::default(),
            states: Vec::new(),
            hashes: Vec::new(),
            ids: Vec::new(),
            arrived: Vec::new(),
            inbox: Vec::new(),
            stubborn: None,
            enabled: Vec::new(),
        };
        let model = Arc::clone(shard.steps.model());
        for values in model.initial() {
            let mut packed = vec![0; words];
            // A layout that was widened is made for the initial states too.
            if shard.steps.pack(values, &mut packed).is_err()
                || owner(hash_of(&packed), peers) != index
            {
                continue;
            }
            let letter = shard.moves.labelling.letter(&shard.steps, &packed);
            for (q, _) in shard.moves.observer.initial(letter).to_vec() {
                let key = shard.moves.observer.key(q);
                shard.inbox.extend_from_slice(&packed);
                shard.inbox.push(u64::from(key) << FLAGS);
            }
        }
        shard
    }

    /// An empty shard of the same product, with the initial nodes in its inbox.
    pub fn anew(&self) -> Self {
        let (steps, moves) = (self.steps.clone(), self.moves.clone());
        let anew = Self::new(steps, moves, self.index, self.peers, self.budget.clone());
        anew.firing(self.stubborn.clone())
    }

    /// The same shard, in which only the groups of some sets are fired: the same ones whenever a node is expanded.
    pub fn firing(mut self, stubborn: Option<Box<Stubborn>>) -> Self {
        self.stubborn = stubborn;
        self
    }

    /// The words of a record without what a task appends.
    #[inline]
    pub fn record(&self) -> usize {
        self.steps.words() + 1
    }

    /// The number of the worker.
    #[inline]
    pub fn index(&self) -> usize {
        self.index
    }

    /// The flags of a record.
    #[inline]
    pub fn flags(&self, record: &[u64]) -> u64 {
        record[self.steps.words()] & ((1 << FLAGS) - 1)
    }

    /// The states of the model that are here.
    pub fn states(&self) -> u64 {
        self.table.len() as u64
    }

    /// The bytes of the tables.
    pub fn bytes(&self) -> u64 {
        let words = self.states.capacity() + self.hashes.capacity() + self.inbox.capacity();
        self.table.bytes()
            + self.numbers.bytes()
            + 4 * (self.letters.capacity() + self.ids.capacity()) as u64
            + 8 * (self.nodes.capacity() + words + self.batch.states.capacity()) as u64
            + self.stubborn.as_ref().map_or(0, |s| s.bytes())
    }

    /// Looks at the budget, with so many bytes besides; false if it has run out.
    pub fn goes_on(&mut self, others: u64) -> bool {
        let bytes = self.bytes() + others;
        let enough = self
            .budget
            .check()
            .and_then(|()| self.budget.check_bytes(bytes))
            .and_then(|()| self.budget.check_states(self.table.len() as u64));
        if let Err(stop) = enough {
            self.ended(End::Stop(stop));
        }
        self.end.is_none()
    }

    /// The first end counts.
    pub fn ended(&mut self, end: End) {
        self.end.get_or_insert(end);
    }

    /// Looks up the nodes of some records of so many words each; with `adds`, new ones get numbers, otherwise all are known.
    /// The numbers are in `arrived`. False if the worker cannot go on.
    pub fn look_up(&mut self, records: &[u64], stride: usize, adds: bool) -> bool {
        let words = self.steps.words();
        self.states.clear();
        self.hashes.clear();
        self.arrived.clear();
        for record in records.chunks_exact(stride) {
            self.states.extend_from_slice(&record[..words]);
            self.hashes.push(hash_of(&record[..words]));
        }
        let count = self.hashes.len();
        if let Err(stop) = self.table.reserve(count, &self.budget) {
            self.ended(End::Stop(stop));
            return false;
        }
        let known = self.table.len();
        self.table
            .insert_batch(&self.states, &self.hashes, &mut self.ids);
        debug_assert!(
            adds || self.table.len() == known,
            "all states were explored"
        );
        for state in known..self.table.len() {
            let packed = self.table.state(state as u32);
            let letter = self.moves.labelling.letter(&self.steps, packed);
            let alphabet = &mut self.alphabet;
            let number = *self.letter_numbers.entry(letter).or_insert_with(|| {
                alphabet.push(letter);
                alphabet.len() as u32 - 1
            });
            self.letters.push(number);
        }
        if self.table.len().max(self.nodes.len()) + 2 * count >= u32::MAX as usize {
            self.ended(End::Stop(Stop::States));
            return false;
        }
        for (record, &state) in records.chunks_exact(stride).zip(&self.ids) {
            let key = (record[words] >> FLAGS) as u32;
            let letter = self.alphabet[self.letters[state as usize] as usize];
            let q = self.moves.observer.state_of(key, letter);
            let node = Node { state, q };
            let mut number = self.numbers.get(node);
            if number == 0 && adds {
                self.nodes.push(node);
                number = self.nodes.len() as u32;
                self.numbers.set(node, number);
            }
            debug_assert!(number > 0, "all nodes were explored");
            self.arrived.push(number.wrapping_sub(1));
        }
        true
    }

    /// The inbox, to be taken in parts of [`Shard::part`] and given back.
    pub fn take_inbox(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.inbox)
    }

    /// Gives the inbox back, whose records were taken.
    pub fn give_back(&mut self, mut inbox: Vec<u64>) {
        inbox.clear();
        if self.inbox.is_empty() {
            self.inbox = inbox;
        }
    }

    /// Whether enough records wait in the inbox to be looked up.
    #[inline]
    pub fn is_inbox_full(&self) -> bool {
        self.inbox.len() >= INBOX
    }

    /// The words of records that are looked up together.
    #[inline]
    pub fn part(stride: usize) -> usize {
        stride * TOGETHER
    }

    /// Sends the usable edges of a node for whose marks there are flags, each with a tail. False if the worker cannot go
    /// on.
    pub fn expand(
        &mut self,
        node: u32,
        usable: Usable,
        tail: &[u64],
        out: &mut Outbox,
        mut flags: impl FnMut(Marks) -> Option<u64>,
    ) -> bool {
        let Node { state, q } = self.nodes[node as usize];
        self.current.copy_from_slice(self.table.state(state));
        let letter = self.alphabet[self.letters[state as usize] as usize];
        if !self.list_fired(letter, q) {
            return true;
        }
        self.batch.clear();
        let groups = self.stubborn.is_some().then_some(&self.enabled[..]);
        let fired = self.steps.fire(&self.current, groups, &mut self.batch);
        match fired {
            Ok(None) => {}
            Ok(Some(outgrown)) => {
                self.ended(End::Outgrown(outgrown));
                return false;
            }
            Err(_) => {
                let mut values = vec![0; self.steps.model().variables().len()];
                self.steps.unpack(&self.current, &mut values);
                self.ended(End::Fault(values));
                return false;
            }
        }
        let (peers, own) = (self.peers, self.index);
        let (inbox, transitions) = (&mut self.inbox, &mut self.transitions);
        let from = (&self.current[..], letter, q);
        self.moves.each(&self.steps, from, &self.batch, |to| {
            if usable == Usable::Stuttering && !to.stutters {
                return;
            }
            let worker = if peers == 1 { 0 } else { owner(to.hash, peers) };
            for &(key, marks) in to.targets {
                let Some(flags) = flags(marks) else {
                    continue;
                };
                *transitions += 1;
                let record = if worker == own {
                    &mut *inbox
                } else {
                    out.to(worker)
                };
                record.extend_from_slice(to.state);
                record.push(u64::from(key) << FLAGS | flags);
                record.extend_from_slice(tail);
                if worker != own {
                    out.sent(worker);
                }
            }
        });
        true
    }

    /// Lists the groups that are fired in the current state, if not all of them are tried. False if none need be although some are enabled:
    /// the state is no dead end, and does not repeat itself.
    fn list_fired(&mut self, letter: Letter, q: StateId) -> bool {
        let Some(stubborn) = &mut self.stubborn else {
            return true;
        };
        self.enabled.clear();
        self.steps.list_enabled(&self.current, &mut self.enabled);
        let at = At {
            here: Here {
                steps: &mut self.steps,
                state: &self.current,
            },
            q,
            letter,
            observer: &mut self.moves.observer,
        };
        let dead_end = self.enabled.is_empty();
        let count = stubborn.choose_alone(at, &mut self.enabled);
        self.enabled.truncate(count);
        dead_end || count > 0
    }

    /// The words of a node's state and the key of its automaton state: what tells it from all others.
    pub fn name(&self, node: u32, name: &mut Vec<u64>) {
        let Node { state, q } = self.nodes[node as usize];
        name.extend_from_slice(self.table.state(state));
        name.push(u64::from(self.moves.observer.key(q)));
    }

    /// The steps of the model along nodes, given by their names one after the other; the last one is not left.
    pub fn steps_along(&mut self, names: &[u64]) -> Vec<Step> {
        let stride = self.record();
        let words = self.steps.words();
        let mut path = Vec::new();
        let names: Vec<&[u64]> = names.chunks_exact(stride).collect();
        for (i, name) in names.iter().enumerate() {
            let packed = &name[..words];
            let mut state = vec![0; self.steps.model().variables().len()];
            self.steps.unpack(packed, &mut state);
            let group = names.get(i + 1).and_then(|next| {
                let letter = self.moves.labelling.letter(&self.steps, packed);
                let q = self.moves.observer.state_of(name[words] as u32, letter);
                self.batch.clear();
                // As when the node was expanded: other groups may have no step.
                self.current.copy_from_slice(packed);
                self.list_fired(letter, q);
                let groups = self.stubborn.is_some().then_some(&self.enabled[..]);
                let fired = self.steps.fire(packed, groups, &mut self.batch);
                debug_assert!(matches!(fired, Ok(None)));
                let mut found = None;
                let from = (packed, letter, q);
                self.moves.each(&self.steps, from, &self.batch, |to| {
                    let mut keys = to.targets.iter();
                    let is = |&(key, _): &(u32, Marks)| u64::from(key) == next[words];
                    if found.is_none() && to.state == &next[..words] && keys.any(is) {
                        found = Some(to.group);
                    }
                });
                found.flatten()
            });
            path.push(Step { state, group });
        }
        path
    }
}
