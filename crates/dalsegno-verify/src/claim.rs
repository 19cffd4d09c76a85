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

fn word<T: Copy + PartialEq>(table: &[(&'static str, T)], value: T) -> &'static str {
    table.iter().find(|row| row.1 == value).map_or("", |row| row.0)
}

fn meaning<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table.iter().find(|row| row.0 == word).map(|row| row.1)
}

/// What the first lines say: the digest of the net, and so on.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "a field per line")]
pub struct Header {
    pub net: String,
    pub logic: Logic,
    pub dead_ends: DeadEnds,
    pub holds: bool,
    /// The property, or the number of states.
    pub property: String,
    /// Whether the proof is linear; otherwise it is a diagram.
    pub linear: bool,
}

impl Header {
    /// The header as text, up to the data.
    pub fn show(&self) -> String {
        let Header { net, property, .. } = self;
        let (logic, ends) = (word(&LOGICS, self.logic), word(&DEAD_ENDS, self.dead_ends));
        let (verdict, kind) = (word(&VERDICTS, self.holds), word(&KINDS, self.linear));
        format!(
            "DSCERT 1\nnet {net}\nlogic {logic}\ndead-ends {ends}\nverdict {verdict}\nproperty {property}\nkind {kind}\ndata\n"
        )
    }

    /// Reads the header; the bytes behind it begin at the second value.
    pub fn parse(bytes: &[u8]) -> Result<(Self, usize)> {
        let mut lines = bytes.split(|&byte| byte == b'\n').skip(1).map(str::from_utf8);
        let mut value = || Some(lines.next()?.ok()?.split_once(' ')?.1);
        let mut read = || {
            let net = value()?.to_owned();
            let (logic, dead_ends) = (meaning(&LOGICS, value()?)?, meaning(&DEAD_ENDS, value()?)?);
            let (holds, property) = (meaning(&VERDICTS, value()?)?, value()?.to_owned());
            Some(Header { net, logic, dead_ends, holds, property, linear: meaning(&KINDS, value()?)? })
        };
        // What was read is what is written, and nothing else.
        let shown = read().map(|header| (header.show().len(), header));
        match shown {
            Some((length, header)) if bytes.starts_with(header.show().as_bytes()) => Ok((header, length)),
            _ => error(0, "certificate: the first lines are not those of a proof"),
        }
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
        let refuted = if let Node::Forall(path) = nodes[self.goal] { not(path) } else { self.goal };
        match nodes[refuted] {
            Node::Until(left, f) if nodes[left] == Node::True => Some(f),
            _ => None,
        }
    }

    /// The letter of a marking: a bit per atom, in order.
    pub fn letter(&self, net: &Net, marking: &[u32]) -> u64 {
        let atoms = self.formulas.atoms.iter().enumerate();
        atoms.fold(0, |letter, (i, atom)| letter | u64::from(atom.holds(net, marking)) << i)
    }
}
