//! Strongly connected components of a finite graph.
//!
//! Tarjan's algorithm, iterative, linear. Components are numbered in reverse topological order: an
//! edge never leads to a component with a larger number.

use super::state_id::StateId;

/// A node of a graph: an index.
pub trait Node: Copy + Eq {
    /// The node of an index.
    fn at(index: usize) -> Self;
    /// Its index.
    fn place(self) -> usize;
}

impl Node for u32 {
    fn at(index: usize) -> Self {
        index as u32
    }

    fn place(self) -> usize {
        self as usize
    }
}

impl Node for StateId {
    fn at(index: usize) -> Self {
        StateId::new(index)
    }

    fn place(self) -> usize {
        self.index()
    }
}

/// The components of a graph.
#[derive(Clone, Debug)]
pub struct Components {
    /// The component of each node.
    pub of: Vec<u32>,
    /// How many components there are.
    pub count: usize,
}

const UNSEEN: u32 = u32::MAX;

/// Nodes between two questions whether to go on.
const STRIDE: u32 = 1 << 14;

impl Components {
    /// The components of the nodes reachable from `roots` in a graph of `n` nodes; the others get
    /// the component `u32::MAX`. `successors(q, i)` is the `i`-th successor of `q`, if it has so many.
    pub fn new<N: Node>(
        n: usize,
        roots: impl IntoIterator<Item = N>,
        successors: impl Fn(N, usize) -> Option<N>,
    ) -> Components {
        let forever = || Ok::<(), std::convert::Infallible>(());
        match Self::try_new(n, roots, successors, forever) {
            Ok(components) => components,
            Err(never) => match never {},
        }
    }

    /// As [`Components::new`], for large graphs: `go_on` is asked now and then.
    ///
    /// # Errors
    /// That of `go_on`.
    pub fn try_new<N: Node, E>(
        n: usize,
        roots: impl IntoIterator<Item = N>,
        successors: impl Fn(N, usize) -> Option<N>,
        go_on: impl Fn() -> Result<(), E>,
    ) -> Result<Components, E> {
        let mut of = vec![UNSEEN; n];
        let mut number = vec![UNSEEN; n];
        let mut lowest = vec![0u32; n];
        let (mut next_number, mut count) = (0u32, 0u32);
        let mut open: Vec<N> = Vec::new();
        let mut path: Vec<(N, usize)> = Vec::new();
        for root in roots {
            if number[root.place()] != UNSEEN {
                continue;
            }
            path.push((root, 0));
            while let Some(&mut (q, ref mut i)) = path.last_mut() {
                if *i == 0 {
                    if next_number.is_multiple_of(STRIDE) {
                        go_on()?;
                    }
                    number[q.place()] = next_number;
                    lowest[q.place()] = next_number;
                    next_number += 1;
                    open.push(q);
                }
                let successor = successors(q, *i);
                *i += 1;
                if let Some(p) = successor {
                    if number[p.place()] == UNSEEN {
                        path.push((p, 0));
                    } else if of[p.place()] == UNSEEN {
                        lowest[q.place()] = lowest[q.place()].min(number[p.place()]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    lowest[parent.place()] = lowest[parent.place()].min(lowest[q.place()]);
                }
                if lowest[q.place()] == number[q.place()] {
                    while let Some(p) = open.pop() {
                        of[p.place()] = count;
                        if p == q {
                            break;
                        }
                    }
                    count += 1;
                }
            }
        }
        Ok(Components {
            of,
            count: count as usize,
        })
    }

    /// The reachable nodes, component by component from the bottom: successors in other components come first.
    #[must_use]
    pub fn bottom_up(&self) -> Vec<usize> {
        // Components have numbers below the number of nodes, so counting sorts them.
        let mut start = vec![0usize; self.count + 1];
        for &c in self.of.iter().filter(|&&c| c != UNSEEN) {
            start[c as usize + 1] += 1;
        }
        for c in 0..self.count {
            start[c + 1] += start[c];
        }
        let mut order = vec![0; start[self.count]];
        for (q, &c) in self.of.iter().enumerate().filter(|&(_, &c)| c != UNSEEN) {
            order[start[c as usize]] = q;
            start[c as usize] += 1;
        }
        order
    }

    /// Whether two nodes lie in the same component.
    #[inline]
    #[must_use]
    pub fn same<N: Node>(&self, q: N, p: N) -> bool {
        self.of[q.place()] == self.of[p.place()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_components_and_sinks_come_first() {
        let graph: [&[u32]; 6] = [&[1], &[2, 3], &[1], &[4], &[4], &[0]];
        let c = Components::new(6, [0u32], |q, i| graph[q as usize].get(i).copied());
        assert_eq!(c.count, 4);
        assert!(c.same(1u32, 2));
        assert!(!c.same(0u32, 1));
        assert!(c.of[4] < c.of[3] && c.of[3] < c.of[1] && c.of[1] < c.of[0]);
        assert_eq!(c.of[5], u32::MAX);
        assert_eq!(c.bottom_up(), [4, 3, 1, 2, 0]);
    }
}
