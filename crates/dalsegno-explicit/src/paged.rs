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
    pages: Vec<[u32; PAGE]>,
}

/// The numbers of a page.
const PAGE: usize = 1 << 12;

impl Paged {
    pub fn new() -> Self {
        Paged {
            table: Vec::new(),
            pages: vec![[0; PAGE]],
        }
    }

    #[inline]
    pub fn get(&self, index: usize) -> u32 {
        let page = self.table.get(index / PAGE).copied().unwrap_or(0);
        self.pages[page as usize][index % PAGE]
    }

    #[inline]
    pub fn set(&mut self, index: usize, number: u32) {
        let page = match self.table.get(index / PAGE) {
            Some(&page) if page != 0 => page,
            _ => self.add_page(index / PAGE),
        };
        self.pages[page as usize][index % PAGE] = number;
    }

    /// The bytes of the array.
    pub fn bytes(&self) -> u64 {
        4 * (self.table.capacity() + PAGE * self.pages.capacity()) as u64
    }

    #[cold]
    fn add_page(&mut self, at: usize) -> u32 {
        if at >= self.table.len() {
            self.table.resize(at + 1, 0);
        }
        let page = u32::try_from(self.pages.len()).expect("no memory holds 2^32 pages");
        self.pages.push([0; PAGE]);
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
