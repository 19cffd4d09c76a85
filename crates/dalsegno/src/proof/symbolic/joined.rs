//! Many sets of states as one diagram with records at its leaves: their nodes are descended together, and what was met
//! is not met again. Cost: the combinations of nodes that are met.

use std::collections::{BTreeMap, BTreeSet};

use dalsegno_kripke::{Budget, GroupId, Predicate, VarId};
use dalsegno_symbolic::mdd::{self, Set, View};
use dalsegno_verify::diagram::{Alive, Cell, Diagram, Leaf, Level};
use dalsegno_verify::formula::Atom;
use rustc_hash::FxHashMap;

use super::{Made, Product, Ranked};
use crate::proof::Unproved;
use crate::proof::diagram::{Unique, assemble};

/// The combinations of nodes that are met when sets are joined.
const MOST_JOINED: usize = 20_000_000;

impl Product<'_> {
    /// One diagram of all records.
    pub(super) fn join(&mut self, ranked: &[Ranked], marks: Option<u64>) -> Made<Diagram> {
        let told = self.subject.claim.formulas.atoms.contains(&Atom::Deadlock);
        // Ranks often allow for markings to repeat, and then it does not matter which of them are dead ends.
        let first = if told {
            None
        } else {
            self.join_with(ranked, marks, false)?
        };
        let second = match first {
            None => self.join_with(ranked, marks, true)?,
            found => found,
        };
        second.ok_or_else(|| Unproved::Other("dead ends are not known".to_owned()))
    }

    /// One diagram of all records; none if it has to tell of dead ends and does not.
    fn join_with(
        &mut self,
        ranked: &[Ranked],
        marks: Option<u64>,
        tells: bool,
    ) -> Made<Option<Diagram>> {
        let told = self.subject.claim.formulas.atoms.contains(&Atom::Deadlock);
        let stutters = self.stutters;
        let mut sets: Vec<Set> = ranked.iter().map(|record| record.states.clone()).collect();
        // Where it matters whether a marking is a dead end: which transition it enables, if any.
        let mut alive = Vec::new();
        if tells {
            let mut left = self.reachable.clone();
            for t in 0..self.subject.net.transitions.len() {
                self.budget.check()?;
                let enabled = Predicate::Enabled(vec![GroupId(t as u32)]);
                let enabled = self.space.select(&enabled)?;
                let part = self.with(|manager| manager.intersection(&left, &enabled))?;
                if !part.is_empty() {
                    left = self.with(|manager| manager.difference(&left, &enabled))?;
                    sets.push(part);
                    alive.push(Alive::By(t));
                }
            }
            if !left.is_empty() {
                sets.push(left);
                alive.push(Alive::Dead);
            }
        }
        let (levels, values) = self.levels();
        let (classes, steps) = (&self.classes, &self.steps);
        let may_repeat = |class: usize, cells: &[Cell], marks: u64| {
            let rank = |slot: u32| {
                cells
                    .iter()
                    .find(|c| c.slot == slot as usize)
                    .map(|c| c.rank)
            };
            cells.iter().all(|cell| {
                let steps = steps.get(&(cell.slot as u32, class));
                steps.is_some_and(|steps| {
                    steps.iter().all(|&(slot, postponed)| {
                        let mark = cell.rank % marks;
                        let stays = mark > 0 && postponed >> (mark - 1) & 1 == 1;
                        let falls = |next| next < cell.rank || (next == cell.rank && stays);
                        rank(slot).is_some_and(falls)
                    })
                })
            })
        };
        let mut leaves: Vec<Leaf> = Vec::new();
        let mut leaf_of: FxHashMap<Leaf, u32> = FxHashMap::default();
        let mut lacks = false;
        let mut leaf = |open: &[u32]| {
            let (mut cells, mut class, mut found) = (Vec::new(), 0, Alive::Unknown);
            for &i in open {
                match ranked.get(i as usize) {
                    Some(&Ranked {
                        key, rank, choice, ..
                    }) => {
                        let slot = key.0 as usize;
                        cells.push(Cell { slot, rank, choice });
                        class = key.1;
                    }
                    None => found = alive[i as usize - ranked.len()],
                }
            }
            cells.sort_unstable_by_key(|cell| cell.slot);
            let free = marks.is_none_or(|marks| !stutters || may_repeat(class, &cells, marks));
            lacks |= !free && !tells;
            let alive = if told || !free { found } else { Alive::Unknown };
            let letter = classes[class].0;
            let record = Leaf {
                letter,
                alive,
                cells,
            };
            let number = *leaf_of.entry(record.clone()).or_insert(leaves.len() as u32);
            if number as usize == leaves.len() {
                leaves.push(record);
            }
            number
        };
        let manager = self.space.encoding().manager();
        let views = sets.iter().zip(0..);
        let roots: Vec<(u32, View)> = views
            .filter_map(|(set, i)| Some((i, manager.view(set)?)))
            .collect();
        let mut joined = Joined {
            manager,
            unique: levels.iter().map(|_| Unique::default()).collect(),
            memo: FxHashMap::default(),
            values: &values,
            records: ranked.len() as u32,
            budget: self.budget,
            bytes: 0,
        };
        joined.node(0, &roots, &mut leaf)?;
        let unique = joined.unique;
        if lacks {
            return Ok(None);
        }
        Ok(Some(assemble(levels, self.slots.clone(), leaves, &unique)))
    }

    /// The levels as the checker has them, and for each the numbers of the values.
    fn levels(&mut self) -> (Vec<Level>, Vec<FxHashMap<u32, u32>>) {
        let encoding = self.space.encoding();
        let count = encoding.order().len();
        let mut places: Vec<Vec<(usize, Option<u32>)>> = vec![Vec::new(); count];
        for place in 0..self.subject.net.places.len() {
            let (level, value) = encoding.level(VarId(place as u32));
            places[level].push((place, value));
        }
        let mut seen: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); count];
        let manager = encoding.manager();
        let mut row: BTreeSet<View> = manager.view(&self.reachable).into_iter().collect();
        for seen in &mut seen {
            let arcs = row.iter().flat_map(|&view| manager.arcs(view));
            let mut next = BTreeSet::new();
            for (value, child) in arcs {
                seen.insert(value);
                next.insert(child);
            }
            row = next;
        }
        let mut levels = Vec::new();
        let mut numbers = Vec::new();
        for (places, seen) in places.iter().zip(&seen) {
            // A value of several places says which one has a token.
            let tokens = |value: u32| -> Vec<u32> {
                let one = |&(_, own): &(usize, Option<u32>)| match own {
                    Some(own) => u32::from(own == value),
                    None => value,
                };
                places.iter().map(one).collect()
            };
            let mut values: Vec<(Vec<u32>, u32)> = seen.iter().map(|&v| (tokens(v), v)).collect();
            values.sort_unstable();
            numbers.push(values.iter().map(|(_, v)| *v).zip(0..).collect());
            levels.push(Level {
                places: places.iter().map(|&(place, _)| place).collect(),
                values: values.into_iter().map(|(tokens, _)| tokens).collect(),
            });
        }
        (levels, numbers)
    }
}

/// Sets of states that are descended together.
struct Joined<'a> {
    manager: &'a mdd::Manager,
    unique: Vec<Unique>,
    memo: FxHashMap<Vec<(u32, View)>, Option<u32>>,
    values: &'a [FxHashMap<u32, u32>],
    /// Sets with smaller numbers have records; the others tell of dead ends.
    records: u32,
    budget: &'a Budget,
    /// The bytes of the table.
    bytes: u64,
}

impl Joined<'_> {
    fn node(
        &mut self,
        level: usize,
        open: &[(u32, View)],
        leaf: &mut dyn FnMut(&[u32]) -> u32,
    ) -> Made<u32> {
        let made = self.descend(level, open, leaf)?;
        made.ok_or_else(|| Unproved::Other("there is no state".to_owned()))
    }

    /// The node of a combination of nodes; none if no record is among them.
    fn descend(
        &mut self,
        level: usize,
        open: &[(u32, View)],
        leaf: &mut dyn FnMut(&[u32]) -> u32,
    ) -> Made<Option<u32>> {
        if open.first().is_none_or(|&(set, _)| set >= self.records) {
            return Ok(None);
        }
        if level == self.unique.len() {
            let sets: Vec<u32> = open.iter().map(|&(set, _)| set).collect();
            return Ok(Some(leaf(&sets)));
        }
        if let Some(&made) = self.memo.get(open) {
            return Ok(made);
        }
        if self.memo.len() >= MOST_JOINED {
            return Err(Unproved::Limit(
                "the sets are too many to be joined".to_owned(),
            ));
        }
        self.bytes += (48 + size_of_val(open)) as u64;
        if self.memo.len().is_multiple_of(1 << 12) {
            self.budget.check()?;
            self.budget.check_bytes(self.bytes)?;
        }
        let mut by_value: BTreeMap<u32, Vec<(u32, View)>> = BTreeMap::new();
        for &(set, view) in open {
            for (value, child) in self.manager.arcs(view) {
                by_value.entry(value).or_default().push((set, child));
            }
        }
        let mut arcs = Vec::new();
        for (value, children) in by_value {
            if let (Some(&value), Some(child)) = (
                self.values[level].get(&value),
                self.descend(level + 1, &children, leaf)?,
            ) {
                arcs.push((value, child));
            }
        }
        arcs.sort_unstable();
        let made = (!arcs.is_empty()).then(|| self.unique[level].node(&arcs));
        self.memo.insert(open.to_vec(), made);
        Ok(made)
    }
}
