//! Passes: what is done to a problem before methods work on it.
//!
//! A pass makes a problem smaller or its questions simpler and keeps what the questions need. Where it
//! changes the model, a [`Lift`](dalsegno_kripke::lift::Lift) leads states and steps back:
//!
//! - [`unfold`]: a coloured net becomes a plain one; the problem keeps the lift to the net that was given;
//! - [`Structure`] and the atoms of the skeleton: what is the same in all reachable states is put into formulas;
//! - [`Booleans`]: Boolean parts of formulas say what they say once;
//! - [`Reachability`]: formulas of branching time that ask for reachable states are questions of that kind;
//! - `reduce`: structural reductions of the net, for questions that observe little, which have runs of their own;
//! - `steps`: states show which transitions fire, for questions that ask it, which go to a run of their own;
//! - [`merge`]: places of which at most one is marked share a variable, for diagrams alone, which speak of
//!   the problem's model through the lift of the merged one.
//!
//! Whatever was done, an answer is certified on the problem and the question as they were before.

mod booleans;
pub mod merge;
mod reachability;
pub(crate) mod reduce;
mod skeleton_atoms;
pub(crate) mod steps;
mod structure;
pub mod unfold;

use dalsegno_kripke::Budget;
use dalsegno_logic::FormulaStore;

pub use booleans::Booleans;
pub use reachability::Reachability;
pub(crate) use skeleton_atoms::SkeletonAtoms;
pub use structure::Structure;

use crate::problem::Problem;
use crate::question::{Keep, Question};

/// Something that makes questions simpler.
pub trait Pass {
    /// What stays as it is.
    fn keeps(&self) -> Keep;

    /// Makes a question simpler.
    fn apply(&self, problem: &Problem, store: &mut FormulaStore, question: &mut Question);
}

/// Applies the passes that keep what a question needs.
pub(crate) fn apply(
    passes: &[&dyn Pass],
    problem: &Problem,
    store: &mut FormulaStore,
    question: &mut Question,
    budget: &Budget,
) {
    for pass in passes {
        if pass.keeps() >= question.keep() && budget.check().is_ok() {
            pass.apply(problem, store, question);
        }
    }
}
