//! Sets of groups by number, one after the other in memory.
//!
//! A set is a sequence of words of 64 bits that are not zero, each with its position. Groups that belong together lie side by
//! side in a model, so most sets are a word or two, and a set of any size is added to another by one operation
//! per word. The memory is linear in the members at worst.

/// A set of groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ListId(pub u32);

/// 64 groups of a set, those from `64 * at` on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Word {
    pub at: u32,
    pub bits: u64,
}

/// Sets of groups.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    /// Where each set ends in `words`, and how many groups it has; it starts where the one before ends.
    ends: Vec<(u32, u32)>,
    words: Vec<Word>,
}

impl Lists {
    /// Adds a set; groups may come in any order and more than once.
    pub fn push(&mut self, mut list: Vec<u32>) -> ListId {
        list.sort_unstable();
        list.dedup();
        let start = self.words.len();
        for &group in &list {
            let (at, bit) = (group / 64, 1 << (group % 64));
            match self.words[start..].last_mut() {
                Some(word) if word.at == at => word.bits |= bit,
                _ => self.words.push(Word { at, bits: bit }),
            }
        }
        let end = u32::try_from(self.words.len()).expect("a model with fewer than 2^32 arcs");
        self.ends.push((end, list.len() as u32));
        ListId(self.ends.len() as u32 - 1)
    }

    /// The number of sets.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The words of a set.
    #[inline]
    pub fn get(&self, list: ListId) -> &[Word] {
        let i = list.0 as usize;
        let start = if i == 0 { 0 } else { self.ends[i - 1].0 };
        &self.words[start as usize..self.ends[i].0 as usize]
    }

    /// How many groups a set has.
    #[inline]
    pub fn count(&self, list: ListId) -> usize {
        self.ends[list.0 as usize].1 as usize
    }

    /// The bytes of the sets.
    pub fn bytes(&self) -> u64 {
        (8 * self.ends.capacity() + size_of::<Word>() * self.words.capacity()) as u64
    }
}

/// The groups of words, ascending.
pub(crate) fn groups(words: &[Word]) -> impl Iterator<Item = u32> + '_ {
    let of = |word: &Word| {
        let (first, bits) = (64 * word.at, word.bits);
        let rest = |bits: &u64| Some(bits & (bits - 1)).filter(|&left| left != 0);
        std::iter::successors(Some(bits), rest).map(move |bits| first + bits.trailing_zeros())
    };
    words.iter().flat_map(of)
}
