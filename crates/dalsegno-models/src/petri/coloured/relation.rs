//! The colours that may ever be in each place, and indexes over them.
//!
//! Tokens, that is pairs of a place and a colour, are numbered in the order in which they are found. A
//! token takes part in joins once it has *arrived*; the ones found and not arrived yet are the queue.

use rustc_hash::FxHashMap;

use super::sort::{SortId, Sorts};

/// A digit of the colours of a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digit {
    pub(super) size: u32,
    /// What a colour is divided by to have this digit last.
    stride: u64,
}

impl Digit {
    #[inline]
    pub(super) fn of(self, colour: u64) -> u32 {
        ((colour / self.stride) % u64::from(self.size)) as u32
    }

    /// The colour with another value of this digit.
    #[inline]
    pub(super) fn replaced(self, colour: u64, digit: u32) -> u64 {
        colour - u64::from(self.of(colour)) * self.stride + u64::from(digit) * self.stride
    }
}

/// All digits of a sort, the first leaf first.
pub(super) fn digits(sorts: &Sorts, sort: SortId) -> Vec<Digit> {
    let mut stride = 1;
    let mut found: Vec<Digit> = Vec::new();
    for &leaf in sorts.leaves(sort).iter().rev() {
        let size = sorts.leaf_size(leaf);
        found.push(Digit {
            size: size.max(1),
            stride,
        });
        stride *= u64::from(size.max(1));
    }
    found.reverse();
    found
}

/// Colours by some of their digits.
#[derive(Debug)]
struct Index {
    /// The positions of the digits that make the key.
    key: Vec<usize>,
    lists: FxHashMap<u64, u32>,
}

/// The arrived colours of one place.
#[derive(Debug)]
struct Colours {
    digits: Vec<Digit>,
    numbers: FxHashMap<u64, u32>,
    arrived: Vec<u64>,
    indexes: Vec<Index>,
}

/// All tokens.
#[derive(Debug)]
pub(super) struct Tokens {
    /// Place and colour of each.
    all: Vec<(u32, u64)>,
    places: Vec<Colours>,
    /// The colours of an index under one key.
    lists: Vec<Vec<u64>>,
    arrived: usize,
}

impl Tokens {
    pub(super) fn new(sorts: &Sorts, places: impl Iterator<Item = SortId>) -> Self {
        let colours = |sort| Colours {
            digits: digits(sorts, sort),
            numbers: FxHashMap::default(),
            arrived: Vec::new(),
            indexes: Vec::new(),
        };
        Tokens {
            all: Vec::new(),
            places: places.map(colours).collect(),
            lists: Vec::new(),
            arrived: 0,
        }
    }

    /// The number of a token, which is new or known.
    pub(super) fn find(&mut self, place: u32, colour: u64) -> u32 {
        let next = self.all.len() as u32;
        let numbers = &mut self.places[place as usize].numbers;
        let number = *numbers.entry(colour).or_insert(next);
        if number == next {
            self.all.push((place, colour));
        }
        number
    }

    /// The number of a token that is known.
    pub(super) fn get(&self, place: u32, colour: u64) -> Option<u32> {
        self.places[place as usize].numbers.get(&colour).copied()
    }

    /// Whether a token has arrived.
    pub(super) fn has_arrived(&self, place: u32, colour: u64) -> bool {
        let number = self.get(place, colour);
        number.is_some_and(|number| (number as usize) < self.arrived)
    }

    pub(super) fn all(&self) -> &[(u32, u64)] {
        &self.all
    }

    pub(super) fn digits(&self, place: u32) -> &[Digit] {
        &self.places[place as usize].digits
    }

    /// How many colours of a place have arrived.
    pub(super) fn count(&self, place: u32) -> usize {
        self.places[place as usize].arrived.len()
    }

    /// Lets the next token of the queue arrive.
    pub(super) fn arrive(&mut self) -> Option<(u32, u64)> {
        let &(place, colour) = self.all.get(self.arrived)?;
        self.arrived += 1;
        let Tokens { places, lists, .. } = self;
        let colours = &mut places[place as usize];
        colours.arrived.push(colour);
        for index in &mut colours.indexes {
            index.add(&colours.digits, colour, lists);
        }
        Some((place, colour))
    }

    /// The index of a place by the digits at these positions; made if it is not there.
    pub(super) fn index(&mut self, place: u32, key: &[usize]) -> usize {
        let Tokens { places, lists, .. } = self;
        let colours = &mut places[place as usize];
        if let Some(known) = colours.indexes.iter().position(|index| index.key == key) {
            return known;
        }
        let mut index = Index {
            key: key.to_vec(),
            lists: FxHashMap::default(),
        };
        for &colour in &colours.arrived {
            index.add(&colours.digits, colour, lists);
        }
        colours.indexes.push(index);
        colours.indexes.len() - 1
    }

    /// The list of an index for a key, made of the digits in the order of their positions.
    pub(super) fn list(&self, place: u32, index: usize, key: u64) -> Option<u32> {
        let index = &self.places[place as usize].indexes[index];
        index.lists.get(&key).copied()
    }

    pub(super) fn colours(&self, list: u32) -> &[u64] {
        &self.lists[list as usize]
    }

    /// Forgets all tokens, but not by which digits they are looked up.
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.lists.clear();
        self.arrived = 0;
        for colours in &mut self.places {
            colours.numbers.clear();
            colours.arrived.clear();
            for index in &mut colours.indexes {
                index.lists.clear();
            }
        }
    }

    /// Bytes of the tables, about.
    pub(super) fn bytes(&self) -> u64 {
        let lists: usize = self.lists.capacity() * size_of::<Vec<u64>>();
        let per_place = |c: &Colours| {
            let indexed: usize = c.indexes.iter().map(|i| i.lists.capacity() * 16).sum();
            c.numbers.capacity() * 16
                + c.arrived.capacity() * 8 * (1 + 2 * c.indexes.len())
                + indexed
        };
        let places: usize = self.places.iter().map(per_place).sum();
        (self.all.capacity() * 16 + lists + places) as u64
    }
}

impl Index {
    fn add(&mut self, digits: &[Digit], colour: u64, lists: &mut Vec<Vec<u64>>) {
        let key = self.key.iter().fold(0, |key, &position| {
            let digit = digits[position];
            key * u64::from(digit.size) + u64::from(digit.of(colour))
        });
        let next = lists.len() as u32;
        let list = *self.lists.entry(key).or_insert(next);
        if list == next {
            lists.push(Vec::new());
        }
        lists[list as usize].push(colour);
    }
}
