//! Properties of the Model Checking Contest, in XML.

use crate::failure::{Result, error};
use crate::formula::{Atom, Formulas, Id, Node};
use crate::net::{self, Net};
use crate::xml::{self, Element};

/// Reads the property with an identifier.
///
/// # Errors
/// If there is none, or it is not understood.
pub fn parse(bytes: &[u8], id: &str, net: &Net, formulas: &mut Formulas) -> Result<Id> {
    let document = xml::parse(bytes, &["description"])?;
    for property in &document.children {
        let child = |name: &str| property.children.iter().find(|child| child.name == name);
        if child("id").is_some_and(|found| found.text == id) {
            return match child("formula") {
                Some(element) => formula(element, net, formulas),
                None => error(property.at, "the property has no <formula>"),
            };
        }
    }
    error(0, format!("there is no property {id:?}"))
}

fn formula(element: &Element, net: &Net, formulas: &mut Formulas) -> Result<Id> {
    let name = element.name.as_str();
    let relation = match name {
        "integer-le" => "<=",
        "integer-lt" => "<",
        "integer-ge" => ">=",
        "integer-gt" => ">",
        "integer-eq" => "=",
        "integer-neq" | "integer-ne" => "!=",
        _ => "",
    };
    if !relation.is_empty() {
        let [left, right] = &element.children[..] else {
            return error(element.at, "a comparison has two sums");
        };
        let ((mut terms, left), (others, right)) = (sum(left, net)?, sum(right, net)?);
        terms.extend(others.into_iter().map(|(p, c)| (p, -c)));
        let number = right.checked_sub(left);
        let compared = number.and_then(|number| formulas.compare(&terms, relation, number));
        return compared.map_or_else(|| error(element.at, "the numbers are too large"), Ok);
    }
    if name == "is-fireable" {
        let mut transitions = Vec::new();
        for child in &element.children {
            match (child.name.as_str(), net.find(&child.text)) {
                ("transition", Some(net::Node::Transition(t))) => transitions.push(t),
                _ => return error(child.at, format!("there is no transition {:?}", child.text)),
            }
        }
        return Ok(formulas.fireable(transitions));
    }
    let mut list = Vec::new();
    for child in &element.children {
        list.push(formula(child, net, formulas)?);
    }
    Ok(match (name, &list[..]) {
        ("formula" | "before" | "reach", &[f]) => f,
        ("all-paths", &[f]) => formulas.add(Node::Forall(f)),
        ("exists-path", &[f]) => formulas.add(Node::Exists(f)),
        ("globally", &[f]) => formulas.globally(f),
        ("finally", &[f]) => formulas.finally(f),
        ("next", &[f]) => formulas.add(Node::Next(f)),
        ("until", &[f, g]) => formulas.add(Node::Until(f, g)),
        ("negation", &[f]) => formulas.not(f),
        ("implication", &[f, g]) => formulas.implies(f, g),
        ("equivalence", &[f, g]) => formulas.iff(f, g),
        ("conjunction", &[f, ref rest @ ..]) => {
            rest.iter().fold(f, |f, &g| formulas.add(Node::And(f, g)))
        }
        ("disjunction", &[f, ref rest @ ..]) => {
            rest.iter().fold(f, |f, &g| formulas.add(Node::Or(f, g)))
        }
        ("true" | "false", &[]) => formulas.constant(name == "true"),
        ("deadlock", &[]) => formulas.atom(Atom::Deadlock),
        _ => {
            return error(
                element.at,
                format!("<{name}> is not understood in a formula"),
            );
        }
    })
}

/// A sum of places, or a number.
fn sum(element: &Element, net: &Net) -> Result<(Vec<(usize, i64)>, i64)> {
    let mut terms = Vec::new();
    match element.name.as_str() {
        "tokens-count" => {
            for child in &element.children {
                match (child.name.as_str(), net.find(&child.text)) {
                    ("place", Some(net::Node::Place(p))) => terms.push((p, 1)),
                    _ => return error(child.at, format!("there is no place {:?}", child.text)),
                }
            }
            Ok((terms, 0))
        }
        "integer-constant" => match element.text.parse() {
            Ok(number) => Ok((terms, number)),
            Err(_) => error(element.at, "expected a number"),
        },
        name => error(element.at, format!("<{name}> is not understood in a sum")),
    }
}
