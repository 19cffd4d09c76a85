//! Runs for questions about steps, asked of a model whose states show them.

use dalsegno_kripke::{Budget, Stop};
use dalsegno_logic::FormulaStore;

use crate::asked::Understood;
use crate::board::Board;
use crate::inner_run::{How, InnerRun};
use crate::pass::steps::{Shown, Watched, watched};
use crate::run::Run;
use crate::source::Source;

/// The runs that answer these questions, one for those that ask of the same steps. A question whose model would be too large
/// has none.
pub(crate) fn step_runs(
    board: &Board<'_>,
    store: &mut FormulaStore,
    questions: Vec<(usize, Understood)>,
    budget: &Budget,
) -> Vec<InnerRun> {
    let mut parts: Vec<(Watched, Vec<(usize, Understood)>)> = Vec::new();
    for (number, understood) in questions {
        let sets = understood.question.property().map(watched);
        let sets = sets.unwrap_or_default();
        board.asked_elsewhere(number, understood.clone());
        match parts.iter_mut().find(|(known, _)| *known == sets) {
            Some((_, part)) => part.push((number, understood)),
            None => parts.push((sets, vec![(number, understood)])),
        }
    }
    let mut runs = Vec::new();
    for (sets, part) in parts {
        let numbers: Vec<usize> = part.iter().map(|(number, _)| *number).collect();
        let Some(shown) = Shown::new(board.problem(), sets, budget) else {
            for number in numbers {
                board.tried(number, Stop::Memory, None);
            }
            continue;
        };
        let mut asked = Vec::new();
        for (number, mut understood) in part {
            understood.question = shown.question(store, &understood.question);
            asked.push((board.asked(number), understood));
        }
        let source = Source::of_problem(shown.problem);
        let settings = board.settings().clone();
        let run = Run::understood_as(&source, settings, store.clone(), asked);
        runs.push(InnerRun::new(run, How::Steps(shown.lift), numbers));
    }
    runs
}
