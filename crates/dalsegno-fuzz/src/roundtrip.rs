//! What is read is written, and what was written reads back as the same.

use dalsegno::automata::hoa::{self, Content as Held, Document, WriteOptions};
use dalsegno::automata::names::Names;
use dalsegno::automata::{Automaton, Edge, StateId};
use dalsegno::logic::random::Rng;
use dalsegno::logic::{FormulaId, FormulaStore, Node, parse, parse_lbt};
use dalsegno::models::etf::{self, Etf};
use dalsegno::models::petri::pnml::{self, Net};
use dalsegno::models::petri::properties::{PropertySet, Question};
use dalsegno::models::petri::proposition;
use dalsegno::report::{Witness, run_to_json, witness_from_json};

use crate::campaign::Target;
use crate::format::{Format, Input};
use crate::mutate::mutate;
use crate::read::{Content, Readers};
use crate::seeds::Seeds;
use crate::subject;

/// Writes what readers accept.
#[derive(Debug, Default)]
pub struct Rewritten {
    seeds: Seeds,
    readers: Readers,
}

/// The most propositions for which the letters of guards are compared one by one, and the most operators that are
/// written by others.
const FEW: usize = 8;

/// Larger formulas may have texts that are exponential in their size.
const LARGE: u64 = 20_000;

impl Target for Rewritten {
    fn name(&self) -> &'static str {
        "roundtrip"
    }

    fn draw(&self, rng: &mut Rng) -> Input {
        let format = Format::READERS[rng.index(Format::READERS.len())];
        let bytes = mutate(self.seeds.of(format), rng);
        Input { format, bytes }
    }

    fn feed(&self, input: &Input) -> Result<bool, String> {
        let Some(content) = self.readers.read(input)? else {
            return Ok(false);
        };
        match content {
            Content::Net(net) => net_again(&net)?,
            Content::Properties(set, mut store) => self.properties_again(&set, &mut store)?,
            // Programs have no writer.
            Content::Program(_) => {}
            Content::Tables(tables) => tables_again(&tables)?,
            Content::Formula(f, mut store) => formula_again(f, &mut store)?,
            Content::Proposition(parsed) => {
                let again = proposition::parse(&parsed.text, &self.readers.symbols);
                same("proposition", again.as_ref(), &parsed, &parsed.text)?;
            }
            Content::Automata(documents) => {
                for document in &documents {
                    automaton_again(document)?;
                }
            }
            Content::Witness(witness, number) => self.witness_again(&witness, number)?,
        }
        Ok(true)
    }
}

impl Rewritten {
    fn properties_again(&self, set: &PropertySet, store: &mut FormulaStore) -> Result<(), String> {
        for (&p, predicate) in &set.atoms {
            let text = store.name(p).to_owned();
            let again = proposition::parse(&text, &self.readers.symbols);
            let again = again.map(|parsed| parsed.predicate);
            same("atom of a property", again.as_ref(), predicate, &text)?;
        }
        for property in &set.properties {
            if let Question::Formula(f) = property.question {
                formula_again(f, store)?;
            }
        }
        Ok(())
    }

    fn witness_again(&self, witness: &Witness, number: usize) -> Result<(), String> {
        let Witness::Run(run) = witness else {
            return Ok(());
        };
        let model = subject::problem(&self.readers.sources[number]).model();
        let value = run_to_json(model, run);
        let again = witness_from_json(model, &value);
        same("witness", again.as_ref(), witness, &value.to_string())
    }
}

/// Complains if what was read back is not what was written.
fn same<T: PartialEq, E: std::fmt::Display>(
    what: &str,
    again: Result<&T, &E>,
    first: &T,
    text: &str,
) -> Result<(), String> {
    match again {
        Ok(again) if again == first => Ok(()),
        Ok(_) => Err(format!("{what} reads back as another: {text}")),
        Err(error) => Err(format!(
            "{what} is refused as it was written: {error}: {text}"
        )),
    }
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    match write(&mut text) {
        Ok(()) => Ok(text),
        Err(error) => Err(format!("cannot be written: {error}")),
    }
}

fn net_again(net: &Net) -> Result<(), String> {
    let (what, text) = match net {
        Net::Plain(net) => ("net", written(|out| pnml::write(net, out))?),
        Net::Coloured(net) => (
            "coloured net",
            written(|out| pnml::write_coloured(net, out))?,
        ),
    };
    let again = pnml::parse_net(&text);
    same(what, again.as_ref(), net, &String::from_utf8_lossy(&text))
}

fn tables_again(tables: &Etf) -> Result<(), String> {
    let text = written(|out| etf::write(tables, out))?;
    let again = etf::parse(&text);
    same(
        "table",
        again.as_ref(),
        tables,
        &String::from_utf8_lossy(&text),
    )
}

fn formula_again(f: FormulaId, store: &mut FormulaStore) -> Result<(), String> {
    if store.size(f) > LARGE {
        return Ok(());
    }
    let text = store.display(f).to_string();
    let again = parse(store, &text);
    same("formula", again.as_ref(), &f, &text)?;
    drop(store.display_latex(f).to_string());
    let text = store.display_lbt(f).to_string();
    let again = parse_lbt(store, &text);
    same("formula in prefix syntax", again.as_ref(), &f, &text)?;
    if lacking(f, store) > FEW {
        return Ok(());
    }
    // This syntax lacks operators, which are written by others: it is the second text that reads back.
    let text = store.display_spin(f).to_string();
    match parse(store, &text) {
        Ok(g) if store.size(g) > LARGE => {}
        Ok(g) => {
            let text = store.display_spin(g).to_string();
            let again = parse(store, &text);
            same("formula in Spin's syntax", again.as_ref(), &g, &text)?;
        }
        Err(error) => {
            return Err(format!(
                "formula in Spin's syntax is refused as it was written: {error}: {text}"
            ));
        }
    }
    Ok(())
}

/// The operators that Spin's syntax lacks: each is written with one of its operands twice, so texts are exponential in
/// their number.
fn lacking(f: FormulaId, store: &FormulaStore) -> usize {
    let parts = store.subformulas(f).into_iter();
    let lacks = |g: &FormulaId| {
        let node = store.node(*g);
        matches!(
            node,
            Node::Xor(..) | Node::WeakUntil(..) | Node::StrongRelease(..)
        )
    };
    parts.filter(lacks).count()
}

fn automaton_again(document: &Document) -> Result<(), String> {
    let named = |q: StateId| document.state_names.get(q.index()).cloned().flatten();
    let mut names = Names {
        automaton: document.name.as_deref(),
        states: None,
    };
    names.states = Some(&named);
    let options = WriteOptions {
        names,
        ..WriteOptions::default()
    };
    let text = written(|out| match &document.content {
        Held::Automaton(a) => hoa::write_automaton(a, &options, out),
        Held::Testing(t) => hoa::write_testing(t, &options, out),
    })?;
    let text = String::from_utf8(text).map_err(|error| format!("not UTF-8: {error}"))?;
    let again = match hoa::read_one(&text) {
        Ok(again) => again,
        Err(error) => {
            return Err(format!(
                "automaton is refused as it was written: {error}: {text}"
            ));
        }
    };
    let equal = match (&document.content, &again.content) {
        (Held::Automaton(a), Held::Automaton(b)) => {
            a.propositions() == b.propositions()
                && a.acceptance_sets() == b.acceptance_sets()
                && a.initial() == b.initial()
                && edges(a) == edges(b)
        }
        (Held::Testing(a), Held::Testing(b)) => a == b,
        _ => false,
    };
    if !equal {
        return Err(format!("automaton reads back as another: {text}"));
    }
    if document.name != again.name {
        return Err(format!(
            "name of an automaton reads back as another: {text}"
        ));
    }
    Ok(())
}

/// The edges with their letters; guards of two automata live in different managers.
fn edges(automaton: &Automaton) -> Vec<Vec<String>> {
    let n = automaton.propositions().len();
    let edge = |edge: &Edge| {
        let letters = if n <= FEW {
            automaton.guards().letters(edge.guard, n)
        } else {
            Vec::new()
        };
        format!("{letters:?} {:?} {}", edge.marks, edge.target)
    };
    let of = |q: StateId| automaton.edges(q).iter().map(edge).collect();
    automaton.states().map(of).collect()
}
