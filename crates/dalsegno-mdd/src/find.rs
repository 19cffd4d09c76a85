//! Finding one vector of a set that satisfies a guard, without building the set of all of them.
//!
//! A depth-first walk with what is left of the guard, which stops at the first vector. Before a node
//! is entered, every comparison that the least and the greatest value of its sum decide there is
//! replaced by its truth; pairs of a node and a guard that led nowhere are remembered. Cost: a path
//! if there are many vectors; at worst the pairs of a node and a guard that is left there.

use rustc_hash::FxHashSet;

use crate::guard::{Condition, Guard};
use crate::select::Extents;
use crate::store::Node;
use crate::{Manager, Set, Stop};

/// What one search remembers.
#[derive(Default)]
struct Search {
    extents: Extents,
    failed: FxHashSet<(Guard, Node)>,
    vector: Vec<u32>,
}

/// Pairs that a search remembers before it gives up in favour of a selection.
const MOST_FAILED: usize = 1 << 20;

impl Manager {
    /// A vector of a set that satisfies a guard, if there is one.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn find(&mut self, set: &Set, guard: Guard) -> Result<Option<Vec<u32>>, Stop> {
        self.safe_point()?;
        let node = self.node(set);
        let mut search = Search::default();
        match self.find_below(&mut search, guard, node, 0)? {
            Some(true) => Ok(Some(search.vector)),
            Some(false) => Ok(None),
            None => {
                let found = self.select(set, guard)?;
                Ok(self.pick(&found))
            }
        }
    }

    /// Whether a vector below a node satisfies a guard, and then completes it; `None` if the search
    /// remembers too much.
    fn find_below(
        &mut self,
        search: &mut Search,
        guard: Guard,
        node: Node,
        level: u32,
    ) -> Result<Option<bool>, Stop> {
        if node == Node::ONE {
            return Ok(Some(guard == Guard::TRUE));
        }
        let guard = self.decided_at(search, guard, node, level)?;
        if node == Node::EMPTY || guard == Guard::FALSE || search.failed.contains(&(guard, node)) {
            return Ok(Some(false));
        }
        self.tick()?;
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
            search.vector.push(value);
            match self.find_below(search, left, child, level + 1)? {
                Some(false) => {}
                found => return Ok(found),
            }
            search.vector.pop();
        }
        if search.failed.len() >= MOST_FAILED {
            return Ok(None);
        }
        search.failed.insert((guard, node));
        Ok(Some(false))
    }

    /// A guard without the comparisons that are the same for all vectors below a node.
    fn decided_at(
        &mut self,
        search: &mut Search,
        guard: Guard,
        node: Node,
        level: u32,
    ) -> Result<Guard, Stop> {
        Ok(match self.guards.condition(guard) {
            Condition::Compare {
                sum,
                comparison,
                constant,
            } => {
                let (sum, comparison, constant) = (*sum, *comparison, *constant);
                let (least, most) = self.extent(sum, node, level, &mut search.extents)?;
                match comparison.decided(least, most, constant) {
                    Some(true) => Guard::TRUE,
                    Some(false) => Guard::FALSE,
                    None => guard,
                }
            }
            Condition::And(parts) => {
                let parts = parts.clone();
                let left = self.all_decided_at(search, &parts, node, level)?;
                self.guards.all(left)
            }
            Condition::Or(parts) => {
                let parts = parts.clone();
                let left = self.all_decided_at(search, &parts, node, level)?;
                self.guards.any(left)
            }
            _ => guard,
        })
    }

    fn all_decided_at(
        &mut self,
        search: &mut Search,
        parts: &[Guard],
        node: Node,
        level: u32,
    ) -> Result<Vec<Guard>, Stop> {
        let decided = parts
            .iter()
            .map(|&part| self.decided_at(search, part, node, level));
        decided.collect()
    }
}
