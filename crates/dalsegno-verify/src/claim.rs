//! What a file claims: a property, whether it holds, and what dead ends do. Its first lines say so:
//!
//! ```text
//! DSCERT 1
//! net DIGEST
//! logic ltl | ctl | states
//! dead-ends stutter | finite | ignore
//! verdict holds | fails
//! property TEXT
//! kind diagram | linear
//! data
//! ```
//!
//! Numbers follow: see `diagram.rs` and `linear.rs`.

use crate::formula::{Formulas, Id, Node, not};
use crate::net::Net;
use crate::{Result, error, text};

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

const LOGICS: [(&str, Logic); 3] = [("ltl", Logic::Ltl), ("ctl", Logic::Ctl), ("states", Logic::States)];
const DEAD_ENDS: [(&str, DeadEnds); 3] =
    [("stutter", DeadEnds::Stutter), ("finite", DeadEnds::Finite), ("ignore", DeadEnds::Ignore)];
const VERDICTS: [(&str, bool); 2] = [("holds", true), ("fails", false)];
const KINDS: [(&str, bool); 2] = [("linear", true), ("diagram", false)];

/// What the first lines say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The digest of the net.
    pub net: String,
    /// The logic.
    pub logic: Logic,
    /// What dead ends do.
    pub dead_ends: DeadEnds,
    /// Whether the property is claimed to hold.
    pub holds: bool,
    /// The property, or the number of states.
    pub property: String,
    /// Whether the proof is linear; otherwise it is a diagram.
    pub linear: bool,
}

impl Header {
    /// The header as text, up to the data.
    pub fn show(&self) -> String {
        fn word<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
            table.iter().find(|row| row.1 == *value).map_or("", |row| row.0)
        }
        let (logic, ends) = (word(&LOGICS, &self.logic), word(&DEAD_ENDS, &self.dead_ends));
        let (verdict, kind) = (word(&VERDICTS, &self.holds), word(&KINDS, &self.linear));
        let (net, property) = (&self.net, &self.property);
        format!(
            "DSCERT 1\nnet {net}\nlogic {logic}\ndead-ends {ends}\nverdict {verdict}\nproperty {property}\nkind {kind}\ndata\n"
        )
    }

    /// Reads the header; the bytes behind it begin at the second value.
    pub fn parse(bytes: &[u8]) -> Result<(Self, usize)> {
        fn meaning<T: Copy>(table: &[(&str, T)], (word, at): (&str, usize)) -> Result<T> {
            let found = table.iter().find(|row| row.0 == word);
            found.map_or_else(|| error(at, format!("certificate: {word:?} is not known here")), |row| Ok(row.1))
        }
        let mut next = 0;
        // The value of the next line, which has a key, and where the line begins.
        let mut line = |key: &str| {
            let (at, rest) = (next, &bytes[next..]);
            let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            next += length + 1;
            match std::str::from_utf8(&rest[..length]).ok().and_then(|text| text.strip_prefix(key)) {
                Some(value) if length < rest.len() => Ok((value, at)),
                _ => error(at, format!("certificate: expected a line `{key}…`")),
            }
        };
        meaning(&[("", ())], line("DSCERT 1")?)?;
        let header = Header {
            net: line("net ")?.0.to_owned(),
            logic: meaning(&LOGICS, line("logic ")?)?,
            dead_ends: meaning(&DEAD_ENDS, line("dead-ends ")?)?,
            holds: meaning(&VERDICTS, line("verdict ")?)?,
            property: line("property ")?.0.to_owned(),
            linear: meaning(&KINDS, line("kind ")?)?,
        };
        meaning(&[("", ())], line("data")?)?;
        Ok((header, next))
    }
}

/// What is claimed of a net.
#[derive(Clone, Debug)]
pub struct Claim {
    /// What the header says.
    pub header: Header,
    /// All formulas.
    pub formulas: Formulas,
    /// The property; of no meaning if a number of markings is claimed.
    pub property: Id,
    /// Of LTL: what no run may satisfy. Of CTL: what the initial marking must satisfy. In negation normal form.
    pub goal: Id,
}

impl Claim {
    /// The claim of a header about a net.
    pub fn new(header: &Header, net: &Net) -> Result<Self> {
        let Header { logic, dead_ends, holds, .. } = *header;
        let mut formulas = Formulas::default();
        let property = match logic {
            Logic::States => formulas.constant(true),
            _ => text::parse(&header.property, net, &mut formulas)?,
        };
        let claimed = if holds { property } else { not(property) };
        let goal = match (logic, formulas.nodes[claimed]) {
            (Logic::States | Logic::Ctl, _) => Some(claimed),
            (Logic::Ltl, Node::Forall(path)) => Some(not(path)),
            (Logic::Ltl, _) => holds.then_some(not(property)),
        };
        let fits = |goal: &Id| formulas.is_of(*goal, logic != Logic::Ltl);
        match goal.filter(fits) {
            Some(goal) if logic != Logic::Ltl || dead_ends != DeadEnds::Finite => {
                Ok(Claim { header: header.clone(), formulas, property, goal })
            }
            _ => error(0, "the formula is none of this logic, or its verdict needs a run"),
        }
    }

    /// A formula without temporal operators that no reachable marking satisfies if the claim is true, and only then if
    /// there are infinite paths everywhere: of `AG f` in branching and `G f` in linear time the negation of `f`.
    pub fn never(&self) -> Option<Id> {
        let nodes = &self.formulas.nodes;
        match (self.header.logic, nodes[self.goal]) {
            (Logic::Ltl, Node::Until(left, f)) if nodes[left] == Node::True => Some(f),
            (Logic::Ctl, Node::Forall(path)) => match nodes[path] {
                Node::Release(left, f) if nodes[left] == Node::False => Some(not(f)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The letter of a marking: a bit per atom, in order.
    pub fn letter(&self, net: &Net, marking: &[u32]) -> u64 {
        let atoms = self.formulas.atoms.iter().enumerate();
        atoms.fold(0, |letter, (i, atom)| letter | u64::from(atom.holds(net, marking)) << i)
    }
}
