//! Fewer events: tables of one topmost level as one table.
//!
//! Every event is fired on its own: a walk through the diagram, and a union of what it adds. Transitions of
//! processes that have a level in common mostly leave alone what the others change, so one walk can do
//! for all of them. (`LTSmin` unites transition groups whose levels are levels of another one: Meijer, Kant,
//! Blom, van de Pol, *Read, write and copy dependencies for symbolic model checking*, HVC 2014. Here the
//! topmost level is all that they must have in common, unless the union is much larger than its parts.) On
//! BEEM's `lamport_nonatomic.5` 365 events become 20, and saturation takes a thirtieth of the time.
//!
//! Cost: the unions.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::relation::{Relation, Shape};
use crate::{Manager, Stop};

/// A union may have so many times the entries of its parts.
const GROWTH: usize = 2;

/// Unions with fewer entries are never too large.
const SMALL: usize = 1 << 10;

impl Manager {
    /// Relations with the same pairs in all: fewer, if there are tables among them that have the same topmost level.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn gathered(&mut self, relations: &[Relation]) -> Result<Vec<Relation>, Stop> {
        let mut found = Vec::new();
        let mut tables: BTreeMap<u32, Vec<Relation>> = BTreeMap::new();
        for &relation in relations {
            match self.relations.shape(relation) {
                Shape::Table { .. } => {
                    let level = self.relations.level(relation);
                    tables.entry(level).or_default().push(relation);
                }
                _ => found.push(relation),
            }
        }
        for mut list in tables.into_values() {
            // In pairs, so that no table is copied more than a few times.
            while list.len() > 1 {
                let mut next = Vec::with_capacity(list.len().div_ceil(2));
                for pair in list.chunks(2) {
                    self.tick()?;
                    match *pair {
                        [a, b] => match self.united(a, b)? {
                            Some(both) => next.push(both),
                            None => found.extend([a, b]),
                        },
                        _ => next.extend_from_slice(pair),
                    }
                }
                list = next;
            }
            found.extend(list);
        }
        self.relations.complete()?;
        Ok(found)
    }

    /// The union, unless it is much larger than its parts.
    fn united(&mut self, a: Relation, b: Relation) -> Result<Option<Relation>, Stop> {
        let parts = self.entries(a)? + self.entries(b)?;
        let both = self.relations.unite(a, b);
        let size = self.entries(both)?;
        Ok((size <= SMALL.max(GROWTH * parts)).then_some(both))
    }

    /// The number of entries of a table and of all tables below it.
    fn entries(&mut self, table: Relation) -> Result<usize, Stop> {
        let mut seen: FxHashSet<Relation> = FxHashSet::default();
        let mut open = vec![table];
        let mut number = 0;
        while let Some(relation) = open.pop() {
            if !seen.insert(relation) {
                continue;
            }
            self.tick()?;
            if let Shape::Table { entries, same } = self.relations.shape(relation) {
                number += entries.len();
                open.extend(entries.iter().map(|entry| entry.2));
                open.push(*same);
            }
        }
        Ok(number)
    }
}
