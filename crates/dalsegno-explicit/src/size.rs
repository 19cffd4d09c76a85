//! The size of a whole product, whatever a search needs of it.
//!
//! P11 and P12 report it beside what the emptiness check looked at: a search that finds a run stops early,
//! and a search for TA may look at everything twice. Here every reachable node is expanded once, in no
//! order that matters. Cost: linear in the product.

use dalsegno_kripke::{Budget, Stop};

use crate::nodes::{Node, NodeMap};
use crate::product::Product;
use crate::space::Error;

/// The reachable part of a product.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Nodes: pairs of a model state and an automaton state.
    pub states: u64,
    /// Pairs of a model transition and an automaton transition, repetitions of dead ends included.
    pub transitions: u64,
}

/// Counts the reachable nodes and transitions.
///
/// # Errors
/// When the budget runs out or the model faults.
pub fn of(product: &mut Product<'_>, budget: &Budget) -> Result<Size, Error> {
    let mut size = Size::default();
    let mut seen = NodeMap::new(product.automaton_states());
    let mut open: Vec<Node> = Vec::new();
    let mut edges = Vec::new();
    for root in product.initial() {
        seen.set(root, 1);
        open.push(root);
    }
    while let Some(node) = open.pop() {
        size.states += 1;
        if size.states.is_multiple_of(1024) {
            budget.check()?;
            let own = seen.bytes() + 8 * open.capacity() as u64;
            budget.check_bytes(product.bytes() + own)?;
        }
        if size.states > u64::from(u32::MAX) {
            return Err(Stop::States.into());
        }
        edges.clear();
        product.successors(node, budget, &mut edges)?;
        size.transitions += edges.len() as u64;
        for edge in &edges {
            if seen.get(edge.target) == 0 {
                seen.set(edge.target, 1);
                open.push(edge.target);
            }
        }
    }
    Ok(size)
}
