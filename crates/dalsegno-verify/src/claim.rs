//! What a file claims: a property, whether it holds, and what dead ends do.

use std::collections::HashMap;

use crate::failure::{Result, error};
use crate::formula::{Formulas, Id, Node};
use crate::net::Net;

/// The logic of a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Logic {
    /// Linear time: all runs satisfy a formula.
    Ltl,
    /// Branching time.
    Ctl,
    /// The number of reachable markings.
    States,
}

/// What happens in a marking that enables no transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeadEnds {
    /// It repeats for ever.
    Stutter,
    /// Paths end there, and count: `EX f` is false, `AX f` true.
    Finite,
    /// Paths end there and do not count: only infinite ones do.
    Ignore,
}

/// What is claimed.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The logic.
    pub logic: Logic,
    /// What dead ends do.
    pub dead_ends: DeadEnds,
    /// Whether the property is claimed to hold, or to fail.
    pub holds: bool,
    /// All formulas.
    pub formulas: Formulas,
    /// The property.
    pub property: Id,
    /// Of LTL: what no run may satisfy. Of CTL: what the initial marking must satisfy. In negation normal form.
    pub goal: Id,
}

impl Claim {
    /// The claim that a property holds, or that it fails.
    ///
    /// # Errors
    /// If the formula is none of the logic, or linear time is claimed to fail: a run shows that.
    pub fn new(
        logic: Logic,
        dead_ends: DeadEnds,
        holds: bool,
        mut formulas: Formulas,
        property: Id,
    ) -> Result<Self> {
        if formulas.atoms.len() > 64 {
            return error(0, "the property has more than 64 atoms");
        }
        let goal = match logic {
            Logic::Ctl => normal(&mut formulas, property, !holds, true),
            Logic::Ltl => {
                if dead_ends == DeadEnds::Finite {
                    return error(0, "linear time has no finite paths");
                }
                // All runs satisfy f, or not: some run satisfies f.
                let (mut f, mut positive) = (property, holds);
                while let Node::Not(inner) = formulas.node(f) {
                    (f, positive) = (inner, !positive);
                }
                match (formulas.node(f), positive) {
                    (Node::Forall(path), true) => normal(&mut formulas, path, true, false),
                    (Node::Exists(path), false) => normal(&mut formulas, path, false, false),
                    (Node::Forall(_) | Node::Exists(_), _) => None,
                    _ if holds => normal(&mut formulas, property, true, false),
                    _ => None,
                }
            }
            Logic::States => Some(property),
        };
        match goal {
            Some(goal) => Ok(Claim {
                logic,
                dead_ends,
                holds,
                formulas,
                property,
                goal,
            }),
            None => error(
                0,
                "the formula is none of this logic, or its verdict needs a run",
            ),
        }
    }

    /// A formula without temporal operators that no reachable marking satisfies if the claim is true, and only then if
    /// there are infinite paths everywhere: of `AG f` in branching and `G f` in linear time the negation of `f`.
    pub fn never(&mut self) -> Option<Id> {
        match (self.logic, self.formulas.node(self.goal)) {
            (Logic::Ltl, Node::Until(left, never)) if self.formulas.node(left) == Node::True => {
                Some(never)
            }
            (Logic::Ctl, Node::Forall(path)) => match self.formulas.node(path) {
                Node::Release(left, right) if self.formulas.is_false(left) => {
                    normal(&mut self.formulas, right, true, true)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The letter of a marking: a bit per atom, in order.
    #[must_use]
    pub fn letter(&self, net: &Net, marking: &[u32]) -> u64 {
        let atoms = self.formulas.atoms.iter().enumerate();
        atoms.fold(0, |letter, (i, atom)| {
            letter | u64::from(atom.holds(net, marking)) << i
        })
    }
}

/// A formula, or its negation, with negations at atoms and constants only. In branching time, temporal operators
/// must be below quantifiers directly; in linear time there must be no quantifier.
fn normal(formulas: &mut Formulas, f: Id, negate: bool, branching: bool) -> Option<Id> {
    let mut done: HashMap<(Id, bool), Id> = HashMap::new();
    for g in 0..=f {
        for negated in [false, true] {
            if let Some(result) = step(formulas, g, negated, branching, &done) {
                done.insert((g, negated), result);
            }
        }
    }
    done.get(&(f, negate)).copied()
}

fn step(
    formulas: &mut Formulas,
    g: Id,
    negated: bool,
    branching: bool,
    done: &HashMap<(Id, bool), Id>,
) -> Option<Id> {
    let of = |h: Id, negated: bool| done.get(&(h, negated)).copied();
    let node = match (formulas.node(g), negated) {
        (Node::Not(h), _) => return of(h, !negated),
        (Node::True | Node::Atom(_), false) => return Some(g),
        (Node::True | Node::Atom(_), true) => Node::Not(g),
        (Node::And(h, k), false) => Node::And(of(h, false)?, of(k, false)?),
        (Node::And(h, k), true) => Node::Or(of(h, true)?, of(k, true)?),
        (Node::Or(h, k), false) => Node::Or(of(h, false)?, of(k, false)?),
        (Node::Or(h, k), true) => Node::And(of(h, true)?, of(k, true)?),
        (path @ (Node::Next(_) | Node::Until(..) | Node::Release(..)), _) => {
            if branching {
                return None;
            }
            temporal(path, negated, &of)?
        }
        (Node::Exists(path) | Node::Forall(path), _) => {
            if !branching {
                return None;
            }
            let (mut path, mut turned) = (path, negated);
            while let Node::Not(inner) = formulas.node(path) {
                (path, turned) = (inner, !turned);
            }
            let inner = temporal(formulas.node(path), turned, &of)?;
            let inner = formulas.add(inner);
            if matches!(formulas.node(g), Node::Exists(_)) == negated {
                Node::Forall(inner)
            } else {
                Node::Exists(inner)
            }
        }
    };
    Some(formulas.add(node))
}

/// A temporal operator over normal operands, or its negation.
fn temporal(node: Node, negated: bool, of: &dyn Fn(Id, bool) -> Option<Id>) -> Option<Node> {
    Some(match (node, negated) {
        (Node::Next(h), _) => Node::Next(of(h, negated)?),
        (Node::Until(h, k), false) | (Node::Release(h, k), true) => {
            Node::Until(of(h, negated)?, of(k, negated)?)
        }
        (Node::Until(h, k), true) | (Node::Release(h, k), false) => {
            Node::Release(of(h, negated)?, of(k, negated)?)
        }
        _ => return None,
    })
}
