//! Karp and Miller's coverability graph: which variables and which sums of them are bounded, and by what.
//!
//! Karp and Miller (1969): a state that strictly covers one of its ancestors can repeat the steps between
//! them, so what grew can grow for ever and becomes ω. Ours is the graph, not the tree: a label that was
//! seen before, anywhere, is not expanded again. Every reachable state is below some label, and every
//! label is a limit of reachable states; so the largest value of a sum over the labels is its least upper
//! bound. Breadth-first, so that the chains of ancestors stay short.
//!
//! For models whose groups are all linear without inhibitors. It always ends, but may take more than any
//! budget; what has become ω by then is unbounded all the same.

use rustc_hash::FxHashSet;

use dalsegno_kripke::{Budget, Linear, Model, Stop, VarId};

/// Stands for "as many as you like" in a label.
const OMEGA: u32 = u32::MAX;

/// A least upper bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// There is none.
    Infinite,
    /// The number is reached.
    Finite(u64),
}

/// The labels of the graph, as many as were found.
#[derive(Clone, Debug)]
pub struct Coverability {
    width: usize,
    labels: Vec<u32>,
    parents: Vec<u32>,
    /// The first variable that became ω.
    first: Option<VarId>,
    /// Whether all labels were found, or why not.
    pub ended: Result<(), Stop>,
}

/// Whether a model has a coverability graph: larger states can do all that smaller ones can.
#[must_use]
pub fn is_monotone(model: &Model) -> bool {
    let monotone = |l: &Linear| l.inhibit().is_empty();
    let mut groups = model.groups().iter();
    groups.all(|g| g.as_linear().is_some_and(monotone))
}

impl Coverability {
    /// Builds the graph of a model, as far as the budget allows; `None` if it is not monotone.
    #[must_use]
    pub fn new(model: &Model, budget: &Budget) -> Option<Self> {
        Self::until(model, usize::MAX, false, budget)
    }

    fn until(model: &Model, most: usize, one: bool, budget: &Budget) -> Option<Self> {
        if !is_monotone(model) {
            return None;
        }
        let mut graph = Coverability {
            width: model.variables().len(),
            labels: Vec::new(),
            parents: Vec::new(),
            first: None,
            ended: Ok(()),
        };
        graph.ended = graph.build(model, most, one, budget);
        Some(graph)
    }

    /// Adds labels until there are `most`, or until there is an ω if `one` is enough.
    fn build(
        &mut self,
        model: &Model,
        most: usize,
        one: bool,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let groups: Vec<&Linear> = model
            .groups()
            .iter()
            .filter_map(|g| g.as_linear())
            .collect();
        let mut known: FxHashSet<Box<[u32]>> = FxHashSet::default();
        if model.initial().iter().flatten().any(|&n| n == OMEGA) {
            // A number that looks like ω is none.
            return Err(Stop::States);
        }
        for state in model.initial() {
            if known.insert(state.as_slice().into()) {
                // The first of a chain is its own parent.
                self.parents.push(self.parents.len() as u32);
                self.labels.extend_from_slice(state);
            }
        }
        let mut next = vec![0; self.width];
        let mut at = 0;
        let mut work = PATIENCE;
        while at < self.parents.len() {
            for group in &groups {
                work += 1;
                if work >= PATIENCE {
                    work = 0;
                    budget.check()?;
                    budget.check_bytes(self.bytes(known.capacity()))?;
                }
                if !group.enabled(self.label(at)) {
                    continue;
                }
                next.copy_from_slice(self.label(at));
                if !step(&mut next, group) {
                    // A number that leaves 32 bits is beyond what is counted here.
                    return Err(Stop::States);
                }
                work += self.accelerate(at, &mut next, budget)?;
                if !known.contains(next.as_slice()) {
                    let labels = self.parents.len() + 1;
                    budget.check_states(labels as u64)?;
                    if labels > most.min(u32::MAX as usize) {
                        return Err(Stop::States);
                    }
                    work += 8 * self.width;
                    known.insert(next.as_slice().into());
                    self.labels.extend_from_slice(&next);
                    self.parents.push(at as u32);
                }
                if one && self.first.is_some() {
                    return Err(Stop::States);
                }
            }
            at += 1;
        }
        Ok(())
    }

    /// The bytes that all of it takes, with the labels in a table of so many entries.
    fn bytes(&self, known: usize) -> u64 {
        // A label in the table is an allocation of its own, with what the allocator adds.
        let copies = self.parents.len() * (4 * self.width + 16);
        let table = known * (size_of::<Box<[u32]>>() + 1);
        // A vector that grows is there twice.
        let vectors = 4 * (self.labels.capacity() + self.parents.capacity());
        (copies + table + 2 * vectors) as u64
    }

    fn label(&self, i: usize) -> &[u32] {
        &self.labels[i * self.width..(i + 1) * self.width]
    }

    /// Sets to ω what grew since an ancestor that `next` covers; the number of values looked at.
    fn accelerate(
        &mut self,
        parent: usize,
        next: &mut [u32],
        budget: &Budget,
    ) -> Result<usize, Stop> {
        let mut at = parent;
        let mut work = 0;
        loop {
            // Most comparisons end at once, but a chain of ancestors can be long.
            work += 1 + self.width / 8;
            if work >= PATIENCE {
                work = 0;
                budget.check()?;
            }
            let label = &self.labels[at * self.width..(at + 1) * self.width];
            if next.iter().zip(label).all(|(n, l)| n >= l) {
                for (v, (n, l)) in (0..).zip(next.iter_mut().zip(label)) {
                    if *n > *l {
                        *n = OMEGA;
                        self.first.get_or_insert(VarId(v));
                    }
                }
            }
            let above = self.parents[at] as usize;
            if above == at {
                return Ok(work);
            }
            at = above;
        }
    }

    /// The number of labels.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there is no label; never true of a model.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The least upper bound of a sum of variables; of the states seen, if the graph is not complete.
    #[must_use]
    pub fn bound(&self, variables: &[VarId]) -> Bound {
        let mut most = 0;
        for i in 0..self.len() {
            let label = self.label(i);
            let mut sum = 0;
            for v in variables {
                match label[v.index()] {
                    OMEGA => return Bound::Infinite,
                    n => sum += u64::from(n),
                }
            }
            most = most.max(sum);
        }
        Bound::Finite(most)
    }

    /// The variables that can grow for ever, as far as they were found.
    #[must_use]
    pub fn unbounded(&self) -> Vec<VarId> {
        let grows = |v: &VarId| self.bound(&[*v]) == Bound::Infinite;
        (0..self.width as u32).map(VarId).filter(grows).collect()
    }
}

/// A variable that can grow for ever, if that shows among the first few labels.
#[must_use]
pub fn quickly_unbounded(model: &Model, budget: &Budget) -> Option<VarId> {
    Coverability::until(model, FEW_LABELS, true, budget)?.first
}

/// Values looked at between two looks at the budget.
const PATIENCE: usize = 1 << 16;

/// Chains of ancestors are short among so few, and most nets that grow do so at once.
const FEW_LABELS: usize = 2_000;

/// Takes a step; false if a number becomes too large.
fn step(state: &mut [u32], group: &Linear) -> bool {
    for &(v, n) in group.delta() {
        let value = &mut state[v.index()];
        if *value == OMEGA {
            continue;
        }
        match u32::try_from(i64::from(*value) + n) {
            Ok(new) if new != OMEGA => *value = new,
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use dalsegno_kripke::{Bounds, Group, Variable};

    type Arcs = Vec<(u32, u32)>;

    fn model(initial: &[u32], steps: &[(Arcs, Vec<(u32, i64)>)]) -> Model {
        let variables = (0..initial.len()).map(|i| Variable {
            name: format!("v{i}"),
            bounds: Bounds::UNKNOWN,
        });
        let groups = steps.iter().enumerate().map(|(i, (pre, delta))| {
            let pre = pre.iter().map(|&(v, n)| (VarId(v), n)).collect();
            let delta = delta.iter().map(|&(v, n)| (VarId(v), n)).collect();
            let linear = Linear::new(pre, vec![], delta).unwrap();
            Group::linear(format!("g{i}"), linear)
        });
        Model::new(
            "m",
            variables.collect(),
            vec![initial.to_vec()],
            groups.collect(),
        )
        .unwrap()
    }

    #[test]
    fn what_grows_behind_what_grows_is_found() {
        // v0 makes v1 for ever; a v1 can be turned into a pair of v2; v3 moves to v4 and stays bounded.
        let model = model(
            &[1, 0, 0, 3, 0],
            &[
                (vec![(0, 1)], vec![(1, 1)]),
                (vec![(1, 1)], vec![(1, -1), (2, 2)]),
                (vec![(3, 1)], vec![(3, -1), (4, 1)]),
            ],
        );
        let graph = Coverability::new(&model, &Budget::unlimited()).unwrap();
        assert_eq!(graph.ended, Ok(()));
        assert_eq!(graph.unbounded(), [VarId(1), VarId(2)]);
        assert_eq!(graph.bound(&[VarId(3), VarId(4)]), Bound::Finite(3));
        assert_eq!(graph.bound(&[VarId(3), VarId(2)]), Bound::Infinite);
        let growing = quickly_unbounded(&model, &Budget::unlimited());
        assert_eq!(growing, Some(VarId(1)));
        let little = Budget::unlimited().with_states(1);
        let graph = Coverability::new(&model, &little).unwrap();
        assert_eq!(graph.ended, Err(Stop::States));
    }

    /// A token in the middle can go to any of `n` places.
    fn star(n: u32) -> Model {
        let mut initial = vec![0; n as usize + 1];
        initial[0] = 1;
        let steps: Vec<(Arcs, Vec<(u32, i64)>)> = (1..=n)
            .map(|i| (vec![(0, 1)], vec![(0, -1), (i, 1)]))
            .collect();
        model(&initial, &steps)
    }

    #[test]
    fn limits_hold_within_one_expansion() {
        let model = star(3_000);
        let bytes = 8_000_000;
        let budget = Budget::unlimited().with_bytes(bytes);
        let graph = Coverability::new(&model, &budget).unwrap();
        assert_eq!(graph.ended, Err(Stop::Memory));
        // One more look at the budget, and a vector that has just grown.
        assert!(8 * (graph.len() * graph.width) as u64 <= bytes + bytes / 4);
        let now = Budget::unlimited().with_time(std::time::Duration::ZERO);
        let graph = Coverability::new(&model, &now).unwrap();
        assert_eq!((graph.ended, graph.len()), (Err(Stop::Time), 1));
        let few = Budget::unlimited().with_states(10);
        let graph = Coverability::new(&model, &few).unwrap();
        assert_eq!((graph.ended, graph.len()), (Err(Stop::States), 10));
        assert!(quickly_unbounded(&model, &Budget::unlimited()).is_none());
    }

    #[test]
    fn a_bounded_model_has_its_states_as_labels() {
        let model = model(&[2, 0], &[(vec![(0, 1)], vec![(0, -1), (1, 1)])]);
        let graph = Coverability::new(&model, &Budget::unlimited()).unwrap();
        assert_eq!((graph.len(), graph.ended), (3, Ok(())));
        assert!(graph.unbounded().is_empty());
        assert_eq!(graph.bound(&[VarId(1)]), Bound::Finite(2));
    }
}
