//! `EG f`: the greatest set of states of `f` each of which has a successor in the set, or ends a path.
//!
//! The classical iteration drops the states without a successor inside until none is left. What is known to belong (dead
//! ends inside, and what leads to them inside) is never looked at again.
//!
//! Cost: at most as many rounds as the longest way inside `f` that leads out of it, each one preimage of the set.

use dalsegno_kripke::Stop;
use dalsegno_mdd::Set;

use super::Backward;

impl Backward<'_> {
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
        let mut left = set.clone();
        loop {
            let open = self.manager().difference(&left, sure);
            let open = self.told(open)?;
            let seeing = self.before(&left, &open)?;
            if seeing == open {
                return Ok(left);
            }
            let kept = self.manager().union(sure, &seeing);
            left = self.told(kept)?;
        }
    }
}
