//! What an engine can do with sets of states.

use dalsegno_kripke::{DeadEnds, Model, Predicate, Stop};

use dalsegno_automata::Automaton;

/// Sets of reachable states of one model, and what an engine can do with them.
///
/// Every method that may run long ends with [`Stop`] when its budget does.
pub trait StateSets {
    /// A set of reachable states.
    type Set: Clone;

    /// What dead ends mean.
    fn dead_ends(&self) -> DeadEnds;

    /// All reachable states.
    fn all(&mut self) -> Self::Set;

    /// The states in which a predicate holds.
    ///
    /// # Errors
    /// [`Stop`].
    fn select(&mut self, predicate: &Predicate) -> Result<Self::Set, Stop>;

    /// Whether a predicate holds in some state.
    ///
    /// # Errors
    /// [`Stop`].
    fn meets(&mut self, predicate: &Predicate) -> Result<bool, Stop> {
        let set = self.select(predicate)?;
        Ok(!self.is_empty(&set))
    }

    /// The states that are not in a set.
    ///
    /// # Errors
    /// [`Stop`].
    fn complement(&mut self, set: &Self::Set) -> Result<Self::Set, Stop>;

    /// The states of either set.
    ///
    /// # Errors
    /// [`Stop`].
    fn union(&mut self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Stop>;

    /// The states of both sets.
    ///
    /// # Errors
    /// [`Stop`].
    fn intersection(&mut self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Stop>;

    /// Whether all reachable states are known, so that every state is in a set or not.
    fn is_complete(&self) -> bool {
        true
    }

    /// Whether no state is known to be in the set.
    fn is_empty(&self, set: &Self::Set) -> bool;

    /// Whether a state of the model is known to be in a set.
    fn contains(&self, set: &Self::Set, state: &[u32]) -> bool;

    /// Whether a state of the model is in a set, if that is known.
    fn value(&self, set: &Self::Set, state: &[u32]) -> Option<bool> {
        Some(self.contains(set, state))
    }

    /// How many states are in a set, in decimal.
    ///
    /// # Errors
    /// [`Stop`].
    fn count(&mut self, set: &Self::Set) -> Result<String, Stop>;

    /// Some states of a set: so many, or all if there are fewer.
    fn sample(&mut self, set: &Self::Set, most: usize) -> Vec<Vec<u32>>;

    /// Grants about so many steps of work, after which operations end with [`Stop::Time`]; engines that are quick
    /// anyway may ignore it.
    fn grant(&mut self, steps: u64) {
        let _ = steps;
    }

    /// The model.
    fn model(&self) -> &Model;

    /// The states from which a path starts: all, unless finite paths do not count.
    ///
    /// # Errors
    /// [`Stop`].
    fn alive(&mut self) -> Result<Self::Set, Stop>;

    /// `EX set`.
    ///
    /// # Errors
    /// [`Stop`].
    fn next(&mut self, set: &Self::Set) -> Result<Self::Set, Stop>;

    /// `E(hold U goal)`.
    ///
    /// # Errors
    /// [`Stop`].
    fn until(&mut self, hold: &Self::Set, goal: &Self::Set) -> Result<Self::Set, Stop>;

    /// `EF goal`.
    ///
    /// # Errors
    /// [`Stop`].
    fn reaching(&mut self, goal: &Self::Set) -> Result<Self::Set, Stop> {
        let all = self.all();
        self.until(&all, goal)
    }

    /// `EG set`.
    ///
    /// # Errors
    /// [`Stop`].
    fn globally(&mut self, set: &Self::Set) -> Result<Self::Set, Stop>;

    /// For each state of an automaton, the states of the model from which it accepts some path starting there;
    /// `propositions` are the states where each of its propositions holds. Never asked with finite paths.
    ///
    /// # Errors
    /// [`Stop`].
    fn fair(
        &mut self,
        automaton: &Automaton,
        propositions: &[Self::Set],
    ) -> Result<Vec<Self::Set>, Stop>;
}
