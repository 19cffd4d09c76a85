//! Properties of the Model Checking Contest: XML that is rewritten as text, element by element.

use crate::formula::{Formulas, Id};
use crate::net::Net;
use crate::xml::{self, Element};
use crate::{Result, error, text};

/// What an element stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sort {
    Formula,
    /// A sum of places, or a number.
    Sum,
    Place,
    Transition,
}

/// Reads the property with an identifier.
pub fn parse(bytes: &[u8], id: &str, net: &Net, formulas: &mut Formulas) -> Result<Id> {
    for property in &xml::parse(bytes)?.children {
        let child = |name: &str| property.children.iter().find(|child| child.name == name);
        if child("id").is_some_and(|found| found.text == id) {
            let mut out = String::new();
            return match child("formula") {
                Some(element) => {
                    write(element, Sort::Formula, &mut out).and_then(|()| text::parse(&out, net, formulas))
                }
                None => error(property.at, "the property has no <formula>"),
            };
        }
    }
    error(0, format!("there is no property {id:?}"))
}

/// Writes an element as text.
fn write(element: &Element, sort: Sort, out: &mut String) -> Result<()> {
    use Sort::{Formula, Place, Sum, Transition};
    let name = element.name.as_str();
    let id = text::quoted(&element.text);
    let summand = format!(" + {id}");
    // What it stands for and what its children do; how many of them there are; what is before, between and after them.
    let (own, inner, least, most, [before, between, after]) = match name {
        "formula" | "before" | "reach" => (Formula, Formula, 1, 1, ["", "", ""]),
        "all-paths" => (Formula, Formula, 1, 1, ["A (", "", ")"]),
        "exists-path" => (Formula, Formula, 1, 1, ["E (", "", ")"]),
        "globally" => (Formula, Formula, 1, 1, ["G (", "", ")"]),
        "finally" => (Formula, Formula, 1, 1, ["F (", "", ")"]),
        "next" => (Formula, Formula, 1, 1, ["X (", "", ")"]),
        "negation" => (Formula, Formula, 1, 1, ["! (", "", ")"]),
        "until" => (Formula, Formula, 2, 2, ["(", " U ", ")"]),
        "implication" => (Formula, Formula, 2, 2, ["(", " -> ", ")"]),
        "equivalence" => (Formula, Formula, 2, 2, ["(", " <-> ", ")"]),
        "conjunction" => (Formula, Formula, 1, usize::MAX, ["(", " & ", ")"]),
        "disjunction" => (Formula, Formula, 1, usize::MAX, ["(", " | ", ")"]),
        "true" => (Formula, Formula, 0, 0, ["true", "", ""]),
        "false" => (Formula, Formula, 0, 0, ["false", "", ""]),
        "deadlock" => (Formula, Formula, 0, 0, ["\"deadlock()\"", "", ""]),
        "is-fireable" => (Formula, Transition, 1, usize::MAX, ["\"fireable(", ", ", ")\""]),
        "integer-le" => (Formula, Sum, 2, 2, ["\"", " <= ", "\""]),
        "integer-lt" => (Formula, Sum, 2, 2, ["\"", " < ", "\""]),
        "integer-ge" => (Formula, Sum, 2, 2, ["\"", " >= ", "\""]),
        "integer-gt" => (Formula, Sum, 2, 2, ["\"", " > ", "\""]),
        "integer-eq" => (Formula, Sum, 2, 2, ["\"", " = ", "\""]),
        "integer-neq" | "integer-ne" => (Formula, Sum, 2, 2, ["\"", " != ", "\""]),
        "tokens-count" => (Sum, Place, 0, usize::MAX, ["0", "", ""]),
        "integer-constant" if element.text.parse::<i32>().is_ok() => (Sum, Sum, 0, 0, [&element.text, "", ""]),
        "place" => (Place, Place, 0, 0, [&summand, "", ""]),
        "transition" => (Transition, Transition, 0, 0, [&id, "", ""]),
        _ => return error(element.at, format!("<{name}> is not understood in a formula")),
    };
    if own != sort || element.children.len() < least || element.children.len() > most {
        return error(element.at, format!("<{name}> does not fit here, or has too many or too few parts"));
    }
    out.push_str(before);
    for (i, child) in element.children.iter().enumerate() {
        out.push_str(if i > 0 { between } else { "" });
        write(child, inner, out)?;
    }
    out.push_str(after);
    Ok(())
}
