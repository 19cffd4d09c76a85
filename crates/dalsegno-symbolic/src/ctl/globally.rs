//! `EG f`: the greatest set of states of `f` each of which has a successor in the set, or ends a path.
//!
//! The classical iteration drops the states without a successor inside until none is left. Ours differs in two
//! ways. What is known to belong (dead ends inside, and what leads to them inside) is never looked at again. And
//! events are asked in turn, each only for the states for which no event before it has found a successor; the
//! event that kept most comes first in the next round, so that a round that drops little asks few events.
//!
//! Cost: at most as many rounds as the longest way inside `f` that leads out of it, each with preimages of the set.

use dalsegno_kripke::Stop;
use dalsegno_mdd::{Relation, Set};

use super::Backward;

impl Backward<'_, '_> {
    /// `EG set`, where a dead end ends a path.
    pub(super) fn maximal(&mut self, set: &Set) -> Result<Set, Stop> {
        let dead = self.dead()?;
        let ends = self.manager().intersection(set, &dead);
        let ends = self.told(ends)?;
        let sure = self.backwards(&ends, set)?;
        self.drop_blind(set, &sure)
    }

    /// The states of a set from which an infinite path stays in it.
    pub(super) fn cycling(&mut self, set: &Set) -> Result<Set, Stop> {
        let none = self.manager().empty();
        self.drop_blind(set, &none)
    }

    /// The greatest subset of `set`, `sure` included, in which every other state has a successor.
    fn drop_blind(&mut self, set: &Set, sure: &Set) -> Result<Set, Stop> {
        let mut order = self.converse.clone();
        let mut left = set.clone();
        loop {
            let kept = self.seeing(&left, sure, &mut order)?;
            if kept == left {
                return Ok(left);
            }
            left = kept;
        }
    }

    /// The states of `left` that are sure or have a successor in `left`; events that find many of
    /// them are moved to the front.
    fn seeing(&mut self, left: &Set, sure: &Set, order: &mut Vec<Relation>) -> Result<Set, Stop> {
        let open = self.manager().difference(left, sure);
        let mut open = self.told(open)?;
        let mut useful = Vec::new();
        let mut useless = Vec::new();
        let mut turn = 0;
        while !open.is_empty() && turn < order.len() {
            let event = order[turn];
            turn += 1;
            let seen = self.manager().image_within(left, event, &open);
            let seen = self.told(seen)?;
            if seen.is_empty() {
                useless.push(event);
                continue;
            }
            useful.push(event);
            let rest = self.manager().difference(&open, &seen);
            open = self.told(rest)?;
        }
        useful.extend_from_slice(&order[turn..]);
        useful.extend(useless);
        *order = useful;
        let kept = self.manager().difference(left, &open);
        self.told(kept)
    }
}
