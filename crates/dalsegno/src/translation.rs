//! Formula to automaton, with the user's choices.

use std::time::{Duration, Instant};

use dalsegno_automata::bdd::{Bdd, Manager};
use dalsegno_automata::observer::Kind;
use dalsegno_automata::stutter::Invariance;
use dalsegno_automata::testing_translate::{self, single_pass};
use dalsegno_automata::translate::Translator;
use dalsegno_automata::{Automaton, TestingAutomaton};
use dalsegno_kripke::{Budget, Letter, Stop};
use dalsegno_logic::observe::{Group, Observation, Observed};
use dalsegno_logic::simplify::Simplifier;
use dalsegno_logic::{FormulaId, FormulaStore, PropId};

use crate::output::Either;

/// Why a formula could not be translated.
pub type Error = testing_translate::Error;

/// What an automaton observes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Propositions {
    /// The atoms of the formula.
    #[default]
    Raw,
    /// Its maximal Boolean subformulas, or the atoms if those are no more.
    Boolean,
}

dalsegno_kripke::choices!(Propositions, "choice of propositions", Raw => "raw", Boolean => "boolean");

/// What to translate to, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The kind of automaton.
    pub kind: Kind,
    /// What it observes.
    pub propositions: Propositions,
    /// For a TA: an artificial livelock state makes a second pass of the emptiness check needless.
    pub single_pass: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            kind: Kind::Tgba,
            propositions: Propositions::Raw,
            single_pass: false,
        }
    }
}

/// An automaton of either type.
#[derive(Clone, Debug)]
pub enum Translated {
    /// A TGBA or BA.
    Letters(Automaton),
    /// A TA or TGTA.
    Changes(TestingAutomaton),
}

/// A formula's automaton and what is known of it.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The formula that was translated.
    pub formula: FormulaId,
    /// The kind of automaton.
    pub kind: Kind,
    /// The automaton.
    pub automaton: Translated,
    /// Whether the formula, over its own atoms, is known to be stutter-invariant.
    pub stutter_invariant: bool,
    /// What the automaton's propositions mean; the automaton may use fewer of them.
    pub propositions: Vec<Observed>,
    /// The time it took.
    pub time: Duration,
}

/// The size of an automaton as the papers and the outputs count it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Propositions that the automaton looks at.
    pub propositions: usize,
    /// States; the initial pseudo-state of a testing automaton is not counted.
    pub states: usize,
    /// TGBA and BA: distinct (source, marks, target). TA and TGTA: as `transitions`.
    pub edges: usize,
    /// TGBA and BA: over single letters. TA and TGTA: distinct (source, changeset, marks, target).
    pub transitions: u64,
    /// Acceptance sets.
    pub acceptance_sets: u32,
    /// Whether no word has two runs.
    pub deterministic: bool,
}

/// Translates an LTL formula.
///
/// # Errors
/// If the formula is not LTL, is too large, is not stutter-invariant where it must be, or the budget
/// runs out; see [`Error`].
pub fn translate(
    store: &mut FormulaStore,
    f: FormulaId,
    options: &Options,
    budget: &Budget,
) -> Result<Translation, Error> {
    let mut simplifier = Simplifier::new();
    let mut invariance = Invariance::default();
    let mut start = Instant::now();
    let atoms = store.propositions(f);
    let invariant = {
        let mut translator = Translator {
            store,
            simplifier: &mut simplifier,
            propositions: &atoms,
            alphabet: &|_| Ok(Bdd::TRUE),
            budget,
        };
        // Only a TA cannot be made without the answer.
        match options.kind {
            Kind::Ta => Some(invariance.decide(&mut translator, f)?),
            _ => invariance.try_decide(&mut translator, f),
        }
    };
    let stutter_invariant = invariant == Some(true);
    // Automata that observe letters do not need to know: the answer is not part of their translation.
    if matches!(options.kind, Kind::Tgba | Kind::Ba) {
        start = Instant::now();
    }
    let observation = match options.propositions {
        Propositions::Raw => Observation::of_atoms(store, f),
        Propositions::Boolean => Observation::of_functions(store, &mut simplifier, f),
    };
    let propositions: Vec<PropId> = observation
        .propositions
        .iter()
        .map(|o| o.proposition)
        .collect();
    let groups = observation.groups;
    let mut translator = Translator {
        store,
        simplifier: &mut simplifier,
        propositions: &propositions,
        alphabet: &|guards| alphabet(guards, &groups),
        budget,
    };
    let g = observation.formula;
    let automaton = match options.kind {
        Kind::Tgba => Translated::Letters(translator.tgba(g)?),
        Kind::Ba => Translated::Letters(translator.ba(g)?),
        Kind::Tgta => Translated::Changes(translator.tgta(g, stutter_invariant)?),
        Kind::Ta => {
            let ta = translator.ta(g, stutter_invariant)?;
            Translated::Changes(if options.single_pass {
                single_pass(ta)
            } else {
                ta
            })
        }
    };
    Ok(Translation {
        formula: f,
        kind: options.kind,
        automaton,
        stutter_invariant,
        propositions: observation.propositions,
        time: start.elapsed(),
    })
}

/// The letters that dependent propositions leave possible.
pub(crate) fn alphabet(guards: &mut Manager, groups: &[Group]) -> Result<Bdd, Stop> {
    let mut all = Bdd::TRUE;
    for group in groups {
        let mut some = Bdd::FALSE;
        for &letter in &group.letters {
            let mut minterm = Bdd::TRUE;
            for (bit, &member) in group.members.iter().enumerate().rev() {
                let literal = guards.literal(member as u32, Letter(letter).holds(bit))?;
                minterm = guards.and(minterm, literal)?;
            }
            some = guards.or(some, minterm)?;
        }
        all = guards.and(all, some)?;
    }
    Ok(all)
}

impl Translation {
    /// The size of the automaton.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        Sizes::of(match &self.automaton {
            Translated::Letters(a) => Either::Letters(a),
            Translated::Changes(t) => Either::Changes(t),
        })
    }
}

impl Sizes {
    pub(crate) fn of(automaton: Either<'_>) -> Self {
        match automaton {
            Either::Letters(a) => Sizes {
                propositions: a.propositions.len(),
                states: a.len(),
                edges: a.edge_count(),
                transitions: a.transition_count(),
                acceptance_sets: a.acceptance_sets,
                deterministic: a.is_deterministic(),
            },
            Either::Changes(t) => Sizes {
                propositions: t.propositions.len(),
                states: t.len(),
                edges: t.edge_count(),
                transitions: t.edge_count() as u64,
                acceptance_sets: t.acceptance_sets,
                deterministic: t.is_deterministic(),
            },
        }
    }
}
