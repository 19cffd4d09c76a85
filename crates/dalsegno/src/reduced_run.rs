//! Runs on reduced nets: for all questions that need the same to be kept together, or for few of them on a smaller net.

use dalsegno_kripke::Budget;
use dalsegno_logic::FormulaStore;
use dalsegno_models::petri::reduce::{self as rules, Keep, Observed};

use crate::answer::Reduction;
use crate::asked::Understood;
use crate::board::Board;
use crate::inner_run::{FromReduced, How, InnerRun};
use crate::pass::reduce::{self, Shared};
use crate::problem::Problem;
use crate::question::Question;
use crate::run::Run;
use crate::settings::Reductions;
use crate::source::Source;

/// Questions by their numbers, with what has to be kept for them and what they observe.
pub(crate) type Needs = Vec<(usize, Keep, Observed)>;

/// What reductions have to keep for the open questions to which they may be of use.
pub(crate) fn needs(board: &Board<'_>) -> Needs {
    let settings = board.settings();
    let Some(net) = board.problem().net() else {
        return Vec::new();
    };
    if settings.reductions == Reductions::Off || asks_about_given(board) {
        return Vec::new();
    }
    let store = board.formulas().clone();
    let mut needs = Vec::new();
    for number in board.all_open() {
        // A step of the given net that has no successor is told, not reduced away.
        if board.is_ready(number)
            && !board.has_fault(number)
            && let Some((keep, observed)) =
                reduce::needs(net, &store, settings, &board.question(number))
        {
            needs.push((number, keep, observed));
        }
    }
    needs
}

/// Whether the net that was given is meant: who asks for sizes or the shortest evidence, or limits states, asks about that.
pub(crate) fn asks_about_given(board: &Board<'_>) -> bool {
    let settings = board.settings();
    settings.automaton.is_some()
        || settings.product_size
        || settings.sample.is_some()
        || settings.shortest
        || settings.hosts.is_some()
        || settings.emptiness.is_some()
        || settings.search.depth.is_some()
        || board.budget().states().is_some()
}

/// How the net is reduced for a question by itself.
pub(crate) fn reduction(
    board: &Board<'_>,
    keep: Keep,
    observed: &Observed,
    budget: &Budget,
) -> Option<(Keep, Reduction)> {
    let problem = board.problem();
    let net = problem.net()?;
    let reduced = rules::reduce(net, problem.structure(), observed, keep, budget)?;
    Some((keep, reduce::told(net, &reduced)))
}

/// Runs for questions that share reduced nets.
pub(crate) fn runs(board: &Board<'_>, shared: Vec<Shared>, budget: &Budget) -> Vec<InnerRun> {
    let mut runs = Vec::new();
    let store = board.formulas().clone();
    for group in shared {
        runs.extend(run(board, &store, group, budget));
    }
    runs
}

fn run(
    board: &Board<'_>,
    store: &FormulaStore,
    group: Shared,
    budget: &Budget,
) -> Option<InnerRun> {
    let net = board.problem().net()?;
    let reduced = group.reduced;
    let (mut asked, mut numbers, mut constants) = (Vec::new(), Vec::new(), Vec::new());
    for number in group.numbers {
        let now = board.question(number);
        let (Some(understood), Some(question)) =
            (board.meaning(number), reduce::question(&reduced, &now))
        else {
            continue;
        };
        constants.push(match &now {
            Question::Bound(sum) => reduce::constant_part(&reduced, sum),
            _ => 0,
        });
        let understood = Understood {
            question,
            ..understood
        };
        asked.push((board.asked(number), understood));
        numbers.push(number);
    }
    let told = reduce::told(net, &reduced);
    let problem = Problem::of_net(reduced.net, budget);
    let source = Source::of_problem(problem);
    let run = Run::understood_as(&source, board.settings().clone(), store.clone(), asked);
    let from = FromReduced {
        replay: reduced.replay,
        told,
        constants,
    };
    Some(InnerRun::new(run, How::Reduced(Box::new(from)), numbers))
}
