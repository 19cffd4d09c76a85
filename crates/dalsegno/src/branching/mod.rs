//! Checking CTL and CTL* properties of a model: all properties of a run share one set of reachable states.
//!
//! `auto` stores a growing part of the state graph while it is small. Where that does not decide, a thread goes on with the
//! graph and another builds diagrams: which of the two gets there depends on the model, and each property is answered by
//! the first that knows. Diagrams look at the properties in rounds of growing effort, so that a hard one does not keep easy
//! ones waiting.

mod demand;
mod growing;
#[cfg(test)]
mod tests;

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use dalsegno_automata::branching::{self, Evaluator, StateSets};
use dalsegno_certify::explanation::{self, Summary};
use dalsegno_explicit::partial_graph::PartialGraph;
use dalsegno_explicit::space::Space;
use dalsegno_kripke::explanation::Explanation;
use dalsegno_kripke::{Budget, DeadEnds, Predicate, Stop};
use dalsegno_logic::{FormulaId, FormulaStore, PropId};
use dalsegno_symbolic::ctl::Backward;
use dalsegno_symbolic::encode::EncodeError;
use dalsegno_symbolic::mdd::with_stack;
use dalsegno_symbolic::order::Recipe;
use thiserror::Error;

use crate::check::decide;
use crate::diagrams;
use crate::proofs::{Constants, Shares};
use crate::session::Session;
use crate::survey::Engine;

/// How branching-time properties are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BranchingOptions {
    /// Which engine.
    pub engine: Engine,
    /// What a dead end does.
    pub dead_ends: DeadEnds,
    /// Which order of the levels of diagrams; the one that wins a race if absent.
    pub order: Option<Recipe>,
    /// How many of the states that satisfy a property are told, if they are asked for.
    pub sample: Option<usize>,
    /// Whether verdicts are explained.
    pub explain: bool,
}

impl BranchingOptions {
    /// For CTL: finite maximal paths count.
    #[must_use]
    pub fn ctl() -> Self {
        BranchingOptions {
            engine: Engine::Auto,
            dead_ends: DeadEnds::Finite,
            order: None,
            sample: None,
            explain: true,
        }
    }

    /// For CTL*: dead ends repeat for ever.
    #[must_use]
    pub fn ctl_star() -> Self {
        BranchingOptions {
            dead_ends: DeadEnds::Stutter,
            ..Self::ctl()
        }
    }
}

/// Why there is no answer, not even "unknown".
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum BranchingError {
    /// The formula has no meaning here.
    #[error(transparent)]
    Formula(#[from] branching::Error),
    /// The model cannot take a step; why, in its own names.
    #[error("the model cannot take a step: {1}")]
    Model(dalsegno_kripke::Fault, String),
    /// An explanation does not show the verdict: a defect of this program.
    #[error("internal error: an explanation was refuted: {0}")]
    Certificate(explanation::Error),
}

/// A property and what its propositions mean.
#[derive(Clone, Debug)]
pub struct BranchingTask {
    /// A state formula of CTL or CTL*.
    pub formula: FormulaId,
    /// The meanings of its propositions.
    pub atoms: Vec<(PropId, Predicate)>,
}

/// The answer to a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BranchingOutcome {
    /// Whether all initial states satisfy it, or why that is not known.
    pub holds: Result<bool, Stop>,
    /// Which engine said so, if one did.
    pub engine: Option<Engine>,
    /// The reachable states that satisfy it, if they were asked for and found in time.
    pub satisfying: Option<Satisfying>,
    /// Why, if there is a path to show and it was found in time. It has been checked.
    pub explanation: Option<Explained>,
    /// The time it took since the last answer, or since the beginning.
    pub time: Duration,
    /// The bytes of the tables.
    pub bytes: u64,
}

/// An explanation that has been checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explained {
    /// The explanation.
    pub explanation: Explanation<FormulaId>,
    /// What of it was checked.
    pub summary: Summary,
}

/// The states that satisfy a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Satisfying {
    /// How many there are, in decimal.
    pub count: String,
    /// Some of them.
    pub sample: Vec<Vec<u32>>,
}

/// The share of the time in which the state equation may prove parts of properties constant, in percent.
const PROOF_SHARE: u32 = 10;

/// That time if there is no limit.
const PROOF_TIME: Duration = Duration::from_secs(10);

/// States that are stored one by one before proofs are looked for, and before diagrams are built.
const FEW_STATES: [u64; 2] = [10_000, 100_000];

/// States that are stored one by one beside diagrams.
const MANY_STATES: u64 = 50_000_000;

/// The share of the memory that the graph may take beside diagrams, in percent.
const GRAPH_SHARE: u64 = 40;

/// The steps of work on diagrams that each property has in a round.
const ROUNDS: [u64; 5] = [1 << 19, 1 << 22, 1 << 25, 1 << 29, u64::MAX];

/// The steps of work on diagrams that an explanation may take.
const EXPLAINING: u64 = 1 << 25;

/// What `tell` hears of a task.
pub type Told = Result<BranchingOutcome, BranchingError>;

/// Checks branching-time properties; `tell` hears each answer as soon as it is known, with the number of its task and
/// the owner of the formulas that an explanation speaks of.
/// Every task is told once: its answer, or the error that keeps it from having one. Running out of the budget is not an
/// error but an answer.
pub fn check_branching(
    session: &Session,
    store: &mut FormulaStore,
    tasks: &[BranchingTask],
    options: &BranchingOptions,
    budget: &Budget,
    mut tell: impl FnMut(usize, Told, &FormulaStore) + Send,
) {
    let mut told = vec![false; tasks.len()];
    for (number, task) in tasks.iter().enumerate() {
        if let Err(error) = branching::check_form(store, task.formula, options.dead_ends) {
            told[number] = true;
            tell(number, Err(error.into()), store);
        }
    }
    let questions = tasks.iter().map(|task| {
        let (formula, atoms) = decide(session, store, task.formula, &task.atoms);
        Question {
            formula,
            atoms,
            task,
        }
    });
    let mut run = Run {
        session,
        questions: questions.collect(),
        options: *options,
        board: Mutex::new(Board {
            told,
            failed: tasks.iter().map(|_| None).collect(),
            since: Instant::now(),
            tell,
        }),
    };
    let stopped = match options.engine {
        Engine::Explicit | Engine::Auto => run.by_states(store, budget),
        Engine::Symbolic => {
            run.prove(store, budget);
            run.symbolic(store, budget, None)
        }
    };
    run.give_up(&stopped, store);
}

/// A property with what the structure of the model decides put in.
struct Question<'t> {
    formula: FormulaId,
    atoms: Vec<(PropId, Predicate)>,
    /// What was asked.
    task: &'t BranchingTask,
}

/// Which properties are answered.
struct Board<T> {
    told: Vec<bool>,
    /// The engine that a property is an error for, and the error: that engine is not asked again.
    failed: Vec<Option<(Engine, BranchingError)>>,
    since: Instant,
    tell: T,
}

struct Run<'s, T> {
    session: &'s Session,
    questions: Vec<Question<'s>>,
    options: BranchingOptions,
    board: Mutex<Board<T>>,
}

impl<T: FnMut(usize, Told, &FormulaStore) + Send> Run<'_, T> {
    fn board(&self) -> MutexGuard<'_, Board<T>> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fault(&self, fault: dalsegno_kripke::Fault) -> BranchingError {
        let text = fault.describe(self.session.model());
        BranchingError::Model(fault, text)
    }

    /// The properties that nobody has answered.
    fn open(&self) -> Vec<usize> {
        let board = self.board();
        let told = board.told.iter().enumerate();
        told.filter(|(_, told)| !**told).map(|(i, _)| i).collect()
    }

    /// The properties that nobody has answered and an engine may be asked for.
    fn open_for(&self, engine: Engine) -> Vec<usize> {
        let mut open = self.open();
        let board = self.board();
        let failed = |number: usize| board.failed[number].as_ref();
        open.retain(|&number| failed(number).is_none_or(|(by, _)| *by != engine));
        open
    }

    /// Puts in for open properties what the state equation proves of all states.
    fn prove(&mut self, store: &mut FormulaStore, budget: &Budget) {
        // Where finite paths do not count, a state may have none.
        if self.options.dead_ends == DeadEnds::Ignore {
            return;
        }
        let open = self.open();
        let session = self.session;
        let mut shares = Shares::new(session, budget, PROOF_SHARE, PROOF_TIME, open.len());
        let mut constants = Constants::default();
        for number in open {
            let question = &mut self.questions[number];
            let (f, atoms) = (question.formula, &question.atoms);
            question.formula = constants.put(session, store, f, atoms, &shares.next());
        }
    }

    /// Few states decide most properties. For the others there are proofs, and then more states, beside diagrams if any
    /// engine may be used. Why something is still open, if it is.
    fn by_states(
        &mut self,
        store: &mut FormulaStore,
        budget: &Budget,
    ) -> Result<Option<Stop>, BranchingError> {
        let mut states = Space::new(self.session.model());
        let mut growth = PartialGraph::new(&states);
        for few in FEW_STATES {
            let limited = budget.clone().limit_states(few);
            let stopped = self.explicit(&mut growth, &mut states, store, &limited)?;
            if stopped != Some(Stop::States) || budget.check_states(few + 1).is_err() {
                return Ok(stopped);
            }
            if few == FEW_STATES[0] {
                self.prove(store, budget);
            }
        }
        match self.options.engine {
            Engine::Auto => self.side_by_side(&mut growth, &mut states, store, budget),
            _ => self.explicit(&mut growth, &mut states, store, budget),
        }
    }

    /// Lets the graph grow and builds diagrams.
    fn side_by_side(
        &self,
        growth: &mut PartialGraph,
        states: &mut Space,
        store: &mut FormulaStore,
        budget: &Budget,
    ) -> Result<Option<Stop>, BranchingError> {
        let mut for_graph = budget.part().limit_states(MANY_STATES);
        let mut for_diagrams = budget.part();
        if let Some(bytes) = budget.bytes() {
            let share = bytes / 100 * GRAPH_SHARE;
            for_graph = for_graph.with_bytes(share);
            for_diagrams = for_diagrams.with_bytes(bytes - share);
        }
        let mut copy = store.clone();
        let finish = |result: Result<Option<Stop>, BranchingError>, other: &Budget| {
            if self.open().is_empty() {
                other.cancel_flag().store(true, Ordering::Relaxed);
            }
            result
        };
        let (graph, diagrams) = thread::scope(|scope| {
            let graph = || {
                let stopped = self.explicit(growth, states, &mut copy, &for_graph);
                finish(stopped, &for_diagrams)
            };
            let graph = scope.spawn(graph);
            let diagrams = self.symbolic(store, &for_diagrams, Some(&for_graph));
            let diagrams = finish(diagrams, &for_graph);
            match graph.join() {
                Ok(graph) => (graph, diagrams),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        });
        if self.open().is_empty() {
            return Ok(None);
        }
        match (graph, diagrams) {
            // One may have been cancelled by the other, and the whole has run out of something else.
            (_, Ok(Some(stop))) => Ok(Some(budget.check().err().unwrap_or(stop))),
            (graph, Ok(None)) => graph,
            (stopped, Err(_)) => stopped,
        }
    }

    /// Builds diagrams and asks them. If they have more states than a graph can store, `graph` is cancelled.
    fn symbolic(
        &self,
        store: &mut FormulaStore,
        budget: &Budget,
        graph: Option<&Budget>,
    ) -> Result<Option<Stop>, BranchingError> {
        let levels = self.session.model().variables().len() as u32;
        with_stack(levels, || {
            let mut space = match diagrams::build_merged(self.session, self.options.order, budget) {
                Ok((space, _)) => space,
                Err(EncodeError::Stopped(stop)) => return Ok(Some(stop)),
                Err(EncodeError::Fault(fault)) => return Err(self.fault(fault)),
            };
            if let Some(graph) = graph
                && space.states().is_ok_and(|n| n > MANY_STATES.into())
            {
                graph.cancel_flag().store(true, Ordering::Relaxed);
            }
            let sets = Backward::new(&mut space, self.options.dead_ends);
            let mut evaluator = Evaluator::new(sets, budget);
            let engine = Engine::Symbolic;
            Ok(
                self.answer(store, &mut evaluator, engine, &ROUNDS, &mut |sets| {
                    sets.space().statistics().peak_bytes
                }),
            )
        })
    }

    /// Answers what can be answered, round by round; why something is still open, if it is.
    fn answer<S: StateSets>(
        &self,
        store: &mut FormulaStore,
        evaluator: &mut Evaluator<S>,
        engine: Engine,
        rounds: &[u64],
        bytes: &mut dyn FnMut(&mut S) -> u64,
    ) -> Option<Stop> {
        for question in &self.questions {
            evaluator.tell(question.atoms.iter().cloned());
        }
        let mut stopped = None;
        for &steps in rounds {
            stopped = None;
            for number in self.open_for(engine) {
                // Somebody else may have been faster since the list was made.
                if self.board().told[number] {
                    continue;
                }
                evaluator.sets.grant(steps);
                let answered = self.answer_one(store, evaluator, engine, number, bytes);
                stopped = answered.err().or(stopped);
            }
            if stopped.is_none() {
                break;
            }
        }
        stopped
    }

    /// Answers a property, or takes note of an error, or says why it cannot.
    fn answer_one<S: StateSets>(
        &self,
        store: &mut FormulaStore,
        evaluator: &mut Evaluator<S>,
        engine: Engine,
        number: usize,
        bytes: &mut dyn FnMut(&mut S) -> u64,
    ) -> Result<(), Stop> {
        match self.try_one(store, evaluator, engine, number, bytes) {
            Ok(answered) => answered,
            Err(error) => {
                self.board().failed[number] = Some((engine, error));
                Ok(())
            }
        }
    }

    fn try_one<S: StateSets>(
        &self,
        store: &mut FormulaStore,
        evaluator: &mut Evaluator<S>,
        engine: Engine,
        number: usize,
        bytes: &mut dyn FnMut(&mut S) -> u64,
    ) -> Result<Result<(), Stop>, BranchingError> {
        let question = &self.questions[number];
        let holds = match evaluator.holds(store, question.formula) {
            Ok(holds) => holds,
            Err(branching::Error::Stopped(stop)) => return Ok(Err(stop)),
            Err(error) => return Err(error.into()),
        };
        evaluator.sets.grant(u64::MAX);
        let satisfying = self
            .options
            .sample
            .and_then(|most| satisfying(store, evaluator, question.formula, most));
        let explanation = if self.options.explain {
            self.explain(store, evaluator, question.task, holds)?
        } else {
            None
        };
        let outcome = BranchingOutcome {
            holds: Ok(holds),
            engine: Some(engine),
            satisfying,
            explanation,
            time: Duration::ZERO,
            bytes: bytes(&mut evaluator.sets),
        };
        self.put(number, Ok(outcome), store);
        Ok(Ok(()))
    }

    /// Tells an answer, unless it has been told.
    fn put(&self, number: usize, mut answer: Told, store: &FormulaStore) {
        let mut board = self.board();
        if !std::mem::replace(&mut board.told[number], true) {
            if let Ok(outcome) = &mut answer {
                outcome.time = board.since.elapsed();
            }
            board.since = Instant::now();
            (board.tell)(number, answer, store);
        }
    }

    /// Why the verdict is what it is, if a path can show that; checked.
    fn explain<S: StateSets>(
        &self,
        store: &mut FormulaStore,
        evaluator: &mut Evaluator<S>,
        task: &BranchingTask,
        holds: bool,
    ) -> Result<Option<Explained>, BranchingError> {
        let model = self.session.model();
        let f = task.formula;
        evaluator.sets.grant(EXPLAINING);
        let explained = match evaluator.failing(store, f) {
            Ok(failing) => {
                debug_assert_eq!(failing.is_none(), holds, "the verdict is the verdict");
                evaluator.explain(store, f, &model.initial()[failing.unwrap_or(0)])
            }
            Err(error) => Err(error),
        };
        evaluator.sets.grant(u64::MAX);
        let explanation = match explained {
            Ok(explanation) => explanation,
            // The verdict stands without one.
            Err(branching::Error::Stopped(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if !explanation.has_path() {
            return Ok(None);
        }
        let dead_ends = self.options.dead_ends;
        let summary = explanation::check(model, store, &task.atoms, dead_ends, &explanation);
        let summary = summary.map_err(BranchingError::Certificate)?;
        Ok(Some(Explained {
            explanation,
            summary,
        }))
    }

    /// Tells of all that is open why it stays so.
    fn give_up(&self, stopped: &Result<Option<Stop>, BranchingError>, store: &FormulaStore) {
        for number in self.open() {
            let failed = self.board().failed[number].take();
            let answer = match (failed, stopped) {
                (Some((_, error)), _) => Err(error),
                (None, Err(error)) => Err(error.clone()),
                (None, Ok(stop)) => Ok(BranchingOutcome {
                    holds: Err(stop.unwrap_or(Stop::Cancelled)),
                    engine: None,
                    satisfying: None,
                    explanation: None,
                    time: Duration::ZERO,
                    bytes: 0,
                }),
            };
            self.put(number, answer, store);
        }
    }
}

fn satisfying<S: StateSets>(
    store: &mut FormulaStore,
    evaluator: &mut Evaluator<S>,
    f: FormulaId,
    most: usize,
) -> Option<Satisfying> {
    let set = evaluator.states(store, f).ok()?;
    let count = evaluator.sets.count(&set).ok()?;
    let sample = evaluator.sets.sample(&set, most);
    Some(Satisfying { count, sample })
}
