//! The file: a header in lines of text, and a proof as numbers.
//!
//! ```text
//! DSCERT 1
//! net DIGEST
//! logic ltl | ctl | states
//! dead-ends stutter | finite | ignore
//! verdict holds | fails
//! property TEXT
//! kind diagram | linear
//! data
//! ```
//!
//! Numbers have seven bits a byte, the least first, and the highest bit is set but in the last byte. A diagram is:
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
//! is at most proportional to the file. For linear proofs see `linear.rs`.

use crate::claim::{DeadEnds, Logic};
use crate::failure::{Result, error};

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

/// The record of a leaf, about all markings that lead to it.
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
        let at = self.cells.binary_search_by_key(&slot, |cell| cell.slot);
        at.ok().map(|at| &self.cells[at])
    }
}

/// The nodes of one level: arcs of node `n` are those from `starts[n]` to `starts[n + 1]`, values ascending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layer {
    /// Where the arcs of nodes start.
    pub starts: Vec<usize>,
    /// Values, and children in the layer below.
    pub arcs: Vec<(u32, u32)>,
}

impl Layer {
    /// The arcs of a node.
    #[must_use]
    pub fn arcs(&self, node: u32) -> &[(u32, u32)] {
        &self.arcs[self.starts[node as usize]..self.starts[node as usize + 1]]
    }

    /// The child of a node by a value.
    #[must_use]
    pub fn child(&self, node: u32, value: u32) -> Option<u32> {
        let arcs = self.arcs(node);
        let at = arcs.binary_search_by_key(&value, |&(value, _)| value).ok();
        at.map(|at| arcs[at].1)
    }
}

/// What the header says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The digest of the net.
    pub net: String,
    /// The logic.
    pub logic: Logic,
    /// What dead ends do.
    pub dead_ends: DeadEnds,
    /// Whether the property is claimed to hold.
    pub holds: bool,
    /// The property, or the number of states.
    pub property: String,
    /// Whether the proof is linear; otherwise it is a diagram.
    pub linear: bool,
}

/// A diagram with records. `layers[0]` is the top; leaves are below the last layer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagram {
    /// The levels from the top.
    pub levels: Vec<Level>,
    /// The slots.
    pub slots: Vec<Vec<usize>>,
    /// The leaves.
    pub leaves: Vec<Leaf>,
    /// The nodes by level.
    pub layers: Vec<Layer>,
    /// The root, in the top layer.
    pub root: u32,
}

impl Header {
    /// The header as text, up to the data.
    #[must_use]
    pub fn show(&self) -> String {
        let logic = match self.logic {
            Logic::Ltl => "ltl",
            Logic::Ctl => "ctl",
            Logic::States => "states",
        };
        let ends = match self.dead_ends {
            DeadEnds::Stutter => "stutter",
            DeadEnds::Finite => "finite",
            DeadEnds::Ignore => "ignore",
        };
        let verdict = if self.holds { "holds" } else { "fails" };
        let kind = if self.linear { "linear" } else { "diagram" };
        let (net, property) = (&self.net, &self.property);
        format!(
            "DSCERT 1\nnet {net}\nlogic {logic}\ndead-ends {ends}\nverdict {verdict}\nproperty {property}\nkind {kind}\ndata\n"
        )
    }

    /// Reads the header; the bytes behind it begin at the second value.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(bytes: &[u8]) -> Result<(Self, usize)> {
        let mut at = 0;
        let mut line = |key: &str| {
            let rest = &bytes[at..];
            let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            let text = std::str::from_utf8(&rest[..length]).unwrap_or_default();
            match text.strip_prefix(key) {
                Some(value) if length < rest.len() => {
                    at += length + 1;
                    Ok(value)
                }
                _ => error(at, format!("certificate: expected a line `{key}…`")),
            }
        };
        line("DSCERT 1")?;
        let net = line("net ")?.to_owned();
        let logic = match line("logic ")? {
            "ltl" => Logic::Ltl,
            "ctl" => Logic::Ctl,
            "states" => Logic::States,
            other => return error(0, format!("certificate: {other:?} is no logic")),
        };
        let dead_ends = match line("dead-ends ")? {
            "stutter" => DeadEnds::Stutter,
            "finite" => DeadEnds::Finite,
            "ignore" => DeadEnds::Ignore,
            other => {
                return error(
                    0,
                    format!("certificate: {other:?} tells nothing of dead ends"),
                );
            }
        };
        let verdict = line("verdict ")?;
        let property = line("property ")?.to_owned();
        let (kind, data) = (line("kind ")?, line("data")?);
        let words = ["holds", "fails"].contains(&verdict) && ["diagram", "linear"].contains(&kind);
        if !words || !data.is_empty() {
            return error(0, "certificate: the verdict or the kind is not known");
        }
        let header = Header {
            net,
            logic,
            dead_ends,
            holds: verdict == "holds",
            property,
            linear: kind == "linear",
        };
        Ok((header, at))
    }
}

/// Numbers that are read from bytes.
pub(crate) struct Numbers<'a> {
    bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Numbers<'a> {
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        Numbers { bytes, at }
    }

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
        let at = self.at;
        match usize::try_from(self.next()?) {
            Ok(number) if number < limit => Ok(number),
            _ => error(at, format!("certificate: there is no such {what}")),
        }
    }

    /// A number of tokens.
    fn tokens(&mut self) -> Result<u32> {
        let at = self.at;
        match u32::try_from(self.next()?) {
            Ok(tokens) => Ok(tokens),
            Err(_) => error(at, "certificate: there is no such number of tokens"),
        }
    }

    /// A signed number: the lowest bit is the sign.
    pub(crate) fn signed(&mut self) -> Result<i64> {
        let number = self.next()?;
        let half = (number >> 1).cast_signed();
        Ok(if number & 1 == 1 { !half } else { half })
    }

    /// A count of things that take at least `size` bytes each.
    pub(crate) fn count(&mut self, size: usize) -> Result<usize> {
        let at = self.at;
        let left = self.bytes.len() - self.at;
        match usize::try_from(self.next()?) {
            Ok(count) if count <= left / size => Ok(count),
            _ => error(at, "certificate: a count exceeds what is left of the file"),
        }
    }

    pub(crate) fn end(&self) -> Result<()> {
        if self.at < self.bytes.len() {
            return error(self.at, "certificate: there is something behind the end");
        }
        Ok(())
    }
}

impl Diagram {
    /// Reads a diagram over so many places and transitions, from a byte on.
    ///
    /// # Errors
    /// If the bytes are none.
    pub fn parse(bytes: &[u8], at: usize, places: usize, transitions: usize) -> Result<Self> {
        let mut numbers = Numbers::new(bytes, at);
        let levels = levels(&mut numbers, places)?;
        let mut slots: Vec<Vec<usize>> = Vec::new();
        for _ in 0..numbers.count(1)? {
            let mut slot: Vec<usize> = Vec::new();
            for _ in 0..numbers.count(1)? {
                slot.push(numbers.below(usize::MAX, "formula")?);
            }
            slots.push(slot);
        }
        let mut leaves = Vec::new();
        for _ in 0..numbers.count(3)? {
            leaves.push(leaf(&mut numbers, slots.len(), transitions)?);
        }
        let mut layers: Vec<Layer> = Vec::new();
        let mut below = leaves.len();
        for level in levels.iter().rev() {
            let layer = layer(&mut numbers, level, below)?;
            below = layer.starts.len() - 1;
            layers.push(layer);
        }
        numbers.end()?;
        layers.reverse();
        match u32::try_from(below) {
            Ok(count @ 1..) => Ok(Diagram {
                levels,
                slots,
                leaves,
                layers,
                root: count - 1,
            }),
            _ => error(numbers.at, "certificate: the diagram has no root"),
        }
    }

    /// The leaf of the marking with these values of the levels.
    #[must_use]
    pub fn leaf(&self, values: &[u32]) -> Option<usize> {
        let down = |node: u32, (layer, &value): (&Layer, &u32)| layer.child(node, value);
        let leaf = self.layers.iter().zip(values).try_fold(self.root, down);
        leaf.map(|leaf| leaf as usize)
    }

    /// The marking of values of levels.
    #[must_use]
    pub fn marking(&self, values: &[u32]) -> Vec<u32> {
        let count = self.levels.iter().map(|level| level.places.len()).sum();
        let mut marking = vec![0; count];
        for (level, &value) in self.levels.iter().zip(values) {
            for (&place, &tokens) in level.places.iter().zip(&level.values[value as usize]) {
                marking[place] = tokens;
            }
        }
        marking
    }
}

fn levels(numbers: &mut Numbers<'_>, places: usize) -> Result<Vec<Level>> {
    let mut levels = Vec::new();
    let mut seen = vec![false; places];
    for _ in 0..numbers.count(2)? {
        let mut level = Level::default();
        let count = numbers.count(1)?;
        if count == 0 {
            return error(numbers.at, "certificate: a level has no places");
        }
        for _ in 0..count {
            let place = numbers.below(places, "place")?;
            if std::mem::replace(&mut seen[place], true) {
                return error(numbers.at, "certificate: a place is in two levels");
            }
            level.places.push(place);
        }
        for _ in 0..numbers.count(level.places.len())? {
            let mut value = Vec::with_capacity(level.places.len());
            for _ in &level.places {
                value.push(numbers.tokens()?);
            }
            if level.values.last().is_some_and(|last| *last >= value) {
                return error(numbers.at, "certificate: values of a level do not ascend");
            }
            level.values.push(value);
        }
        levels.push(level);
    }
    match seen.iter().position(|seen| !seen) {
        Some(_) => error(numbers.at, "certificate: a place is in no level"),
        None => Ok(levels),
    }
}

fn leaf(numbers: &mut Numbers<'_>, slots: usize, transitions: usize) -> Result<Leaf> {
    let letter = numbers.next()?;
    let alive = match numbers.below(transitions + 2, "transition")? {
        0 => Alive::Unknown,
        1 => Alive::Dead,
        t => Alive::By(t - 2),
    };
    let mut cells: Vec<Cell> = Vec::new();
    let mut from = 0;
    for _ in 0..numbers.count(3)? {
        let slot = numbers.below(slots - from.min(slots), "slot")? + from;
        from = slot + 1;
        let rank = numbers.next()?;
        let choice = numbers.below(transitions + 1, "transition")?.checked_sub(1);
        cells.push(Cell { slot, rank, choice });
    }
    Ok(Leaf {
        letter,
        alive,
        cells,
    })
}

fn layer(numbers: &mut Numbers<'_>, level: &Level, below: usize) -> Result<Layer> {
    let mut layer = Layer {
        starts: vec![0],
        arcs: Vec::new(),
    };
    let mut child = 0_i64;
    for _ in 0..numbers.count(1)? {
        let mut from = 0;
        for _ in 0..numbers.count(2)? {
            let left = level.values.len() - from.min(level.values.len());
            let value = numbers.below(left, "value")? + from;
            from = value + 1;
            child = child.saturating_add(numbers.signed()?);
            match u32::try_from(child) {
                Ok(child) if (child as usize) < below => layer.arcs.push((value as u32, child)),
                _ => return error(numbers.at, "certificate: there is no such node"),
            }
        }
        layer.starts.push(layer.arcs.len());
    }
    Ok(layer)
}
