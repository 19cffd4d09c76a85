//! An accepting cycle by a few of its states, found forward.
//!
//! A state behind a step with the first mark is picked, in what it reaches one behind a step with the
//! next mark, and so on. If the last reaches a step with the first mark into the first, they lie on
//! a cycle. If not, the same is tried in what the last one reaches. A cycle that is there
//! may be missed: below a picked state there may be none.
//!
//! Cost: per try and mark, one image of a set and what is reachable from one state. Going back from
//! everything, which finds every cycle, takes twenty times as long on large models.

use dalsegno_automata::Marks;
use dalsegno_mdd::{Set, Stop};

use super::components::Component;
use super::product::Product;
use super::product_set::{Key, ProductSet};

/// A cycle with every mark.
pub(super) struct AcceptingCycle {
    pub(super) segments: Vec<Segment>,
}

/// A part of a cycle, up to where the next part starts.
pub(super) struct Segment {
    /// One state, where it starts.
    pub(super) from: ProductSet,
    /// States that it can go through.
    pub(super) within: ProductSet,
    /// The marks of its last step.
    pub(super) marks: Marks,
}

/// States that may be picked, none, or the parts of a cycle.
enum Try {
    Below(ProductSet),
    Nothing,
    Found(AcceptingCycle),
}

impl Product<'_> {
    /// An accepting cycle in a set that is closed under the steps of a component, if one of some tries
    /// finds it.
    pub(super) fn try_cycle(
        &mut self,
        mut nodes: ProductSet,
        component: &Component,
        tries: usize,
    ) -> Result<Option<AcceptingCycle>, Stop> {
        let inside = |key| component.keys.contains(&key);
        let marks = if component.weak {
            vec![Marks::NONE]
        } else {
            let all = self.all_marks();
            let each = self.each_mark();
            // A step with all marks at once makes the shorter cycle.
            if each.len() > 1
                && let Try::Found(cycle) = self.try_once(&nodes, &[all], &inside)?
            {
                return Ok(Some(cycle));
            }
            each
        };
        for _ in 0..tries {
            match self.try_once(&nodes, &marks, &inside)? {
                Try::Below(below) => nodes = below,
                Try::Nothing => return Ok(None),
                Try::Found(cycle) => return Ok(Some(cycle)),
            }
        }
        Ok(None)
    }

    /// One try.
    fn try_once(
        &mut self,
        nodes: &ProductSet,
        marks: &[Marks],
        inside: &dyn Fn(Key) -> bool,
    ) -> Result<Try, Stop> {
        let Some((&first, others)) = marks.split_first() else {
            return Ok(Try::Nothing);
        };
        let Some(start) = self.behind(nodes, first, inside)? else {
            return Ok(Try::Nothing);
        };
        let mut segments = Vec::new();
        let mut from = start.clone();
        let mut within = self.reach(&from, inside)?;
        for &marks in others {
            let Some(next) = self.behind(&within, marks, inside)? else {
                return Ok(Try::Nothing);
            };
            let below = self.reach(&next, inside)?;
            segments.push(Segment {
                from,
                within,
                marks,
            });
            (from, within) = (next, below);
        }
        if self.preimage(&start, first, &within)?.is_empty() {
            return Ok(Try::Below(within));
        }
        segments.push(Segment {
            from,
            within,
            marks: first,
        });
        Ok(Try::Found(AcceptingCycle { segments }))
    }

    /// A state behind a step with these marks; any state if there are no marks.
    fn behind(
        &mut self,
        nodes: &ProductSet,
        marks: Marks,
        inside: &dyn Fn(Key) -> bool,
    ) -> Result<Option<ProductSet>, Stop> {
        if marks == Marks::NONE {
            return self.pick(nodes);
        }
        let mut next = self.image(nodes, marks)?;
        next.retain(inside);
        self.pick(&next)
    }

    /// The cycle of a dead end that repeats itself with all marks.
    pub(super) fn repeated(&mut self, dead: &ProductSet) -> Result<Option<AcceptingCycle>, Stop> {
        let marks = self.all_marks();
        let one = self.pick(dead)?;
        Ok(one.map(|one| AcceptingCycle {
            segments: vec![Segment {
                from: one.clone(),
                within: one,
                marks,
            }],
        }))
    }

    /// A cycle with all marks in a strongly connected set that has them.
    pub(super) fn cycle_in(&mut self, core: &ProductSet) -> Result<AcceptingCycle, Stop> {
        let all = self.all_marks();
        let mut marks = self.each_mark();
        if marks.len() != 1 && !self.preimage(core, all, core)?.is_empty() {
            marks = vec![all];
        }
        let mut starts = Vec::new();
        for &mark in &marks {
            let next = self.image(core, mark)?;
            let next = next.intersection(self.manager(), core)?;
            starts.extend(self.pick(&next)?);
        }
        let ends = (1..marks.len()).chain([0]).map(|i| marks[i]);
        let segments = starts.into_iter().zip(ends).map(|(from, marks)| Segment {
            from,
            within: core.clone(),
            marks,
        });
        Ok(AcceptingCycle {
            segments: segments.collect(),
        })
    }

    /// One of these states.
    pub(super) fn pick(&mut self, nodes: &ProductSet) -> Result<Option<ProductSet>, Stop> {
        let Some((key, set)) = nodes.iter().next() else {
            return Ok(None);
        };
        let mut found = ProductSet::default();
        if let Some(vector) = self.manager().pick(set) {
            let one: Set = self.manager().singleton(&vector)?;
            found.set(key, one);
        }
        Ok(Some(found))
    }
}
