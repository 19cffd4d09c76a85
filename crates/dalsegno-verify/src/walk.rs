//! Checking by walking: pairs of nodes are descended together, one for the marking and one for its successor by a
//! transition; what was met is not met again. Cost: pairs of nodes, whatever the number of markings.
//!
//! Above the first level that a transition touches the two nodes are the same, so each node of that level is paired
//! with itself. Below the last one nothing depends on the transition any more, and pairs are shared by all.

use std::collections::{HashMap, HashSet};

use crate::certificate::{Alive, Diagram, Leaf};
use crate::claim::{Claim, Logic};
use crate::failure::{Failure, Result};
use crate::formula::Atom;
use crate::moves::{ABSENT, DISABLED, Move, moves};
use crate::net::Net;
use crate::rules::{Rules, Verdict, keep, name};

/// A rule that is broken below a node: which one, and the values on the way, the lowest first.
struct Broken {
    rule: &'static str,
    way: Vec<u32>,
    limit: bool,
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

/// What a descent asks of the leaves that it ends in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Asked {
    /// What is asked of all successors.
    All,
    /// That nothing is claimed that contradicts this transition's being enabled or not.
    Claims(usize),
    /// What is asked of the successor that this transition is chosen for.
    Chosen(usize),
}

struct Walk<'a> {
    diagram: &'a Diagram,
    rules: &'a Rules<'a>,
    counted: bool,
    /// The nodes of each layer, and the leaves, that the root reaches.
    reached: Vec<Vec<u32>>,
    /// Whether something is asked of all successors below each node, by layer.
    asks: Vec<Vec<bool>>,
    met: HashSet<(usize, u32, Other, Asked)>,
    below: HashSet<(usize, u32, Other, Asked)>,
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
    let reached = reached(diagram);
    let told = |level: usize, node: u32, mut broken: Broken, t: Option<usize>| {
        if broken.limit {
            return Failure::Limit("the walk meets too many pairs of nodes".to_owned());
        }
        broken
            .way
            .extend(way_to(diagram, &reached, level, node).into_iter().rev());
        broken.way.reverse();
        let marking = net.describe(&diagram.marking(&broken.way));
        let by = t.map(|t| format!(", transition {}", net.transitions[t].id));
        Failure::Refused {
            rule: broken.rule,
            at: format!("at {marking}{}", by.unwrap_or_default()),
        }
    };
    let left = letters(net, claim, diagram, &reached, most)
        .map_err(|broken| told(0, diagram.root, broken, None))?;
    let mut walk = Walk {
        diagram,
        rules,
        counted: claim.logic == Logic::States,
        asks: asks(diagram, rules),
        reached: reached.clone(),
        met: HashSet::new(),
        below: HashSet::new(),
        left,
    };
    let ahead = moves(net, &diagram.levels, false)?;
    let back = if walk.counted {
        moves(net, &diagram.levels, true)?
    } else {
        Vec::new()
    };
    let leaves = || {
        walk.reached[diagram.layers.len()]
            .iter()
            .map(|&leaf| leaf as usize)
    };
    let mut chosen = vec![false; ahead.len()];
    leaves()
        .flat_map(|leaf| rules.choices(leaf))
        .for_each(|t| chosen[t] = true);
    let mut claims =
        vec![leaves().any(|leaf| diagram.leaves[leaf].alive == Alive::Dead); ahead.len()];
    for leaf in leaves() {
        if let Alive::By(t) = diagram.leaves[leaf].alive {
            claims[t] = true;
        }
    }
    for t in 0..ahead.len() {
        let asked = [
            Some((Asked::All, &ahead[t])),
            claims[t].then_some((Asked::Claims(t), &ahead[t])),
            chosen[t].then(|| {
                (
                    Asked::Chosen(t),
                    if walk.counted { &back[t] } else { &ahead[t] },
                )
            }),
        ];
        for (asked, made) in asked.into_iter().flatten() {
            let first = made
                .first()
                .map_or(diagram.layers.len(), |&(level, _)| level);
            walk.met.clear();
            for node in walk.reached[first].clone() {
                let found = walk.descend(first, node, Other::At(node), made, asked);
                found.map_err(|broken| told(first, node, broken, Some(t)))?;
            }
        }
    }
    Ok(())
}

/// Checks what leaves say of atoms; how many pairs are left.
fn letters(
    net: &Net,
    claim: &Claim,
    diagram: &Diagram,
    reached: &[Vec<u32>],
    most: u64,
) -> std::result::Result<u64, Broken> {
    let mut left = most;
    let leaves = || {
        let leaves = reached[diagram.layers.len()].iter();
        leaves.map(|&leaf| &diagram.leaves[leaf as usize])
    };
    let claimed = leaves().all(|leaf| leaf.alive != Alive::Unknown);
    for (bit, atom) in claim.formulas.atoms().iter().enumerate() {
        let right = |leaf: &Leaf| (leaf.letter >> bit & 1 == 1) == (leaf.alive == Alive::Dead);
        if *atom == Atom::Deadlock && claimed && leaves().all(right) {
            // That claims about dead ends are true is checked by itself.
            continue;
        }
        let mut letters = Letters::new(net, diagram, atom, bit, &mut left);
        let begin = letters.begin.clone();
        letters.descend(0, diagram.root, &begin)?;
    }
    Ok(left)
}

impl Walk<'_> {
    fn descend(
        &mut self,
        level: usize,
        node: u32,
        other: Other,
        made: &[(usize, Vec<u32>)],
        asked: Asked,
    ) -> Found {
        // Nothing is asked of successors of transitions that are not enabled, nor below.
        if asked == Asked::All && (other == Other::None || !self.asks[level][node as usize]) {
            return Ok(());
        }
        if level == self.diagram.layers.len() {
            return self
                .leaf(node as usize, other, asked)
                .map_err(|rule| Broken {
                    rule,
                    way: Vec::new(),
                    limit: false,
                });
        }
        let table = if made.is_empty() {
            &mut self.below
        } else {
            &mut self.met
        };
        if !table.insert((level, node, other, asked)) {
            return Ok(());
        }
        if self.left == 0 {
            let (rule, way) = ("", Vec::new());
            return Err(Broken {
                rule,
                way,
                limit: true,
            });
        }
        self.left -= 1;
        let diagram = self.diagram;
        let (to, rest) = match made.first() {
            Some((first, to)) if *first == level => (Some(to), &made[1..]),
            _ => (None, made),
        };
        for &(value, child) in diagram.layers[level].arcs(node) {
            let target = to.map_or(value, |to| to[value as usize]);
            let next = match (target, other) {
                (DISABLED, _) | (_, Other::None) => Other::None,
                (ABSENT, _) | (_, Other::Absent) => Other::Absent,
                (value, Other::At(node)) => {
                    let child = diagram.layers[level].child(node, value);
                    child.map_or(Other::Absent, Other::At)
                }
            };
            // Once it is not enabled, nothing is left to be found out.
            let rest = if next == Other::None { &[] } else { rest };
            let found = self.descend(level + 1, child, next, rest, asked);
            found.map_err(|mut broken| {
                broken.way.push(value);
                broken
            })?;
        }
        Ok(())
    }

    fn leaf(&self, leaf: usize, other: Other, asked: Asked) -> Verdict {
        let next = match other {
            Other::At(next) => Some(next as usize),
            Other::Absent | Other::None => None,
        };
        let enabled = other != Other::None;
        let alive = self.diagram.leaves[leaf].alive;
        match asked {
            Asked::All => self.rules.all(leaf, next),
            Asked::Claims(_) if enabled => keep(alive != Alive::Dead, name::DEAD),
            Asked::Claims(t) => keep(alive != Alive::By(t), name::ENABLED),
            Asked::Chosen(t) if enabled => self.rules.chosen(leaf, t, next),
            Asked::Chosen(t) => {
                let rule = if self.counted {
                    name::ENTERED
                } else {
                    name::ENABLED
                };
                keep(self.rules.choices(leaf).all(|chosen| chosen != t), rule)
            }
        }
    }
}

/// The nodes of each layer, and the leaves, that the root reaches, ascending.
fn reached(diagram: &Diagram) -> Vec<Vec<u32>> {
    let mut all = vec![vec![diagram.root]];
    for (level, layer) in diagram.layers.iter().enumerate() {
        let arcs = all[level].iter().flat_map(|&node| layer.arcs(node));
        let mut next: Vec<u32> = arcs.map(|&(_, child)| child).collect();
        next.sort_unstable();
        next.dedup();
        all.push(next);
    }
    all
}

/// Whether something is asked of all successors below each node.
fn asks(diagram: &Diagram, rules: &Rules<'_>) -> Vec<Vec<bool>> {
    let mut all = vec![
        (0..diagram.leaves.len())
            .map(|leaf| rules.asks_all(leaf))
            .collect::<Vec<bool>>(),
    ];
    for layer in diagram.layers.iter().rev() {
        let below = &all[all.len() - 1];
        let nodes = 0..layer.starts.len() as u32 - 1;
        let asks = |node| {
            layer
                .arcs(node)
                .iter()
                .any(|&(_, child)| below[child as usize])
        };
        let row = nodes.map(asks).collect();
        all.push(row);
    }
    all.reverse();
    all
}

/// Values that lead from the root to a node.
fn way_to(diagram: &Diagram, reached: &[Vec<u32>], level: usize, node: u32) -> Vec<u32> {
    let mut way = Vec::new();
    let mut node = node;
    for above in (0..level).rev() {
        let layer = &diagram.layers[above];
        let parents = reached[above].iter();
        let mut arcs =
            parents.flat_map(|&parent| layer.arcs(parent).iter().map(move |arc| (parent, arc)));
        if let Some((parent, &(value, _))) = arcs.find(|(_, arc)| arc.1 == node) {
            way.push(value);
            node = parent;
        }
    }
    way.reverse();
    way
}

/// What is known of an atom after some levels: a sum, or the transitions that may still be enabled.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Partial {
    Sum(i64),
    Transitions(Vec<usize>),
    Known(bool),
}

/// Checks of one atom that the letters tell whether it holds.
struct Letters<'a> {
    diagram: &'a Diagram,
    atom: &'a Atom,
    bit: usize,
    begin: Partial,
    /// What each value adds to the sum, by level.
    weights: HashMap<usize, Vec<i64>>,
    /// The transitions' conditions.
    moves: Vec<Move>,
    /// The number of levels after which the sum is known.
    last: usize,
    met: HashSet<(usize, u32, Partial)>,
    left: &'a mut u64,
}

impl<'a> Letters<'a> {
    fn new(net: &Net, diagram: &'a Diagram, atom: &'a Atom, bit: usize, left: &'a mut u64) -> Self {
        let mut weights = HashMap::new();
        let mut transitions = Vec::new();
        match atom {
            Atom::AtMost(terms, _) | Atom::Equals(terms, _) => {
                for (l, level) in diagram.levels.iter().enumerate() {
                    let weight = |place: &usize| {
                        let at = terms.binary_search_by_key(place, |&(p, _)| p);
                        at.map_or(0, |at| terms[at].1)
                    };
                    let list: Vec<i64> = level.places.iter().map(weight).collect();
                    if list.iter().any(|&w| w != 0) {
                        let sum = |value: &Vec<u32>| -> i64 {
                            list.iter().zip(value).map(|(w, &n)| w * i64::from(n)).sum()
                        };
                        weights.insert(l, level.values.iter().map(sum).collect());
                    }
                }
            }
            Atom::Fireable(list) => transitions.clone_from(list),
            Atom::Deadlock => transitions = (0..net.transitions.len()).collect(),
        }
        let moves = transitions
            .iter()
            .map(|&t| conditions(net, diagram, t))
            .collect();
        let begin = match atom {
            Atom::AtMost(..) | Atom::Equals(..) => Partial::Sum(0),
            _ => Partial::Transitions((0..transitions.len()).collect()),
        };
        let mut letters = Letters {
            diagram,
            atom,
            bit,
            begin: Partial::Known(false),
            last: weights.keys().max().map_or(0, |level| level + 1),
            weights,
            moves,
            met: HashSet::new(),
            left,
        };
        letters.begin = letters.settle(0, begin);
        letters
    }

    fn descend(&mut self, level: usize, node: u32, known: &Partial) -> Found {
        let broken = |rule, limit| Broken {
            rule,
            way: Vec::new(),
            limit,
        };
        if level == self.diagram.layers.len() {
            let holds = *known == Partial::Known(true);
            let leaf = &self.diagram.leaves[node as usize];
            // What leaves claim of dead ends is checked by itself.
            let holds = match (self.atom, leaf.alive) {
                (Atom::Deadlock, Alive::Dead) => true,
                (Atom::Deadlock, Alive::By(_)) => false,
                _ => holds,
            };
            let said = leaf.letter >> self.bit & 1 == 1;
            return keep(said == holds, name::LETTER).map_err(|rule| broken(rule, false));
        }
        if !self.met.insert((level, node, known.clone())) {
            return Ok(());
        }
        if *self.left == 0 {
            return Err(broken("", true));
        }
        *self.left -= 1;
        let diagram = self.diagram;
        for &(value, child) in diagram.layers[level].arcs(node) {
            let next = self.next(level, value, known);
            self.descend(level + 1, child, &next)
                .map_err(|mut broken| {
                    broken.way.push(value);
                    broken
                })?;
        }
        Ok(())
    }
}

impl Letters<'_> {
    /// What is known after the value of a level.
    fn next(&self, level: usize, value: u32, known: &Partial) -> Partial {
        match known {
            Partial::Known(holds) => Partial::Known(*holds),
            Partial::Sum(sum) => {
                let more = self
                    .weights
                    .get(&level)
                    .map_or(0, |list| list[value as usize]);
                self.settle(level + 1, Partial::Sum(sum + more))
            }
            Partial::Transitions(list) => {
                let may = |&&i: &&usize| {
                    let part = self.moves[i].iter().find(|(l, _)| *l == level);
                    part.is_none_or(|(_, to)| to[value as usize] != DISABLED)
                };
                let list = list.iter().filter(may).copied().collect();
                self.settle(level + 1, Partial::Transitions(list))
            }
        }
    }

    /// What is known after so many levels, as short as it can be told.
    fn settle(&self, levels: usize, known: Partial) -> Partial {
        let dead = *self.atom == Atom::Deadlock;
        match (&known, self.atom) {
            (Partial::Sum(sum), Atom::AtMost(_, number)) if levels >= self.last => {
                Partial::Known(sum <= number)
            }
            (Partial::Sum(sum), Atom::Equals(_, number)) if levels >= self.last => {
                Partial::Known(sum == number)
            }
            (Partial::Transitions(list), _) => {
                let passed = |&i: &usize| self.moves[i].last().is_none_or(|(l, _)| *l < levels);
                match list.iter().any(passed) {
                    true => Partial::Known(!dead),
                    false if list.is_empty() => Partial::Known(dead),
                    false => known,
                }
            }
            _ => known,
        }
    }
}

/// Which values of levels a transition is not enabled by.
fn conditions(net: &Net, diagram: &Diagram, t: usize) -> Move {
    let t = &net.transitions[t];
    let mut made = Move::new();
    for (l, level) in diagram.levels.iter().enumerate() {
        let of = |list: &[(usize, u32)]| -> Vec<(usize, u32)> {
            let here =
                |&(p, n): &(usize, u32)| Some((level.places.iter().position(|&q| q == p)?, n));
            list.iter().filter_map(here).collect()
        };
        let (least, below) = (of(&t.least), of(&t.below));
        if !least.is_empty() || !below.is_empty() {
            let may = |v: &Vec<u32>| {
                least.iter().all(|&(i, n)| v[i] >= n) && below.iter().all(|&(i, n)| v[i] < n)
            };
            let row = level
                .values
                .iter()
                .map(|value| if may(value) { 0 } else { DISABLED });
            made.push((l, row.collect()));
        }
    }
    made
}
