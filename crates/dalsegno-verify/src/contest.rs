//! Properties of the Model Checking Contest: XML that is rewritten as text, element by element. An element in a wrong
//! place makes a text that is no formula: what sums, places and transitions become fits nowhere else.

use crate::formula::{Formulas, Id};
use crate::net::Net;
use crate::xml::{self, Element};
use crate::{Result, error, text};

/// Reads the property with an identifier.
pub fn parse(bytes: &[u8], id: &str, net: &Net, formulas: &mut Formulas) -> Result<Id> {
    let document = xml::parse(bytes)?;
    let named = |property: &&Element| property.child("id").is_some_and(|found| found.text == id);
    let Some(element) = document.children.iter().find(named).and_then(|property| property.child("formula")) else {
        return error(document.at, format!("there is no property {id:?} with a formula"));
    };
    let mut out = String::new();
    write(element, &mut out)?;
    text::parse(&out, net, formulas)
}

/// Writes an element as text.
fn write(element: &Element, out: &mut String) -> Result<()> {
    const MANY: usize = usize::MAX;
    let name = element.name.as_str();
    let (id, number) = (text::quoted(&element.text), element.text.parse::<i32>());
    let (summand, constant) = (format!(" + {id}"), format!("0 {:+}", number.clone().unwrap_or(0)));
    // How many children there are, and what is before, between and after them.
    let (least, most, [before, between, after]) = match name {
        "formula" | "before" | "reach" => (1, 1, ["", "", ""]),
        "all-paths" => (1, 1, ["A (", "", ")"]),
        "exists-path" => (1, 1, ["E (", "", ")"]),
        "globally" => (1, 1, ["G (", "", ")"]),
        "finally" => (1, 1, ["F (", "", ")"]),
        "next" => (1, 1, ["X (", "", ")"]),
        "negation" => (1, 1, ["! (", "", ")"]),
        "until" => (2, 2, ["(", " U ", ")"]),
        "implication" => (2, 2, ["(", " -> ", ")"]),
        "equivalence" => (2, 2, ["(", " <-> ", ")"]),
        "conjunction" => (1, MANY, ["(", " & ", ")"]),
        "disjunction" => (1, MANY, ["(", " | ", ")"]),
        "true" => (0, 0, ["(true)", "", ""]),
        "false" => (0, 0, ["(false)", "", ""]),
        "deadlock" => (0, 0, ["\"deadlock()\"", "", ""]),
        "is-fireable" => (1, MANY, ["\"fireable(", ", ", ")\""]),
        "integer-le" => (2, 2, ["\"0 + ", " <= 0 + ", "\""]),
        "integer-lt" => (2, 2, ["\"0 + ", " < 0 + ", "\""]),
        "integer-ge" => (2, 2, ["\"0 + ", " >= 0 + ", "\""]),
        "integer-gt" => (2, 2, ["\"0 + ", " > 0 + ", "\""]),
        "integer-eq" => (2, 2, ["\"0 + ", " = 0 + ", "\""]),
        "integer-neq" | "integer-ne" => (2, 2, ["\"0 + ", " != 0 + ", "\""]),
        "tokens-count" => (0, MANY, ["0 + 0 ", "", ""]),
        "integer-constant" if number.is_ok() => (0, 0, [constant.as_str(), "", ""]),
        "place" => (0, 0, [summand.as_str(), "", ""]),
        "transition" => (0, 0, [id.as_str(), "", ""]),
        _ => return error(element.at, format!("<{name}> is not understood in a formula")),
    };
    if element.children.len() < least || element.children.len() > most {
        return error(element.at, format!("<{name}> has too many or too few parts"));
    }
    out.push_str(before);
    for (i, child) in element.children.iter().enumerate() {
        out.push_str(if i > 0 { between } else { "" });
        write(child, out)?;
    }
    out.push_str(after);
    Ok(())
}
