//! Counts: the reachable states by their distance from the initial one, and the transition by which each is entered from
//! a smaller distance. Cost: a breadth-first search of sets, with an image by each transition in each of its layers.

use dalsegno_verify::diagram::Diagram;

use super::{Made, Product, Ranked};
use crate::proof::Unproved;

/// The distances that states may have.
const MOST_LAYERS: u64 = 4000;

impl Product<'_> {
    /// A proof that the reachable states are as many as the claim says.
    pub(super) fn counted(&mut self) -> Made<Diagram> {
        self.slots.push(Vec::new());
        let relations = self.space.encoding().relations().to_vec();
        let mut layer = self.space.encoding().initial()?;
        let reachable = self.reachable.clone();
        let mut left = self.with(|manager| manager.difference(&reachable, &layer))?;
        let (key, mut ranked) = ((0, 0), Vec::new());
        ranked.push(Ranked {
            key,
            rank: 0,
            choice: None,
            states: layer.clone(),
        });
        for rank in 1.. {
            if left.is_empty() {
                break;
            }
            if rank > MOST_LAYERS {
                return Err(Unproved::Limit("the distances are too many".to_owned()));
            }
            let before = left.clone();
            for (t, &relation) in relations.iter().enumerate() {
                self.budget.check()?;
                let states = self.with(|manager| {
                    let image = manager.image(&layer, relation)?;
                    manager.intersection(&image, &left)
                })?;
                if !states.is_empty() {
                    left = self.with(|manager| manager.difference(&left, &states))?;
                    let choice = Some(t);
                    ranked.push(Ranked {
                        key,
                        rank,
                        choice,
                        states,
                    });
                }
            }
            layer = self.with(|manager| manager.difference(&before, &left))?;
            if layer.is_empty() {
                let why = "the second pass finds other states";
                return Err(Unproved::Other(why.to_owned()));
            }
        }
        self.join(&ranked, None)
    }
}
