//! Checking CTL and CTL* properties of a model: all properties of a run share one set of reachable states.
//!
//! `auto` stores the state graph while it is small, and builds diagrams otherwise. Diagrams look at the
//! properties in rounds of growing effort, so that a hard one does not keep easy ones waiting. What is open
//! after the first rounds goes back to a stored graph, if the diagrams have counted few enough states: fixpoints
//! there are linear, and states in irregular sets cost less one by one. If the diagrams do not get there in their
//! share of the time, or the model has no encoding, the graph has all that is left.

use std::time::{Duration, Instant};

use dalsegno_automata::branching::{self, Evaluator, StateSets};
use dalsegno_certify::explanation::{self, Summary};
use dalsegno_explicit::branching::GraphSets;
use dalsegno_explicit::graph::Graph;
use dalsegno_explicit::space;
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
    /// The model cannot take a step.
    #[error(transparent)]
    Model(dalsegno_kripke::Fault),
    /// An explanation does not show the verdict: a defect of this program.
    #[error("internal error: an explanation was refuted: {0}")]
    Certificate(explanation::Error),
    /// The model has no encoding as diagrams.
    #[error("{0}; `--engine explicit` may check it")]
    Encoding(String),
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
    /// Which engine said so; `None` if the structure of the model was enough.
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

/// States that are stored one by one before diagrams are built.
const FEW_STATES: u64 = 100_000;

/// States that are stored one by one if diagrams have counted them and found them hard.
const MANY_STATES: u64 = 30_000_000;

/// The share of the time after which `auto` gives up to build diagrams, in percent.
const SYMBOLIC_SHARE: u32 = 60;

/// The steps of work on diagrams that each property has in a round, before states are counted and after.
const FIRST_ROUNDS: [u64; 2] = [1 << 19, 1 << 22];
const LAST_ROUNDS: [u64; 3] = [1 << 25, 1 << 29, u64::MAX];

/// Checks branching-time properties; `tell` hears each answer as soon as it is known, with the number of its task.
/// Every task is told once.
///
/// # Errors
/// See [`BranchingError`]. Running out of the budget is not an error but an answer.
pub fn check_branching(
    session: &Session,
    store: &mut FormulaStore,
    tasks: &[BranchingTask],
    options: &BranchingOptions,
    budget: &Budget,
    tell: impl FnMut(usize, BranchingOutcome) + Send,
) -> Result<(), BranchingError> {
    for task in tasks {
        branching::check_form(store, task.formula, options.dead_ends)?;
    }
    let open = tasks.iter().enumerate().map(|(number, task)| {
        let (formula, atoms) = decide(session, store, task.formula, &task.atoms);
        Open {
            number,
            formula,
            atoms,
            task,
        }
    });
    let mut run = Run {
        session,
        open: open.collect(),
        options: *options,
        since: Instant::now(),
        tell,
    };
    let stopped = match options.engine {
        Engine::Explicit => run.explicit(store, budget)?,
        Engine::Symbolic => match run.symbolic(store, budget, budget, false)? {
            Built::Answered(stopped) => stopped,
            Built::Not(stop) => Some(stop),
        },
        Engine::Auto => run.auto(store, budget)?,
    };
    if let Some(stop) = stopped {
        run.give_up(stop);
    }
    Ok(())
}

/// The steps of work on diagrams that an explanation may take.
const EXPLAINING: u64 = 1 << 27;

/// What became of an attempt with diagrams.
enum Built {
    /// They were built, and something may still be open for this reason.
    Answered(Option<Stop>),
    /// They were not built.
    Not(Stop),
}

/// The share of the time that a graph has, of which diagrams know that it is not too large, in percent.
const GRAPH_SHARE: u32 = 60;

/// A budget with a share of the time that is left.
fn part_of(budget: &Budget, percent: u32) -> Budget {
    match budget.time_left() {
        Some(left) => budget.clone().with_time(left * percent / 100),
        None => budget.clone(),
    }
}

/// A property that is not answered yet, with what the structure of the model decides put in.
struct Open<'t> {
    number: usize,
    formula: FormulaId,
    atoms: Vec<(PropId, Predicate)>,
    /// What was asked.
    task: &'t BranchingTask,
}

struct Run<'s, T> {
    session: &'s Session,
    open: Vec<Open<'s>>,
    options: BranchingOptions,
    since: Instant,
    tell: T,
}

impl<T: FnMut(usize, BranchingOutcome) + Send> Run<'_, T> {
    /// Why something is still open, if it is.
    fn auto(
        &mut self,
        store: &mut FormulaStore,
        budget: &Budget,
    ) -> Result<Option<Stop>, BranchingError> {
        let few = budget.clone().limit_states(FEW_STATES);
        let stopped = self.explicit(store, &few)?;
        let early = stopped == Some(Stop::States) && budget.check_states(FEW_STATES + 1).is_ok();
        if !early {
            return Ok(stopped);
        }
        let share = part_of(budget, SYMBOLIC_SHARE);
        match self.symbolic(store, &share, budget, true) {
            Ok(Built::Answered(stopped)) => return Ok(stopped),
            Ok(Built::Not(_)) | Err(BranchingError::Encoding(_)) => {}
            Err(error) => return Err(error),
        }
        match budget.check() {
            Ok(()) => self.explicit(store, budget),
            Err(stop) => Ok(Some(stop)),
        }
    }

    fn explicit(
        &mut self,
        store: &mut FormulaStore,
        budget: &Budget,
    ) -> Result<Option<Stop>, BranchingError> {
        let graph = match Graph::build(self.session.model(), budget) {
            Ok(graph) => graph,
            Err(space::Error::Stopped(stop)) => return Ok(Some(stop)),
            Err(space::Error::Fault(fault)) => return Err(BranchingError::Model(fault)),
        };
        let bytes = graph.bytes();
        let sets = GraphSets::new(&graph, self.options.dead_ends, budget);
        let mut evaluator = Evaluator::new(sets, budget);
        let rounds = [u64::MAX];
        let engine = Engine::Explicit;
        self.answer(store, &mut evaluator, engine, &rounds, &mut |_| bytes)
    }

    /// Builds diagrams and asks them; with `change`, what is hard for them is left to a graph, if that is small enough.
    fn symbolic(
        &mut self,
        store: &mut FormulaStore,
        build: &Budget,
        budget: &Budget,
        change: bool,
    ) -> Result<Built, BranchingError> {
        let session = self.session;
        let levels = session.model().variables().len() as u32;
        with_stack(levels, || {
            let mut space = match diagrams::build(session, self.options.order, build) {
                Ok((space, _)) => space,
                Err(EncodeError::Stopped(stop)) => return Ok(Built::Not(stop)),
                Err(error) => return Err(BranchingError::Encoding(error.to_string())),
            };
            space.encoding().rebudget(budget);
            let sets = Backward::new(&mut space, self.options.dead_ends);
            let mut evaluator = Evaluator::new(sets, budget);
            let mut bytes = |sets: &mut Backward<'_, '_>| sets.space().statistics().peak_bytes;
            let engine = Engine::Symbolic;
            let open = self.answer(store, &mut evaluator, engine, &FIRST_ROUNDS, &mut bytes)?;
            if open.is_none() {
                return Ok(Built::Answered(None));
            }
            if change
                && let Some(rest) = graph_budget(&mut evaluator.sets, budget)
                && self.explicit(store, &rest)?.is_none()
            {
                return Ok(Built::Answered(None));
            }
            let open = self.answer(store, &mut evaluator, engine, &LAST_ROUNDS, &mut bytes)?;
            Ok(Built::Answered(open))
        })
    }

    /// Answers what can be answered, round by round; why something is still open, if it is.
    fn answer<S: StateSets>(
        &mut self,
        store: &mut FormulaStore,
        evaluator: &mut Evaluator<S>,
        engine: Engine,
        rounds: &[u64],
        bytes: &mut dyn FnMut(&mut S) -> u64,
    ) -> Result<Option<Stop>, BranchingError> {
        for open in &self.open {
            evaluator.tell(open.atoms.iter().cloned());
        }
        let mut stopped = None;
        for &steps in rounds {
            let mut still_open = Vec::new();
            for open in std::mem::take(&mut self.open) {
                evaluator.sets.grant(steps);
                match evaluator.holds(store, open.formula) {
                    Ok(holds) => {
                        evaluator.sets.grant(u64::MAX);
                        let satisfying = match self.options.sample {
                            Some(most) => satisfying(store, evaluator, open.formula, most),
                            None => None,
                        };
                        let explanation = if self.options.explain {
                            self.explain(store, evaluator, open.task, holds)?
                        } else {
                            None
                        };
                        let outcome = BranchingOutcome {
                            holds: Ok(holds),
                            engine: Some(engine),
                            satisfying,
                            explanation,
                            time: self.since.elapsed(),
                            bytes: bytes(&mut evaluator.sets),
                        };
                        self.since = Instant::now();
                        (self.tell)(open.number, outcome);
                    }
                    Err(branching::Error::Stopped(stop)) => {
                        stopped = Some(stop);
                        still_open.push(open);
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            self.open = still_open;
            if self.open.is_empty() {
                return Ok(None);
            }
        }
        Ok(stopped)
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
        let state = if holds {
            model.initial().first()
        } else {
            match evaluator.failing(store, f) {
                Ok(state) => state,
                Err(branching::Error::Stopped(_)) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
            .and_then(|i| model.initial().get(i))
        };
        let Some(state) = state else {
            return Ok(None);
        };
        evaluator.sets.grant(EXPLAINING);
        let explanation = evaluator.explain(store, f, state);
        evaluator.sets.grant(u64::MAX);
        let explanation = match explanation {
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

    fn give_up(&mut self, stop: Stop) {
        for open in std::mem::take(&mut self.open) {
            let outcome = BranchingOutcome {
                holds: Err(stop),
                engine: None,
                satisfying: None,
                explanation: None,
                time: self.since.elapsed(),
                bytes: 0,
            };
            (self.tell)(open.number, outcome);
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

/// What storing the graph may cost, if the diagrams have few enough states.
fn graph_budget(sets: &mut Backward<'_, '_>, budget: &Budget) -> Option<Budget> {
    let all = sets.all();
    sets.grant(u64::MAX);
    let states: u64 = sets.count(&all).ok()?.parse().ok()?;
    budget.check_states(states).ok()?;
    if states > MANY_STATES {
        return None;
    }
    let mut rest = part_of(budget, GRAPH_SHARE);
    if let Some(bytes) = budget.bytes() {
        let used = sets.space().statistics().bytes;
        rest = rest.with_bytes(bytes.saturating_sub(used));
    }
    Some(rest)
}
