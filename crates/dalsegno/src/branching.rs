//! Checking CTL and CTL* properties of a model: all properties of a run share one set of reachable states.
//!
//! `auto` stores the state graph while it is small, and takes diagrams otherwise; if those do not get there in
//! their share of the time, or the model has no encoding, it goes back to storing the graph with all that is left.
//! Diagrams look at the properties in rounds of growing effort, so that a hard one does not keep easy ones waiting.

use std::time::{Duration, Instant};

use dalsegno_automata::branching::{self, Evaluator, StateSets};
use dalsegno_explicit::branching::GraphSets;
use dalsegno_explicit::graph::Graph;
use dalsegno_explicit::space;
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
    /// The time it took since the last answer, or since the beginning.
    pub time: Duration,
    /// The bytes of the tables.
    pub bytes: u64,
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
const FEW_STATES: u64 = 50_000;

/// The share of the time after which `auto` gives diagrams up, in percent.
const SYMBOLIC_SHARE: u32 = 75;

/// The steps of work on diagrams that each property has in a round.
const ROUNDS: [u64; 5] = [1 << 20, 1 << 23, 1 << 26, 1 << 29, u64::MAX];

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
        Engine::Symbolic => run.symbolic(store, budget)?,
        Engine::Auto => run.auto(store, budget)?,
    };
    if let Some(stop) = stopped {
        run.give_up(stop);
    }
    Ok(())
}

/// A property that is not answered yet, with what the structure of the model decides put in.
struct Open {
    number: usize,
    formula: FormulaId,
    atoms: Vec<(PropId, Predicate)>,
}

struct Run<'s, T> {
    session: &'s Session,
    open: Vec<Open>,
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
        let mut share = budget.clone();
        if let Some(left) = budget.time_left() {
            share = share.with_time(left * SYMBOLIC_SHARE / 100);
        }
        let stopped = match self.symbolic(store, &share) {
            Ok(None) => return Ok(None),
            Ok(stopped) => stopped,
            Err(BranchingError::Encoding(_)) => None,
            Err(error) => return Err(error),
        };
        if let Err(stop) = budget.check() {
            return Ok(stopped.or(Some(stop)));
        }
        let last = self.explicit(store, budget)?;
        Ok(last.map(|stop| stopped.unwrap_or(stop)))
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
        self.answer(store, &mut evaluator, Engine::Explicit, &mut |_| bytes)
    }

    fn symbolic(
        &mut self,
        store: &mut FormulaStore,
        budget: &Budget,
    ) -> Result<Option<Stop>, BranchingError> {
        let session = self.session;
        let levels = session.model().variables().len() as u32;
        with_stack(levels, || {
            let mut space = match diagrams::build(session, self.options.order, budget) {
                Ok((space, _)) => space,
                Err(EncodeError::Stopped(stop)) => return Ok(Some(stop)),
                Err(error) => return Err(BranchingError::Encoding(error.to_string())),
            };
            let sets = Backward::new(&mut space, self.options.dead_ends);
            let mut evaluator = Evaluator::new(sets, budget);
            self.answer(store, &mut evaluator, Engine::Symbolic, &mut |sets| {
                sets.space().statistics().peak_bytes
            })
        })
    }

    /// Answers what can be answered, round by round; why something is still open, if it is.
    fn answer<S: StateSets>(
        &mut self,
        store: &mut FormulaStore,
        evaluator: &mut Evaluator<S>,
        engine: Engine,
        bytes: &mut dyn FnMut(&mut S) -> u64,
    ) -> Result<Option<Stop>, BranchingError> {
        for open in &self.open {
            evaluator.tell(open.atoms.iter().cloned());
        }
        let mut stopped = None;
        for steps in ROUNDS {
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
                        let outcome = BranchingOutcome {
                            holds: Ok(holds),
                            engine: Some(engine),
                            satisfying,
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

    fn give_up(&mut self, stop: Stop) {
        for open in std::mem::take(&mut self.open) {
            let outcome = BranchingOutcome {
                holds: Err(stop),
                engine: None,
                satisfying: None,
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
