//! What the structure of a net decides of a formula, put in: atoms that are the same in all reachable states
//! become constants. States and steps stay as they are.

use dalsegno_kripke::Predicate;
use dalsegno_logic::{FormulaId, FormulaStore, PropId};
use rustc_hash::FxHashMap;

use crate::problem::Problem;
use crate::question::{Keep, Property, Question};

use super::Pass;

/// The pass.
pub struct Structure;

impl Pass for Structure {
    fn keeps(&self) -> Keep {
        Keep::Everything
    }

    fn apply(&self, problem: &Problem, store: &mut FormulaStore, question: &mut Question) {
        match question {
            Question::Linear(property) | Question::Branching(property) => {
                decide(problem, store, property);
            }
            // The goals of other questions are simplified by whoever proves them.
            _ => {}
        }
    }
}

fn decide(problem: &Problem, store: &mut FormulaStore, property: &mut Property) {
    let Some(structure) = problem.structure() else {
        return;
    };
    for (_, meaning) in &mut property.atoms {
        *meaning = structure.simplify(meaning);
    }
    property.formula = constants_in(store, property.formula, &property.atoms);
}

/// A formula with the atoms that are constants put in.
pub(super) fn constants_in(
    store: &mut FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
) -> FormulaId {
    let meanings: FxHashMap<PropId, &Predicate> = atoms.iter().map(|(p, m)| (*p, m)).collect();
    store.substitute(f, |store, p| match meanings.get(&p) {
        Some(Predicate::True) => FormulaId::TRUE,
        Some(Predicate::False) => FormulaId::FALSE,
        _ => store.atom_of(p),
    })
}
