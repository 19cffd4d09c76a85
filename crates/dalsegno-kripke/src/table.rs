//! Tables of transitions, and the index that finds the rows of a state.
//!
//! Rows are put into classes by the set of variables that they test. Within a class all rows test the
//! same variables, so a hash table over the values of these finds the rows that fire: a state costs
//! one lookup per class, whatever the number of rows. Tables made from programs have a class or two.
//! The idea is the tuple space search of packet filters (Srinivasan, Suri and Varghese, SIGCOMM 1999).

use std::collections::BTreeMap;

use crate::model::VarId;

/// Rows of patterns over the variables read and values of the variables written.
///
/// A row fires where each variable read has the value of its pattern, if the pattern has one, and
/// sets each variable written to its value, if it has one. Several rows may fire in one state;
/// two that do the same count as two transitions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    reads: usize,
    writes: usize,
    rows: usize,
    /// Row after row, `reads` patterns each.
    patterns: Vec<Option<u32>>,
    /// Row after row, `writes` values each.
    values: Vec<Option<u32>>,
}

impl Table {
    /// An empty table over so many variables read and written.
    #[must_use]
    pub fn new(reads: usize, writes: usize) -> Self {
        Table {
            reads,
            writes,
            rows: 0,
            patterns: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If the row has another width than the table, or there are 2^32 rows.
    pub fn push(&mut self, pattern: &[Option<u32>], values: &[Option<u32>]) {
        assert_eq!(pattern.len(), self.reads, "one pattern per variable read");
        assert_eq!(values.len(), self.writes, "one value per variable written");
        assert!(
            self.rows < u32::MAX as usize,
            "rows are numbered by 32 bits"
        );
        self.patterns.extend_from_slice(pattern);
        self.values.extend_from_slice(values);
        self.rows += 1;
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The numbers of variables read and written.
    #[must_use]
    pub fn width(&self) -> (usize, usize) {
        (self.reads, self.writes)
    }

    /// The pattern of a row, one entry per variable read.
    #[inline]
    #[must_use]
    pub fn pattern(&self, row: usize) -> &[Option<u32>] {
        &self.patterns[row * self.reads..(row + 1) * self.reads]
    }

    /// The values of a row, one entry per variable written.
    #[inline]
    #[must_use]
    pub fn values(&self, row: usize) -> &[Option<u32>] {
        &self.values[row * self.writes..(row + 1) * self.writes]
    }

    /// Whether a row fires in `state`, given the variables that the table reads.
    #[inline]
    #[must_use]
    pub fn matches(&self, row: usize, reads: &[VarId], state: &[u32]) -> bool {
        let pattern = self.pattern(row).iter();
        pattern
            .zip(reads)
            .all(|(p, v)| p.is_none_or(|value| state[v.index()] == value))
    }
}

const NONE: u32 = u32::MAX;

/// Finds the rows of a [`Table`] that fire in a state. Invariants:
///
/// 1. Every row belongs to one class, that of the columns where its pattern has a value.
/// 2. A slot has the first row of a pattern; `next` leads to its other rows, in their order.
/// 3. At most half of the slots of a class are used, so that every search ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    classes: Vec<Class>,
    /// Per row the next one with the same pattern, or `NONE`.
    next: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Class {
    /// The columns that are tested, with their variables.
    columns: Vec<(u32, VarId)>,
    /// First rows by the hash of their patterns, or `NONE`; a power of two.
    slots: Vec<u32>,
}

impl Index {
    /// The index of a table that reads these variables; takes time in the size of the table.
    pub(crate) fn new(table: &Table, reads: &[VarId]) -> Self {
        let mut classes: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
        let mut known: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        let mut columns = Vec::new();
        for row in 0..table.len() {
            columns.clear();
            let tested = (0..).zip(table.pattern(row)).filter(|(_, p)| p.is_some());
            columns.extend(tested.map(|(column, _): (u32, _)| column));
            let class = if let Some(&class) = known.get(&columns) {
                class
            } else {
                known.insert(columns.clone(), classes.len());
                classes.push((columns.clone(), Vec::new()));
                classes.len() - 1
            };
            classes[class].1.push(row as u32);
        }
        let mut next = vec![NONE; table.len()];
        let classes = classes.into_iter().map(|(columns, rows)| {
            let columns = columns.into_iter();
            let columns: Vec<_> = columns.map(|c| (c, reads[c as usize])).collect();
            Class::new(table, columns, &rows, &mut next)
        });
        Index {
            classes: classes.collect(),
            next,
        }
    }

    /// The rows that fire, class after class and ascending within one.
    #[inline]
    pub(crate) fn rows<'a>(
        &'a self,
        table: &'a Table,
        state: &'a [u32],
    ) -> impl Iterator<Item = usize> + 'a {
        self.classes.iter().flat_map(move |class| {
            let follow = |&row: &u32| Some(self.next[row as usize]).filter(|&n| n != NONE);
            let rows = std::iter::successors(class.find(table, state), follow);
            rows.map(|row| row as usize)
        })
    }

    /// A variable whose value lies within two numbers wherever some row fires, if there is one.
    pub(crate) fn range(&self, table: &Table, reads: &[VarId]) -> Option<(VarId, u32, u32)> {
        let full = |column: usize| {
            let of = |c: &Class| c.columns.iter().any(|&(i, _)| i as usize == column);
            self.classes.iter().all(of)
        };
        let range = |column: usize| {
            let values = (0..table.len()).filter_map(move |row| table.pattern(row)[column]);
            let low = values.clone().min()?;
            Some((reads[column], low, values.max()?))
        };
        let columns = (0..reads.len()).filter(|&c| full(c));
        columns
            .filter_map(range)
            .min_by_key(|&(_, low, high)| high - low)
    }
}

impl Class {
    fn new(table: &Table, columns: Vec<(u32, VarId)>, rows: &[u32], next: &mut [u32]) -> Self {
        let size = (2 * rows.len()).next_power_of_two();
        let mut class = Class {
            columns,
            slots: vec![NONE; size],
        };
        let mut last = vec![NONE; size];
        for &row in rows {
            let pattern = table.pattern(row as usize);
            let value = |&(c, _): &(u32, VarId)| pattern[c as usize].unwrap_or(0);
            let mut slot = class.home(value);
            loop {
                let first = class.slots[slot];
                if first == NONE {
                    class.slots[slot] = row;
                    break;
                }
                if table.pattern(first as usize) == pattern {
                    next[last[slot] as usize] = row;
                    break;
                }
                slot = (slot + 1) & (size - 1);
            }
            last[slot] = row;
        }
        class
    }

    #[inline]
    fn home(&self, value: impl Fn(&(u32, VarId)) -> u32) -> usize {
        let mix = |hash: u64, column| {
            (hash.rotate_left(5) ^ u64::from(value(column))).wrapping_mul(0x517c_c1b7_2722_0a95)
        };
        let hash = self.columns.iter().fold(0, mix);
        (hash >> 32) as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn find(&self, table: &Table, state: &[u32]) -> Option<u32> {
        let mut slot = self.home(|&(_, v)| state[v.index()]);
        loop {
            let row = self.slots[slot];
            if row == NONE {
                return None;
            }
            let pattern = table.pattern(row as usize);
            let mut columns = self.columns.iter();
            if columns.all(|&(c, v)| pattern[c as usize] == Some(state[v.index()])) {
                return Some(row);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_every_value() {
        let mut table = Table::new(2, 1);
        table.push(&[Some(1), None], &[Some(5)]);
        let reads = [VarId(2), VarId(0)];
        assert!(table.matches(0, &reads, &[9, 0, 1]));
        assert!(!table.matches(0, &reads, &[9, 0, 2]));
        assert_eq!((table.len(), table.values(0)), (1, &[Some(5)][..]));
    }

    #[test]
    fn the_index_finds_what_a_scan_finds() {
        let mut table = Table::new(3, 1);
        let mut seed = 1u64;
        let mut draw = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % n
        };
        for row in 0..200u32 {
            let mut cell = || (draw(3) > 0).then(|| draw(4) as u32);
            let pattern = [cell(), cell(), cell()];
            table.push(&pattern, &[Some(row)]);
        }
        let reads = [VarId(2), VarId(0), VarId(1)];
        let index = Index::new(&table, &reads);
        for code in 0..64u32 {
            let state = [code % 4, code / 4 % 4, code / 16];
            let scan: Vec<usize> = (0..200)
                .filter(|&r| table.matches(r, &reads, &state))
                .collect();
            let mut found: Vec<usize> = index.rows(&table, &state).collect();
            found.sort_unstable();
            assert_eq!(found, scan, "for {state:?}");
        }
        assert_eq!(index.range(&table, &reads), None);
    }

    #[test]
    fn a_column_without_stars_gives_a_range() {
        let mut table = Table::new(2, 0);
        table.push(&[Some(3), Some(9)], &[]);
        table.push(&[Some(4), None], &[]);
        let reads = [VarId(7), VarId(1)];
        let index = Index::new(&table, &reads);
        assert_eq!(index.range(&table, &reads), Some((VarId(7), 3, 4)));
        let none = Table::new(2, 0);
        assert!(
            Index::new(&none, &reads)
                .rows(&none, &[0; 8])
                .next()
                .is_none()
        );
    }
}
