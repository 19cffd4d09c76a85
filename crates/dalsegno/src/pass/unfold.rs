//! Unfolding a coloured net: a place per place and colour, a transition per transition and binding.

use dalsegno_kripke::Budget;
use dalsegno_models::petri::coloured::{self, ColouredNet, Limits, Progress, UnfoldError};

use crate::problem::Problem;

/// The problem of a coloured net. Its [`lift`](Problem::lift) leads back to places and transitions of the
/// net that was given.
///
/// # Errors
/// If the unfolded net would be too large, or the budget runs out.
pub fn unfold(
    net: ColouredNet,
    budget: &Budget,
    progress: impl FnMut(Progress),
) -> Result<Problem, UnfoldError> {
    let unfolded = coloured::unfold(net, Limits::default(), budget, progress)?;
    // What follows takes seconds where the net is large.
    let check = || budget.check().map_err(UnfoldError::Stopped);
    check()?;
    let problem = Problem::of_unfolded(unfolded.net, unfolded.origin, budget);
    check()?;
    Ok(problem)
}
