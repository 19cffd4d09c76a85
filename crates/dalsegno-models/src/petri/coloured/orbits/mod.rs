//! Coloured nets by representatives of their markings, without unfolding them.
//!
//! Permutations of colours that change nothing of what transitions do map steps to steps. So a marking and the same one with
//! its colours permuted are bisimilar: they have the same numbers of tokens in each coloured place, the same coloured
//! transitions are fireable, and a step of one is a step of the other to markings that differ by the same permutation.
//! Of each set of such markings, an *orbit*, one is kept, its representative; where several are, nothing is wrong, there
//! are only more states. This keeps each step: CTL* with `X` over sums of coloured places and coloured transitions, dead ends
//! and bounds. It does not keep numbers of states.
//!
//! *Papers:* [CDFH93] for symmetric nets; ours has no symbolic markings but representatives that are made of hashes, and so
//! needs no exact canonical form. Only full groups of classes of colours are used, no rotations.
//!
//! Bindings are found for each marking, so nothing is unfolded: a net with billions of bindings costs what its
//! reachable markings cost. Nets without symmetries are searched in the same way.
//!
//! Cost: see `graph.rs` and `representative.rs`; memory is that of the markings found.

mod graph;
mod lifted;
mod marking;
mod representative;
mod symmetries;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dalsegno_kripke::{
    Bounds, Budget, Group, GroupId, Lift, Model, Opaque, Source, Step, Undefined, VarId, Variable,
};

use self::graph::Graph;
use self::representative::Representatives;
pub use self::symmetries::Condition;
use self::symmetries::Symmetries;
use super::net::ColouredNet;
use super::trace::Lifted;
use crate::petri::symbols::Symbols;

/// The markings of a coloured net by their representatives.
#[derive(Clone, Debug)]
pub struct Orbits {
    net: Arc<ColouredNet>,
    graph: Arc<Mutex<Graph>>,
    is_symmetric: bool,
}

impl Orbits {
    /// Those of a net. Markings take at most `most_bytes`, and the budget ends all work on them. `None` if the initial
    /// marking has no value.
    #[must_use]
    pub fn new(net: &ColouredNet, budget: &Budget, most_bytes: u64) -> Option<Self> {
        Self::without(net, None, budget, most_bytes)
    }

    /// As [`Orbits::new`], without one of the conditions that make it right: for tests of the tests.
    #[must_use]
    pub fn without(
        net: &ColouredNet,
        dropped: Option<Condition>,
        budget: &Budget,
        most_bytes: u64,
    ) -> Option<Self> {
        let symmetries = Symmetries::of(net, dropped);
        let checks_twins = dropped != Some(Condition::Twins);
        let representatives = Representatives::new(net, &symmetries, checks_twins);
        let net = Arc::new(net.clone());
        let graph = Graph::new(Arc::clone(&net), representatives, budget, most_bytes)?;
        Some(Orbits {
            net,
            graph: Arc::new(Mutex::new(graph)),
            is_symmetric: !symmetries.is_trivial(),
        })
    }

    /// Whether there are colours that may be exchanged.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        self.is_symmetric
    }

    fn graph(&self) -> MutexGuard<'_, Graph> {
        self.graph.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many markings were found.
    #[must_use]
    pub fn found(&self) -> usize {
        self.graph().len()
    }

    /// The bytes that markings take, about.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.graph().bytes()
    }

    /// The model: a state has the number of a representative, the tokens of each coloured place, and for each coloured
    /// transition whether it is fireable. `None` if the successors of the initial marking are not found.
    #[must_use]
    pub fn model(&self) -> Option<Model> {
        let variable = |name: &str| Variable {
            name: name.to_owned(),
            bounds: Bounds::default(),
        };
        let mut variables = vec![variable("")];
        variables.extend(self.net.places.iter().map(|p| variable(&p.id)));
        variables.extend(self.net.transitions.iter().map(|t| variable(&t.id)));
        let all: Vec<VarId> = (0..variables.len() as u32).map(VarId).collect();
        let mut initial = vec![0; variables.len()];
        self.write(0, &mut initial).ok()?;
        let fireable = 1 + self.net.places.len();
        let transitions = self.net.transitions.iter().enumerate();
        let groups = transitions.map(|(t, transition)| {
            let reads = vec![VarId(0), VarId((fireable + t) as u32)];
            let fires = Fires {
                orbits: self.clone(),
                t: t as u32,
            };
            Group::opaque(&transition.id, reads, all.clone(), Arc::new(fires))
        });
        let groups = groups.collect();
        Model::new(&self.net.name, variables, vec![initial], groups).ok()
    }

    /// What leads from the model back to coloured places and transitions.
    #[must_use]
    pub fn lift(&self) -> Lift {
        let places = (1..=self.net.places.len() as u32).map(|v| Source::Sum(v..v + 1));
        let transitions = self.net.transitions.len();
        let groups = (0..transitions as u32).map(GroupId).collect();
        Lift::renaming(places.collect(), groups, transitions)
    }

    /// The names of places and transitions in the model. What could be the name of a single colour or binding has none.
    #[must_use]
    pub fn symbols(&self) -> Symbols {
        let mut symbols = Symbols::new();
        let places = || (1..).map(VarId).zip(&self.net.places);
        let transitions = || (0..).map(GroupId).zip(&self.net.transitions);
        for (v, place) in places() {
            symbols.add_place(&place.id, &[v]);
        }
        for (g, t) in transitions() {
            symbols.add_transition(&t.id, &[g]);
        }
        let plain = |name: &str| !name.contains('(');
        let names = places().filter(|(_, p)| plain(&p.name));
        symbols.add_place_names(names.map(|(v, p)| (p.name.as_str(), Box::from([v]))));
        let names = transitions().filter(|(_, t)| plain(&t.name));
        symbols.add_transition_names(names.map(|(g, t)| (t.name.as_str(), Box::from([g]))));
        symbols
    }

    /// The run of the coloured net that a run of the model stands for: a path if `cycle` is empty. `None` if it would be too
    /// long, the budget ends, or the steps are none of the model.
    #[must_use]
    pub fn lifted(&self, stem: &[Step], cycle: &[Step], budget: &Budget) -> Option<Lifted> {
        lifted::lift(&mut self.graph(), stem, cycle, budget)
    }

    /// Writes the state of a representative.
    fn write(&self, number: u32, out: &mut [u32]) -> Result<(), Undefined> {
        let mut graph = self.graph();
        let next = graph.successors(number)?;
        let places = self.net.places.len();
        out[0] = number;
        graph.sums(number, &mut out[1..=places])?;
        out[1 + places..].fill(0);
        for &(t, _) in next.iter() {
            out[1 + places + t as usize] = 1;
        }
        Ok(())
    }
}

/// A coloured transition as a function of the number of a representative.
#[derive(Debug)]
struct Fires {
    orbits: Orbits,
    t: u32,
}

impl Opaque for Fires {
    fn enabled(&self, read: &[u32]) -> bool {
        read[1] == 1
    }

    fn needs(&self) -> Option<(usize, u32)> {
        Some((1, 1))
    }

    fn successors(
        &self,
        read: &[u32],
        write: &mut [u32],
        emit: &mut dyn FnMut(&[u32]),
    ) -> Result<(), Undefined> {
        if read[1] != 1 {
            return Ok(());
        }
        let next = self.orbits.graph().successors(read[0])?;
        for &(_, to) in next.iter().filter(|&&(t, _)| t == self.t) {
            self.orbits.write(to, write)?;
            emit(write);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use dalsegno_kripke::Scratch;

    use super::*;
    use crate::petri::coloured::Guard;
    use crate::petri::generators::Family;

    fn states(net: &ColouredNet) -> usize {
        let orbits = Orbits::new(net, &Budget::unlimited(), 1 << 20).unwrap();
        let model = orbits.model().unwrap();
        let mut seen = BTreeSet::from([model.initial()[0].clone()]);
        let mut open: Vec<Vec<u32>> = seen.iter().cloned().collect();
        let mut scratch = Scratch::default();
        while let Some(state) = open.pop() {
            let fired = model.successors(&state, &mut scratch, |_, next| {
                if seen.insert(next.to_vec()) {
                    open.push(next.to_vec());
                }
            });
            fired.unwrap();
        }
        assert_eq!(orbits.found(), seen.len());
        seen.len()
    }

    #[test]
    fn successors_leave_nothing_to_be_exchanged() {
        let net = Family::Philosophers.generate_coloured(4).unwrap();
        assert_eq!(states(&net), 3_usize.pow(4));
    }

    #[test]
    fn philosophers_with_a_fork_each_are_counted() {
        // Without the neighbours' forks each philosopher thinks, waits with a fork on either side, or eats.
        let mut net = Family::Philosophers.generate_coloured(6).unwrap();
        for t in &mut net.transitions {
            for arcs in [&mut t.pre, &mut t.post] {
                for (_, term) in arcs.iter_mut() {
                    for summand in &mut term.summands {
                        for (part, _) in summand.factors.iter_mut().flatten() {
                            if let super::super::multiset::Part::Variable { shift, .. } = part {
                                *shift = 0;
                            }
                        }
                    }
                }
            }
            assert_eq!(t.guard, Guard::TRUE);
        }
        let alone = states(&net);
        let orbits = Orbits::new(&net, &Budget::unlimited(), 1 << 20).unwrap();
        assert!(orbits.is_symmetric());
        // Each takes its own fork once and never eats: it thinks or waits in one of two ways.
        assert_eq!(alone, 8 * 7 / 2);
    }

    #[test]
    fn memory_ends() {
        let net = Family::Philosophers.generate_coloured(12).unwrap();
        let orbits = Orbits::new(&net, &Budget::unlimited(), 1 << 12).unwrap();
        let mut graph = orbits.graph();
        let mut at = 0;
        while graph.successors(at).is_ok() {
            at += 1;
        }
        assert!(graph.len() < 100);
    }
}
