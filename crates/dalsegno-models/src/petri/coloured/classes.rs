//! Divisions of the colours of a sort into classes, which are only ever split.

use rustc_hash::FxHashMap;

/// A division of colours `0..size` into classes. A class is named by its lowest colour.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Classes {
    /// All colours are in one class.
    Whole,
    /// Each colour is in a class of its own.
    Single,
    /// The class of each colour.
    Table(Vec<u32>),
}

/// The most colours of which a table is made; larger sorts are whole or single.
const MOST_COLOURS: u32 = 1 << 20;

impl Classes {
    /// The lowest colour of the class of a colour.
    #[inline]
    pub(super) fn of(&self, colour: u32) -> u32 {
        match self {
            Classes::Whole => 0,
            Classes::Single => colour,
            Classes::Table(lowest) => lowest[colour as usize],
        }
    }

    /// Splits classes whose colours have different keys; whether there were such.
    pub(super) fn split(&mut self, size: u32, key: impl Fn(u32) -> u32) -> bool {
        if *self == Classes::Single || size <= 1 {
            return false;
        }
        if size > MOST_COLOURS {
            *self = Classes::Single;
            return true;
        }
        let mut lowest: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut table = Vec::with_capacity(size as usize);
        for colour in 0..size {
            let class = (self.of(colour), key(colour));
            table.push(*lowest.entry(class).or_insert(colour));
        }
        let before = match self {
            Classes::Table(before) => before.iter().zip(0..).filter(|&(&l, c)| l == c).count(),
            _ => 1,
        };
        let changed = lowest.len() != before;
        *self = match lowest.len() {
            0 | 1 => Classes::Whole,
            n if n == size as usize => Classes::Single,
            _ => Classes::Table(table),
        };
        changed
    }

    /// How many classes there are.
    pub(super) fn count(&self, size: u32) -> u32 {
        match self {
            Classes::Whole => size.min(1),
            Classes::Single => size,
            Classes::Table(table) => table.iter().zip(0..).filter(|&(&l, c)| l == c).count() as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_split_by_keys_and_named_by_their_lowest_colour() {
        let mut classes = Classes::Whole;
        assert!(!classes.split(6, |_| 7), "one key splits nothing");
        assert_eq!(classes.count(6), 1);
        assert!(classes.split(6, |colour| colour % 2));
        assert_eq!(classes, Classes::Table(vec![0, 1, 0, 1, 0, 1]));
        assert!(!classes.split(6, |colour| (colour + 1) % 2));
        assert!(classes.split(6, |colour| u32::from(colour == 3)));
        assert_eq!(classes.count(6), 3);
        assert_eq!((classes.of(3), classes.of(5)), (3, 1));
        assert!(classes.split(6, |colour| colour));
        assert_eq!(classes, Classes::Single);
    }

    #[test]
    fn sorts_that_are_too_large_for_a_table_become_single() {
        let mut classes = Classes::Whole;
        assert!(classes.split(u32::MAX - 1, |colour| u32::from(colour == 5)));
        assert_eq!(classes, Classes::Single);
    }
}
