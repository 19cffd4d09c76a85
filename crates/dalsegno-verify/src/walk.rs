//! Checking by walking: pairs of nodes are descended together, one for the marking and one for its successor by a
//! transition; what was met is not met again. Cost: pairs of nodes, whatever the number of markings.
//!
//! Above the first level that a transition touches the two nodes are the same, so each node of that level is paired
//! with itself. Below the last one nothing depends on the transition any more, and pairs are shared by all.

use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};

use crate::enumerate::{Move, NONE, Subject, descend, follow, leaf_of};
use crate::formula::Atom;
use crate::rules::{keep, name};
use crate::{Result, Work};

/// Nodes with what is known there.
type Met<K> = HashSet<(u32, K), BuildHasherDefault<Mix>>;

impl Subject<'_> {
    /// Checks all markings.
    pub(crate) fn walk(&self, work: &mut Work<'_>) -> Result<()> {
        for (bit, atom) in self.claim.formulas.atoms.iter().enumerate() {
            // What leaves say of deadlocks follows from what they say of transitions: see `Rules::new`.
            if *atom != Atom::Deadlock {
                self.walk_letters(bit, atom, work)?;
            }
        }
        let leaves = self.diagram.leaves.len();
        // Whether something is asked below each node.
        let above = |asks: &dyn Fn(usize) -> bool| self.diagram.upwards(asks, false, |a, b| a || b);
        let asks = above(&|leaf| self.rules.asks_all(leaf));
        let mut shared = Met::default();
        for (t, made) in self.ahead.iter().enumerate() {
            self.walk_transition(t, made, false, &asks, &mut shared, work)?;
        }
        let named: BTreeSet<usize> = (0..leaves).flat_map(|leaf| self.rules.named(leaf)).collect();
        for t in named {
            let asks = above(&|leaf| self.rules.named(leaf).any(|named| named == t));
            self.walk_transition(t, self.named(t), true, &asks, &mut Met::default(), work)?;
        }
        Ok(())
    }

    /// Checks what is asked about successors by a transition; or, if it is named, by the leaves that name it.
    fn walk_transition(
        &self,
        t: usize,
        made: &Move,
        named: bool,
        asks: &[bool],
        shared: &mut Met<u32>,
        work: &mut Work<'_>,
    ) -> Result<()> {
        let diagram = self.diagram;
        let first = made.first().map_or(diagram.levels.len(), |part| part.0);
        let last = made.last().map_or(0, |part| part.0);
        let mut met = Met::default();
        for node in diagram.nodes(first).filter(|&node| asks[node as usize]) {
            let next = |level: usize, value: u32, child: u32, other: &u32| {
                let to = made.iter().find(|part| part.0 == level);
                let other = follow(diagram, *other, to.map_or(value, |part| part.1[value as usize]));
                // Nothing is asked below, or nothing of a successor that does not exist.
                if !asks[child as usize] || (other == NONE && !named) {
                    return Ok(None);
                }
                let new = if level < last { &mut met } else { &mut *shared }.insert((child, other));
                work.take(usize::from(new))?;
                Ok(new.then_some(other))
            };
            descend(diagram, first, node, node, next, |values, path| {
                let (leaf, other) = (path[values.len()].node as usize, path[values.len()].known);
                let checked = if named { self.by(leaf, t, other) } else { self.rules.after(leaf, leaf_of(other)) };
                checked.map_err(|rule| self.broken(rule, first, values, Some(t)))
            })?;
        }
        Ok(())
    }

    /// Checks that the letters tell whether an atom holds.
    fn walk_letters(&self, bit: usize, atom: &Atom, work: &mut Work<'_>) -> Result<()> {
        let (diagram, mut met) = (self.diagram, Met::default());
        // The terms of a sum by level; after `last` there are none.
        let mut terms = vec![Vec::new(); diagram.levels.len()];
        let mut begin = Partial::Sum(0);
        match atom {
            Atom::AtMost(list, _) | Atom::Equals(list, _) => {
                for &(p, c) in list {
                    terms[self.home[p].0].push((self.home[p].1, c));
                }
            }
            Atom::Fireable(list) => begin = Partial::Transitions(list.clone()),
            Atom::Deadlock => {}
        }
        let last = terms.iter().rposition(|list| !list.is_empty());
        // What is known after so many levels, as short as it can be told.
        let settle = |levels: usize, known: Partial| match (known, atom) {
            (Partial::Sum(sum), Atom::AtMost(_, n)) if last < Some(levels) => Partial::Known(sum <= *n),
            (Partial::Sum(sum), Atom::Equals(_, n)) if last < Some(levels) => Partial::Known(sum == *n),
            (Partial::Transitions(list), _) => {
                let asked = |t: usize| self.net.transitions[t].least.iter().chain(&self.net.transitions[t].below);
                let passed = |&t: &usize| asked(t).all(|&(p, _)| self.home[p].0 < levels);
                match list.iter().any(passed) {
                    false if !list.is_empty() => Partial::Transitions(list),
                    enabled => Partial::Known(enabled),
                }
            }
            (known, _) => known,
        };
        let next = |level: usize, value: u32, child: u32, known: &Partial| {
            let tokens = &diagram.levels[level].values[value as usize];
            let known = match known {
                Partial::Known(_) => known.clone(),
                Partial::Sum(sum) => {
                    let more = terms[level].iter().map(|&(i, c): &(usize, i64)| c * i64::from(tokens[i]));
                    Partial::Sum(sum + more.sum::<i64>())
                }
                Partial::Transitions(list) => {
                    let here = |p: usize| (self.home[p].0 == level).then(|| tokens[self.home[p].1]);
                    let may = |t: &usize| self.net.transitions[*t].allows(here);
                    Partial::Transitions(list.iter().copied().filter(may).collect())
                }
            };
            let known = settle(level + 1, known);
            let new = met.insert((child, known.clone()));
            work.take(usize::from(new))?;
            Ok(new.then_some(known))
        };
        descend(diagram, 0, diagram.root(), settle(0, begin), next, |values, path| {
            let said = diagram.leaves[path[values.len()].node as usize].letter >> bit & 1 == 1;
            let checked = keep(path[values.len()].known == Partial::Known(said), name::LETTER);
            checked.map_err(|rule| self.broken(rule, 0, values, None))
        })
    }
}

/// What is known of an atom after some levels: a sum, the transitions that may still be enabled, or whether it holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Partial {
    Sum(i64),
    Transitions(Vec<usize>),
    Known(bool),
}

/// A fast hash of few numbers. Who makes numbers collide makes the walk slow, and no more.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(26) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
