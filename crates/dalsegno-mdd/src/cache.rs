//! Results of operations, remembered as long as nothing overwrites them.
//!
//! A direct-mapped table of four words: an operation with a first operand, two more operands, and
//! the result. It is lossy: a new result replaces whatever lies in its slot. It grows with the
//! nodes and rows of the manager, and while it is small also with what was looked up in vain: few
//! long rows can make more work than their number tells. After a collection it keeps the results
//! whose nodes are all alive.

use crate::store::{Marks, Node};

/// An operation, and what its operands are.
///
/// The first word of a key holds the operation in its upper 8 bits and a number of 24 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Op(pub(crate) u8);

impl Op {
    pub(crate) const UNION: Op = Op(1);
    pub(crate) const INTERSECTION: Op = Op(2);
    pub(crate) const DIFFERENCE: Op = Op(3);
    /// The number tells the levels that stay.
    pub(crate) const PROJECTION: Op = Op(4);
    /// The second operand is a guard.
    pub(crate) const SELECTION: Op = Op(5);
    /// Saturation by an event set: an even number from here on.
    const SATURATION: u8 = 16;
    /// The most event sets that can be told apart.
    pub(crate) const EVENT_SETS: usize = (256 - Self::SATURATION as usize) / 2;

    /// Saturation by the event set in this slot.
    #[inline]
    pub(crate) fn saturate(slot: u8) -> Op {
        Op(Self::SATURATION + 2 * slot)
    }

    /// The image under a relation, saturated by the event set in this slot.
    #[inline]
    pub(crate) fn fire(slot: u8) -> Op {
        Op(Self::SATURATION + 2 * slot + 1)
    }
}

/// The numbers of 24 bits that a key has room for.
pub(crate) const NUMBERS: u32 = 1 << 24;

/// A key: operation and number, then two operands.
pub(crate) type Key = [u32; 3];

/// The key of an operation.
#[inline]
pub(crate) fn key(op: Op, number: u32, first: u32, node: Node) -> Key {
    debug_assert!(number < NUMBERS);
    [u32::from(op.0) << 24 | number, first, node.0]
}

#[derive(Clone, Copy)]
struct Slot {
    key: Key,
    result: Node,
}

const VACANT: Slot = Slot {
    key: [0; 3],
    result: Node::EMPTY,
};

/// The table.
pub(crate) struct Cache {
    slots: Vec<Slot>,
    lookups: u64,
    hits: u64,
    /// The misses at which the table is too small.
    enough: u64,
}

const SMALLEST: usize = 1 << 10;

/// Misses per slot after which a table is too small.
const MISSES: u64 = 4;

/// The slots that a table may have for few nodes.
const LARGE: usize = 1 << 18;

impl Cache {
    pub(crate) fn new() -> Self {
        Self::with_counts((0, 0))
    }

    /// An empty table that goes on counting look-ups and hits.
    pub(crate) fn with_counts((lookups, hits): (u64, u64)) -> Self {
        Cache {
            slots: vec![VACANT; SMALLEST],
            lookups,
            hits,
            enough: lookups - hits + MISSES * SMALLEST as u64,
        }
    }

    /// The bytes that the table takes.
    #[inline]
    pub(crate) fn bytes(&self) -> u64 {
        (self.slots.len() * size_of::<Slot>()) as u64
    }

    /// Look-ups so far, and how many of them found a result.
    pub(crate) fn statistics(&self) -> (u64, u64) {
        (self.lookups, self.hits)
    }

    /// Whether so much was not found since the table last grew that it is too small for the work,
    /// however few nodes there are.
    #[inline]
    pub(crate) fn thrashes(&self) -> bool {
        self.lookups - self.hits > self.enough && self.slots.len() < LARGE
    }

    /// The number of slots.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Where a result lies. Four nodes that follow each other in number share a line of the
    /// processor's cache: children of one row are often made one after the other, and asked for so.
    #[inline]
    fn index(&self, key: Key) -> usize {
        const LINE: u32 = 3;
        let [a, b, c] = [key[0], key[1], key[2] & !LINE].map(u64::from);
        let hash = (a << 32 | b).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ (c.wrapping_add(0x632b_e59b)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let hash = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        (hash as usize & (self.slots.len() - 1)) ^ (key[2] & LINE) as usize
    }

    #[inline]
    pub(crate) fn get(&mut self, key: Key) -> Option<Node> {
        self.lookups += 1;
        let slot = &self.slots[self.index(key)];
        if slot.key == key {
            self.hits += 1;
            return Some(slot.result);
        }
        None
    }

    #[inline]
    pub(crate) fn put(&mut self, key: Key, result: Node) {
        let index = self.index(key);
        self.slots[index] = Slot { key, result };
    }

    /// Doubles the table; results keep their place in it or move to the same place of the new half.
    ///
    /// Stays as it is if the system has no memory to give: that costs time, no results.
    pub(crate) fn double(&mut self) {
        let old = self.slots.len();
        if self.slots.try_reserve_exact(old).is_err() {
            return;
        }
        self.slots.resize(2 * old, VACANT);
        self.enough = self.lookups - self.hits + MISSES * 2 * old as u64;
        for i in 0..old {
            let slot = self.slots[i];
            let index = self.index(slot.key);
            if index != i && slot.key != VACANT.key {
                self.slots[index] = slot;
                self.slots[i] = VACANT;
            }
        }
    }

    /// Forgets results that speak of a node that is not marked.
    pub(crate) fn sweep(&mut self, marks: &Marks) {
        let dead = |number: u32| number != Node::ANY.0 && !marks.contains(Node(number));
        for slot in &mut self.slots {
            let [op, first, node] = slot.key;
            let guard = (op >> 24) as u8 == Op::SELECTION.0;
            if dead(node) || dead(slot.result.0) || (!guard && dead(first)) {
                *slot = VACANT;
            }
        }
    }

    /// Panics if a result speaks of a node that is not alive.
    pub(crate) fn check_invariants(&self, alive: impl Fn(Node) -> bool) {
        let alive = |number: u32| number == Node::ANY.0 || alive(Node(number));
        for slot in &self.slots {
            let [op, first, node] = slot.key;
            let guard = (op >> 24) as u8 == Op::SELECTION.0;
            assert!(alive(node) && alive(slot.result.0) && (guard || alive(first)));
        }
    }

    /// Forgets the results of some operations.
    pub(crate) fn forget(&mut self, ops: &[Op]) {
        for slot in &mut self.slots {
            if ops.contains(&Op((slot.key[0] >> 24) as u8)) {
                *slot = VACANT;
            }
        }
    }
}
