//! Any model as ETF: its states are explored, and the transitions that are met become rows.

use dalsegno_explicit::space::{self, Space, StateId};
use dalsegno_kripke::{Budget, Fault, Stop};
use dalsegno_models::etf::{Etf, Projection, ProjectionError};
use thiserror::Error;

use crate::problem::Problem;

/// Why a model was not converted.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ConversionError {
    /// The format cannot describe it.
    #[error(transparent)]
    Projection(#[from] ProjectionError),
    /// The model cannot take a step.
    #[error(transparent)]
    Model(Fault),
    /// The states did not fit into the budget.
    #[error("a model is explored to be written as ETF, and that was not finished: {0}")]
    Stopped(#[from] Stop),
}

impl From<space::Error> for ConversionError {
    fn from(error: space::Error) -> Self {
        match error {
            space::Error::Fault(fault) => ConversionError::Model(fault),
            space::Error::Stopped(stop) => ConversionError::Stopped(stop),
        }
    }
}

/// The model as ETF: as it was read if it is ETF already, by exploration otherwise.
///
/// # Errors
/// See [`ConversionError`].
pub fn to_etf(problem: &Problem, budget: &Budget) -> Result<Etf, ConversionError> {
    if let Some(etf) = problem.etf() {
        return Ok(etf.clone());
    }
    let model = problem.model();
    let mut projection = Projection::new(model)?;
    let mut space = Space::new(model);
    let width = model.variables().len();
    let (mut before, mut after) = (vec![0; width], vec![0; width]);
    let mut pairs = Vec::new();
    let mut state: StateId = 0;
    while (state as usize) < space.len() {
        if state.is_multiple_of(1024) {
            budget.check()?;
            budget.check_bytes(space.bytes() + projection.bytes())?;
        }
        pairs.clear();
        let (groups, targets) = space.successors(state, budget)?;
        pairs.extend(groups.iter().copied().zip(targets.iter().copied()));
        space.values(state, &mut before);
        for &(group, target) in &pairs {
            space.values(target, &mut after);
            projection.add(group, &before, &after);
        }
        state += 1;
    }
    Ok(projection.finish())
}
