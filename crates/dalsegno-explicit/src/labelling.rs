//! The letters of packed states: which observed propositions hold.
//!
//! A successor differs from its source by one group, and a group can change only some propositions; only those are
//! evaluated, and the others are taken over.

use std::sync::Arc;

use dalsegno_kripke::{GroupId, Letter, Model, Predicate, Visibility};

use crate::steps::Steps;

/// The observed propositions of a model, and who can change them. Clones share them.
#[derive(Clone)]
pub struct Labelling {
    propositions: Arc<[Predicate]>,
    /// For each group the propositions that it can change.
    touched: Arc<[u64]>,
}

impl Labelling {
    /// Observes these propositions.
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
        Labelling {
            propositions: propositions.into(),
            touched,
        }
    }

    /// The propositions.
    #[must_use]
    pub fn propositions(&self) -> &[Predicate] {
        &self.propositions
    }

    /// The propositions that a group can change, as bits; all of them for what is no group.
    #[inline]
    #[must_use]
    pub fn touched(&self, group: GroupId) -> u64 {
        self.touched.get(group.index()).copied().unwrap_or(u64::MAX)
    }

    /// The letter of a packed state, wherever it comes from.
    #[must_use]
    pub fn letter(&self, steps: &Steps, state: &[u64]) -> Letter {
        self.changed(steps, state, u64::MAX, Letter::default())
    }

    /// The letter of a packed state that a group leads to from a state with the letter `from`.
    #[inline]
    #[must_use]
    pub fn letter_after(
        &self,
        steps: &Steps,
        state: &[u64],
        group: GroupId,
        from: Letter,
    ) -> Letter {
        match self.touched(group) {
            0 => from,
            touched => self.changed(steps, state, touched, from),
        }
    }

    /// The letter `from` with the propositions in `touched` evaluated anew.
    fn changed(&self, steps: &Steps, state: &[u64], touched: u64, from: Letter) -> Letter {
        let mut letter = from;
        for (i, proposition) in self.propositions.iter().enumerate() {
            if touched >> i & 1 == 1 {
                letter = letter.with(i, steps.holds(state, proposition));
            }
        }
        letter
    }

    /// The bytes of the tables.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        8 * self.touched.len() as u64
    }
}
