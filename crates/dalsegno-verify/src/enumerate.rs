//! Checking by enumeration: each marking of the diagram is looked at, its transitions are fired, and the leaves of the
//! successors are looked up. Cost: markings times transitions; no memory but the file.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::certificate::Diagram;
use crate::claim::{Claim, Logic};
use crate::failure::{Failure, Result, refused};
use crate::moves::{Move, Target, moves};
use crate::net::Net;
use crate::rules::{Rules, Verdict, keep, name};

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
    /// For transitions that leaves name: as `ahead`, or in a count backwards.
    named: Vec<Move>,
}

impl<'a> Enumeration<'a> {
    pub(crate) fn new(
        net: &'a Net,
        claim: &'a Claim,
        diagram: &'a Diagram,
        rules: &'a Rules<'a>,
    ) -> Result<Self> {
        let back = claim.logic == Logic::States;
        Ok(Enumeration {
            net,
            claim,
            diagram,
            rules,
            ahead: moves(net, &diagram.levels, false)?,
            named: moves(net, &diagram.levels, back)?,
        })
    }

    /// Checks all markings below some arcs of the root, with at most so many markings and successors; whoever fails
    /// tells the others to end.
    pub(crate) fn check(&self, part: Range<usize>, steps: u64, end: &AtomicBool) -> Result<()> {
        let Diagram { layers, root, .. } = self.diagram;
        if layers.is_empty() {
            return self.marking(&[], &[*root]).map(|_| ());
        }
        // The values and nodes on the way to a marking, and per level the arcs that are left to look at.
        let (mut values, mut nodes, mut left) = (Vec::new(), vec![*root], vec![part]);
        let mut work = 0;
        while let Some(arcs) = left.last_mut() {
            let level = values.len();
            match arcs.next() {
                None => {
                    left.pop();
                    nodes.pop();
                    values.pop();
                }
                Some(next) => {
                    let (value, child) = layers[level].arcs(nodes[level])[next];
                    values.push(value);
                    nodes.push(child);
                    if level + 1 < layers.len() {
                        left.push(0..layers[level + 1].arcs(child).len());
                        continue;
                    }
                    work += self.marking(&values, &nodes)?;
                    values.pop();
                    nodes.pop();
                    if work > steps {
                        return Err(Failure::Limit(
                            "the enumeration takes too many steps".to_owned(),
                        ));
                    }
                    if end.load(Ordering::Relaxed) {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks a marking; how much was looked at.
    fn marking(&self, values: &[u32], nodes: &[u32]) -> Result<u64> {
        let leaf = nodes[nodes.len() - 1] as usize;
        let marking = self.diagram.marking(values);
        let told = |checked: Verdict, t: Option<usize>| {
            checked.or_else(|rule| {
                let by = t.map(|t| format!(", transition {}", self.net.transitions[t].id));
                let marking = self.net.describe(&marking);
                refused(rule, format!("at {marking}{}", by.unwrap_or_default()))
            })
        };
        let letter = self.claim.letter(self.net, &marking);
        told(
            keep(self.diagram.leaves[leaf].letter == letter, name::LETTER),
            None,
        )?;
        let mut work = 1;
        if self.rules.asks_all(leaf) {
            for (t, made) in self.ahead.iter().enumerate() {
                if let Next::Leaf(next) = self.go(made, values, nodes) {
                    work += 1;
                    told(self.rules.after(leaf, next), Some(t))?;
                }
            }
        }
        for t in self.rules.named(leaf) {
            work += 1;
            let checked = match self.go(&self.named[t], values, nodes) {
                Next::Disabled => keep(false, name::ENABLED),
                Next::Leaf(other) => self.rules.by(leaf, t, other),
            };
            told(checked, Some(t))?;
        }
        Ok(work)
    }

    /// The leaf that a transition leads to, if it is enabled.
    fn go(&self, made: &Move, values: &[u32], nodes: &[u32]) -> Next {
        let target = |(level, to): &(usize, Vec<Target>)| to[values[*level] as usize];
        if made.iter().any(|part| target(part) == Target::Disabled) {
            return Next::Disabled;
        }
        // Above the first level that changes, the way is the same.
        let first = made.first().map_or(values.len(), |part| part.0);
        let mut parts = made.iter().peekable();
        let mut node = nodes[first];
        for level in first..values.len() {
            let target = match parts.next_if(|part| part.0 == level) {
                Some(part) => target(part),
                // From here on the way is the same again.
                None if node == nodes[level] && parts.peek().is_none() => {
                    return Next::Leaf(Some(nodes[values.len()] as usize));
                }
                None => Target::Value(values[level]),
            };
            let child = match target {
                Target::Value(value) => self.diagram.layers[level].child(node, value),
                Target::Absent | Target::Disabled => None,
            };
            match child {
                Some(child) => node = child,
                None => return Next::Leaf(None),
            }
        }
        Next::Leaf(Some(node as usize))
    }
}
