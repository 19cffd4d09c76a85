//! States behind a cycle: the greatest set each of whose states has a predecessor in it.
//!
//! P14 Fig. 2, lines 5 and 6: images of everything, until nothing is lost. A state for which one
//! automaton state next to it has a predecessor is not asked about with the others.
//!
//! Cost: as many rounds as the longest way in from outside the cycles.

use std::collections::BTreeMap;

use dalsegno_automata::Marks;
use dalsegno_mdd::Stop;

use super::components::Component;
use super::product::Product;
use super::product_set::{Key, ProductSet};

impl Product<'_> {
    /// The states behind a cycle of a component.
    pub(super) fn trim(
        &mut self,
        mut nodes: ProductSet,
        component: &Component,
    ) -> Result<ProductSet, Stop> {
        let mut sources: BTreeMap<Key, Vec<Key>> = BTreeMap::new();
        for &key in &component.keys {
            for (letter, q) in self.targets(key, Marks::NONE) {
                sources.entry((q, letter)).or_default().push(key);
            }
        }
        loop {
            let mut kept = ProductSet::default();
            for (key, set) in nodes.iter() {
                let mut open = set.clone();
                for &source in sources.get(&key).into_iter().flatten() {
                    if let Some(before) = nodes.get(source).filter(|_| !open.is_empty()) {
                        let seen = self.between((before, source.1), (&open, key.1))?;
                        open = self.manager().difference(&open, &seen)?;
                    }
                }
                kept.set(key, self.manager().difference(set, &open)?);
            }
            if kept.is_empty() || kept == nodes {
                return Ok(kept);
            }
            nodes = kept;
        }
    }
}
