//! Whether stubborn sets pay in a product that is not searched depth first, from a sample of it.
//!
//! Workers that share a product cannot judge as they go (`gain.rs`): what they fire must not depend on how many they are. So each of
//! them looks at the same first nodes, breadth first, and all come to the same opinion.

use std::sync::Arc;

use dalsegno_kripke::{Budget, Model};

use crate::moves::Moves;
use crate::nodes::NodeMap;
use crate::product::Product;
use crate::space::{Error, Space};
use crate::view::View;

/// The nodes of the sample.
const NODES: usize = 2_000;

/// Whether sets that need no release leave out enough to be worth it.
pub(crate) fn pays(model: &Arc<Model>, moves: &Moves, budget: &Budget) -> bool {
    // Whatever is wrong, the search will tell.
    look(model, moves, budget).unwrap_or(false)
}

fn look(model: &Arc<Model>, moves: &Moves, budget: &Budget) -> Result<bool, Error> {
    let mut space = Space::new(model);
    let mut view = View::of(moves.clone());
    let mut product = Product::new(&mut space, &mut view);
    let Some(mut stubborn) = product.stubborn(None) else {
        return Ok(false);
    };
    let mut seen = NodeMap::new(product.automaton_states());
    let mut nodes = product.initial();
    for &node in &nodes {
        seen.set(node, 1);
    }
    // Limits of memory and states may differ between hosts, and must not decide.
    let enough = Budget::unlimited();
    let (mut groups, mut edges) = (Vec::new(), Vec::new());
    let mut next = 0;
    while next < nodes.len().min(NODES) {
        budget.check()?;
        let node = nodes[next];
        next += 1;
        groups.clear();
        edges.clear();
        product.list_enabled(node, &mut groups);
        let fired = product.choose_alone(node, &mut stubborn, &mut groups);
        if fired > 0 || groups.is_empty() {
            product.fire(node, &groups[..fired], &enough, &mut edges)?;
        }
        for edge in &edges {
            if seen.get(edge.target) == 0 {
                seen.set(edge.target, 1);
                nodes.push(edge.target);
            }
        }
    }
    Ok(stubborn.was_good())
}
