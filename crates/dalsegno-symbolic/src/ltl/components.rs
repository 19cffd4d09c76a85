//! Where accepting cycles can be: strongly connected components of the automaton's side.
//!
//! A cycle of the product is one of keys as well. So the product is looked at component by component
//! of the graph of keys, and a component that lacks a mark is never looked at. In a component all of
//! whose steps carry all marks, every cycle accepts.

use std::collections::{BTreeMap, BTreeSet};

use dalsegno_automata::Marks;
use dalsegno_automata::scc::Components;

use super::product::Product;
use super::product_set::{Key, ProductSet};

/// Keys that can reach each other and have all marks on the way.
pub(super) struct Component {
    pub(super) keys: BTreeSet<Key>,
    /// Whether every step inside carries all marks.
    pub(super) weak: bool,
}

impl Product<'_> {
    /// The steps of the automaton between keys of a set, with their marks.
    fn links(&mut self, keys: &[Key]) -> Vec<Vec<(u32, Marks)>> {
        let number: BTreeMap<Key, u32> = keys.iter().copied().zip(0..).collect();
        let mut links = Vec::with_capacity(keys.len());
        for &(q, from) in keys {
            let class = self.letters.of(from);
            let letters = self.letters.classes().keys().copied();
            let letters: Vec<_> = letters.filter(|&to| class.leads_to(from, to)).collect();
            let mut list = Vec::new();
            for to in letters {
                for &(p, marks) in self.step(q, from, to) {
                    list.extend(number.get(&(p, to)).map(|&n| (n, marks)));
                }
            }
            links.push(list);
        }
        links
    }

    /// The components that may have an accepting cycle, those that are reached first last.
    pub(super) fn components(&mut self, nodes: &ProductSet) -> Vec<Component> {
        let keys: Vec<Key> = nodes.keys().collect();
        let links = self.links(&keys);
        let n = keys.len() as u32;
        let found = Components::new(keys.len(), 0..n, |key, i| {
            links[key as usize].get(i).map(|&(p, _)| p)
        });
        let all = self.all_marks();
        let mut parts: Vec<(Marks, Component)> = Vec::new();
        parts.resize_with(found.count, || {
            let keys = BTreeSet::new();
            (Marks::NONE, Component { keys, weak: true })
        });
        let mut cyclic = vec![false; found.count];
        for (i, &key) in keys.iter().enumerate() {
            let component = found.of[i] as usize;
            let (marks, part) = &mut parts[component];
            part.keys.insert(key);
            for &(p, carried) in &links[i] {
                if found.of[p as usize] as usize == component {
                    cyclic[component] = true;
                    *marks = marks.union(carried);
                    part.weak &= carried.contains(all);
                }
            }
        }
        let accepting = parts
            .into_iter()
            .zip(cyclic)
            .filter(|((marks, _), cyclic)| *cyclic && marks.contains(all));
        accepting.map(|((_, part), _)| part).collect()
    }

    /// Whether the automaton accepts whatever the model does from a key on.
    ///
    /// Greatest set of keys in which every change of letters has a step with all marks back into it.
    pub(super) fn accepts_everything(&mut self, key: Key) -> bool {
        let all = self.all_marks();
        let mut keys: Vec<Key> = vec![key];
        let mut known: BTreeSet<Key> = keys.iter().copied().collect();
        let mut at = 0;
        // Per key and letter, the keys that a step with all marks leads to.
        let mut steps: Vec<Vec<Vec<Key>>> = Vec::new();
        while let Some(&(q, from)) = keys.get(at) {
            at += 1;
            let class = self.letters.of(from);
            let letters = self.letters.classes().keys().copied();
            let letters: Vec<_> = letters.filter(|&to| class.leads_to(from, to)).collect();
            let mut rows = Vec::new();
            for to in letters {
                let here = self.step(q, from, to).iter();
                let here = here.filter(|(_, marks)| marks.contains(all));
                let row: Vec<Key> = here.map(|&(p, _)| (p, to)).collect();
                if row.is_empty() && at == 1 {
                    return false;
                }
                for &next in &row {
                    if known.insert(next) {
                        keys.push(next);
                    }
                }
                rows.push(row);
            }
            steps.push(rows);
            if keys.len() > MOST_KEYS {
                return false;
            }
        }
        loop {
            let before = known.len();
            for (key, rows) in keys.iter().zip(&steps) {
                let stays = |row: &Vec<Key>| row.iter().any(|next| known.contains(next));
                if known.contains(key) && !rows.iter().all(stays) {
                    known.remove(key);
                }
            }
            if known.len() == before {
                return known.contains(&key);
            }
        }
    }
}

/// Keys beyond which nobody asks whether everything is accepted.
const MOST_KEYS: usize = 1000;
