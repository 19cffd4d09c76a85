//! The transitions of a product on packed states: steps of the model with what an observer does meanwhile.
//!
//! P12 appendix A and P15 Def. 6, without a table: whoever stores the nodes asks for the moves from one of them and
//! looks the targets up, or sends them to who does. What a dead end does is a parameter: it repeats itself for ever,
//! or it ends a path that does not count.

use dalsegno_automata::observer::{Kind, Observer};
use dalsegno_automata::{Marks, StateId};
use dalsegno_kripke::{DeadEnds, GroupId, Letter, Model, Predicate};

use crate::labelling::Labelling;
use crate::steps::{Batch, Steps};
use crate::table::hash_of;

/// What an observer sees of a model and where it goes. Clones share the automaton, and each has a memory of its own.
#[derive(Clone)]
pub struct Moves {
    /// The letters of states.
    pub labelling: Labelling,
    /// The observer.
    pub observer: Observer,
    /// What a dead end does.
    pub dead_ends: DeadEnds,
    /// The targets of the steps that are being shown.
    targets: Vec<(u32, Marks)>,
}

/// A step of the model, with the steps of the observer.
pub struct Move<'a> {
    /// The packed state that it leads to.
    pub state: &'a [u64],
    /// The hash of this state.
    pub hash: u64,
    /// The group, or `None` for the repetition of a dead end.
    pub group: Option<GroupId>,
    /// Whether no observed proposition changes; an automaton over letters is not told.
    pub stutters: bool,
    /// The keys of the automaton states that it leads to ([`Observer::key`]), with the marks of the transitions.
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
            targets: Vec::new(),
        }
    }

    /// Whether the observer is a TA, with its two kinds of acceptance.
    #[must_use]
    pub fn is_ta(&self) -> bool {
        self.observer.kind() == Kind::Ta
    }

    /// Shows the moves from a packed state with this letter and this automaton state. The batch has all successors of the
    /// state; an empty one is that of a dead end.
    pub fn each(
        &mut self,
        steps: &Steps,
        (from, letter, q): (&[u64], Letter, StateId),
        batch: &Batch,
        mut visit: impl FnMut(Move<'_>),
    ) {
        if batch.hashes.is_empty() {
            if self.dead_ends == DeadEnds::Stutter {
                self.look_up(q, letter, letter);
                visit(Move {
                    state: from,
                    hash: hash_of(from),
                    group: None,
                    stutters: true,
                    targets: &self.targets,
                });
            }
            return;
        }
        let sees_changes = self.observer.sees_changes();
        // Neighbouring transitions mostly see the same letters.
        let mut seen = None;
        let states = batch.states.chunks_exact(steps.words());
        for ((state, &hash), &group) in states.zip(&batch.hashes).zip(&batch.groups) {
            let to = if sees_changes {
                self.labelling.letter_after(steps, state, group, letter)
            } else {
                letter
            };
            if seen != Some(to) {
                seen = Some(to);
                self.look_up(q, letter, to);
            }
            visit(Move {
                state,
                hash,
                group: Some(group),
                stutters: to == letter,
                targets: &self.targets,
            });
        }
    }

    /// Keeps the targets of a step of the observer, by their keys.
    fn look_up(&mut self, q: StateId, from: Letter, to: Letter) {
        self.targets.clear();
        let found = self.observer.step(q, from, to).iter();
        self.targets
            .extend(found.map(|&(target, marks)| (target.packed(), marks)));
        for (target, _) in &mut self.targets {
            *target = self.observer.key(StateId::unpacked(*target));
        }
    }
}
