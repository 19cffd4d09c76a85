//! Orders that keep the variables of a unit together.
//!
//! The units of a NUPN (Garavel 2015) are processes of the system, nested like its parallel
//! composition. Their variables depend on each other far more than on the rest: at most one place
//! of a unit has a token. Every unit is a block of adjacent levels here; the order of the blocks,
//! and of what is inside of them, is found by FORCE on the tree.

use dalsegno_kripke::Stop;

use super::force;
use super::hints::Unit;
use super::hypergraph::{Hypergraph, Lists};
use super::ticker::Ticker;

/// Improves a list of all variables, keeping units together.
pub(super) fn order(
    graph: &Hypergraph,
    units: &[Unit],
    start: &[u32],
    ticker: &mut Ticker<'_>,
) -> Result<Vec<u32>, Stop> {
    force::improve_units(graph, &tree(graph.variables(), units), start, ticker)
}

/// The children of each node of a tree that holds every variable once: first the variables, then
/// the units, last a root.
///
/// What is no tree in the hints is mended: a variable stays in the first unit that lists it, and
/// units on a cycle hang under the root.
fn tree(variables: usize, units: &[Unit]) -> Lists {
    let root = variables + units.len();
    let mut parent = vec![root; root];
    let mut placed = vec![false; variables];
    for (i, unit) in units.iter().enumerate() {
        for v in &unit.variables {
            if v.index() < variables && !std::mem::replace(&mut placed[v.index()], true) {
                parent[v.index()] = variables + i;
            }
        }
    }
    // 0: not looked at, otherwise the number of the walk that came by.
    let mut walk = vec![0; units.len()];
    for first in 0..units.len() {
        let mut i = first;
        while walk[i] == 0 {
            walk[i] = first + 1;
            match units[i].parent.filter(|&p| p < units.len()) {
                Some(p) if walk[p] == first + 1 => break,
                Some(p) => {
                    parent[variables + i] = variables + p;
                    i = p;
                }
                None => break,
            }
        }
    }
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); root + 1];
    for (node, &p) in (0..).zip(&parent) {
        children[p].push(node);
    }
    let mut lists = Lists::default();
    for list in children {
        lists.push(list);
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::testing::model;
    use dalsegno_kripke::{Budget, VarId};

    fn unit(parent: Option<usize>, variables: &[u32]) -> Unit {
        Unit {
            parent,
            variables: variables.iter().copied().map(VarId).collect(),
        }
    }

    #[test]
    fn units_stay_together() {
        // Two units of interleaved variables, and a chain through all of them.
        let model = model(6, &[&[0, 1], &[1, 2], &[2, 3], &[3, 4], &[4, 5]]);
        let graph = Hypergraph::of_groups(&model);
        let units = [
            unit(None, &[]),
            unit(Some(0), &[0, 2, 4]),
            unit(Some(0), &[1, 3, 5]),
        ];
        let budget = Budget::unlimited();
        let mut ticker = Ticker::new(&budget).unwrap();
        let list = order(&graph, &units, &[0, 1, 2, 3, 4, 5], &mut ticker).unwrap();
        let parity: Vec<u32> = list.iter().map(|v| v % 2).collect();
        assert!(parity == [0, 0, 0, 1, 1, 1] || parity == [1, 1, 1, 0, 0, 0]);
    }

    #[test]
    fn hints_that_are_no_tree_are_mended() {
        let units = [
            unit(Some(1), &[0, 9]),
            unit(Some(2), &[0, 1]),
            unit(Some(0), &[]),
            unit(Some(7), &[1]),
            unit(Some(4), &[2]),
        ];
        let lists = tree(4, &units);
        let mut seen = vec![0; lists.len()];
        for &child in lists.iter().flatten() {
            seen[child as usize] += 1;
        }
        assert_eq!(seen, [1, 1, 1, 1, 1, 1, 1, 1, 1, 0]);
        let mut reached = vec![lists.len() as u32 - 1];
        let mut next = 0;
        while next < reached.len() {
            let node = reached[next] as usize;
            reached.extend(lists.get(node));
            next += 1;
        }
        assert_eq!(reached.len(), lists.len());
    }
}
