//! States with an accepting run, backward.
//!
//! Emerson and Lei (LICS 1986): of a set, the states that lead to a step with mark f inside it are
//! kept, for every f, until nothing changes. Every way to a step is by saturation. As in
//! `owcty.rs`, only components of the automaton's side that have all marks are looked at; the rest leads
//! to them or does not.

use dalsegno_automata::Marks;
use dalsegno_mdd::Stop;

use super::nodes::Nodes;
use super::product::Product;

impl Product<'_, '_> {
    /// The states of a set from which an accepting run stays inside it.
    ///
    /// # Errors
    /// If the budget ran out.
    pub fn fair(&mut self, within: &Nodes) -> Result<Nodes, dalsegno_kripke::Stop> {
        let result = self.fair_states(within);
        result.map_err(|stop| self.stop(stop))
    }

    fn fair_states(&mut self, within: &Nodes) -> Result<Nodes, Stop> {
        let mut cores = Nodes::default();
        for component in self.components(within) {
            let mut nodes = within.clone();
            nodes.retain(|key| component.keys.contains(&key));
            let hull = self.hull(nodes, component.weak)?;
            for (key, set) in hull.iter() {
                cores.add(self.manager(), key, set)?;
            }
        }
        self.leads_to(&cores, within)
    }

    /// The states of a component that an accepting run inside it starts from.
    pub(super) fn hull(&mut self, mut nodes: Nodes, weak: bool) -> Result<Nodes, Stop> {
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
