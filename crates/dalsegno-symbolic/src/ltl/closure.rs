//! What product states lead to, and what leads to them.
//!
//! Forward, breadth-first or by saturation. The automaton's variable lies above all levels of the
//! model, so the fixpoint at the top is a work list of keys; below it the model's diagrams are saturated
//! by steps that leave the automaton alone: the split of P14 eq. 1, T∅ below and T* on top. Where no
//! step leaves it alone, all steps are chained at the top, one group after the other.
//!
//! Backward, always by saturation inside a given set.

use std::collections::{BTreeSet, VecDeque};

use dalsegno_automata::{Marks, StateId};
use dalsegno_kripke::Letter;
use dalsegno_mdd::{Events, Set, Stop};

use super::blocks::Block;
use super::product::{Product, Saturation};
use super::product_set::{Key, ProductSet};

/// Keys to work on, each listed once.
#[derive(Default)]
struct Agenda {
    queue: VecDeque<Key>,
    listed: BTreeSet<Key>,
}

impl Agenda {
    fn of(nodes: &ProductSet) -> Self {
        let mut agenda = Agenda::default();
        nodes.keys().for_each(|key| agenda.push(key));
        agenda
    }

    fn push(&mut self, key: Key) {
        if self.listed.insert(key) {
            self.queue.push_back(key);
        }
    }

    fn pop(&mut self) -> Option<Key> {
        let key = self.queue.pop_front()?;
        self.listed.remove(&key);
        Some(key)
    }
}

impl Product<'_> {
    /// The states reachable from these through keys that are allowed, these included.
    pub(super) fn reach(
        &mut self,
        from: &ProductSet,
        allowed: &dyn Fn(Key) -> bool,
    ) -> Result<ProductSet, Stop> {
        let (reached, _) = self.reach_until(from, allowed, &mut |_, _| false)?;
        Ok(reached)
    }

    /// As [`Product::reach`], up to a key that is enough.
    pub(super) fn reach_until(
        &mut self,
        from: &ProductSet,
        allowed: &dyn Fn(Key) -> bool,
        enough: &mut dyn FnMut(&mut Self, Key) -> bool,
    ) -> Result<(ProductSet, Option<Key>), Stop> {
        let mut seen = BTreeSet::new();
        let mut look = |product: &mut Self, nodes: &ProductSet| {
            let mut new = nodes.keys().filter(|&key| seen.insert(key));
            new.find(|&key| enough(product, key))
        };
        if let Some(key) = look(self, from) {
            return Ok((from.clone(), Some(key)));
        }
        if self.saturation == Saturation::Off {
            let mut reached = from.clone();
            let mut frontier = from.clone();
            while !frontier.is_empty() {
                let mut next = self.image(&frontier, Marks::NONE)?;
                next.retain(allowed);
                frontier = next.difference(self.manager(), &reached)?;
                for (key, set) in frontier.iter() {
                    reached.add(self.manager(), key, set)?;
                }
                if let Some(key) = look(self, &frontier) {
                    return Ok((reached, Some(key)));
                }
            }
            return Ok((reached, None));
        }
        let mut reached = from.clone();
        let mut done = ProductSet::default();
        let mut agenda = Agenda::of(from);
        while let Some(key) = agenda.pop() {
            self.expand(key, &mut reached, &mut done, allowed, &mut agenda)?;
            if let Some(key) = look(self, &reached) {
                return Ok((reached, Some(key)));
            }
        }
        Ok((reached, None))
    }

    /// Saturates the part of a key and those of its block, and fires the steps that change the automaton
    /// from what is new.
    fn expand(
        &mut self,
        key: Key,
        reached: &mut ProductSet,
        done: &mut ProductSet,
        allowed: &dyn Fn(Key) -> bool,
        agenda: &mut Agenda,
    ) -> Result<(), Stop> {
        let block = self.block(key, allowed)?;
        let keys = match &block {
            Some(block) => &block.keys[..],
            None => &[key],
        };
        if keys.iter().all(|&key| reached.get(key) == done.get(key)) {
            return Ok(());
        }
        if let Some(block) = &block {
            self.saturate(block, reached)?;
        }
        for &key in keys {
            let Some(set) = reached.get(key).cloned() else {
                continue;
            };
            let new = match done.get(key) {
                Some(done) => self.manager().difference(&set, done)?,
                None => set.clone(),
            };
            done.set(key, set);
            let mut targets = self.targets(key, Marks::NONE);
            let inside = |key| block.is_some() && keys.contains(&key);
            targets.retain(|&(to, p)| allowed((p, to)) && !inside((p, to)));
            if new.is_empty() || targets.is_empty() {
                continue;
            }
            let (q, letter) = key;
            if targets.contains(&(letter, q)) {
                self.chain(key, &targets, reached, agenda)?;
                continue;
            }
            let stuttering = targets.iter().any(|&(to, _)| to == letter);
            let parts = self.steps(&new, letter, stuttering)?;
            self.distribute(&parts, &targets, reached, agenda)?;
        }
        Ok(())
    }

    /// Adds to the parts of a block what steps inside of it lead to.
    fn saturate(&mut self, block: &Block, reached: &mut ProductSet) -> Result<(), Stop> {
        let mut set = self.manager().empty();
        for &key in &block.keys {
            if let Some(part) = reached.get(key) {
                set = self.manager().union(&set, part)?;
            }
        }
        let class = &block.class;
        let set = if let Some(events) = &class.stuttering {
            self.manager().saturate(&set, events)?
        } else {
            let all = self.forward.clone();
            self.manager().constrained(&set, &all, &class.states)?
        };
        if let [key] = block.keys[..] {
            reached.set(key, set);
            return Ok(());
        }
        for &key in &block.keys {
            let states = self.letters.of(key.1).states.clone();
            let part = self.manager().intersection(&set, &states)?;
            reached.set(key, part);
        }
        Ok(())
    }

    /// One group after the other, each from all that is known of a key.
    fn chain(
        &mut self,
        key: Key,
        targets: &[(Letter, StateId)],
        reached: &mut ProductSet,
        agenda: &mut Agenda,
    ) -> Result<(), Stop> {
        for i in 0..self.relations().len() {
            let Some(set) = reached.get(key).cloned() else {
                continue;
            };
            let relation = self.relations()[i];
            let parts = self.steps_by(&set, key.1, relation)?;
            self.distribute(&parts, targets, reached, agenda)?;
        }
        let Some(set) = reached.get(key).cloned() else {
            return Ok(());
        };
        match self.repeating(&set)? {
            Some(dead) => self.distribute(&[(key.1, dead)], targets, reached, agenda),
            None => Ok(()),
        }
    }

    fn distribute(
        &mut self,
        parts: &[(Letter, Set)],
        targets: &[(Letter, StateId)],
        reached: &mut ProductSet,
        agenda: &mut Agenda,
    ) -> Result<(), Stop> {
        for (letter, part) in parts {
            for &(to, p) in targets.iter().filter(|(to, _)| to == letter) {
                if reached.add(self.manager(), (p, to), part)? {
                    agenda.push((p, to));
                }
            }
        }
        Ok(())
    }

    /// The states reachable from these inside `within`, these included.
    pub(super) fn reach_within(
        &mut self,
        from: &ProductSet,
        within: &ProductSet,
    ) -> Result<ProductSet, Stop> {
        self.close(from, within, &self.forward.clone(), |product, one| {
            let next = product.image(one, Marks::NONE)?;
            next.intersection(product.manager(), within)
        })
    }

    /// The states of `within` that lead to these inside it, these included.
    pub(super) fn leads_to(
        &mut self,
        to: &ProductSet,
        within: &ProductSet,
    ) -> Result<ProductSet, Stop> {
        self.close(to, within, &self.backward.clone(), |product, one| {
            product.preimage(one, Marks::NONE, within)
        })
    }

    /// Closes a set under steps inside `within`: by saturation where they leave the automaton alone,
    /// and otherwise as `step` says.
    fn close(
        &mut self,
        start: &ProductSet,
        within: &ProductSet,
        events: &Events,
        mut step: impl FnMut(&mut Self, &ProductSet) -> Result<ProductSet, Stop>,
    ) -> Result<ProductSet, Stop> {
        let mut reached = start.clone();
        let mut agenda = Agenda::of(start);
        while let Some(key) = agenda.pop() {
            let (Some(set), Some(inside)) = (reached.get(key), within.get(key)) else {
                continue;
            };
            let mut set = set.clone();
            let mut loops = self.step(key.0, key.1, key.1).iter();
            if loops.any(|&(p, _)| p == key.0) {
                set = self.manager().constrained(&set, events, inside)?;
                reached.set(key, set.clone());
            }
            let mut one = ProductSet::default();
            one.set(key, set);
            for (key, set) in step(self, &one)?.iter() {
                if reached.add(self.manager(), key, set)? {
                    agenda.push(key);
                }
            }
        }
        Ok(reached)
    }
}
