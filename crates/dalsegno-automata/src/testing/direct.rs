//! LTL to TGTA: a tableau whose states know the letter that they read next.
//!
//! The future work of P12. With the letter ℓ known, Couvreur's function of a formula ([`crate::ltl::tableau`]) is one of promises
//! and next formulas only: what is *owed* after ℓ. Its prime implicants are the ways to go on, each with
//! the sets it promises and the formula that must hold next; the next letter then gives the next state. A
//! state is (what is owed, ℓ, mode): formulas that owe the same are one state, which no reduction has to find out. No TGBA is made.
//!
//! The modes are those of [`crate::testing::lazy`]. (φ, ℓ) may stutter freely if φ, evaluated at ℓ as far as that goes, has no `X`
//! left: of the words that begin with ℓ, φ has those of a formula without `X`, a stutter-invariant language. The word ℓ^ω needs no search for
//! accepting cycles: on a constant word every operator is its operand, so ℓ^ω ⊨ φ is evaluated. If it holds, whoever enters (φ, ℓ)
//! in mode *stutter* may enter the livelock state, unless a way back to the state itself promises nothing: then its loop accepts.
//!
//! *Saturated*, an entry to (φ, ℓ) in mode stutter is one to all (ψ, ℓ) that φ reaches by reading ℓ. Both variants are
//! made, and the caller keeps the smaller one.
//!
//! Cost: letters times what is owed, and a prime implicant per edge; exponential in the propositions, as testing automata are.

use rustc_hash::FxHashMap;

use dalsegno_kripke::{Letter, Stop};
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node, PropId};

use crate::bdd::{Bdd, Manager};
use crate::effort::Effort;
use crate::ltl::tableau::{Error, Tableau, Way};
use crate::omega::edge::Marks;
use crate::omega::state_id::StateId;
use crate::testing::automaton::{TestingAutomaton, TestingEdge, TestingKind};

/// A formula over propositions that is to be translated.
pub(crate) struct Subject {
    /// In negation normal form.
    pub(crate) formula: FormulaId,
    pub(crate) propositions: Vec<PropId>,
    /// The letters that can occur, ascending.
    pub(crate) alphabet: Vec<Letter>,
    /// Whether the formula is known to be stutter-invariant.
    pub(crate) invariant: bool,
}

/// The TGTA of a formula, before any reduction; given up with [`Stop::States`] at more than `bound` states.
///
/// # Errors
/// See [`Error`](enum@Error).
pub(crate) fn direct(
    store: &mut FormulaStore,
    subject: &Subject,
    saturated: bool,
    bound: usize,
    effort: &Effort<'_>,
) -> Result<TestingAutomaton, Error> {
    let names = subject.propositions.iter().map(|&p| store.name(p));
    let names = names.map(ToOwned::to_owned).collect();
    let mut direct = Direct {
        tableau: Tableau::new(store, &subject.propositions, effort.budget()),
        guards: Manager::new(),
        saturated,
        remembers_all: subject.alphabet.len() as u64 != 1 << subject.propositions.len(),
        ways: FxHashMap::default(),
        entries: FxHashMap::default(),
        ids: FxHashMap::default(),
        states: Vec::new(),
    };
    direct.guards.begin(effort);
    let mut initial = Vec::new();
    for &letter in &subject.alphabet {
        let entry = direct.enter(subject.formula, letter, subject.invariant)?;
        initial.extend(entry.iter().map(|&q| (letter, q)));
    }
    initial.sort_unstable();
    initial.dedup();
    let mut edges: Vec<Vec<TestingEdge>> = Vec::new();
    let mut count = 0u64;
    while let Some(&(state, _)) = direct.states.get(edges.len()) {
        let states = direct.states.len() as u64;
        effort.budget().check_states(states)?;
        if direct.states.len() > bound {
            return Err(Stop::States.into());
        }
        let bytes = count * size_of::<TestingEdge>() as u64 + 64 * states;
        direct.guards.hold(bytes + direct.tableau.store.bytes());
        let out = direct.edges(StateId::new(edges.len()), state, &subject.alphabet)?;
        count += out.len() as u64;
        edges.push(out);
    }
    direct.guards.end(effort);
    // While states are being found the number of sets is not known: edges carry their promises.
    let sets = direct.tableau.acceptance_sets();
    let all = Marks::all(sets);
    for row in &mut edges {
        for e in row.iter_mut() {
            e.marks = Marks(all.0 & !e.marks.0);
        }
        row.sort_unstable();
        row.dedup();
    }
    Ok(TestingAutomaton {
        kind: TestingKind::Tgta,
        propositions: names,
        alphabet: subject.alphabet.clone(),
        initial,
        livelock: vec![false; edges.len()],
        labels: direct.states.iter().map(|&(_, f)| f).collect(),
        free: direct.states.iter().all(|(state, _)| match state {
            State::Owing { stutter, .. } => *stutter,
            State::Livelock => true,
        }),
        edges,
        acceptance_sets: sets,
    })
}

/// What a state stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum State {
    /// What is owed after the letter, and whether stuttering is free.
    Owing {
        owed: Bdd,
        letter: Letter,
        stutter: bool,
    },
    /// The state that stutters for ever.
    Livelock,
}

/// All promises: an edge that is in no set.
const EVERYTHING: Marks = Marks(u64::MAX);

struct Direct<'a> {
    tableau: Tableau<'a>,
    guards: Manager,
    saturated: bool,
    /// Whether some letters cannot occur; then states remember all of their letter.
    remembers_all: bool,
    /// The ways to go on, by what is owed.
    ways: FxHashMap<Bdd, Vec<Way>>,
    /// The states that are entered with a formula, a letter and a mode.
    entries: FxHashMap<(FormulaId, Letter, bool), Vec<StateId>>,
    ids: FxHashMap<State, StateId>,
    /// The states, and the formula that each was first entered with.
    states: Vec<(State, Option<FormulaId>)>,
}

impl Direct<'_> {
    /// The edges of a state, with their promises instead of their marks.
    fn edges(
        &mut self,
        id: StateId,
        state: State,
        alphabet: &[Letter],
    ) -> Result<Vec<TestingEdge>, Error> {
        let unchanged = Letter(0) ^ Letter(0);
        let stuttering = |promises: Marks| TestingEdge {
            changes: unchanged,
            target: id,
            marks: promises,
        };
        let (owed, letter, stutter) = match state {
            State::Livelock => return Ok(vec![stuttering(Marks::NONE)]),
            State::Owing {
                owed,
                letter,
                stutter,
            } => (owed, letter, stutter),
        };
        let mut out = Vec::new();
        for &to in alphabet {
            if to == letter && stutter {
                let accepts = self.comes_back(owed, letter)?;
                out.push(stuttering(if accepts { Marks::NONE } else { EVERYTHING }));
                continue;
            }
            for i in 0..self.ways[&owed].len() {
                let Way { promises, next } = self.ways[&owed][i];
                let entered = self.enter(next, to, stutter)?;
                self.guards.spend(1 + entered.len() as u64)?;
                out.extend(entered.iter().map(|&target| TestingEdge {
                    changes: letter ^ to,
                    target,
                    marks: promises,
                }));
            }
        }
        out.sort_unstable();
        out.dedup();
        Ok(out)
    }

    /// The states that are entered with a formula and a letter.
    fn enter(
        &mut self,
        f: FormulaId,
        letter: Letter,
        stutter: bool,
    ) -> Result<Vec<StateId>, Error> {
        if let Some(known) = self.entries.get(&(f, letter, stutter)) {
            return Ok(known.clone());
        }
        self.guards.spend(1)?;
        let mut out = Vec::new();
        let stutter = stutter || self.stutters_freely(f, letter);
        let owed = self.owed(f, letter)?;
        if owed != Bdd::FALSE {
            let mut accepts = false;
            let reached = if stutter && self.saturated {
                self.stuttering_successors(f, letter)?
            } else {
                vec![f]
            };
            for g in reached {
                let owed = self.owed(g, letter)?;
                if owed != Bdd::FALSE {
                    accepts |= stutter && self.comes_back(owed, letter)?;
                    let letter = self.remembered(g, owed, letter, stutter);
                    let state = State::Owing {
                        owed,
                        letter,
                        stutter,
                    };
                    out.push(self.intern(state, Some(g))?);
                }
            }
            if stutter && !accepts && self.tableau.holds_for_ever(f, letter) {
                out.push(self.intern(State::Livelock, None)?);
            }
        }
        out.sort_unstable();
        out.dedup();
        self.entries.insert((f, letter, stutter), out.clone());
        Ok(out)
    }

    /// What `f` owes after a letter; its ways are known then.
    fn owed(&mut self, f: FormulaId, letter: Letter) -> Result<Bdd, Error> {
        let owed = self.tableau.owed(&mut self.guards, f, letter)?;
        if !self.ways.contains_key(&owed) {
            let ways = self.tableau.ways(&mut self.guards, owed)?;
            self.ways.insert(owed, ways);
        }
        Ok(owed)
    }

    /// Whether reading the letter again may lead to the same state without a promise.
    fn comes_back(&mut self, owed: Bdd, letter: Letter) -> Result<bool, Error> {
        for i in 0..self.ways[&owed].len() {
            let Way { promises, next } = self.ways[&owed][i];
            if promises == Marks::NONE && self.owed(next, letter)? == owed {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The formulas that a formula reaches by reading a letter again and again, itself included.
    fn stuttering_successors(
        &mut self,
        f: FormulaId,
        letter: Letter,
    ) -> Result<Vec<FormulaId>, Error> {
        let mut found = vec![f];
        let mut next = 0;
        while let Some(&g) = found.get(next) {
            next += 1;
            self.guards.spend(found.len() as u64)?;
            let owed = self.owed(g, letter)?;
            for way in &self.ways[&owed] {
                if !found.contains(&way.next) {
                    found.push(way.next);
                }
            }
        }
        Ok(found)
    }

    /// Whether the words of `f` that begin with the letter are seen to be a stutter-invariant language.
    fn stutters_freely(&mut self, f: FormulaId, letter: Letter) -> bool {
        let store = &mut *self.tableau.store;
        store.is(f, Fragment::X_FREE) || {
            let rest = self.tableau.evaluated(f, letter);
            self.tableau.store.is(rest, Fragment::X_FREE)
        }
    }

    /// What a state must remember of its letter: the propositions that what follows looks at, and its own where the
    /// letter decides what a stuttering step is.
    fn remembered(&self, f: FormulaId, owed: Bdd, letter: Letter, stutter: bool) -> Letter {
        if self.remembers_all {
            return letter;
        }
        let mut mask = if stutter { self.tableau.mask(f) } else { 0 };
        for way in &self.ways[&owed] {
            mask |= self.tableau.mask(way.next);
        }
        Letter(letter.0 & mask)
    }

    fn intern(&mut self, state: State, formula: Option<FormulaId>) -> Result<StateId, Stop> {
        if let Some(&id) = self.ids.get(&state) {
            return Ok(id);
        }
        let id = StateId::try_new(self.states.len()).ok_or(Stop::Memory)?;
        self.ids.insert(state, id);
        self.states.push((state, formula));
        Ok(id)
    }
}

impl Tableau<'_> {
    /// Whether the word that repeats the letter for ever satisfies `f`.
    fn holds_for_ever(&self, f: FormulaId, letter: Letter) -> bool {
        let mut value: FxHashMap<FormulaId, bool> = FxHashMap::default();
        for g in self.store.subformulas(f) {
            let of = |h: FormulaId| value[&h];
            let holds = match self.store.node(g) {
                Node::Atom(p) => letter.holds(self.variable(p) as usize),
                Node::True => true,
                Node::Not(h) => !of(h),
                Node::And(fs) => fs.iter().all(|&h| of(h)),
                Node::Or(fs) => fs.iter().any(|&h| of(h)),
                Node::Next(h) | Node::Globally(h) | Node::Finally(h) => of(h),
                Node::Until(_, b) | Node::Release(_, b) => of(b),
                Node::WeakUntil(a, b) => of(a) || of(b),
                Node::StrongRelease(a, b) => of(a) && of(b),
                _ => false,
            };
            value.insert(g, holds);
        }
        value[&f]
    }

    /// A formula that has the same words as `f` among those that begin with the letter: what the letter decides is
    /// decided, and nothing is unfolded.
    fn evaluated(&mut self, f: FormulaId, letter: Letter) -> FormulaId {
        let constant = |value| {
            if value {
                FormulaId::TRUE
            } else {
                FormulaId::FALSE
            }
        };
        let mut done: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        for g in self.store.subformulas(f) {
            let of = |h: FormulaId| done[&h];
            let (no, yes) = (FormulaId::FALSE, FormulaId::TRUE);
            let result = match self.store.node(g) {
                Node::Atom(p) => constant(letter.holds(self.variable(p) as usize)),
                Node::Not(h) => constant(of(h) == no),
                Node::And(fs) => {
                    let fs: Vec<FormulaId> = fs.iter().map(|&h| of(h)).collect();
                    self.store.and(fs)
                }
                Node::Or(fs) => {
                    let fs: Vec<FormulaId> = fs.iter().map(|&h| of(h)).collect();
                    self.store.or(fs)
                }
                Node::Globally(h) if of(h) == no => no,
                Node::Finally(h) if of(h) == yes => yes,
                Node::Until(_, b) | Node::WeakUntil(_, b) if of(b) == yes => yes,
                Node::Until(a, b) | Node::WeakUntil(a, b) if of(a) == no => of(b),
                Node::Release(_, b) | Node::StrongRelease(_, b) if of(b) == no => no,
                Node::Release(a, b) | Node::StrongRelease(a, b) if of(a) == yes => of(b),
                _ => g,
            };
            done.insert(g, result);
        }
        done[&f]
    }

    /// The propositions of a formula, as bits of a letter.
    fn mask(&self, f: FormulaId) -> u64 {
        let propositions = self.store.propositions(f).into_iter();
        propositions.fold(0, |mask, p| mask | 1 << self.variable(p))
    }
}

#[cfg(test)]
mod tests {
    use dalsegno_certify::holds_on_word;
    use dalsegno_kripke::{Budget, Word};
    use dalsegno_logic::random::{Config, Generator, Rng};
    use dalsegno_logic::simplify::Simplifier;
    use dalsegno_testkit::words::random_word;

    use super::*;
    use crate::membership::observes;
    use crate::observer::Observer;

    /// Random formulas in negation normal form, with their propositions.
    fn formulas(seed: u64, count: usize) -> Vec<(FormulaStore, FormulaId, Vec<PropId>)> {
        let config = Config::ltl().with_propositions(["a", "b", "c"]);
        let mut generator = Generator::new(config.with_size(2..=14).with_seed(seed));
        let next = |_| {
            let mut store = FormulaStore::new();
            let f = generator.next_formula(&mut store);
            let f = Simplifier::new().simplify(&mut store, f);
            let propositions = store.propositions(f);
            (store, f, propositions)
        };
        (0..count).map(next).collect()
    }

    #[test]
    fn letters_are_evaluated_as_the_definition_says() {
        let budget = Budget::unlimited();
        let mut rng = Rng::new(21);
        for (mut store, f, propositions) in formulas(21, 300) {
            for letter in (0..1 << propositions.len()).map(Letter) {
                let mut tableau = Tableau::new(&mut store, &propositions, &budget);
                let for_ever = tableau.holds_for_ever(f, letter);
                let rest = tableau.evaluated(f, letter);
                let holds = |f, word: &Word| holds_on_word(&store, f, &propositions, word).unwrap();
                let constant = Word::new(Vec::new(), vec![letter]);
                assert_eq!(for_ever, holds(f, &constant), "{}", store.display(f));
                for _ in 0..5 {
                    let mut word = random_word(&mut rng, propositions.len(), 3, 3);
                    word.stem.insert(0, letter);
                    assert_eq!(holds(f, &word), holds(rest, &word), "{}", store.display(f));
                }
            }
        }
    }

    #[test]
    fn both_variants_agree_with_the_definition_also_on_fewer_letters() {
        let budget = Budget::unlimited();
        let effort = Effort::unlimited(&budget);
        let mut rng = Rng::new(22);
        for (mut store, formula, propositions) in formulas(22, 400) {
            let mut alphabet: Vec<Letter> = (0..1 << propositions.len()).map(Letter).collect();
            if alphabet.len() > 2 && rng.index(2) == 0 {
                alphabet.remove(rng.index(alphabet.len()));
            }
            let subject = Subject {
                formula,
                propositions,
                alphabet,
                invariant: store.is(formula, Fragment::X_FREE),
            };
            for saturated in [false, true] {
                let tgta = direct(&mut store, &subject, saturated, usize::MAX, &effort).unwrap();
                tgta.check_invariants();
                let mut observer = Observer::of_testing(tgta);
                for _ in 0..25 {
                    let word = random_word(&mut rng, subject.propositions.len(), 4, 4);
                    let mut letters = word.stem.iter().chain(&word.cycle);
                    if !letters.all(|l| subject.alphabet.contains(l)) {
                        continue;
                    }
                    let expected = holds_on_word(&store, formula, &subject.propositions, &word);
                    assert_eq!(
                        observes(&mut observer, &word),
                        expected.unwrap(),
                        "{}, saturated: {saturated}, {word:?}",
                        store.display(formula)
                    );
                }
            }
        }
    }
}
