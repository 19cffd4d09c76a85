//! Checking by enumeration: each marking of the diagram is looked at, its transitions are fired, and the leaves of the
//! successors are looked up. Cost: markings times transitions; no memory but the file. Firing, and going down the
//! diagram, is for `walk.rs` too.

use crate::claim::{Claim, Logic};
use crate::diagram::Diagram;
use crate::net::Net;
use crate::rules::{Rules, Verdict, keep, name};
use crate::{Failure, Result, Work};

/// Instead of a value or node: it is none of the diagram.
pub(crate) const ABSENT: u32 = u32::MAX;

/// Instead of a value or node: there is none, because the transition is not enabled.
pub(crate) const NONE: u32 = u32::MAX - 1;

/// What a transition does: for each level that it asks or changes, from the top, what each value becomes, if it is not
/// `ABSENT` or `NONE`.
pub(crate) type Move = Vec<(usize, Vec<u32>)>;

/// The words that the table of disabled transitions may have.
const MOST_WORDS: usize = 1 << 24;

/// What both ways of checking need.
pub(crate) struct Subject<'a> {
    pub(crate) net: &'a Net,
    pub(crate) claim: &'a Claim,
    pub(crate) diagram: &'a Diagram,
    pub(crate) rules: &'a Rules<'a>,
    /// For each place its level, and where it is there.
    pub(crate) home: Vec<(usize, usize)>,
    /// What transitions do.
    pub(crate) ahead: Vec<Move>,
    /// For transitions that leaves name: where they lead, or in a count, where they come from.
    back: Option<Vec<Move>>,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(
        net: &'a Net,
        claim: &'a Claim,
        diagram: &'a Diagram,
        rules: &'a Rules<'a>,
        work: &mut Work<'_>,
    ) -> Result<Self> {
        let mut home = vec![(0, 0); net.places.len()];
        for (l, level) in diagram.levels.iter().enumerate() {
            for (i, &place) in level.places.iter().enumerate() {
                home[place] = (l, i);
            }
        }
        let counts = claim.header.logic == Logic::States;
        let ahead = moves(net, diagram, &home, false, work)?;
        let back = if counts { Some(moves(net, diagram, &home, true, work)?) } else { None };
        Ok(Subject { net, claim, diagram, rules, home, ahead, back })
    }

    /// What a transition does that leaves name.
    pub(crate) fn named(&self, t: usize) -> &Move {
        &self.back.as_ref().unwrap_or(&self.ahead)[t]
    }

    /// The failure that a rule is broken at the values of some levels, from one on, and a transition.
    pub(crate) fn broken(&self, rule: &'static str, level: usize, values: &[u32], t: Option<usize>) -> Failure {
        let mut marking = vec![0; self.net.places.len()];
        self.diagram.put(level, values, &mut marking);
        let by = t.map(|t| format!(", transition {}", self.net.transitions[t].id)).unwrap_or_default();
        let part = if level > 0 { "a marking with " } else { "" };
        Failure::Refused(rule, format!("at {part}{}{by}", self.net.describe(&marking)))
    }

    /// Whether a leaf may name a transition that leads to another one, if it is enabled.
    pub(crate) fn by(&self, leaf: usize, t: usize, other: u32) -> Verdict {
        keep(other != NONE, name::ENABLED)?;
        self.rules.by(leaf, t, leaf_of(other))
    }

    /// Checks the markings below every so many-th arc of the root, from one on.
    pub(crate) fn enumerate(&self, from: usize, every: usize, work: &mut Work<'_>) -> Result<()> {
        let (disabled, mut arc) = (self.disabled(), from);
        let mut marking = vec![0; self.net.places.len()];
        // What is known on the way down: the transitions that are not disabled so far.
        let all = vec![u64::MAX; self.ahead.len().div_ceil(64)];
        let next = |level: usize, value: u32, _, known: &Vec<u64>| {
            arc += usize::from(level == 0);
            let mut known = known.clone();
            known.iter_mut().zip(&disabled[level][value as usize]).for_each(|(known, disabled)| *known &= !disabled);
            Ok((level > 0 || arc % every == 0).then_some(known))
        };
        descend(self.diagram, 0, self.diagram.root(), all, next, |values, path| {
            self.diagram.put(0, values, &mut marking);
            self.marking(&marking, values, path, work)
        })
    }

    /// For each level and value, the transitions that it disables, a bit each; nothing where the table would be too large.
    fn disabled(&self) -> Vec<Vec<Vec<u64>>> {
        let (words, mut left) = (self.ahead.len().div_ceil(64), MOST_WORDS);
        let mut rows: Vec<Vec<Vec<u64>>> =
            self.diagram.levels.iter().map(|level| vec![Vec::new(); level.values.len()]).collect();
        for (t, (level, to)) in
            self.ahead.iter().enumerate().flat_map(|(t, made)| made.iter().map(move |part| (t, part)))
        {
            for value in (0..to.len()).filter(|&value| to[value] == NONE) {
                let row = &mut rows[*level][value];
                if row.is_empty() && left >= words {
                    left -= words;
                    row.resize(words, 0);
                }
                row.iter_mut().skip(t / 64).take(1).for_each(|word| *word |= 1 << (t % 64));
            }
        }
        rows
    }

    /// Checks a marking.
    fn marking(&self, marking: &[u32], values: &[u32], path: &[Open<Vec<u64>>], work: &mut Work<'_>) -> Result<()> {
        let Open { node, known, .. } = &path[values.len()];
        let leaf = *node as usize;
        let told = |checked: Verdict, t: Option<usize>| checked.map_err(|rule| self.broken(rule, 0, values, t));
        let letter = self.claim.letter(self.net, marking);
        told(keep(self.diagram.leaves[leaf].letter == letter, name::LETTER), None)?;
        work.take(1)?;
        if self.rules.asks_all(leaf) {
            for (i, mut word) in known.iter().copied().enumerate() {
                while word != 0 {
                    let t = i * 64 + word.trailing_zeros() as usize;
                    word &= word - 1;
                    let next = self.ahead.get(t).map_or(NONE, |made| self.go(made, values, path));
                    if next != NONE {
                        work.take(1)?;
                        told(self.rules.after(leaf, leaf_of(next)), Some(t))?;
                    }
                }
            }
        }
        for t in self.rules.named(leaf) {
            work.take(1)?;
            let other = self.go(self.named(t), values, path);
            told(self.by(leaf, t, other), Some(t))?;
        }
        Ok(())
    }

    /// The leaf that a transition leads to, if it is enabled and in the diagram.
    fn go<K>(&self, made: &Move, values: &[u32], path: &[Open<K>]) -> u32 {
        let target = |(level, to): &(usize, Vec<u32>)| to[values[*level] as usize];
        if made.iter().any(|part| target(part) == NONE) {
            return NONE;
        }
        // Above the first level that changes, the way is the same.
        let first = made.first().map_or(values.len(), |part| part.0);
        let (mut node, mut parts) = (path[first].node, made.iter().peekable());
        for level in first..values.len() {
            let value = match parts.next_if(|part| part.0 == level) {
                Some(part) => target(part),
                // From here on the way is the same again.
                None if node == path[level].node && parts.peek().is_none() => return path[values.len()].node,
                None => values[level],
            };
            node = follow(self.diagram, node, value);
            if node == ABSENT {
                break;
            }
        }
        node
    }
}

/// A leaf, or none if it is not in the diagram.
pub(crate) fn leaf_of(node: u32) -> Option<usize> {
    (node < NONE).then_some(node as usize)
}

/// The child of a node by a value; either may be none.
pub(crate) fn follow(diagram: &Diagram, node: u32, value: u32) -> u32 {
    match (node, value) {
        (NONE, _) | (_, NONE) => NONE,
        (ABSENT, _) | (_, ABSENT) => ABSENT,
        _ => diagram.child(node, value).unwrap_or(ABSENT),
    }
}

/// The moves of all transitions; with `back`, the values before it fired instead of those after.
fn moves(net: &Net, diagram: &Diagram, home: &[(usize, usize)], back: bool, work: &mut Work<'_>) -> Result<Vec<Move>> {
    let mut all = Vec::with_capacity(net.transitions.len());
    for t in &net.transitions {
        let asked = t.least.iter().chain(&t.below).map(|&(p, _)| home[p].0);
        let mut touched: Vec<usize> = asked.chain(t.change.iter().map(|&(p, _)| home[p].0)).collect();
        touched.sort_unstable();
        touched.dedup();
        let mut made = Move::new();
        for l in touched {
            let here = |p: usize| (home[p].0 == l).then_some(home[p].1);
            let enabled = |value: &[u32]| t.allows(|p| here(p).map(|i| value[i]));
            let values = &diagram.levels[l].values;
            let fire = |value: &Vec<u32>| {
                let mut other = value.clone();
                for (i, n) in t.change.iter().filter_map(|&(p, n)| Some((here(p)?, n))) {
                    match u32::try_from(i64::from(other[i]) + if back { -n } else { n }) {
                        Ok(tokens) => other[i] = tokens,
                        // Before firing there is no such marking; after it, the diagram has none.
                        Err(_) => return if back || !enabled(value) { NONE } else { ABSENT },
                    }
                }
                if !enabled(if back { &other } else { value }) {
                    return NONE;
                }
                values.binary_search(&other).map_or(ABSENT, |number| number as u32)
            };
            work.take(values.len())?;
            made.push((l, values.iter().map(fire).collect()));
        }
        all.push(made);
    }
    Ok(all)
}

/// A node on the way down, with something that is known there, and its next arc.
pub(crate) struct Open<K> {
    pub(crate) node: u32,
    pub(crate) known: K,
    arc: usize,
}

/// Goes down from a node of a level to all leaves below. `next` gets a level, a value, a child and what is known above
/// it, and says what is known there, or that nothing has to be seen. `leaf` gets the values, and the nodes on the way.
pub(crate) fn descend<K>(
    diagram: &Diagram,
    level: usize,
    node: u32,
    known: K,
    mut next: impl FnMut(usize, u32, u32, &K) -> Result<Option<K>>,
    mut leaf: impl FnMut(&[u32], &[Open<K>]) -> Result<()>,
) -> Result<()> {
    let (mut values, mut path) = (Vec::new(), vec![Open { node, known, arc: 0 }]);
    while let Some(open) = path.last_mut() {
        let at = level + values.len();
        let arc = if at == diagram.levels.len() { None } else { diagram.arcs(open.node).get(open.arc) };
        open.arc += 1;
        if let Some(&(value, child)) = arc {
            if let Some(known) = next(at, value, child, &open.known)? {
                values.push(value);
                path.push(Open { node: child, known, arc: 0 });
            }
            continue;
        }
        if at == diagram.levels.len() {
            leaf(&values, &path)?;
        }
        path.pop();
        values.pop();
    }
    Ok(())
}
