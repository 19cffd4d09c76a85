//! Branching-time properties on a growing part of the state graph.
//!
//! After each round of growth every open property is evaluated in three values; what stays undecided says which
//! states it needs to know more of. A property that a few states decide is answered when they are known, however
//! many others there are. When nothing is left to expand, the graph is complete and decides everything.

use dalsegno_automata::branching::Evaluator;
use dalsegno_explicit::branching::GraphSets;
use dalsegno_explicit::partial_graph::{Aim, PartialGraph};
use dalsegno_explicit::space::{self, Space};
use dalsegno_explicit::three_valued::ThreeValuedSets;
use dalsegno_kripke::{Budget, Stop};
use dalsegno_logic::FormulaStore;

use super::demand::demand;
use super::{BranchingError, Run, Told};
use crate::survey::Engine;

impl<T: FnMut(usize, Told, &FormulaStore) + Send> Run<'_, T> {
    /// Answers what a growing graph decides; why something is still open, if it is.
    pub(super) fn explicit(
        &self,
        growth: &mut PartialGraph,
        states: &mut Space,
        store: &mut FormulaStore,
        budget: &Budget,
    ) -> Result<Option<Stop>, BranchingError> {
        loop {
            if growth.graph().is_complete() {
                return Ok(self.complete(growth, states, store, budget));
            }
            // The states that satisfy a property are asked of all states.
            let aims = if self.options.sample.is_none() {
                self.look(growth, states, store, budget)
            } else {
                Vec::new()
            };
            if self.open_for(Engine::Explicit).is_empty() {
                return Ok(None);
            }
            match growth.grow(states, &aims, budget) {
                Ok(()) => {}
                Err(space::Error::Stopped(stop)) => {
                    // Where there is time left, the last states may decide something.
                    if stop == Stop::Memory && self.options.sample.is_none() {
                        self.look(growth, states, store, budget);
                    }
                    return Ok(Some(stop));
                }
                Err(space::Error::Fault(fault)) => return Err(self.fault(fault)),
            }
        }
    }

    /// Answers what the known part decides; what the others need to know.
    fn look(
        &self,
        growth: &PartialGraph,
        states: &Space,
        store: &mut FormulaStore,
        budget: &Budget,
    ) -> Vec<Aim> {
        let graph = growth.graph();
        let bytes = states.bytes() + graph.bytes();
        let sets = ThreeValuedSets::new(graph, states, self.options.dead_ends, budget);
        let mut evaluator = Evaluator::new(sets, budget);
        for question in &self.questions {
            evaluator.tell(question.atoms.iter().cloned());
        }
        let mut aims = Vec::new();
        for number in self.open_for(Engine::Explicit) {
            let engine = Engine::Explicit;
            let answered = self.answer_one(store, &mut evaluator, engine, number, &mut |_| bytes);
            if answered.is_err() {
                let formula = self.questions[number].formula;
                aims.extend(demand(&evaluator, store, formula));
            }
        }
        aims
    }

    fn complete(
        &self,
        growth: &PartialGraph,
        states: &Space,
        store: &mut FormulaStore,
        budget: &Budget,
    ) -> Option<Stop> {
        let graph = growth.graph();
        let bytes = states.bytes() + graph.bytes();
        let sets = GraphSets::new(graph, states, self.options.dead_ends, budget);
        let mut evaluator = Evaluator::new(sets, budget);
        let engine = Engine::Explicit;
        self.answer(store, &mut evaluator, engine, &[u64::MAX], &mut |_| bytes)
    }
}
