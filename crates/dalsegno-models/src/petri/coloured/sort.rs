//! Sorts: the sets of colours that tokens have.
//!
//! A colour of a sort is a number below the sort's size. Products are flattened: a colour of a product
//! is the number whose digits are the colours of its leaves, the first leaf being the highest digit. So
//! a net with nested products has one kind of colour, and no function here recurses.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;
use thiserror::Error;

/// A sort of a [`Sorts`] table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SortId(pub u32);

impl SortId {
    /// The position in the table.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A colour that has a name of its own.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constant {
    /// The identifier, which terms use.
    pub id: String,
    /// The name for people; the identifier if there is none.
    pub name: String,
}

/// What a sort is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SortKind {
    /// One colour: tokens that are all alike.
    Dot,
    /// Named colours in an order; in a cyclic one the first follows the last.
    Enumeration {
        /// The colours.
        constants: Vec<Constant>,
        /// Whether colours have successors and predecessors.
        cyclic: bool,
    },
    /// The numbers from `start` to `end`, both included.
    Range {
        /// The first number.
        start: i64,
        /// The last number.
        end: i64,
    },
    /// Tuples.
    Product(Vec<SortId>),
}

/// A sort.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sort {
    /// The name for messages.
    pub name: String,
    /// What it is.
    pub kind: SortKind,
    size: u64,
    leaves: Vec<SortId>,
}

/// A division of a sort into classes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    /// The identifier.
    pub id: String,
    /// The sort that is divided; not a product.
    pub sort: SortId,
    /// The classes: an identifier and the colours, ascending.
    pub classes: Vec<(String, Vec<u32>)>,
}

/// Why there is no such sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum SortError {
    /// More colours than fit into 64 bits, or into 32 for a sort that is no product.
    #[error("the sort has too many colours: ranges can have {}, products 2^64", u32::MAX - 1)]
    Colours,
    /// A product of too many sorts.
    #[error("the sort is a product of more than {MAX_LEAVES} sorts")]
    Leaves,
    /// A range whose end is before its start.
    #[error("the range ends before it starts")]
    EmptyRange,
}

/// The most sorts that a product may have, those of its inner products counted.
pub const MAX_LEAVES: usize = 256;

/// The sorts of a net. Invariants:
///
/// 1. The dot sort, each range and each product of the same sorts occur once; enumerations are
///    different sorts even if they have the same names.
/// 2. A product comes after its parts; its size is the product of theirs.
/// 3. The size of a sort that is no product fits into 32 bits.
#[derive(Clone, Debug, Default)]
pub struct Sorts {
    sorts: Vec<Sort>,
    known: FxHashMap<SortKind, SortId>,
}

impl PartialEq for Sorts {
    fn eq(&self, other: &Self) -> bool {
        self.sorts == other.sorts
    }
}

impl Eq for Sorts {}

impl Sorts {
    /// No sorts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The sort of that kind, which is new or, but for enumerations, an equal one.
    ///
    /// # Errors
    /// [`SortError`] if it is too large.
    pub fn add(&mut self, name: Option<&str>, kind: SortKind) -> Result<SortId, SortError> {
        let next = SortId(self.sorts.len() as u32);
        let structural = !matches!(kind, SortKind::Enumeration { .. });
        if structural && let Some(&known) = self.known.get(&kind) {
            return Ok(known);
        }
        let (size, leaves) = match &kind {
            SortKind::Dot => (1, vec![next]),
            SortKind::Enumeration { constants, .. } => (constants.len() as u64, vec![next]),
            SortKind::Range { start, end } => {
                let size = i128::from(*end) - i128::from(*start) + 1;
                if size < 1 {
                    return Err(SortError::EmptyRange);
                }
                (u64::try_from(size).unwrap_or(u64::MAX), vec![next])
            }
            SortKind::Product(parts) => {
                let mut size: u64 = 1;
                let mut leaves = Vec::new();
                for part in parts {
                    let part = &self.sorts[part.index()];
                    size = size.checked_mul(part.size).ok_or(SortError::Colours)?;
                    if leaves.len() + part.leaves.len() > MAX_LEAVES {
                        return Err(SortError::Leaves);
                    }
                    leaves.extend_from_slice(&part.leaves);
                }
                (size, leaves)
            }
        };
        if !matches!(kind, SortKind::Product(_)) && size >= u64::from(u32::MAX) {
            return Err(SortError::Colours);
        }
        let name = name.map_or_else(|| self.describe(&kind), str::to_owned);
        if structural {
            self.known.insert(kind.clone(), next);
        }
        self.sorts.push(Sort {
            name,
            kind,
            size,
            leaves,
        });
        Ok(next)
    }

    fn describe(&self, kind: &SortKind) -> String {
        match kind {
            SortKind::Dot => "dot".to_owned(),
            SortKind::Enumeration { .. } => "enumeration".to_owned(),
            SortKind::Range { start, end } => format!("{start}..{end}"),
            SortKind::Product(parts) => {
                let names = parts.iter().map(|p| self.sorts[p.index()].name.as_str());
                format!("({})", names.collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// The sorts in the order of their declaration.
    #[must_use]
    pub fn all(&self) -> &[Sort] {
        &self.sorts
    }

    /// A sort.
    #[must_use]
    pub fn get(&self, id: SortId) -> &Sort {
        &self.sorts[id.index()]
    }

    /// The number of colours.
    #[must_use]
    pub fn size(&self, id: SortId) -> u64 {
        self.get(id).size
    }

    /// The number of colours of a sort that is no product.
    #[must_use]
    pub fn leaf_size(&self, id: SortId) -> u32 {
        u32::try_from(self.size(id)).unwrap_or(u32::MAX)
    }

    /// The sorts that a colour of this sort consists of: itself, or the leaves of a product.
    #[must_use]
    pub fn leaves(&self, id: SortId) -> &[SortId] {
        &self.get(id).leaves
    }

    /// Appends the colours of the leaves.
    pub fn decode(&self, id: SortId, colour: u64, out: &mut Vec<u32>) {
        let start = out.len();
        let mut rest = colour;
        for &leaf in self.leaves(id).iter().rev() {
            let size = self.size(leaf).max(1);
            out.push((rest % size) as u32);
            rest /= size;
        }
        out[start..].reverse();
    }

    /// The colour with these colours of the leaves.
    #[must_use]
    pub fn encode(&self, id: SortId, leaves: &[u32]) -> u64 {
        let pairs = self.leaves(id).iter().zip(leaves);
        pairs.fold(0, |colour, (&leaf, &digit)| {
            colour * self.size(leaf) + u64::from(digit)
        })
    }

    /// The name of a colour of a sort that is no product: its own name if that is clear, else its
    /// identifier.
    #[must_use]
    pub fn leaf_label(&self, id: SortId, colour: u32) -> String {
        let mut label = String::new();
        self.push_leaf_label(id, colour, &mut label);
        label
    }

    /// Appends the name of a colour of a sort that is no product.
    pub(super) fn push_leaf_label(&self, id: SortId, colour: u32, out: &mut String) {
        match &self.get(id).kind {
            SortKind::Dot | SortKind::Product(_) => out.push_str("dot"),
            SortKind::Range { start, .. } => {
                // Writing to a string cannot fail.
                let _ = write!(out, "{}", start + i64::from(colour));
            }
            SortKind::Enumeration { constants, .. } => {
                out.push_str(&constants[colour as usize].name);
            }
        }
    }

    /// The names of the colours of the leaves, with commas between them.
    #[must_use]
    pub fn label(&self, id: SortId, colour: u64) -> String {
        let mut digits = Vec::new();
        self.decode(id, colour, &mut digits);
        let leaves = self.leaves(id).iter().zip(&digits);
        let labels = leaves.map(|(&leaf, &digit)| self.leaf_label(leaf, digit));
        labels.collect::<Vec<_>>().join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(sorts: &mut Sorts, end: i64) -> SortId {
        sorts
            .add(None, SortKind::Range { start: 1, end })
            .expect("a range")
    }

    #[test]
    fn colours_of_products_are_digits() {
        let mut sorts = Sorts::new();
        let (two, three) = (range(&mut sorts, 2), range(&mut sorts, 3));
        let dot = sorts.add(None, SortKind::Dot).unwrap();
        let inner = sorts
            .add(None, SortKind::Product(vec![three, dot]))
            .unwrap();
        let outer = sorts
            .add(None, SortKind::Product(vec![two, inner, three]))
            .unwrap();
        assert_eq!(sorts.size(outer), 18);
        assert_eq!(sorts.leaves(outer), [two, three, dot, three]);
        for colour in 0..18 {
            let mut digits = Vec::new();
            sorts.decode(outer, colour, &mut digits);
            assert_eq!(sorts.encode(outer, &digits), colour);
        }
        assert_eq!(sorts.label(outer, 17), "2,3,dot,3");
        assert_eq!(range(&mut sorts, 3), three);
        assert_eq!(sorts.get(outer).name, "(1..2, (1..3, dot), 1..3)");
    }

    #[test]
    fn sorts_beyond_the_limits_are_refused() {
        let mut sorts = Sorts::new();
        let mut add = |kind| sorts.add(None, kind);
        let backwards = SortKind::Range { start: 3, end: 2 };
        assert_eq!(add(backwards), Err(SortError::EmptyRange));
        let all = SortKind::Range {
            start: i64::MIN,
            end: i64::MAX,
        };
        assert_eq!(add(all), Err(SortError::Colours));
        let million = SortKind::Range {
            start: 1,
            end: 1_000_000,
        };
        let million = add(million).unwrap();
        assert_eq!(
            add(SortKind::Product(vec![million; 4])),
            Err(SortError::Colours)
        );
        let mut doubled = add(SortKind::Dot).unwrap();
        let refused = (0..70).find_map(|_| match add(SortKind::Product(vec![doubled; 2])) {
            Ok(next) => {
                doubled = next;
                None
            }
            Err(error) => Some(error),
        });
        assert_eq!(refused, Some(SortError::Leaves));
    }
}
