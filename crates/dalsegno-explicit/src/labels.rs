//! The letters of states: each state is labelled once, when it is found.
//!
//! A new state differs from the one it was found from by one group, and a group can change only some
//! propositions; only those are evaluated, on the packed state, and the others are taken over. Letters
//! are interned: a state holds 32 bits.

use rustc_hash::FxHashMap;

use dalsegno_kripke::{GroupId, Letter, Predicate, Visibility};

use crate::space::{Space, StateId};

/// The letters of the known states of a space.
pub struct Labels {
    propositions: Vec<Predicate>,
    /// For each group the propositions that it can change.
    touched: Vec<u64>,
    of: Vec<u32>,
    letters: Vec<Letter>,
    ids: FxHashMap<Letter, u32>,
}

impl Labels {
    /// Labels the states known so far.
    ///
    /// # Panics
    /// If there are more than 64 propositions.
    #[must_use]
    pub fn new(space: &Space, propositions: Vec<Predicate>) -> Self {
        assert!(propositions.len() <= dalsegno_kripke::MAX_PROPOSITIONS);
        let model = space.model();
        let visibility = Visibility::new(model, &propositions);
        let touched = model
            .group_ids()
            .map(|g| visibility.changed_by(g).first().copied().unwrap_or(0))
            .collect();
        let mut labels = Labels {
            propositions,
            touched,
            of: Vec::new(),
            letters: Vec::new(),
            ids: FxHashMap::default(),
        };
        for state in 0..space.len() as StateId {
            let letter = labels.evaluate(space, state, u64::MAX, Letter::default());
            labels.push(letter);
        }
        labels
    }

    /// The letter of a state.
    #[inline]
    #[must_use]
    pub fn letter(&self, state: StateId) -> Letter {
        self.letters[self.of[state as usize] as usize]
    }

    /// Labels the states among `targets` that are new; they were found from `source` by `groups`.
    #[inline]
    pub fn extend(
        &mut self,
        space: &Space,
        source: StateId,
        groups: &[GroupId],
        targets: &[StateId],
    ) {
        if self.of.len() == space.len() {
            return;
        }
        let from = self.letter(source);
        for (group, &target) in groups.iter().zip(targets) {
            if target as usize == self.of.len() {
                let touched = self.touched[group.index()];
                let letter = self.evaluate(space, target, touched, from);
                self.push(letter);
            }
        }
    }

    /// The propositions that a group can change, as bits; all of them for what is no group.
    #[inline]
    #[must_use]
    pub fn touched(&self, group: GroupId) -> u64 {
        self.touched.get(group.index()).copied().unwrap_or(u64::MAX)
    }

    /// The bytes of the labels.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        4 * self.of.capacity() as u64
    }

    fn push(&mut self, letter: Letter) {
        let letters = &mut self.letters;
        let id = *self.ids.entry(letter).or_insert_with(|| {
            letters.push(letter);
            letters.len() as u32 - 1
        });
        self.of.push(id);
    }

    fn evaluate(&self, space: &Space, state: StateId, touched: u64, from: Letter) -> Letter {
        let mut letter = from;
        for (i, proposition) in self.propositions.iter().enumerate() {
            if touched >> i & 1 == 1 {
                letter = letter.with(i, space.holds(state, proposition));
            }
        }
        letter
    }
}
