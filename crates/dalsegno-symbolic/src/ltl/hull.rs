//! States with an accepting run, backward.
//!
//! Emerson and Lei (LICS 1986): of a set, the states that lead to a step with mark f inside it are
//! kept, for every f, until nothing changes. Every way to a step is by saturation.

use dalsegno_automata::Marks;
use dalsegno_mdd::Stop;

use super::product::Product;
use super::product_set::ProductSet;

impl Product<'_> {
    /// The states of a component that an accepting run inside it starts from.
    pub(super) fn hull(&mut self, mut nodes: ProductSet, weak: bool) -> Result<ProductSet, Stop> {
        let marks = self.each_mark();
        loop {
            let before = nodes.clone();
            if weak || marks.is_empty() {
                nodes = self.preimage(&nodes, Marks::NONE, &nodes)?;
            } else {
                for &mark in &marks {
                    let next = self.preimage(&nodes, mark, &nodes)?;
                    nodes = self.leads_to(&next, &nodes)?;
                }
            }
            if nodes == before || nodes.is_empty() {
                return Ok(nodes);
            }
        }
    }
}
