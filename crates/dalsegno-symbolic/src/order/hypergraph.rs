//! Sets of variables that should be near each other.
//!
//! An edge is the set of variables that a group of transitions reads or writes, or another set
//! given by hints. Edges are never expanded into pairs of variables, so that a group that
//! touches everything costs no more than its length.

use dalsegno_kripke::{Model, VarId};

/// A hypergraph over the variables. Invariants:
///
/// 1. The pins of an edge ascend strictly and are below the number of variables.
/// 2. `users` holds the transposed relation, ascending for each variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Hypergraph {
    pins: Lists,
    users: Lists,
}

/// Lists of numbers, one after the other in memory.
#[derive(Clone, Debug)]
pub(super) struct Lists {
    ends: Vec<usize>,
    items: Vec<u32>,
}

impl Default for Lists {
    fn default() -> Self {
        Lists {
            ends: vec![0],
            items: Vec::new(),
        }
    }
}

impl Lists {
    /// The number of lists.
    pub(super) fn len(&self) -> usize {
        self.ends.len() - 1
    }

    /// A list.
    #[inline]
    pub(super) fn get(&self, i: usize) -> &[u32] {
        &self.items[self.ends[i]..self.ends[i + 1]]
    }

    /// The number of items in all lists.
    pub(super) fn total(&self) -> usize {
        self.items.len()
    }

    /// All lists in turn.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Adds a list.
    pub(super) fn push(&mut self, items: impl IntoIterator<Item = u32>) {
        self.items.extend(items);
        self.ends.push(self.items.len());
    }

    /// For each of `values` numbers the lists that hold it.
    pub(super) fn transposed(&self, values: usize) -> Lists {
        let mut ends = vec![0; values + 1];
        for &item in &self.items {
            ends[item as usize + 1] += 1;
        }
        for i in 0..values {
            ends[i + 1] += ends[i];
        }
        let mut next = ends.clone();
        let mut items = vec![0; self.items.len()];
        for (i, list) in (0..).zip(self.iter()) {
            for &item in list {
                items[next[item as usize]] = i;
                next[item as usize] += 1;
            }
        }
        Lists { ends, items }
    }
}

impl Hypergraph {
    /// The edges of a model's groups, in their order, followed by further ones.
    ///
    /// Variables that do not exist are left out of the further edges.
    pub(super) fn new(
        model: &Model,
        further: impl IntoIterator<Item = impl IntoIterator<Item = VarId>>,
    ) -> Self {
        let variables = model.variables().len();
        let mut pins = Lists::default();
        let mut edge: Vec<u32> = Vec::new();
        for group in model.groups() {
            edge.clear();
            edge.extend(group.reads().iter().chain(group.writes()).map(|v| v.0));
            edge.sort_unstable();
            edge.dedup();
            pins.push(edge.iter().copied());
        }
        for variables_of_edge in further {
            edge.clear();
            edge.extend(variables_of_edge.into_iter().map(|v| v.0));
            edge.retain(|&v| (v as usize) < variables);
            edge.sort_unstable();
            edge.dedup();
            pins.push(edge.iter().copied());
        }
        let users = pins.transposed(variables);
        Hypergraph { pins, users }
    }

    /// The edges of a model's groups.
    pub(super) fn of_groups(model: &Model) -> Self {
        Hypergraph::new(model, std::iter::empty::<[VarId; 0]>())
    }

    /// The number of variables.
    pub(super) fn variables(&self) -> usize {
        self.users.len()
    }

    /// The variables of each edge.
    pub(super) fn edges(&self) -> &Lists {
        &self.pins
    }

    /// The edges of each variable.
    pub(super) fn users(&self) -> &Lists {
        &self.users
    }

    /// The levels of the variables of a list that has each of them once.
    pub(super) fn levels_of(list: &[u32]) -> Vec<u32> {
        let mut levels = vec![0; list.len()];
        for (level, &v) in (0..).zip(list) {
            levels[v as usize] = level;
        }
        levels
    }

    /// The sum over all edges of the distance between their ends, given the levels of variables.
    pub(super) fn span(&self, levels: &[u32]) -> u64 {
        let span = |pins: &[u32]| {
            let levels = pins.iter().map(|&v| levels[v as usize]);
            let ends = levels.fold((u32::MAX, 0), |(a, b), l| (a.min(l), b.max(l)));
            u64::from(ends.1.saturating_sub(ends.0))
        };
        self.pins.iter().map(span).sum()
    }

    /// The same, given a list of all variables.
    pub(super) fn total_span(&self, list: &[u32]) -> u64 {
        self.span(&Hypergraph::levels_of(list))
    }

    /// Moves the parts of a disconnected model apart: variables that no chain of edges connects
    /// end up in different blocks of the list, in which they keep their relative order.
    ///
    /// Blocks come in the order of their first variable. No edge gets longer by it.
    pub(super) fn block_components(&self, list: &mut [u32]) {
        let unset = u32::MAX;
        let mut part = vec![unset; self.variables()];
        let mut seen = vec![false; self.pins.len()];
        let mut parts = 0;
        let mut stack = Vec::new();
        for &first in list.iter() {
            if part[first as usize] != unset {
                continue;
            }
            part[first as usize] = parts;
            stack.push(first);
            while let Some(v) = stack.pop() {
                for &e in self.users.get(v as usize) {
                    if std::mem::replace(&mut seen[e as usize], true) {
                        continue;
                    }
                    for &w in self.pins.get(e as usize) {
                        if part[w as usize] == unset {
                            part[w as usize] = parts;
                            stack.push(w);
                        }
                    }
                }
            }
            parts += 1;
        }
        if parts > 1 {
            list.sort_by_key(|&v| part[v as usize]);
        }
    }
}
