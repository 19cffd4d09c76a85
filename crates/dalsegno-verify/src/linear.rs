//! Linear proofs: no reachable marking satisfies a formula without temporal operators, by multipliers.
//!
//! What is known of all reachable markings `m`: places of a siphon without tokens stay without them, and a trap that has
//! tokens keeps some. Let constraints `g_i·m >= h_i` be facts of this kind and parts of the formula. Numbers `u >= 0` for
//! places and `z >= 0` for constraints refute them if `y = u + Σ z_i·g_i` never grows by firing and
//! `y·m₀ < Σ z_i·h_i`: then `Σ z_i·h_i <= Σ z_i·g_i·m = y·m - u·m <= y·m <= y·m₀ < Σ z_i·h_i` (Farkas' lemma).
//! Alternatives are refuted one by one.
//!
//! As numbers: the siphon (a count and places); traps (how many, each as the siphon); and a refutation, which is
//!
//! - 0, how many multipliers, each as the number of a constraint and `z`, how many weights, each as a place and `u`
//! - 1, the number of an alternative that is open, and a refutation of each of its parts
//! - 2, a place, a number, and refutations of: it has at most so many tokens, it has more
//!
//! Constraints are numbered in the order in which they are met: siphon, traps, and then those of the formula from the
//! left; so are alternatives.

use std::collections::BTreeSet;

use crate::claim::Claim;
use crate::diagram::Numbers;
use crate::formula::{Atom, Formulas, Id, Node};
use crate::net::{Net, Transition};
use crate::rules::{keep_at, name};
use crate::{Failure, Result, Work, error};

/// A set of markings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Those in which the sum of places with coefficients is at least a number.
    Row(Vec<(usize, i64)>, i128),
    /// Those in all of the sets.
    All(Vec<Goal>),
    /// Those in some of the sets.
    Any(Vec<Goal>),
}

/// How deep a refutation may be nested.
const MOST_DEPTH: usize = 500;

/// The constraints that a formula may have, with repetitions.
const MOST_ROWS: usize = 1 << 20;

/// `sum >= least`, or `sum <= least - 1`.
fn row(terms: &[(usize, i64)], least: i128, positive: bool) -> Goal {
    let sign = if positive { 1 } else { -1 };
    let terms = terms.iter().map(|&(p, c)| (p, sign * c)).collect();
    Goal::Row(terms, if positive { least } else { 1 - least })
}

/// All of some goals if `all`, any of them otherwise; goals of the same kind are joined.
fn join(all: bool, parts: impl Iterator<Item = Goal>) -> Goal {
    let mut list = Vec::new();
    for part in parts {
        match part {
            Goal::All(inner) if all => list.extend(inner),
            Goal::Any(inner) if !all => list.extend(inner),
            other => list.push(other),
        }
    }
    if all { Goal::All(list) } else { Goal::Any(list) }
}

/// The markings in which some of the transitions are enabled, or none is.
fn enabled(net: &Net, transitions: impl Iterator<Item = usize>, positive: bool) -> Goal {
    let one = |t: usize| {
        let Transition { least, below, .. } = &net.transitions[t];
        let least = least.iter().map(|&(p, n)| row(&[(p, 1)], i128::from(n), positive));
        join(positive, least.chain(below.iter().map(|&(p, n)| row(&[(p, 1)], i128::from(n), !positive))))
    };
    join(!positive, transitions.map(one))
}

/// The markings in which an atom holds, or does not.
fn of_atom(net: &Net, atom: &Atom, positive: bool) -> Goal {
    match atom {
        Atom::AtMost(terms, n) => row(terms, i128::from(*n) + 1, !positive),
        Atom::Equals(terms, n) => {
            let n = i128::from(*n);
            join(positive, [row(terms, n, positive), row(terms, n + 1, !positive)].into_iter())
        }
        Atom::Fireable(list) => enabled(net, list.iter().copied(), positive),
        Atom::Deadlock => enabled(net, 0..net.transitions.len(), !positive),
    }
}

/// The markings that satisfy a formula.
pub fn goal(net: &Net, formulas: &Formulas, f: Id) -> Result<Goal> {
    let (mut found, mut rows): (Vec<Option<Goal>>, usize) = (Vec::new(), 0);
    for node in &formulas.nodes[..=f] {
        found.push(match *node {
            Node::True => Some(Goal::All(Vec::new())),
            Node::False => Some(Goal::Any(Vec::new())),
            Node::Atom(a) => Some(of_atom(net, &formulas.atoms[a], true)),
            Node::NotAtom(a) => Some(of_atom(net, &formulas.atoms[a], false)),
            Node::And(g, h) | Node::Or(g, h) => found[g].clone().zip(found[h].clone()).map(|(left, right)| {
                rows += size(&left) + size(&right);
                join(matches!(node, Node::And(..)), [left, right].into_iter())
            }),
            _ => None,
        });
        if rows > MOST_ROWS {
            return Err(Failure::Limit("the formula has too many constraints"));
        }
    }
    found.pop().flatten().map_or_else(|| error(0, "the formula has temporal operators"), Ok)
}

/// The number of constraints and sets of a goal.
fn size(goal: &Goal) -> usize {
    match goal {
        Goal::Row(..) => 1,
        Goal::All(parts) | Goal::Any(parts) => 1 + parts.iter().map(size).sum::<usize>(),
    }
}

/// What is assumed: constraints, and alternatives of which one holds.
struct Scope<'a> {
    net: &'a Net,
    /// The transitions that may fire.
    fires: Vec<&'a Transition>,
    rows: Vec<(Vec<(usize, i64)>, i128)>,
    open: Vec<Vec<Goal>>,
}

/// Checks that numbers from a byte on refute the formula that a claim says no reachable marking satisfies.
pub(crate) fn check(net: &Net, claim: &Claim, bytes: &[u8], at: usize, work: &mut Work<'_>) -> Result<()> {
    let Some(never) = claim.never() else {
        return error(0, "linear proofs are about formulas that never hold");
    };
    let goal = goal(net, &claim.formulas, never)?;
    let mut numbers = Numbers { bytes, at };
    let set = |numbers: &mut Numbers<'_>| {
        let places = numbers.list(1, |numbers| numbers.below(net.places.len(), "place"))?;
        Ok(places.into_iter().collect::<BTreeSet<usize>>())
    };
    let siphon = set(&mut numbers)?;
    let asks = |t: &Transition| t.least.iter().any(|(p, _)| siphon.contains(p));
    let puts = |t: &Transition| t.change.iter().any(|(p, n)| siphon.contains(p) && *n > 0);
    let is_siphon = siphon.iter().all(|&p| net.places[p].1 == 0) && net.transitions.iter().all(|t| !puts(t) || asks(t));
    keep_at(is_siphon, name::SIPHON, || "the siphon".to_owned())?;
    // Who asks for tokens of the siphon never fires.
    let fires = net.transitions.iter().filter(|t| !asks(t)).collect();
    let rows = siphon.iter().map(|&p| (vec![(p, -1)], 0)).collect();
    let mut scope = Scope { net, fires, rows, open: Vec::new() };
    for (i, trap) in numbers.list(1, set)?.into_iter().enumerate() {
        work.take(net.places.len() + net.transitions.len())?;
        // A transition that takes from the trap leaves a token in one of its places.
        let keeps = |t: &&Transition| {
            let takes = t.change.iter().any(|(p, n)| trap.contains(p) && *n < 0);
            let puts = t.change.iter().any(|(p, n)| trap.contains(p) && *n > 0);
            let change = |p: usize| t.change.iter().find(|(q, _)| *q == p).map_or(0, |&(_, n)| n);
            let leaves = |&(p, n): &(usize, u32)| trap.contains(&p) && i64::from(n) + change(p) > 0;
            !takes || puts || t.least.iter().any(leaves)
        };
        let is_trap = trap.iter().any(|&p| net.places[p].1 > 0) && scope.fires.iter().all(keeps);
        keep_at(is_trap, name::TRAP, || format!("trap {i}"))?;
        scope.rows.push((trap.into_iter().map(|p| (p, 1)).collect(), 1));
    }
    scope.assume(&goal);
    scope.refute(&mut numbers, 0, work)?;
    numbers.end()
}

impl Scope<'_> {
    fn assume(&mut self, goal: &Goal) {
        match goal {
            Goal::Row(terms, least) => self.rows.push((terms.clone(), *least)),
            Goal::All(parts) => parts.iter().for_each(|part| self.assume(part)),
            Goal::Any(parts) => self.open.push(parts.clone()),
        }
    }

    fn refute(&mut self, numbers: &mut Numbers<'_>, depth: usize, work: &mut Work<'_>) -> Result<()> {
        let (places, rows, open) = (self.net.places.len(), self.rows.len(), self.open.len());
        work.take(places + self.net.transitions.len())?;
        if depth == MOST_DEPTH {
            return Err(Failure::Limit("the refutation is nested too deeply"));
        }
        let begin = numbers.at;
        let parts = match numbers.below(3, "step of a refutation")? {
            0 => {
                let z = numbers.list(2, |numbers| Ok((numbers.below(rows, "constraint")?, numbers.next()?)))?;
                let u = numbers.list(2, |numbers| Ok((numbers.below(places, "place")?, numbers.next()?)))?;
                let contradict = self.contradict(&z, &u).unwrap_or(false);
                return keep_at(contradict, name::FARKAS, || format!("byte {begin}"));
            }
            1 => self.open[numbers.below(open, "alternative")?].clone(),
            _ => {
                let place = numbers.below(places, "place")?;
                let more = i128::from(numbers.next()?) + 1;
                [false, true].map(|above| row(&[(place, 1)], more, above)).to_vec()
            }
        };
        for part in &parts {
            work.take(size(part))?;
            self.assume(part);
            self.refute(numbers, depth + 1, work)?;
            self.rows.truncate(rows);
            self.open.truncate(open);
        }
        Ok(())
    }

    /// Whether multipliers of constraints and weights of places contradict; none if the numbers are too large.
    fn contradict(&self, z: &[(usize, u64)], u: &[(usize, u64)]) -> Option<bool> {
        let mut y = vec![0_i128; self.net.places.len()];
        for &(place, weight) in u {
            y[place] = y[place].checked_add(weight.into())?;
        }
        for &(i, z) in z {
            for &(p, c) in &self.rows[i].0 {
                y[p] = sum([(y[p], 1), (c.into(), z.into())].into_iter())?;
            }
        }
        for t in &self.fires {
            if sum(t.change.iter().map(|&(p, n)| (y[p], n.into())))? > 0 {
                return Some(false);
            }
        }
        let initial = sum(self.net.places.iter().zip(&y).map(|((_, tokens), &y)| (y, (*tokens).into())))?;
        Some(initial < sum(z.iter().map(|&(i, z)| (self.rows[i].1, z.into())))?)
    }
}

/// A sum of products; none if a number is too large.
fn sum(mut products: impl Iterator<Item = (i128, i128)>) -> Option<i128> {
    products.try_fold(0_i128, |sum, (a, b)| sum.checked_add(a.checked_mul(b)?))
}
