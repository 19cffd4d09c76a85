//! Numbers of any size for all nodes of one level.
//!
//! The numbers of one level are of about the same size, so they lie side by side with as many
//! words each as the largest of them needs: no allocation per number, and adding is a walk along
//! two slices. A level begins with one word more than the numbers it adds up; so many numbers that
//! this is not enough do not fit into any memory. When the level is done, words that none needs go.

use num_bigint::BigUint;

/// The numbers of one level, least significant word first.
#[derive(Default)]
pub(crate) struct Column {
    width: usize,
    words: Vec<u64>,
}

impl Column {
    /// The number 0.
    pub(crate) fn zero() -> Self {
        Column {
            width: 1,
            words: vec![0],
        }
    }

    /// The number 1.
    pub(crate) fn one() -> Self {
        Column {
            width: 1,
            words: vec![1],
        }
    }

    /// The bytes that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        8 * self.words.capacity() as u64
    }

    /// The words of each number.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The bytes that so many numbers of so many words take.
    pub(crate) fn bytes_of(len: usize, width: usize) -> u64 {
        (len as u64).saturating_mul(8 * width as u64)
    }

    /// Makes this so many zeros of `width` words.
    pub(crate) fn reset(&mut self, len: usize, width: usize) {
        self.width = width;
        self.words.clear();
        self.words.resize(len * width, 0);
    }

    /// Adds the number at `j` of another column, whose numbers are shorter, to the one at `i`.
    #[inline]
    pub(crate) fn add(&mut self, i: usize, other: &Column, j: usize) {
        debug_assert!(other.width < self.width, "a carry has room");
        let from = &other.words[j * other.width..][..other.width];
        add_words(&mut self.words[i * self.width..][..self.width], from);
    }

    /// The words that the largest number needs, at least one.
    pub(crate) fn needed(&self) -> usize {
        let mut needed = self.width.min(1);
        for number in self.words.chunks_exact(self.width.max(1)) {
            while needed < self.width && number[needed..].iter().any(|&word| word != 0) {
                needed += 1;
            }
            if needed == self.width {
                break;
            }
        }
        needed
    }

    /// Drops the words from `width` on, which are all 0.
    pub(crate) fn trim(&mut self, width: usize) {
        if width >= self.width {
            return;
        }
        let len = self.words.len() / self.width;
        for i in 0..len {
            let start = i * self.width;
            self.words.copy_within(start..start + width, i * width);
        }
        self.words.truncate(len * width);
        self.width = width;
    }

    /// The number at `i`.
    pub(crate) fn number(&self, i: usize) -> BigUint {
        let words = &self.words[i * self.width..][..self.width];
        let halves = words.iter().flat_map(|&w| [w as u32, (w >> 32) as u32]);
        BigUint::new(halves.collect())
    }
}

/// Adds a number to another that has room for the sum.
#[inline]
fn add_words(to: &mut [u64], from: &[u64]) {
    let (low, high) = to.split_at_mut(from.len());
    let mut carry = false;
    for (a, &b) in low.iter_mut().zip(from) {
        let (sum, over) = a.overflowing_add(b);
        let (sum, more) = sum.overflowing_add(u64::from(carry));
        *a = sum;
        carry = over | more;
    }
    for a in high {
        if !carry {
            return;
        }
        (*a, carry) = a.overflowing_add(1);
    }
    debug_assert!(!carry, "a carry has room");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carries_run_through_all_words_and_zeros_are_dropped() {
        let mut powers = Column {
            width: 1,
            words: vec![1, 1],
        };
        // Twice the last number, level after level: 2^level.
        for level in 1..=200 {
            let mut next = Column::default();
            next.reset(2, powers.width() + 1);
            for i in [0, 0, 1, 1] {
                next.add(i, &powers, i);
            }
            let needed = next.needed();
            assert_eq!(needed, 1 + level / 64);
            next.trim(needed);
            powers = next;
        }
        assert_eq!(powers.number(1), BigUint::from(1_u32) << 200);
        // 2^128 - 1 and 1 make a carry in every word.
        let mut ones = Column {
            width: 2,
            words: vec![u64::MAX, u64::MAX],
        };
        let mut sum = Column::default();
        sum.reset(1, 3);
        sum.add(0, &Column::one(), 0);
        sum.add(0, &ones, 0);
        assert_eq!(sum.number(0), BigUint::from(1_u32) << 128);
        ones.trim(5);
        assert_eq!(ones.width(), 2);
    }

    #[test]
    fn a_column_without_numbers_is_fine() {
        let mut none = Column::default();
        assert_eq!(none.needed(), 0);
        none.reset(0, 3);
        assert_eq!(none.needed(), 1);
        none.trim(1);
        assert_eq!(none.width(), 1);
    }
}
