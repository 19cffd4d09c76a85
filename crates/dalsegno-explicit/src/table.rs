//! The state table, or a shard of one: packed states in one arena, found again by open addressing.
//!
//! States are numbered as they come; state i is the words `i·w .. (i+1)·w` of the arena. A slot of the
//! table is 64 bits: 32 of the hash and 32 of the number plus one, zero when empty. The hash of a state
//! is a sum over its words, so a successor's hash follows from its parent's and the words that change.
//!
//! Looking up one state costs two cache misses, one in the table and one in the arena. A batch of states
//! is looked up in three passes, so that the misses of a batch overlap.

use dalsegno_kripke::{Budget, Stop};

const EMPTY: u64 = 0;

/// Who cannot go on without memory reserves it before.
const NO_MEMORY: &str = "an allocation failed";

/// The part of a hash that comes from one word.
#[inline]
pub(crate) fn word_hash(word: u64, position: usize) -> u64 {
    let x = word ^ (position as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
    (x ^ (x >> 32)).wrapping_mul(0xc4ce_b9fe_1a85_ec53)
}

/// The sum of the parts, mixed.
#[inline]
pub(crate) fn finish(sum: u64) -> u64 {
    let x = sum ^ (sum >> 29);
    x.wrapping_mul(0x94d0_49bb_1331_11eb)
}

/// The sum of the hashes of the words of a state.
#[inline]
pub(crate) fn hash_sum(state: &[u64]) -> u64 {
    state
        .iter()
        .enumerate()
        .fold(0u64, |sum, (i, &w)| sum.wrapping_add(word_hash(w, i)))
}

/// The hash of a packed state, the same for all tables.
#[inline]
#[must_use]
pub fn hash_of(state: &[u64]) -> u64 {
    finish(hash_sum(state))
}

/// Equality of two states; they are short, so no call is worth its cost.
#[inline]
fn equal(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).all(|(x, y)| x == y)
}

/// Packed states by number.
#[derive(Clone, Debug)]
pub struct StateTable {
    words: usize,
    arena: Vec<u64>,
    slots: Vec<u64>,
    len: usize,
}

impl StateTable {
    /// A table without states, each of so many words.
    #[must_use]
    pub fn new(words: usize) -> Self {
        StateTable {
            words,
            arena: Vec::new(),
            slots: vec![EMPTY; 1 << 12],
            len: 0,
        }
    }

    /// The number of states.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The words of a state.
    #[inline]
    #[must_use]
    pub fn state(&self, id: u32) -> &[u64] {
        let start = id as usize * self.words;
        &self.arena[start..start + self.words]
    }

    /// The bytes that the table holds.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        8 * (self.arena.capacity() as u64 + self.slots.capacity() as u64)
    }

    /// The number of a state, if it is known.
    #[must_use]
    pub fn find(&self, state: &[u64], hash: u64) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == EMPTY {
                return None;
            }
            if (slot ^ hash) >> 32 == 0 {
                let id = slot as u32 - 1;
                if equal(self.state(id), state) {
                    return Some(id);
                }
            }
            at = (at + 1) & mask;
        }
    }

    /// The numbers of the states in `batch`, one after the other in `states`; new ones are added.
    ///
    /// # Panics
    /// If memory runs out that was not reserved.
    #[inline]
    pub fn insert_batch(&mut self, states: &[u64], hashes: &[u64], ids: &mut Vec<u32>) {
        ids.clear();
        if self.is_full(hashes.len()) {
            self.grow(hashes.len(), &Budget::unlimited())
                .expect(NO_MEMORY);
        }
        let mask = self.slots.len() - 1;
        // First pass: the home slots. What is read here is kept where the numbers will stand.
        ids.extend(hashes.iter().map(|&h| {
            let slot = self.slots[h as usize & mask];
            if (slot ^ h) >> 32 == 0 {
                slot as u32
            } else {
                0
            }
        }));
        // Second pass: the states that the home slots speak of.
        for (i, id) in ids.iter_mut().enumerate() {
            let found = *id != 0 && {
                let start = (*id - 1) as usize * self.words;
                let stored = &self.arena[start..start + self.words];
                equal(stored, &states[i * self.words..(i + 1) * self.words])
            };
            *id = if found { *id } else { 0 };
        }
        // Third pass: what was not found at home.
        for (i, id) in ids.iter_mut().enumerate() {
            *id = if *id == 0 {
                self.insert(&states[i * self.words..(i + 1) * self.words], hashes[i])
                    .0
            } else {
                *id - 1
            };
        }
    }

    /// The number of a state, and whether it is new.
    ///
    /// # Panics
    /// If memory runs out that was not reserved, or there are 2^32 states.
    pub fn insert(&mut self, state: &[u64], hash: u64) -> (u32, bool) {
        if self.is_full(1) {
            self.grow(1, &Budget::unlimited()).expect(NO_MEMORY);
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == EMPTY {
                let id = u32::try_from(self.len).expect("the budget keeps the table below 2^32");
                self.slots[at] = hash >> 32 << 32 | u64::from(id + 1);
                self.arena.extend_from_slice(state);
                self.len += 1;
                return (id, true);
            }
            if (slot ^ hash) >> 32 == 0 {
                let id = slot as u32 - 1;
                if equal(self.state(id), state) {
                    return (id, false);
                }
            }
            at = (at + 1) & mask;
        }
    }

    /// Whether so many more states would fill more than three quarters of the slots.
    #[inline]
    fn is_full(&self, more: usize) -> bool {
        3 * self.slots.len() < 4 * (self.len + more)
    }

    /// Makes room for so many more states.
    ///
    /// # Errors
    /// If the memory for them cannot be had, or the budget does not grant it; the table is as it was then.
    #[inline]
    pub fn reserve(&mut self, more: usize, budget: &Budget) -> Result<(), Stop> {
        let words = more * self.words;
        if self.arena.capacity() - self.arena.len() < words {
            self.grow_arena(words, budget)?;
        }
        if self.is_full(more) {
            self.grow(more, budget)?;
        }
        Ok(())
    }

    /// Doubles the arena, or makes it a little larger where the budget does not allow that.
    #[cold]
    fn grow_arena(&mut self, words: usize, budget: &Budget) -> Result<(), Stop> {
        let (capacity, needed) = (self.arena.capacity(), self.arena.len() + words);
        let bytes = |capacity: usize| 8 * (capacity + self.slots.capacity()) as u64;
        let mut size = needed.max(2 * capacity);
        if budget.check_bytes(bytes(size)).is_err() {
            size = needed.max(capacity + capacity / 8);
            budget.check_bytes(bytes(size))?;
        }
        let room = self.arena.try_reserve_exact(size - self.arena.len());
        room.map_err(|_| Stop::Memory)
    }

    #[cold]
    fn grow(&mut self, more: usize, budget: &Budget) -> Result<(), Stop> {
        let size = (4 * (self.len + more) / 3).next_power_of_two();
        let size = size.max(2 * self.slots.len());
        budget.check_bytes(8 * (self.arena.capacity() + size) as u64)?;
        let mut slots = Vec::new();
        slots.try_reserve_exact(size).map_err(|_| Stop::Memory)?;
        // The old slots are given back before the new ones are touched: both are never resident.
        self.slots = Vec::new();
        slots.resize(size, EMPTY);
        self.slots = slots;
        let mask = size - 1;
        for id in 0..self.len as u32 {
            let hash = hash_of(self.state(id));
            let mut at = hash as usize & mask;
            while self.slots[at] != EMPTY {
                at = (at + 1) & mask;
            }
            self.slots[at] = hash >> 32 << 32 | u64::from(id + 1);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_found_again() {
        let mut table = StateTable::new(2);
        let state = |i: u64| [i / 3, i * 7];
        let hash = hash_of;
        for i in 0..20_000u64 {
            let s = state(i);
            assert_eq!(table.insert(&s, hash(&s)), (i as u32, true));
        }
        let mut ids = Vec::new();
        for i in (0..19_000u64).step_by(100) {
            let batch: Vec<u64> = (i..i + 100).flat_map(state).collect();
            let hashes: Vec<u64> = batch.chunks(2).map(hash).collect();
            table.insert_batch(&batch, &hashes, &mut ids);
            assert_eq!(ids, (i as u32..i as u32 + 100).collect::<Vec<_>>());
        }
        assert_eq!(table.len(), 20_000);
    }

    #[test]
    fn a_batch_may_repeat_a_new_state() {
        let mut table = StateTable::new(1);
        let batch = [5, 6, 5, 6];
        let hashes: Vec<u64> = batch.iter().map(|&w| hash_of(&[w])).collect();
        let mut ids = Vec::new();
        table.insert_batch(&batch, &hashes, &mut ids);
        assert_eq!(ids, [0, 1, 0, 1]);
    }
}
