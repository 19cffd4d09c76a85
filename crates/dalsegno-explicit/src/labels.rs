//! The letters of states: each state is labelled once, when it is first met.
//!
//! States that are not met cost nothing, however many a store holds. Letters are interned: a state holds 32 bits.

use rustc_hash::FxHashMap;

use dalsegno_kripke::{GroupId, Letter};

use crate::labelling::Labelling;
use crate::paged::Paged;
use crate::space::{Space, StateId};

/// The letters of the states of a store that were met.
pub struct Labels {
    labelling: Labelling,
    /// The number of each state's letter, 0 before the state is met.
    of: Paged,
    /// By number; the first one stands for no letter.
    letters: Vec<Letter>,
    ids: FxHashMap<Letter, u32>,
}

impl Labels {
    /// No state has been met.
    #[must_use]
    pub fn new(labelling: Labelling) -> Self {
        Labels {
            labelling,
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
            0 => self.label(space, state, None),
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
            0 => self.label(space, target, Some((group, from))),
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
        self.labelling.touched(group)
    }

    /// The bytes of the labels.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.of.bytes() + self.labelling.bytes() + 8 * self.letters.capacity() as u64
    }

    /// Labels a state that was met by a group from a state with a letter, or otherwise.
    #[inline(never)]
    fn label(&mut self, space: &Space, state: StateId, met: Option<(GroupId, Letter)>) -> u32 {
        let letter = space.letter(state, met, &self.labelling);
        let letters = &mut self.letters;
        let id = *self.ids.entry(letter).or_insert_with(|| {
            letters.push(letter);
            letters.len() as u32 - 1
        });
        self.of.set(state as usize, id);
        id
    }
}
