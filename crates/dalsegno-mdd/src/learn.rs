//! Relations that are learned: tables of functions, as far as their arguments were reached.
//!
//! A group of transitions is given as a function from the values that it reads to lists of values
//! that it writes (Blom, van de Pol: *Symbolic reachability for process algebras with recursive
//! data types*, ICTAC 2008). There, rounds of learning alternate with rounds of exploring. Here a
//! function is asked in the midst of saturation: when an event is about to be fired from an edge, what
//! lies below is projected on the levels of the event, and its table is extended by what is new there. All
//! levels of an event lie below the edge, so nothing is missed; and what saturation works on
//! is always a part of reached vectors, so nothing is asked for that is not reached. A node that is saturated by
//! what was known then stays so: all that can be fired from it was known.
//!
//! Tables that grow row by row have nothing in common with each other, and what is remembered of one is of no
//! use for the next. So as long as they are few, all combinations of the values that were seen are asked
//! for at once, reached or not: what a function does not depend on then does not tell its tables apart.
//!
//! Cost: that of saturation with the finished table, and the projections.
//!
//! The rows of one topmost value are kept in parts, each at least twice as large as the next: relations
//! are never changed or dropped, and making the whole table anew for every few rows would leave its
//! old versions behind. With parts, n rows leave no more than n log n behind.

use std::cell::RefCell;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::learn_product::{Class, Product};
use crate::store::Node;
use crate::vectors::Walk;
use crate::{Guard, Manager, Relation, Set, Stop, TableRow};

/// What is known of a function from values read to values written, or of several that act together.
#[derive(Debug)]
pub struct Learner {
    /// Which of the manager's learned tables has the rows.
    number: u32,
    /// Stands for the table among events.
    event: Relation,
    body: Body,
    relations: Vec<Relation>,
}

#[derive(Debug)]
enum Body {
    Single(Single),
    Product(Product),
}

/// What is known of one function.
#[derive(Debug)]
struct Single {
    /// The number of the table.
    number: u32,
    /// Read or written, ascending.
    levels: Vec<u32>,
    /// Per value that is read, its place in `levels`.
    reads: Vec<usize>,
    /// Per value that is written, its place in `levels`.
    writes: Vec<usize>,
    /// By place in `levels`, the values that were seen, ascending.
    seen: Vec<Vec<u32>>,
    /// The vectors over `levels` that were asked for.
    known: Set,
    /// Those that the function leads somewhere from.
    sources: Set,
}

/// What stands behind the event of a learner.
#[derive(Debug, Default)]
pub(crate) struct LearnedTable {
    /// The rows of one function, by the value of the topmost level.
    pub(crate) rows: FxHashMap<u32, Parts>,
    /// What several functions do together.
    pub(crate) product: Option<Relation>,
}

/// Tables and how many rows each has. A row that is there twice has its second copy in the second
/// list, and so on: a table has each of its rows once.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    copies: Vec<Vec<(Relation, usize)>>,
}

impl Parts {
    /// The tables.
    pub(crate) fn relations(&self) -> impl Iterator<Item = Relation> + '_ {
        self.copies.iter().flatten().map(|part| part.0)
    }
}

/// What a function is asked.
#[derive(Debug)]
pub struct Question<'q> {
    /// The place of the learner that asks.
    pub learner: usize,
    /// The place of the function among those that act together.
    pub part: usize,
    /// The values read.
    pub read: &'q [u32],
    /// The old values of what is written; may be changed.
    pub old: &'q mut [u32],
    /// Whether these values belong to a vector that is reached. Otherwise, the question is asked ahead,
    /// and refusing the answer has no consequences.
    pub reached: bool,
}

/// A function passes the values on that it writes.
pub(crate) type Function<'f> =
    dyn FnMut(Question<'_>, &mut dyn FnMut(&[u32])) -> Result<(), Stop> + 'f;

/// The most combinations of values that are asked for ahead, per function.
const AHEAD: usize = 1 << 13;

/// Learners at work.
struct Learning<'l> {
    learners: Vec<&'l mut Learner>,
    /// The places of the learners by their numbers.
    places: FxHashMap<u32, usize>,
    /// Products of one topmost level by the numbers of their tables.
    classes: FxHashMap<u32, Class>,
    function: &'l mut Function<'l>,
}

/// Whoever fires the event of a learned table is taught what it does.
pub(crate) trait Teacher {
    /// Completes a table for what lies below an edge of its topmost level: its value and its child.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out, or the interrupt or a function says so.
    fn teach(
        &self,
        manager: &mut Manager,
        number: u32,
        value: u32,
        child: Node,
        level: u32,
    ) -> Result<(), Stop>;
}

/// The rows of some arguments, second copies apart, and the arguments that have rows.
#[derive(Default)]
struct Answers {
    rows: Vec<Vec<TableRow>>,
    sources: Vec<Vec<u32>>,
    /// Whether the function refused to answer.
    refused: bool,
}

impl Learner {
    /// Knows nothing yet of a function that reads and writes these levels.
    ///
    /// # Panics
    /// If a level is listed twice on one side, or the manager does not have it.
    #[must_use]
    pub fn new(manager: &mut Manager, reads: &[u32], writes: &[u32]) -> Self {
        let single = Single::new(manager, reads, writes);
        let top = single.levels.first().copied();
        let (number, event) = manager.relations.learned(top.unwrap_or(u32::MAX));
        let body = Body::Single(Single { number, ..single });
        Learner {
            number,
            event,
            body,
            relations: Vec::new(),
        }
    }

    /// Knows nothing yet of functions that act together: from a vector in which each of them has a
    /// successor, each changes the levels that it writes. They are given by the levels read and
    /// the levels written.
    ///
    /// Each has at most one successor, and no two write the same level. None may refuse an answer.
    ///
    /// # Panics
    /// If the manager does not have a level.
    #[must_use]
    pub fn product(manager: &mut Manager, parts: &[(Vec<u32>, Vec<u32>)]) -> Self {
        let product = Product::new(manager, parts);
        let top = product.levels.first().copied();
        let (number, event) = manager.relations.learned(top.unwrap_or(u32::MAX));
        Learner {
            number,
            event,
            body: Body::Product(product),
            relations: Vec::new(),
        }
    }

    /// The functions as far as they are known: the union of these. They have no pair in common, unless
    /// a function leads from one argument to the same values more than once.
    #[must_use]
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// The vectors for which the functions are known to lead somewhere, as a guard; or all others.
    pub fn enabled(&self, manager: &mut Manager, enabled: bool) -> Guard {
        match &self.body {
            Body::Single(single) => manager.listed_in(&single.levels, &single.sources, enabled),
            Body::Product(product) => product.enabled(manager, enabled),
        }
    }

    /// Asks for what is new below an edge of the topmost level.
    fn teach(
        &mut self,
        manager: &mut Manager,
        (value, child, level): (u32, Node, u32),
        place: usize,
        f: &mut Function<'_>,
    ) -> Result<(), Stop> {
        match &mut self.body {
            Body::Single(single) => {
                let seen = manager.shorten_below(child, &single.levels, level + 1)?;
                let known = manager.store.child(manager.node(&single.known), value);
                let new = manager.subtract(seen, known)?;
                if new == Node::EMPTY {
                    return Ok(());
                }
                let new = manager.make_single(value, new)?;
                single.extend(manager, new, place, f)
            }
            Body::Product(_) => Ok(()),
        }
    }

    /// What a product is known to do.
    fn known(&self) -> Relation {
        match &self.body {
            Body::Single(_) => Relation::EMPTY,
            Body::Product(product) => product.relation(),
        }
    }

    /// Learns what does not depend on any level.
    fn begin(
        &mut self,
        manager: &mut Manager,
        place: usize,
        f: &mut Function<'_>,
    ) -> Result<(), Stop> {
        match &mut self.body {
            // Without levels there is one argument, and nothing to fire it from.
            Body::Single(single) if single.levels.is_empty() && single.known.is_empty() => {
                single.extend(manager, Node::ONE, place, f)
            }
            Body::Product(product) if product.levels.is_empty() => {
                let edge = (0, Node::ONE, 0);
                product.extend(manager, &Class::new(), edge, place, f)?;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl Single {
    fn new(manager: &mut Manager, reads: &[u32], writes: &[u32]) -> Self {
        let mut levels: Vec<u32> = reads.iter().chain(writes).copied().collect();
        levels.sort_unstable();
        levels.dedup();
        let known = levels.last().is_none_or(|&last| last < manager.levels());
        assert!(known, "levels of the manager");
        let places = |list: &[u32]| {
            let place = |level: &u32| levels.partition_point(|other| other < level);
            let places: Vec<usize> = list.iter().map(place).collect();
            let mut sorted = places.clone();
            sorted.sort_unstable();
            let once = sorted.windows(2).all(|pair| pair[0] < pair[1]);
            assert!(once, "a level is read once and written once");
            places
        };
        let (reads, writes) = (places(reads), places(writes));
        Single {
            number: 0,
            seen: vec![Vec::new(); levels.len()],
            levels,
            reads,
            writes,
            known: manager.empty(),
            sources: manager.empty(),
        }
    }

    /// The rows of the arguments below a node, which are reached or are asked for ahead.
    fn ask(
        &self,
        manager: &mut Manager,
        new: Node,
        (learner, reached): (usize, bool),
        f: &mut Function<'_>,
    ) -> Result<Answers, Stop> {
        let mut answers = Answers::default();
        let mut read = vec![0; self.reads.len()];
        let mut old = vec![0; self.writes.len()];
        let mut bytes = 0;
        let mut found: Vec<TableRow> = Vec::new();
        let mut walk = Walk::new(new);
        while let Some(vector) = walk.step(&manager.store) {
            fill(&mut read, &self.reads, vector);
            fill(&mut old, &self.writes, vector);
            let mut sink = |written: &[u32]| {
                let row = row(&self.levels, vector, &self.writes, written);
                bytes += 24 + 12 * row.len() as u64;
                found.push(row);
            };
            let question = Question {
                learner,
                part: 0,
                read: &read,
                old: &mut old,
                reached,
            };
            if let Err(stop) = f(question, &mut sink) {
                if reached {
                    return Err(stop);
                }
                answers.refused = true;
                return Ok(answers);
            }
            if !found.is_empty() {
                answers.sources.push(vector.to_vec());
                bytes += 24 + 4 * vector.len() as u64;
            }
            answers.add(&mut found);
            manager.tick()?;
            manager.afford(bytes)?;
        }
        Ok(answers)
    }

    /// Asks for what is new, which is reached, and for more than that if there is little of it.
    fn extend(
        &mut self,
        manager: &mut Manager,
        new: Node,
        learner: usize,
        f: &mut Function<'_>,
    ) -> Result<(), Stop> {
        let answers = self.ask(manager, new, (learner, true), f)?;
        self.keep(manager, new, &answers)?;
        if !self.look(manager, new) {
            return Ok(());
        }
        let mut all = Node::ONE;
        for values in self.seen.iter().rev() {
            let base = manager.rows.len();
            for &value in values {
                manager.push_edge(value, all);
            }
            all = manager.make_node(base)?;
        }
        let ahead = manager.subtract(all, manager.node(&self.known))?;
        let answers = self.ask(manager, ahead, (learner, false), f)?;
        if answers.refused {
            // Where a function has no answer, only what is reached counts.
            self.seen.clear();
            return Ok(());
        }
        self.keep(manager, ahead, &answers)
    }

    /// Remembers the values below a node; whether some are new and all combinations few.
    fn look(&mut self, manager: &Manager, new: Node) -> bool {
        let number = |seen: &[Vec<u32>]| -> usize {
            let sizes = seen.iter().map(Vec::len);
            sizes.fold(1, usize::saturating_mul)
        };
        if self.seen.is_empty() {
            return false;
        }
        let mut nodes = vec![new];
        let mut grew = false;
        for values in &mut self.seen {
            let mut below = Vec::new();
            for &node in &nodes {
                for (value, child) in manager.store.row(node) {
                    if let Err(place) = values.binary_search(&value) {
                        values.insert(place, value);
                        grew = true;
                    }
                    below.push(child);
                }
            }
            below.sort_unstable();
            below.dedup();
            nodes = below;
        }
        if number(&self.seen) > AHEAD {
            self.seen.clear();
        }
        grew && !self.seen.is_empty()
    }

    /// Keeps what a function said about arguments.
    fn keep(&mut self, manager: &mut Manager, asked: Node, answers: &Answers) -> Result<(), Stop> {
        let sorted: Vec<&[u32]> = answers.sources.iter().map(Vec::as_slice).collect();
        let sources = manager.weave(&sorted)?;
        let sources = manager.unite(manager.node(&self.sources), sources)?;
        let known = manager.unite(manager.node(&self.known), asked)?;
        for (copy, rows) in answers.rows.iter().enumerate() {
            let mut list: Vec<&[(u32, u32, u32)]> = rows.iter().map(Vec::as_slice).collect();
            list.sort_unstable();
            let top = |row: &[(u32, u32, u32)]| row.first().map_or(0, |entry| entry.1);
            for rows in list.chunk_by_mut(|a, b| top(a) == top(b)) {
                let value = top(rows[0]);
                let number = rows.len();
                let part = (manager.relations.table(rows), number);
                manager.relations.extend(self.number, value, copy, part);
            }
        }
        manager.relations.complete()?;
        self.sources = manager.root(sources);
        self.known = manager.root(known);
        Ok(())
    }
}

impl Answers {
    /// Takes the rows of one argument.
    fn add(&mut self, found: &mut Vec<TableRow>) {
        found.sort_unstable();
        let mut copy = 0;
        let mut last: Option<TableRow> = None;
        for row in found.drain(..) {
            copy = if last.as_ref() == Some(&row) {
                copy + 1
            } else {
                0
            };
            if self.rows.len() <= copy {
                self.rows.resize(copy + 1, Vec::new());
            }
            self.rows[copy].push(row.clone());
            last = Some(row);
        }
    }
}

impl crate::relation::Relations {
    /// A table that is learned, without rows, and the event that stands for it.
    fn learned(&mut self, level: u32) -> (u32, Relation) {
        let number = self.tables.len() as u32;
        self.tables.push(LearnedTable::default());
        (number, self.stand_in(level, number))
    }

    /// Adds a part to the rows of a value.
    fn extend(&mut self, number: u32, value: u32, copy: usize, part: (Relation, usize)) {
        let table = &mut self.tables[number as usize].rows;
        let mut parts = std::mem::take(table.entry(value).or_default());
        if parts.copies.len() <= copy {
            parts.copies.resize(copy + 1, Vec::new());
        }
        let list = &mut parts.copies[copy];
        list.push(part);
        while let [.., (a, m), (b, n)] = list[..] {
            if m >= 2 * n {
                break;
            }
            list.truncate(list.len() - 2);
            list.push((self.unite(a, b), m + n));
        }
        self.tables[number as usize].rows.insert(value, parts);
    }

    /// Sets what functions do together.
    fn set_product(&mut self, number: u32, product: Relation) {
        self.tables[number as usize].product = Some(product);
    }

    /// All rows, as one relation per copy.
    fn whole(&mut self, number: u32) -> Vec<Relation> {
        let table = &self.tables[number as usize];
        let mut values: Vec<(&u32, &Parts)> = table.rows.iter().collect();
        values.sort_unstable_by_key(|entry| entry.0);
        let mut copies: Vec<Vec<Relation>> = Vec::new();
        for (_, parts) in values {
            for (copy, list) in parts.copies.iter().enumerate() {
                if copies.len() <= copy {
                    copies.push(Vec::new());
                }
                copies[copy].extend(list.iter().map(|part| part.0));
            }
        }
        let lists = copies.into_iter();
        lists.map(|list| self.union_in_pairs(list)).collect()
    }

    /// The union of tables, in pairs, so that no table is copied more than a few times.
    fn union_in_pairs(&mut self, mut list: Vec<Relation>) -> Relation {
        while list.len() > 1 {
            let pairs = list.chunks(2);
            let united = pairs.map(|pair| match *pair {
                [a, b] => self.unite(a, b),
                _ => pair[0],
            });
            list = united.collect();
        }
        list.first().copied().unwrap_or(Relation::EMPTY)
    }
}

impl Manager {
    /// The vectors that relations and functions lead to from a set, any number of times, the set
    /// included; by saturation.
    ///
    /// The function is asked a [`Question`] and passes the values written to the sink, in the order
    /// that [`Learner::new`] was told. It is called once for every combination of values that the levels
    /// read *or* written have in a vector that is reached, because a relation must tell which value a level
    /// had before it was written; and perhaps for other combinations of these values. The learners keep
    /// what they learned.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out, or the interrupt or the function says so.
    ///
    /// # Panics
    /// If the function writes another number of values.
    pub fn reach_learning<F>(
        &mut self,
        set: &Set,
        relations: &[Relation],
        learners: &mut [&mut Learner],
        mut f: F,
    ) -> Result<Set, Stop>
    where
        F: FnMut(Question<'_>, &mut dyn FnMut(&[u32])) -> Result<(), Stop>,
    {
        for (i, learner) in learners.iter_mut().enumerate() {
            if !set.is_empty() {
                learner.begin(self, i, &mut f)?;
            }
        }
        let mut all = self.gathered(relations)?;
        let mut classes: BTreeMap<u32, Class> = BTreeMap::new();
        for (place, learner) in learners.iter().enumerate() {
            match &learner.body {
                Body::Single(_) => all.push(learner.event),
                Body::Product(product) => {
                    if let Some(&top) = product.levels.first() {
                        let class = classes.entry(top).or_insert_with(Class::new);
                        class.add(self, place, product);
                    }
                }
            }
        }
        let mut by_number: FxHashMap<u32, Class> = FxHashMap::default();
        for (top, class) in classes {
            let (number, event) = self.relations.learned(top);
            all.push(event);
            let members = class.members.iter().map(|&place| learners[place].known());
            let members: Vec<Relation> = members.collect();
            let product = self.relations.union_in_pairs(members);
            self.relations.set_product(number, product);
            by_number.insert(number, class);
        }
        let events = self.events(&all);
        let places = (0..).zip(learners.iter());
        let places = places.map(|(place, learner)| (learner.number, place));
        let places = places.collect();
        let reached = {
            let learning = RefCell::new(Learning {
                learners: learners.iter_mut().map(|learner| &mut **learner).collect(),
                places,
                classes: by_number,
                function: &mut f,
            });
            self.saturate_learning(set, &events, &learning)
        };
        for learner in learners {
            learner.relations = match &learner.body {
                Body::Single(single) => self.relations.whole(single.number),
                Body::Product(product) => vec![product.relation()],
            };
        }
        self.relations.complete()?;
        reached
    }
}

/// Teaches products of one topmost level what lies below an edge of it.
fn teach_class(
    manager: &mut Manager,
    class: &mut Class,
    learners: &mut [&mut Learner],
    (number, edge): (u32, (u32, Node, u32)),
    f: &mut Function<'_>,
) -> Result<(), Stop> {
    let some = class.look(manager, edge)?;
    let mut changed = false;
    for &place in &class.members {
        if let Body::Product(product) = &mut learners[place].body
            && (some || product.is_watchful())
        {
            changed |= product.extend(manager, class, edge, place, f)?;
        }
    }
    if changed {
        let members = class.members.iter().map(|&place| learners[place].known());
        let members: Vec<Relation> = members.collect();
        let product = manager.relations.union_in_pairs(members);
        manager.relations.set_product(number, product);
        manager.relations.complete()?;
    }
    Ok(())
}

impl Teacher for RefCell<Learning<'_>> {
    fn teach(
        &self,
        manager: &mut Manager,
        number: u32,
        value: u32,
        child: Node,
        level: u32,
    ) -> Result<(), Stop> {
        let Learning {
            learners,
            places,
            classes,
            function,
        } = &mut *self.borrow_mut();
        let edge = (value, child, level);
        if let Some(class) = classes.get_mut(&number) {
            return teach_class(manager, class, learners, (number, edge), &mut **function);
        }
        let Some(&place) = places.get(&number) else {
            return Ok(());
        };
        learners[place].teach(manager, edge, place, &mut **function)
    }
}

/// The values of some places of a vector.
pub(crate) fn fill(list: &mut [u32], places: &[usize], vector: &[u32]) {
    for (value, &place) in list.iter_mut().zip(places) {
        *value = vector[place];
    }
}

/// The row of a table from a vector to what was written into some of its places.
pub(crate) fn row(levels: &[u32], vector: &[u32], writes: &[usize], written: &[u32]) -> TableRow {
    assert_eq!(written.len(), writes.len(), "one value per level");
    let parts = levels.iter().zip(vector);
    let mut row: TableRow = parts.map(|(&l, &value)| (l, value, value)).collect();
    for (&place, &value) in writes.iter().zip(written) {
        row[place].2 = value;
    }
    row
}
