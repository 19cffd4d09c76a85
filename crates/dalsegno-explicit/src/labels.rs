//! The letters of states: each state is labelled once, when it is first met.
//!
//! A state differs from the one it is met from by one group, and a group can change only some propositions; only
//! those are evaluated, on the packed state, and the others are taken over. States that are not met cost nothing,
//! however many a store holds. Letters are interned: a state holds 32 bits.

use rustc_hash::FxHashMap;

use dalsegno_kripke::{GroupId, Letter, Model, Predicate, Visibility};

use crate::paged::Paged;
use crate::space::{Space, StateId};

/// The letters of the states of a store that were met.
pub struct Labels {
    propositions: Vec<Predicate>,
    /// For each group the propositions that it can change.
    touched: Vec<u64>,
    /// The number of each state's letter, 0 before the state is met.
    of: Paged,
    /// By number; the first one stands for no letter.
    letters: Vec<Letter>,
    ids: FxHashMap<Letter, u32>,
}

impl Labels {
    /// No state has been met.
    ///
    /// # Panics
    /// If there are more than 64 propositions.
    #[must_use]
    pub fn new(model: &Model, propositions: Vec<Predicate>) -> Self {
        assert!(propositions.len() <= dalsegno_kripke::MAX_PROPOSITIONS);
        let visibility = Visibility::new(model, &propositions);
        let touched = model
            .group_ids()
            .map(|g| visibility.changed_by(g).first().copied().unwrap_or(0))
            .collect();
        Labels {
            propositions,
            touched,
            of: Paged::new(),
            letters: vec![Letter::default()],
            ids: FxHashMap::default(),
        }
    }

    /// The letter of a state, wherever it comes from.
    pub fn letter(&mut self, space: &Space, state: StateId) -> Letter {
        let id = self.number(space, state);
        self.by_number(id)
    }

    /// The number of a state's letter, wherever the state comes from.
    #[inline]
    pub(crate) fn number(&mut self, space: &Space, state: StateId) -> u32 {
        match self.of.get(state as usize) {
            0 => self.label(space, state, u64::MAX, Letter::default()),
            id => id,
        }
    }

    /// The number of the letter of a state that a group leads to from a state with the letter `from`.
    #[inline]
    pub(crate) fn number_after(
        &mut self,
        space: &Space,
        from: Letter,
        group: GroupId,
        target: StateId,
    ) -> u32 {
        match self.of.get(target as usize) {
            0 => self.label(space, target, self.touched(group), from),
            id => id,
        }
    }

    /// A letter by its number.
    #[inline]
    pub(crate) fn by_number(&self, id: u32) -> Letter {
        self.letters[id as usize]
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
        self.of.bytes() + 8 * (self.touched.capacity() + self.letters.capacity()) as u64
    }

    /// Labels a state whose letter is that of `from` but for the propositions in `touched`.
    fn label(&mut self, space: &Space, state: StateId, touched: u64, from: Letter) -> u32 {
        let mut letter = from;
        for (i, proposition) in self.propositions.iter().enumerate() {
            if touched >> i & 1 == 1 {
                letter = letter.with(i, space.holds(state, proposition));
            }
        }
        let letters = &mut self.letters;
        let id = *self.ids.entry(letter).or_insert_with(|| {
            letters.push(letter);
            letters.len() as u32 - 1
        });
        self.of.set(state as usize, id);
        id
    }
}
