//! Reachable vectors by one of three strategies.
//!
//! Saturation is the one to use. The other two are what it is measured against: breadth-first
//! fires all relations from the vectors found last; chaining fires one relation after the other
//! from all that is known, so that a round uses what it just found.

use crate::{Manager, Relation, Set, Stop};

/// How a fixpoint is computed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Strategy {
    /// All relations from the frontier, round by round.
    BreadthFirst,
    /// One relation after the other, from everything that is known.
    Chaining,
    /// From the bottom level up, see [`Manager::saturate`].
    #[default]
    Saturation,
}

impl Manager {
    /// The vectors that relations lead to from a set, any number of times, the set included.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn reach(
        &mut self,
        set: &Set,
        relations: &[Relation],
        strategy: Strategy,
    ) -> Result<Set, Stop> {
        match strategy {
            Strategy::BreadthFirst => self.breadth_first(set, relations, None),
            Strategy::Chaining => self.chain(set, relations, None),
            Strategy::Saturation => {
                let events = self.events(relations);
                self.saturate(set, &events)
            }
        }
    }

    /// The same inside `within`: every step but the empty one ends there.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn reach_within(
        &mut self,
        set: &Set,
        relations: &[Relation],
        within: &Set,
        strategy: Strategy,
    ) -> Result<Set, Stop> {
        match strategy {
            Strategy::BreadthFirst => self.breadth_first(set, relations, Some(within)),
            Strategy::Chaining => self.chain(set, relations, Some(within)),
            Strategy::Saturation => {
                let events = self.events(relations);
                self.constrained(set, &events, within)
            }
        }
    }

    /// The image under a relation inside a set, if one is given.
    fn step(&mut self, set: &Set, relation: Relation, within: Option<&Set>) -> Result<Set, Stop> {
        let image = self.image(set, relation)?;
        match within {
            Some(within) => self.intersection(&image, within),
            None => Ok(image),
        }
    }

    fn breadth_first(
        &mut self,
        set: &Set,
        relations: &[Relation],
        within: Option<&Set>,
    ) -> Result<Set, Stop> {
        let mut reached = set.clone();
        let mut frontier = set.clone();
        while !frontier.is_empty() {
            let mut next = self.empty();
            for &relation in relations {
                let image = self.step(&frontier, relation, within)?;
                next = self.union(&next, &image)?;
            }
            frontier = self.difference(&next, &reached)?;
            reached = self.union(&reached, &frontier)?;
        }
        Ok(reached)
    }

    fn chain(
        &mut self,
        set: &Set,
        relations: &[Relation],
        within: Option<&Set>,
    ) -> Result<Set, Stop> {
        let mut reached = set.clone();
        loop {
            let before = reached.clone();
            for &relation in relations {
                let image = self.step(&reached, relation, within)?;
                reached = self.union(&reached, &image)?;
            }
            if reached == before {
                return Ok(reached);
            }
        }
    }
}
