//! Runs inside of runs: questions that are asked of another model than the one that was given.
//!
//! The inner run has methods, a store and facts of its own, since its model is another one: one whose states show steps
//! (`step_run.rs`), or a reduced net (`reduced_run.rs`). Its answers are lifted, and certified once more on the model and the
//! question that were given.

use dalsegno_kripke::{Budget, Lift, Replay, ReplayError, Step};

use crate::answer::{Answer, Evidence, Reduction, Value};
use crate::board::Board;
use crate::driver::Extent;
use crate::event::{Answered, Event};
use crate::lifted_explanation;
use crate::question::{Global, Question};
use crate::quotient_run::FromQuotient;
use crate::run::Run;
use crate::settings::{Engine, Reductions, Settings};

/// Why an explanation of a formula about steps is not told.
const BITS: &str = "paths are not told of formulas of branching time that speak of steps";

/// Why an explanation on a reduced net is not told.
const REDUCED: &str =
    "the answer was found on a reduced net, of which no explanation is one of the given net";

/// How answers are those of the model that was given.
pub(crate) enum How {
    /// States lose their bits, and copies of a group become that group.
    Steps(Lift),
    /// Runs are replayed.
    Reduced(Box<FromReduced>),
    /// Tokens are counted per class of colours.
    Quotient(Box<FromQuotient>),
    /// Markings stand for those with other colours.
    Orbits(Box<FromQuotient>),
}

/// What leads from a reduced net back.
pub(crate) struct FromReduced {
    pub(crate) replay: Replay,
    pub(crate) told: Reduction,
    /// For each question, what constant places add to a sum.
    pub(crate) constants: Vec<u64>,
}

/// A run about another model.
pub(crate) struct InnerRun {
    run: Run,
    how: How,
    /// The numbers of its questions on the board.
    numbers: Vec<usize>,
}

impl InnerRun {
    /// A run whose questions have these numbers on the board.
    pub(crate) fn new(run: Run, how: How, numbers: Vec<usize>) -> Self {
        InnerRun { run, how, numbers }
    }

    /// How many of its questions are open.
    pub(crate) fn open(&self, board: &Board<'_>) -> usize {
        self.numbers.iter().filter(|&&n| board.is_open(n)).count()
    }

    /// The size of its net, if that is a reduced one.
    pub(crate) fn reduced_size(&self) -> Option<usize> {
        match &self.how {
            How::Reduced(from) => Some(from.told.places.1 + from.told.transitions.1),
            How::Steps(_) | How::Quotient(_) | How::Orbits(_) => None,
        }
    }

    /// The numbers of its questions on the board.
    pub(crate) fn numbers(&self) -> &[usize] {
        &self.numbers
    }

    /// Whether it answers a question.
    pub(crate) fn has(&self, number: usize) -> bool {
        self.numbers.contains(&number)
    }

    /// The bytes that it holds.
    pub(crate) fn bytes(&mut self) -> u64 {
        self.run.held_bytes()
    }

    /// Gives up what it holds.
    pub(crate) fn release(&mut self) {
        self.run.release();
    }

    /// Answers what is open, as long as the budget lasts.
    pub(crate) fn advance(&mut self, board: &Board<'_>, extent: Extent, budget: &Budget) {
        let numbers = self.numbers.clone();
        let settings = board.settings();
        *self.run.settings_mut() = match self.how {
            How::Steps(_) => settings.clone(),
            How::Reduced(_) => reduced_settings(settings),
            How::Quotient(_) => quotient_settings(settings),
            How::Orbits(_) => orbits_settings(settings),
        };
        for (inner, &number) in numbers.iter().enumerate() {
            if !board.is_open(number) {
                self.run.withdraw(inner);
            }
        }
        let how = &self.how;
        let mut hear = |event: &Event<'_>| match event {
            Event::Answer(answered) => how.answer(board, numbers[answered.number], answered),
            Event::Begins(tool, open) => {
                let open: Vec<usize> = open.iter().map(|&n| numbers[n]).collect();
                board.tell(&Event::Begins(*tool, &open));
            }
            event => board.tell(event),
        };
        let answered = self.run.follow(extent, budget, &mut hear);
        debug_assert!(answered.is_ok(), "the model needs no unfolding");
        for (inner, &number) in numbers.iter().enumerate() {
            if board.is_open(number) {
                let answer = self.run.answer_to(inner);
                let smaller = !matches!(self.how, How::Steps(_));
                match answer.value {
                    // What fails on a reduced net may be answered on the one that was given.
                    Value::Error(_) if smaller => {}
                    Value::Error(error) => board.error(number, error),
                    Value::Unknown(stop) => board.tried(number, stop, Some(answer.cost)),
                    // It was told, unless its evidence has to be shown and cannot be.
                    Value::Truth(_) | Value::Bound(_) | Value::Survey(_) => {}
                }
            }
        }
    }
}

impl How {
    /// Tells an answer of the inner run as soon as it is known, with evidence of the model that was given, where that is
    /// certified.
    fn answer(&self, board: &Board<'_>, number: usize, answered: &Answered<'_>) {
        if !board.is_open(number) {
            return;
        }
        if let How::Quotient(from) | How::Orbits(from) = self {
            return from.answer(board, number, answered);
        }
        let found = answered.answer;
        if matches!(found.value, Value::Truth(_) | Value::Bound(_))
            && let Some(answer) = self.lifted(answered.number, found.clone(), board, number)
        {
            board.answer(number, answer);
        }
    }

    /// An answer with evidence of the model that was given; `None` if its evidence has to be shown and cannot be.
    fn lifted(
        &self,
        inner: usize,
        mut answer: Answer,
        board: &Board<'_>,
        number: usize,
    ) -> Option<Answer> {
        let evidence = answer.evidence.take();
        answer.truth = None;
        answer.automaton_run = None;
        answer.cost.satisfying = None;
        answer.cost.growing = None;
        match self {
            // They tell answers themselves.
            How::Quotient(_) | How::Orbits(_) => return None,
            How::Steps(lift) => {
                answer.evidence = evidence.and_then(|evidence| {
                    let lifted = without_bits(lift, evidence);
                    if lifted.is_none() {
                        answer.unshown = Some(BITS);
                    }
                    lifted
                });
            }
            How::Reduced(from) => {
                answer.cost.reduction = Some(from.told.clone());
                answer.shortest = false;
                answer.unshown = None;
                if let Value::Bound(Some(most)) = &mut answer.value {
                    *most += from.constants[inner];
                }
                let model = board.problem().model();
                let question = board.question(number);
                let wanted = board.settings().evidence;
                let lifted = evidence.map(|evidence| match evidence {
                    Evidence::Explanation(explained) => {
                        let lifted = lifted_explanation::lifted(from, board, number, &explained);
                        Ok(lifted.map(|e| Evidence::Explanation(Box::new(e))))
                    }
                    evidence => replayed(from, &question, model, evidence),
                });
                match lifted {
                    Some(Ok(Some(evidence))) => answer.evidence = Some(evidence),
                    Some(Ok(None)) => answer.unshown = wanted.then_some(REDUCED),
                    // A cycle along which an unobserved place grows is none of the given net.
                    Some(Err(_)) if wanted => return None,
                    Some(Err(_)) | None => {}
                }
            }
        }
        Some(answer)
    }
}

/// What an inner run about a reduced net is asked for: answers, and whole runs that can be replayed.
fn reduced_settings(settings: &Settings) -> Settings {
    Settings {
        reductions: Reductions::Off,
        proofs: false,
        automaton_run: false,
        details: false,
        lasso: settings.lasso || settings.evidence,
        ..settings.clone()
    }
}

/// What an inner run about a quotient is asked for: answers.
fn quotient_settings(settings: &Settings) -> Settings {
    Settings {
        proofs: false,
        automaton_run: false,
        details: false,
        ..settings.clone()
    }
}

/// What an inner run about representatives of markings is asked for: answers that are found marking by marking.
fn orbits_settings(settings: &Settings) -> Settings {
    Settings {
        engine: Engine::Explicit,
        ..reduced_settings(settings)
    }
}

/// Evidence without the bits that show steps; explanations speak of bits that the given model does not have.
fn without_bits(lift: &Lift, evidence: Evidence) -> Option<Evidence> {
    let lift_steps = |steps: &mut [Step]| {
        for step in steps {
            step.state.truncate(lift.variables().len());
            step.group = step.group.map(|group| lift.groups(group)[0]);
        }
    };
    match evidence {
        Evidence::Run(mut run) => {
            lift_steps(&mut run.stem);
            lift_steps(&mut run.cycle);
            Some(Evidence::Run(run))
        }
        Evidence::Prefix(mut path) => {
            lift_steps(&mut path);
            Some(Evidence::Prefix(path))
        }
        Evidence::Path(_) | Evidence::Explanation(_) => None,
    }
}

/// Evidence replayed on the given net; `None` if that cannot be done for evidence of its kind.
fn replayed(
    from: &FromReduced,
    question: &Question,
    model: &dalsegno_kripke::Model,
    evidence: Evidence,
) -> Result<Option<Evidence>, ReplayError> {
    Ok(match evidence {
        Evidence::Run(run) => Some(Evidence::Run(from.replay.run(&run, model)?)),
        Evidence::Path(path) if matches!(question, Question::Global(Global::Deadlock)) => {
            Some(Evidence::Path(from.replay.path_to_dead_end(&path, model)?))
        }
        Evidence::Path(path) => Some(Evidence::Path(from.replay.path(&path, model)?)),
        // A prefix is one of the formula as passes have made it, which may need more to be refuted.
        Evidence::Prefix(_) | Evidence::Explanation(_) => None,
    })
}
