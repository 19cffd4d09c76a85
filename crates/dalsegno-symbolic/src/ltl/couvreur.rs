//! An accepting cycle near some states, looked for state by state.
//!
//! Couvreur's search (FM 1999): depth-first, with the roots of the components on the path and the marks
//! inside each. When a component has all marks, a cycle through it is put together from shortest walks.
//! The search gives up early: it is for the many cycles that lie near, where sets take far longer to lead
//! back to one state.
//!
//! Cost: per state, its steps, and a membership test for each.

use dalsegno_automata::Marks;
use dalsegno_kripke::Step;
use dalsegno_mdd::Stop;
use rustc_hash::{FxHashMap, FxHashSet};

use super::lasso::{ProductEdge, ProductState, Walk};
use super::product::Product;
use super::product_set::ProductSet;

/// A component on the path.
struct Root {
    /// The number of its first product state.
    first: usize,
    /// The marks of the step that leads to it.
    entry: Marks,
    /// The marks of the steps inside.
    inside: Marks,
}

/// A product state on the path, and the steps that are still to be taken.
struct Open {
    number: usize,
    node: ProductState,
    edges: Vec<ProductEdge>,
    /// The step that was taken last.
    taken: Option<Step>,
}

impl Product<'_> {
    /// A walk from one of some product states to an accepting cycle, and the cycle, inside a set that is
    /// closed under steps as far as they matter.
    pub(super) fn cycle_nearby(
        &mut self,
        start: &[ProductState],
        within: &ProductSet,
    ) -> Result<Option<(Walk, Walk)>, Stop> {
        let mut numbers: FxHashMap<ProductState, usize> = FxHashMap::default();
        for node in start {
            if numbers.contains_key(node) {
                continue;
            }
            if let Some((walk, component)) = self.component_below(node, within, &mut numbers)? {
                let entry = walk.1;
                return Ok(self
                    .round_trip(&entry, &component)?
                    .map(|cycle| (walk.0, cycle)));
            }
            if numbers.len() > self.near {
                break;
            }
        }
        Ok(None)
    }

    /// A walk to a component that has all marks, where it enters it, and its product states so far.
    #[expect(clippy::type_complexity, reason = "a walk with its end, and a set")]
    fn component_below(
        &mut self,
        start: &ProductState,
        within: &ProductSet,
        numbers: &mut FxHashMap<ProductState, usize>,
    ) -> Result<Option<((Walk, ProductState), FxHashSet<ProductState>)>, Stop> {
        let all = self.all_marks();
        // What was seen from an earlier start leads to no accepting cycle.
        let seen_before = numbers.len();
        // Places of components that are still on the path, in the order of their numbers.
        let mut live: Vec<(usize, ProductState)> = Vec::new();
        let mut dead: FxHashSet<usize> = FxHashSet::default();
        let mut roots: Vec<Root> = Vec::new();
        let mut path: Vec<Open> = Vec::new();
        let mut next = Some((start.clone(), Marks::NONE));
        loop {
            if let Some((node, entry)) = next.take() {
                let number = numbers.len();
                numbers.insert(node.clone(), number);
                live.push((number, node.clone()));
                roots.push(Root {
                    first: number,
                    entry,
                    inside: Marks::NONE,
                });
                let edges = self.edges(&node);
                self.watch_edges(edges.len())?;
                path.push(Open {
                    number,
                    node,
                    edges,
                    taken: None,
                });
                if numbers.len() > self.near {
                    return Ok(None);
                }
                self.manager().look()?;
            }
            let Some(open) = path.last_mut() else {
                return Ok(None);
            };
            let Some(edge) = open.edges.pop() else {
                if roots.last().is_some_and(|root| root.first == open.number) {
                    roots.pop();
                    let first = live.partition_point(|(n, _)| *n < open.number);
                    dead.extend(live.drain(first..).map(|(n, _)| n));
                }
                path.pop();
                continue;
            };
            open.taken = Some(Step {
                state: open.node.state.clone(),
                group: edge.group,
            });
            match numbers.get(&edge.target) {
                Some(number) if *number < seen_before || dead.contains(number) => {}
                Some(&number) => {
                    let mut marks = edge.marks;
                    while roots.last().is_some_and(|root| root.first > number) {
                        let root = roots.pop().expect("there is a last one");
                        marks = marks.union(root.entry).union(root.inside);
                    }
                    let Some(root) = roots.last_mut() else {
                        continue;
                    };
                    root.inside = root.inside.union(marks);
                    if root.inside.contains(all) {
                        let first = root.first;
                        let before = path.iter().take_while(|open| open.number < first);
                        let walk = before.filter_map(|open| open.taken.clone()).collect();
                        let from = live.partition_point(|(n, _)| *n < first);
                        let entry = live[from].1.clone();
                        let component = live.drain(from..).map(|(_, node)| node).collect();
                        return Ok(Some(((walk, entry), component)));
                    }
                }
                None if self.holds(within, &edge.target) => next = Some((edge.target, edge.marks)),
                None => {}
            }
        }
    }

    /// A cycle through a product state with all marks inside a component that has them.
    fn round_trip(
        &mut self,
        entry: &ProductState,
        component: &FxHashSet<ProductState>,
    ) -> Result<Option<Walk>, Stop> {
        let mut missing = self.each_mark();
        if missing.is_empty() {
            missing.push(Marks::NONE);
        }
        let mut cycle = Walk::new();
        let mut at = entry.clone();
        let inside = |_: &mut Self, node: &ProductState| component.contains(node);
        while let Some(mark) = missing.pop() {
            let fits =
                |edge: &ProductEdge| edge.marks.contains(mark) && component.contains(&edge.target);
            let goal =
                |product: &mut Self, node: &ProductState| product.edges(node).iter().any(fits);
            let Some((walk, end)) = self.short_walk(&[at], goal, inside, usize::MAX)? else {
                return Ok(None);
            };
            cycle.extend(walk);
            let Some(edge) = self.edges(&end).into_iter().find(fits) else {
                return Ok(None);
            };
            cycle.push(Step {
                state: end.state,
                group: edge.group,
            });
            missing.retain(|&mark| !edge.marks.contains(mark));
            at = edge.target;
        }
        let back = |_: &mut Self, node: &ProductState| node == entry;
        let walk = self.short_walk(&[at], back, inside, usize::MAX)?;
        Ok(walk.map(|(walk, _)| {
            cycle.extend(walk);
            cycle
        }))
    }
}
