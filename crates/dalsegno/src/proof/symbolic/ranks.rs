//! Ranks of linear time: the product of sets of states with the tableau, its components of keys from the bottom, and
//! OWCTY in those that lack no mark. The argument is in the comment of the module above.

use std::collections::{BTreeMap, BTreeSet};

use dalsegno_automata::scc::Components;
use dalsegno_verify::diagram::Diagram;
use dalsegno_verify::tableau::Tableau;

use super::{Key, Made, Product, Ranked, Sets};
use crate::proof::Unproved;

/// The iterations of a component.
const MOST_ITERATIONS: usize = 4000;

impl Product<'_> {
    /// A proof that no run satisfies what the claim says.
    pub(super) fn linear_time(&mut self) -> Made<Diagram> {
        let claim = &self.subject.claim;
        let tableau = Tableau::new(claim)?;
        let marks = tableau.marks();
        let first = self.slot(vec![claim.goal]);
        let initial = self.space.encoding().initial()?;
        let mut start = Sets::new();
        for (class, part) in self.split(&initial)? {
            start.insert((first, class), part);
        }
        let reached = self.close(&tableau, start, &|_| true)?;
        let keys: Vec<Key> = reached.keys().copied().collect();
        let number: BTreeMap<Key, u32> = keys.iter().copied().zip(0..).collect();
        // Where keys lead, and what is postponed on the way.
        let mut links: Vec<Vec<(u32, u64)>> = Vec::new();
        for &key in &keys {
            let steps = self.steps_of(&tableau, key)?;
            let mut list = Vec::new();
            if !steps.is_empty() {
                let image = self.image(&reached[&key])?;
                for (class, _) in self.split(&image)? {
                    let target = |&(slot, p): &(u32, u64)| Some((*number.get(&(slot, class))?, p));
                    list.extend(steps.iter().filter_map(target));
                }
            }
            links.push(list);
        }
        let found = Components::new(keys.len(), 0..keys.len() as u32, |key: u32, i| {
            links[key as usize].get(i).map(|&(target, _)| target)
        });
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); found.count];
        for (i, &component) in found.of.iter().enumerate() {
            members[component as usize].push(i);
        }
        let (mut ranked, mut base) = (Vec::new(), 0);
        // Components are numbered from the bottom.
        for (component, inside) in members.iter().enumerate() {
            let own = |link: &&(u32, u64)| found.of[link.0 as usize] as usize == component;
            let inner: Vec<u64> = inside
                .iter()
                .flat_map(|&key| links[key].iter().filter(own).map(|&(_, p)| p))
                .collect();
            let all = inner
                .iter()
                .fold(u64::MAX, |all, &postponed| all & postponed);
            let nodes: Sets = inside
                .iter()
                .map(|&i| (keys[i], reached[&keys[i]].clone()))
                .collect();
            if inner.is_empty() || all != 0 {
                // Nothing comes back, or one until is postponed on all ways back.
                let mark = if inner.is_empty() {
                    0
                } else {
                    1 + u64::from(all.trailing_zeros())
                };
                let rank = base + mark;
                let records = nodes.into_iter().map(|(key, states)| Ranked {
                    key,
                    rank,
                    choice: None,
                    states,
                });
                ranked.extend(records);
                base += marks;
            } else {
                base = self.iterate(&tableau, nodes, base, &mut ranked)?;
            }
        }
        self.join(&ranked, Some(marks))
    }

    /// Ranks a component by OWCTY; the next rank that is free.
    fn iterate(
        &mut self,
        tableau: &Tableau<'_>,
        nodes: Sets,
        base: u64,
        ranked: &mut Vec<Ranked>,
    ) -> Made<u64> {
        let marks = tableau.marks();
        let inside: BTreeSet<Key> = nodes.keys().copied().collect();
        // What was cut off, and by which mark. Every step carries mark 0, which serves if there are no others.
        let mut layers: Vec<(u64, Sets)> = Vec::new();
        let (mut left, mut mark, mut idle) = (nodes, u64::from(marks > 1), 0);
        while !left.is_empty() {
            self.budget.check()?;
            if layers.len() > MOST_ITERATIONS {
                return Err(Unproved::Limit("the ranks are too many".to_owned()));
            }
            let mut behind = Sets::new();
            for (&key, states) in &left {
                let steps = self.steps_of(tableau, key)?;
                let carries = |&&(_, p): &&(u32, u64)| mark == 0 || p >> (mark - 1) & 1 == 0;
                let targets: BTreeSet<u32> = steps.iter().filter(carries).map(|s| s.0).collect();
                if targets.is_empty() {
                    continue;
                }
                let image = self.image(states)?;
                for (class, part) in self.split(&image)? {
                    for &slot in targets
                        .iter()
                        .filter(|&&slot| inside.contains(&(slot, class)))
                    {
                        self.add(&mut behind, (slot, class), &part)?;
                    }
                }
            }
            let next = self.close(tableau, behind, &|key| inside.contains(&key))?;
            let mut cut = Sets::new();
            for (&key, states) in &left {
                let rest = match next.get(&key) {
                    Some(stay) => self.with(|manager| manager.difference(states, stay))?,
                    None => states.clone(),
                };
                if !rest.is_empty() {
                    cut.insert(key, rest);
                }
            }
            idle = if cut.is_empty() { idle + 1 } else { 0 };
            if idle > marks {
                let why = "the product has an accepting component";
                return Err(Unproved::Other(why.to_owned()));
            }
            if !cut.is_empty() {
                layers.push((mark, cut));
                left = next;
            }
            // A mark that cuts is tried again: the next ones would cut the same.
            if idle > 0 && marks > 1 {
                mark = 1 + mark % (marks - 1);
            }
        }
        let count = layers.len() as u64;
        for ((mark, sets), i) in layers.into_iter().zip(1..) {
            let rank = base + marks * (count - i) + mark;
            let records = sets.into_iter().map(|(key, states)| Ranked {
                key,
                rank,
                choice: None,
                states,
            });
            ranked.extend(records);
        }
        Ok(base + marks * count)
    }
}
