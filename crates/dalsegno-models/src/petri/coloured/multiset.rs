//! Expressions of multisets of colours.
//!
//! A term of a symmetric net is a sum of products: a summand has one *factor* per leaf of its sort, and a
//! factor is a weighted sum of constants, shifted variables and `all`. A tuple of sums stands for the sum
//! of the tuples, so `(x, all - y)` is kept as it is and never written out. Successors and predecessors
//! are shifts modulo the size of the sort.

use thiserror::Error;

use super::sort::{SortId, Sorts};

/// A leaf of a variable of a [`ColouredNet`](super::ColouredNet): variables of product sorts have several.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LeafId(pub u32);

impl LeafId {
    /// The position in a list of values, one per leaf.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A part of a factor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// Every colour once.
    All,
    /// One colour.
    Constant(u32),
    /// The value of a variable, `shift` places further, modulo the size of the sort.
    Variable {
        /// The variable.
        leaf: LeafId,
        /// How far; below the size of the sort.
        shift: u32,
    },
}

/// A weighted sum over a sort that is no product: coefficients, none 0, and parts, ascending.
pub type Factor = Vec<(Part, i64)>;

/// A weighted tuple of factors.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Summand {
    /// One factor per leaf of the sort.
    pub factors: Vec<Factor>,
    /// How often the tuple counts.
    pub coefficient: i64,
}

/// A multiset of colours that depends on variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Multiset {
    /// The sort of the colours.
    pub sort: SortId,
    /// What is added up; ascending, without repetitions.
    pub summands: Vec<Summand>,
}

/// Why an expression has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ValueError {
    /// A colour would be there less than no times.
    #[error("more is taken away than there is")]
    Negative,
    /// A coefficient beyond 32 bits.
    #[error("a colour is counted more than {} times", u32::MAX)]
    Count,
    /// More colours than the caller allows.
    #[error("the multiset has too many colours")]
    Colours,
}

impl Multiset {
    /// Nothing.
    #[must_use]
    pub fn empty(sort: SortId) -> Self {
        Multiset {
            sort,
            summands: Vec::new(),
        }
    }

    /// The expression in its canonical order, with equal parts joined; `None` if a coefficient does not
    /// fit.
    #[must_use]
    pub fn normalised(mut self) -> Option<Self> {
        // Without a tuple around it, a sum is a sum of summands.
        if self.summands.iter().all(|s| s.factors.len() == 1) {
            let mut single = Vec::with_capacity(self.summands.len());
            for summand in &self.summands {
                for &(part, weight) in &summand.factors[0] {
                    single.push(Summand {
                        factors: vec![vec![(part, 1)]],
                        coefficient: summand.coefficient.checked_mul(weight)?,
                    });
                }
            }
            self.summands = single;
        }
        for summand in &mut self.summands {
            for factor in &mut summand.factors {
                factor.sort_unstable();
                join(factor)?;
            }
            // A weight on a single part is a weight on the tuple.
            for factor in &mut summand.factors {
                if let [(_, weight)] = factor.as_mut_slice() {
                    summand.coefficient = summand.coefficient.checked_mul(*weight)?;
                    *weight = 1;
                }
            }
            if summand.factors.iter().any(Vec::is_empty) {
                summand.coefficient = 0;
            }
        }
        self.summands.sort_unstable();
        let mut joined: Vec<Summand> = Vec::with_capacity(self.summands.len());
        for summand in self.summands {
            match joined.last_mut() {
                Some(last) if last.factors == summand.factors => {
                    last.coefficient = last.coefficient.checked_add(summand.coefficient)?;
                }
                _ => joined.push(summand),
            }
        }
        joined.retain(|summand| summand.coefficient != 0);
        self.summands = joined;
        Some(self)
    }

    /// The leaves of variables that occur.
    pub fn leaves(&self) -> impl Iterator<Item = LeafId> + '_ {
        let parts = self
            .summands
            .iter()
            .flat_map(|s| s.factors.iter().flatten());
        parts.filter_map(|(part, _)| match part {
            Part::Variable { leaf, .. } => Some(*leaf),
            Part::All | Part::Constant(_) => None,
        })
    }

    /// Whether it is a sum of positive tuples of constants and variables: each summand is one colour.
    #[must_use]
    pub fn is_simple(&self) -> bool {
        self.summands.iter().all(|summand| {
            let single = |f: &Factor| matches!(f.as_slice(), [(part, 1)] if *part != Part::All);
            summand.coefficient > 0 && summand.factors.iter().all(single)
        })
    }

    /// Writes the colours and how often each counts to `out`, ascending, under `values` of the leaves.
    ///
    /// # Errors
    /// [`ValueError`] if there is no such multiset, or if it has more than `most` colours.
    pub fn evaluate(
        &self,
        sorts: &Sorts,
        values: &[u32],
        most: u64,
        out: &mut Vec<(u64, u32)>,
        scratch: &mut Scratch,
    ) -> Result<(), ValueError> {
        out.clear();
        let leaves = sorts.leaves(self.sort);
        let Scratch { weighted, lists } = scratch;
        weighted.clear();
        for summand in &self.summands {
            let single = |f: &Factor| matches!(f.as_slice(), [(part, 1)] if *part != Part::All);
            if summand.factors.iter().all(single) {
                let mut colour: u64 = 0;
                for (factor, &leaf) in summand.factors.iter().zip(leaves) {
                    let size = sorts.leaf_size(leaf);
                    let digit = part_value(factor[0].0, size, values);
                    colour = colour * u64::from(size) + u64::from(digit);
                }
                weighted.push((colour, summand.coefficient));
            } else {
                expand(summand, sorts, leaves, values, most, lists, weighted)?;
            }
            if weighted.len() as u64 > most {
                return Err(ValueError::Colours);
            }
        }
        weighted.sort_unstable_by_key(|&(colour, _)| colour);
        let mut i = 0;
        while i < weighted.len() {
            let colour = weighted[i].0;
            let mut total: i64 = 0;
            while i < weighted.len() && weighted[i].0 == colour {
                total = total.checked_add(weighted[i].1).ok_or(ValueError::Count)?;
                i += 1;
            }
            match total {
                0 => {}
                ..0 => return Err(ValueError::Negative),
                _ => out.push((colour, u32::try_from(total).map_err(|_| ValueError::Count)?)),
            }
        }
        Ok(())
    }
}

/// Buffers that evaluations share.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    weighted: Vec<(u64, i64)>,
    lists: Vec<Vec<(u32, i64)>>,
}

/// The colour that a constant or a variable stands for.
#[inline]
pub(super) fn part_value(part: Part, size: u32, values: &[u32]) -> u32 {
    match part {
        Part::Constant(colour) => colour,
        Part::Variable { leaf, shift } => shifted(values[leaf.index()], shift, size),
        Part::All => 0,
    }
}

/// A colour moved on in its cycle.
#[inline]
pub(super) fn shifted(colour: u32, shift: u32, size: u32) -> u32 {
    if shift == 0 {
        return colour;
    }
    ((u64::from(colour) + u64::from(shift)) % u64::from(size.max(1))) as u32
}

/// Adds equal parts of a sorted factor.
fn join(factor: &mut Factor) -> Option<()> {
    let mut kept = 0;
    for i in 0..factor.len() {
        let (part, weight) = factor[i];
        if kept > 0 && factor[kept - 1].0 == part {
            factor[kept - 1].1 = factor[kept - 1].1.checked_add(weight)?;
        } else {
            factor[kept] = (part, weight);
            kept += 1;
        }
    }
    factor.truncate(kept);
    factor.retain(|&(_, weight)| weight != 0);
    Some(())
}

/// Appends all tuples of a summand.
fn expand(
    summand: &Summand,
    sorts: &Sorts,
    leaves: &[SortId],
    values: &[u32],
    most: u64,
    lists: &mut Vec<Vec<(u32, i64)>>,
    out: &mut Vec<(u64, i64)>,
) -> Result<(), ValueError> {
    lists.resize_with(leaves.len().max(lists.len()), Vec::new);
    let mut count: u64 = 1;
    for ((factor, &leaf), list) in summand.factors.iter().zip(leaves).zip(lists.iter_mut()) {
        let size = sorts.leaf_size(leaf);
        list.clear();
        for &(part, weight) in factor {
            if part == Part::All {
                if u64::from(size) > most {
                    return Err(ValueError::Colours);
                }
                list.extend((0..size).map(|colour| (colour, weight)));
            } else {
                list.push((part_value(part, size, values), weight));
            }
        }
        list.sort_unstable_by_key(|&(colour, _)| colour);
        let mut kept = 0;
        for i in 0..list.len() {
            let (colour, weight) = list[i];
            if kept > 0 && list[kept - 1].0 == colour {
                let sum = list[kept - 1].1.checked_add(weight);
                list[kept - 1].1 = sum.ok_or(ValueError::Count)?;
            } else {
                list[kept] = (colour, weight);
                kept += 1;
            }
        }
        list.truncate(kept);
        list.retain(|&(_, weight)| weight != 0);
        count = count.saturating_mul(list.len() as u64);
    }
    if count == 0 {
        return Ok(());
    }
    if count.saturating_add(out.len() as u64) > most {
        return Err(ValueError::Colours);
    }
    let start = out.len();
    out.push((0, summand.coefficient));
    for (&leaf, list) in leaves.iter().zip(lists.iter()) {
        let size = sorts.size(leaf);
        let before = out.len();
        for i in start..before {
            let (colour, weight) = out[i];
            for &(digit, factor) in &list[1..] {
                let product = weight.checked_mul(factor).ok_or(ValueError::Count)?;
                out.push((colour * size + u64::from(digit), product));
            }
            let (digit, factor) = list[0];
            let product = weight.checked_mul(factor).ok_or(ValueError::Count)?;
            out[i] = (colour * size + u64::from(digit), product);
        }
    }
    Ok(())
}
