//! Relations between vectors: events, read from the top level down.
//!
//! A relation says, for the value of its topmost level, which values may take its place and which
//! relation is left for the levels below; levels that it does not name stay as they are. Relations are
//! hash-consed, so events that end alike share their ends, and with them the remembered results.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::Stop;
use crate::cache::NUMBERS;
use crate::guard::{Guard, Guards};
use crate::learn::{LearnedTable, Parts};
use crate::store::Node;

/// A relation between vectors, in a [`Manager`](crate::Manager).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Relation(pub(crate) u32);

impl Relation {
    /// Every vector with itself.
    pub const IDENTITY: Relation = Relation(0);
    /// No pair.
    pub const EMPTY: Relation = Relation(1);
}

/// What an event asks of one level and does to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Local {
    /// The level; 0 is the top.
    pub level: u32,
    /// The value must be at least this.
    pub at_least: u32,
    /// The value must be below this, if given.
    pub below: Option<u32>,
    /// What is added to the value; where the result would be negative, the event is not enabled.
    pub delta: i64,
}

impl Local {
    /// A level that may have any value and is left alone.
    #[must_use]
    pub fn new(level: u32) -> Self {
        Local {
            level,
            at_least: 0,
            below: None,
            delta: 0,
        }
    }
}

/// A row of a table: per level that it names, the value before and after, levels ascending.
pub type TableRow = Vec<(u32, u32, u32)>;

/// A value before, a value after, and what is left for the levels below.
pub(crate) type Entry = (u32, u32, Relation);

/// Which side of a relation a guard looks at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Side {
    Source,
    Target,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Shape {
    Identity,
    Empty,
    /// A range of values, moved by a constant.
    Linear {
        from: u32,
        /// The last value of the range.
        to: u32,
        delta: i64,
        rest: Relation,
    },
    /// Values before, values after, and what is left, ascending; and what is left where the level
    /// stays as it is.
    Table {
        entries: Box<[Entry]>,
        same: Relation,
    },
    /// A relation whose sources, or targets, satisfy a guard.
    Guarded {
        relation: Relation,
        guard: Guard,
        side: Side,
    },
    /// All pairs of two or more relations, ascending.
    Union(Box<[Relation]>),
    /// What is known of a function: the table of that number.
    Learned(u32),
}

/// The relations of a manager.
pub(crate) struct Relations {
    shapes: Vec<Shape>,
    levels: Vec<u32>,
    known: HashTable<Relation>,
    inverses: FxHashMap<Relation, Relation>,
    unions: FxHashMap<(Relation, Relation), Relation>,
    pub(crate) products: FxHashMap<(Relation, Relation), Relation>,
    pub(crate) tables: Vec<LearnedTable>,
    /// Bytes of lists in shapes.
    lists: usize,
    /// Whether a relation was refused, since a key of the cache has no room for its number.
    full: bool,
}

impl Relations {
    pub(crate) fn new() -> Self {
        let mut relations = Relations {
            shapes: Vec::new(),
            levels: Vec::new(),
            known: HashTable::new(),
            inverses: FxHashMap::default(),
            unions: FxHashMap::default(),
            products: FxHashMap::default(),
            tables: Vec::new(),
            lists: 0,
            full: false,
        };
        relations.intern(u32::MAX, Shape::Identity);
        relations.intern(u32::MAX, Shape::Empty);
        relations
    }

    /// The bytes that the tables take, roughly.
    pub(crate) fn bytes(&self) -> u64 {
        let shapes = self.shapes.capacity() * (size_of::<Shape>() + 4) + self.lists;
        let maps = self.known.capacity() * 5 + self.inverses.capacity() * 9;
        let pairs = self.unions.capacity() + self.products.capacity();
        (shapes + maps + pairs * 13) as u64
    }

    /// Whether every relation that was asked for was made.
    ///
    /// # Errors
    /// [`Stop::Memory`] if there were too many.
    pub(crate) fn complete(&self) -> Result<(), Stop> {
        if self.full { Err(Stop::Memory) } else { Ok(()) }
    }

    /// The topmost level that a relation names; `u32::MAX` for identity and the empty relation.
    #[inline]
    pub(crate) fn level(&self, relation: Relation) -> u32 {
        self.levels[relation.0 as usize]
    }

    #[inline]
    pub(crate) fn shape(&self, relation: Relation) -> &Shape {
        &self.shapes[relation.0 as usize]
    }

    fn intern(&mut self, level: u32, shape: Shape) -> Relation {
        let hash = FxBuildHasher.hash_one((level, &shape));
        let same = |r: &Relation| self.level(*r) == level && *self.shape(*r) == shape;
        if let Some(&relation) = self.known.find(hash, same) {
            return relation;
        }
        if self.shapes.len() >= NUMBERS as usize {
            self.full = true;
            return Relation::EMPTY;
        }
        let relation = Relation(self.shapes.len() as u32);
        self.lists += match &shape {
            Shape::Table { entries, .. } => size_of_val::<[_]>(entries),
            Shape::Union(parts) => size_of_val::<[_]>(parts),
            _ => 0,
        };
        self.shapes.push(shape);
        self.levels.push(level);
        let (shapes, levels) = (&self.shapes, &self.levels);
        let rehash =
            |r: &Relation| FxBuildHasher.hash_one((levels[r.0 as usize], &shapes[r.0 as usize]));
        self.known.insert_unique(hash, relation, rehash);
        relation
    }

    /// An event with one [`Local`] per level, in any order.
    ///
    /// # Panics
    /// If two are of one level, or one of a level that is not below `levels`.
    pub(crate) fn linear(&mut self, locals: &[Local], levels: u32) -> Relation {
        let mut sorted = locals.to_vec();
        sorted.sort_unstable_by_key(|local| std::cmp::Reverse(local.level));
        let once = sorted.windows(2).all(|pair| pair[0].level > pair[1].level);
        let known = sorted.first().is_none_or(|local| local.level < levels);
        assert!(once && known, "levels of the manager, each once");
        let mut rest = Relation::IDENTITY;
        for mut local in sorted {
            // Beyond 32 bits in either direction all changes are the same.
            local.delta = local.delta.clamp(-BEYOND, BEYOND);
            // What would go below 0 is cut off here, once.
            let Ok(floor) = u32::try_from((-local.delta).max(0)) else {
                return Relation::EMPTY;
            };
            let from = local.at_least.max(floor);
            let to = local
                .below
                .map_or(Some(u32::MAX), |below| below.checked_sub(1));
            let Some(to) = to.filter(|&to| from <= to) else {
                return Relation::EMPTY;
            };
            rest = self.step(local.level, from, to, local.delta, rest);
        }
        rest
    }

    fn step(&mut self, level: u32, from: u32, to: u32, delta: i64, rest: Relation) -> Relation {
        if rest == Relation::EMPTY || (from == 0 && to == u32::MAX && delta == 0) {
            return rest;
        }
        let shape = Shape::Linear {
            from,
            to,
            delta,
            rest,
        };
        self.intern(level, shape)
    }

    /// Stands for the rows of a learned table, whatever they are.
    pub(crate) fn stand_in(&mut self, level: u32, number: u32) -> Relation {
        self.intern(level, Shape::Learned(number))
    }

    /// The union of rows; a level that a row does not name stays as it is.
    pub(crate) fn table(&mut self, rows: &mut [&[(u32, u32, u32)]]) -> Relation {
        if rows.iter().any(|row| row.is_empty()) {
            // A row that changes nothing: as a union the identity and the rest.
            let mut others: Vec<_> = rows.iter().copied().filter(|row| !row.is_empty()).collect();
            if others.is_empty() {
                return Relation::IDENTITY;
            }
            let level = others.iter().map(|row| row[0].0).min().unwrap_or(0);
            return self.table_at(level, &mut others, Relation::IDENTITY);
        }
        match rows.iter().map(|row| row[0].0).min() {
            None => Relation::EMPTY,
            Some(level) => self.table_at(level, rows, Relation::EMPTY),
        }
    }

    /// The rows, none empty, together with `idle` where `level` stays as it is.
    fn table_at(
        &mut self,
        level: u32,
        rows: &mut [&[(u32, u32, u32)]],
        idle: Relation,
    ) -> Relation {
        rows.sort_unstable();
        let named = rows.iter().filter(|row| row[0].0 == level).count();
        // Sorted by level first: the rows that name this level come first.
        let (here, below) = rows.split_at_mut(named);
        let mut entries = Vec::new();
        for group in here.chunk_by_mut(|a, b| a[0] == b[0]) {
            let (_, before, after) = group[0][0];
            let mut rests: Vec<&[(u32, u32, u32)]> = group.iter().map(|row| &row[1..]).collect();
            entries.push((before, after, self.table(&mut rests)));
        }
        let same = if idle == Relation::IDENTITY {
            let mut all: Vec<&[(u32, u32, u32)]> = below.to_vec();
            all.push(&[]);
            self.table(&mut all)
        } else {
            self.table(below)
        };
        self.make_table(level, entries, same)
    }

    pub(crate) fn make_table(
        &mut self,
        level: u32,
        mut entries: Vec<Entry>,
        same: Relation,
    ) -> Relation {
        entries.retain(|entry| entry.2 != Relation::EMPTY);
        entries.sort_unstable();
        if entries.is_empty() {
            return same;
        }
        let shape = Shape::Table {
            entries: entries.into(),
            same,
        };
        self.intern(level, shape)
    }

    /// A table for levels that have these values only, if given: a level that stays as it is,
    /// whatever its value, is not named any more.
    pub(crate) fn widened(&mut self, relation: Relation, values: &[Option<Vec<u32>>]) -> Relation {
        self.widen(relation, values, &mut FxHashMap::default())
    }

    fn widen(
        &mut self,
        relation: Relation,
        values: &[Option<Vec<u32>>],
        known: &mut FxHashMap<Relation, Relation>,
    ) -> Relation {
        let Shape::Table { entries, same } = self.shape(relation).clone() else {
            return relation;
        };
        if let Some(&widened) = known.get(&relation) {
            return widened;
        }
        let level = self.level(relation);
        let mut wide = Vec::with_capacity(entries.len());
        for &(before, after, rest) in &entries {
            wide.push((before, after, self.widen(rest, values, known)));
        }
        let same = self.widen(same, values, known);
        let listed = values.get(level as usize).and_then(Option::as_deref);
        let idle = wide.first().map(|entry| entry.2).filter(|&rest| {
            let stays = |entry: &Entry| entry.0 == entry.1 && entry.2 == rest;
            same == Relation::EMPTY && wide.iter().all(stays)
        });
        let result = match (idle, listed) {
            (Some(rest), Some(listed))
                if listed
                    .iter()
                    .all(|value| wide.binary_search_by_key(value, |entry| entry.0).is_ok()) =>
            {
                rest
            }
            _ => self.make_table(level, wide, same),
        };
        known.insert(relation, result);
        result
    }

    /// The pairs whose source, or target, satisfies a guard.
    pub(crate) fn guarded(
        &mut self,
        guards: &Guards,
        relation: Relation,
        guard: Guard,
        side: Side,
    ) -> Relation {
        if guard == Guard::TRUE || relation == Relation::EMPTY {
            return relation;
        }
        if guard == Guard::FALSE {
            return Relation::EMPTY;
        }
        let level = guards.level(guard).min(self.level(relation));
        let shape = Shape::Guarded {
            relation,
            guard,
            side,
        };
        self.intern(level, shape)
    }

    /// The union of two relations; of tables, a table.
    pub(crate) fn unite(&mut self, a: Relation, b: Relation) -> Relation {
        if a == b || b == Relation::EMPTY {
            return a;
        }
        if a == Relation::EMPTY {
            return b;
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&(a, b)) {
            return known;
        }
        let level = self.level(a).min(self.level(b));
        let united = match (self.as_table(a, level), self.as_table(b, level)) {
            (Some((mut entries, same)), Some((more, other))) => {
                entries.extend(more);
                entries.sort_unstable();
                let mut merged: Vec<Entry> = Vec::with_capacity(entries.len());
                for entry in entries {
                    match merged.last_mut() {
                        Some(last) if (last.0, last.1) == (entry.0, entry.1) => {
                            last.2 = self.unite(last.2, entry.2);
                        }
                        _ => merged.push(entry),
                    }
                }
                let same = self.unite(same, other);
                self.make_table(level, merged, same)
            }
            _ => self.union_of(vec![a, b]),
        };
        self.unions.insert((a, b), united);
        united
    }

    /// The entries of a table at a level, and what is left where the level stays as it is.
    pub(crate) fn as_table(
        &self,
        relation: Relation,
        level: u32,
    ) -> Option<(Vec<Entry>, Relation)> {
        match self.shape(relation) {
            Shape::Table { entries, same } if self.level(relation) == level => {
                Some((entries.to_vec(), *same))
            }
            Shape::Identity | Shape::Table { .. } => Some((Vec::new(), relation)),
            _ => None,
        }
    }

    /// The union of relations, part by part.
    pub(crate) fn union_of(&mut self, parts: Vec<Relation>) -> Relation {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match self.shape(part) {
                Shape::Union(inner) => flat.extend_from_slice(inner),
                Shape::Empty => {}
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        match flat[..] {
            [] => Relation::EMPTY,
            [only] => only,
            _ => {
                let level = flat.iter().map(|&part| self.level(part)).min();
                self.intern(level.unwrap_or(u32::MAX), Shape::Union(flat.into()))
            }
        }
    }

    /// The converse relation.
    pub(crate) fn inverse(&mut self, relation: Relation) -> Relation {
        if let Some(&known) = self.inverses.get(&relation) {
            return known;
        }
        let level = self.level(relation);
        let inverse = match self.shape(relation).clone() {
            Shape::Identity | Shape::Empty => relation,
            Shape::Linear {
                from,
                to,
                delta,
                rest,
            } => {
                let rest = self.inverse(rest);
                match moved(from, delta) {
                    Ok(from) => {
                        let to = moved(to, delta).unwrap_or(u32::MAX);
                        self.step(level, from, to, -delta, rest)
                    }
                    Err(_) => Relation::EMPTY,
                }
            }
            Shape::Table { entries, same } => {
                let mut turned = Vec::with_capacity(entries.len());
                for &(before, after, rest) in &entries {
                    turned.push((after, before, self.inverse(rest)));
                }
                let same = self.inverse(same);
                self.make_table(level, turned, same)
            }
            Shape::Guarded {
                relation,
                guard,
                side,
            } => {
                let relation = self.inverse(relation);
                let side = match side {
                    Side::Source => Side::Target,
                    Side::Target => Side::Source,
                };
                if relation == Relation::EMPTY {
                    Relation::EMPTY
                } else {
                    let shape = Shape::Guarded {
                        relation,
                        guard,
                        side,
                    };
                    self.intern(level, shape)
                }
            }
            Shape::Union(parts) => {
                let turned = parts.iter().map(|&part| self.inverse(part)).collect();
                self.union_of(turned)
            }
            Shape::Learned(_) => unreachable!("a stand-in is fired and nothing else"),
        };
        self.inverses.insert(relation, inverse);
        inverse
    }

    /// Where `value` at the topmost level may go, and what is left for the levels below.
    ///
    /// `level` is that level, at or above [`Self::level`]. Appends to `out`.
    ///
    /// # Errors
    /// [`Stop::Memory`] where a value exceeds 32 bits.
    pub(crate) fn successors(
        &mut self,
        guards: &mut Guards,
        child: &dyn Fn(Node, u32) -> Node,
        relation: Relation,
        level: u32,
        value: u32,
        out: &mut Vec<(u32, Relation)>,
    ) -> Result<(), Stop> {
        if self.level(relation) > level {
            if relation != Relation::EMPTY {
                out.push((value, relation));
            }
            return Ok(());
        }
        match *self.shape(relation) {
            Shape::Identity => out.push((value, relation)),
            Shape::Empty => {}
            Shape::Linear {
                from,
                to,
                delta,
                rest,
            } => {
                if (from..=to).contains(&value) {
                    out.push((moved(value, delta)?, rest));
                }
            }
            Shape::Table { ref entries, same } => {
                if same != Relation::EMPTY {
                    out.push((value, same));
                }
                let first = entries.partition_point(|entry| entry.0 < value);
                let found = entries[first..].iter().take_while(|entry| entry.0 == value);
                out.extend(found.map(|entry| (entry.1, entry.2)));
            }
            Shape::Guarded {
                relation,
                guard,
                side,
            } => {
                let start = out.len();
                self.successors(guards, child, relation, level, value, out)?;
                let reads = guards.level(guard) == level;
                for (target, rest) in &mut out[start..] {
                    let seen = if side == Side::Source { value } else { *target };
                    let left = if reads {
                        guards.advance(guard, seen, child)
                    } else {
                        guard
                    };
                    *rest = self.guarded(guards, *rest, left, side);
                }
                // Entries below `start` belong to the levels above, and those can be many.
                out.extract_if(start.., |entry| entry.1 == Relation::EMPTY)
                    .for_each(drop);
            }
            Shape::Union(ref parts) => {
                for part in parts.clone() {
                    self.successors(guards, child, part, level, value, out)?;
                }
            }
            Shape::Learned(number) => {
                let table = &self.tables[number as usize];
                if let Some(product) = table.product {
                    return self.successors(guards, child, product, level, value, out);
                }
                let parts = table.rows.get(&value);
                let parts: Vec<Relation> = parts.into_iter().flat_map(Parts::relations).collect();
                for part in parts {
                    self.successors(guards, child, part, level, value, out)?;
                }
            }
        }
        Ok(())
    }
}

/// More than any value.
const BEYOND: i64 = 1 << 32;

/// A value moved by an event; beyond 32 bits there is no room.
#[inline]
pub(crate) fn moved(value: u32, delta: i64) -> Result<u32, Stop> {
    u32::try_from(i64::from(value) + delta).map_err(|_| Stop::Memory)
}
