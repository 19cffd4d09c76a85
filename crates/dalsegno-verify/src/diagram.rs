//! A proof as a decision diagram: markings, and at its leaves what is said about them.
//!
//! In the file, numbers have seven bits a byte, the least first, and the highest bit is set but in the last byte. A
//! diagram is:
//!
//! - levels: how many; each has the number of its places, the places, the number of its values, and for each value
//!   the tokens of the places. Every place is in one level, values ascend.
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
    #[must_use]
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
    #[must_use]
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
    #[must_use]
    pub fn root(&self) -> u32 {
        self.size() - 1
    }

    /// The nodes of a level; below the last one, the leaves.
    #[must_use]
    pub fn nodes(&self, level: usize) -> Range<u32> {
        let first = |level: usize| self.firsts.get(level).copied().unwrap_or(0);
        let end = if level == 0 { self.size() } else { first(level - 1) };
        first(level)..end
    }

    /// The arcs of a node: values and children.
    #[must_use]
    pub fn arcs(&self, node: u32) -> &[(u32, u32)] {
        let at = node as usize - self.leaves.len();
        &self.arcs[self.starts[at]..self.starts[at + 1]]
    }

    /// The child of a node by a value.
    #[must_use]
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
    #[must_use]
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
    ///
    /// # Errors
    /// If the bytes are none.
    pub fn parse(bytes: &[u8], at: usize, places: usize, transitions: usize) -> Result<Self> {
        if bytes.len() >= u32::MAX as usize {
            return error(0, "certificate: the file is too large");
        }
        let mut numbers = Numbers { bytes, at };
        let levels = read_levels(&mut numbers, places)?;
        let mut slots = Vec::new();
        for _ in 0..numbers.count(1)? {
            let count = numbers.count(1)?;
            slots.push((0..count).map(|_| numbers.below(usize::MAX, "formula")).collect::<Result<Vec<usize>>>()?);
        }
        let mut leaves = Vec::new();
        for _ in 0..numbers.count(3)? {
            leaves.push(read_leaf(&mut numbers, slots.len(), transitions)?);
        }
        let mut diagram = Diagram::new(levels, slots, leaves);
        for level in (0..diagram.levels.len()).rev() {
            diagram.read_nodes(&mut numbers, level)?;
        }
        numbers.end()?;
        if diagram.nodes(0).is_empty() { error(numbers.at, "certificate: there is no root") } else { Ok(diagram) }
    }

    fn read_nodes(&mut self, numbers: &mut Numbers<'_>, level: usize) -> Result<()> {
        self.begin_level(level);
        let (below, values) = (self.nodes(level + 1), self.levels[level].values.len());
        let mut child = 0_i64;
        for _ in 0..numbers.count(1)? {
            let mut from = 0;
            for _ in 0..numbers.count(2)? {
                let value = from + numbers.below(values - from, "value")?;
                from = value + 1;
                child = child.saturating_add(numbers.signed()?);
                match u32::try_from(child) {
                    Ok(child) if (child as usize) < below.len() => self.arcs.push((value as u32, below.start + child)),
                    _ => return error(numbers.at, "certificate: there is no such node"),
                }
            }
            self.starts.push(self.arcs.len());
        }
        Ok(())
    }
}

fn read_levels(numbers: &mut Numbers<'_>, places: usize) -> Result<Vec<Level>> {
    let mut levels = Vec::new();
    let mut seen = vec![false; places];
    for _ in 0..numbers.count(2)? {
        let mut level = Level::default();
        for _ in 0..numbers.count(1)? {
            let place = numbers.below(places, "place")?;
            if std::mem::replace(&mut seen[place], true) {
                return error(numbers.at, "certificate: a place is in two levels");
            }
            level.places.push(place);
        }
        for _ in 0..numbers.count(level.places.len())? {
            let value = level.places.iter().map(|_| numbers.below(u32::MAX as usize, "number of tokens"));
            let value = value.map(|tokens| Ok(tokens? as u32)).collect::<Result<Vec<u32>>>()?;
            if level.values.last().is_some_and(|last| *last >= value) {
                return error(numbers.at, "certificate: values of a level do not ascend");
            }
            level.values.push(value);
        }
        levels.push(level);
    }
    if seen.contains(&false) { error(numbers.at, "certificate: a place is in no level") } else { Ok(levels) }
}

fn read_leaf(numbers: &mut Numbers<'_>, slots: usize, transitions: usize) -> Result<Leaf> {
    let letter = numbers.next()?;
    let alive = match numbers.below(transitions + 2, "transition")? {
        0 => Alive::Unknown,
        1 => Alive::Dead,
        t => Alive::By(t - 2),
    };
    let (mut cells, mut from) = (Vec::new(), 0);
    for _ in 0..numbers.count(3)? {
        let slot = from + numbers.below(slots - from, "slot")?;
        from = slot + 1;
        let (rank, choice) = (numbers.next()?, numbers.below(transitions + 1, "transition")?);
        cells.push(Cell { slot, rank, choice: choice.checked_sub(1) });
    }
    Ok(Leaf { letter, alive, cells })
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

    /// A signed number: the lowest bit is the sign.
    fn signed(&mut self) -> Result<i64> {
        let number = self.next()?;
        let half = (number >> 1).cast_signed();
        Ok(if number & 1 == 1 { !half } else { half })
    }

    /// A count of things that take at least `size` bytes each.
    pub(crate) fn count(&mut self, size: usize) -> Result<usize> {
        let number = self.next()?;
        let most = (self.bytes.len() - self.at) / size.max(1);
        match usize::try_from(number) {
            Ok(count) if count <= most => Ok(count),
            _ => error(self.at, "certificate: a count exceeds what is left of the file"),
        }
    }

    pub(crate) fn end(&self) -> Result<()> {
        if self.at < self.bytes.len() { error(self.at, "certificate: there is more behind the end") } else { Ok(()) }
    }
}
