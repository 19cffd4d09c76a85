//! What the program does: reads a model, a file and what the user asks for, and says what is proved.

use std::fmt::Write as _;

use crate::certificate::Header;
use crate::claim::{DeadEnds, Logic};
use crate::failure::{Result, error};
use crate::net::Net;
use crate::verify::{self, Mode, Options};
use crate::{property, text};

/// A property that the user names, which must be that of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Named {
    /// A formula.
    Formula(Logic, String),
    /// The contents of a file of the contest, and the identifier of a property.
    Property(Vec<u8>, String),
}

/// What is printed, and the exit code: 0 proved, 1 refused, 2 error, 3 limit.
#[must_use]
pub fn run(model: &[u8], file: &[u8], named: Option<&Named>, options: Options) -> (String, u8) {
    let mut out = String::new();
    match check(model, file, named, options, &mut out) {
        Ok(()) => (out, 0),
        Err(failure) => {
            let _ = writeln!(out, "{failure}");
            (out, failure.code())
        }
    }
}

fn check(
    model: &[u8],
    file: &[u8],
    named: Option<&Named>,
    options: Options,
    out: &mut String,
) -> Result<()> {
    let net = Net::parse(model)?;
    let (header, _) = Header::parse(file)?;
    let (places, transitions) = (net.places.len(), net.transitions.len());
    let digest = net.digest();
    let _ = writeln!(
        out,
        "net:       {places} places, {transitions} transitions, digest {digest}"
    );
    if let Some(named) = named {
        same(&header, named, &net)?;
    }
    let proved = verify::verify(&net, file, options)?;
    if header.logic == Logic::States {
        let _ = writeln!(out, "proved:    {} reachable markings", header.property);
    } else {
        let property = proved.claim.formulas.show(proved.claim.property, &net);
        let ends = match header.dead_ends {
            DeadEnds::Stutter => "repeat for ever",
            DeadEnds::Finite => "end paths",
            DeadEnds::Ignore => "end paths, which do not count",
        };
        let logic = if header.logic == Logic::Ltl {
            "LTL, of all runs"
        } else {
            "CTL"
        };
        let verdict = if header.holds { "holds" } else { "fails" };
        let _ = writeln!(
            out,
            "property:  {property}\nlogic:     {logic}\ndead ends: {ends}"
        );
        let _ = writeln!(out, "proved:    {verdict}");
    }
    let count = proved.markings.map(|count| format!(", {count} markings"));
    let (how, count, size) = (proved.how, count.unwrap_or_default(), file.len());
    let _ = writeln!(out, "checked:   {how}{count}, {size} bytes");
    Ok(())
}

/// Checks that the property of a file is the one that the user names.
fn same(header: &Header, named: &Named, net: &Net) -> Result<()> {
    let mut claim = verify::claim_of(header, net)?;
    let (logic, f) = match named {
        Named::Formula(logic, formula) => (*logic, text::parse(formula, net, &mut claim.formulas)?),
        Named::Property(bytes, id) => (
            header.logic,
            property::parse(bytes, id, net, &mut claim.formulas)?,
        ),
    };
    if f != claim.property || logic != header.logic || logic == Logic::States {
        let property = &header.property;
        return error(0, format!("the file is about another property: {property}"));
    }
    Ok(())
}

/// The words for ways to check.
///
/// # Errors
/// If it is none.
pub fn mode(word: &str) -> Result<Mode> {
    match word {
        "auto" => Ok(Mode::Auto),
        "enumerate" => Ok(Mode::Enumerate),
        "walk" => Ok(Mode::Walk),
        _ => error(0, format!("{word:?} is no mode: auto, enumerate or walk")),
    }
}
