//! The bodies of documents, and what they mean.

use std::ops::Range;

use dalsegno_kripke::{Budget, Letter};

use super::condition::check_set;
use super::error::{Error, ErrorKind};
use super::header::{Header, Placed, refuse_universal};
use super::lexer::{Lexer, Token};
use super::{Content, Document, testing};
use crate::bdd::Bdd;
use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::edge::{Edge, Marks};
use crate::omega::state_id::StateId;
use crate::operations::acceptance::Term;
use crate::operations::fin_removal::{self, remove_fin};

/// The most terms of an acceptance condition that are copies of the automaton.
const MAX_TERMS: usize = 1024;

/// So many steps may the copies take, and 64 for each byte of the text.
const MAX_STEPS: u64 = 1 << 22;

/// Reads all the automata of a text.
///
/// # Errors
/// If the text is not in the format or uses what this crate does not support; see
/// [`ErrorKind`].
pub fn read(text: &str) -> Result<Vec<Document>, Error> {
    let mut lexer = Lexer::new(text)?;
    let mut documents = Vec::new();
    while lexer.token != Token::Eof {
        documents.push(document(&mut lexer)?);
    }
    Ok(documents)
}

/// Reads the automaton of a text that holds one.
///
/// # Errors
/// As [`read`]; also if there is no automaton or more than one.
pub fn read_one(text: &str) -> Result<Document, Error> {
    let mut lexer = Lexer::new(text)?;
    if lexer.token == Token::Eof {
        return Err(lexer.error(lexer.span.clone(), ErrorKind::Empty));
    }
    let found = document(&mut lexer)?;
    if lexer.token == Token::Eof {
        Ok(found)
    } else {
        Err(lexer.error(lexer.span.clone(), ErrorKind::Several))
    }
}

/// An edge as it was written, its marks including those of its state.
pub(super) struct RawEdge {
    pub(super) guard: Bdd,
    pub(super) marks: Marks,
    pub(super) target: StateId,
    pub(super) span: Range<usize>,
}

/// The states of a document.
#[derive(Default)]
pub(super) struct Body {
    pub(super) edges: Vec<Vec<RawEdge>>,
    pub(super) names: Vec<Option<String>>,
    defined: Vec<bool>,
}

impl Body {
    /// Makes room for states up to `state`.
    fn reach(&mut self, state: StateId) {
        let n = state.index() + 1;
        if self.edges.len() < n {
            self.edges.resize_with(n, Vec::new);
            self.names.resize(n, None);
            self.defined.resize(n, false);
        }
    }
}

fn document(lexer: &mut Lexer<'_>) -> Result<Document, Error> {
    let mut header = Header::parse(lexer)?;
    let terms = match header.testing {
        None if !header.is_generalized_buchi() => Some(terms(lexer, &header)?),
        _ => None,
    };
    let mut body = Body::default();
    if let Some((states, span)) = header.states.clone() {
        if states as usize > lexer.text.len() {
            let kind = ErrorKind::TooManyStates(u64::from(states));
            return Err(lexer.error(span, kind));
        }
        if states > 0 {
            body.reach(StateId::new(states as usize - 1));
        }
    }
    for (state, span) in &header.start {
        check_state(lexer, &header, *state, span)?;
        body.reach(*state);
    }
    while lexer.token == Token::Header && lexer.lexeme() == "State:" {
        state(lexer, &mut header, &mut body)?;
    }
    if lexer.token != Token::End {
        return Err(lexer.expected("`State:`, an edge or `--END--`"));
    }
    // A missing state would be a smaller language: better to suspect a damaged text.
    if let Some(state) = body.defined.iter().position(|&defined| !defined) {
        let kind = ErrorKind::UndefinedState(state as u32);
        return Err(lexer.error(lexer.span.clone(), kind));
    }
    lexer.advance()?;
    let name = header.name.take();
    let properties = std::mem::take(&mut header.properties);
    let mut state_names = std::mem::take(&mut body.names);
    let content = match (header.testing.take(), terms) {
        (Some(testing), _) => Content::Testing(testing::build(lexer, header, &testing, &body)?),
        (None, None) => Content::Automaton(build(lexer, &mut header, body)?),
        (None, Some(terms)) => {
            let automaton = build(lexer, &mut header, body)?;
            let (automaton, origin) = without_fin(lexer, &header, &automaton, &terms)?;
            let name = |&q: &StateId| state_names[q.index()].clone();
            state_names = origin.iter().map(name).collect();
            Content::Automaton(automaton)
        }
    };
    Ok(Document {
        name,
        state_names,
        properties,
        content,
    })
}

/// Reads `State:` and the edges below it.
fn state(lexer: &mut Lexer<'_>, header: &mut Header, body: &mut Body) -> Result<(), Error> {
    lexer.advance()?;
    let state_label = label(lexer, header)?;
    let (state, span) = lexer.state("a state")?;
    check_state(lexer, header, state, &span)?;
    body.reach(state);
    if std::mem::replace(&mut body.defined[state.index()], true) {
        return Err(lexer.error(span, ErrorKind::DuplicateState(state.packed())));
    }
    body.names[state.index()] = lexer.optional_string()?;
    let state_marks = marks(lexer, header.sets)?;
    let mut edges: Vec<RawEdge> = Vec::new();
    let mut implicit = None;
    while lexer.at(b'[') || lexer.token == Token::Number {
        let from = lexer.span.clone();
        let edge_label = label(lexer, header)?;
        let unlabelled = edge_label.is_none() && state_label.is_none();
        if edge_label.is_some() && state_label.is_some() || implicit == Some(!unlabelled) {
            return Err(lexer.error(from, ErrorKind::MixedLabels));
        }
        implicit = Some(unlabelled);
        let (target, target_span) = lexer.state("a state")?;
        check_state(lexer, header, target, &target_span)?;
        refuse_universal(lexer)?;
        body.reach(target);
        let guard = edge_label.or(state_label).unwrap_or(Bdd::TRUE);
        let marks = marks(lexer, header.sets)?.union(state_marks);
        edges.push(RawEdge {
            guard,
            marks,
            target,
            span: from,
        });
    }
    if implicit == Some(true) {
        let propositions = header.propositions.len();
        let found = edges.len();
        if 1usize.checked_shl(propositions as u32) != Some(found) {
            let kind = ErrorKind::ImplicitLabels {
                propositions,
                found,
            };
            return Err(lexer.error(span, kind));
        }
        for (letter, edge) in edges.iter_mut().enumerate() {
            let letter = Letter(letter as u64);
            let guard = header.labels.manager.minterm(letter, propositions);
            let too_complex = |_| lexer.error(span.clone(), ErrorKind::TooComplex);
            edge.guard = guard.map_err(too_complex)?;
        }
    }
    body.edges[state.index()] = edges;
    Ok(())
}

/// Reads a label in brackets, if there is one.
fn label(lexer: &mut Lexer<'_>, header: &mut Header) -> Result<Option<Bdd>, Error> {
    if !lexer.take(b'[')? {
        return Ok(None);
    }
    let label = header.labels.parse(lexer, header.propositions.len())?;
    lexer.demand(b']', "`]`, `&` or `|`")?;
    Ok(Some(label))
}

/// Reads acceptance sets in braces, if there are any.
fn marks(lexer: &mut Lexer<'_>, sets: u32) -> Result<Marks, Error> {
    let mut marks = Marks::NONE;
    if lexer.take(b'{')? {
        while lexer.token == Token::Number {
            let (set, span) = lexer.number("an acceptance set")?;
            check_set(lexer, set, span, sets)?;
            marks = marks.union(Marks(1 << set));
        }
        lexer.demand(b'}', "an acceptance set or `}`")?;
    }
    Ok(marks)
}

/// Checks that a state is one of those announced, or of as many as the text could define.
fn check_state(
    lexer: &Lexer<'_>,
    header: &Header,
    index: StateId,
    span: &Range<usize>,
) -> Result<(), Error> {
    let kind = match &header.states {
        Some((count, _)) if index.packed() >= *count => ErrorKind::OutOfRange {
            what: "state",
            index: index.packed(),
            count: *count as usize,
        },
        None if index.index() >= lexer.text.len() => {
            ErrorKind::TooManyStates(index.index() as u64 + 1)
        }
        _ => return Ok(()),
    };
    Err(lexer.error(span.clone(), kind))
}

/// The states of a list, ascending, without repetition.
pub(super) fn initial_states<'a>(
    start: impl IntoIterator<Item = &'a Placed<StateId>>,
) -> Vec<StateId> {
    let mut initial: Vec<StateId> = start.into_iter().map(|&(state, _)| state).collect();
    initial.sort_unstable();
    initial.dedup();
    initial
}

/// The terms of an acceptance condition.
fn terms(lexer: &Lexer<'_>, header: &Header) -> Result<Vec<Term>, Error> {
    let terms = header.condition.terms(MAX_TERMS);
    terms.ok_or_else(|| {
        let why = "its disjunctive normal form has more than 1024 terms, or takes too long to find";
        header.refuse_acceptance(lexer, why)
    })
}

/// The automaton with generalised Büchi acceptance, and the state that each state comes from.
fn without_fin(
    lexer: &Lexer<'_>,
    header: &Header,
    automaton: &Automaton,
    terms: &[Term],
) -> Result<(Automaton, Vec<StateId>), Error> {
    let budget = Budget::unlimited();
    let steps = MAX_STEPS + 64 * lexer.text.len() as u64;
    let effort = Effort::new(&budget, steps);
    remove_fin(automaton, terms, &effort).map_err(|error| {
        let why = match error {
            fin_removal::Error::TooManySets => {
                "more than 64 sets have to be visited infinitely often"
            }
            fin_removal::Error::Stopped(_) => {
                "the automaton with generalised Büchi acceptance would be too large"
            }
        };
        header.refuse_acceptance(lexer, why)
    })
}

fn build(lexer: &Lexer<'_>, header: &mut Header, body: Body) -> Result<Automaton, Error> {
    let labels = &mut header.labels;
    let mut automaton = Automaton::new(std::mem::take(&mut header.propositions), header.sets);
    automaton.initial = initial_states(&header.start);
    for mut raw in body.edges {
        raw.sort_by_key(|e| (e.target, e.marks));
        let mut edges: Vec<Edge> = Vec::new();
        for edge in raw {
            if edge.guard == Bdd::FALSE {
                continue;
            }
            match edges.last_mut() {
                Some(last) if (last.target, last.marks) == (edge.target, edge.marks) => {
                    last.guard = labels.or(lexer, &edge.span, last.guard, edge.guard)?;
                }
                _ => edges.push(Edge {
                    guard: edge.guard,
                    marks: edge.marks,
                    target: edge.target,
                }),
            }
        }
        automaton.edges.push(edges);
    }
    automaton.labels = vec![None; automaton.edges.len()];
    automaton.guards = std::mem::take(&mut labels.manager);
    automaton.state_based = header.sets == 1 && automaton.accepting_states().is_some();
    Ok(automaton)
}
