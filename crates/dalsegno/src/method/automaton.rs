//! The automaton of the runs that a question about all runs must not find, as a product sees it: that of the negation of a
//! formula, or one that was given, or its complement.

use std::sync::Arc;

use dalsegno_automata::effort::Effort;
use dalsegno_automata::hoa::Content;
use dalsegno_automata::observer::{Kind, Observer};
use dalsegno_automata::operations::complement;
use dalsegno_automata::operations::letters::over_letters;
use dalsegno_automata::{self as automata, Automaton, LazyTesting};
use dalsegno_automata::{TestingAutomaton, TestingError, TestingKind, Translation};
use dalsegno_kripke::{Budget, Predicate, Stop};
use dalsegno_logic::observe::Observation;
use dalsegno_logic::{FormulaId, FormulaStore, PropId};
use rustc_hash::FxHashMap;

use crate::answer::Used;
use crate::error::Error;
use crate::output::Either;
use crate::plan::EAGER_TGTA;
use crate::predicate::predicate;
use crate::question::{AutomatonProperty, Question};
use crate::settings::Settings;
use crate::translation::{Propositions, Sizes};

/// Automata of forbidden runs, each made once.
pub(crate) type Automata = FxHashMap<Wanted, Arc<Negation>>;

/// What an automaton depends on; settings may change between calls of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Wanted {
    subject: Subject,
    /// Whether it may be a TA that was given.
    livelocks: bool,
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
    /// The automaton of a question about all runs; none for another question. With `livelocks`, it may be a TA that was given.
    pub(crate) fn new(question: &Question, settings: &Settings, livelocks: bool) -> Option<Self> {
        let (subject, livelocks) = match question {
            Question::Linear(property) => (Subject::Formula(property.formula), false),
            Question::Automaton(watched) => {
                let file = Arc::as_ptr(&watched.file) as usize;
                (Subject::Given(file, watched.all_runs), livelocks)
            }
            _ => return None,
        };
        Some(Wanted {
            subject,
            livelocks,
            kind: settings.automaton,
            propositions: settings.propositions,
            fair: !question.fairness().is_none(),
        })
    }
}

/// Why there is no automaton.
pub(crate) enum Halt {
    /// The budget ran out.
    Stop(Stop),
    /// The formula has none of the kind asked for.
    Error(Error),
}

impl From<TestingError> for Halt {
    fn from(error: TestingError) -> Self {
        match error.stop() {
            Some(stop) => Halt::Stop(stop),
            None => Halt::Error(Error::Translation(error)),
        }
    }
}

impl From<automata::Error> for Halt {
    fn from(error: automata::Error) -> Self {
        TestingError::from(error).into()
    }
}

/// An automaton with the meaning of what it observes.
pub(crate) struct Negation {
    pub(crate) observer: Observer,
    pub(crate) used: Used,
    pub(crate) predicates: Vec<Predicate>,
    /// The automaton over letters that a whole testing automaton was made from.
    base: Option<Automaton>,
}

impl Negation {
    /// The automaton of the runs that a question about all runs must not find.
    pub(crate) fn new(
        store: &mut FormulaStore,
        question: &Question,
        wanted: Wanted,
        settings: &Settings,
        budget: &Budget,
    ) -> Result<Self, Halt> {
        match question {
            Question::Automaton(watched) => given(watched, wanted.livelocks, budget),
            question => {
                let Some(property) = question.property() else {
                    return Err(Halt::Stop(Stop::Cancelled));
                };
                negation(store, property.formula, &property.atoms, settings, budget)
            }
        }
    }

    /// The automaton over letters that it is or was made from, if there is one.
    pub(crate) fn over_letters(&self) -> Option<&Automaton> {
        self.base.as_ref().or(self.observer.over_letters())
    }
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
            let letters = 1u64.checked_shl(t.propositions().len() as u32);
            let whole = letters == Some(t.alphabet().len() as u64);
            match t.kind() {
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
        base: None,
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
    let negation = store.not(f);
    let mut translation = match settings.propositions {
        Propositions::Raw => Translation::new(store, negation, budget),
        Propositions::Boolean => Translation::of_functions(store, negation, budget),
    };
    let mut base = None;
    let (mut observer, used) = match settings.automaton {
        None | Some(Kind::Tgta) => {
            let lazily = translation.lazy_tgta()?;
            let a = lazily.automaton();
            let size = a.letter_count().saturating_mul(a.len() as u64);
            if settings.automaton.is_none() && !lazily.can_stutter() {
                letters(translation.tgba()?, Kind::Tgba)
            } else if size <= EAGER_TGTA {
                base = Some(a.clone());
                testing(translation.tgta()?, Kind::Tgta)
            } else {
                lazy(lazily)
            }
        }
        Some(Kind::Tgba) => letters(translation.tgba()?, Kind::Tgba),
        Some(Kind::Ba) => letters(translation.ba()?, Kind::Ba),
        Some(Kind::Ta) => testing(translation.ta()?, Kind::Ta),
    };
    if settings.por && translation.seems_stutter_invariant() == Some(true) {
        observer = observer.of_invariant_language();
    }
    let observation = translation.observation().clone();
    let predicates = meanings(store, &observation, &used.propositions, atoms);
    Ok(Negation {
        observer,
        used,
        predicates,
        base,
    })
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
    let negation = store.not(f);
    let mut translation = Translation::of_functions(store, negation, budget);
    let automaton = if tight {
        translation.tight().ok()??
    } else {
        translation.tgba().ok()?
    };
    let observation = translation.observation().clone();
    let predicates = meanings(store, &observation, automaton.propositions(), atoms);
    Some((automaton, predicates))
}

/// What the propositions of an automaton mean.
pub(crate) fn meanings(
    store: &FormulaStore,
    observation: &Observation,
    names: &[String],
    atoms: &[(PropId, Predicate)],
) -> Vec<Predicate> {
    let meaning = |name: &String| {
        let mut observed = observation.propositions.iter();
        let found = observed.find(|o| store.name(o.proposition) == name);
        let found = found.expect("automata observe what was asked for");
        predicate(store, found.meaning, atoms)
    };
    names.iter().map(meaning).collect()
}

fn lazy(testing: LazyTesting) -> (Observer, Used) {
    let a = testing.automaton();
    // The states are counted when the search is over: a lazy automaton grows with it.
    let used = Used {
        kind: Kind::Tgta,
        states: 0,
        edges: None,
        transitions: None,
        acceptance_sets: a.acceptance_sets(),
        propositions: a.propositions().to_vec(),
        lazy: true,
    };
    (Observer::lazy(testing), used)
}

fn testing(automaton: TestingAutomaton, kind: Kind) -> (Observer, Used) {
    let sizes = Sizes::of(Either::Changes(&automaton));
    let used = used(kind, sizes, automaton.propositions());
    (Observer::of_testing(automaton), used)
}

fn letters(automaton: Automaton, kind: Kind) -> (Observer, Used) {
    let sizes = Sizes::of(Either::Letters(&automaton));
    let used = used(kind, sizes, automaton.propositions());
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
