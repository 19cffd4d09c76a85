//! From vectors to sets and back: building a set at once, walking along its vectors.

use crate::store::{Node, Store};
use crate::{Manager, Set, Stop};

/// The vectors of a set in lexicographic order; made by [`Manager::vectors`].
///
/// Nothing is built ahead: a step costs what changes between two vectors.
#[derive(Debug)]
pub struct Vectors<'m> {
    manager: &'m Manager,
    walk: Walk,
}

impl Vectors<'_> {
    /// The next vector, lent until the one after it is asked for.
    pub fn step(&mut self) -> Option<&[u32]> {
        self.walk.step(&self.manager.store)
    }
}

impl Iterator for Vectors<'_> {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        self.step().map(<[u32]>::to_vec)
    }
}

/// A place among the vectors below a node. There must be no collection between two steps.
#[derive(Debug)]
pub(crate) struct Walk {
    /// Where the walk begins, until it does.
    start: Option<Node>,
    /// Per level, the node that the vector passes and the position in its row.
    path: Vec<(Node, usize)>,
    vector: Vec<u32>,
}

impl Walk {
    pub(crate) fn new(root: Node) -> Self {
        Walk {
            start: Some(root).filter(|&root| root != Node::EMPTY),
            path: Vec::new(),
            vector: Vec::new(),
        }
    }

    pub(crate) fn step(&mut self, store: &Store) -> Option<&[u32]> {
        let mut node = match self.start.take() {
            Some(root) => root,
            None => self.turn(store)?,
        };
        while node != Node::ONE {
            let (value, child) = store.edge(node, 0);
            self.path.push((node, 0));
            self.vector.push(value);
            node = child;
        }
        Some(&self.vector)
    }

    /// Goes back to the last node with an edge that was not taken, and along that edge.
    fn turn(&mut self, store: &Store) -> Option<Node> {
        loop {
            let (node, i) = self.path.pop()?;
            self.vector.pop();
            if i + 1 < store.row_len(node) {
                let (value, child) = store.edge(node, i + 1);
                self.path.push((node, i + 1));
                self.vector.push(value);
                return Some(child);
            }
        }
    }
}

impl Manager {
    /// The vectors of a set in lexicographic order.
    #[must_use]
    pub fn vectors(&self, set: &Set) -> Vectors<'_> {
        Vectors {
            manager: self,
            walk: Walk::new(self.node(set)),
        }
    }

    /// The first vector of a set in lexicographic order; `None` if there is none.
    #[must_use]
    pub fn pick(&self, set: &Set) -> Option<Vec<u32>> {
        self.vectors(set).next()
    }

    /// The set of many vectors, in any order.
    ///
    /// Vectors are sorted and every node is made once, when the last vector through it was seen;
    /// cost: that of sorting.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    ///
    /// # Panics
    /// If a vector does not have one value per level.
    pub fn set_of<V: AsRef<[u32]>>(&mut self, vectors: &[V]) -> Result<Set, Stop> {
        let levels = self.levels as usize;
        assert!(
            vectors.iter().all(|vector| vector.as_ref().len() == levels),
            "one value per level"
        );
        self.short_set(vectors)
    }

    /// The set of many vectors of equal length, in any order.
    pub(crate) fn short_set<V: AsRef<[u32]>>(&mut self, vectors: &[V]) -> Result<Set, Stop> {
        let mut sorted: Vec<&[u32]> = vectors.iter().map(AsRef::as_ref).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let result = self.safe_point().and_then(|()| self.weave(&sorted));
        self.finish(result)
    }

    /// The node of sorted vectors without repetitions.
    ///
    /// The rows that may still grow lie one above the other: the row of a level begins where
    /// `bases` says, and its last edge, to what lies above it, is missing.
    pub(crate) fn weave(&mut self, sorted: &[&[u32]]) -> Result<Node, Stop> {
        let Some((first, others)) = sorted.split_first() else {
            return Ok(Node::EMPTY);
        };
        let mut bases = vec![self.rows.len(); first.len()];
        let mut current: &[u32] = first;
        for &vector in others {
            self.tick()?;
            let differs = current.iter().zip(vector).position(|(a, b)| a != b);
            let fork = differs.unwrap_or(0);
            let node = self.close(current, &bases, fork + 1)?;
            self.push_edge(current[fork], node);
            bases[fork + 1..].fill(self.rows.len());
            current = vector;
        }
        self.close(current, &bases, 0)
    }

    /// Makes the open rows from a level on nodes; the node of that level.
    fn close(&mut self, vector: &[u32], bases: &[usize], from: usize) -> Result<Node, Stop> {
        let mut node = Node::ONE;
        for level in (from..vector.len()).rev() {
            self.push_edge(vector[level], node);
            node = self.make_node(bases[level])?;
        }
        Ok(node)
    }
}
