//! Floods: the whole state space, or the whole product with the automaton of a negation, explored by any number of threads,
//! and accepting cycles by OWCTY.
//!
//! For properties that hold, or whose violations a depth-first search has not found with little work. A flood keeps far
//! less of a node than a depth-first search does, so it is also what is left when that runs out of memory. Nothing is kept
//! between turns.

use std::sync::Arc;

use dalsegno_explicit::explore::Summary;
use dalsegno_explicit::flood::emptiness::{self, Checked, Config, Verdict, When};
use dalsegno_explicit::flood::{Crew, Lost, explore};
use dalsegno_explicit::moves::Moves;
use dalsegno_explicit::size::Size;
use dalsegno_kripke::clock::Instant;
use dalsegno_kripke::{Budget, DeadEnds, Model, Stop};

use super::crew::{Failure, Job, run};
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
                let asked = settings.emptiness.is_some() || settings.hosts.is_some();
                !limited && !fair && (bounded || asked)
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

struct Exploring {
    model: Arc<Model>,
    budget: Budget,
}

impl Job for Exploring {
    type Out = Summary;

    fn run<C: Crew>(&self, crew: &mut C) -> Result<Summary, Lost> {
        explore::explore(crew, &self.model, &self.budget)
    }

    fn variant(&self) -> u64 {
        0
    }
}

struct Checking {
    model: Arc<Model>,
    moves: Moves,
    config: Config,
    budget: Budget,
}

impl Job for Checking {
    type Out = Checked;

    fn run<C: Crew>(&self, crew: &mut C) -> Result<Checked, Lost> {
        emptiness::check(crew, &self.model, &self.moves, self.config, &self.budget)
    }

    fn variant(&self) -> u64 {
        1 + u64::from(self.config.prefixes) + 2 * u64::from(self.config.stubborn != When::Never)
    }
}

/// What one of so many workers may take.
fn share(budget: &Budget, workers: usize) -> Budget {
    match budget.bytes() {
        Some(bytes) => budget.clone().with_bytes(bytes / workers as u64),
        None => budget.clone(),
    }
}

/// Counts states and transitions.
fn survey(board: &Board<'_>, number: usize, workers: usize, budget: &Budget) -> Result<(), Stop> {
    let started = Instant::now();
    let job = Exploring {
        model: Arc::clone(board.problem().model()),
        budget: share(budget, workers),
    };
    let seen = match run(board, &Question::Survey, workers, budget, job) {
        Ok(seen) => seen,
        Err(Failure::Stop(stop)) => return Err(stop),
        Err(Failure::Lost(lost)) => {
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
    let Some(dead_ends) = question.dead_ends() else {
        return Ok(());
    };
    let asked = (number, question, true);
    let Some(negation) = board.negation_for(asked, Tool::Flood, budget)? else {
        return Ok(());
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
    // The size of the whole product is not that of a part.
    let stubborn = if settings.por && !settings.product_size {
        When::Paying
    } else {
        When::Never
    };
    loop {
        let job = Checking {
            model: Arc::clone(model),
            moves: moves.clone(),
            config: Config { prefixes, stubborn },
            budget: share(budget, workers),
        };
        let checked = match run(board, question, workers, budget, job) {
            Ok(checked) => checked,
            Err(Failure::Stop(stop)) => return Err(stop),
            Err(Failure::Lost(lost)) => {
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
