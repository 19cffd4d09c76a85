//! Properties of the Model Checking Contest, in XML.

use crate::failure::{Result, error};
use crate::formula::{Atom, Formulas, Id, Node, Relation};
use crate::net::{self, Net};
use crate::xml::{Element, Piece, Xml};

/// A value on the way: a formula, or a sum of places and a number.
enum Value {
    Formula(Id),
    Sum(Vec<(usize, i64)>, i64),
}

/// Reads the property with an identifier.
///
/// # Errors
/// If there is none, or it is not understood.
pub fn parse(bytes: &[u8], id: &str, net: &Net, formulas: &mut Formulas) -> Result<Id> {
    let mut xml = Xml::new(bytes)?;
    let mut current = String::new();
    loop {
        match xml.next()? {
            Piece::Open(element) => match element.name.as_str() {
                "property-set" | "property" => {}
                "id" => current = xml.text()?,
                "formula" if current == id => {
                    return Reader { xml, net, formulas }.formula(&element);
                }
                _ => xml.skip()?,
            },
            Piece::End => return error(xml.at, format!("there is no property {id:?}")),
            _ => {}
        }
    }
}

struct Reader<'a> {
    xml: Xml<'a>,
    net: &'a Net,
    formulas: &'a mut Formulas,
}

impl Reader<'_> {
    /// The formula in the element that was opened last; inner elements first, by a stack.
    fn formula(&mut self, element: &Element) -> Result<Id> {
        let mut open: Vec<(Element, Vec<Value>)> = vec![(element.clone(), Vec::new())];
        loop {
            let value = match self.xml.next()? {
                Piece::Open(element) => match element.name.as_str() {
                    "is-fireable" | "tokens-count" => self.names(&element)?,
                    "integer-constant" => match self.xml.text()?.parse() {
                        Ok(number) => Value::Sum(Vec::new(), number),
                        Err(_) => return error(element.at, "expected a number"),
                    },
                    _ => {
                        open.push((element, Vec::new()));
                        continue;
                    }
                },
                Piece::Close => match open.pop() {
                    Some((element, operands)) => self.apply(&element, operands)?,
                    None => return error(self.xml.at, "the formula does not end"),
                },
                _ => return error(self.xml.at, "expected elements in a formula"),
            };
            match (open.last_mut(), value) {
                (Some((_, operands)), value) => operands.push(value),
                (None, Value::Formula(f)) => return Ok(f),
                (None, Value::Sum(..)) => return error(element.at, "expected a formula"),
            }
        }
    }

    /// The names in an element: transitions that are fireable, or places that are counted.
    fn names(&mut self, element: &Element) -> Result<Value> {
        let (mut places, mut transitions) = (Vec::new(), Vec::new());
        loop {
            match self.xml.next()? {
                Piece::Open(inner) => {
                    let name = self.xml.text()?;
                    match (inner.name.as_str(), self.net.find(&name)) {
                        ("place", Some(net::Node::Place(p))) => places.push((p, 1)),
                        ("transition", Some(net::Node::Transition(t))) => transitions.push(t),
                        _ => return error(inner.at, format!("the net has no {name:?}")),
                    }
                }
                Piece::Close if element.name == "tokens-count" && transitions.is_empty() => {
                    return Ok(Value::Sum(places, 0));
                }
                Piece::Close if element.name == "is-fireable" && places.is_empty() => {
                    transitions.sort_unstable();
                    transitions.dedup();
                    return Ok(Value::Formula(
                        self.formulas.atom(Atom::Fireable(transitions)),
                    ));
                }
                _ => return error(element.at, "expected names of places or of transitions"),
            }
        }
    }

    fn apply(&mut self, element: &Element, operands: Vec<Value>) -> Result<Value> {
        let relation = match element.name.as_str() {
            "integer-le" => Some(Relation::Le),
            "integer-lt" => Some(Relation::Lt),
            "integer-ge" => Some(Relation::Ge),
            "integer-gt" => Some(Relation::Gt),
            "integer-eq" => Some(Relation::Eq),
            "integer-neq" | "integer-ne" => Some(Relation::Ne),
            _ => None,
        };
        let mut operands = operands.into_iter();
        if let Some(relation) = relation {
            let sums = (operands.next(), operands.next(), operands.next());
            let (Some(Value::Sum(mut terms, left)), Some(Value::Sum(others, right)), None) = sums
            else {
                return error(element.at, "a comparison has two sums");
            };
            terms.extend(others.into_iter().map(|(p, c)| (p, -c)));
            let number = right.checked_sub(left);
            let compared = number.and_then(|n| self.formulas.compare(&terms, relation, n));
            return match compared {
                Some(f) => Ok(Value::Formula(f)),
                None => error(element.at, "the numbers are too large"),
            };
        }
        let mut list = Vec::new();
        for operand in operands {
            match operand {
                Value::Formula(f) => list.push(f),
                Value::Sum(..) => return error(element.at, "expected formulas here"),
            }
        }
        let formulas = &mut *self.formulas;
        let junction = |formulas: &mut Formulas, of: fn(Id, Id) -> Node| {
            let rest = list[1..].iter();
            rest.fold(list[0], |f, &g| formulas.add(of(f, g)))
        };
        let f = match (element.name.as_str(), &list[..]) {
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
            ("conjunction", &[_, ..]) => junction(formulas, Node::And),
            ("disjunction", &[_, ..]) => junction(formulas, Node::Or),
            ("true" | "false", &[]) => formulas.constant(element.name == "true"),
            ("deadlock", &[]) => formulas.atom(Atom::Deadlock),
            (name, _) => {
                return error(
                    element.at,
                    format!("<{name}> is not understood in a formula"),
                );
            }
        };
        Ok(Value::Formula(f))
    }
}
