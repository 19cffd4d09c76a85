//! Propositions as users write them, over the names of a net.
//!
//! ```text
//! proposition ::= sum relation sum | name | name ( "=" | "!=" ) value | "fireable" "(" name { "," name } ")"
//!               | "deadlock" [ "(" ")" ] | "true" | "false"
//! sum         ::= [ "-" ] term { ( "+" | "-" ) term }
//! term        ::= number [ "*" name ] | name [ "*" number ]
//! name        ::= word { "[" number "]" | "->" word } | quoted
//! relation    ::= "<=" | "≤" | "<" | ">=" | "≥" | ">" | "=" | "==" | "!=" | "≠"
//! ```
//!
//! A name is a word of letters, digits, `_` and `.` that starts with a letter or `_`, or anything
//! in single quotes, where a backslash takes the next character as it is. A place alone means that
//! it has a token, a transition alone that it is fireable. Values with names, as locations of a
//! process, are compared by `P = CS`, or `P.CS` for short; `P->x` is another way to write `P.x`.
//!
//! An atom of a formula over paths is a proposition, or `"fires" "(" name { "," name } ")"`, which speaks of the step
//! that is taken next.

use std::borrow::Cow;
use std::ops::Range;

use dalsegno_kripke::{GroupId, Predicate, Relation, TooLarge, Values, quoted_name};
use dalsegno_logic::{caret, nearest};

use super::sums::Sum;
use super::symbols::{DEADLOCK, NodeKind, SymbolError, Symbols};
use crate::etf::{Label, LabelValue};

/// A proposition: what it means, and its canonical text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposition {
    /// The states where it holds.
    pub predicate: Predicate,
    /// The text that is the same for the same comparison of the same names.
    pub text: String,
}

/// A fault in the text of a proposition.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{kind}")]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The bytes of the text that are wrong.
    pub span: Range<usize>,
}

/// The kinds of faults.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Another token than the grammar allows.
    #[error("expected {0}")]
    Expected(&'static str),
    /// A quote that is not closed.
    #[error("the quoted name is never closed")]
    OpenQuote,
    /// A number beyond 64 bits, or sums that do not fit.
    #[error("the numbers are too large")]
    TooLarge,
    /// A name that does not mean one thing.
    #[error(transparent)]
    Symbol(#[from] SymbolError),
    /// A proposition about a step, where one about a state is wanted.
    #[error("`fires` speaks of a step, and a state alone does not tell which one is taken")]
    Step,
}

impl Error {
    /// The message with the text it is about and a caret under the place.
    #[must_use]
    pub fn render(&self, text: &str) -> String {
        caret::render(text, self.span.clone(), &self.to_string())
    }
}

/// An atom of a formula over paths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Atom {
    /// A proposition about a state.
    State(Proposition),
    /// `fires(t)`: the step that is taken next is one of these groups.
    Fires {
        /// The groups, ascending.
        groups: Vec<GroupId>,
        /// The canonical text.
        text: String,
    },
}

/// Parses a proposition about states, or about the step that is taken next.
///
/// # Errors
/// As [`parse`].
///
/// # Examples
/// ```
/// use dalsegno_kripke::GroupId;
/// use dalsegno_models::petri::{Symbols, proposition::{self, Atom}};
///
/// let mut symbols = Symbols::new();
/// symbols.add_transition("t", &[GroupId(3)]);
/// let Atom::Fires { groups, .. } = proposition::parse_atom("fires(t)", &symbols)? else {
///     panic!("it speaks of a step");
/// };
/// assert_eq!(groups, [GroupId(3)]);
/// assert!(proposition::parse("fires(t)", &symbols).is_err());
/// # Ok::<(), proposition::Error>(())
/// ```
pub fn parse_atom(text: &str, symbols: &Symbols) -> Result<Atom, Error> {
    let tokens = tokens(text)?;
    let is_call = matches!(
        &tokens[..],
        [(Token::Name(word, false), _), (Token::Sign('('), _), ..] if word == FIRES
    );
    if !is_call {
        return Ok(Atom::State(parse(text, symbols)?));
    }
    let mut parser = Parser {
        tokens: &tokens,
        at: 1,
        end: text.len(),
        symbols,
    };
    let transitions = parser.transitions()?;
    parser.end()?;
    let (groups, text) = named_groups(FIRES, transitions);
    Ok(Atom::Fires { groups, text })
}

/// Parses a proposition about states.
///
/// # Errors
/// An [`Error`] with the place where the text stops being a proposition over these names.
///
/// # Examples
/// ```
/// use dalsegno_kripke::VarId;
/// use dalsegno_models::petri::{Symbols, proposition};
///
/// let mut symbols = Symbols::new();
/// symbols.add_place("P1", &[VarId(0)]);
/// symbols.add_place("P-2", &[VarId(1)]);
/// let parsed = proposition::parse("3 >= P1 + 2*'P-2'", &symbols)?;
/// assert_eq!(parsed.text, "P1 + 2*'P-2' <= 3");
/// let error = proposition::parse("P2 > 0", &symbols).unwrap_err();
/// assert_eq!(
///     error.render("P2 > 0"),
///     "there is no place `P2`; did you mean `P1` or `P-2`?\n  P2 > 0\n  ^^"
/// );
/// # Ok::<(), proposition::Error>(())
/// ```
pub fn parse(text: &str, symbols: &Symbols) -> Result<Proposition, Error> {
    let tokens = tokens(text)?;
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        end: text.len(),
        symbols,
    };
    let proposition = parser.proposition()?;
    parser.end()?;
    Ok(proposition)
}

/// The word for the step that is taken next.
const FIRES: &str = "fires";

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token<'a> {
    /// A name, and whether it was in quotes.
    Name(Cow<'a, str>, bool),
    Number(i64),
    Relation(Relation),
    /// One of `+-*(),`.
    Sign(char),
}

type Located<'a> = (Token<'a>, Range<usize>);

const RELATIONS: [(&str, Relation); 11] = [
    ("<=", Relation::Le),
    ("=<", Relation::Le),
    ("≤", Relation::Le),
    ("<", Relation::Lt),
    (">=", Relation::Ge),
    ("≥", Relation::Ge),
    (">", Relation::Gt),
    ("==", Relation::Eq),
    ("=", Relation::Eq),
    ("!=", Relation::Ne),
    ("≠", Relation::Ne),
];

fn fault(kind: impl Into<ErrorKind>, span: Range<usize>) -> Error {
    Error {
        kind: kind.into(),
        span,
    }
}

fn tokens(text: &str) -> Result<Vec<Located<'_>>, Error> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let run = |fits: fn(char) -> bool| rest.find(|c| !fits(c)).unwrap_or(rest.len());
        let (token, length) = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if c == '\'' {
            quoted(rest).ok_or_else(|| fault(ErrorKind::OpenQuote, at..text.len()))?
        } else if c.is_ascii_digit() {
            let length = run(|c| c.is_ascii_digit());
            let number = rest[..length].parse();
            let number = number.map_err(|_| fault(ErrorKind::TooLarge, at..at + length))?;
            (Token::Number(number), length)
        } else if c.is_alphabetic() || c == '_' {
            word(rest)
        } else if let Some((sign, op)) = RELATIONS.iter().find(|(s, _)| rest.starts_with(s)) {
            (Token::Relation(*op), sign.len())
        } else if "+-*(),".contains(c) {
            (Token::Sign(c), 1)
        } else {
            let expected = "a name, a number, a comparison, `+`, `-` or `*`";
            let span = at..at + c.len_utf8();
            return Err(fault(ErrorKind::Expected(expected), span));
        };
        found.push((token, at..at + length));
        at += length;
    }
    Ok(found)
}

/// The name without quotes at the beginning of a text, and its length.
fn word(text: &str) -> (Token<'_>, usize) {
    let mut end = 0;
    loop {
        let rest = &text[end..];
        let plain = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
        end += plain.unwrap_or(rest.len());
        let rest = &text[end..];
        let digits = rest.strip_prefix('[').map_or(0, |r| {
            r.find(|c: char| !c.is_ascii_digit()).unwrap_or(r.len())
        });
        let arrow = rest.strip_prefix("->");
        if digits > 0 && rest[digits + 1..].starts_with(']') {
            end += digits + 2;
        } else if arrow.is_some_and(|r| r.starts_with(|c: char| c.is_alphabetic() || c == '_')) {
            end += 2;
        } else {
            let name = &text[..end];
            let name = if name.contains("->") {
                Cow::Owned(name.replace("->", "."))
            } else {
                Cow::Borrowed(name)
            };
            return (Token::Name(name, false), end);
        }
    }
}

/// The name in single quotes at the beginning of a text, and its length with the quotes.
fn quoted(text: &str) -> Option<(Token<'static>, usize)> {
    let mut name = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((i, c)) = characters.next() {
        match c {
            '\'' => return Some((Token::Name(Cow::Owned(name), true), i + 1)),
            '\\' => name.push(characters.next()?.1),
            c => name.push(c),
        }
    }
    None
}

struct Parser<'a> {
    tokens: &'a [Located<'a>],
    at: usize,
    end: usize,
    symbols: &'a Symbols,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token<'a>> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn span(&self, index: usize) -> Range<usize> {
        let end = self.end..self.end;
        self.tokens.get(index).map_or(end, |(_, span)| span.clone())
    }

    fn expected<T>(&self, what: &'static str) -> Result<T, Error> {
        Err(fault(ErrorKind::Expected(what), self.span(self.at)))
    }

    /// What a term is, and what a factor of a term is.
    fn words(&self) -> (&'static str, &'static str) {
        match self.symbols.noun() {
            NodeKind::Variable => ("a variable or a number", "the name of a variable"),
            _ => ("a place or a number", "the name of a place"),
        }
    }

    fn eat(&mut self, sign: char) -> bool {
        let found = self.peek() == Some(&Token::Sign(sign));
        self.at += usize::from(found);
        found
    }

    fn proposition(&mut self) -> Result<Proposition, Error> {
        if let Some(Token::Name(word, false)) = self.peek() {
            if word == DEADLOCK {
                return self.deadlock();
            }
            let predicate = match &**word {
                "true" => Some(Predicate::True),
                "false" => Some(Predicate::False),
                _ => None,
            };
            if let Some(predicate) = predicate {
                if self.symbols.is_node(word) {
                    let error = SymbolError::Constant(word.clone().into_owned());
                    return Err(fault(error, self.span(0)));
                }
                self.at += 1;
                let text = word.clone().into_owned();
                return Ok(Proposition { predicate, text });
            }
            if word == "fireable" {
                self.at += 1;
                return Ok(fireable(self.transitions()?));
            }
            let call = self.tokens.get(1).map(|(token, _)| token);
            if word == FIRES && call == Some(&Token::Sign('(')) {
                return Err(fault(ErrorKind::Step, self.span(0)));
            }
        }
        if let (Some(Token::Name(name, _)), 1) = (self.peek(), self.tokens.len()) {
            self.at += 1;
            return self.lone_name(name);
        }
        if let Some(proposition) = self.value()? {
            return Ok(proposition);
        }
        let left = self.sum()?;
        let Some(&Token::Relation(op)) = self.peek() else {
            return self.expected("a comparison such as `<=`");
        };
        self.at += 1;
        let right = self.sum()?;
        let too_large = |_: TooLarge| fault(ErrorKind::TooLarge, 0..self.end);
        let (predicate, text) = left.compare(op, right).map_err(too_large)?;
        Ok(Proposition { predicate, text })
    }

    /// The word, which must be no name of the model, or the word with parentheses.
    fn deadlock(&mut self) -> Result<Proposition, Error> {
        if self.symbols.is_node(DEADLOCK) && self.tokens.len() == 1 {
            let error = SymbolError::Keyword(DEADLOCK.to_owned());
            return Err(fault(error, self.span(0)));
        }
        self.at += 1;
        if self.eat('(') && !self.eat(')') {
            return self.expected("`)`");
        }
        Ok(Proposition {
            predicate: Predicate::DeadEnd,
            text: if self.symbols.is_node(DEADLOCK) {
                format!("{DEADLOCK}()")
            } else {
                DEADLOCK.to_owned()
            },
        })
    }

    /// `name = value` and `name != value` where values have names, or the name is a label's.
    fn value(&mut self) -> Result<Option<Proposition>, Error> {
        let [(left, _), (Token::Relation(op), _), (right, _)] = self.tokens else {
            return Ok(None);
        };
        if !matches!(op, Relation::Eq | Relation::Ne) {
            return Ok(None);
        }
        for (i, name, value) in [(2, left, right), (0, right, left)] {
            let Token::Name(name, _) = name else {
                continue;
            };
            let proposition = match value {
                Token::Name(value, _) => named(self.symbols, name, *op, value),
                Token::Number(number) => numbered(self.symbols, name, *op, *number),
                _ => Ok(None),
            };
            if let Some(found) = proposition.map_err(|error| fault(error, self.span(i)))? {
                self.at = 3;
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn lone_name(&self, name: &'a str) -> Result<Proposition, Error> {
        let symbol = |error: SymbolError| fault(error, self.span(0));
        if let Some(label) = self.symbols.label(name) {
            let value = ["true", "1"].iter().find_map(|value| {
                let found = labelled(label, Relation::Eq, value);
                found.ok().flatten()
            });
            let example = || label.values.first().map_or("", |v| v.name.as_str());
            return value.ok_or_else(|| {
                symbol(SymbolError::NoValue(name.to_owned(), example().to_owned()))
            });
        }
        let kind = self.symbols.kind(name);
        if let (Err(_), Some((variable, value))) = (&kind, self.symbols.dotted(name)) {
            let found = named(self.symbols, variable, Relation::Eq, value).map_err(symbol)?;
            return Ok(found.expect("dotted names are those of values"));
        }
        match kind.map_err(symbol)? {
            NodeKind::Place | NodeKind::Variable => {
                let variables = self.symbols.place(name).map_err(symbol)?;
                let values = self.symbols.values(variables);
                if let Some(first) = values.and_then(|v| v.names().first()) {
                    let error = SymbolError::NoValue(name.to_owned(), first.clone());
                    return Err(symbol(error));
                }
                let zero = values.map_or(0, Values::zero);
                let mut sum = Sum::default();
                sum.add_shifted(1, name, variables, zero);
                let marked = if zero == 0 {
                    sum.compare(Relation::Ge, Sum::constant(1))
                } else {
                    sum.compare(Relation::Ne, Sum::constant(0))
                };
                let (predicate, text) =
                    marked.map_err(|_| fault(ErrorKind::TooLarge, self.span(0)))?;
                Ok(Proposition { predicate, text })
            }
            NodeKind::Transition => {
                let groups = self.symbols.transition(name).map_err(symbol)?;
                Ok(fireable(vec![(groups, name)]))
            }
        }
    }

    /// That nothing follows.
    fn end(&self) -> Result<(), Error> {
        match self.tokens.get(self.at) {
            None => Ok(()),
            Some((_, span)) => Err(fault(ErrorKind::Expected("nothing more"), span.clone())),
        }
    }

    /// Transitions in parentheses, each with its name.
    fn transitions(&mut self) -> Result<Vec<(&'a [GroupId], &'a str)>, Error> {
        if !self.eat('(') {
            return self.expected("`(` and names of transitions");
        }
        let mut transitions = Vec::new();
        loop {
            let Some(Token::Name(name, _)) = self.peek() else {
                return self.expected("the name of a transition");
            };
            let groups = self.symbols.transition(name);
            let groups = groups.map_err(|error| fault(error, self.span(self.at)))?;
            transitions.push((groups, &**name));
            self.at += 1;
            if self.eat(')') {
                return Ok(transitions);
            }
            if !self.eat(',') {
                return self.expected("`,` or `)`");
            }
        }
    }

    fn sum(&mut self) -> Result<Sum<'a>, Error> {
        let mut sum = Sum::default();
        let mut sign = if self.eat('-') { -1 } else { 1 };
        loop {
            self.term(sign, &mut sum)?;
            sign = match self.peek() {
                Some(Token::Sign('+')) => 1,
                Some(Token::Sign('-')) => -1,
                _ => return Ok(sum),
            };
            self.at += 1;
        }
    }

    fn term(&mut self, sign: i64, sum: &mut Sum<'a>) -> Result<(), Error> {
        let start = self.at;
        let (name_at, number) = match self.peek() {
            Some(&Token::Number(number)) => {
                self.at += 1;
                if !self.eat('*') {
                    let added = sum.add_constant(sign * number);
                    return added.map_err(|_| fault(ErrorKind::TooLarge, self.span(start)));
                }
                (self.at, number)
            }
            Some(Token::Name(..)) => {
                let star = self.tokens.get(self.at + 1).map(|(token, _)| token);
                match (star, self.tokens.get(self.at + 2).map(|(token, _)| token)) {
                    (Some(Token::Sign('*')), Some(&Token::Number(number))) => {
                        self.at += 2;
                        (start, number)
                    }
                    (Some(Token::Sign('*')), _) => {
                        self.at += 2;
                        return self.expected("a number");
                    }
                    _ => (start, 1),
                }
            }
            _ => return self.expected(self.words().0),
        };
        let Some((Token::Name(name, _), span)) = self.tokens.get(name_at) else {
            return self.expected(self.words().1);
        };
        let variables = self.symbols.place(name);
        let variables = variables.map_err(|error| fault(error, span.clone()))?;
        let zero = self.symbols.values(variables).map_or(0, Values::zero);
        sum.add_shifted(sign * number, name, variables, zero);
        self.at += 1;
        Ok(())
    }
}

/// `name = value`, if the name is that of a variable whose values have names, or of a label.
///
/// A word that is no value of the variable, but a variable itself, is none of our business.
fn named(
    symbols: &Symbols,
    name: &str,
    op: Relation,
    value: &str,
) -> Result<Option<Proposition>, SymbolError> {
    if let Some(label) = symbols.label(name) {
        return labelled(label, op, value);
    }
    let Ok(variables) = symbols.place(name) else {
        return Ok(None);
    };
    let (Some(values), &[variable]) = (symbols.values(variables), variables) else {
        return Ok(None);
    };
    if let Some(number) = values.named(value) {
        return Ok(Some(Proposition {
            predicate: Predicate::single(variable, op, i64::from(number)),
            text: format!("{} {op} {}", quoted_name(name), quoted_name(value)),
        }));
    }
    if values.names().is_empty() || symbols.place(value).is_ok() {
        return Ok(None);
    }
    let near = nearest::nearest(value, values.names().iter().map(String::as_str));
    Err(SymbolError::UnknownValue {
        variable: name.to_owned(),
        name: value.to_owned(),
        nearest: near.into_iter().map(str::to_owned).collect(),
    })
}

/// `label = number`, or `P.location = number`, which is 1 where the process is and 0 elsewhere.
fn numbered(
    symbols: &Symbols,
    name: &str,
    op: Relation,
    number: i64,
) -> Result<Option<Proposition>, SymbolError> {
    if let Some(label) = symbols.label(name) {
        return labelled(label, op, &number.to_string());
    }
    let (Err(_), Some((variable, value)), 0 | 1) =
        (symbols.place(name), symbols.dotted(name), number)
    else {
        return Ok(None);
    };
    let op = if number == 1 { op } else { op.negated() };
    named(symbols, variable, op, value)
}

/// `label = value`, by the name of the value or its number.
fn labelled(label: &Label, op: Relation, value: &str) -> Result<Option<Proposition>, SymbolError> {
    let is = |v: &&LabelValue| v.name == value || v.number.to_string() == value;
    let Some(found) = label.values.iter().find(is) else {
        let near = nearest::nearest(value, label.values.iter().map(|v| v.name.as_str()));
        return Err(SymbolError::UnknownValue {
            variable: label.name.clone(),
            name: value.to_owned(),
            nearest: near.into_iter().map(str::to_owned).collect(),
        });
    };
    let states = found.states.clone();
    let predicate = match op {
        Relation::Eq => states,
        _ => states.negate(),
    };
    let text = match found.name.parse::<u32>() {
        Ok(number) => format!("{} {op} {number}", quoted_name(&label.name)),
        Err(_) => format!(
            "{} {op} {}",
            quoted_name(&label.name),
            quoted_name(&found.name)
        ),
    };
    Ok(Some(Proposition { predicate, text }))
}

/// The proposition that some of the named transitions is fireable.
pub(super) fn fireable(transitions: Vec<(&[GroupId], &str)>) -> Proposition {
    let (groups, text) = named_groups("fireable", transitions);
    Proposition {
        predicate: Predicate::Enabled(groups),
        text,
    }
}

/// The groups of transitions, and a word applied to their names.
fn named_groups(word: &str, mut transitions: Vec<(&[GroupId], &str)>) -> (Vec<GroupId>, String) {
    transitions.sort_unstable();
    transitions.dedup();
    let groups = transitions.iter().flat_map(|(g, _)| g.iter().copied());
    let mut groups: Vec<GroupId> = groups.collect();
    groups.sort_unstable();
    groups.dedup();
    let names = transitions.iter().map(|(_, name)| quoted_name(name));
    let names: Vec<String> = names.map(|name| name.to_string()).collect();
    (groups, format!("{word}({})", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use dalsegno_kripke::VarId;

    use super::*;

    fn symbols() -> Symbols {
        let mut symbols = Symbols::new();
        for (i, name) in (0..).zip(["P1", "P2", "P3", "both", "odd name", "it's", "deadlock"]) {
            symbols.add_place(name, &[VarId(i)]);
        }
        symbols.add_place("colours", &[VarId(0), VarId(2)]);
        for (i, name) in (0..).zip(["t1", "t-2", "both"]) {
            symbols.add_transition(name, &[GroupId(i)]);
        }
        symbols
    }

    #[test]
    fn steps_are_atoms_and_no_propositions() {
        let symbols = symbols();
        let Ok(Atom::Fires { groups, text }) = parse_atom("fires('t-2', t1,t1)", &symbols) else {
            panic!("it is an atom");
        };
        assert_eq!(groups, [GroupId(0), GroupId(1)]);
        assert_eq!(text, "fires(t1, 't-2')");
        assert!(parse_atom(&text, &symbols).is_ok());
        let error = parse("fires(t1)", &symbols).unwrap_err();
        assert_eq!((error.kind, error.span), (ErrorKind::Step, 0..5));
        for (text, place) in [("fires(t3)", 6), ("fires()", 6), ("fires(t1) x", 10)] {
            assert_eq!(parse_atom(text, &symbols).unwrap_err().span.start, place);
        }
        assert!(matches!(
            parse_atom("fireable(t1)", &symbols),
            Ok(Atom::State(_))
        ));
        let mut named = symbols;
        named.add_place("fires", &[VarId(9)]);
        assert!(matches!(parse_atom("fires", &named), Ok(Atom::State(_))));
    }

    #[test]
    fn one_comparison_has_one_text() {
        for (text, canonical) in [
            ("P1 + 2*P2 <= P3", "P1 + 2*P2 <= P3"),
            ("P2*2+P1=<P3", "P1 + 2*P2 <= P3"),
            ("3 >= P1", "P1 <= 3"),
            ("P1 - P2 != 0", "P1 != P2"),
            ("P1 - 2 > P2 - 5 + P1", "P2 < 3"),
            ("-P1 == -4", "P1 = 4"),
            ("P2 >= P1", "P1 <= P2"),
            ("P1 ≥ 1", "P1 >= 1"),
            ("P1", "P1 >= 1"),
            ("'odd name'", "'odd name' >= 1"),
            ("'it\\'s' < 1", "'it\\'s' < 1"),
            ("'deadlock' < 1", "'deadlock' < 1"),
            ("colours < 3", "colours < 3"),
            ("t1", "fireable(t1)"),
            ("fireable('t-2', t1,t1)", "fireable(t1, 't-2')"),
            (" deadlock() ", "deadlock()"),
            ("1 < 2", "0 < 1"),
        ] {
            let parsed = parse(text, &symbols()).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(parsed.text, canonical, "for {text}");
            let again = parse(&parsed.text, &symbols()).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(again, parsed, "for {text}");
        }
        let alone = parse(" deadlock ", &Symbols::new()).unwrap();
        assert_eq!(
            (alone.predicate, alone.text.as_str()),
            (Predicate::DeadEnd, "deadlock")
        );
        let both = parse("deadlock", &symbols()).unwrap_err();
        assert_eq!(
            both.kind,
            SymbolError::Keyword("deadlock".to_owned()).into()
        );
        let Predicate::Compare(sum) = parse("colours < 3", &symbols()).unwrap().predicate else {
            panic!("not a comparison");
        };
        assert_eq!(sum.terms(), [(1, VarId(0)), (1, VarId(2))]);
    }

    #[test]
    fn faults_have_a_caret() {
        let show = |text: &str| parse(text, &symbols()).unwrap_err().render(text);
        assert_eq!(
            show("P1 + Q2 < 3"),
            "there is no place `Q2`; did you mean `P2`?\n  P1 + Q2 < 3\n       ^^"
        );
        assert_eq!(
            show("fireable(t1, t)"),
            "there is no transition `t`; did you mean `t1`?\n  fireable(t1, t)\n               ^"
        );
        assert_eq!(
            show("both"),
            "several nodes are named `both`: use an identifier\n  both\n  ^^^^"
        );
        for (text, message) in [
            ("", "expected a place or a number"),
            ("P1 +", "expected a place or a number"),
            ("P1 P2", "expected a comparison such as `<=`"),
            ("P1 < 2 3", "expected nothing more"),
            ("2*3 < P1", "expected the name of a place"),
            ("P1*P2 < 1", "expected a number"),
            ("fireable t1", "expected `(` and names of transitions"),
            ("fireable(", "expected the name of a transition"),
            ("fireable(t1 t1)", "expected `,` or `)`"),
            ("'P1", "the quoted name is never closed"),
            ("'P1\\", "the quoted name is never closed"),
            ("P1 < 99999999999999999999", "the numbers are too large"),
            ("4000000000*P1 < 9", "the numbers are too large"),
            (
                "P1 ? P2",
                "expected a name, a number, a comparison, `+`, `-` or `*`",
            ),
            ("deadlock deadlock", "expected nothing more"),
        ] {
            assert_eq!(
                parse(text, &symbols()).unwrap_err().to_string(),
                message,
                "for {text}"
            );
        }
    }

    const PROGRAM: &str = "byte x; int y = -3, a[2]; process P_0 { byte k; state NCS, CS; init NCS;
        trans NCS -> CS {}; } process Q { state NCS; init NCS; trans; } system async;";

    #[test]
    fn variables_of_a_program_are_compared_with_what_their_values_stand_for() {
        let model = crate::dve::load(PROGRAM.as_bytes(), "m").unwrap();
        let symbols = Symbols::of_model(&model);
        let initial = &model.initial()[0];
        for (text, canonical, holds) in [
            ("P_0=CS", "P_0 = CS", false),
            ("CS != P_0", "P_0 != CS", true),
            ("P_0.NCS", "P_0 = NCS", true),
            ("P_0.CS == 1", "P_0 = CS", false),
            ("P_0.CS != 1", "P_0 != CS", true),
            ("0 = P_0.CS", "P_0 != CS", true),
            ("P_0 = Q", "P_0 = Q", true),
            ("P_0.k = 0", "P_0.k = 0", true),
            ("P_0->k = 0", "P_0.k = 0", true),
            ("x", "x >= 1", false),
            ("y", "y != 0", true),
            ("y = -3", "y = -3", true),
            ("y + 1 < -1", "y < -2", true),
            ("x + 'a[1]' >= 2*y + 6", "x + 'a[1]' >= 2*y + 6", true),
            ("a[0] = a[1]", "'a[0]' = 'a[1]'", true),
            ("'a[0]' > 0", "'a[0]' > 0", false),
            (
                "fireable('P_0: NCS -> CS')",
                "fireable('P_0: NCS -> CS')",
                true,
            ),
        ] {
            let parsed = parse(text, &symbols).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(parsed.text, canonical, "for {text}");
            assert_eq!(parsed.predicate.eval(&model, initial), holds, "for {text}");
            let again = parse(&parsed.text, &symbols).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(again, parsed, "for {text}");
            let shown = parsed.predicate.display(&model).to_string();
            let again = parse(&shown, &symbols).unwrap_or_else(|e| panic!("{shown}: {e}"));
            assert_eq!(again.predicate, parsed.predicate, "for {shown}");
        }
        let show = |text: &str| parse(text, &symbols).unwrap_err().render(text);
        assert_eq!(
            show("P_0=CSS"),
            "`P_0` has no value `CSS`; did you mean `CS`?\n  P_0=CSS\n      ^^^"
        );
        assert_eq!(
            show("P_1=CS"),
            "there is no variable `P_1`; did you mean `P_0`?\n  P_1=CS\n  ^^^"
        );
        assert_eq!(
            show("P_0"),
            "`P_0` has values with names: compare it with one of them, as in `P_0 = NCS`\n  P_0\n  ^^^"
        );
        assert!(show("P_0.C").starts_with(
            "there is no variable and no transition `P_0.C`; did you mean `P_0.k`, `P_0.CS`"
        ));
        assert!(show("a[7] = 0").starts_with("there is no variable `a[7]`; did you mean `a[0]`"));
        assert!(show("x < ").starts_with("expected a variable or a number"));
    }

    #[test]
    fn labels_of_states_are_compared_with_their_values() {
        let text = "begin state\nx:nat\nend state\nbegin init\n1\nend init\n\
            begin map safe:bool\n0 0\n1 1\nend map\nbegin sort bool\n\"false\"\n\"true\"\nend sort\n";
        let etf = crate::etf::parse(text.as_bytes()).unwrap();
        let model = etf.to_model("m").unwrap();
        let mut symbols = Symbols::of_model(&model);
        for label in etf.labels() {
            symbols.add_label(label);
        }
        for (text, canonical, at) in [
            ("safe", "safe = 'true'", [false, true]),
            ("safe = 'false'", "safe = 'false'", [true, false]),
            ("safe != 1", "safe != 'true'", [true, false]),
        ] {
            let parsed = parse(text, &symbols).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(parsed.text, canonical, "for {text}");
            let holds = [[0], [1]].map(|state| parsed.predicate.eval(&model, &state));
            assert_eq!(holds, at, "for {text}");
        }
        let error = parse("safe = maybe", &symbols).unwrap_err();
        assert_eq!(error.to_string(), "`safe` has no value `maybe`");
    }
}
