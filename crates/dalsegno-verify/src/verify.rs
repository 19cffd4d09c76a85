//! From a net and a file to "proved", or to the reason why not.

use std::fmt::Write as _;
use std::thread;

use crate::check::Subject;
use crate::claim::{Claim, DeadEnds, Header, Logic};
use crate::diagram::Diagram;
use crate::formula::Node;
use crate::net::Net;
use crate::rules::{keep_at, name};
use crate::{Failure, Result, Work, contest, error, linear, text};

/// How a diagram is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Marking by marking if there are few, and by walking otherwise.
    #[default]
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
    /// The markings and successors that a thread of an enumeration may look at.
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
    let mut pairs = Work { left: options.pairs, stop: options.stop };
    if header.linear {
        linear::check(net, &claim, file, at, &mut Work { left: options.steps, stop: options.stop })?;
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
fn count(diagram: &Diagram, wanted: impl Fn(usize) -> bool) -> Option<u128> {
    let counts = diagram.upwards(|leaf| Some(u128::from(wanted(leaf))), Some(0), |a, b| a?.checked_add(b?));
    counts[diagram.root() as usize]
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
        let zero = |leaf: &crate::diagram::Leaf| leaf.cells.first().is_some_and(|cell| cell.rank == 0);
        let one = count(diagram, |leaf| zero(&diagram.leaves[leaf])) == Some(1);
        keep_at(one && leaf.is_some_and(zero), name::FIRST, at)?;
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
    let mut out = String::new();
    let code = match write_report(model, file, named, options, &mut out) {
        Ok(()) => 0,
        Err(failure) => {
            let _ = writeln!(out, "{failure}");
            match failure {
                Failure::Refused(..) => 1,
                Failure::Error(..) => 2,
                Failure::Limit(_) => 3,
            }
        }
    };
    (out, code)
}

fn write_report(
    model: &[u8],
    file: &[u8],
    named: Option<&Named>,
    options: Options<'_>,
    out: &mut String,
) -> Result<()> {
    let net = Net::parse(model)?;
    let (places, transitions, digest) = (net.places.len(), net.transitions.len(), net.digest());
    let _ = writeln!(out, "net:       {places} places, {transitions} transitions, digest {digest}");
    if let Some(named) = named {
        let mut claim = Claim::new(&Header::parse(file)?.0, &net)?;
        let (logic, f) = match named {
            Named::Formula(logic, formula) => (*logic, text::parse(formula, &net, &mut claim.formulas)?),
            Named::Property(xml, id) => (claim.header.logic, contest::parse(xml, id, &net, &mut claim.formulas)?),
        };
        if f != claim.property || logic != claim.header.logic || logic == Logic::States {
            return error(0, format!("the file is about another property: {}", claim.header.property));
        }
    }
    let proved = verify(&net, file, options)?;
    let Header { logic, dead_ends, holds, property, .. } = &proved.claim.header;
    if *logic == Logic::States {
        let _ = writeln!(out, "proved:    {property} reachable markings");
    } else {
        let ends = match dead_ends {
            DeadEnds::Stutter => "repeat for ever",
            DeadEnds::Finite => "end paths",
            DeadEnds::Ignore => "end paths, which do not count",
        };
        let logic = if *logic == Logic::Ltl { "LTL, of all runs" } else { "CTL" };
        let verdict = if *holds { "holds" } else { "fails" };
        let _ = writeln!(out, "property:  {property}\nlogic:     {logic}\ndead ends: {ends}\nproved:    {verdict}");
    }
    let count = proved.markings.map(|count| format!(", {count} markings")).unwrap_or_default();
    let _ = writeln!(out, "checked:   {}{count}, {} bytes", proved.how, file.len());
    Ok(())
}
