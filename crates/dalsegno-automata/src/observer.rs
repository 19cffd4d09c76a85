//! The observer: what every product uses, whatever the kind of automaton.
//!
//! An [`Observer`] answers two questions: where may a run start on this letter, and where may it go when
//! the model steps from one letter to another. TGBA and BA look at the letter of the source only,
//! testing automata at what changes. Answers are memoised by (state, letter) or (state, changeset), so a
//! guard is evaluated once per letter and never scanned again. The memory is dense: symbols (letters or changesets) get small
//! numbers, their *classes*, in the order in which they appear, and each state has a row over the classes, filled as it is asked
//! for, with an entry for what is not known yet. Symbols below a bound find their class in a table, others by hashing. The search loop is the same for all
//! kinds; a TA differs in two ways that the observer tells: stuttering stays, without a mark, and
//! [`Observer::is_livelock`] states accept by stuttering for ever. A state of a lazy TGTA may not see all propositions: what it does
//! not see may change, and that is a stuttering step.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use dalsegno_kripke::Letter;

use crate::omega::automaton::Automaton;
use crate::omega::edge::Marks;
use crate::omega::state_id::StateId;
use crate::omega::universal::{universal_states, universal_testing_states};
use crate::omega::weak::Acceptance;
use crate::reaction::{self, Reaction};
use crate::testing::automaton::{TestingAutomaton, TestingKind};
use crate::testing::lazy::{LazyTesting, TestingState};
use crate::testing::masks::masks;

/// Which acceptance an observer has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Generalised Büchi acceptance over letters.
    Tgba,
    /// Büchi acceptance over letters, state-based.
    Ba,
    /// Büchi and livelock acceptance over changesets.
    Ta,
    /// Generalised Büchi acceptance over changesets.
    Tgta,
}

impl Kind {
    /// The kind of an automaton over letters: a BA if acceptance is state-based.
    #[must_use]
    pub fn of_automaton(automaton: &Automaton) -> Kind {
        if automaton.state_based {
            Kind::Ba
        } else {
            Kind::Tgba
        }
    }
}

dalsegno_kripke::choices!(
    Kind, "kind of automaton", Tgba => "tgba", Ba => "ba", Ta => "ta", Tgta => "tgta"
);

/// The beginning and the end of a part of the successors.
type Part = (u32, u32);

/// What has not been asked for yet; no part ends before it begins.
const UNKNOWN: Part = (u32::MAX, 0);

/// No class yet.
const NONE: u32 = u32::MAX;

/// Symbols below this one are looked up in a table.
const DIRECT: u64 = 1 << 12;

/// Small numbers for symbols.
#[derive(Clone, Default)]
struct Classes {
    direct: Vec<u32>,
    others: FxHashMap<u64, u32>,
}

impl Classes {
    /// The class of a symbol, or [`NONE`].
    #[inline]
    fn of(&self, symbol: u64) -> u32 {
        if symbol < DIRECT {
            self.direct.get(symbol as usize).copied().unwrap_or(NONE)
        } else {
            self.others.get(&symbol).copied().unwrap_or(NONE)
        }
    }

    /// The class of a symbol, the next one if it has none.
    fn give(&mut self, symbol: u64, count: &mut u32) -> u32 {
        let slot = if symbol < DIRECT {
            let i = symbol as usize;
            if self.direct.len() <= i {
                self.direct.resize(i + 1, NONE);
            }
            &mut self.direct[i]
        } else {
            self.others.entry(symbol).or_insert(NONE)
        };
        if *slot == NONE {
            *slot = *count;
            *count += 1;
        }
        *slot
    }
}

#[derive(Clone)]
enum Source {
    Letters(Arc<Automaton>),
    Changes(Arc<TestingAutomaton>),
    Lazy(Box<LazyTesting>),
}

/// An automaton as a product sees it, with its memory. Clones share the automaton, and each goes on with a memory of
/// its own.
#[derive(Clone)]
pub struct Observer {
    kind: Kind,
    source: Source,
    all_marks: Marks,
    /// The classes of the symbols of steps that change something, or of all steps; and of those that stutter, if
    /// the automaton must be told.
    classes: [Classes; 2],
    /// The number of classes.
    class_count: u32,
    /// Per state and class a part of `successors`.
    rows: Vec<Vec<Part>>,
    starts: FxHashMap<Letter, Part>,
    successors: Vec<(StateId, Marks)>,
    scratch: Vec<(StateId, Marks)>,
    /// See [`Observer::universal`]; nobody has asked yet if it is `None`.
    universal: Option<Vec<bool>>,
    /// Whether the automaton reads letters, has one run per word and a stutter-invariant language.
    invariant: bool,
    /// What the states of an eager testing automaton see; nobody has asked yet if it is `None`.
    masks: Option<Vec<u64>>,
    /// See [`Observer::reaction`].
    reactions: FxHashMap<(StateId, Letter), Reaction>,
}

impl Observer {
    /// Observes letters with a TGBA, or with a BA if acceptance is by one set on states.
    #[must_use]
    pub fn new(automaton: Automaton) -> Self {
        let kind = Kind::of_automaton(&automaton);
        let all = automaton.all_marks();
        Self::with(kind, all, Source::Letters(Arc::new(automaton)))
    }

    /// Observes changes with a testing automaton.
    #[must_use]
    pub fn of_testing(testing: TestingAutomaton) -> Self {
        let kind = match testing.kind {
            TestingKind::Ta => Kind::Ta,
            TestingKind::Tgta => Kind::Tgta,
        };
        let all = testing.all_marks();
        Self::with(kind, all, Source::Changes(Arc::new(testing)))
    }

    /// Observes changes with a testing automaton that is computed as far as it is asked for.
    #[must_use]
    pub fn lazy(testing: LazyTesting) -> Self {
        let kind = match testing.kind() {
            TestingKind::Ta => Kind::Ta,
            TestingKind::Tgta => Kind::Tgta,
        };
        let all = testing.automaton().all_marks();
        Self::with(kind, all, Source::Lazy(Box::new(testing)))
    }

    fn with(kind: Kind, all_marks: Marks, source: Source) -> Self {
        Observer {
            kind,
            source,
            all_marks,
            classes: [Classes::default(), Classes::default()],
            class_count: 0,
            rows: Vec::new(),
            starts: FxHashMap::default(),
            successors: Vec::new(),
            scratch: Vec::new(),
            universal: None,
            invariant: false,
            masks: None,
            reactions: FxHashMap::default(),
        }
    }

    /// The same observer, told that the language of its automaton is stutter-invariant.
    #[must_use]
    pub fn of_invariant_language(mut self) -> Self {
        self.invariant = match &self.source {
            Source::Letters(a) => a.is_deterministic(),
            Source::Changes(_) | Source::Lazy(_) => false,
        };
        self
    }

    /// The same observer for reductions in which every step counts: it is not told that its language is stutter-invariant.
    #[must_use]
    pub fn step_by_step(mut self) -> Self {
        if std::mem::take(&mut self.invariant) {
            self.reactions.clear();
        }
        self
    }

    /// Which steps of the word matter to a state that is at a letter: what a partial-order reduction has to respect.
    /// `weights` says how expensive it is to watch each proposition; it must be the same in all calls.
    pub fn reaction(&mut self, state: StateId, letter: Letter, weights: &[u32]) -> Reaction {
        if let Some(&known) = self.reactions.get(&(state, letter)) {
            return known;
        }
        let all = self.all_marks;
        let found = match &mut self.source {
            Source::Letters(_) if self.invariant => Reaction::Order,
            Source::Letters(a) => reaction::of_letters(a, state, letter, weights),
            Source::Changes(t) => {
                let masks = self.masks.get_or_insert_with(|| masks(t));
                reaction::of_changes(t, all, state, masks[state.index()], weights)
            }
            Source::Lazy(t) => reaction::of_lazy(t, state, letter, weights),
        };
        self.reactions.insert((state, letter), found);
        found
    }

    /// Whether a state whose reaction at a letter is [`Reaction::Quiet`] stays as it is when it reads another letter.
    #[must_use]
    pub fn is_quiet(&self, state: StateId, letter: Letter, other: Letter) -> bool {
        match &self.source {
            Source::Letters(a) => reaction::is_quiet(a, state, letter, other),
            Source::Changes(_) => false,
            Source::Lazy(t) => match t.testing_state(state) {
                TestingState::At { q, .. } => {
                    reaction::is_quiet(t.automaton(), q, letter, other) && !t.is_free(q, other)
                }
                TestingState::Livelock { .. } => false,
            },
        }
    }

    /// The kind of acceptance.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The automaton over letters that it is, or is made from on demand.
    #[must_use]
    pub fn over_letters(&self) -> Option<&Automaton> {
        match &self.source {
            Source::Letters(a) => Some(a),
            Source::Changes(_) => None,
            Source::Lazy(t) => Some(t.automaton()),
        }
    }

    /// The marks that an accepting cycle must carry.
    #[inline]
    #[must_use]
    pub fn all_marks(&self) -> Marks {
        self.all_marks
    }

    /// The states in which a run may start on a word that begins with `letter`.
    pub fn initial(&mut self, letter: Letter) -> &[(StateId, Marks)] {
        let known = self.starts.get(&letter).copied();
        let (start, end) = known.unwrap_or_else(|| self.start(letter));
        &self.successors[start as usize..end as usize]
    }

    fn start(&mut self, letter: Letter) -> Part {
        let mut out = std::mem::take(&mut self.scratch);
        out.clear();
        match &mut self.source {
            Source::Letters(a) => {
                out.extend(a.initial.iter().map(|&q| (q, Marks::NONE)));
            }
            Source::Changes(t) => {
                let first = t.initial.partition_point(|&(l, _)| l < letter);
                let here = t.initial[first..].iter().take_while(|&&(l, _)| l == letter);
                out.extend(here.map(|&(_, q)| (q, Marks::NONE)));
            }
            Source::Lazy(u) => u.initial(letter, &mut out),
        }
        let range = self.keep(&out);
        self.scratch = out;
        self.starts.insert(letter, range);
        range
    }

    /// The states that a run may go to from `state`, with the marks it gets, when the word steps from
    /// letter `from` to letter `to`.
    #[inline]
    pub fn step(&mut self, state: StateId, from: Letter, to: Letter) -> &[(StateId, Marks)] {
        let (symbol, stutters) = match &self.source {
            Source::Letters(_) => (from.0, false),
            Source::Changes(_) => ((from ^ to).0, false),
            Source::Lazy(u) => (to.0, (from ^ to).0 & u.visible(state) == 0),
        };
        let class = self.classes[usize::from(stutters)].of(symbol);
        let row = self.rows.get(state.index());
        let part = row.and_then(|row| row.get(class as usize)).copied();
        let (start, end) = match part {
            Some(part) if part != UNKNOWN => part,
            _ => self.compute(state, symbol, stutters, from, to),
        };
        &self.successors[start as usize..end as usize]
    }

    #[cold]
    fn compute(
        &mut self,
        state: StateId,
        symbol: u64,
        stutters: bool,
        from: Letter,
        to: Letter,
    ) -> Part {
        let mut out = std::mem::take(&mut self.scratch);
        out.clear();
        match &mut self.source {
            _ if from == to && self.kind == Kind::Ta => out.push((state, Marks::NONE)),
            Source::Letters(a) => {
                out.extend(a.enabled(state, from).map(|e| (e.target, e.marks)));
            }
            Source::Changes(t) => {
                let edges = t.enabled(state, from ^ to);
                out.extend(edges.iter().map(|e| (e.target, e.marks)));
            }
            Source::Lazy(u) => u.successors(state, from, to, &mut out),
        }
        let part = self.keep(&out);
        self.scratch = out;
        let class = self.classes[usize::from(stutters)].give(symbol, &mut self.class_count);
        let (state, class) = (state.index(), class as usize);
        if self.rows.len() <= state {
            self.rows.resize(state + 1, Vec::new());
        }
        let row = &mut self.rows[state];
        if row.len() <= class {
            row.resize(class + 1, UNKNOWN);
        }
        row[class] = part;
        part
    }

    fn keep(&mut self, out: &[(StateId, Marks)]) -> Part {
        let index = |n: usize| u32::try_from(n).expect("more than 2^32 observer edges");
        let start = index(self.successors.len());
        self.successors.extend_from_slice(out);
        (start, index(self.successors.len()))
    }

    /// What tells a state from others in which the word is at the same letter: the same in all clones, whatever they
    /// were asked before.
    #[inline]
    #[must_use]
    pub fn key(&self, state: StateId) -> u32 {
        match &self.source {
            Source::Letters(_) | Source::Changes(_) => state.packed(),
            Source::Lazy(u) => u.key(state),
        }
    }

    /// The state with this key in which the word is at `letter`.
    #[inline]
    pub fn state_of(&mut self, key: u32, letter: Letter) -> StateId {
        match &mut self.source {
            Source::Letters(_) | Source::Changes(_) => StateId::unpacked(key),
            Source::Lazy(u) => u.state_of(key, letter),
        }
    }

    /// Whether a TA state accepts by stuttering for ever.
    pub fn is_livelock(&mut self, state: StateId) -> bool {
        match &mut self.source {
            Source::Letters(_) => false,
            Source::Changes(t) => t.livelock[state.index()],
            Source::Lazy(u) => self.kind == Kind::Ta && u.is_livelock(state),
        }
    }

    /// Whether a state of a testing automaton is known to have no edges but stuttering ones.
    #[must_use]
    pub fn is_trap(&self, state: StateId) -> bool {
        match &self.source {
            Source::Changes(t) => t.edges[state.index()].iter().all(|e| e.changes.is_empty()),
            Source::Letters(_) | Source::Lazy(_) => false,
        }
    }

    /// Whether some state is seen to accept every word; see `omega/universal.rs`.
    pub fn has_universal(&mut self) -> bool {
        self.universal().contains(&true)
    }

    /// Whether a state is seen to accept every word.
    pub fn is_universal(&mut self, state: StateId) -> bool {
        let q = match &self.source {
            Source::Letters(_) | Source::Changes(_) => state,
            Source::Lazy(u) => match u.testing_state(state) {
                TestingState::At { q, .. } if self.kind == Kind::Tgta => q,
                TestingState::At { .. } | TestingState::Livelock { .. } => return false,
            },
        };
        self.universal()[q.index()]
    }

    /// Of the automaton that there is, or that a lazy one is made from: which states are universal.
    fn universal(&mut self) -> &[bool] {
        let source = &self.source;
        self.universal.get_or_insert_with(|| match source {
            Source::Letters(a) => universal_states(a),
            Source::Changes(t) => universal_testing_states(t),
            Source::Lazy(u) => universal_states(u.automaton()),
        })
    }

    /// What the components of the automaton tell about acceptance by marks; `None` of an automaton that is computed on
    /// demand.
    pub fn acceptance(&mut self) -> Option<Acceptance> {
        let all = self.all_marks;
        let universal = self.universal().to_vec();
        match &self.source {
            Source::Letters(a) => {
                let edge = |q: StateId, i: usize| {
                    let edge = a.edges[q.index()].get(i);
                    edge.map(|e| (e.target, e.marks))
                };
                Some(Acceptance::new(a.len(), all, &universal, edge))
            }
            Source::Changes(t) => {
                let edge = |q: StateId, i: usize| {
                    let edge = t.edges[q.index()].get(i);
                    edge.map(|e| (e.target, e.marks))
                };
                Some(Acceptance::new(t.len(), all, &universal, edge))
            }
            Source::Lazy(_) => None,
        }
    }

    /// Whether it observes changes, so that it must be told the letter after a step.
    #[must_use]
    pub fn sees_changes(&self) -> bool {
        !matches!(self.source, Source::Letters(_))
    }

    /// How many automaton states are known; of a lazy automaton, those seen so far.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.source {
            Source::Letters(a) => a.len(),
            Source::Changes(t) => t.len(),
            Source::Lazy(u) => u.len(),
        }
    }

    /// How many automaton states there are, or a guess if they are computed on demand.
    #[must_use]
    pub fn expected_len(&self) -> usize {
        match &self.source {
            Source::Letters(_) | Source::Changes(_) => self.len(),
            Source::Lazy(u) => u.automaton().len() + 1,
        }
    }

    /// Whether no automaton state is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::Bdd;

    /// A state per proposition, each of which loops on its own proposition and goes to the next one otherwise.
    fn ring(n: u32) -> Automaton {
        let names = (0..n).map(|i| format!("p{i}")).collect();
        let mut a = Automaton::new(names, 1);
        for _ in 0..n {
            a.add_state(None);
        }
        for q in 0..n {
            let here = a.guards.literal(q, true).unwrap();
            let gone = a.guards.literal(q, false).unwrap();
            let (state, next) = (StateId::unpacked(q), StateId::unpacked((q + 1) % n));
            a.add_edge(state, here, Marks(1), state).unwrap();
            a.add_edge(state, gone, Marks::NONE, next).unwrap();
        }
        a.initial = vec![StateId::default()];
        a
    }

    #[test]
    fn keys_mean_the_same_in_observers_that_were_asked_in_other_orders() {
        let a = ring(5);
        let free = vec![Bdd::TRUE; a.len()];
        let lazy = Observer::lazy(LazyTesting::new(a, TestingKind::Tgta, free));
        let (mut one, mut other) = (lazy.clone(), lazy);
        let letters: Vec<Letter> = (0..32).map(Letter).collect();
        for &letter in letters.iter().rev() {
            other.initial(letter);
        }
        for &from in &letters {
            for (q, _) in one.initial(from).to_vec() {
                let key = one.key(q);
                let p = other.state_of(key, from);
                assert_eq!((other.key(p), one.state_of(key, from)), (key, q));
                for &to in &letters {
                    let step = |observer: &mut Observer, q| {
                        let found = observer.step(q, from, to).to_vec();
                        let key = |&(q, marks): &(StateId, Marks)| (observer.key(q), marks);
                        found.iter().map(key).collect::<Vec<_>>()
                    };
                    assert_eq!(step(&mut one, q), step(&mut other, p));
                }
            }
        }
    }

    #[test]
    fn answers_are_those_of_the_automaton_also_for_large_letters() {
        let a = ring(40);
        let mut observer = Observer::new(a.clone());
        let mut lazy = Observer::lazy(LazyTesting::new(
            a.clone(),
            TestingKind::Tgta,
            vec![Bdd::FALSE; a.len()],
        ));
        let letters = [0, 1, 5, 4095, 4096, 1 << 39, (1 << 40) - 1].map(Letter);
        for _ in 0..2 {
            for q in a.states().rev() {
                for from in letters {
                    let expected: Vec<_> =
                        a.enabled(q, from).map(|e| (e.target, e.marks)).collect();
                    for to in letters {
                        assert_eq!(observer.step(q, from, to), expected);
                    }
                }
            }
            // A state of the lazy automaton is (q, letter); all are reached by reading letters.
            let mut at: Vec<(StateId, StateId, Letter)> = Vec::new();
            for letter in letters {
                at.extend(
                    lazy.initial(letter)
                        .iter()
                        .map(|&(s, _)| (s, StateId::default(), letter)),
                );
            }
            for (state, q, from) in at {
                for to in letters {
                    let expected: Vec<Marks> = a.enabled(q, from).map(|e| e.marks).collect();
                    let seen: Vec<Marks> = lazy.step(state, from, to).iter().map(|s| s.1).collect();
                    assert_eq!(seen, expected, "{from:?} {to:?}");
                }
            }
        }
    }
}
