//! Runs on quotients of coloured nets: questions are asked before the net is unfolded as a whole.
//!
//! The quotient (`dalsegno-models`, `petri/coloured/quotient.rs`) keeps each step, for all that speaks of the tokens of coloured
//! places, of some binding of coloured transitions, and of single colours that the questions name. Questions that it does not
//! understand, and the survey of all states, stay for the net that is unfolded.

use dalsegno_kripke::Budget;
use dalsegno_models::petri::coloured::{
    self, ColouredNet, Limits, Progress, Quotient, Size, UnfoldError, named_colours,
};

use crate::answer::Merging;
use crate::asked::Reader;
use crate::board::Board;
use crate::event::Event;
use crate::inner_run::{How, InnerRun};
use crate::problem::Problem;
use crate::question::{Question, QuestionKind};
use crate::reduced_run;
use crate::run::Run;
use crate::settings::Reductions;
use crate::source::{LoadError, Source};

/// The run on the quotient of the coloured net of a board; none if it would not help.
///
/// # Errors
/// If even the quotient cannot be unfolded within the limits.
pub(crate) fn run(board: &Board<'_>, budget: &Budget) -> Result<Option<InnerRun>, LoadError> {
    let Some(net) = board.source().coloured() else {
        return Ok(None);
    };
    let mut open = board.all_open();
    open.retain(|&number| board.asked(number).kind() != Some(QuestionKind::Survey));
    let size = Size::of(net);
    if open.is_empty() || !is_wanted(board, &size) {
        return Ok(None);
    }
    let Some(quotient) = quotient(board, net, &open, budget) else {
        return Ok(None);
    };
    let hear = |found: Progress| {
        board.tell(&Event::Unfolding {
            places: found.places,
            transitions: found.transitions,
        });
    };
    let limits = Limits::default();
    let unfolded = match coloured::unfold_quotient(net.clone(), &quotient, limits, budget, hear) {
        Ok(unfolded) => unfolded,
        Err(error @ (UnfoldError::TooLarge(_) | UnfoldError::Stopped(_))) => {
            return Err(error.into());
        }
        // What is wrong with the net is said when it is unfolded.
        Err(_) => return Ok(None),
    };
    let told = Merging {
        places_at_most: size.places,
        transitions_at_most: size.transitions,
        places: unfolded.net.places().len(),
        transitions: unfolded.net.transitions().len(),
    };
    let problem = Problem::of_unfolded(unfolded.net, unfolded.origin, budget);
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
        // Places that are always the same share their variables, and a sum of them counts each once.
        if let Question::Bound(sum) = &understood.question {
            let mut variables = sum.clone();
            variables.sort_unstable();
            if variables.windows(2).any(|pair| pair[0] == pair[1]) {
                continue;
            }
        }
        asked.push((board.asked(number), understood));
        numbers.push(number);
    }
    if numbers.is_empty() {
        return Ok(None);
    }
    let source = Source::of_problem(problem);
    let run = Run::understood_as(&source, board.settings().clone(), store, asked);
    Ok(Some(InnerRun::new(run, How::Quotient(told), numbers)))
}

/// Whether the settings allow for a quotient, and the size of the net asks for one.
fn is_wanted(board: &Board<'_>, size: &Size) -> bool {
    let settings = board.settings();
    if settings.proofs || reduced_run::asks_about_given(board) {
        return false;
    }
    let limits = Limits::default();
    let too_large = size.places > u128::from(limits.places)
        || size.transitions > u128::from(limits.transitions);
    match settings.reductions {
        Reductions::Off => false,
        Reductions::First => true,
        // Who wants to see runs sees those of the whole net, where that can be unfolded.
        Reductions::On => too_large || !settings.evidence,
    }
}

/// The quotient in which all colours that questions name are classes of their own, if it merges anything.
fn quotient(
    board: &Board<'_>,
    net: &ColouredNet,
    open: &[usize],
    budget: &Budget,
) -> Option<Quotient> {
    let mut observed = Vec::new();
    for text in board.texts(open) {
        observed.extend(named_colours(net, &text));
    }
    observed.sort_unstable();
    observed.dedup();
    let quotient = Quotient::of(net, &observed, budget)?;
    let merges = !quotient.is_trivial() || coloured::has_interchangeable(net);
    merges.then_some(quotient)
}
