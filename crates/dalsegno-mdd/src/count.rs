//! Exact numbers: vectors of a set, and pairs of a relation that start in it.
//!
//! One walk up the levels counts the vectors below every node; one walk down counts the paths to
//! it. The pairs of an event are counted between its topmost and its last level only: paths to the
//! node times vectors below. Numbers have 128 bits where that is enough, and as many as needed
//! where it is not.
//!
//! Cost: linear in the edges for vectors, and in the edges between the topmost and last level of
//! each event for pairs.

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use crate::levels::Levels;
use crate::relation::{Relation, Shape};
use crate::store::Node;
use crate::{Manager, Set, Stop};

/// A number to count with; `None` where it has not enough room.
trait Tally: Clone + Default {
    fn one() -> Self;
    fn add(&mut self, other: &Self) -> Option<()>;
    fn product(&self, other: &Self) -> Option<Self>;
    /// The bytes that it takes.
    fn bytes(&self) -> u64;
    fn into_big(self) -> BigUint;
}

impl Tally for u128 {
    fn one() -> Self {
        1
    }

    fn add(&mut self, other: &Self) -> Option<()> {
        *self = self.checked_add(*other)?;
        Some(())
    }

    fn product(&self, other: &Self) -> Option<Self> {
        self.checked_mul(*other)
    }

    fn bytes(&self) -> u64 {
        size_of::<Self>() as u64
    }

    fn into_big(self) -> BigUint {
        self.into()
    }
}

impl Tally for BigUint {
    fn one() -> Self {
        1_u32.into()
    }

    fn add(&mut self, other: &Self) -> Option<()> {
        *self += other;
        Some(())
    }

    fn product(&self, other: &Self) -> Option<Self> {
        Some(self * other)
    }

    fn bytes(&self) -> u64 {
        size_of::<Self>() as u64 + self.bits().div_ceil(8)
    }

    fn into_big(self) -> BigUint {
        self
    }
}

/// Why counting ended without a number.
enum Fault {
    /// The numbers have not enough room.
    Room,
    Stop(Stop),
}

impl From<Stop> for Fault {
    fn from(stop: Stop) -> Self {
        Fault::Stop(stop)
    }
}

/// Pairs that were counted.
#[derive(Default)]
struct Known<T> {
    map: FxHashMap<(Relation, Node), T>,
    bytes: u64,
}

/// The nodes of a set with what was counted for each.
struct Counts<T> {
    levels: Levels,
    /// By place, the vectors below a node.
    below: Vec<T>,
}

impl<T: Tally> Counts<T> {
    #[inline]
    fn below(&self, node: Node) -> T {
        match node {
            Node::EMPTY => T::default(),
            Node::ONE => T::one(),
            _ => self.below[self.levels.place(node)].clone(),
        }
    }
}

impl Manager {
    /// The number of vectors of a set.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn count(&mut self, set: &Set) -> Result<BigUint, Stop> {
        let root = self.node(set);
        match self.counts::<u128>(root, false) {
            Ok(counts) => Ok(counts.below(root).into_big()),
            Err(Fault::Stop(stop)) => Err(stop),
            Err(Fault::Room) => match self.counts::<BigUint>(root, false) {
                Ok(counts) => Ok(counts.below(root)),
                Err(Fault::Stop(stop)) => Err(stop),
                Err(Fault::Room) => unreachable!("big numbers have room"),
            },
        }
    }

    /// The number of triples of a vector of a set, a relation and a target of the vector under it,
    /// summed over all relations. Rows of a table that do the same count once.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn count_pairs(&mut self, set: &Set, relations: &[Relation]) -> Result<BigUint, Stop> {
        let root = self.node(set);
        let result = match self.pairs::<u128>(root, relations) {
            Ok(number) => Ok(number.into_big()),
            Err(Fault::Stop(stop)) => Err(stop),
            Err(Fault::Room) => {
                self.targets.clear();
                match self.pairs::<BigUint>(root, relations) {
                    Ok(number) => Ok(number),
                    Err(Fault::Stop(stop)) => Err(stop),
                    Err(Fault::Room) => unreachable!("big numbers have room"),
                }
            }
        };
        self.targets.clear();
        self.relations.complete()?;
        result
    }

    /// The vectors below each node; those of the root only, if the others need not stay.
    fn counts<T: Tally>(&mut self, root: Node, stay: bool) -> Result<Counts<T>, Fault> {
        self.afford(8 * self.store.numbers() as u64)?;
        let levels = self.levels_of(root);
        self.afford((levels.len() * (8 + size_of::<T>())) as u64)?;
        let below = vec![T::default(); levels.len()];
        let mut counts = Counts { levels, below };
        let mut bytes = 0;
        for level in (0..self.levels).rev() {
            for i in 0..counts.levels.at(level).len() {
                self.tick()?;
                let node = counts.levels.at(level)[i];
                let mut sum = T::default();
                for (_, child) in self.store.row(node) {
                    sum.add(&counts.below(child)).ok_or(Fault::Room)?;
                }
                bytes += sum.bytes();
                let place = counts.levels.place(node);
                counts.below[place] = sum;
            }
            self.afford(bytes)?;
            if !stay && level + 1 < self.levels {
                for i in 0..counts.levels.at(level + 1).len() {
                    let place = counts.levels.place(counts.levels.at(level + 1)[i]);
                    bytes -= std::mem::take(&mut counts.below[place]).bytes();
                }
            }
        }
        Ok(counts)
    }

    /// By place, the paths from the root to each node.
    fn paths<T: Tally>(&mut self, root: Node, levels: &Levels) -> Result<Vec<T>, Fault> {
        let mut paths = vec![T::default(); levels.len()];
        if !root.is_leaf() {
            paths[levels.place(root)] = T::one();
        }
        let mut bytes = 0;
        for level in 0..self.levels {
            for &node in levels.at(level) {
                self.tick()?;
                let own = paths[levels.place(node)].clone();
                bytes += own.bytes();
                for (_, child) in self.store.row(node).filter(|edge| !edge.1.is_leaf()) {
                    let place = levels.place(child);
                    paths[place].add(&own).ok_or(Fault::Room)?;
                }
            }
            self.afford(bytes)?;
        }
        Ok(paths)
    }

    fn pairs<T: Tally>(&mut self, root: Node, relations: &[Relation]) -> Result<T, Fault> {
        let counts = self.counts::<T>(root, true)?;
        let paths = self.paths::<T>(root, &counts.levels)?;
        let mut total = T::default();
        let mut sorted = relations.to_vec();
        sorted.sort_by_key(|&relation| std::cmp::Reverse(self.relations.level(relation)));
        let mut known = Known::default();
        for relation in sorted {
            let level = self.relations.level(relation);
            if level == u32::MAX {
                if relation == Relation::IDENTITY {
                    total.add(&counts.below(root)).ok_or(Fault::Room)?;
                }
                continue;
            }
            if known.map.len() > MOST_REMEMBERED {
                known = Known::default();
            }
            for &node in counts.levels.at(level) {
                let here = self.pairs_at(&counts, relation, node, level, &mut known)?;
                let place = counts.levels.place(node);
                let product = paths[place].product(&here).ok_or(Fault::Room)?;
                total.add(&product).ok_or(Fault::Room)?;
            }
        }
        Ok(total)
    }

    /// The pairs of a relation below a node.
    fn pairs_at<T: Tally>(
        &mut self,
        counts: &Counts<T>,
        relation: Relation,
        node: Node,
        level: u32,
        known: &mut Known<T>,
    ) -> Result<T, Fault> {
        if relation == Relation::IDENTITY {
            return Ok(counts.below(node));
        }
        if relation == Relation::EMPTY || node == Node::EMPTY {
            return Ok(T::default());
        }
        if let Some(number) = known.map.get(&(relation, node)) {
            return Ok(number.clone());
        }
        self.tick()?;
        let mut sum = T::default();
        if self.relations.level(relation) > level {
            for i in 0..self.store.row_len(node) {
                let (_, child) = self.store.edge(node, i);
                let part = self.pairs_at(counts, relation, child, level + 1, known)?;
                sum.add(&part).ok_or(Fault::Room)?;
            }
        } else if let Shape::Linear { from, to, rest, .. } = *self.relations.shape(relation) {
            for i in self.store.position(node, from)..self.store.row_len(node) {
                let (value, child) = self.store.edge(node, i);
                if value > to {
                    break;
                }
                let part = self.pairs_at(counts, rest, child, level + 1, known)?;
                sum.add(&part).ok_or(Fault::Room)?;
            }
        } else {
            for i in 0..self.store.row_len(node) {
                let (value, child) = self.store.edge(node, i);
                let start = self.targets.len();
                self.successors_of(relation, level, value)?;
                // What leads to one target in several ways counts once.
                self.targets[start..].sort_unstable();
                let mut j = start;
                while let Some(&(target, mut rest)) = self.targets.get(j) {
                    j += 1;
                    while let Some(&(_, other)) = self.targets.get(j).filter(|t| t.0 == target) {
                        rest = self.relations.unite(rest, other);
                        j += 1;
                    }
                    let part = self.pairs_at(counts, rest, child, level + 1, known)?;
                    sum.add(&part).ok_or(Fault::Room)?;
                }
                self.targets.truncate(start);
            }
        }
        known.bytes += 24 + sum.bytes();
        if known.map.len() == known.map.capacity() {
            self.afford(2 * known.bytes)?;
        }
        known.map.insert((relation, node), sum.clone());
        Ok(sum)
    }
}

/// Results of different events that are remembered at a time.
const MOST_REMEMBERED: usize = 1 << 22;
