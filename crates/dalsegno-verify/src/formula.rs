//! Formulas of LTL and CTL over atoms that speak of markings, in negation normal form: negations are at atoms.
//!
//! Equal formulas have equal numbers, and operands smaller numbers than operators, so nothing recurses over a formula.
//! The number of a negation differs in the lowest bit.

use std::collections::{BTreeMap, HashMap};

use crate::net::Net;

/// A formula, by its number in [`Formulas`].
pub type Id = usize;

/// A formula: an operator and the numbers of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the operators are those of the logics")]
pub enum Node {
    True,
    False,
    /// An atom, by its number.
    Atom(usize),
    NotAtom(usize),
    And(Id, Id),
    Or(Id, Id),
    Next(Id),
    Until(Id, Id),
    Release(Id, Id),
    /// Some path.
    Exists(Id),
    /// All paths.
    Forall(Id),
}

impl Node {
    /// The numbers of the operands.
    pub fn operands(self) -> Vec<Id> {
        match self {
            Node::True | Node::False | Node::Atom(_) | Node::NotAtom(_) => Vec::new(),
            Node::Next(f) | Node::Exists(f) | Node::Forall(f) => vec![f],
            Node::And(f, g) | Node::Or(f, g) | Node::Until(f, g) | Node::Release(f, g) => vec![f, g],
        }
    }

    /// The negation.
    fn dual(self) -> Node {
        match self {
            Node::True => Node::False,
            Node::False => Node::True,
            Node::Atom(a) => Node::NotAtom(a),
            Node::NotAtom(a) => Node::Atom(a),
            Node::And(f, g) => Node::Or(not(f), not(g)),
            Node::Or(f, g) => Node::And(not(f), not(g)),
            Node::Next(f) => Node::Next(not(f)),
            Node::Until(f, g) => Node::Release(not(f), not(g)),
            Node::Release(f, g) => Node::Until(not(f), not(g)),
            Node::Exists(f) => Node::Forall(not(f)),
            Node::Forall(f) => Node::Exists(not(f)),
        }
    }
}

/// The negation of a formula.
pub fn not(f: Id) -> Id {
    f ^ 1
}

/// What an atom says of a marking.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    /// A weighted sum of places is at most a number. Terms ascend by place, the first coefficient is positive.
    AtMost(Vec<(usize, i64)>, i64),
    /// A weighted sum of places equals a number; terms as before.
    Equals(Vec<(usize, i64)>, i64),
    /// Some of these transitions is enabled. Numbers ascend.
    Fireable(Vec<usize>),
    /// No transition is enabled.
    Deadlock,
}

/// Formulas and atoms by number.
#[derive(Clone, Debug, Default)]
pub struct Formulas {
    /// The formulas.
    pub nodes: Vec<Node>,
    /// The atoms.
    pub atoms: Vec<Atom>,
    numbers: HashMap<Node, Id>,
}

impl Formulas {
    /// The number of a formula.
    pub fn add(&mut self, node: Node) -> Id {
        let next = self.nodes.len();
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.nodes.extend([node, node.dual()]);
            self.numbers.insert(node.dual(), not(next));
        }
        number
    }

    /// The number of an atom as a formula.
    pub fn atom(&mut self, atom: Atom) -> Id {
        let number = self.atoms.iter().position(|other| *other == atom).unwrap_or_else(|| {
            self.atoms.push(atom);
            self.atoms.len() - 1
        });
        self.add(Node::Atom(number))
    }

    /// True or false.
    pub fn constant(&mut self, value: bool) -> Id {
        self.add(if value { Node::True } else { Node::False })
    }

    /// `f -> g`.
    pub fn implies(&mut self, f: Id, g: Id) -> Id {
        self.add(Node::Or(not(f), g))
    }

    /// `f <-> g`.
    pub fn iff(&mut self, f: Id, g: Id) -> Id {
        let (there, back) = (self.implies(f, g), self.implies(g, f));
        self.add(Node::And(there, back))
    }

    /// `F f`, which is `true U f`.
    pub fn finally(&mut self, f: Id) -> Id {
        let truth = self.constant(true);
        self.add(Node::Until(truth, f))
    }

    /// `G f`, which is `false R f`.
    pub fn globally(&mut self, f: Id) -> Id {
        let falsity = self.constant(false);
        self.add(Node::Release(falsity, f))
    }

    /// The comparison of a sum of places with a number, by one of `<= < >= > = !=`; `None` if it is none of them, or
    /// the numbers are too large.
    pub fn compare(&mut self, terms: &[(usize, i64)], relation: &str, number: i64) -> Option<Id> {
        let mut sums: BTreeMap<usize, i64> = BTreeMap::new();
        for &(place, coefficient) in terms {
            let sum = sums.entry(place).or_default();
            *sum = sum.checked_add(coefficient)?;
        }
        sums.retain(|_, coefficient| *coefficient != 0);
        // Sums of values of 32 bits fit into 64 bits.
        if sums.values().try_fold(0_u64, |sum, c| sum.checked_add(c.unsigned_abs()))? >= 1 << 31 {
            return None;
        }
        let turned = sums.values().next().is_some_and(|&c| c < 0);
        let sign = if turned { -1 } else { 1 };
        let terms: Vec<(usize, i64)> = sums.into_iter().map(|(p, c)| (p, sign * c)).collect();
        let number = number.checked_mul(sign)?;
        let (atom, positive) = match (relation, turned) {
            ("<=", false) | (">=", true) => (Atom::AtMost(terms, number), true),
            ("<", false) | (">", true) => (Atom::AtMost(terms, number.checked_sub(1)?), true),
            (">=", false) | ("<=", true) => (Atom::AtMost(terms, number.checked_sub(1)?), false),
            (">", false) | ("<", true) => (Atom::AtMost(terms, number), false),
            ("=", _) => (Atom::Equals(terms, number), true),
            ("!=", _) => (Atom::Equals(terms, number), false),
            _ => return None,
        };
        let atom = self.atom(atom);
        Some(if positive { atom } else { not(atom) })
    }

    /// Whether a formula is one of branching time, where temporal operators are below quantifiers directly, or of
    /// linear time, where there are no quantifiers.
    pub fn is_of(&self, f: Id, branching: bool) -> bool {
        let is_temporal = |node: Node| matches!(node, Node::Next(_) | Node::Until(..) | Node::Release(..));
        let mut fits: Vec<bool> = Vec::new();
        for node in &self.nodes[..=f] {
            let all = |node: Node| node.operands().iter().all(|&g| fits[g]);
            fits.push(match *node {
                Node::Exists(path) | Node::Forall(path) => {
                    branching && is_temporal(self.nodes[path]) && all(self.nodes[path])
                }
                node => all(node) && !(branching && is_temporal(node)),
            });
        }
        fits[f]
    }
}

impl Atom {
    /// Whether the atom holds in a marking.
    pub fn holds(&self, net: &Net, marking: &[u32]) -> bool {
        let sum = |terms: &[(usize, i64)]| -> i64 { terms.iter().map(|&(p, c)| c * i64::from(marking[p])).sum() };
        match self {
            Atom::AtMost(terms, number) => sum(terms) <= *number,
            Atom::Equals(terms, number) => sum(terms) == *number,
            Atom::Fireable(list) => list.iter().any(|&t| net.enabled(t, marking)),
            Atom::Deadlock => (0..net.transitions.len()).all(|t| !net.enabled(t, marking)),
        }
    }
}
