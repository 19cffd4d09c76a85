//! What the skeleton of a coloured net decides of atoms, put into formulas.

use std::collections::BTreeMap;

use dalsegno_kripke::{Budget, Predicate};
use dalsegno_logic::FormulaStore;
use dalsegno_models::petri::coloured::ColouredNet;
use rustc_hash::FxHashMap;

use super::Pass;
use super::structure::constants_in;
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
        let properties = questions.iter().filter_map(|q| q.property());
        let atoms = properties.flat_map(|p| &p.atoms);
        let atoms = atoms.map(|(p, meaning)| (store.name(*p), meaning));
        let atoms: BTreeMap<&str, &Predicate> = atoms.collect();
        SkeletonAtoms(constant_atoms(problem, net, &atoms, budget))
    }
}

impl Pass for SkeletonAtoms {
    fn keeps(&self) -> Keep {
        Keep::Everything
    }

    fn apply(&self, _: &Problem, store: &mut FormulaStore, question: &mut Question) {
        let (Question::Linear(property) | Question::Branching(property)) = question else {
            return;
        };
        for (p, meaning) in &mut property.atoms {
            if let Some(&value) = self.0.get(store.name(*p)) {
                *meaning = Predicate::constant(value);
            }
        }
        property.formula = constants_in(store, property.formula, &property.atoms);
    }
}
