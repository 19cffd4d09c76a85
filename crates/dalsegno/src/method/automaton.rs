//! The automaton of the negation of a property, as a product sees it.

use std::collections::hash_map::Entry;

use dalsegno_automata::bdd::Bdd;
use dalsegno_automata::observer::{Kind, Observer};
use dalsegno_automata::stutter::Invariance;
use dalsegno_automata::translate::Translator;
use dalsegno_automata::{Automaton, TestingAutomaton, lazy_testing::LazyTesting};
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
use crate::question::Property;
use crate::settings::Settings;
use crate::translation::{Propositions, Sizes, alphabet};

/// Automata of negated formulas, each made once.
#[derive(Default)]
pub(super) struct Automata(FxHashMap<Wanted, Negation>);

/// What an automaton depends on; settings may change between calls of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Wanted {
    formula: FormulaId,
    kind: Option<Kind>,
    propositions: Propositions,
}

impl Wanted {
    pub(super) fn new(property: &Property, settings: &Settings) -> Self {
        Wanted {
            formula: property.formula,
            kind: settings.automaton,
            propositions: settings.propositions,
        }
    }
}

impl Automata {
    /// The automaton of the negation of a property.
    pub(super) fn get(
        &mut self,
        store: &mut FormulaStore,
        property: &Property,
        settings: &Settings,
        budget: &Budget,
    ) -> Result<&Negation, Halt> {
        let wanted = Wanted::new(property, settings);
        match self.0.entry(wanted) {
            Entry::Occupied(made) => Ok(made.into_mut()),
            Entry::Vacant(entry) => {
                let f = property.formula;
                Ok(entry.insert(negation(store, f, &property.atoms, settings, budget)?))
            }
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
