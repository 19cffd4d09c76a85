//! Lists of groups by number, one after the other in memory.

/// A list of groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ListId(pub u32);

/// Lists of groups, each ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    /// Where each list ends in `groups`; it starts where the one before ends.
    ends: Vec<u32>,
    groups: Vec<u32>,
}

impl Lists {
    /// Adds a list; groups may come in any order and more than once.
    pub fn push(&mut self, mut list: Vec<u32>) -> ListId {
        list.sort_unstable();
        list.dedup();
        self.groups.extend(list);
        let end = u32::try_from(self.groups.len()).expect("a model with fewer than 2^32 arcs");
        self.ends.push(end);
        ListId(self.ends.len() as u32 - 1)
    }

    /// The number of lists.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The groups of a list.
    #[inline]
    pub fn get(&self, list: ListId) -> &[u32] {
        let i = list.0 as usize;
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.groups[start..self.ends[i] as usize]
    }

    /// The bytes of the lists.
    pub fn bytes(&self) -> u64 {
        4 * (self.ends.capacity() + self.groups.capacity()) as u64
    }
}
