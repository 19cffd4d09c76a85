//! Explicit sets, random models, and a model in both worlds.

use std::collections::BTreeSet;

use dalsegno_mdd::{Comparison, Guard, Limits, Local, Manager, Relation, Set, TableRow};

pub type Vectors = BTreeSet<Vec<u32>>;

/// Random numbers (xorshift64*), the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        (high % u64::from(bound)) as u32
    }

    pub fn one_in(&mut self, bound: u32) -> bool {
        self.below(bound) == 0
    }

    pub fn vector(&mut self, levels: u32, values: u32) -> Vec<u32> {
        (0..levels).map(|_| self.below(values)).collect()
    }

    pub fn vectors(&mut self, count: u32, levels: u32, values: u32) -> Vectors {
        (0..count).map(|_| self.vector(levels, values)).collect()
    }
}

/// A manager that collects at every safe point if `stress` says so.
pub fn manager(levels: u32, stress: bool) -> Manager {
    let mut manager = Manager::new(levels, Limits::default());
    if stress {
        manager.collect_from(0);
    }
    manager
}

pub fn build(manager: &mut Manager, vectors: &Vectors) -> Set {
    let vectors: Vec<&Vec<u32>> = vectors.iter().collect();
    manager.set_of(&vectors).expect("no limits")
}

pub fn list(manager: &Manager, set: &Set) -> Vectors {
    let found: Vec<Vec<u32>> = manager.vectors(set).collect();
    assert!(found.windows(2).all(|pair| pair[0] < pair[1]), "ascending");
    found.into_iter().collect()
}

/// A condition in both worlds.
#[derive(Clone, Debug)]
pub enum Condition {
    Compare(Vec<(u32, i64)>, Comparison, i64),
    Member(Vectors),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

impl Condition {
    pub fn random(random: &mut Random, levels: u32, values: u32, depth: u32) -> Self {
        match random.below(if depth == 0 { 3 } else { 6 }) {
            0 => Condition::Member(random.vectors(8, levels, values)),
            1 | 2 => {
                let count = random.below(4);
                let terms = (0..count)
                    .map(|_| (random.below(levels), i64::from(random.below(5)) - 2))
                    .collect();
                let comparison = [
                    Comparison::AtMost,
                    Comparison::AtLeast,
                    Comparison::Equal,
                    Comparison::Unequal,
                ][random.below(4) as usize];
                Condition::Compare(terms, comparison, i64::from(random.below(9)) - 4)
            }
            kind => {
                let count = random.below(4);
                let mut part = || Condition::random(random, levels, values, depth - 1);
                let parts = (0..count).map(|_| part()).collect();
                if kind == 3 {
                    Condition::All(parts)
                } else {
                    Condition::Any(parts)
                }
            }
        }
    }

    pub fn holds(&self, vector: &[u32]) -> bool {
        match self {
            Condition::Compare(terms, comparison, constant) => {
                let term = |&(level, c): &(u32, i64)| c * i64::from(vector[level as usize]);
                let sum: i64 = terms.iter().map(term).sum();
                match comparison {
                    Comparison::AtMost => sum <= *constant,
                    Comparison::AtLeast => sum >= *constant,
                    Comparison::Equal => sum == *constant,
                    Comparison::Unequal => sum != *constant,
                }
            }
            Condition::Member(vectors) => vectors.contains(vector),
            Condition::All(parts) => parts.iter().all(|part| part.holds(vector)),
            Condition::Any(parts) => parts.iter().any(|part| part.holds(vector)),
        }
    }

    pub fn guard(&self, manager: &mut Manager) -> Guard {
        match self {
            Condition::Compare(terms, comparison, c) => manager.compare(terms, *comparison, *c),
            Condition::Member(vectors) => {
                let set = build(manager, vectors);
                manager.member(&set)
            }
            Condition::All(parts) => {
                let parts: Vec<Guard> = parts.iter().map(|part| part.guard(manager)).collect();
                manager.all(&parts)
            }
            Condition::Any(parts) => {
                let parts: Vec<Guard> = parts.iter().map(|part| part.guard(manager)).collect();
                manager.any(&parts)
            }
        }
    }
}

/// A relation in both worlds.
#[derive(Clone, Debug)]
pub enum Event {
    Linear(Vec<Local>),
    Table(Vec<TableRow>),
    Guarded(Box<Event>, Condition),
    AnyOf(Vec<Event>),
}

impl Event {
    /// A random relation that keeps values below `values`.
    pub fn random(random: &mut Random, levels: u32, values: u32) -> Self {
        match random.below(10) {
            0..5 => Self::linear(random, levels, values),
            5..8 => Self::table(random, levels, values),
            8 => {
                let event = Self::random(random, levels, values);
                let condition = Condition::random(random, levels, values, 2);
                Event::Guarded(Box::new(event), condition)
            }
            _ => {
                let count = 1 + random.below(3);
                let event = |_| Self::random(random, levels, values);
                Event::AnyOf((0..count).map(event).collect())
            }
        }
    }

    fn linear(random: &mut Random, levels: u32, values: u32) -> Self {
        let mut locals = Vec::new();
        for level in 0..levels {
            if random.one_in(2) {
                let delta = i64::from(random.below(5)) - 2;
                let at_least = random.below(values);
                // Where the event adds, an inhibitor keeps the value in its range.
                let room = i64::from(values) - delta.max(0);
                let below = if delta > 0 || random.one_in(3) {
                    Some(
                        u32::try_from(room)
                            .unwrap_or(0)
                            .saturating_sub(random.below(2)),
                    )
                } else {
                    None
                };
                locals.push(Local {
                    level,
                    at_least: at_least.saturating_sub(random.below(values)),
                    below,
                    delta,
                });
            }
        }
        Event::Linear(locals)
    }

    fn table(random: &mut Random, levels: u32, values: u32) -> Self {
        let named: Vec<u32> = (0..levels).filter(|_| random.one_in(2)).collect();
        let count = random.below(6);
        let mut rows = Vec::new();
        for _ in 0..count {
            let mut row: TableRow = Vec::new();
            for &level in &named {
                if !random.one_in(4) {
                    row.push((level, random.below(values), random.below(values)));
                }
            }
            rows.push(row);
        }
        Event::Table(rows)
    }

    pub fn relation(&self, manager: &mut Manager) -> Relation {
        match self {
            Event::Linear(locals) => manager.linear(locals),
            Event::Table(rows) => manager.table(rows),
            Event::Guarded(event, condition) => {
                let relation = event.relation(manager);
                let guard = condition.guard(manager);
                manager.guarded(relation, guard)
            }
            Event::AnyOf(events) => {
                let parts: Vec<Relation> = events.iter().map(|e| e.relation(manager)).collect();
                manager.any_of(&parts)
            }
        }
    }

    pub fn successors(&self, vector: &[u32]) -> Vectors {
        match self {
            Event::Linear(locals) => {
                let mut next = vector.to_vec();
                for local in locals {
                    let value = vector[local.level as usize];
                    let moved = i64::from(value) + local.delta;
                    let allowed = local.below.is_none_or(|below| value < below);
                    if value < local.at_least || !allowed || moved < 0 {
                        return Vectors::new();
                    }
                    next[local.level as usize] = u32::try_from(moved).expect("small values");
                }
                [next].into()
            }
            Event::Table(rows) => {
                let fits = |row: &&TableRow| row.iter().all(|p| vector[p.0 as usize] == p.1);
                let apply = |row: &TableRow| {
                    let mut next = vector.to_vec();
                    for &(level, _, after) in row {
                        next[level as usize] = after;
                    }
                    next
                };
                rows.iter().filter(fits).map(apply).collect()
            }
            Event::Guarded(event, condition) if condition.holds(vector) => event.successors(vector),
            Event::Guarded(..) => Vectors::new(),
            Event::AnyOf(events) => events.iter().flat_map(|e| e.successors(vector)).collect(),
        }
    }
}

pub fn image(vectors: &Vectors, event: &Event) -> Vectors {
    vectors.iter().flat_map(|v| event.successors(v)).collect()
}

/// The explicit fixpoint; targets lie in `within`, if it is given.
pub fn closure(start: &Vectors, events: &[Event], within: Option<&Vectors>) -> Vectors {
    let mut found = start.clone();
    let mut work: Vec<Vec<u32>> = start.iter().cloned().collect();
    while let Some(vector) = work.pop() {
        for next in events.iter().flat_map(|event| event.successors(&vector)) {
            if within.is_none_or(|within| within.contains(&next)) && found.insert(next.clone()) {
                work.push(next);
            }
        }
    }
    found
}
