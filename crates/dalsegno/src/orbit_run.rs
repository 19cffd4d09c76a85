//! Runs on representatives of the markings of a coloured net, which is not unfolded for them.
//!
//! Markings that differ by colours that may be exchanged are one state (`dalsegno-models`, `petri/coloured/orbits`). That
//! keeps each step, for all that speaks of the tokens of coloured places and of some binding of coloured transitions.
//! Explicit methods alone work there. They have a part of the time before the net is unfolded, more of it where
//! unfolding takes long.

use std::sync::Arc;

use dalsegno_kripke::Budget;
use dalsegno_models::petri::coloured::{Orbits, Size};

use crate::board::Board;
use crate::inner_run::{How, InnerRun};
use crate::plan::ORBITS_LARGE;
use crate::problem::Problem;
use crate::question::{Question, QuestionKind};
use crate::quotient_run::{FromQuotient, Way, ask, is_wanted};

/// The memory that markings may take if there is no limit.
const BYTES: u64 = 1 << 30;

/// Whether the coloured net of a board may have more places and transitions than these when it is unfolded.
pub(crate) fn is_larger_than(board: &Board<'_>, most: u128) -> bool {
    let size = board.source().coloured().map(Size::of);
    size.is_some_and(|size| size.places.saturating_add(size.transitions) > most)
}

/// The run on representatives for the open questions of a board; none if it would not help.
pub(crate) fn run(board: &Board<'_>, budget: &Budget) -> Option<InnerRun> {
    let net = board.source().coloured()?;
    if !is_wanted(board, &Size::of(net)) {
        return None;
    }
    let mut open = board.all_open();
    // Runs that are fair are fair to each binding, and a survey counts all markings.
    open.retain(|&number| {
        let asked = board.asked(number);
        asked.kind() != Some(QuestionKind::Survey) && asked.fairness.is_empty()
    });
    if open.is_empty() {
        return None;
    }
    let bytes = budget.bytes().map_or(BYTES, |bytes| bytes / 3);
    let orbits = Orbits::new(net, budget, bytes)?;
    if !orbits.is_symmetric() && !is_larger_than(board, ORBITS_LARGE) {
        return None;
    }
    let problem = Arc::new(Problem::of_orbits(&orbits)?);
    let fits = |question: &Question| !question.asks_of_steps();
    let (run, asked, numbers) = ask(board, &problem, open, fits, budget)?;
    let from = FromQuotient {
        told: None,
        way: Way::Orbits(orbits),
        asked,
    };
    Some(InnerRun::new(run, How::Orbits(Box::new(from)), numbers))
}
