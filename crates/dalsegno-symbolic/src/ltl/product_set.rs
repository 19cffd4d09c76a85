//! Sets of product states.

use std::collections::BTreeMap;

use dalsegno_automata::StateId;
use dalsegno_kripke::Letter;
use dalsegno_mdd::{Manager, Set, Stop};

/// An automaton state and the letter of the model states next to it.
pub type Key = (StateId, Letter);

/// A set of product states: the model states by automaton state and letter.
///
/// This is a diagram with the automaton's variable on top, whose top node is kept here; below it
/// there is nothing but model states. No part is empty, so equal sets are equal maps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProductSet(BTreeMap<Key, Set>);

impl ProductSet {
    /// Whether there is no state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The model states of a key.
    #[must_use]
    pub fn get(&self, key: Key) -> Option<&Set> {
        self.0.get(&key)
    }

    /// The parts in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (Key, &Set)> {
        self.0.iter().map(|(&key, set)| (key, set))
    }

    /// The keys, ascending.
    pub fn keys(&self) -> impl Iterator<Item = Key> {
        self.0.keys().copied()
    }

    /// Keeps the parts whose key is wanted.
    pub fn retain(&mut self, mut wanted: impl FnMut(Key) -> bool) {
        self.0.retain(|&key, _| wanted(key));
    }

    /// Replaces the part of a key.
    pub(crate) fn set(&mut self, key: Key, set: Set) {
        if set.is_empty() {
            self.0.remove(&key);
        } else {
            self.0.insert(key, set);
        }
    }

    /// Adds states to the part of a key; whether any are new.
    pub(crate) fn add(&mut self, manager: &mut Manager, key: Key, set: &Set) -> Result<bool, Stop> {
        if set.is_empty() {
            return Ok(false);
        }
        let Some(known) = self.0.get(&key) else {
            self.0.insert(key, set.clone());
            return Ok(true);
        };
        let united = manager.union(known, set)?;
        let new = united != *known;
        self.0.insert(key, united);
        Ok(new)
    }

    /// The states of both.
    pub(crate) fn intersection(
        &self,
        manager: &mut Manager,
        other: &ProductSet,
    ) -> Result<ProductSet, Stop> {
        let mut both = ProductSet::default();
        for (key, set) in self.iter() {
            if let Some(other) = other.get(key) {
                both.set(key, manager.intersection(set, other)?);
            }
        }
        Ok(both)
    }

    /// The states that are not in the other set.
    pub(crate) fn difference(
        &self,
        manager: &mut Manager,
        other: &ProductSet,
    ) -> Result<ProductSet, Stop> {
        let mut left = ProductSet::default();
        for (key, set) in self.iter() {
            let rest = match other.get(key) {
                Some(other) => manager.difference(set, other)?,
                None => set.clone(),
            };
            left.set(key, rest);
        }
        Ok(left)
    }
}
