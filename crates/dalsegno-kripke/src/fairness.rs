//! Fairness: which runs count.
//!
//! A fair set is a set of groups that count as one transition: it is enabled where one of them is, and fires where one of
//! them does. Under *weak* fairness a run that enables the set from some state on for ever takes one of its
//! steps infinitely often; equally, infinitely often the set is disabled or fires. Under *strong* fairness a run
//! that enables the set infinitely often takes one of its steps infinitely often. The repetition of a dead end enables
//! nothing, so a run that ends in a dead end is fair.
//!
//! Every finite path goes on to a fair run if dead ends repeat themselves: of the sets that are enabled, fire the one
//! that has not fired for the longest time; where none is, take any step. There are finitely many sets, so one that is
//! enabled infinitely often has its turn infinitely often. So a bad prefix refutes a property under fairness too. Where
//! paths into dead ends do not count this fails: the fair step may lead into one.

use std::sync::Arc;

use crate::model::{GroupId, Model};

/// How often a set that is enabled has to fire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Strength {
    /// A set that stays enabled fires.
    Weak,
    /// A set that is enabled again and again fires.
    Strong,
}

crate::choices!(Strength, "fairness", Weak => "weak", Strong => "strong");

/// Groups that count as one transition, which is treated fairly.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FairSet {
    /// How.
    pub strength: Strength,
    /// The groups, ascending.
    pub groups: Vec<GroupId>,
}

impl FairSet {
    /// Whether a step of one of the groups leaves a state.
    #[must_use]
    pub fn is_enabled(&self, model: &Model, state: &[u32]) -> bool {
        self.groups.iter().any(|&g| model.enabled(g, state))
    }

    /// Whether a step is one of the groups'; the repetition of a dead end is not.
    #[must_use]
    pub fn fires(&self, group: Option<GroupId>) -> bool {
        group.is_some_and(|g| self.groups.binary_search(&g).is_ok())
    }
}

/// The runs that count: those that are fair to all of these sets. Clones share them.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Fairness(Option<Arc<[FairSet]>>);

impl Fairness {
    /// All runs count.
    pub const NONE: Fairness = Fairness(None);

    /// The runs that are fair to these sets; groups may come in any order.
    #[must_use]
    pub fn new(mut sets: Vec<FairSet>) -> Self {
        for set in &mut sets {
            set.groups.sort_unstable();
            set.groups.dedup();
        }
        // A set without groups is never enabled.
        sets.retain(|set| !set.groups.is_empty());
        Fairness((!sets.is_empty()).then(|| sets.into()))
    }

    /// The sets.
    #[must_use]
    pub fn sets(&self) -> &[FairSet] {
        self.0.as_deref().unwrap_or(&[])
    }

    /// Whether all runs count.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// The same in a model in which each group has become others.
    #[must_use]
    pub fn with_groups(&self, of: impl Fn(GroupId) -> Vec<GroupId>) -> Self {
        let set = |set: &FairSet| FairSet {
            strength: set.strength,
            groups: set.groups.iter().flat_map(|&g| of(g)).collect(),
        };
        Self::new(self.sets().iter().map(set).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_in_order_and_never_empty() {
        let set = |groups: &[u32]| FairSet {
            strength: Strength::Weak,
            groups: groups.iter().map(|&g| GroupId(g)).collect(),
        };
        let fairness = Fairness::new(vec![set(&[3, 1, 3]), set(&[])]);
        assert_eq!(fairness.sets(), [set(&[1, 3])]);
        assert!(fairness.sets()[0].fires(Some(GroupId(3))));
        assert!(!fairness.sets()[0].fires(Some(GroupId(2))));
        assert!(!fairness.sets()[0].fires(None));
        assert_eq!(Fairness::new(vec![set(&[])]), Fairness::NONE);
        let doubled = fairness.with_groups(|g| vec![GroupId(2 * g.0), GroupId(2 * g.0 + 1)]);
        assert_eq!(doubled.sets(), [set(&[2, 3, 6, 7])]);
    }
}
