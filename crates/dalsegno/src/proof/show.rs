//! Formulas of the checker as text that it reads back as the same formula.

use dalsegno_verify::formula::{Atom, Formulas, Id, Node};
use dalsegno_verify::net::Net;
use dalsegno_verify::text::quoted;

/// The bytes that a property may have.
const MOST: usize = 1 << 20;

/// A formula as text; none if it is too large, which nested equivalences may be.
pub(super) fn show(f: Id, formulas: &Formulas, net: &Net) -> Option<String> {
    let mut out = String::new();
    // What is still to be written, the next one last: texts, and formulas with whether they need no parentheses.
    let mut open = vec![Err((f, false))];
    while let Some(part) = open.pop() {
        if out.len() > MOST {
            return None;
        }
        let (f, bare) = match part {
            Ok(text) => {
                out.push_str(text);
                continue;
            }
            Err(formula) => formula,
        };
        let (left, sign, right) = match formulas.nodes[f] {
            Node::True | Node::False => {
                let value = formulas.nodes[f] == Node::True;
                out.push_str(if value { "true" } else { "false" });
                continue;
            }
            Node::Atom(a) | Node::NotAtom(a) => {
                let negated = matches!(formulas.nodes[f], Node::NotAtom(_));
                out.push_str(if negated { "!" } else { "" });
                out.push_str(&show_atom(&formulas.atoms[a], net));
                continue;
            }
            Node::Next(g) => (None, "X ", g),
            Node::Exists(g) => (None, "E ", g),
            Node::Forall(g) => (None, "A ", g),
            Node::Until(g, h) if formulas.nodes[g] == Node::True => (None, "F ", h),
            Node::Release(g, h) if formulas.nodes[g] == Node::False => (None, "G ", h),
            Node::Until(g, h) => (Some((g, false)), " U ", h),
            Node::Release(g, h) => (Some((g, false)), " R ", h),
            // Chains group to the left.
            Node::And(g, h) => {
                let chain = matches!(formulas.nodes[g], Node::And(..));
                (Some((g, chain)), " & ", h)
            }
            Node::Or(g, h) => {
                let chain = matches!(formulas.nodes[g], Node::Or(..));
                (Some((g, chain)), " | ", h)
            }
        };
        let [before, after] = if left.is_none() || bare {
            ["", ""]
        } else {
            ["(", ")"]
        };
        open.extend([Ok(after), Err((right, false)), Ok(sign)]);
        open.extend(left.map(Err));
        open.push(Ok(before));
    }
    Some(out)
}

/// An atom as text.
fn show_atom(atom: &Atom, net: &Net) -> String {
    let sum = |terms: &[(usize, i64)]| {
        let term = |&(p, c): &(usize, i64)| {
            let name = quoted(&net.places[p].0);
            match c {
                1 => format!(" + {name}"),
                _ if c < 0 => format!(" - {}*{name}", -c),
                _ => format!(" + {c}*{name}"),
            }
        };
        let text = format!("0{}", terms.iter().map(term).collect::<String>());
        text.strip_prefix("0 + ").unwrap_or(&text).to_owned()
    };
    match atom {
        Atom::AtMost(terms, number) => format!("\"{} <= {number}\"", sum(terms)),
        Atom::Equals(terms, number) => format!("\"{} = {number}\"", sum(terms)),
        Atom::Fireable(list) => {
            let ids = list.iter().map(|&t| quoted(&net.transitions[t].id));
            format!("\"fireable({})\"", ids.collect::<Vec<_>>().join(", "))
        }
        Atom::Deadlock => "\"deadlock()\"".to_owned(),
    }
}
