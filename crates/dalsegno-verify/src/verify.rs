//! From a net and a file to "proved", or to the reason why not.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::certificate::{Diagram, Header, Level};
use crate::claim::{Claim, Logic};
use crate::enumerate::Enumeration;
use crate::failure::{Failure, Result, error, refused};
use crate::formula::{Formulas, Node};
use crate::net::Net;
use crate::rules::{Rules, keep, name};
use crate::{linear, text, walk};

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

/// What a check may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// How a diagram is checked.
    pub mode: Mode,
    /// The markings and successors that an enumeration may look at.
    pub steps: u64,
    /// The pairs of nodes that a walk may meet, some 50 bytes each.
    pub pairs: u64,
    /// The threads of an enumeration.
    pub jobs: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            mode: Mode::Auto,
            steps: 20_000_000_000,
            pairs: 30_000_000,
            jobs: 1,
        }
    }
}

/// Fewer markings than this are enumerated, and more than that are not worth a try.
const FEW: u128 = 100_000;
const MANY: u128 = 1 << 34;

/// What was proved.
#[derive(Clone, Debug)]
pub struct Proved {
    /// What the file says about itself.
    pub header: Header,
    /// What was claimed, and now is proved; of no meaning if it is a number of markings.
    pub claim: Claim,
    /// How it was checked.
    pub how: &'static str,
    /// The markings in the proof, if it has markings and they are not too many to be counted.
    pub markings: Option<u128>,
}

/// The claim of a header about a net.
///
/// # Errors
/// If the property is not understood.
pub fn claim_of(header: &Header, net: &Net) -> Result<Claim> {
    let mut formulas = Formulas::default();
    let property = match header.logic {
        Logic::States => formulas.constant(true),
        _ => text::parse(&header.property, net, &mut formulas)?,
    };
    Claim::new(
        header.logic,
        header.dead_ends,
        header.holds,
        formulas,
        property,
    )
}

/// Whether a file proves its claim about a net.
///
/// # Errors
/// Why it does not.
pub fn verify(net: &Net, file: &[u8], options: Options) -> Result<Proved> {
    let (header, at) = Header::parse(file)?;
    if header.net != net.digest() {
        return refused(
            "the proof is about another net",
            format!("digest {}", header.net),
        );
    }
    let claim = claim_of(&header, net)?;
    let (how, markings) = if header.linear {
        linear::check(net, &claim, file, at, options.steps)?;
        ("linear", None)
    } else {
        let diagram = Diagram::parse(file, at, net.places.len(), net.transitions.len())?;
        let markings = count(&diagram, |_| true);
        initial(net, &claim, &diagram, &header, markings)?;
        (
            by_diagram(net, &claim, &diagram, markings, options)?,
            markings,
        )
    };
    Ok(Proved {
        header,
        claim,
        how,
        markings,
    })
}

fn by_diagram(
    net: &Net,
    claim: &Claim,
    diagram: &Diagram,
    markings: Option<u128>,
    options: Options,
) -> Result<&'static str> {
    let rules = Rules::new(claim, diagram)?;
    let few = |most| markings.is_some_and(|n| n <= most);
    let enumerate = || enumerated(net, claim, diagram, &rules, options).map(|()| "enumerated");
    let walk = || walked(net, claim, diagram, &rules, options).map(|()| "walked");
    match options.mode {
        Mode::Enumerate => enumerate(),
        Mode::Walk => walk(),
        Mode::Auto if few(FEW) => enumerate(),
        Mode::Auto => match walk() {
            Err(Failure::Limit(_)) if few(MANY) => enumerate(),
            walked => walked,
        },
    }
}

/// The markings that lead to some leaves; none if they are too many for the machine's numbers.
fn count(diagram: &Diagram, wanted: impl Fn(usize) -> bool) -> Option<u128> {
    let leaves = 0..diagram.leaves.len();
    let mut below: Vec<Option<u128>> = leaves.map(|leaf| Some(u128::from(wanted(leaf)))).collect();
    for layer in diagram.layers.iter().rev() {
        let sum = |node: u32| {
            let mut children = layer
                .arcs(node)
                .iter()
                .map(|&(_, child)| below[child as usize]);
            children.try_fold(0_u128, |sum, child| sum.checked_add(child?))
        };
        below = (0..layer.starts.len() as u32 - 1).map(sum).collect();
    }
    below[diagram.root as usize]
}

/// Checks that the initial marking is in the diagram, with what is to be shown, and the number of markings.
fn initial(
    net: &Net,
    claim: &Claim,
    diagram: &Diagram,
    header: &Header,
    markings: Option<u128>,
) -> Result<()> {
    let marking = net.initial();
    let told = |rule| {
        refused(
            rule,
            format!("at the initial marking, {}", net.describe(&marking)),
        )
    };
    let value = |level: &Level| {
        let tokens: Vec<u32> = level.places.iter().map(|&p| marking[p]).collect();
        level.values.binary_search(&tokens).ok().map(|at| at as u32)
    };
    let values: Option<Vec<u32>> = diagram.levels.iter().map(value).collect();
    let leaf = values.and_then(|values| diagram.leaf(&values));
    let slot = diagram
        .slots
        .iter()
        .position(|slot| slot[..] == [claim.goal]);
    let shown = leaf.is_some_and(|leaf| match claim.logic {
        Logic::States => true,
        Logic::Ctl if claim.formulas.node(claim.goal) == Node::True => true,
        _ => slot.is_some_and(|slot| diagram.leaves[leaf].cell(slot).is_some()),
    });
    keep(shown, name::INITIAL).or_else(told)?;
    if claim.logic == Logic::States {
        let zero = |leaf: usize| {
            diagram.leaves[leaf]
                .cells
                .first()
                .is_some_and(|cell| cell.rank == 0)
        };
        let first = leaf.is_some_and(zero) && count(diagram, zero) == Some(1);
        keep(first, name::FIRST).or_else(told)?;
        let Some(markings) = markings else {
            return Err(Failure::Limit(
                "there are more than 2^128 markings".to_owned(),
            ));
        };
        keep(header.property == markings.to_string(), name::COUNT).or_else(told)?;
    }
    Ok(())
}

/// Enumerates with several threads, each with some arcs of the root.
fn enumerated(
    net: &Net,
    claim: &Claim,
    diagram: &Diagram,
    rules: &Rules<'_>,
    options: Options,
) -> Result<()> {
    let enumeration = Enumeration::new(net, claim, diagram, rules)?;
    let arcs = diagram
        .layers
        .first()
        .map_or(1, |top| top.arcs(diagram.root).len());
    let parts = options.jobs.clamp(1, arcs.max(1));
    let end = AtomicBool::new(false);
    let work = |part: usize| {
        let range = arcs * part / parts..arcs * (part + 1) / parts;
        let checked = enumeration.check(range, options.steps, &end);
        end.fetch_or(checked.is_err(), Ordering::Relaxed);
        checked
    };
    thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> = (1..parts)
            .map(|part| scope.spawn(move || work(part)))
            .collect();
        others.into_iter().fold(work(0), |result, other| {
            result.and(other.join().unwrap_or_else(|_| error(0, "a thread failed")))
        })
    })
}

/// Walks with a stack that is large enough for the levels.
fn walked(
    net: &Net,
    claim: &Claim,
    diagram: &Diagram,
    rules: &Rules<'_>,
    options: Options,
) -> Result<()> {
    let size = (1 << 20) + diagram.levels.len() * 2048;
    #[cfg(test)]
    let dropped = crate::rules::dropped::RULE.get();
    let work = || {
        #[cfg(test)]
        crate::rules::dropped::RULE.set(dropped);
        walk::check(net, claim, diagram, rules, options.pairs)
    };
    thread::scope(|scope| {
        let walk = thread::Builder::new()
            .stack_size(size)
            .spawn_scoped(scope, work);
        match walk {
            Ok(walk) => walk.join().unwrap_or_else(|_| error(0, "a thread failed")),
            Err(_) => Err(Failure::Limit("there is no room for the walk".to_owned())),
        }
    })
}
