//! Checking by walking: pairs of nodes are descended together, one for the marking and one for its successor by a
//! transition; what was met is not met again. Cost: pairs of nodes, whatever the number of markings.
//!
//! Above the first level that a transition touches the two nodes are the same, so each node of that level is paired
//! with itself. Below the last one nothing depends on the transition any more, and pairs are shared by all.

use std::collections::HashSet;

use crate::certificate::Diagram;
use crate::claim::{Claim, Logic};
use crate::failure::{Failure, Result};
use crate::formula::Atom;
use crate::moves::{Move, Target, moves};
use crate::net::Net;
use crate::rules::{Rules, keep, name};

/// Why a descent ends early: a rule that is broken, with the values on the way, the lowest first; or the limit.
enum Broken {
    Rule(&'static str, Vec<u32>),
    Limit,
}

type Found = std::result::Result<(), Broken>;

/// What is known of the other marking while one is descended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Other {
    /// It is below this node.
    At(u32),
    /// It is not in the diagram.
    Absent,
    /// There is none: the transition is not enabled.
    None,
}

struct Walk<'a> {
    diagram: &'a Diagram,
    rules: &'a Rules<'a>,
    /// Pairs that were met with the transition at hand, and those below all that it touches.
    met: HashSet<(usize, u32, Other)>,
    below: HashSet<(usize, u32, Other)>,
    /// The pairs that may still be met.
    left: u64,
}

/// Checks a diagram, with at most so many pairs.
pub(crate) fn check(
    net: &Net,
    claim: &Claim,
    diagram: &Diagram,
    rules: &Rules<'_>,
    most: u64,
) -> Result<()> {
    let told = |level: usize, node: u32, t: Option<usize>| {
        move |broken: Broken| match broken {
            Broken::Limit => Failure::Limit("the walk meets too many pairs of nodes".to_owned()),
            Broken::Rule(rule, below) => {
                let mut values = way_to(diagram, level, node);
                values.extend(below.into_iter().rev());
                let marking = net.describe(&diagram.marking(&values));
                let by = t.map(|t| format!(", transition {}", net.transitions[t].id));
                let at = format!("at {marking}{}", by.unwrap_or_default());
                Failure::Refused { rule, at }
            }
        }
    };
    let mut left = most;
    for (bit, atom) in claim.formulas.atoms.iter().enumerate() {
        // What leaves say of deadlocks follows from what they say of transitions: see `Rules::new`.
        if *atom != Atom::Deadlock {
            let mut letters = Letters::new(net, diagram, atom, bit, left);
            let begin = letters.begin();
            letters
                .descend(0, diagram.root, &begin)
                .map_err(told(0, diagram.root, None))?;
            left = letters.left;
        }
    }
    let mut walk = Walk {
        diagram,
        rules,
        met: HashSet::new(),
        below: HashSet::new(),
        left,
    };
    let leaves = 0..diagram.leaves.len();
    let asks = above(
        diagram,
        leaves.clone().map(|leaf| rules.asks_all(leaf)).collect(),
    );
    let mut tasks: Vec<(Move, usize, Option<usize>)> = Vec::new();
    for (t, made) in moves(net, &diagram.levels, false)?.into_iter().enumerate() {
        tasks.push((made, t, None));
    }
    // Leaves name successors by a transition, but markings before it where they count.
    for (t, made) in moves(net, &diagram.levels, claim.logic == Logic::States)?
        .into_iter()
        .enumerate()
    {
        tasks.push((made, t, Some(t)));
    }
    for (made, t, by) in tasks {
        let named = |leaf| rules.named(leaf).any(|named| named == t);
        let asks = match by {
            None => &asks,
            Some(_) => &above(diagram, leaves.clone().map(named).collect()),
        };
        let first = made.first().map_or(diagram.layers.len(), |part| part.0);
        walk.met.clear();
        if by.is_some() {
            walk.below.clear();
        }
        for node in 0..asks[first].len() as u32 {
            let found = walk.descend(first, node, Other::At(node), &made, by, asks);
            found.map_err(told(first, node, Some(t)))?;
        }
    }
    Ok(())
}

impl Walk<'_> {
    /// Checks all markings below a node, given what is known of the others: what is asked of all successors, or of
    /// the one by a transition that leaves name.
    fn descend(
        &mut self,
        level: usize,
        node: u32,
        other: Other,
        made: &[(usize, Vec<Target>)],
        by: Option<usize>,
        asks: &[Vec<bool>],
    ) -> Found {
        // Nothing is asked below, or nothing of a successor that does not exist.
        if !asks[level][node as usize] || (by.is_none() && other == Other::None) {
            return Ok(());
        }
        if level == self.diagram.layers.len() {
            let (leaf, next) = (
                node as usize,
                match other {
                    Other::At(next) => Some(next as usize),
                    Other::Absent | Other::None => None,
                },
            );
            let checked = match by {
                None => self.rules.after(leaf, next),
                Some(_) if other == Other::None => keep(false, name::ENABLED),
                Some(t) => self.rules.by(leaf, t, next),
            };
            return checked.map_err(|rule| Broken::Rule(rule, Vec::new()));
        }
        let table = if made.is_empty() {
            &mut self.below
        } else {
            &mut self.met
        };
        if !table.insert((level, node, other)) {
            return Ok(());
        }
        self.left = self.left.checked_sub(1).ok_or(Broken::Limit)?;
        let (to, rest) = match made.first() {
            Some((first, to)) if *first == level => (Some(to), &made[1..]),
            _ => (None, made),
        };
        let layer = &self.diagram.layers[level];
        for &(value, child) in layer.arcs(node) {
            let target = to.map_or(Target::Value(value), |to| to[value as usize]);
            let next = match (target, other) {
                (Target::Disabled, _) | (_, Other::None) => Other::None,
                (Target::Absent, _) | (_, Other::Absent) => Other::Absent,
                (Target::Value(value), Other::At(node)) => {
                    layer.child(node, value).map_or(Other::Absent, Other::At)
                }
            };
            let found = self.descend(level + 1, child, next, rest, by, asks);
            on_way(found, value)?;
        }
        Ok(())
    }
}

/// Adds the value of a level to the way to what is broken.
fn on_way(found: Found, value: u32) -> Found {
    found.map_err(|broken| match broken {
        Broken::Rule(rule, mut way) => {
            way.push(value);
            Broken::Rule(rule, way)
        }
        Broken::Limit => Broken::Limit,
    })
}

/// Whether below each node, by level, there is one of some leaves.
fn above(diagram: &Diagram, leaves: Vec<bool>) -> Vec<Vec<bool>> {
    let mut all = vec![leaves];
    for layer in diagram.layers.iter().rev() {
        let below = &all[all.len() - 1];
        let any = |node| {
            layer
                .arcs(node)
                .iter()
                .any(|&(_, child)| below[child as usize])
        };
        all.push((0..layer.starts.len() as u32 - 1).map(any).collect());
    }
    all.reverse();
    all
}

/// Values that lead from the root, or as near as possible, to a node.
fn way_to(diagram: &Diagram, level: usize, mut node: u32) -> Vec<u32> {
    let mut way = vec![0; level];
    for above in (0..level).rev() {
        let layer = &diagram.layers[above];
        for parent in 0..layer.starts.len() as u32 - 1 {
            if let Some(&(value, _)) = layer.arcs(parent).iter().find(|arc| arc.1 == node) {
                way[above] = value;
                node = parent;
                break;
            }
        }
    }
    way
}

/// What is known of an atom after some levels: a sum, the transitions that may still be enabled, or whether it holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Partial {
    Sum(i64),
    Transitions(Vec<usize>),
    Known(bool),
}

/// Checks of one atom that the letters tell whether it holds.
struct Letters<'a> {
    net: &'a Net,
    diagram: &'a Diagram,
    atom: &'a Atom,
    bit: usize,
    /// For each place its level, and where it is there.
    home: Vec<(usize, usize)>,
    /// The terms of a sum, by level.
    terms: Vec<Vec<(usize, i64)>>,
    met: HashSet<(usize, u32, Partial)>,
    left: u64,
}

impl<'a> Letters<'a> {
    fn new(net: &'a Net, diagram: &'a Diagram, atom: &'a Atom, bit: usize, left: u64) -> Self {
        let mut home = vec![(0, 0); net.places.len()];
        for (l, level) in diagram.levels.iter().enumerate() {
            for (i, &place) in level.places.iter().enumerate() {
                home[place] = (l, i);
            }
        }
        let mut terms = vec![Vec::new(); diagram.levels.len()];
        if let Atom::AtMost(list, _) | Atom::Equals(list, _) = atom {
            for &(p, c) in list {
                terms[home[p].0].push((home[p].1, c));
            }
        }
        let met = HashSet::new();
        Letters {
            net,
            diagram,
            atom,
            bit,
            home,
            terms,
            met,
            left,
        }
    }

    fn begin(&self) -> Partial {
        let begin = match self.atom {
            Atom::Fireable(list) => Partial::Transitions(list.clone()),
            _ => Partial::Sum(0),
        };
        self.settle(0, begin)
    }

    fn descend(&mut self, level: usize, node: u32, known: &Partial) -> Found {
        let diagram = self.diagram;
        if level == diagram.layers.len() {
            let said = diagram.leaves[node as usize].letter >> self.bit & 1 == 1;
            let checked = keep(*known == Partial::Known(said), name::LETTER);
            return checked.map_err(|rule| Broken::Rule(rule, Vec::new()));
        }
        if !self.met.insert((level, node, known.clone())) {
            return Ok(());
        }
        self.left = self.left.checked_sub(1).ok_or(Broken::Limit)?;
        for &(value, child) in diagram.layers[level].arcs(node) {
            let next = self.next(level, &diagram.levels[level].values[value as usize], known);
            on_way(self.descend(level + 1, child, &next), value)?;
        }
        Ok(())
    }

    /// What is known after a level whose places have these tokens.
    fn next(&self, level: usize, tokens: &[u32], known: &Partial) -> Partial {
        let next = match known {
            Partial::Known(_) => return known.clone(),
            Partial::Sum(sum) => {
                let more = self.terms[level]
                    .iter()
                    .map(|&(i, c)| c * i64::from(tokens[i]));
                Partial::Sum(sum + more.sum::<i64>())
            }
            Partial::Transitions(list) => {
                let here = |p: usize| (self.home[p].0 == level).then(|| tokens[self.home[p].1]);
                let may = |t: &usize| {
                    let t = &self.net.transitions[*t];
                    let enough = t.least.iter().all(|&(p, n)| here(p).is_none_or(|m| m >= n));
                    enough && t.below.iter().all(|&(p, n)| here(p).is_none_or(|m| m < n))
                };
                Partial::Transitions(list.iter().copied().filter(may).collect())
            }
        };
        self.settle(level + 1, next)
    }

    /// What is known after so many levels, as short as it can be told.
    fn settle(&self, levels: usize, known: Partial) -> Partial {
        let complete = self.terms[levels..].iter().all(Vec::is_empty);
        match (&known, self.atom) {
            (Partial::Sum(sum), Atom::AtMost(_, number)) if complete => {
                Partial::Known(sum <= number)
            }
            (Partial::Sum(sum), Atom::Equals(_, number)) if complete => {
                Partial::Known(sum == number)
            }
            (Partial::Transitions(list), _) => {
                let passed = |t: &usize| {
                    let t = &self.net.transitions[*t];
                    t.least
                        .iter()
                        .chain(&t.below)
                        .all(|&(p, _)| self.home[p].0 < levels)
                };
                match list.iter().any(passed) {
                    true => Partial::Known(true),
                    false if list.is_empty() => Partial::Known(false),
                    false => known,
                }
            }
            _ => known,
        }
    }
}
