//! The translation of one LTL formula, to all kinds of automata.
//!
//! A [`Translation`] owns what the constructions share: the simplifier, the observed propositions with the letters
//! that can occur, whether the formula is stutter-invariant, and the TGBA that testing automata are made from. Each is made
//! when it is first needed, and once.
//!
//! Stutter-invariance is a question of the formula that was given, over its own atoms: observed propositions
//! may take apart what belongs together.

use dalsegno_kripke::{Budget, Stop};
use dalsegno_logic::observe::Observation;
use dalsegno_logic::simplify::Simplifier;
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, PropId};

use crate::bdd::{Bdd, Manager};
use crate::effort::Effort;
use crate::ltl::smallest::Goal;
use crate::ltl::stutter;
use crate::ltl::tableau::Error;
use crate::ltl::tight::tight;
use crate::ltl::translator::{EFFORT, Labelled, Translator, alphabet};
use crate::omega::automaton::Automaton;
use crate::omega::stuttering::closed_states;
use crate::testing::direct::Subject;

/// The steps that may go into the question whether a formula is stutter-invariant where an answer is only good to have.
const OPTIONAL: u64 = 1 << 20;

/// The steps that go into the question which states of one automaton are stutter-invariant.
const INVARIANT_STATES: u64 = 1 << 21;

/// The translation of a formula.
///
/// # Examples
/// ```
/// use dalsegno_automata::Translation;
/// use dalsegno_kripke::Budget;
/// use dalsegno_logic::{FormulaStore, parse};
///
/// let mut store = FormulaStore::new();
/// let f = parse(&mut store, "G(req -> F ack)").unwrap();
/// let budget = Budget::unlimited();
/// let mut translation = Translation::new(&mut store, f, &budget);
/// assert_eq!(translation.tgba().unwrap().len(), 2);
/// assert!(translation.is_stutter_invariant().unwrap());
/// ```
pub struct Translation<'a> {
    store: &'a mut FormulaStore,
    budget: &'a Budget,
    simplifier: Simplifier,
    formula: FormulaId,
    observation: Observation,
    propositions: Vec<PropId>,
    steps: u64,
    invariant: Option<bool>,
    /// A TGBA whose states know their formulas.
    labelled: Option<Labelled>,
    base: Option<Base>,
}

/// What a TGTA is made from: a TGBA, and the letters on which stuttering is free from each of its states on.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    pub(crate) tgba: Automaton,
    pub(crate) free: Vec<Bdd>,
    /// States of which it holds, as it does of all states that they reach, have stutter-invariant languages.
    pub(crate) invariant: Vec<bool>,
}

impl<'a> Translation<'a> {
    /// The translation of `f` to automata that observe its atoms.
    pub fn new(store: &'a mut FormulaStore, f: FormulaId, budget: &'a Budget) -> Self {
        let observation = Observation::of_atoms(store, f);
        Self::with(store, f, budget, Simplifier::new(), observation)
    }

    /// The translation of `f` to automata that observe its maximal Boolean subformulas, or its atoms if those are no more.
    pub fn of_functions(store: &'a mut FormulaStore, f: FormulaId, budget: &'a Budget) -> Self {
        let mut simplifier = Simplifier::new();
        let observation = Observation::of_functions(store, &mut simplifier, f);
        Self::with(store, f, budget, simplifier, observation)
    }

    fn with(
        store: &'a mut FormulaStore,
        formula: FormulaId,
        budget: &'a Budget,
        simplifier: Simplifier,
        observation: Observation,
    ) -> Self {
        let observed = observation.propositions.iter();
        Translation {
            propositions: observed.map(|o| o.proposition).collect(),
            store,
            budget,
            simplifier,
            formula,
            observation,
            steps: EFFORT,
            invariant: None,
            labelled: None,
            base: None,
        }
    }

    /// The same translation, with at most so many steps to make one automaton smaller.
    #[must_use]
    pub fn with_steps(mut self, steps: u64) -> Self {
        self.steps = steps;
        self
    }

    /// What the automata observe; an automaton has those of the propositions that it looks at.
    #[must_use]
    pub fn observation(&self) -> &Observation {
        &self.observation
    }

    /// The owner of the formulas.
    #[must_use]
    pub fn store(&self) -> &FormulaStore {
        self.store
    }

    /// A small TGBA.
    ///
    /// # Errors
    /// See [`Error`](enum@Error).
    pub fn tgba(&mut self) -> Result<Automaton, Error> {
        self.smallest(Goal::TGBA)
    }

    /// A small Büchi automaton.
    ///
    /// # Errors
    /// See [`Error`](enum@Error).
    pub fn ba(&mut self) -> Result<Automaton, Error> {
        self.smallest(Goal::BA)
    }

    /// A tight automaton, which accepts a lasso by a run of the same shape; `None` if it would be too large.
    ///
    /// # Errors
    /// When the budget runs out.
    ///
    /// # Examples
    /// ```
    /// use dalsegno_automata::Translation;
    /// use dalsegno_kripke::Budget;
    /// use dalsegno_logic::{FormulaStore, parse};
    ///
    /// let mut store = FormulaStore::new();
    /// let f = parse(&mut store, "F G a").unwrap();
    /// let budget = Budget::unlimited();
    /// let tight = Translation::new(&mut store, f, &budget).tight().unwrap().unwrap();
    /// assert_eq!(tight.len(), 2); // G a holds here, or not yet
    /// ```
    pub fn tight(&mut self) -> Result<Option<Automaton>, Stop> {
        let f = self.observation.formula;
        let f = self.simplifier.simplify(self.store, f);
        tight(self.store, f, &self.propositions, self.budget)
    }

    /// A TGBA whose states know their formulas, and for each state the letters ℓ, in the manager of the automaton, such
    /// that the words from it that begin with ℓ are a stutter-invariant language, as far as that is found.
    ///
    /// # Errors
    /// See [`Error`](enum@Error).
    pub fn labelled_tgba(&mut self) -> Result<(Automaton, Vec<Bdd>), Error> {
        let mut labelled = self.labelled()?.clone();
        let effort = Effort::new(self.budget, INVARIANT_STATES);
        let free = stutter::free_letters(&mut self.translator(), &mut labelled, &effort);
        Ok((labelled.automaton, free))
    }

    /// Whether the TGBA with formulas is the minimal deterministic automaton of an obligation.
    pub(crate) fn is_minimal(&mut self) -> Result<bool, Error> {
        Ok(self.labelled()?.minimal)
    }

    fn labelled(&mut self) -> Result<&Labelled, Error> {
        let labelled = if let Some(known) = self.labelled.take() {
            known
        } else {
            let (f, effort) = (self.observation.formula, Effort::unlimited(self.budget));
            self.translator().labelled_tgba(f, &effort)?
        };
        Ok(self.labelled.insert(labelled))
    }

    /// Whether the formula, over its own atoms, is stutter-invariant.
    ///
    /// # Errors
    /// See [`Error`](enum@Error).
    pub fn is_stutter_invariant(&mut self) -> Result<bool, Error> {
        let effort = Effort::unlimited(self.budget);
        self.invariance(&effort)
    }

    /// As [`Translation::is_stutter_invariant`], where an answer is good to have and not needed: `None` if the effort or the
    /// budget runs out, or the formula has no automaton.
    pub fn seems_stutter_invariant(&mut self) -> Option<bool> {
        let effort = Effort::new(self.budget, OPTIONAL);
        self.invariance(&effort).ok()
    }

    fn invariance(&mut self, effort: &Effort<'_>) -> Result<bool, Error> {
        if let Some(known) = self.invariant {
            return Ok(known);
        }
        let mut answer = self.store.is(self.formula, Fragment::X_FREE);
        if !answer && self.observes_atoms() {
            let f = self.observation.formula;
            let mut translator = self.translator();
            let labelled;
            (answer, labelled) = stutter::is_stutter_invariant(&mut translator, f, effort)?;
            // An effort that is spent may have left out reductions.
            self.labelled = labelled.filter(|_| effort.left() > 0);
        } else if !answer {
            let f = self.formula;
            let atoms = self.store.propositions(f);
            let mut translator = Translator {
                store: self.store,
                simplifier: &mut self.simplifier,
                propositions: &atoms,
                groups: &[],
                budget: self.budget,
            };
            (answer, _) = stutter::is_stutter_invariant(&mut translator, f, effort)?;
        }
        self.invariant = Some(answer);
        Ok(answer)
    }

    /// Whether what is observed are the atoms of the formula.
    fn observes_atoms(&mut self) -> bool {
        let store = &mut *self.store;
        let mut observed = self.observation.propositions.iter();
        observed.all(|o| store.atom_of(o.proposition) == o.meaning)
    }

    /// The formula with what it observes, for the direct construction of a TGTA, if it has at most so many letters.
    ///
    /// # Errors
    /// The number of letters, if there are more.
    pub(crate) fn subject(
        &mut self,
        most: u64,
        effort: &Effort<'_>,
    ) -> Result<(&mut FormulaStore, Result<Subject, u64>), Error> {
        let invariant = self.seems_stutter_invariant() == Some(true);
        let f = self.observation.formula;
        let mut translator = self.translator();
        let formula = translator.simplify(f);
        let mut propositions = translator.propositions.to_vec();
        if translator.groups.is_empty() {
            propositions = translator.store.propositions(formula);
        }
        let mut guards = Manager::new();
        guards.begin(effort);
        let alphabet = alphabet(&mut guards, translator.groups)?;
        guards.end(effort);
        let count = guards.count(alphabet, propositions.len());
        if count > most {
            return Ok((self.store, Err(count)));
        }
        let subject = Subject {
            formula,
            alphabet: guards.letters(alphabet, propositions.len()),
            propositions,
            invariant,
        };
        Ok((self.store, Ok(subject)))
    }

    fn smallest(&mut self, goal: Goal) -> Result<Automaton, Error> {
        let (f, steps) = (self.observation.formula, self.steps);
        self.translator().smallest(f, goal, steps)
    }

    pub(crate) fn budget(&self) -> &'a Budget {
        self.budget
    }

    fn translator(&mut self) -> Translator<'_> {
        Translator {
            store: self.store,
            simplifier: &mut self.simplifier,
            propositions: &self.propositions,
            groups: &self.observation.groups,
            budget: self.budget,
        }
    }

    /// The Büchi automaton that a TA is made from.
    pub(crate) fn buchi_base(&mut self) -> Result<Automaton, Error> {
        let guesses = false;
        self.smallest(Goal { ba: true, guesses })
    }

    /// What a TGTA is made from, lazily or, for an obligation, whole.
    pub(crate) fn base(&mut self) -> Result<&Base, Error> {
        let base = match self.base.take() {
            Some(known) => known,
            None if !self.is_minimal()? && self.seems_stutter_invariant() == Some(true) => {
                let (ba, guesses) = (false, false);
                let mut tgba = self.smallest(Goal { ba, guesses })?;
                let free = vec![tgba.alphabet; tgba.len()];
                let invariant =
                    closed_states(&mut tgba, &Effort::new(self.budget, INVARIANT_STATES));
                Base {
                    tgba,
                    free,
                    invariant,
                }
            }
            None => {
                let (tgba, free) = self.labelled_tgba()?;
                let invariant = free.iter().map(|&free| free == Bdd::TRUE).collect();
                Base {
                    tgba,
                    free,
                    invariant,
                }
            }
        };
        Ok(self.base.insert(base))
    }
}
