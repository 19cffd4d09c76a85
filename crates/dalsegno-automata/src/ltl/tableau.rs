//! LTL to TGBA: Couvreur's construction.
//!
//! J.-M. Couvreur, "On-the-fly Verification of Linear Temporal Logic" (FM 1999). A formula is
//! rewritten into a Boolean function of what holds now (propositions), what is owed (promises) and
//! what must hold next (formulas):
//!
//! ```text
//! r(f U g) = r(g) ∨ (Promise[g] ∧ r(f) ∧ Next[f U g])      r(X f) = Next[f]
//! ```
//!
//! The functions are diagrams with the propositions on top. Below the propositions hangs, for every
//! class of letters that the formula cannot tell apart, a monotone function of promises and next
//! formulas; each of its prime implicants is an edge, to the conjunction of its next formulas, in all
//! acceptance sets but those of its promises. Walking classes of letters instead of prime implicants
//! of the whole function makes the automaton as deterministic as the formula allows at no cost.
//!
//! States are identified by their function, not by their formula: formulas with the same function
//! have the same language (Duret-Lutz, "LTL translation improvements in Spot", `VECoS` 2011).
//! Conjunctions of next formulas must not be simplified by implication: a state for `G F(a & X F b)`
//! may not drop the `F b` that it implies, because it enforces it by carrying it along.
//!
//! Cost: exponential in the formula in the worst case; the diagrams count every step against the budget.

use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use dalsegno_kripke::{Budget, Letter, MAX_PROPOSITIONS, Stop};
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node, PropId};

use crate::bdd::{Bdd, Manager, Var};
use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::edge::{MAX_ACCEPTANCE_SETS, Marks, bytes_of};
use crate::omega::state_id::StateId;

/// Why a formula has no automaton here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// A path quantifier where LTL is expected.
    #[error("the formula has path quantifiers: only LTL formulas have automata")]
    NotLtl,
    /// More propositions than a letter has bits.
    #[error("the formula has {0} propositions, and an automaton at most {MAX_PROPOSITIONS}")]
    TooManyPropositions(usize),
    /// More acceptance sets than marks have bits.
    #[error("the automaton would need more than {MAX_ACCEPTANCE_SETS} acceptance sets")]
    TooManyAcceptanceSets,
    /// More temporal subformulas than diagrams can bear.
    #[error("the formula has more than {MAX_VARIABLES} temporal subformulas")]
    TooLarge,
    /// The budget ran out.
    #[error("gave up: {0}")]
    Stopped(#[from] Stop),
}

/// The largest number of promises and next formulas in one translation.
pub const MAX_VARIABLES: usize = 4000;

/// Propositions are the variables below this one.
const BORDER: Var = MAX_PROPOSITIONS as Var;

#[derive(Clone, Copy)]
enum Meaning {
    Promise(u32),
    Next(FormulaId),
}

/// A way to go on from what is owed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Way {
    /// The sets that it promises.
    pub(crate) promises: Marks,
    /// What must hold next.
    pub(crate) next: FormulaId,
}

/// The functions of formulas, as far as they have been needed.
pub(crate) struct Tableau<'a> {
    pub(crate) store: &'a mut FormulaStore,
    prop_var: FxHashMap<PropId, Var>,
    meaning: Vec<Meaning>,
    promises: FxHashMap<FormulaId, Var>,
    promise_count: u32,
    nexts: FxHashMap<FormulaId, Var>,
    /// r(f), and r(f) as it stands directly below a `G` that repeats it.
    rewritten: FxHashMap<(FormulaId, bool), Bdd>,
    budget: &'a Budget,
}

/// Bytes that an entry of the tables of a tableau takes, roughly.
const ENTRY: u64 = 48;

/// The TGBA of simplified LTL formulas in negation normal form, each with its initial state, in order, before any
/// reduction; given up with [`Stop::States`] at more than `bound` states.
///
/// Proposition `i` of the automaton is `propositions[i]`; `alphabet` gives the letters that can
/// occur, a function of the variables `0..propositions.len()`. Every state carries its formula.
///
/// # Errors
/// See [`Error`](enum@Error).
///
/// # Panics
/// If a formula has a proposition that is not listed.
pub(crate) fn tableau(
    store: &mut FormulaStore,
    roots: &[FormulaId],
    propositions: &[PropId],
    alphabet: impl FnOnce(&mut Manager) -> Result<Bdd, Stop>,
    bound: usize,
    effort: &Effort<'_>,
) -> Result<Automaton, Error> {
    if !roots.iter().all(|&f| store.is(f, Fragment::LTL)) {
        return Err(Error::NotLtl);
    }
    if propositions.len() > MAX_PROPOSITIONS {
        return Err(Error::TooManyPropositions(propositions.len()));
    }
    // Known before any diagram is built: thousands of nested operators take long to get there.
    let temporal = |&g: &FormulaId| {
        !store.is(g, Fragment::BOOLEAN) && !matches!(store.node(g), Node::And(_) | Node::Or(_))
    };
    let mut counted: FxHashSet<FormulaId> = FxHashSet::default();
    for &f in roots {
        if counted.contains(&f) {
            continue;
        }
        counted.extend(store.subformulas(f).into_iter().filter(|g| temporal(g)));
        if counted.len() > MAX_VARIABLES {
            return Err(Error::TooLarge);
        }
    }
    let names = propositions
        .iter()
        .map(|&p| store.name(p).to_owned())
        .collect();
    let mut automaton = Automaton::new(names, 0);
    automaton.guards.begin(effort);
    automaton.alphabet = alphabet(&mut automaton.guards)?;
    let mut tableau = Tableau::new(store, propositions, effort.budget());
    let built = tableau.build(&mut automaton, roots, bound);
    automaton.guards.end(effort);
    built.map(|()| automaton)
}

impl<'a> Tableau<'a> {
    /// A tableau that has rewritten nothing yet.
    pub(crate) fn new(
        store: &'a mut FormulaStore,
        propositions: &[PropId],
        budget: &'a Budget,
    ) -> Self {
        Tableau {
            store,
            prop_var: (0..).zip(propositions).map(|(v, &p)| (p, v)).collect(),
            meaning: Vec::new(),
            promises: FxHashMap::default(),
            promise_count: 0,
            nexts: FxHashMap::default(),
            rewritten: FxHashMap::default(),
            budget,
        }
    }

    /// The number of promises so far.
    pub(crate) fn acceptance_sets(&self) -> u32 {
        self.promise_count
    }

    /// The variable of a proposition.
    pub(crate) fn variable(&self, p: PropId) -> Var {
        self.prop_var[&p]
    }

    /// r(f) after a letter: a function of promises and next formulas.
    pub(crate) fn owed(
        &mut self,
        guards: &mut Manager,
        f: FormulaId,
        letter: Letter,
    ) -> Result<Bdd, Error> {
        let mut function = self.rewrite(guards, f)?;
        while guards.var(function) < BORDER {
            function = if letter.holds(guards.var(function) as usize) {
                guards.high(function)
            } else {
                guards.low(function)
            };
        }
        Ok(function)
    }

    /// The prime implicants of what is owed.
    pub(crate) fn ways(&mut self, guards: &mut Manager, owed: Bdd) -> Result<Vec<Way>, Error> {
        let mut ways = Vec::new();
        for prime in guards.monotone_primes(owed)?.iter() {
            guards.spend(1 + prime.len() as u64)?;
            let (promises, conjuncts) = self.read(&prime);
            let next = self.store.and(conjuncts);
            ways.push(Way { promises, next });
        }
        Ok(ways)
    }

    /// The promises and the next formulas of a prime implicant.
    fn read(&self, prime: &[Var]) -> (Marks, Vec<FormulaId>) {
        let mut promises = Marks::NONE;
        let mut conjuncts = Vec::new();
        for var in prime {
            match self.meaning[(var - BORDER) as usize] {
                Meaning::Promise(set) => promises.0 |= 1 << set,
                Meaning::Next(g) => conjuncts.push(g),
            }
        }
        (promises, conjuncts)
    }

    fn build(
        &mut self,
        automaton: &mut Automaton,
        roots: &[FormulaId],
        bound: usize,
    ) -> Result<(), Error> {
        let mut states: FxHashMap<Bdd, StateId> = FxHashMap::default();
        // While states are being found the number of sets is not known: edges carry their promises.
        let mut state = |this: &mut Self, automaton: &mut Automaton, g: FormulaId| {
            let function = this.rewrite(&mut automaton.guards, g)?;
            let function = automaton.guards.and(function, automaton.alphabet)?;
            if function == Bdd::FALSE {
                return Ok::<_, Error>(None);
            }
            let add = || automaton.add_state(Some(g));
            Ok(Some(*states.entry(function).or_insert_with(add)))
        };
        for &f in roots {
            let initial = match state(self, automaton, f)? {
                Some(initial) => initial,
                None => automaton.add_state(Some(FormulaId::FALSE)),
            };
            automaton.initial.push(initial);
        }
        let mut done = 0;
        let mut targets: FxHashMap<Vec<FormulaId>, Option<StateId>> = FxHashMap::default();
        while done < automaton.len() {
            self.budget.check_states(automaton.len() as u64)?;
            if automaton.len() > bound {
                return Err(Stop::States.into());
            }
            if done.is_multiple_of(64) {
                let entries = self.rewritten.len() + targets.len();
                let tables = self.store.bytes() + ENTRY * entries as u64;
                let bytes = bytes_of(&automaton.edges) + tables;
                automaton.guards.hold(bytes);
            }
            automaton.guards.spend(1)?;
            let source = StateId::new(done);
            let label = automaton.labels[done].expect("states of a tableau are labelled");
            done += 1;
            let function = self.rewrite(&mut automaton.guards, label)?;
            let function = automaton.guards.and(function, automaton.alphabet)?;
            let parts = automaton.guards.split_at(function, BORDER)?;
            for (guard, owed) in parts {
                for prime in automaton.guards.monotone_primes(owed)?.iter() {
                    automaton.guards.spend(1 + prime.len() as u64)?;
                    let (promises, conjuncts) = self.read(&prime);
                    let target = if let Some(&known) = targets.get(&conjuncts) {
                        known
                    } else {
                        let g = self.store.and(conjuncts.iter().copied());
                        let target = state(self, automaton, g)?;
                        targets.insert(conjuncts, target);
                        target
                    };
                    if let Some(target) = target {
                        automaton.add_edge(source, guard, promises, target)?;
                    }
                }
            }
        }
        automaton.acceptance_sets = self.promise_count;
        let all = automaton.all_marks();
        for edges in &mut automaton.edges {
            for edge in edges.iter_mut() {
                edge.marks = Marks(all.0 & !edge.marks.0);
            }
            edges.sort_unstable_by_key(|e| (e.target, e.marks));
        }
        Ok(())
    }

    /// r(f), computed bottom-up without recursion and not below `X`.
    fn rewrite(&mut self, guards: &mut Manager, f: FormulaId) -> Result<Bdd, Error> {
        if let Some(&known) = self.rewritten.get(&(f, false)) {
            return Ok(known);
        }
        let mut needed: Vec<(FormulaId, bool)> = vec![(f, false)];
        let mut seen: FxHashSet<(FormulaId, bool)> = needed.iter().copied().collect();
        let mut next = 0;
        while let Some(&(g, recurring)) = needed.get(next) {
            next += 1;
            let below = match self.store.node(g) {
                Node::Next(_) | Node::Not(_) => continue,
                Node::Globally(_) => true,
                Node::And(_) => recurring,
                _ => false,
            };
            for h in self.store.children(g) {
                if !self.rewritten.contains_key(&(h, below)) && seen.insert((h, below)) {
                    needed.push((h, below));
                }
            }
        }
        needed.sort_unstable();
        for (g, recurring) in needed {
            guards.spend(1)?;
            let function = self.step(guards, g, recurring)?;
            self.rewritten.insert((g, recurring), function);
        }
        Ok(self.rewritten[&(f, false)])
    }

    /// r(f) from the functions of its operands.
    ///
    /// Below a `G` that puts f up again at the next step, the eventuality f = F g or a U g need not
    /// remember itself: Next[G f] implies Next[f]. That holds through conjunctions only.
    fn step(&mut self, m: &mut Manager, f: FormulaId, recurring: bool) -> Result<Bdd, Error> {
        let below = matches!(self.store.node(f), Node::Globally(_)) || recurring;
        let of = |this: &Self, g: FormulaId| this.rewritten[&(g, false)];
        Ok(match self.store.node(f) {
            Node::True => Bdd::TRUE,
            Node::False => Bdd::FALSE,
            Node::Atom(p) => m.variable(self.prop_var[&p])?,
            Node::Not(g) => {
                let Node::Atom(p) = self.store.node(g) else {
                    unreachable!("negation only in front of atoms in negation normal form")
                };
                m.literal(self.prop_var[&p], false)?
            }
            Node::And(fs) => fs
                .iter()
                .try_fold(Bdd::TRUE, |r, &g| m.and(r, self.rewritten[&(g, below)]))?,
            Node::Or(fs) => fs
                .iter()
                .try_fold(Bdd::FALSE, |r, &g| m.or(r, of(self, g)))?,
            Node::Next(g) => self.next(m, g)?,
            Node::Globally(g) => {
                let now = self.rewritten[&(g, true)];
                let next = self.next(m, f)?;
                m.and(now, next)?
            }
            Node::Finally(g) => {
                let now = of(self, g);
                let later = self.later(m, g, f, recurring)?;
                m.or(now, later)?
            }
            Node::Until(a, b) => {
                let later = self.later(m, b, f, recurring)?;
                let later = m.and(of(self, a), later)?;
                m.or(of(self, b), later)?
            }
            Node::WeakUntil(a, b) => {
                let next = self.next(m, f)?;
                let later = m.and(of(self, a), next)?;
                m.or(of(self, b), later)?
            }
            Node::Release(a, b) => {
                let next = self.next(m, f)?;
                let either = m.or(of(self, a), next)?;
                m.and(of(self, b), either)?
            }
            Node::StrongRelease(a, b) => {
                let later = self.later(m, a, f, recurring)?;
                let either = m.or(of(self, a), later)?;
                m.and(of(self, b), either)?
            }
            Node::Implies(..)
            | Node::Iff(..)
            | Node::Xor(..)
            | Node::Exists(_)
            | Node::Forall(_) => {
                unreachable!("LTL in negation normal form")
            }
        })
    }

    /// What the eventuality `f` leaves for later: the promise of `g`, and itself unless it recurs anyhow.
    fn later(
        &mut self,
        m: &mut Manager,
        g: FormulaId,
        f: FormulaId,
        recurring: bool,
    ) -> Result<Bdd, Error> {
        let owed = self.promise(m, g)?;
        let next = if recurring {
            Bdd::TRUE
        } else {
            self.next(m, f)?
        };
        Ok(m.and(owed, next)?)
    }

    fn fresh(&mut self, meaning: Meaning) -> Result<Var, Error> {
        if self.meaning.len() >= MAX_VARIABLES {
            return Err(Error::TooLarge);
        }
        self.meaning.push(meaning);
        Ok(BORDER + self.meaning.len() as Var - 1)
    }

    fn promise(&mut self, m: &mut Manager, f: FormulaId) -> Result<Bdd, Error> {
        let var = if let Some(&var) = self.promises.get(&f) {
            var
        } else {
            if self.promise_count == MAX_ACCEPTANCE_SETS {
                return Err(Error::TooManyAcceptanceSets);
            }
            let var = self.fresh(Meaning::Promise(self.promise_count))?;
            self.promise_count += 1;
            self.promises.insert(f, var);
            var
        };
        Ok(m.variable(var)?)
    }

    fn next(&mut self, m: &mut Manager, f: FormulaId) -> Result<Bdd, Error> {
        if f == FormulaId::TRUE {
            return Ok(Bdd::TRUE);
        }
        let var = if let Some(&var) = self.nexts.get(&f) {
            var
        } else {
            let var = self.fresh(Meaning::Next(f))?;
            self.nexts.insert(f, var);
            var
        };
        Ok(m.variable(var)?)
    }
}

#[cfg(test)]
mod tests {
    use dalsegno_logic::parse;
    use dalsegno_logic::simplify::Simplifier;

    use super::*;

    #[test]
    fn a_tableau_that_runs_out_is_an_error() {
        let budget = Budget::unlimited();
        let mut store = FormulaStore::new();
        let f = parse(&mut store, "G(F(a & X b) | (a U (b & X X a)))").unwrap();
        let f = Simplifier::new().simplify(&mut store, f);
        let props = store.propositions(f);
        let mut make = |effort: &Effort<'_>| {
            let all = |_: &mut Manager| Ok(Bdd::TRUE);
            tableau(&mut store, &[f], &props, all, usize::MAX, effort)
        };
        let expected = make(&Effort::unlimited(&budget)).unwrap();
        let (mut stopped, mut finished) = (0, 0);
        for steps in (0..2000).step_by(7) {
            let effort = Effort::new(&budget, steps);
            match make(&effort) {
                Ok(a) => {
                    finished += 1;
                    assert_eq!(
                        (a.edges, a.initial),
                        (expected.edges.clone(), vec![StateId::default()])
                    );
                }
                Err(error) => {
                    stopped += 1;
                    assert_eq!(error, Error::Stopped(Stop::Time));
                }
            }
        }
        assert!(stopped > 10 && finished > 10, "{stopped}, {finished}");
    }
}
