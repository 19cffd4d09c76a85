//! `examples`: small models with properties, for a page that has nothing to show yet.

use dalsegno_models::petri::generators::Family;
use dalsegno_models::petri::pnml;
use serde_json::{Value, json};

use super::fault::Fault;

/// A program with two processes that share a critical section, as in the folder of examples.
pub(super) const PETERSON: &str = include_str!("peterson.dve");

/// An example; the text of a net is written when it is asked for.
struct Example {
    name: &'static str,
    title: &'static str,
    given: Given,
    properties: &'static [(&'static str, &'static str)],
}

enum Given {
    Net(Family, u32),
    Text(&'static str),
}

const EXAMPLES: &[Example] = &[
    Example {
        name: "philosophers-5.pnml",
        title: "Five philosophers: who takes a fork may wait for ever",
        given: Given::Net(Family::Philosophers, 5),
        properties: &[
            ("ltl", "G(\"Fork_1 >= 1\" -> F \"Eat_1 >= 1\")"),
            ("ltl", "G !(Eat_1 & Eat_2)"),
            ("ctl", "EF deadlock"),
        ],
    },
    Example {
        name: "token-ring-3.pnml",
        title: "A token ring with three stations",
        given: Given::Net(Family::TokenRing, 3),
        properties: &[("ctl", "AG !deadlock")],
    },
    Example {
        name: "kanban-3.pnml",
        title: "A Kanban system with three cards of each kind",
        given: Given::Net(Family::Kanban, 3),
        properties: &[("ctl", "AG EF \"P1 >= 3\""), ("ctl", "AG !deadlock")],
    },
    Example {
        name: "peterson.dve",
        title: "Peterson's algorithm for two processes",
        given: Given::Text(PETERSON),
        properties: &[
            ("ltl", "G !(P_0.CS & P_1.CS)"),
            ("ltl", "G(P_0.wait -> F P_0.CS)"),
        ],
    },
];

/// All examples with their texts.
pub(super) fn all() -> Result<Value, Fault> {
    let mut examples = Vec::new();
    for example in EXAMPLES {
        let properties = example.properties.iter();
        let properties: Vec<Value> = properties
            .map(|(logic, text)| json!({ "logic": logic, "text": text }))
            .collect();
        examples.push(json!({
            "model": { "name": example.name, "text": example.text()? },
            "title": example.title,
            "properties": properties,
        }));
    }
    Ok(json!({ "examples": examples }))
}

impl Example {
    fn text(&self) -> Result<String, Fault> {
        match self.given {
            Given::Text(text) => Ok(text.to_owned()),
            Given::Net(family, n) => {
                let fault = |error: &dyn std::fmt::Display| Fault::new(error.to_string());
                let net = family.generate(n).map_err(|error| fault(&error))?;
                let mut text = Vec::new();
                pnml::write(&net, &mut text).map_err(|error| fault(&error))?;
                String::from_utf8(text).map_err(|error| fault(&error))
            }
        }
    }
}
