//! Union, intersection and difference: one walk along two rows.
//!
//! Cost: at most the product of the numbers of nodes, each pair visited once while the cache
//! remembers it.

use crate::cache::{Op, key};
use crate::store::Node;
use crate::{Manager, Set, Stop};

impl Manager {
    /// The vectors of either set.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn union(&mut self, a: &Set, b: &Set) -> Result<Set, Stop> {
        let (a, b) = (self.node(a), self.node(b));
        let result = self.safe_point().and_then(|()| self.unite(a, b));
        self.finish(result)
    }

    /// The vectors of any of these sets, united two by two.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn union_all(&mut self, sets: &[Set]) -> Result<Set, Stop> {
        match sets {
            [] => Ok(self.empty()),
            [only] => Ok(only.clone()),
            _ => {
                let (left, right) = sets.split_at(sets.len() / 2);
                let left = self.union_all(left)?;
                let right = self.union_all(right)?;
                self.union(&left, &right)
            }
        }
    }

    /// The vectors of both sets.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn intersection(&mut self, a: &Set, b: &Set) -> Result<Set, Stop> {
        let (a, b) = (self.node(a), self.node(b));
        let result = self.safe_point().and_then(|()| self.intersect(a, b));
        self.finish(result)
    }

    /// The vectors of the first set that are not in the second.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn difference(&mut self, a: &Set, b: &Set) -> Result<Set, Stop> {
        let (a, b) = (self.node(a), self.node(b));
        let result = self.safe_point().and_then(|()| self.subtract(a, b));
        self.finish(result)
    }

    /// Whether every vector of the first set is in the second.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn is_subset(&mut self, a: &Set, b: &Set) -> Result<bool, Stop> {
        Ok(self.difference(a, b)?.is_empty())
    }

    pub(crate) fn unite(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        if a == b || b == Node::EMPTY {
            return Ok(a);
        }
        if a == Node::EMPTY {
            return Ok(b);
        }
        let (a, b) = (a.min(b), a.max(b));
        let key = key(Op::UNION, 0, a.0, b);
        if let Some(known) = self.cache.get(key) {
            return Ok(known);
        }
        self.tick()?;
        let base = self.rows.len();
        let (mut i, mut j) = (0, 0);
        let (m, n) = (self.store.row_len(a), self.store.row_len(b));
        while i < m && j < n {
            let (v, x) = self.store.edge(a, i);
            let (w, y) = self.store.edge(b, j);
            let (value, child) = if v < w {
                (v, x)
            } else if w < v {
                (w, y)
            } else if x == y {
                (v, x)
            } else {
                (v, self.unite(x, y)?)
            };
            i += usize::from(v <= w);
            j += usize::from(w <= v);
            self.push_edge(value, child);
        }
        self.push_rest(a, i);
        self.push_rest(b, j);
        let result = self.make_node(base)?;
        self.cache.put(key, result);
        Ok(result)
    }

    pub(crate) fn intersect(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        if a == b {
            return Ok(a);
        }
        if a == Node::EMPTY || b == Node::EMPTY {
            return Ok(Node::EMPTY);
        }
        let (a, b) = (a.min(b), a.max(b));
        let key = key(Op::INTERSECTION, 0, a.0, b);
        if let Some(known) = self.cache.get(key) {
            return Ok(known);
        }
        self.tick()?;
        let base = self.rows.len();
        let (mut i, mut j) = (0, 0);
        let (m, n) = (self.store.row_len(a), self.store.row_len(b));
        while i < m && j < n {
            let (v, x) = self.store.edge(a, i);
            let (w, y) = self.store.edge(b, j);
            if v == w {
                let child = self.intersect(x, y)?;
                self.push_edge(v, child);
            }
            i += usize::from(v <= w);
            j += usize::from(w <= v);
        }
        let result = self.make_node(base)?;
        self.cache.put(key, result);
        Ok(result)
    }

    pub(crate) fn subtract(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        if a == b || a == Node::EMPTY {
            return Ok(Node::EMPTY);
        }
        if b == Node::EMPTY {
            return Ok(a);
        }
        let key = key(Op::DIFFERENCE, 0, a.0, b);
        if let Some(known) = self.cache.get(key) {
            return Ok(known);
        }
        self.tick()?;
        let base = self.rows.len();
        for i in 0..self.store.row_len(a) {
            let (value, x) = self.store.edge(a, i);
            let y = self.store.child(b, value);
            let child = self.subtract(x, y)?;
            self.push_edge(value, child);
        }
        let result = self.make_node(base)?;
        self.cache.put(key, result);
        Ok(result)
    }

    /// Pushes the edges of a node from a position on.
    pub(crate) fn push_rest(&mut self, node: Node, from: usize) {
        for i in from..self.store.row_len(node) {
            let (value, child) = self.store.edge(node, i);
            self.push_edge(value, child);
        }
    }
}
