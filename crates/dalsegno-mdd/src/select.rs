//! Selection: the vectors of a set that satisfy a guard.
//!
//! A comparison walks down with what is left of its constant, and stops where the least and the
//! greatest value of the rest of its sum decide it. Disjunctions of conditions on single levels, such as
//! "this event is not enabled", walk down as one; other disjunctions unite what their parts select. No
//! product of sums is built.
//!
//! The parts of a conjunction are selected from the bottom up, each from the nodes of its topmost
//! level: a part rebuilds only the levels that it speaks of, and all parts together rebuild the
//! levels above them once.

use rustc_hash::FxHashMap;

use crate::cache::{Op, key};
use crate::guard::{Condition, Guard, Sum, Weight};
use crate::store::Node;
use crate::{Manager, Set, Stop};

/// The least and greatest value of a sum below a node, by the first term and the node.
pub(crate) type Extents = FxHashMap<(u32, Node), (i64, i64)>;

impl Manager {
    /// The vectors of a set that satisfy a guard.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn select(&mut self, set: &Set, guard: Guard) -> Result<Set, Stop> {
        let node = self.node(set);
        let result = self
            .safe_point()
            .and_then(|()| self.select_node(guard, node, 0, &mut Extents::default()));
        self.finish(result)
    }

    fn select_node(
        &mut self,
        guard: Guard,
        node: Node,
        level: u32,
        extents: &mut Extents,
    ) -> Result<Node, Stop> {
        if node == Node::EMPTY || guard == Guard::TRUE {
            return Ok(node);
        }
        if guard == Guard::FALSE {
            return Ok(Node::EMPTY);
        }
        let key = key(Op::SELECTION, 0, guard.0, node);
        if let Some(known) = self.cache.get(key) {
            return Ok(known);
        }
        self.tick()?;
        let result = match self.guards.condition(guard).clone() {
            Condition::True => node,
            Condition::False => Node::EMPTY,
            Condition::Or(_) if self.guards.is_local(guard) => {
                self.select_children(guard, node, level, extents)?
            }
            Condition::And(parts) => {
                let mut layers: Vec<(u32, Guard)> = parts
                    .iter()
                    .map(|&part| (self.guards.level(part), part))
                    .collect();
                layers.sort_unstable();
                self.select_layers(guard, &layers, node, level, extents)?
            }
            Condition::Or(parts) => {
                let mut found = Node::EMPTY;
                for &part in &parts {
                    let more = self.select_node(part, node, level, extents)?;
                    found = self.unite(found, more)?;
                }
                found
            }
            Condition::Member {
                level: start,
                node: other,
            } if start == level => self.intersect(node, other)?,
            Condition::Member { .. } | Condition::Listed { .. } => {
                self.select_children(guard, node, level, extents)?
            }
            Condition::Compare {
                sum,
                comparison,
                constant,
            } => {
                let (least, most) = self.extent(sum, node, level, extents)?;
                match comparison.decided(least, most, constant) {
                    Some(true) => node,
                    Some(false) => Node::EMPTY,
                    None => self.select_children(guard, node, level, extents)?,
                }
            }
        };
        self.cache.put(key, result);
        Ok(result)
    }

    /// Selects by the parts of the conjunction `guard` whose topmost level is `level` or below:
    /// those are `parts`, sorted by it.
    fn select_layers(
        &mut self,
        guard: Guard,
        parts: &[(u32, Guard)],
        node: Node,
        level: u32,
        extents: &mut Extents,
    ) -> Result<Node, Stop> {
        if node == Node::EMPTY || parts.is_empty() {
            return Ok(node);
        }
        // The node tells the level, and so which parts are left.
        let key = key(Op::SELECTION, 1, guard.0, node);
        if let Some(known) = self.cache.get(key) {
            return Ok(known);
        }
        self.tick()?;
        let (here, below) = parts.split_at(parts.partition_point(|part| part.0 <= level));
        let mut left = node;
        if !below.is_empty() {
            let base = self.rows.len();
            for i in 0..self.store.row_len(node) {
                let (value, child) = self.store.edge(node, i);
                let child = self.select_layers(guard, below, child, level + 1, extents)?;
                self.push_edge(value, child);
            }
            left = self.make_node(base)?;
        }
        for &(_, part) in here {
            left = self.select_node(part, left, level, extents)?;
        }
        self.cache.put(key, left);
        Ok(left)
    }

    fn select_children(
        &mut self,
        guard: Guard,
        node: Node,
        level: u32,
        extents: &mut Extents,
    ) -> Result<Node, Stop> {
        let base = self.rows.len();
        let reads = self.guards.level(guard) == level;
        for i in 0..self.store.row_len(node) {
            let (value, child) = self.store.edge(node, i);
            let left = if reads {
                let store = &self.store;
                let below = |node, value| store.child(node, value);
                self.guards.advance(guard, value, &below)
            } else {
                guard
            };
            let child = self.select_node(left, child, level + 1, extents)?;
            self.push_edge(value, child);
        }
        self.make_node(base)
    }

    /// The least and greatest value of the terms of a sum below a node.
    pub(crate) fn extent(
        &mut self,
        sum: Sum,
        node: Node,
        level: u32,
        extents: &mut Extents,
    ) -> Result<(i64, i64), Stop> {
        let Some((next, weight)) = self.guards.terms(sum).first() else {
            return Ok((0, 0));
        };
        let next = *next;
        if next == level
            && sum.to - sum.from == 1
            && let &Weight::Times(coefficient) = weight
        {
            // The ends of the row tell.
            let last = self.store.row_len(node).saturating_sub(1);
            let ends = [0, last].map(|i| coefficient * i64::from(self.store.edge(node, i).0));
            return Ok((ends[0].min(ends[1]), ends[0].max(ends[1])));
        }
        if let Some(&known) = extents.get(&(sum.from, node)) {
            return Ok(known);
        }
        self.tick()?;
        if extents.len() == extents.capacity() {
            self.afford(3 * (extents.len() * size_of::<((u32, Node), (i64, i64))>()) as u64)?;
        }
        let reads = next == level;
        let rest = if reads {
            Sum {
                from: sum.from + 1,
                to: sum.to,
            }
        } else {
            sum
        };
        let (mut least, mut most) = (i64::MAX, i64::MIN);
        for i in 0..self.store.row_len(node) {
            let (value, child) = self.store.edge(node, i);
            let (low, high) = self.extent(rest, child, level + 1, extents)?;
            let own = if reads {
                self.guards.terms(sum)[0].1.of(value)
            } else {
                0
            };
            least = least.min(low + own);
            most = most.max(high + own);
        }
        extents.insert((sum.from, node), (least, most));
        Ok((least, most))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Comparison, Guard, Limits, Manager, Set};

    const LEVELS: u32 = 5;

    /// All vectors with values below 3 whose number has a remainder of 1 modulo 3 or is even.
    fn some_vectors(manager: &mut Manager) -> (Set, Vec<Vec<u32>>) {
        let mut vectors = Vec::new();
        let mut set = manager.empty();
        for number in 0..3_u32.pow(LEVELS) {
            if number % 3 == 1 || number % 2 == 0 {
                let vector: Vec<u32> = (0..LEVELS).map(|k| number / 3_u32.pow(k) % 3).collect();
                let one = manager.singleton(&vector).unwrap();
                set = manager.union(&set, &one).unwrap();
                vectors.push(vector);
            }
        }
        (set, vectors)
    }

    #[test]
    fn a_conjunction_selects_what_satisfies_all_parts_wherever_they_start() {
        let mut manager = Manager::new(LEVELS, Limits::default());
        let (set, vectors) = some_vectors(&mut manager);
        // Each level and the next but one are not both above 0; the ends differ; one sum is bounded.
        let mut parts: Vec<Guard> = Vec::new();
        for k in 0..LEVELS - 2 {
            let one = manager.compare(&[(k, 1)], Comparison::AtMost, 0);
            let other = manager.compare(&[(k + 2, 1)], Comparison::AtMost, 0);
            parts.push(manager.any(&[one, other]));
        }
        parts.push(manager.compare(&[(0, 1), (4, -1)], Comparison::Unequal, 0));
        parts.push(manager.compare(&[(1, 1), (2, 1), (3, 1)], Comparison::AtLeast, 2));
        let holds = |v: &&Vec<u32>| {
            (0..3).all(|k| v[k] == 0 || v[k + 2] == 0) && v[0] != v[4] && v[1] + v[2] + v[3] >= 2
        };
        let all = manager.all(&parts);
        let selected = manager.select(&set, all).unwrap();
        let expected: Vec<&Vec<u32>> = vectors.iter().filter(holds).collect();
        assert!(expected.len() > 3 && expected.len() < vectors.len());
        assert_eq!(manager.count(&selected).unwrap(), expected.len().into());
        assert!(expected.iter().all(|v| manager.contains(&selected, v)));
    }

    #[test]
    fn parts_that_start_far_down_do_not_rebuild_the_levels_above_one_by_one() {
        let levels = 300;
        let mut manager = Manager::new(levels, Limits::default());
        let zeros = manager.singleton(&[0; 300]).unwrap();
        let ones = manager.singleton(&[1; 300]).unwrap();
        let set = manager.union(&zeros, &ones).unwrap();
        let parts: Vec<Guard> = (0..levels)
            .map(|k| manager.compare(&[(k, 1)], Comparison::AtMost, 0))
            .collect();
        let all = manager.all(&parts);
        let before = manager.statistics().lookups;
        let selected = manager.select(&set, all).unwrap();
        assert_eq!(manager.count(&selected).unwrap(), 1_u32.into());
        // A handful per level; one by one it would be the square of the levels.
        assert!(manager.statistics().lookups - before < 10 * u64::from(levels));
    }
}
