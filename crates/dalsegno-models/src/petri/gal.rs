//! Nets as GAL, the guarded action language of ITS-Tools.

use std::io::{self, Write};

use super::net::{Arcs, PetriNet, PlaceId};

/// Words that the language keeps for itself.
const WORDS: [&str; 21] = [
    "GAL",
    "TRANSIENT",
    "abort",
    "array",
    "composite",
    "else",
    "false",
    "fixpoint",
    "for",
    "gal",
    "hotbit",
    "if",
    "int",
    "interface",
    "label",
    "main",
    "predicate",
    "property",
    "self",
    "transition",
    "true",
];

/// Writes a net as a GAL system: a variable per place, a guarded transition per transition.
///
/// Where some identifier of the net is none of the language, all are replaced by `p` or `t` and a number.
///
/// # Errors
/// What `out` fails with.
pub fn write(net: &PetriNet, mut out: impl Write) -> io::Result<()> {
    let places = names('p', net.places().iter().map(|place| place.id.as_str()));
    let transitions = names('t', net.transitions().iter().map(|t| t.id.as_str()));
    writeln!(out, "gal net {{")?;
    for (place, name) in net.places().iter().zip(&places) {
        writeln!(out, "  int {name} = {};", place.initial)?;
    }
    let name = |place: PlaceId| &places[place.index()];
    for (t, transition) in net.transitions().iter().zip(&transitions) {
        let least = |arcs: &Arcs| -> Vec<String> {
            let compared = arcs
                .iter()
                .map(|&(place, weight)| format!("{} >= {weight}", name(place)));
            compared.collect()
        };
        let mut guard = least(&t.pre);
        guard.extend(least(&t.test));
        guard.extend(
            t.inhibit
                .iter()
                .map(|&(place, weight)| format!("{} < {weight}", name(place))),
        );
        if guard.is_empty() {
            guard.push("true".to_owned());
        }
        writeln!(out, "  transition {transition} [{}] {{", guard.join(" && "))?;
        for (arcs, sign) in [(&t.pre, '-'), (&t.post, '+')] {
            for &(place, weight) in arcs {
                writeln!(out, "    {0} = {0} {sign} {weight};", name(place))?;
            }
        }
        writeln!(out, "  }}")?;
    }
    writeln!(out, "}}\nmain net;")
}

/// Names for the language: those of the net where all of them will do.
fn names<'a>(letter: char, given: impl Iterator<Item = &'a str>) -> Vec<String> {
    let given: Vec<&str> = given.collect();
    let identifier = |name: &&str| {
        let mut characters = name.chars();
        characters
            .next()
            .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !WORDS.contains(name)
    };
    if given.iter().all(identifier) {
        given.into_iter().map(str::to_owned).collect()
    } else {
        (0..given.len())
            .map(|number| format!("{letter}{number}"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::petri::{Place, Transition};

    fn net(places: [&str; 2]) -> PetriNet {
        let [a, b] = [PlaceId(0), PlaceId(1)];
        let place = |id: &str, initial| Place {
            id: id.to_owned(),
            name: String::new(),
            initial,
        };
        let transition = Transition {
            id: "fill".to_owned(),
            pre: vec![(a, 2)],
            test: vec![(b, 1)],
            inhibit: vec![(b, 3)],
            post: vec![(b, 1)],
            ..Transition::default()
        };
        PetriNet::new(
            "n",
            vec![place(places[0], 4), place(places[1], 1)],
            vec![transition],
            None,
        )
        .unwrap()
    }

    fn written(net: &PetriNet) -> String {
        let mut text = Vec::new();
        write(net, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn arcs_become_guards_and_assignments() {
        let expected = "gal net {\n  int a = 4;\n  int b = 1;\n  \
                        transition fill [a >= 2 && b >= 1 && b < 3] {\n    a = a - 2;\n    b = b + 1;\n  }\n}\nmain net;\n";
        assert_eq!(written(&net(["a", "b"])), expected);
    }

    #[test]
    fn names_that_the_language_has_not_are_numbered() {
        for places in [["a b", "c"], ["int", "c"], ["1", "2"]] {
            assert!(
                written(&net(places)).contains("int p0 = 4;\n  int p1 = 1;"),
                "{places:?}"
            );
        }
    }
}
