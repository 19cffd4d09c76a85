//! Edges of automata that read letters, and the marks on them.

use std::fmt;

use dalsegno_kripke::Stop;

use super::state_id::StateId;
use crate::bdd::{Bdd, Manager};

/// A set of acceptance sets: bit `i` for set `i`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Marks(pub u64);

/// The largest number of acceptance sets.
pub const MAX_ACCEPTANCE_SETS: u32 = 64;

impl Marks {
    /// No mark.
    pub const NONE: Marks = Marks(0);

    /// The first `n` marks.
    #[inline]
    #[must_use]
    pub fn all(n: u32) -> Marks {
        Marks(if n >= 64 { u64::MAX } else { (1 << n) - 1 })
    }

    /// Whether every mark of `other` is here.
    #[inline]
    #[must_use]
    pub fn contains(self, other: Marks) -> bool {
        self.0 & other.0 == other.0
    }

    /// Marks of either.
    #[inline]
    #[must_use]
    pub fn union(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }

    /// Marks of both.
    #[inline]
    #[must_use]
    pub fn intersection(self, other: Marks) -> Marks {
        Marks(self.0 & other.0)
    }

    /// Whether mark `i` is here.
    #[inline]
    #[must_use]
    pub fn has(self, i: u32) -> bool {
        self.0 >> i & 1 == 1
    }

    /// The marks, ascending.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..MAX_ACCEPTANCE_SETS).filter(move |&i| self.has(i))
    }
}

impl fmt::Debug for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// An edge to `target`, taken on the letters of `guard`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The letters, a function in the automaton's manager.
    pub guard: Bdd,
    /// The acceptance sets that the edge is in.
    pub marks: Marks,
    /// Where it goes.
    pub target: StateId,
}

/// The bytes of lists of edges.
pub(crate) fn bytes_of(edges: &[Vec<Edge>]) -> u64 {
    let inner: usize = edges.iter().map(Vec::capacity).sum();
    (inner * size_of::<Edge>() + size_of_val(edges)) as u64
}

/// Adds an edge to those of a state; see invariant 3 of an automaton.
pub(super) fn insert(
    guards: &mut Manager,
    alphabet: Bdd,
    edges: &mut Vec<Edge>,
    mut edge: Edge,
) -> Result<(), Stop> {
    edge.guard = guards.and(edge.guard, alphabet)?;
    if edge.guard == Bdd::FALSE {
        return Ok(());
    }
    match edges.binary_search_by_key(&(edge.target, edge.marks), |e| (e.target, e.marks)) {
        Ok(i) => edges[i].guard = guards.or(edges[i].guard, edge.guard)?,
        Err(i) => {
            // Moving the edges behind it is cheap, until there are very many.
            guards.spend((edges.len() - i) as u64 / 64)?;
            edges.insert(i, edge);
        }
    }
    Ok(())
}
