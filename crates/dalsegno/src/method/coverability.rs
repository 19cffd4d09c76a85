//! Bounds by the coverability graph: which sums of places grow for ever, and the bounds of the others.

use dalsegno_explicit::coverability::{Bound, Coverability};
use dalsegno_kripke::Stop;

use super::{Method, Tool};
use crate::board::Board;
use crate::question::Question;
use crate::slice::Slice;

/// The method.
pub(crate) struct CoverabilityGraph;

impl Method for CoverabilityGraph {
    fn tool(&self) -> Tool {
        Tool::Coverability
    }

    /// Where bounds are expected, other methods find them sooner.
    fn suits(&self, board: &Board<'_>, question: &Question) -> bool {
        let mut variables = board.problem().model().variables().iter();
        matches!(question, Question::Bound(_)) && variables.any(|v| v.bounds.expected().is_none())
    }

    fn advance(&mut self, board: &Board<'_>, open: &[usize], slice: &Slice) -> Result<(), Stop> {
        let model = board.problem().model();
        let Some(graph) = Coverability::new(model, &slice.budget) else {
            return Ok(());
        };
        for (id, sum) in board.open_sums(open) {
            match graph.bound(&sum.places) {
                Bound::Infinite => board.largest(id, None, Tool::Coverability),
                Bound::Finite(most) if graph.ended.is_ok() => {
                    board.largest(id, Some(most), Tool::Coverability);
                }
                Bound::Finite(_) => {}
            }
        }
        graph.ended
    }

    fn bytes(&self) -> u64 {
        0
    }

    fn release(&mut self) {}
}
