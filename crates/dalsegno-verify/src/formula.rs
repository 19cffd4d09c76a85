//! Formulas of LTL and CTL over atoms that speak of markings.
//!
//! Equal formulas have equal numbers, and operands smaller numbers than operators, so nothing recurses over a
//! formula.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::net::Net;

/// A formula, by its number in [`Formulas`].
pub type Id = usize;

/// A formula: an operator and the numbers of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// Holds always.
    True,
    /// An atom, by its number.
    Atom(usize),
    /// Negation.
    Not(Id),
    /// Conjunction.
    And(Id, Id),
    /// Disjunction.
    Or(Id, Id),
    /// Next.
    Next(Id),
    /// Until.
    Until(Id, Id),
    /// Release.
    Release(Id, Id),
    /// Some path.
    Exists(Id),
    /// All paths.
    Forall(Id),
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

/// The comparisons of two sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the variants are the six comparisons")]
pub enum Relation {
    Le,
    Lt,
    Ge,
    Gt,
    Eq,
    Ne,
}

/// Formulas and atoms by number.
#[derive(Clone, Debug, Default)]
pub struct Formulas {
    nodes: Vec<Node>,
    numbers: HashMap<Node, Id>,
    atoms: Vec<Atom>,
}

impl Formulas {
    /// The operator and operands of a formula.
    #[must_use]
    pub fn node(&self, f: Id) -> Node {
        self.nodes[f]
    }

    /// How many formulas there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The atoms.
    #[must_use]
    pub fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    /// The number of a formula.
    pub fn add(&mut self, node: Node) -> Id {
        let next = self.nodes.len();
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.nodes.push(node);
        }
        number
    }

    /// The number of an atom as a formula.
    pub fn atom(&mut self, atom: Atom) -> Id {
        let known = self.atoms.iter().position(|other| *other == atom);
        let number = known.unwrap_or_else(|| {
            self.atoms.push(atom);
            self.atoms.len() - 1
        });
        self.add(Node::Atom(number))
    }

    /// True or false.
    pub fn constant(&mut self, value: bool) -> Id {
        let truth = self.add(Node::True);
        if value { truth } else { self.not(truth) }
    }

    /// The negation; two negations are none.
    pub fn not(&mut self, f: Id) -> Id {
        match self.nodes[f] {
            Node::Not(inner) => inner,
            _ => self.add(Node::Not(f)),
        }
    }

    /// `f -> g`.
    pub fn implies(&mut self, f: Id, g: Id) -> Id {
        let not = self.not(f);
        self.add(Node::Or(not, g))
    }

    /// `f <-> g`.
    pub fn iff(&mut self, f: Id, g: Id) -> Id {
        let (there, back) = (self.implies(f, g), self.implies(g, f));
        self.add(Node::And(there, back))
    }

    /// `F f`.
    pub fn finally(&mut self, f: Id) -> Id {
        let truth = self.constant(true);
        self.add(Node::Until(truth, f))
    }

    /// `G f`.
    pub fn globally(&mut self, f: Id) -> Id {
        let falsity = self.constant(false);
        self.add(Node::Release(falsity, f))
    }

    /// The comparison of a sum of places with a number; `None` if the numbers are too large.
    pub fn compare(
        &mut self,
        terms: &[(usize, i64)],
        relation: Relation,
        number: i64,
    ) -> Option<Id> {
        let mut sums = std::collections::BTreeMap::new();
        for &(place, coefficient) in terms {
            let sum: &mut i64 = sums.entry(place).or_default();
            *sum = sum.checked_add(coefficient)?;
        }
        let mut terms: Vec<(usize, i64)> = sums.into_iter().filter(|&(_, c)| c != 0).collect();
        // Sums of values of 32 bits fit into 64 bits.
        let size = terms
            .iter()
            .try_fold(0_u64, |sum, (_, c)| sum.checked_add(c.unsigned_abs()))?;
        if size >= 1 << 31 {
            return None;
        }
        let (mut relation, mut number) = (relation, number);
        if terms.first().is_some_and(|&(_, c)| c < 0) {
            for (_, coefficient) in &mut terms {
                *coefficient = -*coefficient;
            }
            number = number.checked_neg()?;
            relation = match relation {
                Relation::Le => Relation::Ge,
                Relation::Lt => Relation::Gt,
                Relation::Ge => Relation::Le,
                Relation::Gt => Relation::Lt,
                same => same,
            };
        }
        let (atom, positive) = match relation {
            Relation::Le => (Atom::AtMost(terms, number), true),
            Relation::Lt => (Atom::AtMost(terms, number.checked_sub(1)?), true),
            Relation::Ge => (Atom::AtMost(terms, number.checked_sub(1)?), false),
            Relation::Gt => (Atom::AtMost(terms, number), false),
            Relation::Eq => (Atom::Equals(terms, number), true),
            Relation::Ne => (Atom::Equals(terms, number), false),
        };
        let atom = self.atom(atom);
        Some(if positive { atom } else { self.not(atom) })
    }

    /// A formula as text that reads back as the same formula.
    #[must_use]
    pub fn show(&self, f: Id, net: &Net) -> String {
        #[derive(Clone, Copy)]
        enum Part {
            Text(&'static str),
            Formula(Id),
        }
        use Part::{Formula, Text};
        let mut out = String::new();
        let mut open = vec![Formula(f)];
        while let Some(part) = open.pop() {
            let f = match part {
                Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Formula(f) => f,
            };
            let mut parts = match self.nodes[f] {
                Node::And(..) | Node::Or(..) => {
                    let parts = self.operands(f);
                    let sign = Text(if matches!(self.nodes[f], Node::And(..)) {
                        " & "
                    } else {
                        " | "
                    });
                    let mut list = vec![Text("(")];
                    for (i, g) in parts.into_iter().enumerate() {
                        if i > 0 {
                            list.push(sign);
                        }
                        list.push(Formula(g));
                    }
                    list.push(Text(")"));
                    list
                }
                Node::True => vec![Text("true")],
                Node::Atom(a) => {
                    let _ = write!(out, "{}", self.show_atom(a, net));
                    continue;
                }
                Node::Not(g) => vec![Text("!"), Formula(g)],
                Node::Next(g) => vec![Text("X "), Formula(g)],
                Node::Until(g, h) => {
                    vec![Text("("), Formula(g), Text(" U "), Formula(h), Text(")")]
                }
                Node::Release(g, h) => {
                    vec![Text("("), Formula(g), Text(" R "), Formula(h), Text(")")]
                }
                Node::Exists(g) => vec![Text("E "), Formula(g)],
                Node::Forall(g) => vec![Text("A "), Formula(g)],
            };
            parts.reverse();
            open.extend(parts);
        }
        out
    }

    /// The operands of a chain of conjunctions, or of disjunctions, that groups to the left.
    fn operands(&self, f: Id) -> Vec<Id> {
        let mut list = Vec::new();
        let mut at = f;
        loop {
            match (self.nodes[f], self.nodes[at]) {
                (Node::And(..), Node::And(g, h)) | (Node::Or(..), Node::Or(g, h)) => {
                    list.push(h);
                    at = g;
                }
                _ => {
                    list.push(at);
                    list.reverse();
                    return list;
                }
            }
        }
    }

    /// An atom as text, in double quotes.
    #[must_use]
    pub fn show_atom(&self, atom: usize, net: &Net) -> String {
        let quoted = |id: &str| format!("'{}'", id.replace('\\', "\\\\").replace('\'', "\\'"));
        let text = match &self.atoms[atom] {
            Atom::AtMost(terms, number) | Atom::Equals(terms, number) => {
                let mut sum = String::new();
                for (i, &(p, c)) in terms.iter().enumerate() {
                    sum.push_str(match (c < 0, i) {
                        (true, _) => " - ",
                        (false, 0) => "",
                        (false, _) => " + ",
                    });
                    if c.abs() != 1 {
                        let _ = write!(sum, "{}*", c.abs());
                    }
                    sum.push_str(&quoted(&net.places[p].0));
                }
                if terms.is_empty() {
                    sum.push('0');
                }
                let at_most = matches!(self.atoms[atom], Atom::AtMost(..));
                format!("{sum} {} {number}", if at_most { "<=" } else { "=" })
            }
            Atom::Fireable(list) => {
                let ids: Vec<String> = list
                    .iter()
                    .map(|&t| quoted(&net.transitions[t].id))
                    .collect();
                format!("fireable({})", ids.join(", "))
            }
            Atom::Deadlock => "deadlock()".to_owned(),
        };
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

impl Atom {
    /// Whether the atom holds in a marking.
    #[must_use]
    pub fn holds(&self, net: &Net, marking: &[u32]) -> bool {
        let sum = |terms: &[(usize, i64)]| -> i64 {
            terms.iter().map(|&(p, c)| c * i64::from(marking[p])).sum()
        };
        match self {
            Atom::AtMost(terms, number) => sum(terms) <= *number,
            Atom::Equals(terms, number) => sum(terms) == *number,
            Atom::Fireable(list) => list.iter().any(|&t| net.enabled(t, marking)),
            Atom::Deadlock => (0..net.transitions.len()).all(|t| !net.enabled(t, marking)),
        }
    }
}
