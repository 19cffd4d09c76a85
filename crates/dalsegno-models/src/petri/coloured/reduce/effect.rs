//! What a transition does to the tokens of a place, whatever its binding.

use std::collections::BTreeMap;

use super::super::multiset::Factor;
use super::super::net::ColouredTransition;
use crate::petri::net::PlaceId;

/// What a transition may do to a place. It is found in the terms: summands that are taken and put cancel each other, and
/// of what is left no summand takes anything away.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Effect {
    /// It may put a colour more often than it takes it.
    pub(super) raises: bool,
    /// It may take a colour more often than it puts it.
    pub(super) lowers: bool,
}

/// The effects of a transition on the places of its arcs. Terms are sums of positive parts.
pub(super) fn effects(t: &ColouredTransition) -> BTreeMap<PlaceId, Effect> {
    let mut change: BTreeMap<(PlaceId, &[Factor]), i128> = BTreeMap::new();
    let mut effects: BTreeMap<PlaceId, Effect> = BTreeMap::new();
    for (arcs, sign) in [(&t.pre, -1), (&t.post, 1)] {
        for (place, term) in arcs {
            effects.entry(*place).or_default();
            for summand in &term.summands {
                let known = change.entry((*place, &summand.factors)).or_insert(0);
                *known += sign * i128::from(summand.coefficient);
            }
        }
    }
    for ((place, _), n) in change {
        let effect = effects.entry(place).or_default();
        effect.raises |= n > 0;
        effect.lowers |= n < 0;
    }
    effects
}
