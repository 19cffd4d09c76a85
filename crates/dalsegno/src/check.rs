//! Checking an LTL property of a model with the explicit engine.
//!
//! The negation of the property becomes an automaton, its product with the model is searched for an
//! accepting cycle as it is built, and a run that is found is replayed by `certify` before it is
//! believed.

use std::time::{Duration, Instant};

use dalsegno_automata::bdd::Bdd;
use dalsegno_automata::observer::{Kind, Observer};
use dalsegno_automata::stutter::Invariance;
use dalsegno_automata::testing_translate;
use dalsegno_automata::translate::Translator;
use dalsegno_automata::{Automaton, TestingAutomaton, tableau, unfold::Unfolding};
use dalsegno_certify::replay;
use dalsegno_explicit::emptiness::{self, Explored};
use dalsegno_explicit::product::Product;
use dalsegno_explicit::size::{self, Size};
use dalsegno_explicit::space::{self, Space};
use dalsegno_explicit::witness;
use dalsegno_kripke::{Budget, DeadEnds, Fault, Predicate, Run, Stop, Verdict};
use dalsegno_logic::observe::{Observation, Observed};
use dalsegno_logic::simplify::Simplifier;
use dalsegno_logic::{FormulaId, FormulaStore, PropId};
use thiserror::Error;

use crate::output::Either;
use crate::session::{Session, predicate};
use crate::translation::{Propositions, Sizes, alphabet};

/// How a property is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckOptions {
    /// The kind of automaton; chosen by the formula if there is none.
    pub automaton: Option<Kind>,
    /// What the automaton observes.
    pub propositions: Propositions,
    /// What a dead end does: repeat itself, or end a path that does not count.
    pub dead_ends: DeadEnds,
    /// In which order the search looks at the product, and how far.
    pub search: emptiness::Config,
    /// Whether the whole product is explored after the search, to tell its size.
    pub product_size: bool,
}

impl Default for CheckOptions {
    fn default() -> Self {
        CheckOptions {
            automaton: None,
            propositions: Propositions::Boolean,
            dead_ends: DeadEnds::Stutter,
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
    /// The model cannot take a step.
    #[error(transparent)]
    Model(Fault),
    /// LTL does not know finite paths.
    #[error("`finite` dead ends are for CTL: for LTL take `stutter` or `ignore`")]
    FinitePaths,
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

/// The answer to a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The answer; a run that violates the property has been replayed.
    pub verdict: Verdict<Run>,
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
    let start = Instant::now();
    if options.dead_ends == DeadEnds::Finite {
        return Err(CheckError::FinitePaths);
    }
    let mut outcome = Outcome {
        verdict: Verdict::Holds,
        automaton: None,
        explored: Explored::default(),
        product: None,
        growing: None,
        time: Duration::ZERO,
        bytes: 0,
    };
    // A kind that was asked for is used for the property as it is, so that its sizes mean something.
    let (decided, known) = match options.automaton {
        None => decide(session, store, f, atoms),
        Some(_) => (f, atoms.to_vec()),
    };
    match search(
        session,
        store,
        decided,
        &known,
        *options,
        budget,
        &mut outcome,
        progress,
    ) {
        Ok(()) => {}
        Err(Halt::Stop(stop)) => outcome.verdict = Verdict::Unknown(stop),
        Err(Halt::Error(error)) => return Err(error),
    }
    if let Verdict::Fails(run) = &outcome.verdict {
        replay::refute(session.model(), run, options.dead_ends, store, f, atoms)
            .map_err(CheckError::Certificate)?;
    }
    outcome.time = start.elapsed();
    Ok(outcome)
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
    let decided = store.substitute(f, |store, p| match known.iter().find(|(q, _)| *q == p) {
        Some((_, Predicate::True)) => FormulaId::TRUE,
        Some((_, Predicate::False)) => FormulaId::FALSE,
        _ => store.atom_of(p),
    });
    (decided, known)
}

enum Halt {
    Stop(Stop),
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
            space::Error::Fault(fault) => Halt::Error(CheckError::Model(fault)),
        }
    }
}

#[expect(
    clippy::too_many_arguments,
    reason = "the one place where everything meets"
)]
fn search(
    session: &Session,
    store: &mut FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
    options: CheckOptions,
    budget: &Budget,
    outcome: &mut Outcome,
    progress: impl FnMut(&Explored),
) -> Result<(), Halt> {
    let (mut observer, mut used, observed) = observer(store, f, options, budget)?;
    let meaning = |name: &String| {
        let found = observed.iter().find(|o| store.name(o.proposition) == name);
        predicate(
            store,
            found.expect("automata observe what was asked for").meaning,
            atoms,
        )
    };
    let predicates = used.propositions.iter().map(meaning).collect();
    let space = Space::new(session.model());
    let mut product = Product::new(space, predicates, &mut observer, options.dead_ends);
    let result = rounds(&mut product, options.search, budget, outcome, progress);
    outcome.bytes = product.bytes();
    outcome.growing = product.space().growing();
    if options.product_size && result.is_ok() {
        // The answer stands, whether or not the whole product is too large to be seen.
        outcome.product = size::of(&mut product, budget).ok();
        outcome.bytes = outcome.bytes.max(product.bytes());
    }
    used.states = observer.len();
    outcome.automaton = Some(used);
    outcome.verdict = result?;
    Ok(())
}

/// Searches again and again with larger values, if values may grow for ever, until one search is enough.
///
/// A depth-first search of an infinite product may follow one growing run for ever, whatever there is
/// elsewhere. Values of a few bits make finitely many states, every run that repeats itself is among them
/// for some number of bits, and where the first number leaves nothing out, nothing is lost.
fn rounds(
    product: &mut Product<'_, '_>,
    config: emptiness::Config,
    budget: &Budget,
    outcome: &mut Outcome,
    mut progress: impl FnMut(&Explored),
) -> Result<Verdict<Run>, space::Error> {
    let model = product.space().model();
    let bounded = model.variables().iter().all(|v| v.bound.is_some());
    let largest = model.initial().iter().flatten().max().copied().unwrap_or(0);
    let largest = 32 - largest.leading_zeros();
    let mut bits = (!bounded).then_some((largest + 1).max(FIRST_BITS));
    loop {
        let config = emptiness::Config { bits, ..config };
        let before = outcome.explored;
        let result = emptiness::check(product, &config, budget, |seen| {
            progress(&before.and(seen));
        });
        let search = match result {
            Ok(search) => search,
            Err((error, seen)) => {
                outcome.explored = before.and(&seen);
                return Err(error);
            }
        };
        outcome.explored = before.and(&search.explored);
        if let Some(accepting) = &search.accepting {
            return witness::run(product, accepting, &search.visited, budget).map(Verdict::Fails);
        }
        if search.complete {
            return Ok(Verdict::Holds);
        }
        bits = match bits {
            Some(bits) if product.is_pruned() => Some(bits + 1).filter(|&bits| bits < 32),
            // The limit of depth cut something off.
            _ => return Ok(Verdict::Unknown(Stop::States)),
        };
    }
}

/// The values that are tried first, in bits, where no bounds are known: most such nets have bounds all
/// the same, and small ones.
const FIRST_BITS: u32 = 3;

/// The observer of the negation of `f`, what it is, and what it observes.
fn observer(
    store: &mut FormulaStore,
    f: FormulaId,
    options: CheckOptions,
    budget: &Budget,
) -> Result<(Observer, Used, Vec<Observed>), Halt> {
    let mut simplifier = Simplifier::new();
    let mut invariance = Invariance::default();
    let negation = store.not(f);
    let raw: Vec<PropId> = store.propositions(f);
    let mut translator = Translator {
        store,
        simplifier: &mut simplifier,
        propositions: &raw,
        alphabet: &|_| Bdd::TRUE,
        budget,
    };
    let invariant = invariance.decide(&mut translator, negation)?;
    let observation = match options.propositions {
        Propositions::Raw => Observation::of_atoms(store, negation),
        Propositions::Boolean => Observation::of_functions(store, &mut simplifier, negation),
    };
    let names: Vec<PropId> = observation
        .propositions
        .iter()
        .map(|o| o.proposition)
        .collect();
    let mut translator = Translator {
        store,
        simplifier: &mut simplifier,
        propositions: &names,
        alphabet: &|guards| alphabet(guards, &observation.groups),
        budget,
    };
    let g = observation.formula;
    let (observer, used) = match options.automaton {
        None | Some(Kind::Tgta) => {
            let unfolding = translator.lazy_tgta(g, invariant, &mut invariance)?;
            let a = unfolding.automaton();
            let size = a.letter_count().saturating_mul(a.len() as u64);
            if options.automaton.is_none() && !unfolding.can_stutter() {
                letters(translator.tgba(g)?, Kind::Tgba)
            } else if size <= MAX_EAGER {
                testing(translator.tgta(g, invariant, &mut invariance)?, Kind::Tgta)
            } else {
                lazy(unfolding)
            }
        }
        Some(Kind::Tgba) => letters(translator.tgba(g)?, Kind::Tgba),
        Some(Kind::Ba) => letters(translator.ba(g)?, Kind::Ba),
        Some(Kind::Ta) => testing(translator.ta(g, invariant)?, Kind::Ta),
    };
    Ok((observer, used, observation.propositions))
}

/// A TGTA with no more pairs of states and letters is unfolded and reduced before the search: its
/// product is smaller, and the reduction takes milliseconds.
const MAX_EAGER: u64 = 256;

fn lazy(unfolding: Unfolding) -> (Observer, Used) {
    let a = unfolding.automaton();
    // The states are counted when the search is over: a lazy automaton grows with it.
    let used = Used {
        kind: Kind::Tgta,
        states: 0,
        edges: None,
        transitions: None,
        acceptance_sets: a.acceptance_sets,
        propositions: a.propositions.clone(),
        lazy: true,
    };
    (Observer::lazy(unfolding), used)
}

fn testing(automaton: TestingAutomaton, kind: Kind) -> (Observer, Used) {
    let sizes = Sizes::of(Either::Changes(&automaton));
    let used = used(kind, sizes, &automaton.propositions);
    (Observer::of_testing(automaton), used)
}

fn letters(automaton: Automaton, kind: Kind) -> (Observer, Used) {
    let sizes = Sizes::of(Either::Letters(&automaton));
    let used = used(kind, sizes, &automaton.propositions);
    (Observer::new(automaton), used)
}

fn used(kind: Kind, sizes: Sizes, propositions: &[String]) -> Used {
    Used {
        kind,
        states: sizes.states,
        edges: Some(sizes.edges),
        transitions: Some(sizes.transitions),
        acceptance_sets: sizes.acceptance_sets,
        propositions: propositions.to_vec(),
        lazy: false,
    }
}
