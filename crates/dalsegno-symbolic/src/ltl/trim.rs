//! States behind a cycle: the greatest set each of whose states has a predecessor in it.
//!
//! P14 Fig. 2, lines 5 and 6. The classical iteration takes images of everything until nothing is
//! lost. Here groups are asked in turn, each only for the states for which no group before it has
//! found a predecessor, and those that found one come first in the next round: where little is lost,
//! few groups are asked.
//!
//! Cost: as many rounds as the longest way in from outside the cycles.

use std::collections::{BTreeMap, BTreeSet};

use dalsegno_automata::Marks;
use dalsegno_mdd::{Relation, Set, Stop};

use super::components::Component;
use super::nodes::{Key, Nodes};
use super::product::Product;

/// Where predecessors of a key may be, and by which relations, the useful ones first.
type Sources = Vec<(Key, Relation)>;

impl Product<'_, '_> {
    /// The states behind a cycle of a component.
    pub(super) fn trim(&mut self, mut nodes: Nodes, component: &Component) -> Result<Nodes, Stop> {
        let mut sources: BTreeMap<Key, Sources> = BTreeMap::new();
        for &key in &component.keys {
            for (letter, q) in self.targets(key, Marks::NONE) {
                if component.keys.contains(&(q, letter)) {
                    let relations = if letter == key.1 {
                        self.relations()
                    } else {
                        &self.letters.of(key.1).leaving
                    };
                    let list = sources.entry((q, letter)).or_default();
                    list.extend(relations.iter().map(|&relation| (key, relation)));
                }
            }
        }
        loop {
            let mut kept = Nodes::default();
            for (key, set) in nodes.iter() {
                let list = sources.entry(key).or_default();
                kept.set(key, self.followers(&nodes, key, set, list)?);
            }
            if kept.is_empty() || kept == nodes {
                return Ok(kept);
            }
            nodes = kept;
        }
    }

    /// The states of a key that have a predecessor among `nodes`.
    fn followers(
        &mut self,
        nodes: &Nodes,
        key: Key,
        set: &Set,
        sources: &mut Sources,
    ) -> Result<Set, Stop> {
        let mut open = set.clone();
        let repeated = sources.iter().map(|&(source, _)| source);
        let repeated: BTreeSet<Key> = repeated.filter(|source| source.1 == key.1).collect();
        for source in repeated {
            if let Some(before) = nodes.get(source)
                && let Some(dead) = self.repeating(before)?
            {
                open = self.manager().difference(&open, &dead)?;
            }
        }
        let (mut useful, mut useless) = (Vec::new(), Vec::new());
        let mut turn = 0;
        while let Some(&(source, relation)) = sources.get(turn).filter(|_| !open.is_empty()) {
            turn += 1;
            let Some(before) = nodes.get(source) else {
                continue;
            };
            let seen = self.manager().image_within(before, relation, &open)?;
            if seen.is_empty() {
                useless.push((source, relation));
            } else {
                useful.push((source, relation));
                open = self.manager().difference(&open, &seen)?;
            }
        }
        useful.extend_from_slice(&sources[turn..]);
        useful.extend(useless);
        *sources = useful;
        self.manager().difference(set, &open)
    }
}
