//! The automaton of the runs that a question about all runs must not find, as a product sees it: that of the negation of a
//! formula, or one that was given, or its complement.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use dalsegno_automata::bdd::Bdd;
use dalsegno_automata::effort::Effort;
use dalsegno_automata::hoa::Content;
use dalsegno_automata::observer::{Kind, Observer};
use dalsegno_automata::operations::complement;
use dalsegno_automata::operations::letters::over_letters;
use dalsegno_automata::stutter::Invariance;
use dalsegno_automata::translate::Translator;
use dalsegno_automata::{Automaton, TestingAutomaton, TestingKind, lazy_testing::LazyTesting};
use dalsegno_automata::{tableau, testing_translate};
use dalsegno_kripke::{Budget, Predicate, Stop};
use dalsegno_logic::observe::{Observation, Observed};
use dalsegno_logic::simplify::Simplifier;
use dalsegno_logic::{FormulaId, FormulaStore, PropId};
use rustc_hash::FxHashMap;

use crate::answer::Used;
use crate::error::Error;
use crate::output::Either;
use crate::plan::EAGER_TGTA;
use crate::predicate::predicate;
use crate::question::{AutomatonProperty, Question};
use crate::settings::Settings;
use crate::translation::{Propositions, Sizes, alphabet};

/// Automata of forbidden runs, each made once.
#[derive(Default)]
pub(super) struct Automata(FxHashMap<Wanted, Negation>);

/// What an automaton depends on; settings may change between calls of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Wanted {
    subject: Subject,
    kind: Option<Kind>,
    propositions: Propositions,
    /// Whether only fair runs count, so that livelocks must not be accepted whatever steps they have.
    fair: bool,
}

/// What the automaton is made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Subject {
    Formula(FormulaId),
    /// The address of the automaton that was given, which lives as long as its question, and whether all runs should be
    /// accepted.
    Given(usize, bool),
}

impl Wanted {
    /// The automaton of a question about all runs; none for another question.
    pub(super) fn new(question: &Question, settings: &Settings) -> Option<Self> {
        let subject = match question {
            Question::Linear(property) => Subject::Formula(property.formula),
            Question::Automaton(watched) => {
                Subject::Given(Arc::as_ptr(&watched.file) as usize, watched.all_runs)
            }
            _ => return None,
        };
        Some(Wanted {
            subject,
            kind: settings.automaton,
            propositions: settings.propositions,
            fair: !question.fairness().is_none(),
        })
    }
}

impl Automata {
    /// The automaton of the runs that a question about all runs must not find; with `livelocks`, it may be a TA that was given.
    pub(super) fn get(
        &mut self,
        store: &mut FormulaStore,
        question: &Question,
        wanted: Wanted,
        livelocks: bool,
        settings: &Settings,
        budget: &Budget,
    ) -> Result<&Negation, Halt> {
        match self.0.entry(wanted) {
            Entry::Occupied(made) => Ok(made.into_mut()),
            Entry::Vacant(entry) => Ok(entry.insert(match question {
                Question::Automaton(watched) => given(watched, livelocks, budget)?,
                question => {
                    let Some(property) = question.property() else {
                        return Err(Halt::Stop(Stop::Cancelled));
                    };
                    let f = property.formula;
                    negation(store, f, &property.atoms, settings, budget)?
                }
            })),
        }
    }
}

/// Why there is no automaton.
pub(super) enum Halt {
    /// The budget ran out.
    Stop(Stop),
    /// The formula has none of the kind asked for.
    Error(Error),
}

impl From<testing_translate::Error> for Halt {
    fn from(error: testing_translate::Error) -> Self {
        match error.stop() {
            Some(stop) => Halt::Stop(stop),
            None => Halt::Error(Error::Translation(error)),
        }
    }
}

impl From<tableau::Error> for Halt {
    fn from(error: tableau::Error) -> Self {
        testing_translate::Error::from(error).into()
    }
}

/// An automaton with the meaning of what it observes.
#[derive(Clone)]
pub(super) struct Negation {
    pub(super) observer: Observer,
    pub(super) used: Used,
    pub(super) predicates: Vec<Predicate>,
}

/// The automaton that was given, or its complement if all runs should be accepted.
fn given(watched: &AutomatonProperty, livelocks: bool, budget: &Budget) -> Result<Negation, Halt> {
    let effort = Effort::unlimited(budget);
    let (observer, used) = match &watched.file.content {
        Content::Automaton(a) if watched.all_runs => of_letters(complement(a, &effort)?),
        Content::Automaton(a) => of_letters(a.clone()),
        Content::Testing(t) if watched.all_runs => {
            let a = over_letters(t, &effort).map_err(Halt::Stop)?;
            of_letters(complement(&a, &effort)?)
        }
        Content::Testing(t) => {
            // An observer of changes does not see letters that are not in the alphabet.
            let letters = 1u64.checked_shl(t.propositions.len() as u32);
            let whole = letters == Some(t.alphabet.len() as u64);
            match t.kind {
                TestingKind::Ta if whole && livelocks => testing(t.clone(), Kind::Ta),
                TestingKind::Tgta if whole => testing(t.clone(), Kind::Tgta),
                _ => of_letters(over_letters(t, &effort).map_err(Halt::Stop)?),
            }
        }
    };
    let names = watched.file.propositions();
    let meaning = |name: &String| {
        let at = names.iter().position(|given| given == name);
        at.map_or(Predicate::False, |at| watched.predicates[at].clone())
    };
    let predicates = used.propositions.iter().map(meaning).collect();
    Ok(Negation {
        observer,
        used,
        predicates,
    })
}

fn of_letters(automaton: Automaton) -> (Observer, Used) {
    let kind = Kind::of_automaton(&automaton);
    letters(automaton, kind)
}

/// The automaton of the negation of `f`.
fn negation(
    store: &mut FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
    settings: &Settings,
    budget: &Budget,
) -> Result<Negation, Halt> {
    let (observer, used, observed) = observer(store, f, settings, budget)?;
    let meaning = |name: &String| {
        let found = observed.iter().find(|o| store.name(o.proposition) == name);
        let found = found.expect("automata observe what was asked for");
        predicate(store, found.meaning, atoms)
    };
    let predicates = used.propositions.iter().map(meaning).collect();
    Ok(Negation {
        observer,
        used,
        predicates,
    })
}

/// The observer of the negation of `f`, what it is, and what it observes.
fn observer(
    store: &mut FormulaStore,
    f: FormulaId,
    settings: &Settings,
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
        alphabet: &|_| Ok(Bdd::TRUE),
        budget,
    };
    // Only a TA cannot be made without the answer; other automata stutter less freely.
    let invariant = match settings.automaton {
        Some(Kind::Ta) => invariance.decide(&mut translator, negation)?,
        _ => invariance.try_decide(&mut translator, negation) == Some(true),
    };
    let observation = match settings.propositions {
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
    let (observer, used) = match settings.automaton {
        None | Some(Kind::Tgta) => {
            let unfolding = translator.lazy_tgta(g, invariant)?;
            let a = unfolding.automaton();
            let size = a.letter_count().saturating_mul(a.len() as u64);
            if settings.automaton.is_none() && !unfolding.can_stutter() {
                letters(translator.tgba(g)?, Kind::Tgba)
            } else if size <= EAGER_TGTA {
                testing(translator.tgta(g, invariant)?, Kind::Tgta)
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

/// An automaton over letters of the negation of `f`, with the meanings of its propositions: the smallest one, or a tight
/// one if it is not too large.
pub(crate) fn negation_over_letters(
    store: &mut FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
    tight: bool,
    budget: &Budget,
) -> Option<(Automaton, Vec<Predicate>)> {
    let mut simplifier = Simplifier::new();
    let negation = store.not(f);
    let observation = Observation::of_functions(store, &mut simplifier, negation);
    let names: Vec<PropId> = observation
        .propositions
        .iter()
        .map(|o| o.proposition)
        .collect();
    let automaton = if tight {
        let g = simplifier.simplify(store, observation.formula);
        dalsegno_automata::tight::tight(store, g, &names, budget).ok()??
    } else {
        let mut translator = Translator {
            store,
            simplifier: &mut simplifier,
            propositions: &names,
            alphabet: &|guards| alphabet(guards, &observation.groups),
            budget,
        };
        translator.tgba(observation.formula).ok()?
    };
    let meaning = |name: &String| {
        let mut observed = observation.propositions.iter();
        let found = observed.find(|o| store.name(o.proposition) == name);
        let found = found.expect("automata observe what was asked for");
        predicate(store, found.meaning, atoms)
    };
    let predicates = automaton.propositions.iter().map(meaning).collect();
    Some((automaton, predicates))
}

fn lazy(unfolding: LazyTesting) -> (Observer, Used) {
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
