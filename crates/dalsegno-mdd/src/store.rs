//! Nodes: where rows live, how equal rows become one node, and how dead ones go away.
//!
//! ```text
//! entries   0      1      2            3         …       indexed by node, 16 bytes each
//!           empty  one    place,len    place,len
//!                         |            |
//!                +--------+            +-----+
//!                v                           v
//! arena     [ 2 | first child child child ][ 3 | value child value child ]  32-bit words
//!             id  dense row: first..first+2       sparse row
//! ```
//!
//! A row whose values follow each other without a gap is *dense* and stores its first value only.
//! Nodes are numbered once and keep their number, so handles and cached results survive a
//! collection; it is the rows that move down the arena.
//!
//! Invariants:
//!
//! 1. Two nodes never have the same row (hash-consing). As children lie one level deeper than
//!    their parent, nodes of different levels never have the same row, and no level is stored.
//! 2. Values of a row ascend strictly, and no child is [`Node::EMPTY`]; no row is empty.
//! 3. Every record of the arena begins with the node that it belongs to, and the entry of that
//!    node leads back to it. Records lie side by side without a gap.
//! 4. The chain of a bucket holds exactly the nodes whose hash ends in its number.

use crate::Stop;

/// A node of a diagram, as a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Node(pub(crate) u32);

impl Node {
    /// The empty set, at every level.
    pub(crate) const EMPTY: Node = Node(0);
    /// The set of the empty vector, below the last level.
    pub(crate) const ONE: Node = Node(1);
    /// No node: where a constraint is expected, none is meant.
    pub(crate) const ANY: Node = Node(u32::MAX);

    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether this is one of the two nodes without a row.
    #[inline]
    pub(crate) fn is_leaf(self) -> bool {
        self.0 < 2
    }
}

/// A value and where it leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    pub(crate) value: u32,
    pub(crate) child: Node,
    /// When the child changed; used while a row is saturated.
    pub(crate) stamp: u32,
    /// When the events of this value alone were last fired.
    pub(crate) fired: u32,
}

/// Where the row of a node lies: offset (40 bits), length (23 bits), dense (1 bit).
#[derive(Clone, Copy)]
struct Entry {
    place: u64,
    hash: u32,
    /// The next node of the bucket, or of the list of free numbers.
    next: u32,
}

const NIL: u32 = u32::MAX;
const FEWEST_BUCKETS: usize = 1 << 8;
const LENGTH_BITS: u32 = 23;
const LONGEST: usize = (1 << LENGTH_BITS) - 1;

impl Entry {
    #[inline]
    fn offset(self) -> usize {
        (self.place >> (LENGTH_BITS + 1)) as usize
    }

    #[inline]
    fn len(self) -> usize {
        (self.place >> 1) as usize & LONGEST
    }

    #[inline]
    fn dense(self) -> bool {
        self.place & 1 == 1
    }

    /// The words of the record, its first word included.
    #[inline]
    fn words(self) -> usize {
        if self.dense() {
            2 + self.len()
        } else {
            1 + 2 * self.len()
        }
    }

    fn place(offset: usize, len: usize, dense: bool) -> u64 {
        (offset as u64) << (LENGTH_BITS + 1) | (len as u64) << 1 | u64::from(dense)
    }
}

/// The nodes of a manager.
pub(crate) struct Store {
    entries: Vec<Entry>,
    arena: Vec<u32>,
    buckets: Vec<u32>,
    free: u32,
    live: usize,
}

/// Which nodes are reachable from the roots.
pub(crate) struct Marks(Vec<u64>);

impl Marks {
    #[inline]
    pub(crate) fn contains(&self, node: Node) -> bool {
        self.0[node.index() / 64] >> (node.index() % 64) & 1 == 1
    }

    /// Marks a node; whether it was not marked before.
    #[inline]
    fn insert(&mut self, node: Node) -> bool {
        let word = &mut self.0[node.index() / 64];
        let bit = 1 << (node.index() % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
}

impl Store {
    pub(crate) fn new() -> Self {
        let leaf = Entry {
            place: 0,
            hash: 0,
            next: NIL,
        };
        Store {
            entries: vec![leaf; 2],
            arena: Vec::new(),
            buckets: vec![NIL; FEWEST_BUCKETS],
            free: NIL,
            live: 0,
        }
    }

    /// The number of nodes, leaves not counted.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.live
    }

    /// The words of all rows.
    #[inline]
    pub(crate) fn words(&self) -> usize {
        self.arena.len()
    }

    /// One more than the largest number of a node.
    pub(crate) fn numbers(&self) -> usize {
        self.entries.len()
    }

    /// The bytes that the tables take.
    #[inline]
    pub(crate) fn bytes(&self) -> u64 {
        let entries = self.entries.capacity() * size_of::<Entry>();
        (entries + 4 * self.arena.capacity() + 4 * self.buckets.capacity()) as u64
    }

    /// The bytes that the rows and entries of the nodes take now, with nothing in reserve.
    pub(crate) fn used(&self) -> u64 {
        let entries = self.live * (size_of::<Entry>() + 4);
        (entries + 4 * self.arena.len()) as u64
    }

    /// Whether a number is one of a node, leaves included.
    pub(crate) fn is_alive(&self, node: Node) -> bool {
        node.is_leaf() || self.entries.get(node.index()).is_some_and(|e| e.len() > 0)
    }

    /// The length of a node's row; 0 for a leaf.
    #[inline]
    pub(crate) fn row_len(&self, node: Node) -> usize {
        self.entries[node.index()].len()
    }

    /// The edge at a position of a node's row.
    #[inline]
    pub(crate) fn edge(&self, node: Node, i: usize) -> (u32, Node) {
        let entry = self.entries[node.index()];
        debug_assert!(i < entry.len());
        let at = entry.offset() + 1;
        if entry.dense() {
            (self.arena[at] + i as u32, Node(self.arena[at + 1 + i]))
        } else {
            let at = at + 2 * i;
            (self.arena[at], Node(self.arena[at + 1]))
        }
    }

    /// All edges of a node's row.
    pub(crate) fn row(&self, node: Node) -> impl ExactSizeIterator<Item = (u32, Node)> + '_ {
        (0..self.row_len(node)).map(move |i| self.edge(node, i))
    }

    /// The position of the first edge with at least this value.
    #[inline]
    pub(crate) fn position(&self, node: Node, value: u32) -> usize {
        let entry = self.entries[node.index()];
        let at = entry.offset() + 1;
        let len = entry.len();
        if len == 0 {
            return 0;
        }
        if entry.dense() {
            return (value.saturating_sub(self.arena[at]) as usize).min(len);
        }
        let (mut low, mut high) = (0, len);
        while low < high {
            let middle = low.midpoint(high);
            if self.arena[at + 2 * middle] < value {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Where a value leads; [`Node::EMPTY`] if the row does not have it.
    #[inline]
    pub(crate) fn child(&self, node: Node, value: u32) -> Node {
        let i = self.position(node, value);
        if i < self.row_len(node) {
            let (found, child) = self.edge(node, i);
            if found == value {
                return child;
            }
        }
        Node::EMPTY
    }

    /// The node with a row; the row ascends by value, and edges to [`Node::EMPTY`] are left out.
    ///
    /// # Errors
    /// [`Stop::Memory`] if the tables would have to grow beyond `limit` bytes.
    pub(crate) fn make(&mut self, row: &[Edge], limit: u64) -> Result<Node, Stop> {
        let Some((first, last)) = row.first().zip(row.last()) else {
            return Ok(Node::EMPTY);
        };
        if row.len() > LONGEST {
            return Err(Stop::Memory);
        }
        let dense = (last.value - first.value) as usize == row.len() - 1;
        let size = if dense {
            2 + row.len()
        } else {
            1 + 2 * row.len()
        };
        self.reserve(size, limit)?;
        // The row is written where it would stay, compared there, and taken back if it is known.
        let offset = self.arena.len();
        self.arena.push(NIL);
        if dense {
            self.arena.push(first.value);
            self.arena.extend(row.iter().map(|edge| edge.child.0));
        } else {
            let words = row.iter().flat_map(|edge| [edge.value, edge.child.0]);
            self.arena.extend(words);
        }
        let hash = hash_words(&self.arena[offset + 1..]);
        let place = Entry::place(offset, row.len(), dense);
        let bucket = hash as usize & (self.buckets.len() - 1);
        let mut at = self.buckets[bucket];
        while at != NIL {
            let entry = self.entries[at as usize];
            if entry.hash == hash && self.same_row(entry, offset, place) {
                self.arena.truncate(offset);
                return Ok(Node(at));
            }
            at = entry.next;
        }
        let entry = Entry {
            place,
            hash,
            next: self.buckets[bucket],
        };
        let node = self.number(entry);
        self.arena[offset] = node;
        self.buckets[bucket] = node;
        self.live += 1;
        Ok(Node(node))
    }

    #[inline]
    fn same_row(&self, entry: Entry, offset: usize, place: u64) -> bool {
        const SHAPE: u64 = (1 << (LENGTH_BITS + 1)) - 1;
        let words = self.arena.len() - offset - 1;
        let at = entry.offset() + 1;
        entry.place & SHAPE == place & SHAPE
            && self.arena[at..at + words] == self.arena[offset + 1..]
    }

    /// A free number, given to `entry`.
    fn number(&mut self, entry: Entry) -> u32 {
        if self.free == NIL {
            self.entries.push(entry);
            return (self.entries.len() - 1) as u32;
        }
        let node = self.free;
        self.free = self.entries[node as usize].next;
        self.entries[node as usize] = entry;
        node
    }

    /// Makes room for one node with a record of `words` words.
    #[inline]
    fn reserve(&mut self, words: usize, limit: u64) -> Result<(), Stop> {
        let full = self.arena.capacity() - self.arena.len() < words
            || (self.free == NIL && self.entries.len() == self.entries.capacity())
            || self.live >= self.buckets.len();
        if full {
            self.grow(words, limit)
        } else {
            Ok(())
        }
    }

    #[cold]
    fn grow(&mut self, words: usize, limit: u64) -> Result<(), Stop> {
        if self.arena.capacity() - self.arena.len() < words {
            let room = limit.saturating_sub(self.bytes());
            extend(&mut self.arena, words, room)?;
        }
        if self.free == NIL && self.entries.len() == self.entries.capacity() {
            let room = limit.saturating_sub(self.bytes());
            extend(&mut self.entries, 1, room)?;
            if self.entries.capacity() >= NIL as usize {
                return Err(Stop::Memory);
            }
        }
        if self.live >= self.buckets.len() {
            let more = self.buckets.len();
            if limit.saturating_sub(self.bytes()) >= 4 * more as u64 {
                let reserved = self.buckets.try_reserve_exact(more);
                reserved.map_err(|_| Stop::Memory)?;
                self.buckets.clear();
                self.buckets.resize(2 * more, NIL);
                self.chain();
            } else if self.live >= 4 * more {
                // Without room for more buckets, chains may become a little longer.
                return Err(Stop::Memory);
            }
        }
        Ok(())
    }

    /// Fills the empty buckets with all nodes, walking along the arena.
    fn chain(&mut self) {
        let mut at = 0;
        while at < self.arena.len() {
            let node = self.arena[at];
            let entry = &mut self.entries[node as usize];
            let bucket = entry.hash as usize & (self.buckets.len() - 1);
            entry.next = self.buckets[bucket];
            self.buckets[bucket] = node;
            at += entry.words();
        }
    }

    /// What is reachable from `roots`; [`Node::ANY`] is skipped.
    pub(crate) fn mark(&self, roots: impl Iterator<Item = Node>) -> Marks {
        let mut marks = Marks(vec![0; self.entries.len().div_ceil(64)]);
        marks.0[0] = 0b11;
        let mut work = Vec::new();
        for root in roots {
            if root != Node::ANY && marks.insert(root) {
                work.push(root);
            }
            while let Some(node) = work.pop() {
                for (_, child) in self.row(node) {
                    if marks.insert(child) {
                        work.push(child);
                    }
                }
            }
        }
        marks
    }

    /// Drops every node that is not marked and moves the rows of the others together.
    pub(crate) fn sweep(&mut self, marks: &Marks) {
        let (mut from, mut to) = (0, 0);
        self.live = 0;
        while from < self.arena.len() {
            let node = Node(self.arena[from]);
            let entry = &mut self.entries[node.index()];
            let words = entry.words();
            if marks.contains(node) {
                entry.place = Entry::place(to, entry.len(), entry.dense());
                self.arena.copy_within(from..from + words, to);
                to += words;
                self.live += 1;
            } else {
                *entry = Entry {
                    place: 0,
                    hash: 0,
                    next: self.free,
                };
                self.free = node.0;
            }
            from += words;
        }
        self.arena.truncate(to);
        self.buckets.fill(NIL);
        self.chain();
    }

    /// Gives memory back that is held in reserve; after a collection.
    pub(crate) fn shrink(&mut self) {
        // Numbers at the end that no node has are dropped, the others are linked again.
        let last = self.entries.iter().rposition(|entry| entry.len() > 0);
        self.entries.truncate(last.map_or(2, |last| last + 1));
        self.free = NIL;
        for number in (2..self.entries.len()).rev() {
            if self.entries[number].len() == 0 {
                self.entries[number].next = self.free;
                self.free = number as u32;
            }
        }
        self.entries.shrink_to_fit();
        self.arena.shrink_to_fit();
        let buckets = self.live.next_power_of_two().max(FEWEST_BUCKETS);
        self.buckets.clear();
        self.buckets.resize(buckets, NIL);
        self.buckets.shrink_to_fit();
        self.chain();
    }

    /// Panics if an invariant is broken.
    pub(crate) fn check_invariants(&self) {
        let mut rows = std::collections::HashSet::new();
        let mut at = 0;
        while at < self.arena.len() {
            let node = Node(self.arena[at]);
            let entry = self.entries[node.index()];
            assert_eq!(entry.offset(), at, "invariant 3");
            let row: Vec<(u32, Node)> = self.row(node).collect();
            assert!(!row.is_empty(), "invariant 2");
            let alive = |child: Node| child != Node::EMPTY && self.is_alive(child);
            assert!(row.iter().all(|edge| alive(edge.1)), "invariant 2");
            assert!(
                row.windows(2).all(|pair| pair[0].0 < pair[1].0),
                "invariant 2"
            );
            assert!(rows.insert(row), "invariant 1");
            at += entry.words();
        }
        let mut chained = 0;
        for (number, &head) in self.buckets.iter().enumerate() {
            let mut node = head;
            while node != NIL {
                let entry = self.entries[node as usize];
                assert_eq!(entry.hash as usize & (self.buckets.len() - 1), number);
                chained += 1;
                node = entry.next;
            }
        }
        assert_eq!((chained, rows.len()), (self.live, self.live), "invariant 4");
    }
}

/// Makes room for `least` more items and in reserve for half as many as there are, if `room` bytes
/// allow it.
fn extend<T>(items: &mut Vec<T>, least: usize, room: u64) -> Result<(), Stop> {
    let most = usize::try_from(room / size_of::<T>() as u64).unwrap_or(usize::MAX);
    if most < least {
        return Err(Stop::Memory);
    }
    let more = (items.len() / 2).max(64).min(most).max(least);
    items.try_reserve_exact(more).map_err(|_| Stop::Memory)
}

/// Two multiplications per four words; rows can be long.
#[inline]
fn hash_words(words: &[u32]) -> u32 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut pairs = words.chunks_exact(2);
    let mut hash = words.len() as u64;
    for pair in &mut pairs {
        let word = u64::from(pair[0]) | u64::from(pair[1]) << 32;
        hash = (hash ^ word).wrapping_mul(K);
        hash ^= hash >> 29;
    }
    if let [last] = pairs.remainder() {
        hash = (hash ^ u64::from(*last)).wrapping_mul(K);
    }
    (hash >> 32) as u32
}
