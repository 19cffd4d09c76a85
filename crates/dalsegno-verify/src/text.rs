//! Formulas as text: `<-> -> xor | & U R W M X F G ! E A`, constants, names of the net, and atoms in double quotes:
//! comparisons of sums of places, `fireable(t, …)` and `deadlock()`.
//!
//! A word of the letters `F G X E A` alone is a row of operators, any other word a name. A word that could be both is
//! an error.

use crate::failure::{Result, error};
use crate::formula::{Atom, Formulas, Id, Node};
use crate::net::{self, Net};

/// How deep operators and parentheses may be nested.
const MOST_DEPTH: usize = 300;

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    /// A word, or a number.
    Word(String),
    /// A name in single quotes.
    Name(String),
    /// An atom in double quotes.
    Atom(String),
    Sign(&'static str),
}

/// Signs, those that begin another one later.
const SIGNS: [&str; 28] = [
    "<->", "<=>", "->", "=>", "<=", "=<", ">=", "==", "!=", "<>", "||", "&&", "\\/", "/\\", "[]",
    "<", ">", "=", "!", "~", "|", "&", "^", "+", "-", "*", "(", ")",
];

/// Binary operators by how loosely they bind; those of one row bind equally.
const BINARY: [&[&str]; 5] = [
    &["<->", "<=>", "->", "=>"],
    &["xor", "^"],
    &["||", "\\/", "|"],
    &["&&", "/\\", "&"],
    &["U", "R", "V", "W", "M"],
];

/// Reads a formula.
///
/// # Errors
/// If the text is none over the names of the net.
pub fn parse(text: &str, net: &Net, formulas: &mut Formulas) -> Result<Id> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        next: 0,
        depth: 0,
        net,
        formulas,
    };
    let f = parser.binary(0)?;
    match parser.tokens.get(parser.next) {
        Some(_) => parser.expected("an operator or the end"),
        None => Ok(f),
    }
}

/// The tokens of a text, with the bytes where they begin.
fn tokens(text: &str) -> Result<Vec<(Token, usize)>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let at = text.len() - rest.len();
        let (token, length) = if is_word(c) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            (Token::Word(rest[..length].to_owned()), length)
        } else if c == '"' || c == '\'' {
            let mut inner = String::new();
            let mut characters = rest.char_indices().skip(1);
            let length = loop {
                match characters.next() {
                    Some((i, end)) if end == c => break i + 1,
                    Some((_, '\\')) => inner.extend(characters.next().map(|(_, c)| c)),
                    Some((_, c)) => inner.push(c),
                    None => return error(at, "formula: a quotation does not end"),
                }
            };
            let token = if c == '"' {
                Token::Atom(inner)
            } else {
                Token::Name(inner)
            };
            (token, length)
        } else if c == ',' {
            (Token::Sign(","), 1)
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Token::Sign(sign), sign.len())
        } else {
            return error(at, format!("formula: {c:?} is not expected"));
        };
        found.push((token, at));
        rest = rest[length..].trim_start();
    }
    Ok(found)
}

struct Parser<'a> {
    tokens: Vec<(Token, usize)>,
    next: usize,
    depth: usize,
    net: &'a Net,
    formulas: &'a mut Formulas,
}

impl Parser<'_> {
    fn expected<T>(&self, what: &str) -> Result<T> {
        let at = self.tokens.get(self.next).or(self.tokens.last());
        error(
            at.map_or(0, |token| token.1),
            format!("formula: expected {what}"),
        )
    }

    /// Takes a sign or a word, if it comes next.
    fn eat(&mut self, wanted: &str) -> bool {
        let found = match self.tokens.get(self.next) {
            Some((Token::Word(word), _)) => word == wanted,
            Some((Token::Sign(sign), _)) => *sign == wanted,
            _ => false,
        };
        self.next += usize::from(found);
        found
    }

    /// Takes the first of some signs or words, if one comes next.
    fn eat_one(&mut self, wanted: &[&'static str]) -> Option<&'static str> {
        wanted.iter().copied().find(|sign| self.eat(sign))
    }

    fn binary(&mut self, row: usize) -> Result<Id> {
        let Some(operators) = BINARY.get(row) else {
            return self.operand();
        };
        let mut left = self.binary(row + 1)?;
        while let Some(operator) = self.eat_one(operators) {
            // Implications and untils group to the right.
            let right =
                self.deeper(|parser| parser.binary(row + usize::from(!row.is_multiple_of(4))))?;
            let formulas = &mut *self.formulas;
            left = match operator {
                "->" | "=>" => formulas.implies(left, right),
                "<->" | "<=>" => formulas.iff(left, right),
                "xor" | "^" => {
                    let same = formulas.iff(left, right);
                    formulas.not(same)
                }
                "|" | "||" | "\\/" => formulas.add(Node::Or(left, right)),
                "&" | "&&" | "/\\" => formulas.add(Node::And(left, right)),
                "U" => formulas.add(Node::Until(left, right)),
                "W" => {
                    let either = formulas.add(Node::Or(left, right));
                    formulas.add(Node::Release(right, either))
                }
                "M" => {
                    let both = formulas.add(Node::And(left, right));
                    formulas.add(Node::Until(right, both))
                }
                _ => formulas.add(Node::Release(left, right)),
            };
        }
        Ok(left)
    }

    /// Reads a part inside of another.
    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Result<Id>) -> Result<Id> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return self.expected("less nesting");
        }
        let f = read(self)?;
        self.depth -= 1;
        Ok(f)
    }

    fn operand(&mut self) -> Result<Id> {
        let operators = match self.eat_one(&["!", "~", "[]", "<>", "("]) {
            Some("(") => {
                let inner = self.deeper(|parser| parser.binary(0))?;
                return if self.eat(")") {
                    Ok(inner)
                } else {
                    self.expected("`)`")
                };
            }
            Some("[]") => "G".to_owned(),
            Some("<>") => "F".to_owned(),
            Some(_) => "!".to_owned(),
            None => match self.tokens.get(self.next).cloned() {
                Some((Token::Atom(text), at)) => {
                    self.next += 1;
                    return self.atom(&text, at);
                }
                Some((Token::Word(word), at)) => {
                    let letters = word.chars().all(|c| "FGXEA".contains(c));
                    self.next += 1;
                    if !letters {
                        return self.name(&word, at);
                    }
                    if self.net.find(&word).is_some() {
                        return error(
                            at,
                            format!("formula: {word:?} is a name: put it into double quotes"),
                        );
                    }
                    word
                }
                _ => return self.expected("a formula"),
            },
        };
        let mut f = self.deeper(Self::operand)?;
        for operator in operators.chars().rev() {
            f = match operator {
                'X' => self.formulas.add(Node::Next(f)),
                'F' => self.formulas.finally(f),
                'G' => self.formulas.globally(f),
                'E' => self.formulas.add(Node::Exists(f)),
                'A' => self.formulas.add(Node::Forall(f)),
                _ => self.formulas.not(f),
            };
        }
        Ok(f)
    }

    /// A word: a constant, a place that has tokens, or a transition that is enabled.
    fn name(&mut self, word: &str, at: usize) -> Result<Id> {
        match (word, self.net.find(word)) {
            ("true" | "1", None) => Ok(self.formulas.constant(true)),
            ("false" | "0", None) => Ok(self.formulas.constant(false)),
            ("deadlock", None) => Ok(self.formulas.atom(Atom::Deadlock)),
            ("true" | "1" | "false" | "0" | "deadlock", Some(_)) => error(
                at,
                format!("formula: {word:?} is a name: write \"'{word}'\""),
            ),
            _ => self.node(word, at),
        }
    }

    /// A place that has tokens, or a transition that is enabled.
    fn node(&mut self, id: &str, at: usize) -> Result<Id> {
        match self.net.find(id) {
            Some(net::Node::Transition(t)) => Ok(self.formulas.fireable(vec![t])),
            Some(net::Node::Place(p)) => self.compare(&[(p, 1)], ">=", 1, at),
            None => error(
                at,
                format!("formula: there is no place and no transition {id:?}"),
            ),
        }
    }

    fn compare(
        &mut self,
        terms: &[(usize, i64)],
        relation: &str,
        number: i64,
        at: usize,
    ) -> Result<Id> {
        match self.formulas.compare(terms, relation, number) {
            Some(f) => Ok(f),
            None => error(at, "formula: a comparison has too large numbers"),
        }
    }

    /// An atom that was in double quotes.
    fn atom(&mut self, text: &str, at: usize) -> Result<Id> {
        let tokens: Vec<Token> = tokens(text)?.into_iter().map(|(token, _)| token).collect();
        let wrong = || error(at, format!("formula: the atom {text:?} is not understood"));
        let (open, close) = (Token::Sign("("), Token::Sign(")"));
        match &tokens[..] {
            [Token::Word(word)] => return self.name(word, at),
            [Token::Name(name)] => return self.node(name, at),
            [Token::Word(word), a, b] if word == "deadlock" && *a == open && *b == close => {
                return Ok(self.formulas.atom(Atom::Deadlock));
            }
            [Token::Word(word), a, inner @ .., b]
                if word == "fireable" && *a == open && *b == close =>
            {
                let mut list = Vec::new();
                for part in inner.split(|token| *token == Token::Sign(",")) {
                    match part {
                        [Token::Word(name) | Token::Name(name)] => match self.net.find(name) {
                            Some(net::Node::Transition(t)) => list.push(t),
                            _ => {
                                return error(
                                    at,
                                    format!("formula: there is no transition {name:?}"),
                                );
                            }
                        },
                        _ => return wrong(),
                    }
                }
                return Ok(self.formulas.fireable(list));
            }
            _ => {}
        }
        let relations = ["<=", "=<", "<", ">=", ">", "=", "==", "!="];
        let is_relation =
            |token: &Token| matches!(token, Token::Sign(sign) if relations.contains(sign));
        let parts: Vec<&[Token]> = tokens.split(is_relation).collect();
        let relation = match tokens.iter().find(|token| is_relation(token)) {
            Some(Token::Sign("=<")) => "<=",
            Some(Token::Sign("==")) => "=",
            Some(Token::Sign(sign)) => sign,
            _ => return wrong(),
        };
        let [left, right] = parts[..] else {
            return wrong();
        };
        let (Some((mut terms, left)), Some((others, right))) = (self.sum(left), self.sum(right))
        else {
            return wrong();
        };
        terms.extend(others.iter().map(|&(p, c)| (p, -c)));
        match right.checked_sub(left) {
            Some(number) => self.compare(&terms, relation, number, at),
            None => wrong(),
        }
    }

    /// A sum of numbers and of places with coefficients.
    fn sum(&self, tokens: &[Token]) -> Option<(Vec<(usize, i64)>, i64)> {
        let (mut terms, mut constant) = (Vec::new(), 0_i64);
        let mut rest = tokens;
        // A sign may be left out in front of the first part.
        let mut first = true;
        while !rest.is_empty() || first {
            let sign = match rest.first() {
                Some(Token::Sign("-")) => Some(-1),
                Some(Token::Sign("+")) => Some(1),
                _ => None,
            };
            rest = &rest[usize::from(sign.is_some())..];
            let sign = sign.or(first.then_some(1))?;
            first = false;
            let length = if rest.get(1) == Some(&Token::Sign("*")) {
                3
            } else {
                1
            };
            let (mut factor, mut place) = (None, None);
            for part in rest.get(..length)?.iter().step_by(2) {
                match part {
                    Token::Word(word) if word.starts_with(|c: char| c.is_ascii_digit()) => {
                        let number: i32 = word.parse().ok()?;
                        factor = factor.xor(Some(sign * i64::from(number)));
                    }
                    Token::Word(name) | Token::Name(name) => match self.net.find(name)? {
                        net::Node::Place(p) => place = place.xor(Some(p)),
                        net::Node::Transition(_) => return None,
                    },
                    _ => return None,
                }
            }
            rest = &rest[length..];
            match (factor, place) {
                (Some(number), None) if length == 1 => constant = constant.checked_add(number)?,
                (None, Some(p)) if length == 1 => terms.push((p, sign)),
                (Some(number), Some(p)) => terms.push((p, number)),
                _ => return None,
            }
        }
        Some((terms, constant))
    }
}
