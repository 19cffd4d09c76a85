//! Formulas of LTL and CTL over atoms that speak of markings.
//!
//! Equal formulas have equal numbers, and operands smaller numbers than operators, so nothing recurses over a
//! formula.

use std::collections::{BTreeMap, HashMap};

use crate::net::Net;

/// A formula, by its number in [`Formulas`].
pub type Id = usize;

/// A formula: an operator and the numbers of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the operators are those of the logics")]
pub enum Node {
    True,
    /// An atom, by its number.
    Atom(usize),
    Not(Id),
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
    nodes: Vec<Node>,
    numbers: HashMap<Node, Id>,
    /// The atoms.
    pub atoms: Vec<Atom>,
}

impl Formulas {
    /// The operator and operands of a formula.
    #[must_use]
    pub fn node(&self, f: Id) -> Node {
        self.nodes[f]
    }

    /// All formulas, by number.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
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

    /// That some of these transitions is enabled.
    pub fn fireable(&mut self, mut transitions: Vec<usize>) -> Id {
        transitions.sort_unstable();
        transitions.dedup();
        self.atom(Atom::Fireable(transitions))
    }

    /// True or false.
    pub fn constant(&mut self, value: bool) -> Id {
        let truth = self.add(Node::True);
        if value { truth } else { self.not(truth) }
    }

    /// Whether a formula is `false` itself.
    #[must_use]
    pub fn is_false(&self, f: Id) -> bool {
        matches!(self.nodes[f], Node::Not(g) if self.nodes[g] == Node::True)
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
        let mut sizes = sums.values().map(|c| c.unsigned_abs());
        if sizes.try_fold(0_u64, u64::checked_add)? >= 1 << 31 {
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
        Some(if positive { atom } else { self.not(atom) })
    }

    /// A formula as text that reads back as the same formula.
    #[must_use]
    pub fn show(&self, f: Id, net: &Net) -> String {
        let mut out = String::new();
        // Texts and formulas that are still to be written, the next one last.
        let mut open: Vec<Result<&str, Id>> = vec![Err(f)];
        while let Some(part) = open.pop() {
            let f = match part {
                Ok(text) => {
                    out.push_str(text);
                    continue;
                }
                Err(f) => f,
            };
            match self.nodes[f] {
                Node::True => out.push_str("true"),
                Node::Atom(a) => out.push_str(&self.show_atom(a, net)),
                Node::Not(g) => open.extend([Err(g), Ok("!")]),
                Node::Next(g) => open.extend([Err(g), Ok("X ")]),
                Node::Exists(g) => open.extend([Err(g), Ok("E ")]),
                Node::Forall(g) => open.extend([Err(g), Ok("A ")]),
                Node::Until(g, h) => open.extend([Ok(")"), Err(h), Ok(" U "), Err(g), Ok("(")]),
                Node::Release(g, h) => open.extend([Ok(")"), Err(h), Ok(" R "), Err(g), Ok("(")]),
                Node::And(mut g, h) => {
                    open.extend([Ok(")"), Err(h), Ok(" & ")]);
                    // Chains group to the left and need no parentheses.
                    while let Node::And(first, second) = self.nodes[g] {
                        open.extend([Err(second), Ok(" & ")]);
                        g = first;
                    }
                    open.extend([Err(g), Ok("(")]);
                }
                Node::Or(mut g, h) => {
                    open.extend([Ok(")"), Err(h), Ok(" | ")]);
                    while let Node::Or(first, second) = self.nodes[g] {
                        open.extend([Err(second), Ok(" | ")]);
                        g = first;
                    }
                    open.extend([Err(g), Ok("(")]);
                }
            }
        }
        out
    }

    /// An atom as text, in double quotes.
    fn show_atom(&self, atom: usize, net: &Net) -> String {
        let quoted = |id: &str| format!("'{}'", id.replace('\\', "\\\\").replace('\'', "\\'"));
        let sum = |terms: &[(usize, i64)]| {
            let term = |&(p, c): &(usize, i64)| match c {
                1 => format!(" + {}", quoted(&net.places[p].0)),
                _ if c < 0 => format!(" - {}*{}", -c, quoted(&net.places[p].0)),
                _ => format!(" + {c}*{}", quoted(&net.places[p].0)),
            };
            format!("0{}", terms.iter().map(term).collect::<String>())
        };
        let text = match &self.atoms[atom] {
            Atom::AtMost(terms, number) => format!("{} <= {number}", sum(terms)),
            Atom::Equals(terms, number) => format!("{} = {number}", sum(terms)),
            Atom::Fireable(list) => {
                let ids: Vec<String> = list
                    .iter()
                    .map(|&t| quoted(&net.transitions[t].id))
                    .collect();
                format!("fireable({})", ids.join(", "))
            }
            Atom::Deadlock => "deadlock()".to_owned(),
        };
        let text = text.strip_prefix("0 + ").unwrap_or(&text);
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
