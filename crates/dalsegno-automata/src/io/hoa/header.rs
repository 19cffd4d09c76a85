//! The headers of a document, in any order.

use std::ops::Range;

use dalsegno_kripke::MAX_PROPOSITIONS;
use rustc_hash::FxHashSet;

use super::condition;
use super::error::{Error, ErrorKind};
use super::label::Labels;
use super::lexer::{Lexer, Token, shortened};
use crate::omega::edge::{MAX_ACCEPTANCE_SETS, Marks};
use crate::omega::state_id::StateId;
use crate::operations::acceptance::Condition;
use crate::testing::automaton::TestingKind;

/// A value and its place.
pub(super) type Placed<T> = (T, Range<usize>);

/// What the headers say.
pub(super) struct Header {
    pub(super) name: Option<String>,
    pub(super) properties: Vec<String>,
    pub(super) states: Option<Placed<u32>>,
    pub(super) start: Vec<Placed<StateId>>,
    pub(super) propositions: Vec<String>,
    pub(super) condition: Condition,
    /// The number of acceptance sets.
    pub(super) sets: u32,
    condition_span: Range<usize>,
    acceptance_name: Option<Placed<String>>,
    pub(super) labels: Labels,
    pub(super) testing: Option<Testing>,
}

/// The headers of the extension for testing automata.
pub(super) struct Testing {
    pub(super) kind: TestingKind,
    pub(super) span: Range<usize>,
    pub(super) propositions: Vec<String>,
    pub(super) alphabet: Option<Placed<String>>,
    pub(super) initial: Vec<(Placed<String>, Placed<StateId>)>,
}

/// The headers as far as they are read.
#[derive(Default)]
struct Draft {
    seen: FxHashSet<String>,
    name: Option<String>,
    properties: Vec<String>,
    states: Option<Placed<u32>>,
    start: Vec<Placed<StateId>>,
    propositions: Vec<String>,
    acceptance: Option<(u32, Placed<Condition>)>,
    acceptance_name: Option<Placed<String>>,
    /// Where the definitions of aliases stand; they are read when the propositions are known.
    aliases: Vec<usize>,
    testing_kind: Option<Placed<TestingKind>>,
    testing_propositions: Vec<String>,
    testing_alphabet: Option<Placed<String>>,
    testing_initial: Vec<(Placed<String>, Placed<StateId>)>,
}

impl Header {
    /// Reads the headers up to `--BODY--`, which is read too.
    pub(super) fn parse(lexer: &mut Lexer<'_>) -> Result<Header, Error> {
        version(lexer)?;
        let mut draft = Draft::default();
        while lexer.token == Token::Header {
            draft.item(lexer)?;
        }
        if lexer.token != Token::Body {
            return Err(lexer.expected("a header or `--BODY--`"));
        }
        let body = lexer.advance()?;
        draft.finish(lexer, body)
    }

    /// Whether acceptance is generalised Büchi with all sets in use.
    pub(super) fn is_generalized_buchi(&self) -> bool {
        self.condition.generalized_buchi() == Some(Marks::all(self.sets).0)
    }

    /// Refuses an automaton for its acceptance.
    pub(super) fn refuse_acceptance(&self, lexer: &Lexer<'_>, why: &'static str) -> Error {
        let (name, span) = self.acceptance_name.clone().unwrap_or_else(|| {
            let span = self.condition_span.clone();
            let text = shortened(&lexer.text[span.clone()]);
            (format!("`{}`", text.trim_end()), span)
        });
        lexer.error(span, ErrorKind::Acceptance(name, why))
    }
}

fn version(lexer: &mut Lexer<'_>) -> Result<(), Error> {
    if lexer.token != Token::Header || lexer.lexeme() != "HOA:" {
        return Err(lexer.expected("`HOA: v1`"));
    }
    lexer.advance()?;
    if lexer.token != Token::Name {
        return Err(lexer.expected("a version, `v1`"));
    }
    let rest = &lexer.text[lexer.span.start..];
    let word = rest.split_ascii_whitespace().next().unwrap_or(rest);
    if lexer.lexeme() != "v1" || word.starts_with("v1.") {
        let span = lexer.span.start..lexer.span.start + word.len();
        return Err(lexer.error(span, ErrorKind::Version(shortened(word))));
    }
    lexer.advance()?;
    Ok(())
}

impl Draft {
    /// Reads one header with its values.
    fn item(&mut self, lexer: &mut Lexer<'_>) -> Result<(), Error> {
        let header = lexer.lexeme().trim_end_matches(':');
        let span = lexer.advance()?;
        let repeatable = matches!(header, "Start" | "Alias" | "properties");
        let known = matches!(
            header,
            "HOA" | "States" | "AP" | "Acceptance" | "acc-name" | "tool" | "name"
        ) || header.starts_with("testing-");
        if !repeatable && !self.seen.insert(header.to_owned()) && known || header == "HOA" {
            let kind = ErrorKind::DuplicateHeader(header.to_owned());
            return Err(lexer.error(span, kind));
        }
        match header {
            "States" => self.states = Some(lexer.number("the number of states")?),
            "Start" => {
                let state = lexer.state("an initial state")?;
                refuse_universal(lexer)?;
                self.start.push(state);
            }
            "AP" => self.propositions = propositions(lexer)?,
            "Acceptance" => {
                let (sets, sets_span) = lexer.number("the number of acceptance sets")?;
                if sets > MAX_ACCEPTANCE_SETS {
                    return Err(lexer.error(sets_span, ErrorKind::TooManySets(sets)));
                }
                let from = lexer.span.start;
                let condition = condition::parse(lexer, sets)?;
                let text = lexer.text[from..lexer.span.start].trim_end();
                let place = from..from + text.len();
                self.acceptance = Some((sets, (condition, place)));
            }
            "acc-name" => {
                if lexer.token != Token::Name {
                    return Err(lexer.expected("the name of an acceptance condition"));
                }
                let name = lexer.lexeme().to_owned();
                self.acceptance_name = Some((name, lexer.advance()?));
                skip_values(lexer)?;
            }
            "Alias" => {
                self.aliases.push(lexer.span.start);
                while matches!(
                    lexer.token,
                    Token::Alias | Token::Name | Token::Number | Token::Sign(_)
                ) {
                    lexer.advance()?;
                }
            }
            "name" => self.name = Some(lexer.string("a string")?.0),
            "properties" => self.properties(lexer)?,
            "testing-kind" => self.testing_kind = Some(testing_kind(lexer)?),
            "testing-propositions" => {
                while lexer.token == Token::Text {
                    self.testing_propositions.push(lexer.string("a string")?.0);
                }
            }
            "testing-alphabet" => {
                self.testing_alphabet = Some(lexer.string("a label in a string")?);
            }
            "testing-initial" => {
                while lexer.token == Token::Text {
                    let label = lexer.string("a label in a string")?;
                    let state = lexer.state("an initial state")?;
                    self.testing_initial.push((label, state));
                }
            }
            _ if header.starts_with(|c: char| c.is_ascii_uppercase()) => {
                let kind = ErrorKind::UnknownHeader(shortened(header));
                return Err(lexer.error(span, kind));
            }
            _ => skip_values(lexer)?,
        }
        Ok(())
    }

    /// Reads names of properties; one behind `!`, as later versions of the format have it, is not held.
    fn properties(&mut self, lexer: &mut Lexer<'_>) -> Result<(), Error> {
        let mut negated = false;
        while matches!(lexer.token, Token::Name | Token::Sign(b'!')) {
            let named = lexer.token == Token::Name;
            if named && !negated {
                self.properties.push(lexer.lexeme().to_owned());
            }
            negated = !named;
            lexer.advance()?;
        }
        skip_values(lexer)
    }

    fn finish(self, lexer: &Lexer<'_>, body: Range<usize>) -> Result<Header, Error> {
        let Some((sets, (condition, condition_span))) = self.acceptance else {
            return Err(lexer.error(body, ErrorKind::MissingHeader("Acceptance")));
        };
        let mut labels = Labels::new(lexer.text.len());
        for position in self.aliases {
            let mut at = Lexer::starting_at(lexer.text, position)?;
            labels.define(&mut at, self.propositions.len())?;
            if !matches!(at.token, Token::Header | Token::Body) {
                return Err(at.expected("a header or `--BODY--`"));
            }
        }
        let testing = self.testing_kind.map(|(kind, span)| Testing {
            kind,
            span,
            propositions: self.testing_propositions,
            alphabet: self.testing_alphabet,
            initial: self.testing_initial,
        });
        Ok(Header {
            name: self.name,
            properties: self.properties,
            states: self.states,
            start: self.start,
            propositions: self.propositions,
            condition,
            sets,
            condition_span,
            acceptance_name: self.acceptance_name,
            labels,
            testing,
        })
    }
}

fn propositions(lexer: &mut Lexer<'_>) -> Result<Vec<String>, Error> {
    let (declared, count_span) = lexer.number("the number of propositions")?;
    if declared as usize > MAX_PROPOSITIONS {
        return Err(lexer.error(count_span, ErrorKind::TooManyPropositions(declared)));
    }
    let mut names = Vec::new();
    while lexer.token == Token::Text {
        let (name, span) = lexer.string("a proposition")?;
        if names.contains(&name) {
            let kind = ErrorKind::DuplicateProposition(shortened(&name));
            return Err(lexer.error(span, kind));
        }
        names.push(name);
        if names.len() > declared as usize {
            break;
        }
    }
    if names.len() == declared as usize {
        Ok(names)
    } else {
        let found = names.len();
        Err(lexer.error(count_span, ErrorKind::PropositionCount { declared, found }))
    }
}

fn testing_kind(lexer: &mut Lexer<'_>) -> Result<Placed<TestingKind>, Error> {
    let kind = match (lexer.token, lexer.lexeme()) {
        (Token::Name, "ta") => TestingKind::Ta,
        (Token::Name, "tgta") => TestingKind::Tgta,
        _ => return Err(lexer.expected("`ta` or `tgta`")),
    };
    Ok((kind, lexer.advance()?))
}

/// Skips what may follow the name of a header.
fn skip_values(lexer: &mut Lexer<'_>) -> Result<(), Error> {
    // `!` occurs in the properties that later versions of the format negate.
    while matches!(
        lexer.token,
        Token::Name | Token::Number | Token::Text | Token::Sign(b'!')
    ) {
        lexer.advance()?;
    }
    Ok(())
}

/// Refuses the conjunction of states that would continue here.
pub(super) fn refuse_universal(lexer: &Lexer<'_>) -> Result<(), Error> {
    if lexer.at(b'&') {
        Err(lexer.error(lexer.span.clone(), ErrorKind::UniversalBranching))
    } else {
        Ok(())
    }
}
