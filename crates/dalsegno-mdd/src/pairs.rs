//! The exact number of pairs of relations that start in a set.
//!
//! A walk down the levels finds what must be counted: for an event and each node of its topmost
//! level, which ends of the event meet which nodes on the levels below. A walk up counts: the pairs
//! of an end from a node are the sum of those of what is left from its children, and the number of
//! vectors below where nothing is left. All pairs from a node are those from its children and those
//! of the events that have their topmost level there; at the root they are the result. So
//! numbers are added only, and those of a level are needed by the level above it and then go.
//!
//! Where this takes too much memory for all events at a time, they are counted in several lots.
//!
//! Cost: linear in the edges between the topmost and the last level of each event, times the words
//! of the numbers.

use hashbrown::HashTable;
use num_bigint::BigUint;

use crate::column::Column;
use crate::count::place_below;
use crate::levels::Levels;
use crate::relation::{Relation, Shape};
use crate::store::Node;
use crate::{Manager, Set, Stop};

/// What is counted of a level.
#[derive(Default)]
struct Task {
    /// Where the links of each end and node begin, and where those of the last end.
    starts: Vec<u32>,
    /// What is added up, on the level below: see [`Link`].
    links: Vec<Link>,
    /// The nodes that events begin at, by place, and which number of pairs that is.
    tops: Vec<(u32, u32)>,
}

impl Task {
    fn bytes(&self) -> u64 {
        (4 * (self.starts.capacity() + self.links.capacity()) + 8 * self.tops.capacity()) as u64
    }
}

/// A number of the level below: of the pairs of an end from a node, or, where nothing is left of an
/// event, of the vectors from a node on.
#[derive(Clone, Copy)]
struct Link(u32);

impl Link {
    const VECTORS: u32 = 1 << 31;
}

/// The ends of events that meet nodes of one level, numbered as they are found.
#[derive(Default)]
struct Met {
    list: Vec<(Relation, Node)>,
    table: HashTable<u32>,
}

impl Met {
    fn bytes(&self) -> u64 {
        (8 * self.list.capacity() + 5 * self.table.capacity()) as u64
    }

    fn clear(&mut self) {
        self.list.clear();
        self.table.clear();
    }

    /// The number of an end and a node.
    fn number(&mut self, relation: Relation, node: Node) -> u32 {
        let hash = |(r, n): (Relation, Node)| {
            let key = u64::from(r.0) << 32 | u64::from(n.0);
            let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ mixed >> 32
        };
        let list = &mut self.list;
        let key = (relation, node);
        let entry = self.table.entry(
            hash(key),
            |&i| list[i as usize] == key,
            |&i| hash(list[i as usize]),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(found) => *found.get(),
            hashbrown::hash_table::Entry::Vacant(vacant) => {
                let number = list.len() as u32;
                vacant.insert(number);
                list.push(key);
                number
            }
        }
    }
}

/// Bytes of links beyond which events are counted in several lots.
const LARGE: u64 = 1 << 28;

impl Manager {
    /// The number of triples of a vector of a set, a relation and a target of the vector under it,
    /// summed over all relations. Rows of a table that do the same count once.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn count_pairs(&mut self, set: &Set, relations: &[Relation]) -> Result<BigUint, Stop> {
        let root = self.node(set);
        let mut total = BigUint::default();
        if root == Node::EMPTY {
            return Ok(total);
        }
        let idle = relations.iter().filter(|&&r| r == Relation::IDENTITY);
        let idle = idle.count();
        if idle > 0 {
            total = self.count(set)? * idle;
        }
        // Events that begin at the same level share what they have below.
        let mut events: Vec<Relation> = relations.to_vec();
        events.retain(|&event| self.relations.level(event) != u32::MAX);
        events.sort_by_key(|&event| (self.relations.level(event), event));
        let levels = self.levels_of(root)?;
        let mut lot = events.len().max(1);
        let mut rest = &events[..];
        while !rest.is_empty() {
            lot = lot.min(rest.len());
            let tasks = self.tasks(&levels, &rest[..lot], lot == 1);
            self.targets.clear();
            match tasks? {
                Some(tasks) => {
                    total += self.pairs(&levels, &tasks)?;
                    rest = &rest[lot..];
                }
                None => lot = lot.div_ceil(2),
            }
        }
        self.relations.complete()?;
        Ok(total)
    }

    /// What must be counted for some events, by level; `None` if it is too much and not the `last`
    /// resort.
    fn tasks(
        &mut self,
        levels: &Levels,
        events: &[Relation],
        last: bool,
    ) -> Result<Option<Vec<Task>>, Stop> {
        let mut tasks: Vec<Task> = Vec::with_capacity(self.levels as usize);
        let mut bytes = levels.bytes();
        let mut rest = events;
        let mut met = Met::default();
        let mut next = Met::default();
        for level in 0..self.levels {
            let mut task = Task::default();
            while let Some((&event, others)) = rest.split_first() {
                if self.relations.level(event) != level {
                    break;
                }
                for (place, &node) in levels.at(level).iter().enumerate() {
                    self.tick()?;
                    task.tops.push((place as u32, met.number(event, node)));
                }
                rest = others;
            }
            task.starts.reserve_exact(met.list.len() + 1);
            for &(relation, node) in &met.list {
                self.tick()?;
                task.starts.push(task.links.len() as u32);
                self.link(levels, relation, node, level, &mut next, &mut task.links)?;
                if task.links.len() == task.links.capacity() {
                    let now = bytes + 2 * task.bytes() + met.bytes() + 2 * next.bytes();
                    if !last && (now > levels.bytes() + LARGE || self.afford(now).is_err()) {
                        return Ok(None);
                    }
                    self.afford(now)?;
                }
                if next.list.len() >= Link::VECTORS as usize || task.links.len() > u32::MAX as usize
                {
                    return Err(Stop::Memory);
                }
            }
            task.starts.push(task.links.len() as u32);
            bytes += task.bytes();
            tasks.push(task);
            std::mem::swap(&mut met, &mut next);
            next.clear();
        }
        Ok(Some(tasks))
    }

    /// Appends what the pairs of an end from a node are the sum of.
    fn link(
        &mut self,
        levels: &Levels,
        relation: Relation,
        node: Node,
        level: u32,
        next: &mut Met,
        links: &mut Vec<Link>,
    ) -> Result<(), Stop> {
        let start = levels.start(level + 1);
        let mut push = |rest: Relation, child: Node| {
            if rest == Relation::IDENTITY {
                let place = place_below(levels, start, child) as u32;
                links.push(Link(place | Link::VECTORS));
            } else if rest != Relation::EMPTY {
                links.push(Link(next.number(rest, child)));
            }
        };
        if self.relations.level(relation) > level {
            for (_, child) in self.store.row(node) {
                push(relation, child);
            }
        } else if let Shape::Linear { from, to, rest, .. } = *self.relations.shape(relation) {
            for i in self.store.position(node, from)..self.store.row_len(node) {
                let (value, child) = self.store.edge(node, i);
                if value > to {
                    break;
                }
                push(rest, child);
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
                    push(rest, child);
                }
                self.targets.truncate(start);
            }
        }
        Ok(())
    }

    /// The pairs of all tasks from the root.
    fn pairs(&mut self, levels: &Levels, tasks: &[Task]) -> Result<BigUint, Stop> {
        // Of each level and the one below it: vectors and pairs by node, pairs by end and node.
        let mut below = [Column::one(), Column::zero(), Column::default()];
        let mut own = [Column::default(), Column::default(), Column::default()];
        let held: u64 = tasks.iter().map(Task::bytes).sum();
        for (level, task) in (0..self.levels).zip(tasks).rev() {
            let nodes = levels.at(level);
            let width = below.iter().map(Column::width).max().unwrap_or(0) + 1;
            let numbers = 2 * nodes.len() + task.starts.len();
            let columns: u64 = below.iter().map(Column::bytes).sum();
            let new = Column::bytes_of(numbers, width);
            self.afford(levels.bytes() + held + columns + new)?;
            let [vectors, pairs, ends] = &mut own;
            self.count_level(levels, level, &below[0], vectors)?;
            ends.reset(task.starts.len() - 1, width);
            for (i, ends_at) in task.starts.windows(2).enumerate() {
                self.tick()?;
                for &Link(link) in &task.links[ends_at[0] as usize..ends_at[1] as usize] {
                    if link & Link::VECTORS == 0 {
                        ends.add(i, &below[2], link as usize);
                    } else {
                        ends.add(i, &below[0], (link & !Link::VECTORS) as usize);
                    }
                }
            }
            let needed = ends.needed();
            ends.trim(needed);
            let width = below[1].width().max(ends.width()) + 1;
            pairs.reset(nodes.len(), width);
            let start = levels.start(level + 1);
            for (i, &node) in nodes.iter().enumerate() {
                self.tick()?;
                for (_, child) in self.store.row(node) {
                    pairs.add(i, &below[1], place_below(levels, start, child));
                }
            }
            for &(place, number) in &task.tops {
                pairs.add(place as usize, ends, number as usize);
            }
            for column in [vectors, pairs] {
                let needed = column.needed();
                column.trim(needed);
            }
            std::mem::swap(&mut own, &mut below);
        }
        Ok(below[1].number(0))
    }
}
