//! Propositions as users write them, over the names of a net.
//!
//! ```text
//! proposition ::= sum relation sum | name | "fireable" "(" name { "," name } ")"
//!               | "deadlock" | "true" | "false"
//! sum         ::= [ "-" ] term { ( "+" | "-" ) term }
//! term        ::= number [ "*" name ] | name [ "*" number ]
//! relation    ::= "<=" | "≤" | "<" | ">=" | "≥" | ">" | "=" | "==" | "!=" | "≠"
//! ```
//!
//! A name is a word of letters, digits, `_` and `.` that starts with a letter or `_`, or anything
//! in single quotes, where a backslash takes the next character as it is. A place alone means that
//! it has a token, a transition alone that it is fireable.

use std::borrow::Cow;
use std::ops::Range;

use dalsegno_kripke::{Predicate, Relation, TooLarge, quoted_name};
use dalsegno_logic::caret;

use super::sums::Sum;
use super::symbols::{NodeKind, SymbolError, Symbols};

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
}

impl Error {
    /// The message with the text it is about and a caret under the place.
    #[must_use]
    pub fn render(&self, text: &str) -> String {
        caret::render(text, self.span.clone(), &self.to_string())
    }
}

/// Parses a proposition.
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
    match parser.tokens.get(parser.at) {
        None => Ok(proposition),
        Some((_, span)) => Err(fault(ErrorKind::Expected("nothing more"), span.clone())),
    }
}

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
            let length = run(|c| c.is_alphanumeric() || c == '_' || c == '.');
            (Token::Name(Cow::Borrowed(&rest[..length]), false), length)
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

    fn eat(&mut self, sign: char) -> bool {
        let found = self.peek() == Some(&Token::Sign(sign));
        self.at += usize::from(found);
        found
    }

    fn proposition(&mut self) -> Result<Proposition, Error> {
        if let Some(Token::Name(word, false)) = self.peek() {
            let predicate = match &**word {
                "deadlock" => Some(Predicate::DeadEnd),
                "true" => Some(Predicate::True),
                "false" => Some(Predicate::False),
                _ => None,
            };
            if let Some(predicate) = predicate {
                self.at += 1;
                let text = word.clone().into_owned();
                return Ok(Proposition { predicate, text });
            }
            if word == "fireable" {
                self.at += 1;
                return self.fireable();
            }
        }
        if let (Some(Token::Name(name, _)), 1) = (self.peek(), self.tokens.len()) {
            self.at += 1;
            return self.lone_name(name);
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

    fn lone_name(&self, name: &'a str) -> Result<Proposition, Error> {
        let symbol = |error: SymbolError| fault(error, self.span(0));
        match self.symbols.kind(name).map_err(symbol)? {
            NodeKind::Place => {
                let mut sum = Sum::default();
                sum.add_place(1, name, self.symbols.place(name).map_err(symbol)?);
                let marked = sum.compare(Relation::Ge, Sum::constant(1));
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

    fn fireable(&mut self) -> Result<Proposition, Error> {
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
                return Ok(fireable(transitions));
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
            _ => return self.expected("a place or a number"),
        };
        let Some((Token::Name(name, _), span)) = self.tokens.get(name_at) else {
            return self.expected("the name of a place");
        };
        let variables = self.symbols.place(name);
        let variables = variables.map_err(|error| fault(error, span.clone()))?;
        sum.add_place(sign * number, name, variables);
        self.at += 1;
        Ok(())
    }
}

/// The proposition that some of the named transitions is fireable.
pub(super) fn fireable(mut transitions: Vec<(&[dalsegno_kripke::GroupId], &str)>) -> Proposition {
    transitions.sort_unstable();
    transitions.dedup();
    let mut groups: Vec<_> = transitions
        .iter()
        .flat_map(|(g, _)| g.iter().copied())
        .collect();
    groups.sort_unstable();
    groups.dedup();
    let names: Vec<String> = transitions
        .iter()
        .map(|(_, name)| quoted_name(name).to_string())
        .collect();
    Proposition {
        predicate: Predicate::Enabled(groups),
        text: format!("fireable({})", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use dalsegno_kripke::{GroupId, VarId};

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
            (" deadlock ", "deadlock"),
            ("1 < 2", "0 < 1"),
        ] {
            let parsed = parse(text, &symbols()).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(parsed.text, canonical, "for {text}");
            let again = parse(&parsed.text, &symbols()).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(again, parsed, "for {text}");
        }
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
}
