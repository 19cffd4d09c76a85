//! The product of tables: what small relations do together.
//!
//! A transition that tests and changes many levels, each by itself or with few others, is a product
//! of small tables. Listing its rows would take as many as all sizes multiplied; level by level, the
//! product is mostly as small as its parts together.
//!
//! Cost: pairs of nodes of the two relations, each once.

use crate::relation::{Entry, Relation};
use crate::{Manager, Stop};

impl Manager {
    /// The pairs that tables allow together: from a vector in which each has a row, each level that one of them
    /// changes goes where that one says, and the others stay.
    ///
    /// No level may be changed by two of them; a table that only tests a level has the same value before
    /// and after.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    ///
    /// # Panics
    /// If a relation is no table.
    pub fn together(&mut self, tables: &[Relation]) -> Result<Relation, Stop> {
        // From the bottom upwards: what is made on the way then stays part of the result.
        let mut sorted = tables.to_vec();
        sorted.sort_by_key(|&table| std::cmp::Reverse(self.relations.level(table)));
        let mut result = Relation::IDENTITY;
        for table in sorted {
            result = self.product(table, result)?;
        }
        self.relations.complete()?;
        Ok(result)
    }

    fn product(&mut self, a: Relation, b: Relation) -> Result<Relation, Stop> {
        if a == b || b == Relation::IDENTITY || a == Relation::EMPTY {
            return Ok(a);
        }
        if a == Relation::IDENTITY || b == Relation::EMPTY {
            return Ok(b);
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(&known) = self.relations.products.get(&(a, b)) {
            return Ok(known);
        }
        self.tick()?;
        let level = self.relations.level(a).min(self.relations.level(b));
        let (Some((left, left_same)), Some((right, right_same))) = (
            self.relations.as_table(a, level),
            self.relations.as_table(b, level),
        ) else {
            panic!("products are made of tables")
        };
        let mut entries: Vec<Entry> = Vec::new();
        let mut first = 0;
        for &(before, after, rest) in &left {
            while right.get(first).is_some_and(|entry| entry.0 < before) {
                first += 1;
            }
            let others = right[first..].iter().take_while(|entry| entry.0 == before);
            for &(_, other, other_rest) in others {
                let target = match (after == before, other == before) {
                    (true, _) => other,
                    (_, true) => after,
                    _ if after == other => after,
                    _ => continue,
                };
                let rest = self.product(rest, other_rest)?;
                entries.push((before, target, rest));
            }
            let rest = self.product(rest, right_same)?;
            entries.push((before, after, rest));
        }
        for &(before, after, rest) in &right {
            let rest = self.product(rest, left_same)?;
            entries.push((before, after, rest));
        }
        let same = self.product(left_same, right_same)?;
        entries.sort_unstable();
        let mut merged: Vec<Entry> = Vec::with_capacity(entries.len());
        for entry in entries {
            match merged.last_mut() {
                Some(last) if (last.0, last.1) == (entry.0, entry.1) => {
                    last.2 = self.relations.unite(last.2, entry.2);
                }
                _ => merged.push(entry),
            }
        }
        let product = self.relations.make_table(level, merged, same);
        self.relations.products.insert((a, b), product);
        Ok(product)
    }
}
