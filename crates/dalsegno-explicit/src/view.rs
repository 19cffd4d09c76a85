//! What an automaton sees of a store of states: their letters, where it may go, and what a dead end does.
//!
//! A view is the [`Moves`] of an observer with the letters of the states that it has met. A store is shared by all
//! searches of a run; a view belongs to one of them. Together they make a [`Product`](crate::product::Product).

use dalsegno_automata::observer::{Kind, Observer};
use dalsegno_kripke::{DeadEnds, Fairness, Model, Predicate};

use crate::labels::Labels;
use crate::moves::Moves;

/// An observer with the letters of the states that it has met.
pub struct View {
    pub(crate) moves: Moves,
    pub(crate) labels: Labels,
    /// Which runs count.
    pub(crate) fairness: Fairness,
    /// Whether a state was left out because of a large value.
    pub(crate) pruned: bool,
}

impl View {
    /// The view of an observer of these propositions, which has met no state.
    ///
    /// # Panics
    /// If there are more than 64 propositions.
    #[must_use]
    pub fn new(
        model: &Model,
        propositions: Vec<Predicate>,
        observer: Observer,
        dead_ends: DeadEnds,
    ) -> Self {
        Self::of(Moves::new(model, propositions, observer, dead_ends))
    }

    /// The view of what an observer sees, which has met no state.
    pub(crate) fn of(moves: Moves) -> Self {
        View {
            labels: Labels::new(moves.labelling.clone()),
            moves,
            fairness: Fairness::NONE,
            pruned: false,
        }
    }

    /// The view of searches for fair runs.
    ///
    /// # Panics
    /// If the observer is a TA: a livelock is accepted whatever steps it has.
    #[must_use]
    pub fn fair(mut self, fairness: Fairness) -> Self {
        let livelocks = self.observer().kind() == Kind::Ta;
        assert!(
            fairness.is_none() || !livelocks,
            "a TA has livelock acceptance"
        );
        self.fairness = fairness;
        self
    }

    /// The observer.
    #[must_use]
    pub fn observer(&self) -> &Observer {
        &self.moves.observer
    }

    /// The observer by itself; what it has learnt of its automaton stays with it.
    #[must_use]
    pub fn into_observer(self) -> Observer {
        self.moves.observer
    }

    /// The bytes of the tables.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.labels.bytes()
    }
}
