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

use std::collections::HashMap;

use crate::certificate::Numbers;
use crate::claim::Claim;
use crate::failure::{Failure, Result, error, refused};
use crate::formula::{Atom, Formulas, Id, Node};
use crate::net::{Net, Transition};
use crate::rules::{keep, name};

/// A constraint: the sum of these places with coefficients is at least a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Places and coefficients.
    pub terms: Vec<(usize, i64)>,
    /// What the sum is at least.
    pub least: i128,
}

/// A set of markings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Those that satisfy a constraint.
    Row(Row),
    /// Those in all of the sets.
    All(Vec<Goal>),
    /// Those in some of the sets.
    Any(Vec<Goal>),
}

/// How deep a refutation may be nested.
const MOST_DEPTH: usize = 500;

/// `sum >= least`, or `sum <= least - 1`.
fn row(terms: &[(usize, i64)], least: i128, positive: bool) -> Goal {
    let sign = if positive { 1 } else { -1 };
    Goal::Row(Row {
        terms: terms.iter().map(|&(p, c)| (p, sign * c)).collect(),
        least: if positive { least } else { 1 - least },
    })
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
    if all {
        Goal::All(list)
    } else {
        Goal::Any(list)
    }
}

/// The markings in which some of the transitions are enabled, or none is.
fn enabled(net: &Net, transitions: impl Iterator<Item = usize>, positive: bool) -> Goal {
    let one = |t: usize| {
        let t = &net.transitions[t];
        let least = t
            .least
            .iter()
            .map(|&(p, n)| row(&[(p, 1)], i128::from(n), positive));
        let below = t
            .below
            .iter()
            .map(|&(p, n)| row(&[(p, 1)], i128::from(n), !positive));
        join(positive, least.chain(below))
    };
    join(!positive, transitions.map(one))
}

/// The markings that satisfy a formula in negation normal form.
///
/// # Errors
/// If it has temporal operators.
pub fn goal(net: &Net, formulas: &Formulas, f: Id) -> Result<Goal> {
    let mut found: HashMap<Id, Goal> = HashMap::new();
    let atom = |a: usize, positive: bool| match &formulas.atoms[a] {
        Atom::AtMost(terms, n) => row(terms, i128::from(*n) + 1, !positive),
        Atom::Equals(terms, n) => {
            let bounds = [
                row(terms, i128::from(*n), positive),
                row(terms, i128::from(*n) + 1, !positive),
            ];
            join(positive, bounds.into_iter())
        }
        Atom::Fireable(list) => enabled(net, list.iter().copied(), positive),
        Atom::Deadlock => enabled(net, 0..net.transitions.len(), !positive),
    };
    for g in 0..=f {
        let of = |h: Id| found.get(&h).cloned().into_iter();
        let both = |h, k| found.contains_key(&h) && found.contains_key(&k);
        let goal = match formulas.node(g) {
            Node::True => Goal::All(Vec::new()),
            Node::Atom(a) => atom(a, true),
            Node::Not(h) => match formulas.node(h) {
                Node::True => Goal::Any(Vec::new()),
                Node::Atom(a) => atom(a, false),
                _ => continue,
            },
            Node::And(h, k) if both(h, k) => join(true, of(h).chain(of(k))),
            Node::Or(h, k) if both(h, k) => join(false, of(h).chain(of(k))),
            _ => continue,
        };
        found.insert(g, goal);
    }
    found
        .remove(&f)
        .map_or_else(|| error(0, "the formula has temporal operators"), Ok)
}

/// What is assumed: constraints, and alternatives of which one holds.
struct Scope<'a> {
    net: &'a Net,
    /// The transitions that never fire.
    dead: Vec<bool>,
    rows: Vec<Row>,
    open: Vec<Vec<Goal>>,
    /// The work that is left.
    left: u64,
}

/// Checks that numbers from a byte on refute the formula that a claim says no reachable marking satisfies.
pub(crate) fn check(net: &Net, claim: &Claim, bytes: &[u8], at: usize, steps: u64) -> Result<()> {
    let mut claim = claim.clone();
    let Some(never) = claim.never() else {
        return error(0, "linear proofs are about formulas that never hold");
    };
    let goal = goal(net, &claim.formulas, never)?;
    let mut numbers = Numbers::new(bytes, at);
    let siphon = places(&mut numbers, net)?;
    let is_siphon = |t: &Transition| {
        let puts = t.change.iter().any(|&(p, n)| siphon[p] && n > 0);
        !puts || t.least.iter().any(|&(p, _)| siphon[p])
    };
    let empty = net
        .places
        .iter()
        .zip(&siphon)
        .all(|((_, tokens), inside)| *tokens == 0 || !inside);
    let holds = empty && net.transitions.iter().all(is_siphon);
    keep(holds, name::SIPHON).or_else(|rule| refused(rule, "the siphon"))?;
    let dead = net
        .transitions
        .iter()
        .map(|t| t.least.iter().any(|&(p, _)| siphon[p]));
    let mut scope = Scope {
        net,
        dead: dead.collect(),
        rows: Vec::new(),
        open: Vec::new(),
        left: steps,
    };
    for p in (0..siphon.len()).filter(|&p| siphon[p]) {
        scope.assume(&row(&[(p, 1)], 1, false));
    }
    for i in 0..numbers.count(1)? {
        let trap = places(&mut numbers, net)?;
        // A transition that takes from the trap leaves a token in one of its places.
        let leaves = |t: &Transition, p: usize| {
            let least = t
                .least
                .iter()
                .find(|(q, _)| *q == p)
                .map_or(0, |&(_, n)| i64::from(n));
            let change = t
                .change
                .iter()
                .find(|(q, _)| *q == p)
                .map_or(0, |&(_, n)| n);
            least + change >= 1
        };
        let is_trap = |t: &Transition| {
            let touched = t
                .least
                .iter()
                .map(|&(p, _)| p)
                .chain(t.change.iter().map(|&(p, _)| p));
            let takes = t.change.iter().any(|&(p, n)| trap[p] && n < 0);
            !takes || touched.filter(|&p| trap[p]).any(|p| leaves(t, p))
        };
        let marked = net
            .places
            .iter()
            .zip(&trap)
            .any(|((_, tokens), inside)| *inside && *tokens > 0);
        let fires = net
            .transitions
            .iter()
            .zip(&scope.dead)
            .filter(|(_, dead)| !**dead);
        let holds = marked && fires.map(|(t, _)| t).all(is_trap);
        keep(holds, name::TRAP).or_else(|rule| refused(rule, format!("trap {i}")))?;
        let terms: Vec<(usize, i64)> = (0..trap.len())
            .filter(|&p| trap[p])
            .map(|p| (p, 1))
            .collect();
        scope.assume(&row(&terms, 1, true));
    }
    scope.assume(&goal);
    scope.refute(&mut numbers, 0)?;
    numbers.end()
}

/// A set of places.
fn places(numbers: &mut Numbers<'_>, net: &Net) -> Result<Vec<bool>> {
    let mut set = vec![false; net.places.len()];
    for _ in 0..numbers.count(1)? {
        set[numbers.below(net.places.len(), "place")?] = true;
    }
    Ok(set)
}

impl Scope<'_> {
    fn assume(&mut self, goal: &Goal) {
        match goal {
            Goal::Row(row) => self.rows.push(row.clone()),
            Goal::All(parts) => parts.iter().for_each(|part| self.assume(part)),
            Goal::Any(parts) => self.open.push(parts.clone()),
        }
    }

    fn refute(&mut self, numbers: &mut Numbers<'_>, depth: usize) -> Result<()> {
        let begin = numbers.at;
        let size = (self.net.places.len() + self.net.transitions.len()) as u64;
        self.left = match self.left.checked_sub(size) {
            Some(left) if depth < MOST_DEPTH => left,
            _ => return Err(Failure::Limit("the refutation is too large".to_owned())),
        };
        let parts = match numbers.below(3, "step of a refutation")? {
            0 => {
                let (mut z, mut u) = (Vec::new(), Vec::new());
                for _ in 0..numbers.count(2)? {
                    z.push((
                        numbers.below(self.rows.len(), "constraint")?,
                        numbers.next()?,
                    ));
                }
                for _ in 0..numbers.count(2)? {
                    u.push((
                        numbers.below(self.net.places.len(), "place")?,
                        numbers.next()?,
                    ));
                }
                let holds = self.contradict(&z, &u).unwrap_or(false);
                return keep(holds, name::FARKAS)
                    .or_else(|rule| refused(rule, format!("byte {begin}")));
            }
            1 => {
                let which = numbers.below(self.open.len(), "alternative")?;
                self.open[which].clone()
            }
            _ => {
                let place = numbers.below(self.net.places.len(), "place")?;
                let more = i128::from(numbers.next()?) + 1;
                [false, true]
                    .map(|above| row(&[(place, 1)], more, above))
                    .to_vec()
            }
        };
        let (rows, open) = (self.rows.len(), self.open.len());
        for part in &parts {
            self.assume(part);
            self.refute(numbers, depth + 1)?;
            self.rows.truncate(rows);
            self.open.truncate(open);
        }
        Ok(())
    }

    /// Whether multipliers of constraints and weights of places contradict; none if the numbers are too large.
    fn contradict(&self, z: &[(usize, u64)], u: &[(usize, u64)]) -> Option<bool> {
        let mut y = vec![0_i128; self.net.places.len()];
        let mut least: i128 = 0;
        for &(place, weight) in u {
            y[place] = y[place].checked_add(i128::from(weight))?;
        }
        for &(i, z) in z {
            let Row { terms, least: h } = &self.rows[i];
            least = least.checked_add(h.checked_mul(i128::from(z))?)?;
            for &(p, c) in terms {
                y[p] = y[p].checked_add(i128::from(c).checked_mul(i128::from(z))?)?;
            }
        }
        for (t, _) in self
            .net
            .transitions
            .iter()
            .zip(&self.dead)
            .filter(|(_, dead)| !**dead)
        {
            let mut growth: i128 = 0;
            for &(p, n) in &t.change {
                growth = growth.checked_add(y[p].checked_mul(i128::from(n))?)?;
            }
            if growth > 0 {
                return Some(false);
            }
        }
        let mut initial: i128 = 0;
        for ((_, tokens), y) in self.net.places.iter().zip(&y) {
            initial = initial.checked_add(y.checked_mul(i128::from(*tokens))?)?;
        }
        Some(initial < least)
    }
}
