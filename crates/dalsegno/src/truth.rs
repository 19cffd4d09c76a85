//! What holds along a run: the truth of every subformula at every state, and why the property is violated.
//!
//! The values come from `dalsegno-certify`, which evaluates formulas by their definition. Along the beginning of a run
//! a value is there only if it does not depend on what comes next.

use std::collections::BTreeMap;

use dalsegno_certify::replay;
use dalsegno_kripke::{Model, Predicate, Run, Step};
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node, PropId};
use serde::Serialize;

use crate::question::Property;

/// The truth of formulas along a run, state by state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Truth {
    /// The atoms, in the order of the formula.
    pub atoms: Vec<Subformula>,
    /// The other subformulas, operands before operators; the property is the last one.
    pub subformulas: Vec<Subformula>,
    /// Why the property is violated, from the whole formula down to atoms.
    pub reasons: Vec<Reason>,
}

/// A formula with its values.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Subformula {
    /// The formula.
    pub formula: String,
    /// Its value in each state, if that is known.
    pub values: Vec<Option<bool>>,
}

impl Subformula {
    /// Atoms, by their texts and meanings, with their values in these states.
    pub(crate) fn atoms_in(
        model: &Model,
        atoms: &[(String, Predicate)],
        states: &[&[u32]],
    ) -> Vec<Self> {
        let value = |meaning: &Predicate, state: &[u32]| Some(meaning.eval(model, state));
        let atom = |(text, meaning): &(String, Predicate)| Subformula {
            formula: text.clone(),
            values: states.iter().map(|state| value(meaning, state)).collect(),
        };
        atoms.iter().map(atom).collect()
    }
}

/// The atoms of a formula, in its order: their texts and meanings.
pub(crate) fn atoms_of(
    store: &FormulaStore,
    f: FormulaId,
    meanings: &[(PropId, Predicate)],
) -> Vec<(String, Predicate)> {
    let atom = |g: FormulaId| {
        let Node::Atom(p) = store.node(g) else {
            return None;
        };
        let (_, meaning) = meanings.iter().find(|(q, _)| *q == p)?;
        Some((store.display(g).to_string(), meaning.clone()))
    };
    store.subformulas(f).into_iter().filter_map(atom).collect()
}

/// A fact about a run that contributes to a violation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Reason {
    /// The state that it begins at.
    pub state: usize,
    /// What is the case there, as a sentence.
    pub text: String,
}

/// Facts that are told of one violation.
const MOST_REASONS: usize = 8;

/// Larger formulas have no truth table.
const MOST_SUBFORMULAS: usize = 200;

impl Truth {
    /// What holds along a run that violates a property, or satisfies what it is the negation of.
    #[must_use]
    pub(crate) fn of_run(
        model: &Model,
        run: &Run,
        store: &FormulaStore,
        property: &Property,
    ) -> Option<Truth> {
        let f = property.formula;
        let values = replay::truth_on_run(model, run, store, f, property.meaning()).ok()?;
        let known = values
            .into_iter()
            .map(|(g, list)| (g, list.into_iter().map(Some).collect()));
        let sign = run.stem.len();
        Self::new(store, property, &known.collect(), Some(sign))
    }

    /// What is known along the beginning of a run.
    #[must_use]
    pub(crate) fn of_beginning(
        model: &Model,
        path: &[Step],
        store: &FormulaStore,
        property: &Property,
    ) -> Option<Truth> {
        let f = property.formula;
        let values = replay::truth_on_beginning(model, path, store, f, property.meaning()).ok()?;
        Self::new(store, property, &values, None)
    }

    /// What holds along a path to a state that was asked for.
    #[must_use]
    pub(crate) fn of_path(model: &Model, path: &[Step], atoms: &[(String, Predicate)]) -> Truth {
        let states: Vec<&[u32]> = path.iter().map(|step| &step.state[..]).collect();
        Truth {
            atoms: Subformula::atoms_in(model, atoms, &states),
            subformulas: Vec::new(),
            reasons: Vec::new(),
        }
    }

    fn new(
        store: &FormulaStore,
        property: &Property,
        values: &BTreeMap<FormulaId, Vec<Option<bool>>>,
        sign: Option<usize>,
    ) -> Option<Truth> {
        if values.len() > MOST_SUBFORMULAS {
            return None;
        }
        let shown = |&g: &FormulaId| Subformula {
            formula: store.display(g).to_string(),
            values: values[&g].clone(),
        };
        let is_atom = |g: &&FormulaId| matches!(store.node(**g), Node::Atom(_));
        let constant = |g: &&FormulaId| matches!(store.node(**g), Node::True | Node::False);
        let mut finding = Finding {
            store,
            values,
            length: values[&property.formula].len(),
            sign,
            reasons: Vec::new(),
        };
        finding.tell(property.formula, 0);
        let mut reasons = finding.reasons;
        reasons.truncate(MOST_REASONS);
        Some(Truth {
            atoms: values.keys().filter(is_atom).map(shown).collect(),
            subformulas: values
                .keys()
                .filter(|g| !is_atom(g) && !constant(g))
                .map(shown)
                .collect(),
            reasons,
        })
    }

    /// The number of states.
    #[must_use]
    pub fn states(&self) -> usize {
        let all = self.atoms.iter().chain(&self.subformulas);
        all.map(|s| s.values.len()).max().unwrap_or(0)
    }
}

/// Follows the value of a formula down to what makes it so.
struct Finding<'a> {
    store: &'a FormulaStore,
    values: &'a BTreeMap<FormulaId, Vec<Option<bool>>>,
    length: usize,
    /// The first state of the cycle, if there is one.
    sign: Option<usize>,
    reasons: Vec<Reason>,
}

impl Finding<'_> {
    fn value(&self, f: FormulaId, at: usize) -> Option<bool> {
        self.values.get(&f)?.get(at).copied().flatten()
    }

    /// The states from one on, in the order in which a run passes them first.
    fn from(&self, at: usize) -> Vec<usize> {
        let mut states: Vec<usize> = (at..self.length).collect();
        if let Some(sign) = self.sign {
            states.extend(sign..at.max(sign));
        }
        states
    }

    fn next(&self, at: usize) -> Option<usize> {
        match self.sign {
            Some(sign) if at + 1 == self.length => Some(sign),
            _ => Some(at + 1).filter(|&next| next < self.length),
        }
    }

    fn say(&mut self, at: usize, text: String) {
        let reason = Reason { state: at, text };
        if self.reasons.len() <= MOST_REASONS && !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    fn plain(&mut self, f: FormulaId, at: usize, value: bool) {
        let shown = self.store.display(f);
        let verb = if value { "holds" } else { "fails" };
        let text = format!("{shown} {verb} in state {at}");
        self.say(at, text);
    }

    fn always(&mut self, f: FormulaId, at: usize, value: bool) {
        let shown = self.store.display(f);
        let verb = if value { "always holds" } else { "never holds" };
        let text = format!("{shown} {verb} from state {at} on");
        self.say(at, text);
    }

    /// Tells why a formula has the value that it has in a state.
    fn tell(&mut self, f: FormulaId, at: usize) {
        let Some(value) = self.value(f, at) else {
            return;
        };
        if self.store.is(f, Fragment::BOOLEAN) {
            return self.plain(f, at, value);
        }
        match self.store.node(f) {
            Node::Not(a) => self.tell(a, at),
            Node::And(list) if !value => self.first(list, at, false),
            Node::Or(list) if value => self.first(list, at, true),
            Node::And(list) | Node::Or(list) => {
                for &a in list {
                    self.tell(a, at);
                }
            }
            Node::Implies(a, b) if value => {
                if self.value(b, at) == Some(true) {
                    self.tell(b, at);
                } else {
                    self.tell(a, at);
                }
            }
            Node::Implies(a, b) | Node::Iff(a, b) | Node::Xor(a, b) => {
                self.tell(a, at);
                self.tell(b, at);
            }
            Node::Next(a) => {
                if let Some(next) = self.next(at) {
                    self.tell(a, next);
                }
            }
            Node::Finally(a) => self.reach(a, at, true, value),
            Node::Globally(a) => self.reach(a, at, false, !value),
            Node::Until(a, b) | Node::WeakUntil(a, b) => self.until(a, b, at, true, value),
            Node::Release(a, b) | Node::StrongRelease(a, b) => {
                self.until(a, b, at, false, !value);
            }
            _ => self.plain(f, at, value),
        }
    }

    /// The first operand with a value; that of a Boolean one is plainest.
    fn first(&mut self, list: &[FormulaId], at: usize, value: bool) {
        let has = |g: &&FormulaId| self.value(**g, at) == Some(value);
        let boolean = |g: &&FormulaId| self.store.is(**g, Fragment::BOOLEAN);
        let mut found = list.iter().filter(has);
        let plain = found.clone().find(boolean);
        if let Some(&g) = plain.or_else(|| found.next()) {
            self.tell(g, at);
        }
    }

    /// Whether `a` comes to have a value: where it does first, or that it never does.
    fn reach(&mut self, a: FormulaId, at: usize, wanted: bool, reached: bool) {
        if reached {
            let has = |&s: &usize| self.value(a, s) == Some(wanted);
            if let Some(first) = self.from(at).into_iter().find(has) {
                self.tell(a, first);
            }
        } else {
            self.always(a, at, !wanted);
        }
    }

    /// `a U b` in its values, or `!a U !b` for a release: where `b` comes, or where `a` ends before it.
    fn until(&mut self, a: FormulaId, b: FormulaId, at: usize, wanted: bool, fulfilled: bool) {
        let states = self.from(at);
        let has = |s: usize, f: FormulaId, value: bool| self.value(f, s) == Some(value);
        if fulfilled {
            match states.iter().find(|&&s| has(s, b, wanted)) {
                Some(&first) => self.tell(b, first),
                None => self.always(a, at, wanted),
            }
            return;
        }
        match states.iter().find(|&&s| has(s, a, !wanted)) {
            Some(&first) => {
                let seen_before = states.iter().take_while(|&&s| s != first).count() > 0;
                if seen_before {
                    let shown = self.store.display(b);
                    let verb = if wanted { "has not held" } else { "has held" };
                    let text = format!("{shown} {verb} until state {first}");
                    self.say(first, text);
                }
                self.tell(a, first);
                self.tell(b, first);
            }
            None => self.always(b, at, !wanted),
        }
    }
}
