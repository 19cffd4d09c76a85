//! Checking by enumeration: each marking of the diagram is looked at, its transitions are fired, and the leaves of the
//! successors are looked up. Cost: markings times transitions; no memory but the file.

use std::ops::Range;

use crate::certificate::{Alive, Diagram};
use crate::claim::{Claim, Logic};
use crate::failure::{Failure, Result, refused};
use crate::moves::{ABSENT, DISABLED, Move, moves};
use crate::net::Net;
use crate::rules::{Rules, keep, name};

/// Steps between two looks at whether others have failed.
const WATCH: u64 = 1 << 12;

/// Where a transition leads.
enum Next {
    /// It is not enabled.
    Disabled,
    /// To a leaf, or out of the diagram.
    Leaf(Option<usize>),
}

pub(crate) struct Enumeration<'a> {
    net: &'a Net,
    claim: &'a Claim,
    diagram: &'a Diagram,
    rules: &'a Rules<'a>,
    ahead: Vec<Move>,
    back: Vec<Move>,
}

impl<'a> Enumeration<'a> {
    pub(crate) fn new(
        net: &'a Net,
        claim: &'a Claim,
        diagram: &'a Diagram,
        rules: &'a Rules<'a>,
    ) -> Result<Self> {
        Ok(Enumeration {
            net,
            claim,
            diagram,
            rules,
            ahead: moves(net, &diagram.levels, false)?,
            back: match claim.logic {
                Logic::States => moves(net, &diagram.levels, true)?,
                _ => Vec::new(),
            },
        })
    }

    /// Checks all markings below some arcs of the root, with at most so many markings and successors; `ended` tells
    /// whether others have found a fault.
    pub(crate) fn check(
        &self,
        part: Range<usize>,
        steps: u64,
        ended: &dyn Fn() -> bool,
    ) -> Result<()> {
        let Diagram { layers, root, .. } = self.diagram;
        let Some(top) = layers.first() else {
            return self.marking(&[], &[*root]).map(|_| ());
        };
        // Per level: the node, and the arcs that are left to look at.
        let mut stack = vec![(*root, part)];
        let mut values: Vec<u32> = Vec::new();
        let mut nodes: Vec<u32> = vec![*root];
        let mut left = steps;
        let mut watch = 0;
        while let Some((node, arcs)) = stack.last_mut() {
            let level = values.len();
            let Some(next) = arcs.next() else {
                stack.pop();
                values.pop();
                nodes.pop();
                continue;
            };
            debug_assert!(level > 0 || *node == *root && arcs.end <= top.arcs(*root).len());
            let (value, child) = layers[level].arcs(*node)[next];
            values.push(value);
            nodes.push(child);
            if level + 1 < layers.len() {
                let count = layers[level + 1].arcs(child).len();
                stack.push((child, 0..count));
                continue;
            }
            let work = self.marking(&values, &nodes)?;
            values.pop();
            nodes.pop();
            if left < work {
                return Err(Failure::Limit(
                    "the enumeration takes too many steps".to_owned(),
                ));
            }
            left -= work;
            watch += work;
            if watch > WATCH {
                watch = 0;
                if ended() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Checks a marking; how much was looked at.
    fn marking(&self, values: &[u32], nodes: &[u32]) -> Result<u64> {
        let leaf_number = nodes[nodes.len() - 1] as usize;
        let leaf = &self.diagram.leaves[leaf_number];
        let marking = self.diagram.marking(values);
        let told = |rule, t: Option<usize>| {
            let marking = self.net.describe(&marking);
            let by = t.map(|t| format!(", transition {}", self.net.transitions[t].id));
            refused(rule, format!("at {marking}{}", by.unwrap_or_default()))
        };
        let letter = self.claim.letter(self.net, &marking);
        keep(leaf.letter == letter, name::LETTER).or_else(|rule| told(rule, None))?;
        let asks_all = self.rules.asks_all(leaf_number);
        let mut work = 1;
        if asks_all || leaf.alive != Alive::Unknown {
            for (t, made) in self.ahead.iter().enumerate() {
                let claimed = leaf.alive == Alive::By(t);
                match self.go(made, values, nodes) {
                    Next::Disabled => {
                        keep(!claimed, name::ENABLED).or_else(|rule| told(rule, Some(t)))?;
                    }
                    Next::Leaf(next) => {
                        work += 1;
                        let alive = keep(leaf.alive != Alive::Dead, name::DEAD);
                        let checked = alive.and_then(|()| self.rules.all(leaf_number, next));
                        checked.or_else(|rule| told(rule, Some(t)))?;
                    }
                }
            }
        }
        let (table, absent) = match self.claim.logic {
            Logic::States => (&self.back, name::ENTERED),
            _ => (&self.ahead, name::ENABLED),
        };
        for t in self.rules.choices(leaf_number) {
            work += 1;
            let checked = match self.go(&table[t], values, nodes) {
                Next::Disabled => keep(false, absent),
                Next::Leaf(other) => self.rules.chosen(leaf_number, t, other),
            };
            checked.or_else(|rule| told(rule, Some(t)))?;
        }
        Ok(work)
    }

    /// The leaf that a transition leads to, if it is enabled.
    fn go(&self, made: &Move, values: &[u32], nodes: &[u32]) -> Next {
        let target = |&(level, ref to): &(usize, Vec<u32>)| to[values[level] as usize];
        if made.iter().any(|part| target(part) == DISABLED) {
            return Next::Disabled;
        }
        let Some(&(first, _)) = made.first() else {
            return Next::Leaf(Some(nodes[nodes.len() - 1] as usize));
        };
        let mut parts = made.iter().peekable();
        let mut node = nodes[first];
        for level in first..values.len() {
            let value = match parts.peek() {
                Some(part) if part.0 == level => {
                    let value = target(part);
                    parts.next();
                    value
                }
                // From here on the way is the same.
                None if node == nodes[level] => {
                    return Next::Leaf(Some(nodes[values.len()] as usize));
                }
                _ => values[level],
            };
            if value == ABSENT {
                return Next::Leaf(None);
            }
            match self.diagram.layers[level].child(node, value) {
                Some(child) => node = child,
                None => return Next::Leaf(None),
            }
        }
        Next::Leaf(Some(node as usize))
    }
}
