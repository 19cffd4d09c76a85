//! Runs on quotients of coloured nets: questions are asked before the net is unfolded as a whole.
//!
//! The quotient (`dalsegno-models`, `petri/coloured/quotient.rs`) keeps each step, for all that speaks of the tokens of coloured
//! places, of some binding of coloured transitions, and of single colours that the questions name. Questions that it does not
//! understand, and the survey of all states, stay for the net that is unfolded.
//!
//! Before that, the net is reduced for what the questions observe (`petri/coloured/reduce/`). That is found on the net without
//! colours, whose places and transitions have the same names.

use std::borrow::Cow;
use std::sync::Arc;

use dalsegno_kripke::{self as kripke, Budget, Step};
use dalsegno_models::petri::PlaceId;
use dalsegno_models::petri::coloured::{
    self, ColouredNet, Limits, Orbits, Progress, Quotient, Size, UnfoldError, named_colours,
};
use dalsegno_models::petri::reduce::{Keep, Observed};

use crate::answer::{Evidence, Merging, Part, Value};
use crate::asked::{Reader, Understood};
use crate::board::Board;
use crate::certificate;
use crate::event::{Answered, Event};
use crate::inner_run::{How, InnerRun};
use crate::pass;
use crate::problem::Problem;
use crate::question::{Question, QuestionKind};
use crate::reduced_run;
use crate::run::Run;
use crate::settings::Reductions;
use crate::source::{LoadError, Source};
use crate::truth::Truth;

/// Why an explanation on a quotient is not told.
const COLOURS: &str = "the answer was found on a quotient of the coloured net, of which paths are not told for formulas of branching time";

/// The run on the quotient of the coloured net of a board; none if it would not help.
///
/// # Errors
/// If even the quotient cannot be unfolded within the limits.
pub(crate) fn run(board: &Board<'_>, budget: &Budget) -> Result<Option<InnerRun>, LoadError> {
    let Some(net) = board.source().coloured() else {
        return Ok(None);
    };
    let mut open = board.all_open();
    // Runs that are fair are fair to each binding, and a survey counts all of them.
    open.retain(|&number| {
        let asked = board.asked(number);
        asked.kind() != Some(QuestionKind::Survey) && asked.fairness.is_empty()
    });
    let size = Size::of(net);
    if open.is_empty() || !is_wanted(board, &size) {
        return Ok(None);
    }
    let Some((net, quotient)) = quotient(board, net, &open, budget) else {
        return Ok(None);
    };
    let hear = |found: Progress| {
        board.tell(&Event::Unfolding {
            places: found.places,
            transitions: found.transitions,
        });
    };
    let limits = Limits::default();
    let unfolded =
        match coloured::unfold_quotient(net.into_owned(), &quotient, limits, budget, hear) {
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
    let problem = Arc::new(problem);
    // Places that are always the same share their variables, and a sum of them counts each once.
    let fits = |question: &Question| {
        let Question::Bound(sum) = question else {
            return true;
        };
        let mut variables = sum.clone();
        variables.sort_unstable();
        variables.windows(2).all(|pair| pair[0] != pair[1])
    };
    let asked = ask(board, &problem, open, fits, budget);
    Ok(asked.map(|(run, asked, numbers)| {
        let from = FromQuotient {
            told: Some(told),
            way: Way::Quotient(problem),
            asked,
        };
        InnerRun::new(run, How::Quotient(Box::new(from)), numbers)
    }))
}

/// A run about another problem, with those of the questions of a board that it understands and that fit: what they mean there, and
/// their numbers.
pub(crate) fn ask(
    board: &Board<'_>,
    problem: &Arc<Problem>,
    open: Vec<usize>,
    fits: impl Fn(&Question) -> bool,
    budget: &Budget,
) -> Option<(Run, Vec<Understood>, Vec<usize>)> {
    let mut store = board.formulas().clone();
    let mut reader = Reader {
        problem,
        store: &mut store,
        settings: board.settings(),
        budget,
        read: None,
    };
    let (mut asked, mut meant, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for number in open {
        let question = board.asked(number);
        if let Ok(understood) = reader.understand(&question)
            && fits(&understood.question)
        {
            meant.push(understood.clone());
            asked.push((question, understood));
            numbers.push(number);
        }
    }
    if numbers.is_empty() {
        return None;
    }
    let source = Source::from(Arc::clone(problem));
    let run = Run::understood_as(&source, board.settings().clone(), store, asked);
    Some((run, meant, numbers))
}

/// What leads from a quotient back, or from representatives of markings.
pub(crate) struct FromQuotient {
    /// What was merged before the net was unfolded, if it was.
    pub(crate) told: Option<Merging>,
    pub(crate) way: Way,
    /// What each question means there.
    pub(crate) asked: Vec<Understood>,
}

/// How runs lead back.
pub(crate) enum Way {
    /// Tokens are counted per class of colours.
    Quotient(Arc<Problem>),
    /// Markings stand for those with other colours.
    Orbits(Orbits),
}

impl FromQuotient {
    /// Tells an answer that was found on the quotient, with evidence of the net that was given. Where evidence has to be shown
    /// and cannot be, the question stays open.
    pub(crate) fn answer(&self, board: &Board<'_>, number: usize, answered: &Answered<'_>) {
        let mut answer = answered.answer.clone();
        if !matches!(answer.value, Value::Truth(_) | Value::Bound(_)) {
            return;
        }
        answer.cost.merging.clone_from(&self.told);
        answer.cost.satisfying = None;
        answer.cost.growing = None;
        answer.shortest = false;
        answer.truth = None;
        answer.unshown = None;
        match answer.evidence.take().filter(|_| board.settings().evidence) {
            None => {}
            Some(Evidence::Explanation(_)) => answer.unshown = Some(COLOURS),
            Some(evidence) => {
                let Some(shown) = on_part(&self.way, &evidence, board, number) else {
                    return;
                };
                answer.evidence = Some(shown.evidence);
                answer.truth = shown.truth.map(Box::new);
                answer.part = Some(shown.part);
            }
        }
        let asked = self.asked[answered.number].clone();
        board.answer_of_quotient(number, answer, asked);
    }
}

/// Evidence of a coloured net that is not unfolded.
struct Shown {
    evidence: Evidence,
    truth: Option<Truth>,
    part: Part,
}

/// Evidence of a quotient as evidence of the coloured net, certified on the part of the unfolded net that it needs.
fn on_part(way: &Way, evidence: &Evidence, board: &Board<'_>, number: usize) -> Option<Shown> {
    let (stem, cycle): (&[Step], &[Step]) = match evidence {
        Evidence::Run(run) => (&run.stem, &run.cycle),
        Evidence::Prefix(path) | Evidence::Path(path) => (path, &[]),
        Evidence::Explanation(_) => return None,
    };
    let budget = board.budget();
    let lifted = match way {
        Way::Quotient(problem) => {
            let given = board.source().coloured()?;
            let origin = problem.colours()?;
            coloured::lift(given, origin, problem.model(), stem, cycle, budget)?
        }
        Way::Orbits(orbits) => orbits.lifted(stem, cycle, budget)?,
    };
    let evidence = match evidence {
        Evidence::Run(_) => Evidence::Run(kripke::Run::new(lifted.stem, lifted.cycle)),
        Evidence::Prefix(_) => Evidence::Prefix(lifted.stem),
        _ => Evidence::Path(lifted.stem),
    };
    let part = Problem::of_unfolded(lifted.unfolded.net, lifted.unfolded.origin, budget);
    let mut store = board.formulas().clone();
    let mut reader = Reader {
        problem: &part,
        store: &mut store,
        settings: board.settings(),
        budget,
        read: None,
    };
    let question = reader.understand(&board.asked(number)).ok()?.question;
    certificate::check(part.model(), &store, &question, &evidence).ok()?;
    let truth = certificate::truth(part.model(), &store, &question, &evidence);
    let part = Part(Arc::new(part));
    Some(Shown {
        evidence,
        truth,
        part,
    })
}

/// Whether the settings allow for a quotient, and the size of the net asks for one.
pub(crate) fn is_wanted(board: &Board<'_>, size: &Size) -> bool {
    let settings = board.settings();
    let of_given = settings.proofs || settings.details || settings.automaton_run;
    if of_given || reduced_run::asks_about_given(board) {
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

/// Whether colours are merged for the open questions of a board.
pub(crate) fn merges(board: &Board<'_>, budget: &Budget) -> bool {
    board.source().coloured().is_some_and(|net| {
        let reduced = coloured::reduce(net, None);
        let net = reduced.as_ref().map_or(net, |reduced| &reduced.net);
        let quotient = Quotient::of(net, &named(board, net, &board.all_open()), budget);
        quotient.is_some_and(|quotient| merges_any(net, &quotient))
    })
}

/// The net as it is reduced for some questions, and the quotient in which all colours that they name are classes of their own,
/// if that makes anything smaller.
fn quotient<'n>(
    board: &Board<'_>,
    net: &'n ColouredNet,
    open: &[usize],
    budget: &Budget,
) -> Option<(Cow<'n, ColouredNet>, Quotient)> {
    let named = named(board, net, open);
    // Nets without colours do not know single ones.
    let seen = if named.is_empty() {
        observed(board, net, open, budget)
    } else {
        None
    };
    let reduced = coloured::reduce(net, seen.as_ref().map(|(keep, seen)| (seen, *keep)));
    let sliced = reduced.as_ref().is_some_and(|r| r.transitions > 0);
    let net = reduced.map_or(Cow::Borrowed(net), |reduced| Cow::Owned(reduced.net));
    let quotient = Quotient::of(&net, &named, budget)?;
    (merges_any(&net, &quotient) || sliced).then_some((net, quotient))
}

/// The single colours that questions name.
fn named(board: &Board<'_>, net: &ColouredNet, open: &[usize]) -> Vec<(PlaceId, u64)> {
    let mut named = Vec::new();
    for text in board.texts(open) {
        named.extend(named_colours(net, &text));
    }
    named.sort_unstable();
    named.dedup();
    named
}

/// Whether colours are merged, or variables.
fn merges_any(net: &ColouredNet, quotient: &Quotient) -> bool {
    !quotient.is_trivial() || coloured::has_interchangeable(net)
}

/// What some questions observe of places and transitions, and what has to be kept for all of them; `None` if that is not known
/// without the unfolded net.
fn observed(
    board: &Board<'_>,
    net: &ColouredNet,
    open: &[usize],
    budget: &Budget,
) -> Option<(Keep, Observed)> {
    let problem = Problem::of_net(coloured::skeleton(net)?, budget);
    let counting = problem.net()?;
    let mut store = board.formulas().clone();
    let mut found: Option<(Keep, Observed)> = None;
    for &number in open {
        let mut reader = Reader {
            problem: &problem,
            store: &mut store,
            settings: board.settings(),
            budget,
            read: None,
        };
        let question = reader.understand(&board.asked(number)).ok()?.question;
        let (keep, seen) = pass::reduce::needs(counting, &store, board.settings(), &question)?;
        // Dead ends are seen by those who look at all places.
        if seen.dead_ends() {
            return None;
        }
        found = Some(match found {
            None => (keep, seen),
            Some((known, mut all)) => {
                all.add(&seen);
                (if known == keep { keep } else { Keep::Steps }, all)
            }
        });
    }
    found
}
