//! A proof as a decision diagram: markings, and at its leaves what is said about them.
//!
//! In the file, numbers have seven bits a byte, the least first, and the highest bit is set but in the last byte. A
//! diagram is:
//!
//! - levels: how many; each has the number of its places, the places, the number of its values, and for each value
//!   the tokens of the places. A place is in one level at most; those in none may have any tokens. Values ascend.
//! - slots: how many; each has the number of its formulas, and their numbers ascending. What ranks are about: sets
//!   of owed formulas for LTL, single formulas for CTL.
//! - leaves: how many; each has its letter, what it says of dead ends (0 nothing, 1 dead, 2 + t: transition t is
//!   enabled), the number of its cells, and for each the slot (as a difference), the rank, and the choice (0 none,
//!   1 + t).
//! - nodes, the lowest level first: how many of the level; each has the number of its arcs, and for each the value (as
//!   a difference) and the child among the nodes below (as a difference, signed: lowest bit).
//!
//! The root is the last node. Counts are compared with what is left of the file before anything is allocated: memory
//! is at most proportional to the file.

use std::ops::Range;

use crate::{Result, error};

/// A group of places that make one level, and the tokens that they may have together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Level {
    /// The places.
    pub places: Vec<usize>,
    /// The values: tokens of the places, ascending.
    pub values: Vec<Vec<u32>>,
}

/// What a leaf says about whether its markings are dead ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Alive {
    /// Nothing.
    Unknown,
    /// No transition is enabled.
    Dead,
    /// This transition is enabled.
    By(usize),
}

/// What a leaf says of one slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cell {
    /// The slot.
    pub slot: usize,
    /// The rank.
    pub rank: u64,
    /// The transition that is chosen, if one is.
    pub choice: Option<usize>,
}

/// What is said of all markings that lead to a leaf.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Leaf {
    /// Which atoms hold.
    pub letter: u64,
    /// Whether they are dead ends.
    pub alive: Alive,
    /// The slots that are defined, ascending.
    pub cells: Vec<Cell>,
}

impl Leaf {
    /// The cell of a slot.
    pub fn cell(&self, slot: usize) -> Option<&Cell> {
        self.cells.binary_search_by_key(&slot, |cell| cell.slot).ok().map(|at| &self.cells[at])
    }
}

/// A diagram. Leaves have the first numbers, then come the nodes of the lowest level, and so on; the root is the last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagram {
    /// The levels from the top.
    pub levels: Vec<Level>,
    /// The slots.
    pub slots: Vec<Vec<usize>>,
    /// The leaves.
    pub leaves: Vec<Leaf>,
    /// Of each level from the top, the number of its first node.
    firsts: Vec<u32>,
    /// Where the arcs of nodes begin: those of node `leaves + n` at `starts[n]`, up to `starts[n + 1]`.
    starts: Vec<usize>,
    /// Values, ascending per node, and children.
    arcs: Vec<(u32, u32)>,
}

impl Diagram {
    /// A diagram without nodes.
    pub fn new(levels: Vec<Level>, slots: Vec<Vec<usize>>, leaves: Vec<Leaf>) -> Self {
        Diagram { firsts: vec![0; levels.len()], levels, slots, leaves, starts: vec![0], arcs: Vec::new() }
    }

    /// That the nodes which are added from now on are of this level.
    pub fn begin_level(&mut self, level: usize) {
        self.firsts[level] = self.size();
    }

    /// Adds a node with values and children; levels are begun from the lowest.
    pub fn add(&mut self, arcs: impl IntoIterator<Item = (u32, u32)>) {
        self.arcs.extend(arcs);
        self.starts.push(self.arcs.len());
    }

    /// The number of leaves and nodes.
    fn size(&self) -> u32 {
        (self.leaves.len() + self.starts.len() - 1) as u32
    }

    /// The root.
    pub fn root(&self) -> u32 {
        self.size() - 1
    }

    /// The nodes of a level; below the last one, the leaves.
    pub fn nodes(&self, level: usize) -> Range<u32> {
        let first = |level: usize| self.firsts.get(level).copied().unwrap_or(0);
        let end = if level == 0 { self.size() } else { first(level - 1) };
        first(level)..end
    }

    /// The arcs of a node: values and children.
    pub fn arcs(&self, node: u32) -> &[(u32, u32)] {
        let at = node as usize - self.leaves.len();
        &self.arcs[self.starts[at]..self.starts[at + 1]]
    }

    /// The child of a node by a value.
    pub fn child(&self, node: u32, value: u32) -> Option<u32> {
        let arcs = self.arcs(node);
        arcs.binary_search_by_key(&value, |arc| arc.0).ok().map(|at| arcs[at].1)
    }

    /// For each leaf and node, something that follows from that of its children, joined one by one to `none`.
    pub(crate) fn upwards<T: Copy>(&self, leaf: impl Fn(usize) -> T, none: T, join: impl Fn(T, T) -> T) -> Vec<T> {
        let mut all: Vec<T> = (0..self.leaves.len()).map(leaf).collect();
        for node in self.leaves.len() as u32..self.size() {
            let below = self.arcs(node).iter().map(|arc| all[arc.1 as usize]);
            all.push(below.fold(none, &join));
        }
        all
    }

    /// The leaf of a marking.
    pub fn leaf_of(&self, marking: &[u32]) -> Option<&Leaf> {
        let mut node = self.root();
        for level in &self.levels {
            let tokens: Vec<u32> = level.places.iter().map(|&p| marking[p]).collect();
            node = self.child(node, level.values.binary_search(&tokens).ok()? as u32)?;
        }
        Some(&self.leaves[node as usize])
    }

    /// Puts the values of some levels, from one on, into a marking.
    pub(crate) fn put(&self, level: usize, values: &[u32], marking: &mut [u32]) {
        for (level, &value) in self.levels[level..].iter().zip(values) {
            for (&place, &tokens) in level.places.iter().zip(&level.values[value as usize]) {
                marking[place] = tokens;
            }
        }
    }

    /// Reads a diagram over so many places and transitions, from a byte on.
    pub fn parse(bytes: &[u8], at: usize, places: usize, transitions: usize) -> Result<Self> {
        if bytes.len() >= u32::MAX as usize {
            return error(0, "certificate: the file is too large");
        }
        let (mut numbers, mut seen) = (Numbers { bytes, at }, vec![0_usize; places]);
        let levels = numbers.list(2, |numbers| {
            let places = numbers.list(1, |numbers| numbers.below(places, "place"))?;
            for &place in &places {
                seen[place] += 1;
            }
            let tokens = |numbers: &mut Numbers<'_>| Ok(numbers.below(u32::MAX as usize, "number of tokens")? as u32);
            let value = |numbers: &mut Numbers<'_>| places.iter().map(|_| tokens(numbers)).collect();
            let values: Vec<Vec<u32>> = numbers.list(places.len(), value)?;
            let ascend = values.is_sorted_by(|one, next| one < next);
            if ascend { Ok(Level { places, values }) } else { error(numbers.at, "certificate: values do not ascend") }
        })?;
        if seen.iter().any(|&times| times > 1) {
            return error(numbers.at, "certificate: a place is in two levels");
        }
        let slots = numbers.list(1, |numbers| numbers.list(1, |numbers| numbers.below(usize::MAX, "formula")))?;
        let leaves = numbers.list(3, |numbers| {
            let (letter, mut from) = (numbers.next()?, 0);
            let alive = match numbers.below(transitions + 2, "transition")? {
                0 => Alive::Unknown,
                1 => Alive::Dead,
                t => Alive::By(t - 2),
            };
            let cells = numbers.list(3, |numbers| {
                let slot = from + numbers.below(slots.len() - from, "slot")?;
                from = slot + 1;
                let (rank, choice) = (numbers.next()?, numbers.below(transitions + 1, "transition")?);
                Ok(Cell { slot, rank, choice: choice.checked_sub(1) })
            })?;
            Ok(Leaf { letter, alive, cells })
        })?;
        let mut diagram = Diagram::new(levels, slots, leaves);
        for level in (0..diagram.levels.len()).rev() {
            diagram.begin_level(level);
            let (below, values, mut child) = (diagram.nodes(level + 1), diagram.levels[level].values.len(), 0_u64);
            numbers.list(1, |numbers| {
                let mut from = 0;
                let arcs = numbers.list(2, |numbers| {
                    let value = from + numbers.below(values - from, "value")?;
                    from = value + 1;
                    let step = numbers.next()?;
                    child = child.wrapping_add(if step & 1 == 0 { step >> 1 } else { !(step >> 1) });
                    match below.start.checked_add(child as u32) {
                        Some(node) if child < below.len() as u64 => Ok((value as u32, node)),
                        _ => error(numbers.at, "certificate: there is no such node"),
                    }
                })?;
                diagram.add(arcs);
                Ok(())
            })?;
        }
        numbers.end()?;
        if diagram.nodes(0).is_empty() { error(numbers.at, "certificate: there is no root") } else { Ok(diagram) }
    }
}

/// Numbers that are read from bytes.
pub(crate) struct Numbers<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
}

impl Numbers<'_> {
    pub(crate) fn next(&mut self) -> Result<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let Some(&byte) = self.bytes.get(self.at) else {
                return error(self.at, "certificate: the file ends early");
            };
            let part = u64::from(byte & 127);
            if part << shift >> shift != part {
                break;
            }
            self.at += 1;
            number |= part << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        error(self.at, "certificate: a number is too large")
    }

    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: usize, what: &str) -> Result<usize> {
        match usize::try_from(self.next()?) {
            Ok(number) if number < limit => Ok(number),
            _ => error(self.at, format!("certificate: there is no such {what}")),
        }
    }

    /// A count, and so many things that take at least `size` bytes each.
    pub(crate) fn list<T>(&mut self, size: usize, mut read: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let count = self.next()?;
        if count > ((self.bytes.len() - self.at) / size.max(1)) as u64 {
            return error(self.at, "certificate: a count exceeds what is left of the file");
        }
        (0..count).map(|_| read(self)).collect()
    }

    pub(crate) fn end(&self) -> Result<()> {
        if self.at < self.bytes.len() { error(self.at, "certificate: there is more behind the end") } else { Ok(()) }
    }
}
