//! The transitions of a product on packed states: steps of the model with what an observer does meanwhile.
//!
//! P12 appendix A and P15 Def. 6, without a table: whoever stores the nodes asks for the moves from one of them and
//! looks the targets up, or sends them to who does. What a dead end does is a parameter: it repeats itself for ever,
//! or it ends a path that does not count.

use dalsegno_automata::Marks;
use dalsegno_automata::observer::{Kind, Observer};
use dalsegno_kripke::{DeadEnds, Fault, GroupId, Letter, Model, Predicate};

use crate::labelling::Labelling;
use crate::steps::{Batch, Outgrown, Steps};

/// What an observer sees of a model and where it goes. Clones share the automaton, and each has a memory of its own.
#[derive(Clone)]
pub struct Moves {
    /// The letters of states.
    pub labelling: Labelling,
    /// The observer.
    pub observer: Observer,
    /// What a dead end does.
    pub dead_ends: DeadEnds,
}

/// A step of the model, with the steps of the observer.
pub struct Move<'a> {
    /// The packed state that it leads to, and its hash.
    pub state: &'a [u64],
    /// The hash of this state.
    pub hash: u64,
    /// The group, or `None` for the repetition of a dead end.
    pub group: Option<GroupId>,
    /// The letter of the state.
    pub letter: Letter,
    /// The automaton states that it leads to, with the marks of the transitions.
    pub targets: &'a [(u32, Marks)],
}

impl Moves {
    /// The moves of an observer of these propositions.
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
        Moves {
            labelling: Labelling::new(model, propositions),
            observer,
            dead_ends,
        }
    }

    /// Whether the observer is a TA, with its two kinds of acceptance.
    #[must_use]
    pub fn is_ta(&self) -> bool {
        self.observer.kind() == Kind::Ta
    }

    /// Shows the moves from a packed state with this letter and this automaton state. The successors must be in the
    /// batch; one that is empty is that of a dead end.
    pub fn each(
        &mut self,
        steps: &Steps,
        from: &[u64],
        letter: Letter,
        q: u32,
        batch: &Batch,
        mut visit: impl FnMut(Move<'_>),
    ) {
        if batch.hashes.is_empty() {
            if self.dead_ends == DeadEnds::Stutter {
                visit(Move {
                    state: from,
                    hash: crate::table::hash_of(from),
                    group: None,
                    letter,
                    targets: self.observer.step(q, letter, letter),
                });
            }
            return;
        }
        // Neighbouring transitions mostly see the same letters.
        let mut seen = letter;
        let mut targets = self.observer.step(q, letter, letter);
        let states = batch.states.chunks_exact(steps.words());
        for ((state, &hash), &group) in states.zip(&batch.hashes).zip(&batch.groups) {
            let to = self.labelling.letter_after(steps, state, group, letter);
            if to != seen {
                seen = to;
                targets = self.observer.step(q, letter, to);
            }
            visit(Move {
                state,
                hash,
                group: Some(group),
                letter: to,
                targets,
            });
        }
    }

    /// Fills the batch with the successors of a packed state, for [`Moves::each`].
    ///
    /// # Errors
    /// As [`Steps::fire`].
    pub fn fire(
        steps: &mut Steps,
        from: &[u64],
        batch: &mut Batch,
    ) -> Result<Option<Outgrown>, Fault> {
        batch.clear();
        steps.fire(from, None, batch)
    }
}
