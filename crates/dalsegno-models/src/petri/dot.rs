//! Drawing nets with Graphviz.

use std::fmt;
use std::io::{self, Write};

use super::net::{Arcs, PetriNet};

/// Writes a net in the DOT language: places as circles with their tokens, transitions as boxes,
/// inhibitor arcs with a round head, test arcs dashed and without one.
///
/// # Errors
/// What `out` fails with.
pub fn write(net: &PetriNet, mut out: impl Write) -> io::Result<()> {
    writeln!(out, "digraph \"{}\" {{", Escaped(net.name()))?;
    writeln!(out, "  rankdir=LR")?;
    writeln!(out, "  node [shape=circle]")?;
    for (i, place) in net.places().iter().enumerate() {
        let name = Escaped(&place.name);
        match place.initial {
            0 => writeln!(out, "  p{i} [label=\"{name}\"]")?,
            tokens => writeln!(out, "  p{i} [label=\"{name}\\n{tokens}\"]")?,
        }
    }
    writeln!(out, "  node [shape=box]")?;
    for (i, t) in net.transitions().iter().enumerate() {
        writeln!(out, "  t{i} [label=\"{}\"]", Escaped(&t.name))?;
        let mut arcs = |arcs: &Arcs, to: bool, style: &str| -> io::Result<()> {
            for &(place, weight) in arcs {
                let p = place.0;
                let label = if weight == 1 {
                    String::new()
                } else {
                    format!("label=\"{weight}\"")
                };
                let separator = if label.is_empty() || style.is_empty() {
                    ""
                } else {
                    ", "
                };
                let attributes = match format!("{label}{separator}{style}") {
                    none if none.is_empty() => none,
                    some => format!(" [{some}]"),
                };
                if to {
                    writeln!(out, "  p{p} -> t{i}{attributes}")?;
                } else {
                    writeln!(out, "  t{i} -> p{p}{attributes}")?;
                }
            }
            Ok(())
        };
        arcs(&t.pre, true, "")?;
        arcs(&t.test, true, "style=dashed, arrowhead=none")?;
        arcs(&t.inhibit, true, "arrowhead=odot")?;
        arcs(&t.post, false, "")?;
    }
    writeln!(out, "}}")
}

/// Text between double quotes.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_control() => f.write_str(" ")?,
                c => write!(f, "{c}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::petri::{Place, PlaceId, Transition};

    #[test]
    fn every_kind_of_arc_is_drawn() {
        let place = |id: &str, initial| Place {
            id: id.to_owned(),
            name: id.to_owned(),
            initial,
        };
        let t = Transition {
            id: "t".to_owned(),
            name: "t\\".to_owned(),
            pre: vec![(PlaceId(0), 2)],
            post: vec![(PlaceId(1), 1)],
            inhibit: vec![(PlaceId(1), 3)],
            test: vec![(PlaceId(1), 1)],
        };
        let places = vec![place("a\"b", 1), place("q", 0)];
        let net = PetriNet::new("n", places, vec![t], None).unwrap();
        let mut text = Vec::new();
        write(&net, &mut text).unwrap();
        let expected = r#"digraph "n" {
  rankdir=LR
  node [shape=circle]
  p0 [label="a\"b\n1"]
  p1 [label="q"]
  node [shape=box]
  t0 [label="t\\"]
  p0 -> t0 [label="2"]
  p1 -> t0 [style=dashed, arrowhead=none]
  p1 -> t0 [label="3", arrowhead=odot]
  t0 -> p1
}
"#;
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
