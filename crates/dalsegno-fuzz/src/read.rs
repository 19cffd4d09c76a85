//! Reads inputs with the reader of their format, and judges how a reader refuses.

use dalsegno::automata::hoa::{self, Document};
use dalsegno::certify;
use dalsegno::kripke::{Budget, DeadEnds, Model};
use dalsegno::logic::{FormulaId, FormulaStore, parse, parse_lbt, parse_with};
use dalsegno::models::dve;
use dalsegno::models::etf::{self, Etf};
use dalsegno::models::petri::Symbols;
use dalsegno::models::petri::pnml::{self, Net};
use dalsegno::models::petri::properties::{self, PropertySet};
use dalsegno::models::petri::proposition::{self, Proposition};
use dalsegno::report::{Witness, witness_from_json};
use dalsegno::verify::{self, Failure, Mode, Options};
use dalsegno::{Problem, Source};

use crate::format::{Format, Input};
use crate::subject;

/// What a text says.
#[derive(Debug)]
pub enum Content {
    /// A net.
    Net(Box<Net>),
    /// Properties of the subject, with their formulas.
    Properties(PropertySet, FormulaStore),
    /// A program.
    Program(Box<Model>),
    /// Tables.
    Tables(Box<Etf>),
    /// A formula.
    Formula(FormulaId, FormulaStore),
    /// A proposition over the subject.
    Proposition(Proposition),
    /// Automata.
    Automata(Vec<Document>),
    /// A witness for one of the sources.
    Witness(Witness, usize),
}

/// All readers, with the models over whose names they read.
#[derive(Debug)]
pub struct Readers {
    /// The names of the subject.
    pub symbols: Symbols,
    /// The models of witnesses.
    pub sources: [Source; 2],
    /// The subject as the checker of proofs reads it.
    pub checked: verify::net::Net,
}

impl Readers {
    /// The readers.
    #[must_use]
    pub fn new() -> Self {
        Readers {
            symbols: Symbols::of_net(&subject::net()),
            sources: subject::sources(),
            checked: subject::checked(),
        }
    }

    /// What a text says; nothing if it is refused as it should be.
    ///
    /// # Errors
    /// What is wrong with the refusal.
    pub fn read(&self, input: &Input) -> Result<Option<Content>, String> {
        let bytes = &input.bytes;
        let text = std::str::from_utf8(bytes);
        match input.format {
            Format::Pnml => match pnml::parse_net(bytes) {
                Ok(net) => Ok(Some(Content::Net(Box::new(net)))),
                Err(error) => drawn(bytes, error.line, error.column, &error.to_string()),
            },
            Format::Properties => {
                let mut store = FormulaStore::new();
                match properties::parse(bytes, &self.symbols, &mut store) {
                    Ok(set) => Ok(Some(Content::Properties(set, store))),
                    Err(error) => drawn(bytes, error.line, error.column, &error.to_string()),
                }
            }
            Format::Dve => match dve::load(bytes, "m") {
                Ok(model) => Ok(Some(Content::Program(Box::new(model)))),
                Err(error) => drawn(bytes, error.line, error.column, &error.to_string()),
            },
            Format::Etf => match etf::parse(bytes) {
                Ok(tables) => Ok(Some(Content::Tables(Box::new(tables)))),
                Err(error) => drawn(bytes, error.line, error.column, &error.to_string()),
            },
            Format::Formula => text.map_or(Ok(None), |text| self.formula(text)),
            Format::Lbt => text.map_or(Ok(None), |text| {
                let mut store = FormulaStore::new();
                match parse_lbt(&mut store, text) {
                    Ok(f) => Ok(Some(Content::Formula(f, store))),
                    Err(error) => spanned(text, &error.span(), &error.render(text)),
                }
            }),
            Format::Proposition => text.map_or(Ok(None), |text| {
                match proposition::parse(text, &self.symbols) {
                    Ok(parsed) => Ok(Some(Content::Proposition(parsed))),
                    Err(error) => spanned(text, &error.span, &error.render(text)),
                }
            }),
            Format::Hoa => text.map_or(Ok(None), |text| match hoa::read(text) {
                Ok(documents) => Ok(Some(Content::Automata(documents))),
                Err(error) => spanned(text, &error.span, &error.render(text)),
            }),
            Format::Witness => self.witness(bytes),
            Format::Certificate => self.certificate(bytes),
            Format::Pair => Ok(None),
        }
    }

    /// Reads a formula with and without the names of the subject.
    fn formula(&self, text: &str) -> Result<Option<Content>, String> {
        let mut named = FormulaStore::new();
        if let Err(error) = parse_with(&mut named, text, &self.symbols) {
            spanned(text, &error.span(), &error.render(text))?;
        }
        let mut store = FormulaStore::new();
        match parse(&mut store, text) {
            Ok(f) => Ok(Some(Content::Formula(f, store))),
            Err(error) => spanned(text, &error.span(), &error.render(text)),
        }
    }

    /// Checks a proof about the subject in both ways, with few steps.
    fn certificate(&self, bytes: &[u8]) -> Result<Option<Content>, String> {
        for mode in [Mode::Enumerate, Mode::Walk] {
            let options = Options {
                mode,
                steps: 100_000,
                pairs: 100_000,
                ..Options::default()
            };
            match verify::verify(&self.checked, bytes, options) {
                Err(Failure::Error(what, at)) if what.is_empty() || at > bytes.len() => {
                    return Err(format!("an error at byte {at}: {what:?}"));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// Reads a witness for one of the sources, and replays it as the program does.
    fn witness(&self, bytes: &[u8]) -> Result<Option<Content>, String> {
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(bytes) else {
            return Ok(None);
        };
        let mut found = None;
        for (number, source) in self.sources.iter().enumerate() {
            let problem = subject::problem(source);
            match witness_from_json(problem.model(), &value) {
                Ok(witness) => {
                    replay(problem, &witness, &value);
                    found = Some(Content::Witness(witness, number));
                }
                Err(error) => {
                    if error.to_string().is_empty() {
                        return Err("no message".to_owned());
                    }
                }
            }
        }
        Ok(found)
    }
}

impl Default for Readers {
    fn default() -> Self {
        Self::new()
    }
}

/// What a replay finds is right whatever it is: the witness is damaged.
fn replay(problem: &Problem, witness: &Witness, value: &serde_json::Value) {
    let mut store = FormulaStore::new();
    let text = value["formula"].as_str().unwrap_or("G p");
    let Ok(f) = problem.parse(&mut store, text) else {
        return;
    };
    let Ok(atoms) = problem.atoms(&store, f) else {
        return;
    };
    let named = value["dead_ends"].as_str().unwrap_or("stutter");
    let dead_ends = named.parse().unwrap_or(DeadEnds::Stutter);
    let model = problem.model();
    let _ = match witness {
        Witness::Run(run) => certify::refute(model, run, dead_ends, &store, f, &atoms),
        Witness::Beginning(path) => certify::refute_prefix(model, path, &store, f, &atoms),
    };
}

/// Judges a refusal with a span of bytes.
fn spanned(
    text: &str,
    span: &std::ops::Range<usize>,
    shown: &str,
) -> Result<Option<Content>, String> {
    let fits = span.start <= span.end && span.end <= text.len();
    if !fits || !text.is_char_boundary(span.start) || !text.is_char_boundary(span.end) {
        let length = text.len();
        return Err(format!(
            "a span outside of the text: {span:?} of {length} bytes: {shown}"
        ));
    }
    said(shown, true)
}

/// Judges a refusal with a line and a column that is drawn with a caret.
fn drawn(bytes: &[u8], line: usize, column: usize, shown: &str) -> Result<Option<Content>, String> {
    said(shown, true)?;
    refused(bytes, line, column, shown)
}

/// Judges a refusal with a line and a column.
fn refused(
    bytes: &[u8],
    line: usize,
    column: usize,
    shown: &str,
) -> Result<Option<Content>, String> {
    let found = bytes.split(|&b| b == b'\n').nth(line.wrapping_sub(1));
    // A text in another encoding has at most a character per byte, and a replacement for each invalid one.
    let fits = found.is_some_and(|text| (1..=text.len() + 1).contains(&column));
    if !fits {
        return Err(format!(
            "a place outside of the text: line {line}, column {column}: {shown}"
        ));
    }
    said(shown, false)
}

fn said(shown: &str, caret: bool) -> Result<Option<Content>, String> {
    let message = shown.lines().next().unwrap_or_default();
    if message.trim().is_empty() {
        return Err(format!("no message: {shown:?}"));
    }
    if caret && !shown.ends_with('^') {
        return Err(format!("no caret: {shown:?}"));
    }
    Ok(None)
}

/// Limits within which coloured nets are unfolded here.
#[must_use]
pub fn unfolding() -> (dalsegno::models::petri::coloured::Limits, Budget) {
    let limits = dalsegno::models::petri::coloured::Limits {
        places: 2_000,
        transitions: 2_000,
        arcs: 20_000,
    };
    (limits, Budget::unlimited())
}
