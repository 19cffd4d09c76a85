//! Runs on representatives of the markings of a coloured net, which is not unfolded for them.
//!
//! Markings that differ by colours that may be exchanged are one state (`dalsegno-models`, `petri/coloured/orbits`). That
//! keeps each step, for all that speaks of the tokens of coloured places and of some binding of coloured transitions.
//! Explicit methods alone work there. They have a part of the time before the net is unfolded, more of it where
//! unfolding takes long.

use dalsegno_kripke::Budget;
use dalsegno_models::petri::coloured::{Orbits, Size};

use crate::asked::{Reader, Understood};
use crate::board::Board;
use crate::inner_run::{How, InnerRun};
use crate::plan::ORBITS_LARGE;
use crate::problem::Problem;
use crate::question::QuestionKind;
use crate::quotient_run::{FromQuotient, Way, is_wanted};
use crate::run::Run;
use crate::source::Source;
use std::sync::Arc;

/// The memory that markings may take if there is no limit.
const BYTES: u64 = 1 << 30;

/// Whether unfolding the coloured net of a board takes long.
pub(crate) fn is_large(board: &Board<'_>) -> bool {
    let size = board.source().coloured().map(Size::of);
    size.is_some_and(|size| size.places.saturating_add(size.transitions) > ORBITS_LARGE)
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
    if !orbits.is_symmetric() && !is_large(board) {
        return None;
    }
    let problem = Problem::of_orbits(&orbits)?;
    let mut store = board.formulas().clone();
    let mut reader = Reader {
        problem: &problem,
        store: &mut store,
        settings: board.settings(),
        budget,
        read: None,
    };
    let (mut asked, mut numbers) = (Vec::new(), Vec::new());
    for number in open {
        let Ok(understood) = reader.understand(&board.asked(number)) else {
            continue;
        };
        if understood.question.asks_of_steps() {
            continue;
        }
        asked.push((board.asked(number), understood));
        numbers.push(number);
    }
    if numbers.is_empty() {
        return None;
    }
    let from = FromQuotient {
        told: None,
        way: Way::Orbits(orbits),
        asked: asked
            .iter()
            .map(|(_, u): &(_, Understood)| u.clone())
            .collect(),
    };
    let source = Source::from(Arc::new(problem));
    let run = Run::understood_as(&source, board.settings().clone(), store, asked);
    Some(InnerRun::new(run, How::Orbits(Box::new(from)), numbers))
}
