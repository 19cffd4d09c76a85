//! Formulas of branching time that ask whether some state is reachable, or that none is: questions of that kind have more
//! methods, and need less of a net. `EF b` and `AG b` for a Boolean `b`, and Boolean formulas.
//!
//! An explanation of the formula is no path to a state, so the pass is for those who want answers alone.

use dalsegno_kripke::DeadEnds;
use dalsegno_logic::FormulaStore;

use super::Pass;
use crate::goal::reach;
use crate::problem::Problem;
use crate::question::{Keep, Question};

/// The pass.
pub struct Reachability;

impl Pass for Reachability {
    fn keeps(&self) -> Keep {
        Keep::Everything
    }

    fn apply(&self, problem: &Problem, store: &mut FormulaStore, question: &mut Question) {
        // Where only infinite paths count, a state that is reachable may be on none.
        if let Question::Branching(property) = question
            && property.dead_ends != DeadEnds::Ignore
            && property.fires.is_empty()
            && let Some(found) = reach(
                problem.model(),
                store,
                property.formula,
                property.atoms.clone(),
            )
        {
            *question = Question::Reach(found);
        }
    }
}
