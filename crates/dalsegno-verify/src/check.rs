//! Two ways to check that a diagram keeps the rules. Both go down the diagram with a marking and its successors together:
//! a successor by a transition is another node of the same level, or none.
//!
//! *Enumerating* goes down to each marking, with all transitions that are enabled so far. Cost: markings times enabled
//! transitions; no memory but the file. *Walking* takes one transition at a time, and a pair of nodes that was met is not
//! met again. Cost: pairs of nodes, whatever the number of markings. Above the first level that a transition touches the
//! two nodes are the same, so each node of that level is paired with itself. Below the last one nothing depends on the
//! transition any more, and pairs are shared by all.

use std::collections::{BTreeSet, HashSet};

use crate::claim::{Claim, Logic};
use crate::diagram::Diagram;
use crate::formula::Atom;
use crate::net::{Net, Transition};
use crate::rules::{Rules, Verdict, keep, keep_at, name};
use crate::{Failure, Result, Work};

/// Instead of a value or node: it is none of the diagram.
const ABSENT: u32 = u32::MAX;

/// Instead of a value or node: there is none, because the transition is not enabled.
const NONE: u32 = u32::MAX - 1;

/// What a transition does: for each level that it asks or changes, from the top, what each value becomes, if it is not
/// `ABSENT` or `NONE`.
type Move = Vec<(usize, Vec<u32>)>;

/// Nodes with what is known there.
type Met<K> = HashSet<(u32, K)>;

/// What is checked.
pub(crate) struct Subject<'a> {
    net: &'a Net,
    claim: &'a Claim,
    diagram: &'a Diagram,
    rules: Rules<'a>,
    /// For each place its level, and where it is there; those in no level have none.
    home: Vec<(usize, usize)>,
    /// What transitions do; behind that, in a count, what undoes them.
    moves: Vec<Move>,
    /// Where the moves begin by which leaves name transitions: in a count they name those by which they are entered.
    named: usize,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(net: &'a Net, claim: &'a Claim, diagram: &'a Diagram, work: &mut Work<'_>) -> Result<Self> {
        let mut home = vec![(usize::MAX, 0); net.places.len()];
        for (l, level) in diagram.levels.iter().enumerate() {
            level.places.iter().enumerate().for_each(|(i, &place)| home[place] = (l, i));
        }
        let (counts, rules) = (claim.header.logic == Logic::States, Rules::new(claim, diagram, work)?);
        // A transition that asks a place in no level counts as enabled as far as the others tell: there are more
        // successors then. What a leaf says of atoms, of an enabled transition, or by a count must be known.
        let known = |p: usize| home[p].0 < usize::MAX;
        let asks = |t: &usize| net.transitions[*t].least.iter().chain(&net.transitions[*t].below).all(|p| known(p.0));
        let all_known = |atom: &Atom| match atom {
            Atom::AtMost(terms, _) | Atom::Equals(terms, _) => terms.iter().all(|&(p, _)| known(p)),
            Atom::Fireable(list) => list.iter().all(asks),
            Atom::Deadlock => true,
        };
        let named = (0..diagram.leaves.len()).all(|leaf| rules.named(leaf).all(|t| asks(&t)));
        let right = named && claim.formulas.atoms.iter().all(all_known) && (!counts || (0..home.len()).all(known));
        keep_at(right, name::PLACES, || "of an atom, a transition that is named, or a count".to_owned())?;
        let named = if counts { net.transitions.len() } else { 0 };
        let mut subject = Subject { net, claim, diagram, rules, home, moves: Vec::new(), named };
        let both = [false, true].into_iter().filter(|back| counts || !back);
        for (back, t) in both.flat_map(|back| net.transitions.iter().map(move |t| (back, t))) {
            let made = subject.make(t, back, work)?;
            subject.moves.push(made);
        }
        Ok(subject)
    }

    /// What a transition does; with `back`, what undoes it.
    fn make(&self, t: &Transition, back: bool, work: &mut Work<'_>) -> Result<Move> {
        let asked = t.least.iter().chain(&t.below).map(|&(p, _)| p);
        let touched = asked.chain(t.change.iter().map(|&(p, _)| p)).map(|p| self.home[p].0);
        let mut made = Move::new();
        for l in touched.filter(|&l| l < self.diagram.levels.len()).collect::<BTreeSet<usize>>() {
            let here = |p: usize| (self.home[p].0 == l).then_some(self.home[p].1);
            let enabled = |value: &[u32]| t.allows(|p| here(p).map(|i| value[i]));
            let values = &self.diagram.levels[l].values;
            let fire = |value: &Vec<u32>| {
                let mut tokens: Vec<i64> = value.iter().copied().map(i64::from).collect();
                for (i, n) in t.change.iter().filter_map(|&(p, n)| Some((here(p)?, n))) {
                    tokens[i] += if back { -n } else { n };
                }
                let other: Option<Vec<u32>> = tokens.into_iter().map(|n| u32::try_from(n).ok()).collect();
                let before = if back { other.as_ref() } else { Some(value) };
                if !before.is_some_and(|value| enabled(value)) {
                    return NONE;
                }
                other.and_then(|other| values.binary_search(&other).ok()).map_or(ABSENT, |number| number as u32)
            };
            work.take(values.len())?;
            made.push((l, values.iter().map(fire).collect()));
        }
        Ok(made)
    }

    /// Where a move leads from a node of a level, if the marking before it has a value there.
    fn follow(&self, made: &Move, level: usize, value: u32, node: u32) -> u32 {
        let part = made.iter().find(|part| part.0 == level);
        match (node, part.map_or(value, |part| part.1[value as usize])) {
            (NONE, _) | (_, NONE) => NONE,
            (ABSENT, _) | (_, ABSENT) => ABSENT,
            (node, value) => self.diagram.child(node, value).unwrap_or(ABSENT),
        }
    }

    /// Checks what a leaf asks of another one: of a successor, or by a transition that it names.
    fn check(&self, leaf: u32, named: Option<usize>, other: u32) -> Verdict {
        keep(named.is_none() || other != NONE, name::ENABLED)?;
        self.rules.check(leaf as usize, named, (other < NONE).then_some(other as usize))
    }

    /// The failure that a rule is broken at the values of some levels, from one on, and a transition.
    fn broken(&self, rule: &'static str, level: usize, values: &[u32], t: Option<usize>) -> Failure {
        let mut marking = vec![0; self.net.places.len()];
        self.diagram.put(level, values, &mut marking);
        let by = t.map(|t| format!(", transition {}", self.net.transitions[t].id)).unwrap_or_default();
        let part = if level > 0 { "a marking with " } else { "" };
        Failure::Refused(rule, format!("at {part}{}{by}", self.net.describe(&marking)))
    }

    /// Checks the markings below every so many-th arc of the root, from one on.
    pub(crate) fn enumerate(&self, from: usize, every: usize, work: &mut Work<'_>) -> Result<()> {
        let (diagram, bottom) = (self.diagram, self.diagram.levels.len());
        // The moves by the first level that they touch.
        let mut begin = vec![Vec::new(); bottom + 1];
        for (m, made) in self.moves.iter().enumerate() {
            begin[made.first().map_or(bottom, |part| part.0)].push(m);
        }
        let (mut arc, mut marking) = (from, vec![0; self.net.places.len()]);
        // What is known on the way down: the moves that are enabled so far, and where they lead.
        let next = |level: usize, value: u32, node: u32, _, known: &Vec<(usize, u32)>| {
            arc += usize::from(level == 0);
            if level == 0 && arc % every != 0 {
                return Ok(None);
            }
            let all = known.iter().copied().chain(begin[level].iter().map(|&m| (m, node)));
            let on = all.map(|(m, other)| (m, self.follow(&self.moves[m], level, value, other)));
            let known: Vec<(usize, u32)> = on.filter(|&(_, other)| other != NONE).collect();
            work.take(1 + known.len())?;
            Ok(Some(known))
        };
        descend(diagram, 0, diagram.root(), Vec::new(), next, |values, leaf, known| {
            let told = |checked: Verdict, t: Option<usize>| checked.map_err(|rule| self.broken(rule, 0, values, t));
            diagram.put(0, values, &mut marking);
            let letter = self.claim.letter(self.net, &marking);
            told(keep(diagram.leaves[leaf as usize].letter == letter, name::LETTER), None)?;
            let all = known.iter().copied().chain(begin[bottom].iter().map(|&m| (m, leaf)));
            for (t, other) in all.clone().filter(|&(m, _)| m < self.net.transitions.len()) {
                told(self.check(leaf, None, other), Some(t))?;
            }
            self.rules.named(leaf as usize).try_for_each(|t| {
                let other = all.clone().find(|&(m, _)| m == self.named + t).map_or(NONE, |(_, other)| other);
                told(self.check(leaf, Some(t), other), Some(t))
            })
        })
    }

    /// Checks all markings by walking.
    pub(crate) fn walk(&self, work: &mut Work<'_>) -> Result<()> {
        for (bit, atom) in self.claim.formulas.atoms.iter().enumerate() {
            self.walk_letters(bit, atom, work)?;
        }
        // Whether something is asked below each node: of all successors, or by a transition.
        let below = |by| self.diagram.upwards(|leaf| self.rules.asks(leaf, by), false, |a, b| a || b);
        let (asks, mut shared) = (below(None), Met::default());
        for t in 0..self.net.transitions.len() {
            self.walk_by(t, false, &asks, &mut shared, work)?;
        }
        let leaves = 0..self.diagram.leaves.len();
        for t in leaves.flat_map(|leaf| self.rules.named(leaf)).collect::<BTreeSet<usize>>() {
            self.walk_by(t, true, &below(Some(t)), &mut Met::default(), work)?;
        }
        Ok(())
    }

    /// Checks what is asked about successors by a transition; or, if it is named, by leaves that name it.
    fn walk_by(&self, t: usize, named: bool, asks: &[bool], shared: &mut Met<u32>, work: &mut Work<'_>) -> Result<()> {
        let (diagram, made) = (self.diagram, &self.moves[if named { self.named + t } else { t }]);
        let mut met = Met::default();
        let first = made.first().map_or(diagram.levels.len(), |part| part.0);
        let last = made.last().map_or(0, |part| part.0);
        for node in diagram.nodes(first).filter(|&node| asks[node as usize]) {
            let next = |level: usize, value: u32, _, child: u32, other: &u32| {
                let other = self.follow(made, level, value, *other);
                // Nothing is asked below, or nothing of a successor that does not exist.
                if !asks[child as usize] || (other == NONE && !named) {
                    return Ok(None);
                }
                let new = if level < last { &mut met } else { &mut *shared }.insert((child, other));
                work.take(usize::from(new))?;
                Ok(new.then_some(other))
            };
            descend(diagram, first, node, node, next, |values, leaf, &other| {
                let checked = self.check(leaf, named.then_some(t), other);
                checked.map_err(|rule| self.broken(rule, first, values, Some(t)))
            })?;
        }
        Ok(())
    }

    /// Checks that the letters tell whether an atom holds.
    fn walk_letters(&self, bit: usize, atom: &Atom, work: &mut Work<'_>) -> Result<()> {
        let (diagram, mut met) = (self.diagram, Met::default());
        let (sum, transitions) = match atom {
            Atom::AtMost(sum, _) | Atom::Equals(sum, _) => (&sum[..], None),
            Atom::Fireable(list) => (&[][..], Some(list)),
            // What leaves say of it follows from what they say of transitions: see `Rules::new`.
            Atom::Deadlock => return Ok(()),
        };
        let mut terms = vec![Vec::new(); diagram.levels.len()];
        for &(p, c) in sum {
            terms[self.home[p].0].push((self.home[p].1, c));
        }
        let complete = terms.iter().rposition(|list| !list.is_empty()).map_or(0, |last| last + 1);
        // What is known after so many levels, as short as it can be told.
        let settle = |levels: usize, known: Partial| match (known, atom) {
            (Partial::Sum(sum), Atom::AtMost(_, n)) if levels >= complete => Partial::Known(sum <= *n),
            (Partial::Sum(sum), Atom::Equals(_, n)) if levels >= complete => Partial::Known(sum == *n),
            (Partial::Transitions(list), _) => {
                let is_enabled = list.iter().any(|&t| self.moves[t].last().is_none_or(|part| part.0 < levels));
                if is_enabled || list.is_empty() { Partial::Known(is_enabled) } else { Partial::Transitions(list) }
            }
            (known, _) => known,
        };
        let next = |level: usize, value: u32, _, child: u32, known: &Partial| {
            let tokens = &diagram.levels[level].values[value as usize];
            let term = |&(i, c): &(usize, i64)| c * i64::from(tokens[i]);
            let may = |t: &usize| !self.moves[*t].iter().any(|part| part.0 == level && part.1[value as usize] == NONE);
            let known = match known {
                Partial::Known(_) => known.clone(),
                Partial::Sum(sum) => Partial::Sum(sum + terms[level].iter().map(term).sum::<i64>()),
                Partial::Transitions(list) => Partial::Transitions(list.iter().copied().filter(may).collect()),
            };
            let known = settle(level + 1, known);
            let new = met.insert((child, known.clone()));
            work.take(usize::from(new))?;
            Ok(new.then_some(known))
        };
        let begin = transitions.map_or(Partial::Sum(0), |list| Partial::Transitions(list.clone()));
        descend(diagram, 0, diagram.root(), settle(0, begin), next, |values, leaf, known| {
            let said = diagram.leaves[leaf as usize].letter >> bit & 1 == 1;
            keep(*known == Partial::Known(said), name::LETTER).map_err(|rule| self.broken(rule, 0, values, None))
        })
    }
}

/// Goes down from a node of a level to all leaves below. `next` gets a level, a value, the node and its child by the value,
/// and what is known at the node; it says what is known at the child, or that nothing has to be seen there. `check` gets
/// the values, a leaf, and what is known there.
fn descend<K>(
    diagram: &Diagram,
    level: usize,
    node: u32,
    known: K,
    mut next: impl FnMut(usize, u32, u32, u32, &K) -> Result<Option<K>>,
    mut check: impl FnMut(&[u32], u32, &K) -> Result<()>,
) -> Result<()> {
    // The nodes on the way, each with its next arc.
    let (mut values, mut path) = (Vec::new(), vec![(node, known, 0)]);
    while let Some((node, known, arc)) = path.last_mut() {
        let at = level + values.len();
        let arcs = if at == diagram.levels.len() { &[] } else { diagram.arcs(*node) };
        if let Some(&(value, child)) = arcs.get(*arc) {
            *arc += 1;
            if let Some(known) = next(at, value, *node, child, known)? {
                values.push(value);
                path.push((child, known, 0));
            }
            continue;
        }
        if at == diagram.levels.len() {
            check(&values, *node, known)?;
        }
        path.pop();
        values.pop();
    }
    Ok(())
}

/// What is known of an atom after some levels: a sum, the transitions that may still be enabled, or whether it holds.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Partial {
    Sum(i64),
    Transitions(Vec<usize>),
    Known(bool),
}
