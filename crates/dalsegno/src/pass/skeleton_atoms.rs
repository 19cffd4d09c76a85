//! What the skeleton of a coloured net decides of atoms, put into formulas.

use std::collections::BTreeMap;

use dalsegno_kripke::{Budget, Predicate};
use dalsegno_logic::{FormulaStore, PropId};
use dalsegno_models::petri::coloured::ColouredNet;
use rustc_hash::FxHashMap;

use super::Pass;
use super::structure::constants_in;
use crate::goal::reach;
use crate::method::constant_atoms;
use crate::problem::Problem;
use crate::question::{Keep, Question};

/// The pass: which atoms are the same in all reachable states, by their names.
pub(crate) struct SkeletonAtoms(FxHashMap<String, bool>);

impl SkeletonAtoms {
    /// Asks the skeleton of a net for the atoms of all formulas.
    pub(crate) fn new(
        problem: &Problem,
        net: &ColouredNet,
        store: &FormulaStore,
        questions: &[&Question],
        budget: &Budget,
    ) -> Self {
        let atoms = questions.iter().flat_map(|question| question.atoms());
        let atoms = atoms.map(|(p, meaning)| (store.name(*p), meaning));
        let atoms: BTreeMap<&str, &Predicate> = atoms.collect();
        SkeletonAtoms(constant_atoms(problem, net, &atoms, budget))
    }
}

impl Pass for SkeletonAtoms {
    fn keeps(&self) -> Keep {
        Keep::Everything
    }

    fn apply(&self, problem: &Problem, store: &mut FormulaStore, question: &mut Question) {
        let put = |store: &FormulaStore, atoms: &mut [(PropId, Predicate)]| {
            for (p, meaning) in atoms {
                if let Some(&value) = self.0.get(store.name(*p)) {
                    *meaning = Predicate::constant(value);
                }
            }
        };
        match question {
            Question::Linear(property) | Question::Branching(property) => {
                put(store, &mut property.atoms);
                property.formula = constants_in(store, property.formula, &property.atoms);
            }
            Question::Reach(goal) => {
                let mut atoms = goal.atoms.clone();
                put(store, &mut atoms);
                let f = constants_in(store, goal.formula, &atoms);
                if let Some(simpler) = reach(problem.model(), store, f, atoms) {
                    *goal = simpler;
                }
            }
            Question::Automaton(_)
            | Question::Bound(_)
            | Question::Survey
            | Question::Global(_) => {}
        }
    }
}
