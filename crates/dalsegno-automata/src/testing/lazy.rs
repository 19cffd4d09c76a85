//! From automata that observe letters to automata that observe changes, on demand.
//!
//! The states of the testing automaton are pairs (q, ℓ) of a state and the letter it reads next; a step
//! of the word from ℓ to ℓ' follows the edges of q that ℓ enables. What is done about stuttering:
//!
//! - **TA** (P12 Prop. 2 and 3): no stuttering edges; (q, ℓ) is a livelock state if q reaches, reading
//!   only ℓ, a cycle that carries the mark.
//! - **TGTA** of a stutter-invariant language (P12 Prop. 4 and 5): (q, ℓ) loops on the empty changeset,
//!   with all marks if q lies on a cycle over ℓ that carries all marks. If q only reaches such a cycle,
//!   whoever enters (q, ℓ) may also enter one *livelock state*, which can do nothing but stutter for
//!   ever and is accepting.
//! - **TGTA** of any language: two modes. In mode *exact* every stuttering edge is kept (P15 Prop. 2).
//!   On reaching (q, ℓ) such that the words from q that begin with ℓ are a stutter-invariant language, the mode becomes *stutter*
//!   for good, and the rules above apply to the part rooted there, whether or not the states below are invariant
//!   themselves. That suffices, also if q with other letters is not invariant: by the proofs of P12 the part rooted at
//!   (q, ℓ) accepts a word if and only if q accepts some word that is the same but for repetitions, and such words begin
//!   with ℓ too. (P15 Prop. 3 drops stuttering edges state by state, which loses words: the valid
//!   `G(!a -> X a) | F(!a & X !a)` would lose a^ω.)
//!
//! Where stuttering is free, whoever enters (q, ℓ) may as well enter (p, ℓ) for any p that q reaches
//! reading only ℓ (the proof of P12 Prop. 5.2 does not need the cycle). A *saturated* testing automaton enters
//! all of them: more edges, but then simulation often finds that one of them dominates the others.
//!
//! If every letter is possible, (q, ℓ) remembers only the propositions that q or a state reachable from
//! q observes (P11 section 2.3): the others cannot matter any more.
//!
//! If moreover the languages of q and of all states reachable from q are stutter-invariant, these propositions are the *mask* of q:
//! in mode stutter, a step that changes none of them is a stuttering step. Other states have all propositions in their masks.
//! Masks only shrink along a run. *Proof* that the language stays. Let w be accepted from q, and its steps that change nothing in the mask be
//! removed: what is left is accepted from q, and so has a run, which the loops of (q, ℓ) extend to w until the mask shrinks, at
//! some p. The rest of w is accepted from p, and p is as q was. Masks shrink finitely often. Conversely, a run on w from (q, ℓ) that takes loops where the
//! mask does not change, is one of q on a word that is w up to such steps, by induction from the last mask on. ∎ The
//! livelock state that is entered in place of (q, ℓ) has the mask of q: all words on which that is constant are accepted.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use dalsegno_kripke::Letter;

use crate::bdd::Bdd;
use crate::omega::automaton::Automaton;
use crate::omega::edge::Marks;
use crate::omega::scc::Components;
use crate::omega::state_id::StateId;
use crate::testing::automaton::TestingKind;

/// A state of a testing automaton, by what it stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TestingState {
    /// State `q` about to read `letter`; in mode stutter or exact.
    At {
        /// The state of the automaton.
        q: StateId,
        /// The letter it reads next, restricted to what can still be observed.
        letter: Letter,
        /// Whether stuttering is free here.
        stutter: bool,
    },
    /// A state that stutters for ever.
    Livelock {
        /// The number of the mask outside of which anything may change.
        mask: u32,
    },
}

/// The first key of states that stutter for ever, of which there is one for each mask; the others are below it. Other keys are
/// twice the number of a state, and one more in mode stutter.
const LIVELOCK: u32 = u32::MAX;

/// The mask of all propositions.
const ALL: u64 = u64::MAX;

/// What reading one letter again and again leads to.
#[derive(Clone)]
struct Stuttering {
    /// Whether the state lies on a cycle that carries all marks.
    on_cycle: Vec<bool>,
    /// Whether the state reaches one.
    reaches: Vec<bool>,
    /// The states that each state reaches, itself included; only for saturated testing automata.
    closure: Vec<Vec<StateId>>,
}

/// A testing automaton that is computed as it is asked for. States are numbered as they appear; clones share the
/// automaton that it is made from, and number on their own. A state's [`LazyTesting::key`] is the same in all clones.
#[derive(Clone)]
pub struct LazyTesting {
    automaton: Arc<Automaton>,
    kind: TestingKind,
    /// The letters on which stuttering is free from each state on, in the manager of the automaton.
    free: Arc<[Bdd]>,
    saturated: bool,
    jumps: Arc<FxHashMap<(StateId, Letter), StateId>>,
    observed: Arc<[Letter]>,
    /// The masks that there are, and the number of the mask of each state of the automaton in mode stutter.
    masks: Arc<[u64]>,
    mask_of: Arc<[u32]>,
    stuttering: FxHashMap<Letter, Stuttering>,
    states: Vec<TestingState>,
    /// The propositions that each state sees changing.
    visible: Vec<u64>,
    ids: FxHashMap<TestingState, StateId>,
    /// The edges of the automaton.
    edge_count: u64,
    /// The bytes of `stuttering`.
    stuttering_bytes: u64,
}

impl LazyTesting {
    /// The testing automaton of `automaton`; for a TA it must be a Büchi automaton of a stutter-invariant
    /// language. `free[q]` has for a TGTA letters ℓ, in the manager of the automaton, such that the words from `q` that begin with ℓ
    /// are a stutter-invariant language; claiming less is safe.
    #[must_use]
    pub fn new(automaton: Automaton, kind: TestingKind, free: Vec<Bdd>) -> Self {
        let observed = observed(&automaton);
        LazyTesting {
            edge_count: automaton.edge_count() as u64,
            stuttering_bytes: 0,
            masks: [ALL].into(),
            mask_of: vec![0; automaton.len()].into(),
            automaton: Arc::new(automaton),
            kind,
            free: free.into(),
            saturated: false,
            jumps: Arc::default(),
            observed: observed.into(),
            stuttering: FxHashMap::default(),
            states: Vec::new(),
            visible: Vec::new(),
            ids: FxHashMap::default(),
        }
    }

    /// The same TGTA with masks, which has not been asked for anything yet. `invariant[q]` says that the language of q is
    /// stutter-invariant; claiming less is safe.
    #[must_use]
    pub fn with_masks(mut self, invariant: &[bool]) -> Self {
        debug_assert!(self.states.is_empty() && self.is_plain());
        if self.kind == TestingKind::Tgta {
            let mut masks = vec![ALL];
            let number = |mask: u64| {
                let known = masks.iter().position(|&m| m == mask);
                let number = known.unwrap_or_else(|| {
                    masks.push(mask);
                    masks.len() - 1
                });
                number as u32
            };
            let of = masked(&self.automaton, &self.observed, invariant);
            self.mask_of = of.into_iter().map(number).collect();
            self.masks = masks.into();
        }
        self
    }

    /// The propositions that a state sees changing: a step that changes no other ones is a stuttering step.
    #[inline]
    #[must_use]
    pub fn visible(&self, state: StateId) -> u64 {
        self.visible[state.index()]
    }

    /// The same testing automaton, saturated.
    #[must_use]
    pub fn saturated(mut self) -> Self {
        self.saturated = true;
        self
    }

    /// The same testing automaton, entering (p, ℓ) instead of (q, ℓ) for each entry (q, ℓ) to p.
    ///
    /// That is right if q reaches p reading only ℓ, and (p, ℓ) accepts what (q, ℓ) does.
    #[must_use]
    pub fn jumping(mut self, jumps: FxHashMap<(StateId, Letter), StateId>) -> Self {
        self.jumps = Arc::new(jumps);
        self
    }

    /// The states that a state reaches reading only `letter`, itself included.
    pub(crate) fn stuttering_successors(&self, q: StateId, letter: Letter) -> Vec<StateId> {
        reachable(&self.automaton, letter, q)
    }

    /// What is left of a letter in a state.
    pub(crate) fn observed(&self, q: StateId, letter: Letter) -> Letter {
        Letter(letter.0 & self.observed[q.index()].0)
    }

    /// The number of a testing state, if it has been seen.
    pub(crate) fn find(&self, state: TestingState) -> Option<StateId> {
        self.ids.get(&state).copied()
    }

    /// The automaton over letters.
    #[must_use]
    pub fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// Whether stuttering is free in some state.
    #[must_use]
    pub fn can_stutter(&self) -> bool {
        self.free.iter().any(|&f| f != Bdd::FALSE)
    }

    /// Whether stuttering is free in some state seen so far.
    pub(crate) fn stutters(&self) -> bool {
        let free = |s: &TestingState| matches!(s, TestingState::At { stutter: true, .. });
        self.states.iter().any(free)
    }

    /// Whether stuttering is free in all states seen so far.
    pub(crate) fn stutters_everywhere(&self) -> bool {
        let exact = |s: &TestingState| matches!(s, TestingState::At { stutter: false, .. });
        self.kind == TestingKind::Tgta && !self.states.iter().any(exact)
    }

    /// Whether states are entered as the automaton says, and no others.
    pub(crate) fn is_plain(&self) -> bool {
        !self.saturated && self.jumps.is_empty()
    }

    /// The letters on which stuttering is free from a state on.
    pub(crate) fn is_free(&self, q: StateId, letter: Letter) -> bool {
        let seen = self.observed(q, letter);
        self.automaton.guards.holds(self.free[q.index()], seen)
    }

    /// The variables that the letters of [`LazyTesting::is_free`] depend on.
    pub(crate) fn free_support(&self, q: StateId) -> Vec<crate::bdd::Var> {
        self.automaton.guards.support(self.free[q.index()])
    }

    /// Whether stuttering for ever in `q` on this letter is accepted by its loop.
    pub(crate) fn is_on_cycle(&mut self, q: StateId, letter: Letter) -> bool {
        self.stuttering(letter).on_cycle[q.index()]
    }

    /// TA or TGTA.
    #[must_use]
    pub fn kind(&self) -> TestingKind {
        self.kind
    }

    /// The number of states seen so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether no state has been seen yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// About how many steps it takes to step to `letter`.
    #[must_use]
    pub fn cost(&self, letter: Letter) -> u64 {
        let states = self.automaton.len() as u64;
        let step = 1 + self.edge_count / states.max(1);
        if self.stuttering.contains_key(&letter) {
            step
        } else {
            let closure = if self.saturated { states } else { 1 };
            step + (states + self.edge_count) * closure
        }
    }

    /// The bytes of the tables, roughly.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let state = 3 * size_of::<TestingState>() + size_of::<StateId>() + size_of::<u64>();
        self.stuttering_bytes + (self.states.len() * state) as u64
    }

    /// What a state stands for.
    #[must_use]
    pub fn testing_state(&self, state: StateId) -> TestingState {
        self.states[state.index()]
    }

    /// What tells a state from others in which the word is at the same letter, whatever was asked for before.
    #[must_use]
    pub fn key(&self, state: StateId) -> u32 {
        match self.states[state.index()] {
            TestingState::Livelock { mask } => LIVELOCK - mask,
            TestingState::At { q, stutter, .. } => q.packed() << 1 | u32::from(stutter),
        }
    }

    /// The state with this key in which the word is at `letter`.
    pub fn state_of(&mut self, key: u32, letter: Letter) -> StateId {
        let mask = LIVELOCK - key;
        self.intern(if (mask as usize) < self.masks.len() {
            TestingState::Livelock { mask }
        } else {
            let (q, stutter) = (StateId::unpacked(key >> 1), key & 1 == 1);
            let letter = self.observed(q, letter);
            TestingState::At { q, letter, stutter }
        })
    }

    /// Appends the states in which a word may start that begins with `letter`.
    pub fn initial(&mut self, letter: Letter, out: &mut Vec<(StateId, Marks)>) {
        for i in 0..self.automaton.initial.len() {
            let q = self.automaton.initial[i];
            self.enter(q, letter, false, Marks::NONE, out);
        }
    }

    /// Appends the successors of `state` when the word steps from the letter of the state to `letter`.
    ///
    /// `from` is the full letter of the source; the state itself may have forgotten part of it.
    pub fn successors(
        &mut self,
        state: StateId,
        from: Letter,
        to: Letter,
        out: &mut Vec<(StateId, Marks)>,
    ) {
        let stutters = (from ^ to).0 & self.visible(state) == 0;
        let (q, stutter) = match self.states[state.index()] {
            TestingState::Livelock { .. } => {
                if stutters {
                    out.push((state, self.automaton.all_marks()));
                }
                return;
            }
            TestingState::At { q, stutter, .. } => (q, stutter),
        };
        if stutters && (stutter || self.kind == TestingKind::Ta) {
            if self.kind == TestingKind::Tgta {
                let marks = if self.stuttering(from).on_cycle[q.index()] {
                    self.automaton.all_marks()
                } else {
                    Marks::NONE
                };
                out.push((state, marks));
            }
            return;
        }
        for i in 0..self.automaton.edges[q.index()].len() {
            let e = self.automaton.edges[q.index()][i];
            if self.automaton.guards.holds(e.guard, from) {
                self.enter(e.target, to, stutter, e.marks, out);
            }
        }
    }

    /// Whether a TA state accepts by stuttering for ever.
    pub fn is_livelock(&mut self, state: StateId) -> bool {
        match self.states[state.index()] {
            TestingState::Livelock { .. } => true,
            TestingState::At { q, letter, .. } => self.stuttering(letter).reaches[q.index()],
        }
    }

    fn enter(
        &mut self,
        q: StateId,
        letter: Letter,
        stutter: bool,
        marks: Marks,
        out: &mut Vec<(StateId, Marks)>,
    ) {
        let seen = self.observed(q, letter);
        let stutter = stutter || self.automaton.guards.holds(self.free[q.index()], seen);
        let entered = match self.jumps.get(&(q, seen)) {
            Some(&p) if stutter => p,
            _ => q,
        };
        if stutter && self.saturated {
            for i in 0..self.stuttering(letter).closure[q.index()].len() {
                let p = self.stuttering(letter).closure[q.index()][i];
                self.enter_one(p, letter, stutter, marks, out);
            }
        } else {
            self.enter_one(entered, letter, stutter, marks, out);
        }
        if stutter && self.kind == TestingKind::Tgta {
            let s = self.stuttering(letter);
            if s.reaches[q.index()] && !s.on_cycle[entered.index()] {
                let mask = self.mask_of[q.index()];
                let id = self.intern(TestingState::Livelock { mask });
                push(out, (id, Marks::NONE));
            }
        }
    }

    fn enter_one(
        &mut self,
        q: StateId,
        letter: Letter,
        stutter: bool,
        marks: Marks,
        out: &mut Vec<(StateId, Marks)>,
    ) {
        // A state that cannot read the letter is a dead end.
        if self.automaton.enabled(q, letter).next().is_some() {
            let letter = self.observed(q, letter);
            let id = self.intern(TestingState::At { q, letter, stutter });
            push(out, (id, marks));
        }
    }

    fn intern(&mut self, state: TestingState) -> StateId {
        let (states, visible) = (&mut self.states, &mut self.visible);
        let (masks, mask_of) = (&self.masks, &self.mask_of);
        *self.ids.entry(state).or_insert_with(|| {
            states.push(state);
            visible.push(match state {
                TestingState::At { stutter: false, .. } => ALL,
                TestingState::At { q, .. } => masks[mask_of[q.index()] as usize],
                TestingState::Livelock { mask } => masks[mask as usize],
            });
            StateId::new(states.len() - 1)
        })
    }

    fn stuttering(&mut self, letter: Letter) -> &Stuttering {
        let (automaton, saturated) = (&self.automaton, self.saturated);
        let bytes = &mut self.stuttering_bytes;
        self.stuttering.entry(letter).or_insert_with(|| {
            let stuttering = Stuttering::new(automaton, letter, saturated);
            *bytes += stuttering.bytes();
            stuttering
        })
    }
}

fn push(out: &mut Vec<(StateId, Marks)>, successor: (StateId, Marks)) {
    if !out.contains(&successor) {
        out.push(successor);
    }
}

impl Stuttering {
    fn bytes(&self) -> u64 {
        let reached: usize = self.closure.iter().map(Vec::capacity).sum();
        (2 * self.reaches.len() + 24 * self.closure.len() + 4 * reached) as u64
    }

    fn new(automaton: &Automaton, letter: Letter, saturated: bool) -> Self {
        let n = automaton.len();
        let edges: Vec<Vec<(StateId, Marks)>> = StateId::first(n)
            .map(|q| {
                automaton
                    .enabled(q, letter)
                    .map(|e| (e.target, e.marks))
                    .collect()
            })
            .collect();
        let components = Components::new(n, StateId::first(n), |q, i| {
            edges[q.index()].get(i).map(|&(t, _)| t)
        });
        let mut marks: Vec<Option<Marks>> = vec![None; components.count];
        for (q, out) in StateId::all().zip(&edges) {
            for &(t, m) in out {
                if components.same(q, t) {
                    let slot = &mut marks[components.of[q.index()] as usize];
                    *slot = Some(slot.unwrap_or(Marks::NONE).union(m));
                }
            }
        }
        let all = automaton.all_marks();
        let on_cycle: Vec<bool> = (0..n)
            .map(|q| marks[components.of[q] as usize].is_some_and(|m| m.contains(all)))
            .collect();
        let mut component_reaches = vec![false; components.count];
        for q in components.bottom_up() {
            let reaches = on_cycle[q]
                || edges[q]
                    .iter()
                    .any(|&(t, _)| component_reaches[components.of[t.index()] as usize]);
            component_reaches[components.of[q] as usize] |= reaches;
        }
        let reaches = (0..n)
            .map(|q| component_reaches[components.of[q] as usize])
            .collect();
        let closure = if saturated {
            StateId::first(n)
                .map(|q| reachable(automaton, letter, q))
                .collect()
        } else {
            Vec::new()
        };
        Stuttering {
            on_cycle,
            reaches,
            closure,
        }
    }
}

fn reachable(automaton: &Automaton, letter: Letter, q: StateId) -> Vec<StateId> {
    let mut seen = vec![false; automaton.len()];
    seen[q.index()] = true;
    let mut found = vec![q];
    let mut next = 0;
    while let Some(&p) = found.get(next) {
        next += 1;
        for e in automaton.enabled(p, letter) {
            if !std::mem::replace(&mut seen[e.target.index()], true) {
                found.push(e.target);
            }
        }
    }
    found
}

/// For each state the propositions that it or a state reachable from it observes.
fn observed(automaton: &Automaton) -> Vec<Letter> {
    if automaton.alphabet != Bdd::TRUE {
        return vec![Letter(u64::MAX); automaton.len()];
    }
    let n = automaton.len();
    let components = Components::new(n, StateId::first(n), |q, i| {
        automaton.edges[q.index()].get(i).map(|e| e.target)
    });
    let mut masks = vec![0u64; components.count];
    for q in components.bottom_up() {
        let mut mask = masks[components.of[q] as usize];
        for e in &automaton.edges[q] {
            mask |= masks[components.of[e.target.index()] as usize];
        }
        let guards = automaton.edges[q].iter().map(|e| e.guard);
        for v in automaton.guards.support_of(guards) {
            mask |= 1 << v;
        }
        masks[components.of[q] as usize] = mask;
    }
    (0..n)
        .map(|q| Letter(masks[components.of[q] as usize]))
        .collect()
}

/// For each state the propositions that it observes, if it and all states reachable from it have stutter-invariant languages, and all
/// propositions otherwise.
fn masked(automaton: &Automaton, observed: &[Letter], invariant: &[bool]) -> Vec<u64> {
    let n = automaton.len();
    let components = Components::new(n, StateId::first(n), |q, i| {
        automaton.edges[q.index()].get(i).map(|e| e.target)
    });
    let mut fails = vec![false; components.count];
    for q in components.bottom_up() {
        let mut below = automaton.edges[q].iter();
        let below = below.any(|e| fails[components.of[e.target.index()] as usize]);
        fails[components.of[q] as usize] |= below || !invariant[q];
    }
    let mask = |q: usize| {
        if fails[components.of[q] as usize] {
            ALL
        } else {
            observed[q].0
        }
    };
    (0..n).map(mask).collect()
}
