//! Products of functions that are learned: one table per function, and their product as an event.
//!
//! A transition that tests and changes many levels, a few of them at a time, is a product of small
//! functions. Learning it as one function would mean to ask for every combination of values of all its levels that
//! is reached. Here each function is asked for all combinations of the values that its own levels
//! were seen to have, as long as these are few; so what has to be watched are values of single
//! levels, and the tables are complete after as many steps as there are values. Where the
//! combinations are many, a function is asked for those that are reached.
//!
//! Cost: projections on single levels, which all products share, and a product of tables whenever a level
//! has a new value.

use crate::learn::{Function, fill, row};
use crate::store::Node;
use crate::vectors::Walk;
use crate::{Guard, Manager, Question, Relation, Set, Stop, TableRow};

/// The most combinations of values that are asked for ahead, per function.
const AHEAD: usize = 1 << 14;

/// A product of functions.
#[derive(Debug)]
pub(crate) struct Product {
    parts: Vec<Part>,
    /// Read or written by some part, ascending.
    pub(crate) levels: Vec<u32>,
    /// Whether something was asked.
    begun: bool,
    /// What the functions do together.
    relation: Relation,
}

/// Products of one topmost level, and tables: one event.
#[derive(Debug)]
pub(crate) struct Class {
    /// The places of the learners.
    pub(crate) members: Vec<usize>,
    /// Read or written by some member, ascending.
    levels: Vec<u32>,
    /// By place in `levels`, the values that were seen, as vectors of length 1.
    seen: Vec<Set>,
    /// By place in `levels`, whether there are new ones.
    grew: Vec<bool>,
}

impl Class {
    pub(crate) fn new() -> Self {
        Class {
            members: Vec::new(),
            levels: Vec::new(),
            seen: Vec::new(),
            grew: Vec::new(),
        }
    }

    /// Takes a member.
    pub(crate) fn add(&mut self, manager: &Manager, place: usize, product: &Product) {
        self.members.push(place);
        self.levels.extend(&product.levels);
        self.levels.sort_unstable();
        self.levels.dedup();
        self.seen = self.levels.iter().map(|_| manager.empty()).collect();
        self.grew = vec![false; self.levels.len()];
    }

    /// Looks at the values below an edge of the topmost level; whether there are new ones.
    pub(crate) fn look(
        &mut self,
        manager: &mut Manager,
        (value, child, level): (u32, Node, u32),
    ) -> Result<bool, Stop> {
        let mut some = false;
        for (place, &l) in self.levels.iter().enumerate() {
            let values = if l == level {
                manager.make_single(value, Node::ONE)?
            } else {
                manager.shorten_below(child, &[l], level + 1)?
            };
            let seen = manager.node(&self.seen[place]);
            let both = manager.unite(seen, values)?;
            self.grew[place] = both != seen;
            if both != seen {
                self.seen[place] = manager.root(both);
                some = true;
            }
        }
        Ok(some)
    }

    fn place(&self, level: u32) -> usize {
        self.levels.partition_point(|&other| other < level)
    }

    /// All combinations of the values of some levels, if they are few.
    fn combinations(&self, manager: &mut Manager, levels: &[u32]) -> Result<Option<Node>, Stop> {
        let rows = levels
            .iter()
            .map(|&level| manager.node(&self.seen[self.place(level)]));
        let rows: Vec<Node> = rows.collect();
        let sizes = rows.iter().map(|&node| manager.store.row_len(node));
        if sizes.fold(1, usize::saturating_mul) > AHEAD {
            return Ok(None);
        }
        let mut all = Node::ONE;
        for &node in rows.iter().rev() {
            let base = manager.rows.len();
            for i in 0..manager.store.row_len(node) {
                let (value, _) = manager.store.edge(node, i);
                manager.push_edge(value, all);
            }
            all = manager.make_node(base)?;
        }
        Ok(Some(all))
    }
}

/// A function.
#[derive(Debug)]
struct Part {
    /// Read or written, ascending.
    levels: Vec<u32>,
    /// Per value that is read, its place in `levels`.
    reads: Vec<usize>,
    /// Per value that is written, its place in `levels`.
    writes: Vec<usize>,
    /// Whether all combinations of values are asked for.
    ahead: bool,
    /// The vectors over `levels` that were asked for.
    known: Set,
    /// Those that the function leads somewhere from.
    sources: Set,
    table: Relation,
}

impl Product {
    /// Knows nothing yet of functions that read and write these levels.
    pub(crate) fn new(manager: &mut Manager, parts: &[(Vec<u32>, Vec<u32>)]) -> Self {
        let sorted = |lists: &mut dyn Iterator<Item = u32>| -> Vec<u32> {
            let mut levels: Vec<u32> = lists.collect();
            levels.sort_unstable();
            levels.dedup();
            levels
        };
        let all = parts.iter().flat_map(|(reads, writes)| [reads, writes]);
        let levels = sorted(&mut all.flatten().copied());
        let known = levels.last().is_none_or(|&last| last < manager.levels());
        assert!(known, "levels of the manager");
        let part = |(reads, writes): &(Vec<u32>, Vec<u32>)| {
            let levels = sorted(&mut reads.iter().chain(writes).copied());
            let place = |level: &u32| levels.partition_point(|other| other < level);
            Part {
                reads: reads.iter().map(place).collect(),
                writes: writes.iter().map(place).collect(),
                levels,
                ahead: true,
                known: manager.empty(),
                sources: manager.empty(),
                table: Relation::EMPTY,
            }
        };
        Product {
            parts: parts.iter().map(part).collect(),
            levels,
            begun: false,
            relation: if parts.is_empty() {
                Relation::IDENTITY
            } else {
                Relation::EMPTY
            },
        }
    }

    /// What the functions do together, as far as it is known.
    pub(crate) fn relation(&self) -> Relation {
        self.relation
    }

    /// Whether some function is asked for what is reached only, so that every edge must be looked at.
    pub(crate) fn is_watchful(&self) -> bool {
        self.parts.iter().any(|part| !part.ahead)
    }

    /// The vectors for which all functions are known to lead somewhere, as a guard; or all others.
    pub(crate) fn enabled(&self, manager: &mut Manager, enabled: bool) -> Guard {
        let parts = self.parts.iter();
        let guards: Vec<Guard> = parts
            .map(|part| manager.listed_in(&part.levels, &part.sources, enabled))
            .collect();
        if enabled {
            manager.all(&guards)
        } else {
            manager.any(&guards)
        }
    }

    /// Asks for what is new below an edge of the topmost level, whose values the class has looked at; whether
    /// that led to something.
    pub(crate) fn extend(
        &mut self,
        manager: &mut Manager,
        class: &Class,
        (value, child, level): (u32, Node, u32),
        learner: usize,
        f: &mut Function<'_>,
    ) -> Result<bool, Stop> {
        let mut changed = false;
        let begins = !std::mem::replace(&mut self.begun, true);
        for (i, part) in self.parts.iter_mut().enumerate() {
            let mut asked = None;
            if part.ahead {
                let grew = |&level: &u32| class.grew[class.place(level)];
                if !begins && !part.levels.iter().any(grew) {
                    continue;
                }
                asked = class.combinations(manager, &part.levels)?;
            }
            let asked = if let Some(all) = asked {
                all
            } else {
                part.ahead = false;
                let below = manager.shorten_below(child, &part.levels, level + 1)?;
                if part.levels.first() == Some(&level) {
                    manager.make_single(value, below)?
                } else {
                    below
                }
            };
            let known = manager.node(&part.known);
            let new = manager.subtract(asked, known)?;
            if new != Node::EMPTY {
                changed |= part.ask(manager, new, (learner, i), f)?;
            }
        }
        let tables: Vec<Relation> = self.parts.iter().map(|part| part.table).collect();
        if !changed || tables.contains(&Relation::EMPTY) {
            return Ok(false);
        }
        let relation = manager.together(&tables)?;
        let differs = relation != self.relation;
        self.relation = relation;
        Ok(differs)
    }
}

impl Part {
    /// Asks for the vectors below a node; whether there are rows.
    fn ask(
        &mut self,
        manager: &mut Manager,
        new: Node,
        (learner, part): (usize, usize),
        f: &mut Function<'_>,
    ) -> Result<bool, Stop> {
        let mut rows: Vec<TableRow> = Vec::new();
        let mut sources: Vec<Vec<u32>> = Vec::new();
        let mut read = vec![0; self.reads.len()];
        let mut old = vec![0; self.writes.len()];
        let mut bytes = 0;
        let mut walk = Walk::new(new);
        while let Some(vector) = walk.step(&manager.store) {
            fill(&mut read, &self.reads, vector);
            fill(&mut old, &self.writes, vector);
            let number = rows.len();
            let mut sink = |written: &[u32]| {
                let row = row(&self.levels, vector, &self.writes, written);
                bytes += 24 + 12 * row.len() as u64;
                rows.push(row);
            };
            let question = Question {
                learner,
                part,
                read: &read,
                old: &mut old,
                reached: true,
            };
            f(question, &mut sink)?;
            if rows.len() > number {
                sources.push(vector.to_vec());
                bytes += 24 + 4 * vector.len() as u64;
            }
            manager.tick()?;
            manager.afford(bytes)?;
        }
        let known = manager.unite(manager.node(&self.known), new)?;
        self.known = manager.root(known);
        if rows.is_empty() {
            return Ok(false);
        }
        let sorted: Vec<&[u32]> = sources.iter().map(Vec::as_slice).collect();
        let sources = manager.weave(&sorted)?;
        let sources = manager.unite(manager.node(&self.sources), sources)?;
        self.sources = manager.root(sources);
        let mut list: Vec<&[(u32, u32, u32)]> = rows.iter().map(Vec::as_slice).collect();
        list.sort_unstable();
        let table = manager.relations.table(&mut list);
        self.table = manager.relations.unite(self.table, table);
        manager.relations.complete()?;
        Ok(true)
    }
}
