//! Relations that are learned: tables of functions, as far as their arguments were reached.
//!
//! A group of transitions is given as a function from the values that it reads to lists of values
//! that it writes (Blom, van de Pol: *Symbolic reachability for process algebras with recursive
//! data types*, ICTAC 2008). Its table is extended whenever a set has arguments that were not seen:
//! the set is projected on the levels of the group, and what is new is asked for.
//!
//! A table that grows is kept in parts, each at least twice as large as the next: relations are
//! never changed or dropped, and making the whole table anew for every few rows would leave its
//! old versions behind. With parts, n rows leave no more than n log n behind.

use crate::vectors::Walk;
use crate::{Guard, Manager, Relation, Set, Stop, Strategy, TableRow};

/// What is known of one function from values read to values written.
#[derive(Debug)]
pub struct Learner {
    /// Read or written, ascending.
    levels: Vec<u32>,
    /// Per value that is read, its place in `levels`.
    reads: Vec<usize>,
    /// Per value that is written, its place in `levels`.
    writes: Vec<usize>,
    /// The vectors over `levels` that were asked for.
    known: Set,
    /// Those that the function leads somewhere from.
    sources: Set,
    /// Tables and how many rows each has. A row that is there twice has its second copy in the
    /// second list, and so on: a table has each of its rows once.
    parts: Vec<Vec<(Relation, usize)>>,
    relations: Vec<Relation>,
}

/// The rows of some arguments, second copies apart, and the arguments that have rows.
#[derive(Default)]
struct Answers {
    rows: Vec<Vec<TableRow>>,
    sources: Vec<Vec<u32>>,
}

impl Learner {
    /// Knows nothing yet of a function that reads and writes these levels.
    ///
    /// # Panics
    /// If a level is listed twice on one side, or the manager does not have it.
    #[must_use]
    pub fn new(manager: &Manager, reads: &[u32], writes: &[u32]) -> Self {
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
        Learner {
            levels,
            reads,
            writes,
            known: manager.empty(),
            sources: manager.empty(),
            parts: Vec::new(),
            relations: Vec::new(),
        }
    }

    /// The function as far as it is known: the union of these. They have no pair in common, unless
    /// the function leads from one argument to the same values more than once.
    #[must_use]
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// The vectors for which the function is known to lead somewhere, as a guard; or all others.
    pub fn enabled(&self, manager: &mut Manager, enabled: bool) -> Guard {
        manager.listed_in(&self.levels, &self.sources, enabled)
    }

    /// Asks the function for every argument in a set that was not asked for yet; whether the
    /// relations changed.
    ///
    /// The function is given the values read, the old values of the levels that it writes, and a sink
    /// for their new values, all in the order that [`Learner::new`] was told. It is called in
    /// lexicographic order of the levels, once for every combination of values read *or* written: a
    /// relation must tell which value a level had before it was written. After an error nothing of
    /// this call is known.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out, or the interrupt or the function says so.
    ///
    /// # Panics
    /// If the function writes another number of values.
    pub fn learn<F>(&mut self, manager: &mut Manager, set: &Set, mut f: F) -> Result<bool, Stop>
    where
        F: FnMut(&[u32], &mut [u32], &mut dyn FnMut(&[u32])) -> Result<(), Stop>,
    {
        let seen = manager.shorten(set, &self.levels)?;
        let new = manager.difference(&seen, &self.known)?;
        if new.is_empty() {
            return Ok(false);
        }
        let answers = self.ask(manager, &new, &mut f)?;
        let known = manager.union(&self.known, &new)?;
        let sources = manager.short_set(&answers.sources)?;
        let sources = manager.union(&self.sources, &sources)?;
        let learned = !answers.rows.is_empty();
        for (copy, rows) in answers.rows.iter().enumerate() {
            self.add_part(manager, copy, rows);
        }
        manager.relations.complete()?;
        (self.known, self.sources) = (known, sources);
        Ok(learned)
    }

    /// The rows of the arguments in `new`.
    fn ask(
        &self,
        manager: &mut Manager,
        new: &Set,
        f: &mut impl FnMut(&[u32], &mut [u32], &mut dyn FnMut(&[u32])) -> Result<(), Stop>,
    ) -> Result<Answers, Stop> {
        let mut answers = Answers::default();
        let mut arguments = vec![0; self.reads.len()];
        let mut old = vec![0; self.writes.len()];
        let mut bytes = 0;
        let mut found: Vec<TableRow> = Vec::new();
        let mut walk = Walk::new(manager.node(new));
        while let Some(vector) = walk.step(&manager.store) {
            let fill = |list: &mut [u32], places: &[usize]| {
                for (value, &place) in list.iter_mut().zip(places) {
                    *value = vector[place];
                }
            };
            fill(&mut arguments, &self.reads);
            fill(&mut old, &self.writes);
            let mut sink = |written: &[u32]| {
                assert_eq!(written.len(), self.writes.len(), "one value per level");
                let parts = self.levels.iter().zip(vector);
                let mut row: TableRow = parts.map(|(&l, &value)| (l, value, value)).collect();
                for (&place, &value) in self.writes.iter().zip(written) {
                    row[place].2 = value;
                }
                bytes += 24 + 12 * row.len() as u64;
                found.push(row);
            };
            f(&arguments, &mut old, &mut sink)?;
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

    fn add_part(&mut self, manager: &mut Manager, copy: usize, rows: &[TableRow]) {
        if self.parts.len() <= copy {
            self.parts.resize(copy + 1, Vec::new());
        }
        let parts = &mut self.parts[copy];
        parts.push((manager.table(rows), rows.len()));
        while let [.., (a, m), (b, n)] = parts[..] {
            if m >= 2 * n {
                break;
            }
            parts.truncate(parts.len() - 2);
            parts.push((manager.any_of(&[a, b]), m + n));
        }
        self.relations = self.parts.iter().flatten().map(|part| part.0).collect();
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

impl Manager {
    /// The vectors that relations and functions lead to from a set, any number of times, the set
    /// included.
    ///
    /// The function is told which learner asks; the learners keep what they learned. Rounds of
    /// learning alternate with saturation by all that is known. Within a round, a learner fires what
    /// it just learned before the next one looks, so that a round goes further than one step.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out, or the interrupt or a function says so.
    pub fn reach_learning<F>(
        &mut self,
        set: &Set,
        relations: &[Relation],
        learners: &mut [&mut Learner],
        mut f: F,
    ) -> Result<Set, Stop>
    where
        F: FnMut(usize, &[u32], &mut [u32], &mut dyn FnMut(&[u32])) -> Result<(), Stop>,
    {
        let mut reached = self.reach(set, relations, Strategy::Saturation)?;
        loop {
            let mut learned = false;
            for (i, learner) in learners.iter_mut().enumerate() {
                if learner.learn(self, &reached, |read, old, sink| f(i, read, old, sink))? {
                    learned = true;
                    for &part in learner.relations() {
                        let image = self.image(&reached, part)?;
                        reached = self.union(&reached, &image)?;
                    }
                }
            }
            if !learned {
                return Ok(reached);
            }
            let known = learners.iter().flat_map(|learner| learner.relations());
            let all: Vec<Relation> = relations.iter().chain(known).copied().collect();
            reached = self.reach(&reached, &all, Strategy::Saturation)?;
        }
    }
}
