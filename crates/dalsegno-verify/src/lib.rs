//! A checker of proofs about Petri nets that is small enough to be read, and uses nothing but the standard library.
//!
//! A proof is a file. Its claim is that a property of LTL or CTL holds or fails of a net, or how many reachable
//! markings there are. This crate reads the net, the property and the file, and says whether the file proves the claim.
//! How a proof was found does not matter: no automaton, diagram package, reduction or solver is believed.
//!
//! What to read, in order: `net.rs` (nets and firing), `formula.rs` (formulas and atoms), `claim.rs` (what is claimed),
//! `tableau.rs` (the automaton of linear time), `diagram.rs` (the file), `rules.rs` (what a proof must satisfy),
//! `check.rs` (two ways to check that it does), `linear.rs` (proofs by linear arithmetic), and here, `verify`.

#![expect(clippy::missing_errors_doc, reason = "every error is a `Failure`, which says why nothing is proved")]
#![expect(clippy::must_use_candidate, reason = "nothing here is called for its effects alone")]

mod check;
pub mod claim;
pub mod contest;
pub mod diagram;
pub mod formula;
pub mod linear;
pub mod net;
mod rules;
pub mod tableau;
#[cfg(test)]
mod tests;
pub mod text;
mod xml;

use std::fmt;
use std::thread;

use check::Subject;
use claim::{Claim, DeadEnds, Header, Logic};
use diagram::{Diagram, Leaf};
use formula::Node;
use net::Net;
pub use rules::infinite;
use rules::{keep_at, name};

/// Why nothing is proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The proof breaks a rule; at a marking and a transition, as far as they are known.
    Refused(&'static str, String),
    /// A file or a text is not what it should be, at a byte.
    Error(String, usize),
    /// The check takes more than it may.
    Limit(&'static str),
}

/// A value, or why nothing is proved.
pub type Result<T> = std::result::Result<T, Failure>;

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(rule, at) => write!(f, "refused: {rule}\n  {at}"),
            Failure::Error(what, at) => write!(f, "error: {what} (byte {at})"),
            Failure::Limit(what) => write!(f, "limit: {what}"),
        }
    }
}

impl std::error::Error for Failure {}

/// An error at a byte of a text.
pub(crate) fn error<T>(at: usize, what: impl Into<String>) -> Result<T> {
    Err(Failure::Error(what.into(), at))
}

/// What a check may still do, and whom it asks now and then if it should stop.
pub(crate) struct Work<'a> {
    left: u64,
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl Work<'_> {
    /// Takes some of it.
    pub(crate) fn take(&mut self, amount: usize) -> Result<()> {
        let before = self.left;
        self.left = before.checked_sub(amount as u64).ok_or(Failure::Limit("the check takes too many steps"))?;
        let ask = before >> 12 != self.left >> 12;
        if ask && (self.stop)() { Err(Failure::Limit("the check was stopped")) } else { Ok(()) }
    }
}

/// How a diagram is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Marking by marking if there are few, and by walking otherwise.
    Auto,
    /// Marking by marking.
    Enumerate,
    /// By pairs of nodes.
    Walk,
}

/// The words for ways to check.
pub const MODES: [(&str, Mode); 3] = [("auto", Mode::Auto), ("enumerate", Mode::Enumerate), ("walk", Mode::Walk)];

/// What a check may take.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// How a diagram is checked.
    pub mode: Mode,
    /// The nodes and successors that a thread of an enumeration may look at.
    pub steps: u64,
    /// The pairs of nodes that a walk may meet, and the entries of other tables; some 20 bytes each.
    pub pairs: u64,
    /// The threads of an enumeration.
    pub jobs: usize,
    /// Whether the check should stop; asked now and then.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { mode: Mode::Auto, steps: 20_000_000_000, pairs: 30_000_000, jobs: 1, stop: &|| false }
    }
}

/// Fewer markings than this are enumerated, and more than that are not worth a try.
const FEW: u128 = 100_000;
const MANY: u128 = 1 << 34;

/// What was proved.
#[derive(Clone, Debug)]
pub struct Proved {
    /// What was claimed, and now is proved.
    pub claim: Claim,
    /// How it was checked: "enumerated", "walked" or "linear".
    pub how: &'static str,
    /// The markings in the proof, if it has markings and they are not too many to be counted.
    pub markings: Option<u128>,
}

/// Whether a file proves its claim about a net.
pub fn verify(net: &Net, file: &[u8], options: Options<'_>) -> Result<Proved> {
    let (header, at) = Header::parse(file)?;
    if header.net != net.digest() {
        return Err(Failure::Refused("the proof is about another net", format!("digest {}", header.net)));
    }
    let claim = Claim::new(&header, net)?;
    let [mut steps, mut pairs] = [options.steps, options.pairs].map(|left| Work { left, stop: options.stop });
    if header.linear {
        linear::check(net, &claim, file, at, &mut steps)?;
        return Ok(Proved { claim, how: "linear", markings: None });
    }
    let diagram = Diagram::parse(file, at, net.places.len(), net.transitions.len())?;
    let markings = count(&diagram, |_| true);
    initial(net, &claim, &diagram, markings)?;
    let subject = Subject::new(net, &claim, &diagram, &mut pairs)?;
    let few = |most| markings.is_some_and(|n| n <= most);
    let mut walk = || subject.walk(&mut pairs).map(|()| "walked");
    let how = match options.mode {
        Mode::Enumerate => enumerate(&subject, options)?,
        Mode::Walk => walk()?,
        Mode::Auto if few(FEW) => enumerate(&subject, options)?,
        Mode::Auto => match walk() {
            Err(Failure::Limit(_)) if few(MANY) && !(options.stop)() => enumerate(&subject, options)?,
            walked => walked?,
        },
    };
    Ok(Proved { claim, how, markings })
}

/// The markings that lead to some leaves; none if they are too many for the machine's numbers.
fn count(diagram: &Diagram, wanted: impl Fn(&Leaf) -> bool) -> Option<u128> {
    let one = |leaf: usize| Some(u128::from(wanted(&diagram.leaves[leaf])));
    diagram.upwards(one, Some(0), |a, b| a?.checked_add(b?))[diagram.root() as usize]
}

/// Checks that the initial marking is in the diagram, with what is to be shown, and the number of markings.
fn initial(net: &Net, claim: &Claim, diagram: &Diagram, markings: Option<u128>) -> Result<()> {
    let at = || format!("at the initial marking, {}", net.describe(&net.initial()));
    let leaf = diagram.leaf_of(&net.initial());
    let slot = diagram.slots.iter().position(|slot| slot[..] == [claim.goal]);
    let shown = match claim.header.logic {
        Logic::States => true,
        Logic::Ctl if claim.formulas.nodes[claim.goal] == Node::True => true,
        _ => slot.is_some_and(|slot| leaf.is_some_and(|leaf| leaf.cell(slot).is_some())),
    };
    keep_at(shown && leaf.is_some(), name::INITIAL, at)?;
    if claim.header.logic == Logic::States {
        let zero = |leaf: &Leaf| leaf.cells.first().is_some_and(|cell| cell.rank == 0);
        keep_at(count(diagram, zero) == Some(1) && leaf.is_some_and(zero), name::FIRST, at)?;
        let markings = markings.ok_or(Failure::Limit("there are more than 2^128 markings"))?;
        keep_at(claim.header.property == markings.to_string(), name::COUNT, at)?;
    }
    Ok(())
}

/// Enumerates with several threads, each with some arcs of the root.
fn enumerate(subject: &Subject<'_>, options: Options<'_>) -> Result<&'static str> {
    let jobs = options.jobs.clamp(1, 1 << 10);
    let part = |i: usize| subject.enumerate(i, jobs, &mut Work { left: options.steps, stop: options.stop });
    thread::scope(|scope| {
        let others: Vec<_> = (1..jobs).map(|i| scope.spawn(move || part(i))).collect();
        let failed = |_| error(0, "a thread failed");
        others.into_iter().fold(part(0), |result, other| result.and(other.join().unwrap_or_else(failed)))
    })?;
    Ok("enumerated")
}

/// A property that the user names, which must be that of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Named {
    /// A formula.
    Formula(Logic, String),
    /// The contents of a file of the contest, and the identifier of a property.
    Property(Vec<u8>, String),
}

/// What a file proves of a model, as text; and the exit code: 0 proved, 1 refused, 2 error, 3 limit.
pub fn report(model: &[u8], file: &[u8], named: Option<&Named>, options: Options<'_>) -> (String, u8) {
    let net = match Net::parse(model) {
        Ok(net) => net,
        Err(failure) => return (format!("{failure}\n"), 2),
    };
    let (places, transitions, digest) = (net.places.len(), net.transitions.len(), net.digest());
    let about = format!("net:       {places} places, {transitions} transitions, digest {digest}\n");
    let named = named.map_or(Ok(()), |named| is_about(&net, file, named));
    let proved = match named.and_then(|()| verify(&net, file, options)) {
        Ok(proved) => proved,
        Err(failure) => {
            let code = match failure {
                Failure::Refused(..) => 1,
                Failure::Error(..) => 2,
                Failure::Limit(_) => 3,
            };
            return (format!("{about}{failure}\n"), code);
        }
    };
    let Header { logic, dead_ends, holds, property, .. } = &proved.claim.header;
    let ends = match dead_ends {
        DeadEnds::Stutter => "repeat for ever",
        DeadEnds::Finite => "end paths",
        DeadEnds::Ignore => "end paths, which do not count",
    };
    let verdict = if *holds { "holds" } else { "fails" };
    let of = |logic| format!("property:  {property}\nlogic:     {logic}\ndead ends: {ends}\nproved:    {verdict}");
    let claim = match logic {
        Logic::States => format!("proved:    {property} reachable markings"),
        Logic::Ltl => of("LTL, of all runs"),
        Logic::Ctl => of("CTL"),
    };
    let count = proved.markings.map(|count| format!(", {count} markings")).unwrap_or_default();
    (format!("{about}{claim}\nchecked:   {}{count}, {} bytes\n", proved.how, file.len()), 0)
}

/// That a file is about the property that the user names.
fn is_about(net: &Net, file: &[u8], named: &Named) -> Result<()> {
    let mut claim = Claim::new(&Header::parse(file)?.0, net)?;
    let (logic, f) = match named {
        Named::Formula(logic, formula) => (*logic, text::parse(formula, net, &mut claim.formulas)?),
        Named::Property(xml, id) => (claim.header.logic, contest::parse(xml, id, net, &mut claim.formulas)?),
    };
    if f == claim.property && logic == claim.header.logic && logic != Logic::States {
        return Ok(());
    }
    error(0, format!("the file is about another property: {}", claim.header.property))
}
