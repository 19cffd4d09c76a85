//! Numbers by index, stored in pages that exist only where a number was set.
//!
//! A search in a store with millions of states may touch a few thousand of them. What it keeps per state costs a page
//! where it was, and a table entry per page elsewhere. All pages lie in one vector, so that a growing array asks for
//! memory a few times only.
//!
//! Invariants:
//! 1. Page 0 holds nothing but 0 and is never written: every page that was not made is page 0.
//! 2. `table[i]` is the number of the page of the indices `i·PAGE .. (i+1)·PAGE`.

/// An array of numbers, 0 where none was set.
#[derive(Clone, Debug)]
pub(crate) struct Paged {
    table: Vec<u32>,
    slots: Vec<u32>,
}

/// The numbers of a page.
const PAGE: usize = 1 << SHIFT;
const SHIFT: usize = 12;

impl Paged {
    pub fn new() -> Self {
        Paged {
            table: Vec::new(),
            slots: vec![0; PAGE],
        }
    }

    #[inline]
    pub fn get(&self, index: usize) -> u32 {
        let page = self.table.get(index >> SHIFT).copied().unwrap_or(0);
        self.slots[(page as usize) << SHIFT | index & (PAGE - 1)]
    }

    #[inline]
    pub fn set(&mut self, index: usize, number: u32) {
        let page = match self.table.get(index >> SHIFT) {
            Some(&page) if page != 0 => page,
            _ => self.add_page(index >> SHIFT),
        };
        self.slots[(page as usize) << SHIFT | index & (PAGE - 1)] = number;
    }

    /// The bytes of the array.
    pub fn bytes(&self) -> u64 {
        4 * (self.table.capacity() + self.slots.capacity()) as u64
    }

    #[cold]
    fn add_page(&mut self, at: usize) -> u32 {
        if at >= self.table.len() {
            self.table.resize(at + 1, 0);
        }
        let page = self.slots.len() >> SHIFT;
        let page = u32::try_from(page).expect("2^32 pages are more than any memory holds");
        self.slots.resize(self.slots.len() + PAGE, 0);
        self.table[at] = page;
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_set_is_found_and_the_rest_is_zero() {
        let mut paged = Paged::new();
        let indices = [0, 1, 4095, 4096, 70_000, 9_999_999, 4096 * 17];
        for (number, &index) in (1..).zip(&indices) {
            paged.set(index, number);
        }
        for (number, &index) in (1..).zip(&indices) {
            assert_eq!(paged.get(index), number);
        }
        assert_eq!([2, 5000, 9_999_998, 1 << 40].map(|i| paged.get(i)), [0; 4]);
        paged.set(1, 0);
        assert_eq!((paged.get(0), paged.get(1)), (1, 0));
    }

    #[test]
    fn far_indices_cost_pages_and_not_what_lies_between() {
        let mut paged = Paged::new();
        paged.set(10_000_000, 1);
        assert!(paged.bytes() < 64 << 10, "{} bytes", paged.bytes());
        let empty = Paged::new().bytes();
        assert_eq!(empty, 4 * PAGE as u64);
    }
}
