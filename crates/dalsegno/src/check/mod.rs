//! Checking an LTL property of a model.
//!
//! The negation of the property becomes an automaton, and its product with the model is searched for an
//! accepting cycle: state by state as it is built, or as sets of states. A run that is found is
//! replayed by `certify` before it is believed.

mod automaton;
mod explicit;
mod symbolic;

use std::time::{Duration, Instant};

use dalsegno_automata::observer::Kind;
use dalsegno_automata::{tableau, testing_translate};
use dalsegno_certify::replay;
use dalsegno_explicit::emptiness::{self, Explored};
use dalsegno_explicit::size::Size;
use dalsegno_explicit::space;
use dalsegno_kripke::{Budget, DeadEnds, Fault, Model, Predicate, Run, Step, Stop, Verdict};
use dalsegno_logic::{FormulaId, FormulaStore, PropId};
use dalsegno_symbolic::ltl::Saturation;
use dalsegno_symbolic::order::Recipe;
use thiserror::Error;

use crate::proofs::{Constants, Shares};
use crate::session::Session;
use crate::survey::Engine;
use crate::translation::Propositions;
use automaton::Negation;
use rustc_hash::FxHashMap;

/// How a property is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckOptions {
    /// The kind of automaton; chosen by the formula if there is none.
    pub automaton: Option<Kind>,
    /// What the automaton observes.
    pub propositions: Propositions,
    /// What a dead end does: repeat itself, or end a path that does not count.
    pub dead_ends: DeadEnds,
    /// Which engine searches.
    pub engine: Engine,
    /// How diagrams are saturated.
    pub saturation: Saturation,
    /// Which order of the levels diagrams have; the one that wins a race if absent.
    pub order: Option<Recipe>,
    /// Whether a short run is wanted, which takes time of its own. Without it diagrams tell none, and the
    /// explicit search tells the path on which it ended, or only the beginning of a run that is enough.
    pub witness: bool,
    /// How many states diagrams look at one by one for a run, before it is told from sets.
    pub near: usize,
    /// In which order the search looks at the product, and how far.
    pub search: emptiness::Config,
    /// Whether the whole product is explored after the search, to tell its size; diagrams tell the share
    /// of stuttering transitions instead.
    pub product_size: bool,
}

impl Default for CheckOptions {
    fn default() -> Self {
        CheckOptions {
            automaton: None,
            propositions: Propositions::Boolean,
            dead_ends: DeadEnds::Stutter,
            engine: Engine::Auto,
            saturation: Saturation::default(),
            order: None,
            witness: true,
            near: dalsegno_symbolic::ltl::NEAR,
            search: emptiness::Config::default(),
            product_size: false,
        }
    }
}

/// Why there is no answer, not even "unknown".
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CheckError {
    /// The formula has no automaton of the kind asked for.
    #[error(transparent)]
    Translation(testing_translate::Error),
    /// The model cannot take a step; why, in its own names.
    #[error("the model cannot take a step: {1}")]
    Model(Fault, String),
    /// LTL does not know finite paths.
    #[error("`finite` dead ends are for CTL: for LTL take `stutter` or `ignore`")]
    FinitePaths,
    /// Diagrams are for acceptance by marks.
    #[error("the symbolic engine takes tgba, ba and tgta: for a ta take `--engine explicit`")]
    Livelocks,
    /// The run found is none, or does not violate the property: a defect of this program.
    #[error("internal error: a counterexample did not replay: {0}")]
    Certificate(replay::Error),
}

/// The automaton that was used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Used {
    /// Its kind.
    pub kind: Kind,
    /// Its states; of a lazy automaton, those that were needed.
    pub states: usize,
    /// Its edges, unless it is lazy: those that were not needed are not known.
    pub edges: Option<usize>,
    /// Its transitions, as its kind counts them, unless it is lazy.
    pub transitions: Option<u64>,
    /// Its acceptance sets.
    pub acceptance_sets: u32,
    /// What it observes.
    pub propositions: Vec<String>,
    /// Whether it was computed as far as needed only.
    pub lazy: bool,
}

/// What diagrams took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiagramUse {
    /// The order of the levels.
    pub order: Recipe,
    /// The pairs of an automaton state and a letter that were reached.
    pub keys: usize,
    /// The nodes at the end.
    pub nodes: usize,
    /// The most nodes at a time.
    pub peak_nodes: usize,
    /// The time until the reachable states were there; they are shared by all properties.
    pub built: Duration,
    /// The time that the search in the product took.
    pub search: Duration,
    /// The time that the run took.
    pub telling: Duration,
    /// The share of the model's transitions that change nothing that the automaton observes, in
    /// millionths, if the size of the product was asked for.
    pub stuttering: Option<u32>,
}

/// The answer to a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The answer; a run that violates the property has been replayed.
    pub verdict: Verdict<Run>,
    /// The engine that gave it.
    pub engine: Engine,
    /// Whether the property is known to fail; if the answer is unknown all the same, there was no
    /// time for a run that shows it.
    pub refuted: bool,
    /// The beginning of a run that no future can mend, if there is that and no run; it has been replayed.
    pub prefix: Option<Vec<Step>>,
    /// What diagrams took, if they gave the answer.
    pub diagrams: Option<DiagramUse>,
    /// The automaton of the negation, if there was time to make it.
    pub automaton: Option<Used>,
    /// What the search looked at.
    pub explored: Explored,
    /// The size of the whole product, if it was asked for and there was enough time and memory.
    pub product: Option<Size>,
    /// A variable that grew during the search and has no known bound.
    pub growing: Option<usize>,
    /// The time it took.
    pub time: Duration,
    /// The bytes of the tables.
    pub bytes: u64,
}

/// Checks whether all runs of the model satisfy the LTL formula `f`, whose propositions mean `atoms`.
///
/// # Errors
/// See [`CheckError`]. Running out of the budget is not an error but [`Verdict::Unknown`].
pub fn check_ltl(
    session: &Session,
    store: &mut FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
    options: &CheckOptions,
    budget: &Budget,
    progress: impl FnMut(&Explored),
) -> Result<Outcome, CheckError> {
    Checker::new(session).check_ltl(store, f, atoms, options, budget, progress)
}

/// Product states that are searched one by one before diagrams are built.
const FEW_STATES: u64 = 200_000;

/// The share of the time that they may take, in percent.
const FIRST_SHARE: u32 = 15;

/// The share of the rest after which diagrams are given up, in percent.
const SYMBOLIC_SHARE: u32 = 60;

/// The share of the time in which the state equation may prove parts of a property constant, in percent.
const PROOF_SHARE: u32 = 10;

/// That time if there is no limit.
const PROOF_TIME: Duration = Duration::from_secs(5);

/// The time after which diagrams are given up if there is no limit.
const SYMBOLIC_TIME: Duration = Duration::from_secs(300);

/// How long diagrams look for a run whose beginning is known.
const RUN_TIME: Duration = Duration::from_secs(10);

/// The bytes that diagrams may take if there is no limit: a net may be unbounded.
const SYMBOLIC_BYTES: u64 = 4 << 30;

/// Checks properties of one model, which share its reachable states once these are known as a diagram.
#[derive(Debug)]
pub struct Checker<'s> {
    session: &'s Session,
    shared: symbolic::Shared,
    /// What the state equation has proved.
    constants: Constants,
}

impl<'s> Checker<'s> {
    /// A checker that knows nothing yet.
    #[must_use]
    pub fn new(session: &'s Session) -> Self {
        Checker {
            session,
            shared: symbolic::Shared::default(),
            constants: Constants::default(),
        }
    }

    /// Builds the reachable states as a diagram, unless they are there; whether they are now.
    pub fn prepare(&mut self, order: Option<Recipe>, budget: &Budget) -> bool {
        self.shared.prepare(self.session, order, budget)
    }

    /// Looks for atoms and Boolean parts of a formula that are the same in all reachable states; checks to
    /// come know them.
    pub(crate) fn prove(
        &mut self,
        store: &mut FormulaStore,
        f: FormulaId,
        atoms: &[(PropId, Predicate)],
        budget: &Budget,
    ) {
        let (decided, known) = decide(self.session, store, f, atoms);
        let constants = &mut self.constants;
        constants.put(self.session, store, decided, &known, budget);
    }

    /// Checks whether all runs of the model satisfy the LTL formula `f`, whose propositions mean
    /// `atoms`.
    ///
    /// # Errors
    /// See [`CheckError`]. Running out of the budget is not an error but [`Verdict::Unknown`].
    pub fn check_ltl(
        &mut self,
        store: &mut FormulaStore,
        f: FormulaId,
        atoms: &[(PropId, Predicate)],
        options: &CheckOptions,
        budget: &Budget,
        mut progress: impl FnMut(&Explored),
    ) -> Result<Outcome, CheckError> {
        let start = Instant::now();
        if options.dead_ends == DeadEnds::Finite {
            return Err(CheckError::FinitePaths);
        }
        if options.engine == Engine::Symbolic && options.automaton == Some(Kind::Ta) {
            return Err(CheckError::Livelocks);
        }
        // A kind that was asked for is used for the property as it is, so that its sizes mean something.
        let (decided, known) = match options.automaton {
            None => self.decide(store, f, atoms, budget),
            Some(_) => (f, atoms.to_vec()),
        };
        let mut outcome = Outcome::unknown(Stop::Time);
        let negation = automaton::negation(store, decided, &known, *options, budget);
        let property = Property {
            store,
            // Who wants to see a counterexample wants one of the property as it was asked.
            formula: if options.witness { f } else { decided },
            atoms,
        };
        let ended = negation.and_then(|mut n| {
            self.search(
                &property,
                &mut n,
                *options,
                budget,
                &mut outcome,
                &mut progress,
            )
        });
        match ended {
            Ok(()) => {}
            Err(Halt::Stop(stop)) => outcome.verdict = Verdict::Unknown(stop),
            Err(Halt::Error(error)) => return Err(error),
            // The beginning of a run is an answer, whatever happened to the search for the rest of it.
            Err(Halt::Fault(_)) if outcome.refuted && outcome.prefix.is_some() => {}
            Err(Halt::Fault(fault)) => {
                let text = fault.describe(self.session.model());
                return Err(CheckError::Model(fault, text));
            }
        }
        if let Verdict::Fails(run) = &outcome.verdict {
            let model = self.session.model();
            replay::refute(model, run, options.dead_ends, store, f, atoms)
                .map_err(CheckError::Certificate)?;
            outcome.refuted = true;
            outcome.prefix = None;
        }
        outcome.time = start.elapsed();
        Ok(outcome)
    }

    /// The property with what the net decides put in, by its structure and by the state equation.
    fn decide(
        &mut self,
        store: &mut FormulaStore,
        f: FormulaId,
        atoms: &[(PropId, Predicate)],
        budget: &Budget,
    ) -> (FormulaId, Vec<(PropId, Predicate)>) {
        let (decided, known) = decide(self.session, store, f, atoms);
        let share = Shares::new(self.session, budget, PROOF_SHARE, PROOF_TIME, 1).next();
        let constants = &mut self.constants;
        let proved = constants.put(self.session, store, decided, &known, &share);
        (proved, known)
    }

    fn search(
        &mut self,
        property: &Property<'_>,
        negation: &mut Negation,
        options: CheckOptions,
        budget: &Budget,
        outcome: &mut Outcome,
        progress: &mut dyn FnMut(&Explored),
    ) -> Result<(), Halt> {
        outcome.engine = options.engine;
        match options.engine {
            Engine::Explicit => explicit::search(
                self.session,
                property,
                negation,
                options,
                budget,
                outcome,
                progress,
            ),
            Engine::Symbolic => {
                let shared = &mut self.shared;
                symbolic::search(self.session, shared, negation, options, budget, outcome)
            }
            Engine::Auto => self.auto(property, negation, options, budget, outcome, progress),
        }
    }

    /// State by state while that is quick, then diagrams, then state by state to the end; but not to the end
    /// for a run whose beginning is known.
    fn auto(
        &mut self,
        property: &Property<'_>,
        negation: &mut Negation,
        options: CheckOptions,
        budget: &Budget,
        outcome: &mut Outcome,
        progress: &mut dyn FnMut(&Explored),
    ) -> Result<(), Halt> {
        let engine = |engine| CheckOptions { engine, ..options };
        let explicit = engine(Engine::Explicit);
        // Who counts or limits states wants them one by one.
        let counts = options.product_size || options.search.depth.is_some();
        if negation.used.kind == Kind::Ta || counts || budget.states().is_some() {
            return self.search(property, negation, explicit, budget, outcome, progress);
        }
        let mut first = budget.clone().limit_states(FEW_STATES);
        if let Some(left) = budget.time_left() {
            first = first.with_time(left * FIRST_SHARE / 100);
        }
        let tried = self.search(property, negation, explicit, &first, outcome, progress);
        if !gave_up(&tried, outcome) || (outcome.prefix.is_some() && !options.witness) {
            return tried;
        }
        budget.check().map_err(Halt::Stop)?;
        let time = budget.time_left().map(|left| left * SYMBOLIC_SHARE / 100);
        let mut time = time.unwrap_or(SYMBOLIC_TIME);
        if outcome.prefix.is_some() {
            time = time.min(RUN_TIME);
        }
        let share = budget.clone().with_time(time);
        let share = share.with_bytes(budget.bytes().unwrap_or(SYMBOLIC_BYTES));
        let seen = outcome.explored;
        let symbolic = engine(Engine::Symbolic);
        let tried = self.search(property, negation, symbolic, &share, outcome, progress);
        if matches!(tried, Ok(()) if outcome.verdict.holds().is_some()) {
            return Ok(());
        }
        outcome.explored = seen;
        if outcome.prefix.is_some() {
            outcome.engine = Engine::Explicit;
            outcome.refuted = true;
            return tried;
        }
        self.search(property, negation, explicit, budget, outcome, progress)
    }
}

/// Whether a search ended without an answer because of its limits.
fn gave_up(result: &Result<(), Halt>, outcome: &Outcome) -> bool {
    match result {
        Ok(()) => outcome.verdict.holds().is_none(),
        Err(Halt::Stop(_)) => true,
        Err(Halt::Error(_) | Halt::Fault(_)) => false,
    }
}

impl Outcome {
    /// No answer yet, and why there would be none.
    fn unknown(stop: Stop) -> Self {
        Outcome {
            verdict: Verdict::Unknown(stop),
            engine: Engine::Auto,
            refuted: false,
            prefix: None,
            diagrams: None,
            automaton: None,
            explored: Explored::default(),
            product: None,
            growing: None,
            time: Duration::ZERO,
            bytes: 0,
        }
    }
}

/// The property with what the structure of the net decides put in; the same on all runs of the model.
pub(crate) fn decide(
    session: &Session,
    store: &mut FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
) -> (FormulaId, Vec<(PropId, Predicate)>) {
    let Some(decider) = session.decider() else {
        return (f, atoms.to_vec());
    };
    let simplify = |(p, meaning): &(PropId, Predicate)| (*p, decider.simplify(meaning));
    let known: Vec<(PropId, Predicate)> = atoms.iter().map(simplify).collect();
    let meanings: FxHashMap<PropId, &Predicate> = known.iter().map(|(p, m)| (*p, m)).collect();
    let decided = store.substitute(f, |store, p| match meanings.get(&p) {
        Some(Predicate::True) => FormulaId::TRUE,
        Some(Predicate::False) => FormulaId::FALSE,
        _ => store.atom_of(p),
    });
    (decided, known)
}

/// A property by which the beginning of a run is judged.
struct Property<'a> {
    store: &'a FormulaStore,
    formula: FormulaId,
    atoms: &'a [(PropId, Predicate)],
}

impl Property<'_> {
    /// Whether every run that begins with a path violates the property.
    fn is_refuted_by(&self, model: &Model, path: &[Step]) -> Result<bool, Halt> {
        match replay::refute_prefix(model, path, self.store, self.formula, self.atoms) {
            Ok(()) => Ok(true),
            Err(replay::Error::NoViolation) => Ok(false),
            Err(error) => Err(Halt::Error(CheckError::Certificate(error))),
        }
    }
}

enum Halt {
    Stop(Stop),
    Fault(Fault),
    Error(CheckError),
}

impl From<testing_translate::Error> for Halt {
    fn from(error: testing_translate::Error) -> Self {
        match error.stop() {
            Some(stop) => Halt::Stop(stop),
            None => Halt::Error(CheckError::Translation(error)),
        }
    }
}

impl From<tableau::Error> for Halt {
    fn from(error: tableau::Error) -> Self {
        testing_translate::Error::from(error).into()
    }
}

impl From<space::Error> for Halt {
    fn from(error: space::Error) -> Self {
        match error {
            space::Error::Stopped(stop) => Halt::Stop(stop),
            space::Error::Fault(fault) => Halt::Fault(fault),
        }
    }
}
