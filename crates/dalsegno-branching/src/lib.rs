//! CTL and CTL* over sets of states, whatever the sets are made of.
//!
//! An engine says what it can do with sets of reachable states ([`StateSets`]): select by a predicate, unite,
//! complement, and the three fixpoints `EX`, `EU`, `EG` with its meaning of dead ends. An [`Evaluator`] computes
//! the states of a formula from those of its subformulas, innermost first, each formula once: formulas are
//! hash-consed, so all properties of a file share what they have in common.
//!
//! Asked only whether the initial state satisfies a formula, the evaluator takes the outermost operators apart first:
//! Boolean operators stop at the first operand that decides, and `EF f` is a look at the reachable states.

mod ctl_form;
mod decide;
mod explain;
mod lasso;
mod linear_form;
mod path_automaton;
mod sets;
mod witness_paths;

use std::collections::BTreeMap;

use dalsegno_kripke::{Budget, DeadEnds, Predicate, Stop};
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node, PropId};
use rustc_hash::FxHashMap;

pub use ctl_form::{CtlForm, ctl_form, negation};
pub use explain::may_have_path;
pub use linear_form::linear_form;
pub use path_automaton::{abstracted, observed};
pub use sets::StateSets;

use dalsegno_automata::{self as automata, Automaton, Translation};
use lasso::FairProduct;

/// Why a formula has no set of states.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// A temporal operator stands below no path quantifier.
    #[error("the formula speaks of a path, not of a state: put `A` or `E` in front")]
    NotState,
    /// An atom without a meaning.
    #[error("nothing is known of the proposition \"{0}\"")]
    UnknownProposition(String),
    /// Finite paths are for CTL, and the formula is of CTL*.
    #[error("`finite` dead ends are for CTL: for CTL* take `stutter` or `ignore`")]
    FinitePaths,
    /// A path formula has no automaton.
    #[error(transparent)]
    Translation(automata::Error),
    /// The budget ran out.
    #[error("gave up: {0}")]
    Stopped(#[from] Stop),
}

impl From<automata::Error> for Error {
    fn from(error: automata::Error) -> Self {
        match error {
            automata::Error::Stopped(stop) => Error::Stopped(stop),
            other => Error::Translation(other),
        }
    }
}

/// Whether a formula is a state formula that has a meaning with these dead ends.
///
/// # Errors
/// [`Error::NotState`] or [`Error::FinitePaths`].
pub fn check_form(store: &FormulaStore, f: FormulaId, dead_ends: DeadEnds) -> Result<(), Error> {
    if !store.is(f, Fragment::STATE) {
        return Err(Error::NotState);
    }
    if dead_ends != DeadEnds::Finite {
        return Ok(());
    }
    let is_state = |g: FormulaId| store.is(g, Fragment::STATE);
    for g in store.subformulas(f) {
        if let Node::Exists(path) | Node::Forall(path) = store.node(g)
            && !is_state(path)
            && !(is_temporal(store.node(path)) && store.children(path).all(is_state))
        {
            return Err(Error::FinitePaths);
        }
    }
    Ok(())
}

fn is_temporal(node: Node<'_>) -> bool {
    matches!(
        node,
        Node::Next(_)
            | Node::Finally(_)
            | Node::Globally(_)
            | Node::Until(..)
            | Node::Release(..)
            | Node::WeakUntil(..)
            | Node::StrongRelease(..)
    )
}

/// Computes the states of formulas. What it has computed it keeps, also when a budget ran out.
#[derive(Debug)]
pub struct Evaluator<S: StateSets> {
    /// The sets of the engine.
    pub sets: S,
    atoms: BTreeMap<PropId, Predicate>,
    known: FxHashMap<FormulaId, S::Set>,
    automata: FxHashMap<FormulaId, Observed>,
    /// Per path formula, the product with its automaton.
    fair: FxHashMap<FormulaId, FairProduct<S::Set>>,
    budget: Budget,
}

/// What an evaluator has computed. Another one of the same sets of states and the same formulas goes on with it.
#[derive(Debug)]
pub struct Computed<Set> {
    atoms: BTreeMap<PropId, Predicate>,
    known: FxHashMap<FormulaId, Set>,
    automata: FxHashMap<FormulaId, Observed>,
    fair: FxHashMap<FormulaId, FairProduct<Set>>,
}

impl<Set> Default for Computed<Set> {
    fn default() -> Self {
        Computed {
            atoms: BTreeMap::new(),
            known: FxHashMap::default(),
            automata: FxHashMap::default(),
            fair: FxHashMap::default(),
        }
    }
}

/// The automaton of a path formula, and the state formula that each of its propositions stands for.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The automaton.
    pub automaton: Automaton,
    /// What its propositions mean.
    pub formulas: Vec<FormulaId>,
    /// The path formula over those propositions.
    linear: FormulaId,
}

/// Formulas whose operators nest deeper than this are computed as sets at once.
const MAX_DEPTH: u32 = 200;

/// The most operators and atoms of a Boolean formula that is selected in one go.
const MAX_PREDICATE: usize = 500;

impl<S: StateSets> Evaluator<S> {
    /// An evaluator that knows nothing yet; the budget is for translations.
    #[must_use]
    pub fn new(sets: S, budget: &Budget) -> Self {
        Self::with(sets, Computed::default(), budget)
    }

    /// An evaluator that knows what another one has computed.
    #[must_use]
    pub fn with(sets: S, computed: Computed<S::Set>, budget: &Budget) -> Self {
        let Computed {
            atoms,
            known,
            automata,
            fair,
        } = computed;
        Evaluator {
            sets,
            atoms,
            known,
            automata,
            fair,
            budget: budget.clone(),
        }
    }

    /// Ends the evaluator: its sets, and what it has computed.
    #[must_use]
    pub fn into_parts(self) -> (S, Computed<S::Set>) {
        let computed = Computed {
            atoms: self.atoms,
            known: self.known,
            automata: self.automata,
            fair: self.fair,
        };
        (self.sets, computed)
    }

    /// Tells what propositions mean; they keep their first meaning.
    pub fn tell(&mut self, atoms: impl IntoIterator<Item = (PropId, Predicate)>) {
        for (p, meaning) in atoms {
            self.atoms.entry(p).or_insert(meaning);
        }
    }

    /// Whether all initial states satisfy a formula. If only a part of the states is known and does not decide,
    /// that is [`Stop::States`].
    ///
    /// # Errors
    /// See [`Error`].
    pub fn holds(&mut self, store: &mut FormulaStore, f: FormulaId) -> Result<bool, Error> {
        Ok(self.failing(store, f)?.is_none())
    }

    /// The number of the first initial state that does not satisfy a formula, if one does not.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn failing(
        &mut self,
        store: &mut FormulaStore,
        f: FormulaId,
    ) -> Result<Option<usize>, Error> {
        check_form(store, f, self.sets.dead_ends())?;
        if self.sets.is_complete() && self.sets.model().initial().len() == 1 {
            return Ok((!self.decide(store, f, 0)?).then_some(0));
        }
        let set = self.states(store, f)?;
        let initial = self.sets.model().initial();
        let values = initial.iter().map(|s| self.sets.value(&set, s));
        let values: Vec<Option<bool>> = values.collect();
        match values.iter().position(|&value| value == Some(false)) {
            None if values.contains(&None) => Err(Stop::States.into()),
            found => Ok(found),
        }
    }

    /// The states in which a state formula holds.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn states(&mut self, store: &mut FormulaStore, f: FormulaId) -> Result<S::Set, Error> {
        check_form(store, f, self.sets.dead_ends())?;
        let mut open = vec![f];
        while let Some(&g) = open.last() {
            if self.known.contains_key(&g) {
                open.pop();
                continue;
            }
            let waiting = open.len();
            if let Some(set) = self.compute(store, g, &mut open)? {
                self.known.insert(g, set);
                open.pop();
            }
            debug_assert!(open.len() >= waiting - 1, "a formula is computed or waits");
        }
        Ok(self.known[&f].clone())
    }

    /// The states of a formula, if they have been computed.
    #[must_use]
    pub fn known(&self, f: FormulaId) -> Option<&S::Set> {
        self.known.get(&f)
    }

    /// What an atom means.
    #[must_use]
    pub fn meaning(&self, p: PropId) -> Option<&Predicate> {
        self.atoms.get(&p)
    }

    fn has_initial(&self, set: &S::Set) -> bool {
        let initial = self.sets.model().initial();
        initial.iter().all(|state| self.sets.contains(set, state))
    }

    /// The set of `g`, or `None` after pushing what must be known before.
    fn compute(
        &mut self,
        store: &mut FormulaStore,
        g: FormulaId,
        open: &mut Vec<FormulaId>,
    ) -> Result<Option<S::Set>, Error> {
        if store.is(g, Fragment::BOOLEAN)
            && let Some(predicate) = self.predicate(store, g)?
        {
            return Ok(Some(self.sets.select(&predicate)?));
        }
        let form = match store.node(g) {
            Node::Exists(path) => ctl_form(store, path),
            Node::Forall(path) => {
                let opposite = negation(store, path);
                let exists = store.exists(opposite);
                if self.need(&[exists], open) {
                    return Ok(Some(self.sets.complement(&self.known[&exists])?));
                }
                return Ok(None);
            }
            _ => return self.boolean(store, g, open),
        };
        let operands: Vec<FormulaId> = match &form {
            CtlForm::Here(f) | CtlForm::Next(f) | CtlForm::Reach(f) | CtlForm::Globally(f) => {
                vec![*f]
            }
            CtlForm::Any(list) => list.clone(),
            CtlForm::Both(a, b) | CtlForm::Until(a, b) => vec![*a, *b],
            CtlForm::Automaton(path) => observed(store, *path),
        };
        if !self.need(&operands, open) {
            return Ok(None);
        }
        let known = &self.known;
        let sets = &mut self.sets;
        Ok(Some(match form {
            CtlForm::Here(f) => {
                let alive = sets.alive()?;
                sets.intersection(&known[&f], &alive)?
            }
            CtlForm::Any(list) => {
                let mut found = known[&list[0]].clone();
                for f in &list[1..] {
                    found = sets.union(&found, &known[f])?;
                }
                found
            }
            CtlForm::Both(a, b) => sets.intersection(&known[&a], &known[&b])?,
            CtlForm::Next(f) => sets.next(&known[&f])?,
            CtlForm::Reach(f) => sets.reaching(&known[&f])?,
            CtlForm::Until(a, b) => sets.until(&known[&a], &known[&b])?,
            CtlForm::Globally(f) => sets.globally(&known[&f])?,
            CtlForm::Automaton(path) => return self.fair(store, path).map(Some),
        }))
    }

    /// Whether all of these are known; those that are not are pushed.
    fn need(&self, operands: &[FormulaId], open: &mut Vec<FormulaId>) -> bool {
        let before = open.len();
        let missing = |f: &FormulaId| !self.known.contains_key(f);
        open.extend(operands.iter().copied().filter(missing));
        open.len() == before
    }

    fn boolean(
        &mut self,
        store: &FormulaStore,
        g: FormulaId,
        open: &mut Vec<FormulaId>,
    ) -> Result<Option<S::Set>, Error> {
        let operands: Vec<FormulaId> = store.children(g).collect();
        if !self.need(&operands, open) {
            return Ok(None);
        }
        let known = &self.known;
        let sets = &mut self.sets;
        Ok(Some(match store.node(g) {
            Node::True => sets.all(),
            Node::False => sets.select(&Predicate::False)?,
            Node::Not(a) => sets.complement(&known[&a])?,
            Node::And(list) | Node::Or(list) => {
                let conjunction = matches!(store.node(g), Node::And(_));
                let mut found = known[&list[0]].clone();
                for f in &list[1..] {
                    found = if conjunction {
                        sets.intersection(&found, &known[f])?
                    } else {
                        sets.union(&found, &known[f])?
                    };
                }
                found
            }
            Node::Implies(a, b) => {
                let not_a = sets.complement(&known[&a])?;
                sets.union(&not_a, &known[&b])?
            }
            Node::Iff(a, b) | Node::Xor(a, b) => {
                let equal = matches!(store.node(g), Node::Iff(..));
                let both = sets.intersection(&known[&a], &known[&b])?;
                let either = sets.union(&known[&a], &known[&b])?;
                let neither = sets.complement(&either)?;
                let same = sets.union(&both, &neither)?;
                if equal { same } else { sets.complement(&same)? }
            }
            Node::Atom(p) => return Err(Error::UnknownProposition(store.name(p).to_owned())),
            _ => return Err(Error::NotState),
        }))
    }

    /// The states from which a path starts that satisfies `path`, by an automaton.
    fn fair(&mut self, store: &mut FormulaStore, path: FormulaId) -> Result<S::Set, Error> {
        let fair = self.fair_product(store, path)?;
        let mut accepted = self.sets.select(&Predicate::False)?;
        for &q in fair.automaton.initial() {
            accepted = self.sets.union(&accepted, &fair.states[q.index()])?;
        }
        Ok(accepted)
    }

    /// The product with the automaton of a path formula whose [`observed`] formulas have been computed.
    fn fair_product(
        &mut self,
        store: &mut FormulaStore,
        path: FormulaId,
    ) -> Result<FairProduct<S::Set>, Error> {
        if let Some(known) = self.fair.get(&path) {
            return Ok(known.clone());
        }
        let observed = self.automaton(store, path)?;
        let formulas = observed.formulas.iter();
        let propositions: Vec<S::Set> = formulas.map(|f| self.known[f].clone()).collect();
        let fair = FairProduct {
            states: self.sets.fair(&observed.automaton, &propositions)?,
            automaton: observed.automaton,
            propositions,
        };
        self.fair.insert(path, fair.clone());
        Ok(fair)
    }

    /// The product with a tight automaton of a path formula, of which it is not known where it accepts; none if the
    /// formula is too large.
    fn tight_product(
        &mut self,
        store: &mut FormulaStore,
        path: FormulaId,
    ) -> Result<Option<FairProduct<S::Set>>, Error> {
        let linear = self.automaton(store, path)?.linear;
        let tight = Translation::new(store, linear, &self.budget).tight()?;
        let Some(automaton) = tight else {
            return Ok(None);
        };
        let mut sets = FxHashMap::default();
        for f in observed(store, path) {
            let atom = path_automaton::proposition(store, f);
            if let Node::Atom(p) = store.node(atom) {
                sets.insert(store.name(p).to_owned(), self.known[&f].clone());
            }
        }
        let names = automaton.propositions().iter();
        Ok(Some(FairProduct {
            propositions: names.map(|name| sets[name].clone()).collect(),
            automaton,
            states: Vec::new(),
        }))
    }

    /// The automaton of a path formula whose [`observed`] formulas have been computed.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn automaton(
        &mut self,
        store: &mut FormulaStore,
        path: FormulaId,
    ) -> Result<Observed, Error> {
        if let Some(known) = self.automata.get(&path) {
            return Ok(known.clone());
        }
        if !self.sets.is_complete() {
            return Err(Stop::States.into());
        }
        let formulas = observed(store, path);
        let mut replacement = BTreeMap::new();
        for &f in &formulas {
            let set = &self.known[&f];
            // What is the same in all states needs no proposition.
            let value = if self.sets.is_empty(set) {
                FormulaId::FALSE
            } else {
                let others = self.sets.complement(set)?;
                if self.sets.is_empty(&others) {
                    FormulaId::TRUE
                } else {
                    path_automaton::proposition(store, f)
                }
            };
            replacement.insert(f, value);
        }
        let linear = abstracted(store, path, &replacement);
        let automaton = Translation::new(store, linear, &self.budget).tgba()?;
        let mut by_name: FxHashMap<&str, FormulaId> = FxHashMap::default();
        for (&f, &atom) in &replacement {
            if let Node::Atom(p) = store.node(atom) {
                by_name.insert(store.name(p), f);
            }
        }
        let names = automaton.propositions().iter();
        let formulas = names.map(|name| by_name[&name[..]]).collect();
        let observed = Observed {
            automaton,
            formulas,
            linear,
        };
        self.automata.insert(path, observed.clone());
        Ok(observed)
    }

    /// A Boolean formula as one predicate, unless it is large.
    ///
    /// # Errors
    /// If an atom has no meaning.
    pub fn predicate(
        &self,
        store: &FormulaStore,
        f: FormulaId,
    ) -> Result<Option<Predicate>, Error> {
        let mut left = MAX_PREDICATE;
        self.predicate_within(store, f, &mut left, 0)
    }

    fn predicate_within(
        &self,
        store: &FormulaStore,
        f: FormulaId,
        left: &mut usize,
        depth: u32,
    ) -> Result<Option<Predicate>, Error> {
        if *left == 0 || depth > MAX_DEPTH {
            return Ok(None);
        }
        *left -= 1;
        let mut of = |g: FormulaId| self.predicate_within(store, g, left, depth + 1);
        Ok(match store.node(f) {
            Node::True => Some(Predicate::True),
            Node::False => Some(Predicate::False),
            Node::Atom(p) => match self.atoms.get(&p) {
                Some(meaning) => Some(meaning.clone()),
                None => return Err(Error::UnknownProposition(store.name(p).to_owned())),
            },
            Node::Not(g) => of(g)?.map(Predicate::negate),
            Node::And(list) | Node::Or(list) => {
                let mut parts = Vec::with_capacity(list.len());
                for &g in list {
                    match of(g)? {
                        Some(part) => parts.push(part),
                        None => return Ok(None),
                    }
                }
                Some(match store.node(f) {
                    Node::And(_) => Predicate::all(parts),
                    _ => Predicate::any(parts),
                })
            }
            Node::Implies(g, h) => match (of(g)?, of(h)?) {
                (Some(g), Some(h)) => Some(Predicate::any([g.negate(), h])),
                _ => None,
            },
            _ => None,
        })
    }
}
