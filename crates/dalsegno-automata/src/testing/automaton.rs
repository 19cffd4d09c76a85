//! Testing automata: automata that observe *changes* of propositions.
//!
//! One type serves both kinds; what differs is data.
//!
//! - A **TA** (P12 Def. 5) stays where it is when the word stutters, without an edge for it. It
//!   accepts by *livelock* (the word stutters for ever in a livelock state) or by *Büchi* acceptance
//!   (the word changes for ever and the run leaves Büchi states infinitely often).
//! - A **TGTA** (P12 Def. 6, P15 Def. 4) has edges for stuttering steps and generalised acceptance on
//!   edges, like a TGBA; it has no livelock states.
//!
//! Invariants:
//!
//! 1. Edges of a state are sorted by (changeset, target, marks), without repetition.
//! 2. Initial pairs are sorted by (letter, state), without repetition.
//! 3. TA: no edge has the empty changeset; there is one acceptance set; the edges of a state have all
//!    the same marks, so the Büchi states are the sources of marked edges.
//! 4. TGTA: no state is a livelock state.
//! 5. There is at most one run prefix letter per state: following edges from the initial pairs, the
//!    letter reached is one of `alphabet`, whatever the path.

use dalsegno_kripke::{Changeset, Letter};
use dalsegno_logic::FormulaId;

use crate::omega::edge::Marks;
use crate::omega::state_id::StateId;

/// How a testing automaton stutters and accepts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TestingKind {
    /// Stuttering is implicit; Büchi states and livelock states.
    Ta,
    /// Stuttering has edges; generalised acceptance on edges.
    Tgta,
}

/// An edge taken when exactly the propositions of `changes` change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TestingEdge {
    /// The propositions that change.
    pub changes: Changeset,
    /// Where it goes.
    pub target: StateId,
    /// The acceptance sets that the edge is in.
    pub marks: Marks,
}

/// A TA or TGTA; see the module's invariants. Two of them are equal if they are as automata.
#[derive(Clone, Debug)]
pub struct TestingAutomaton {
    /// Which of the two kinds.
    pub(crate) kind: TestingKind,
    /// The names of the propositions.
    pub(crate) propositions: Vec<String>,
    /// The letters that can occur, ascending.
    pub(crate) alphabet: Vec<Letter>,
    /// Where a word may start that begins with the letter.
    pub(crate) initial: Vec<(Letter, StateId)>,
    /// The edges of each state.
    pub(crate) edges: Vec<Vec<TestingEdge>>,
    /// The number of acceptance sets.
    pub(crate) acceptance_sets: u32,
    /// The livelock states of a TA.
    pub(crate) livelock: Vec<bool>,
    /// The formula of the automaton state that each state comes from, where it is known.
    pub(crate) labels: Vec<Option<FormulaId>>,
    /// Whether a TGTA was made in mode *stutter* as a whole; see [`TestingAutomaton::stutters_freely`].
    pub(crate) free: bool,
}

impl PartialEq for TestingAutomaton {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.propositions == other.propositions
            && self.alphabet == other.alphabet
            && self.initial == other.initial
            && self.edges == other.edges
            && self.acceptance_sets == other.acceptance_sets
            && self.livelock == other.livelock
            && self.labels == other.labels
    }
}

impl Eq for TestingAutomaton {}

impl TestingAutomaton {
    /// Which of the two kinds.
    #[must_use]
    pub fn kind(&self) -> TestingKind {
        self.kind
    }

    /// The names of the propositions: bit `i` of letters and changesets is proposition `i`.
    #[must_use]
    pub fn propositions(&self) -> &[String] {
        &self.propositions
    }

    /// The letters that can occur, ascending.
    #[must_use]
    pub fn alphabet(&self) -> &[Letter] {
        &self.alphabet
    }

    /// Where a word may start that begins with the letter, ascending.
    #[must_use]
    pub fn initial(&self) -> &[(Letter, StateId)] {
        &self.initial
    }

    /// The states.
    #[must_use]
    pub fn states(&self) -> impl ExactSizeIterator<Item = StateId> + use<> {
        StateId::first(self.edges.len())
    }

    /// The edges of a state, sorted by changeset, target and marks.
    #[must_use]
    pub fn edges(&self, state: StateId) -> &[TestingEdge] {
        &self.edges[state.index()]
    }

    /// The same automaton with other names for its propositions.
    ///
    /// # Panics
    /// If there is not a name for each of them.
    #[must_use]
    pub fn with_propositions(mut self, names: Vec<String>) -> Self {
        assert_eq!(names.len(), self.propositions.len(), "a name for each");
        self.propositions = names;
        self
    }

    /// The number of acceptance sets.
    #[must_use]
    pub fn acceptance_sets(&self) -> u32 {
        self.acceptance_sets
    }

    /// Whether a TA state accepts by stuttering for ever.
    #[must_use]
    pub fn is_livelock(&self, state: StateId) -> bool {
        self.livelock[state.index()]
    }

    /// The formula of the automaton state that a state comes from, where it is known.
    #[must_use]
    pub fn label(&self, state: StateId) -> Option<FormulaId> {
        self.labels.get(state.index()).copied().flatten()
    }

    /// The same automaton; what its states stand for is forgotten.
    #[must_use]
    pub fn without_labels(mut self) -> Self {
        self.labels.fill(None);
        self
    }

    /// The number of states.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Whether there is no state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// The number of edges, stuttering loops included.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// All marks.
    #[inline]
    #[must_use]
    pub fn all_marks(&self) -> Marks {
        Marks::all(self.acceptance_sets)
    }

    /// The edges of `state` that `changes` enables, a contiguous part of its edges.
    #[must_use]
    pub fn enabled(&self, state: StateId, changes: Changeset) -> &[TestingEdge] {
        let edges = &self.edges[state.index()];
        let start = edges.partition_point(|e| e.changes < changes);
        let end = start + edges[start..].partition_point(|e| e.changes == changes);
        &edges[start..end]
    }

    /// Whether stuttering is free in a state: it has no stuttering edge but a loop, and every word that is accepted from it has a
    /// run whose edges for changes alone carry all marks infinitely often, or that ends in a state whose stuttering loop carries all marks.
    /// Of TA that is their definition; a TGTA must be known to have been made so.
    #[must_use]
    pub fn stutters_freely(&self, state: StateId) -> bool {
        match self.kind {
            TestingKind::Ta => true,
            TestingKind::Tgta => {
                let loops = self.enabled(state, Changeset::EMPTY);
                self.free && matches!(loops, [one] if one.target == state)
            }
        }
    }

    /// Whether a TA state is a Büchi state.
    #[must_use]
    pub fn is_buchi(&self, state: StateId) -> bool {
        self.edges[state.index()]
            .first()
            .is_some_and(|e| e.marks != Marks::NONE)
    }

    /// Whether no word has two runs.
    #[must_use]
    pub fn is_deterministic(&self) -> bool {
        self.initial.windows(2).all(|w| w[0].0 != w[1].0)
            && self
                .edges
                .iter()
                .all(|edges| edges.windows(2).all(|w| w[0].changes != w[1].changes))
    }

    /// Checks invariants 1 to 4.
    ///
    /// # Panics
    /// If one is broken.
    pub fn check_invariants(&self) {
        let n = self.edges.len();
        assert_eq!(self.livelock.len(), n);
        assert_eq!(self.labels.len(), n);
        assert!(self.alphabet.is_sorted_by(|a, b| a < b));
        assert!(self.initial.is_sorted_by(|a, b| a < b));
        for &(letter, q) in &self.initial {
            assert!(q.index() < n && self.alphabet.binary_search(&letter).is_ok());
        }
        for edges in &self.edges {
            assert!(edges.is_sorted_by(|a, b| a < b));
            for e in edges {
                assert!(e.target.index() < n && self.all_marks().contains(e.marks));
            }
            if self.kind == TestingKind::Ta {
                assert!(edges.iter().all(|e| !e.changes.is_empty()));
                assert!(edges.windows(2).all(|w| w[0].marks == w[1].marks));
            }
        }
        match self.kind {
            TestingKind::Ta => assert_eq!(self.acceptance_sets, 1),
            TestingKind::Tgta => assert!(self.livelock.iter().all(|g| !g)),
        }
    }
}
