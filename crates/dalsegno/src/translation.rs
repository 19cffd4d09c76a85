//! Formula to automaton, with the user's choices.

use std::time::Duration;

use dalsegno_automata::hoa::Content;
use dalsegno_automata::observer::Kind;
use dalsegno_automata::{TestingError, Translation, single_pass};
use dalsegno_kripke::Budget;
use dalsegno_kripke::clock::Instant;
use dalsegno_logic::observe::Observed;
use dalsegno_logic::{FormulaId, FormulaStore};

use crate::output::Either;

/// Why a formula could not be translated.
pub type Error = TestingError;

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

/// A formula's automaton and what is known of it.
#[derive(Clone, Debug)]
pub struct Translated {
    /// The formula that was translated.
    pub formula: FormulaId,
    /// The kind of automaton.
    pub kind: Kind,
    /// The automaton.
    pub automaton: Content,
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
) -> Result<Translated, Error> {
    let mut start = Instant::now();
    let mut translation = match options.propositions {
        Propositions::Raw => Translation::new(store, f, budget),
        Propositions::Boolean => Translation::of_functions(store, f, budget),
    };
    let stutter_invariant = match options.kind {
        // Only a TA cannot be made without the answer.
        Kind::Ta => translation.is_stutter_invariant()?,
        _ => translation.seems_stutter_invariant() == Some(true),
    };
    // Automata that observe letters do not need to know: the answer is not part of their translation.
    if matches!(options.kind, Kind::Tgba | Kind::Ba) {
        start = Instant::now();
    }
    let automaton = match options.kind {
        Kind::Tgba => Content::Automaton(translation.tgba()?),
        Kind::Ba => Content::Automaton(translation.ba()?),
        Kind::Tgta => Content::Testing(translation.tgta()?),
        Kind::Ta => {
            let ta = translation.ta()?;
            Content::Testing(if options.single_pass {
                single_pass(ta)
            } else {
                ta
            })
        }
    };
    Ok(Translated {
        formula: f,
        kind: options.kind,
        automaton,
        stutter_invariant,
        propositions: translation.observation().propositions.clone(),
        time: start.elapsed(),
    })
}

impl Translated {
    /// The size of the automaton.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        Sizes::of(match &self.automaton {
            Content::Automaton(a) => Either::Letters(a),
            Content::Testing(t) => Either::Changes(t),
        })
    }
}

impl Sizes {
    pub(crate) fn of(automaton: Either<'_>) -> Self {
        match automaton {
            Either::Letters(a) => Sizes {
                propositions: a.propositions().len(),
                states: a.len(),
                edges: a.edge_count(),
                transitions: a.transition_count(),
                acceptance_sets: a.acceptance_sets(),
                deterministic: a.is_deterministic(),
            },
            Either::Changes(t) => Sizes {
                propositions: t.propositions().len(),
                states: t.len(),
                edges: t.edge_count(),
                transitions: t.edge_count() as u64,
                acceptance_sets: t.acceptance_sets(),
                deterministic: t.is_deterministic(),
            },
        }
    }
}
