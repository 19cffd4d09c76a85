//! Selection: the vectors of a set that satisfy a guard.
//!
//! A comparison walks down with what is left of its constant, and stops where the least and the
//! greatest value of the rest of its sum decide it. Combinations of conditions on single levels, such as
//! "no event is enabled", walk down as one: most parts are decided as soon as their few levels are read. Other
//! conjunctions select one part after the other, and disjunctions unite what their parts select, so
//! that no product of sums is built.

use rustc_hash::FxHashMap;

use crate::cache::{Op, key};
use crate::guard::{Condition, Guard, Sum};
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
            Condition::And(_) | Condition::Or(_) if self.guards.is_local(guard) => {
                self.select_children(guard, node, level, extents)?
            }
            Condition::And(parts) => {
                let mut left = node;
                for &part in &parts {
                    left = self.select_node(part, left, level, extents)?;
                }
                left
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
            Condition::Member { .. } => self.select_children(guard, node, level, extents)?,
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
        let Some(&(next, coefficient)) = self.guards.terms(sum).first() else {
            return Ok((0, 0));
        };
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
                coefficient * i64::from(value)
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
