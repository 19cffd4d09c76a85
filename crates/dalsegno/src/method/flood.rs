//! Floods: the whole state space, or the whole product with the automaton of a negation, explored by any number of threads,
//! and accepting cycles by OWCTY.
//!
//! For properties that hold, or whose violations a depth-first search has not found with little work. A flood keeps far
//! less of a node than a depth-first search does, so it is also what is left when that runs out of memory. Nothing is kept
//! between turns.

use std::time::Instant;

use dalsegno_explicit::flood::emptiness::{self, Checked, Verdict};
use dalsegno_explicit::flood::{Lost, explore, local};
use dalsegno_explicit::moves::Moves;
use dalsegno_explicit::size::Size;
use dalsegno_kripke::{Budget, DeadEnds, Stop};

use super::automaton::{Halt, Wanted};
use super::{Method, Tool};
use crate::answer::{Answer, Cost, Evidence, Used, Value};
use crate::board::Board;
use crate::question::Question;
use crate::slice::Slice;
use crate::survey::Survey;

/// The method.
pub(crate) struct Floods;

impl Method for Floods {
    fn tool(&self) -> Tool {
        Tool::Flood
    }

    fn suits(&self, board: &Board<'_>, question: &Question) -> bool {
        let settings = board.settings();
        match question {
            Question::Survey => true,
            Question::Linear(_) | Question::Automaton(_) => {
                // A product without end is never explored; who asks for it may try.
                let variables = board.problem().model().variables();
                let bounded = variables.iter().all(|v| v.bounds.proved.is_some());
                let limited = settings.search.depth.is_some() || settings.search.nodes.is_some();
                // A cycle that OWCTY finds need not be fair.
                let fair = !question.fairness().is_none();
                !limited && !fair && (bounded || settings.emptiness.is_some())
            }
            _ => false,
        }
    }

    fn advance(&mut self, board: &Board<'_>, open: &[usize], slice: &Slice) -> Result<(), Stop> {
        let mut shares = slice.shares(open.len());
        let mut last = Ok(());
        for &number in open {
            let budget = shares.next().limit_states(slice.work);
            slice.budget.check()?;
            let tried = match board.question(number) {
                Question::Survey => survey(board, number, slice.threads, &budget),
                question => check(board, number, &question, slice.threads, &budget),
            };
            if let Err(stop) = tried {
                board.tried(number, stop, None);
                last = Err(stop);
            }
        }
        last
    }

    fn bytes(&self) -> u64 {
        0
    }

    fn release(&mut self) {}
}

/// What one of so many workers may take.
fn share(budget: &Budget, workers: usize) -> Budget {
    match budget.bytes() {
        Some(bytes) => budget.clone().with_bytes(bytes / workers as u64),
        None => budget.clone(),
    }
}

/// The result of all workers, which is the same for all.
fn first<T>(all: Vec<Result<T, Lost>>) -> Result<T, Lost> {
    let mut all: Vec<T> = all.into_iter().collect::<Result<_, _>>()?;
    Ok(all.swap_remove(0))
}

/// Counts states and transitions.
fn survey(board: &Board<'_>, number: usize, workers: usize, budget: &Budget) -> Result<(), Stop> {
    let started = Instant::now();
    let model = board.problem().model();
    let budget = share(budget, workers);
    let seen = local::run(workers, |crew| explore::explore(crew, model, &budget)).and_then(first);
    let seen = match seen {
        Ok(seen) => seen,
        Err(lost) => {
            board.failed(number, Tool::Flood, lost.into());
            return Ok(());
        }
    };
    let mut seen = Survey::explicit(board.problem(), seen, Tool::Flood);
    seen.time = started.elapsed();
    if let Some(stop) = seen.stop() {
        board.saw_part(number, seen);
        return Err(stop);
    }
    let seen = seen.with_bound(board.problem());
    let answer = Answer::new(Value::Survey(Box::new(seen)), Tool::Flood);
    board.answer(number, answer);
    Ok(())
}

/// Checks one property, and answers it if that is possible.
fn check(
    board: &Board<'_>,
    number: usize,
    question: &Question,
    workers: usize,
    budget: &Budget,
) -> Result<(), Stop> {
    let settings = board.settings();
    let wanted = Wanted::new(question, settings, true);
    let (Some(wanted), Some(dead_ends)) = (wanted, question.dead_ends()) else {
        return Ok(());
    };
    let negation = match board.negation(question, wanted, budget) {
        Ok(negation) => negation,
        Err(Halt::Stop(stop)) => return Err(stop),
        Err(Halt::Error(error)) => {
            board.failed(number, Tool::Flood, error);
            return Ok(());
        }
    };
    let model = board.problem().model();
    let (predicates, observer) = (negation.predicates.clone(), negation.observer.clone());
    let used = Used {
        states: observer.len(),
        ..negation.used.clone()
    };
    let moves = Moves::new(model, predicates, observer, dead_ends);
    // As for the depth-first search: where the beginning of a run is enough.
    let mut prefixes = settings.automaton.is_none()
        && matches!(question, Question::Linear(_))
        && dead_ends == DeadEnds::Stutter
        && !settings.lasso
        && !settings.product_size;
    let budget = share(budget, workers);
    loop {
        let checked = local::run(workers, |crew| {
            emptiness::check(crew, model, &moves, prefixes, &budget)
        });
        let checked = match checked.and_then(first) {
            Ok(checked) => checked,
            Err(lost) => {
                board.failed(number, Tool::Flood, lost.into());
                return Ok(());
            }
        };
        let cost = cost(&checked, used.clone(), settings.product_size);
        let evidence = match checked.verdict {
            Verdict::Empty => None,
            Verdict::Accepted(run) => Some(Evidence::Run(run)),
            Verdict::Prefix(path) => match board.is_refuted_by(number, &path) {
                Ok(true) => Some(Evidence::Prefix(path)),
                Ok(false) => {
                    prefixes = false;
                    continue;
                }
                Err(error) => {
                    board.failed(number, Tool::Flood, error);
                    return Ok(());
                }
            },
            Verdict::Unknown(stop) => {
                board.tried(number, stop, Some(cost));
                return Err(stop);
            }
            Verdict::Fault(fault) => {
                board.fault(&[number], Tool::Flood, fault);
                return Ok(());
            }
        };
        let answer = Answer::new(Value::Truth(evidence.is_none()), Tool::Flood);
        board.answer(number, answer.shown_by(evidence).at_cost(cost));
        return Ok(());
    }
}

fn cost(checked: &Checked, automaton: Used, product_size: bool) -> Cost {
    let whole = product_size
        && !matches!(
            checked.verdict,
            Verdict::Prefix(_) | Verdict::Unknown(_) | Verdict::Fault(_)
        );
    Cost {
        bytes: checked.bytes,
        explored: checked.explored,
        automaton: Some(automaton),
        product: whole.then_some(Size {
            states: checked.explored.states,
            transitions: checked.explored.transitions,
        }),
        growing: checked.growing,
        ..Cost::default()
    }
}
