//! Formulas as text: `-> <-> xor | & U R W M X F G ! E A`, constants, names of the net, and atoms in quotes.
//!
//! A word is a name of the net, or operator letters `F G X E A` in front of one. Where both readings make sense
//! it is an error.

use crate::failure::{Result, error};
use crate::formula::{Atom, Formulas, Id, Node, Relation};
use crate::net::{self, Net};

/// How deep operators and parentheses may be nested.
const MOST_DEPTH: usize = 300;

/// Reads a formula.
///
/// # Errors
/// If the text is none over the names of the net.
pub fn parse(text: &str, net: &Net, formulas: &mut Formulas) -> Result<Id> {
    let mut parser = Parser {
        text,
        at: 0,
        depth: 0,
        net,
        formulas,
    };
    let f = parser.binary(0)?;
    parser.blanks();
    if parser.at < text.len() {
        return error(parser.at, "formula: expected an operator or the end");
    }
    Ok(f)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    net: &'a Net,
    formulas: &'a mut Formulas,
}

/// Binary operators by how loosely they bind; those of one row bind equally.
const BINARY: [&[&str]; 5] = [
    &["<->", "<=>", "->", "=>"],
    &["xor", "^"],
    &["||", "\\/", "|"],
    &["&&", "/\\", "&"],
    &["U", "R", "V", "W", "M"],
];

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Takes a sign or a word, if it comes next.
    fn eat(&mut self, token: &str) -> bool {
        self.blanks();
        let rest = self.rest();
        let follows = rest.strip_prefix(token);
        let whole = !token.ends_with(is_word) || follows.is_some_and(|r| !r.starts_with(is_word));
        let found = follows.is_some() && whole;
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn binary(&mut self, row: usize) -> Result<Id> {
        let Some(operators) = BINARY.get(row) else {
            return self.unary();
        };
        let mut left = self.binary(row + 1)?;
        while let Some(operator) = operators.iter().find(|token| self.eat(token)) {
            // Implications and untils group to the right.
            let right = if row == 0 || row == 4 {
                self.deeper(|parser| parser.binary(row))?
            } else {
                self.binary(row + 1)?
            };
            let formulas = &mut *self.formulas;
            left = match *operator {
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

    fn apply(&mut self, operator: char, f: Id) -> Id {
        match operator {
            'X' => self.formulas.add(Node::Next(f)),
            'F' => self.formulas.finally(f),
            'G' => self.formulas.globally(f),
            'E' => self.formulas.add(Node::Exists(f)),
            'A' => self.formulas.add(Node::Forall(f)),
            _ => self.formulas.not(f),
        }
    }

    /// Reads a part inside of another.
    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Result<Id>) -> Result<Id> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return error(self.at, "formula: nested too deeply");
        }
        let f = read(self)?;
        self.depth -= 1;
        Ok(f)
    }

    fn unary(&mut self) -> Result<Id> {
        self.deeper(Self::operand)
    }

    fn operand(&mut self) -> Result<Id> {
        self.blanks();
        let signs = [("!", '!'), ("~", '!'), ("[]", 'G'), ("<>", 'F')];
        let sign = signs
            .iter()
            .find(|(token, _)| self.eat(token))
            .map(|&(_, operator)| operator);
        let f = if let Some(operator) = sign {
            let inner = self.unary()?;
            self.apply(operator, inner)
        } else if self.eat("(") {
            self.closed(")")?
        } else if self.eat("[") {
            self.closed("]")?
        } else if self.rest().starts_with('"') {
            let (text, at) = self.quoted()?;
            self.atom(&text, at)?
        } else {
            self.word()?
        };
        Ok(f)
    }

    fn closed(&mut self, end: &str) -> Result<Id> {
        let inner = self.binary(0)?;
        if !self.eat(end) {
            return error(self.at, format!("formula: expected `{end}`"));
        }
        Ok(inner)
    }

    /// The text in the double quotes that come next, and where it begins.
    fn quoted(&mut self) -> Result<(String, usize)> {
        let begin = self.at + 1;
        let mut text = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((i, c)) = characters.next() {
            match c {
                '"' => {
                    self.at += i + 1;
                    return Ok((text, begin));
                }
                '\\' => text.extend(characters.next().map(|(_, c)| c)),
                c => text.push(c),
            }
        }
        error(self.at, "formula: the quoted atom is never closed")
    }

    fn word(&mut self) -> Result<Id> {
        let begin = self.at;
        let length = self
            .rest()
            .find(|c| !is_word(c))
            .unwrap_or(self.rest().len());
        let word = self.rest()[..length].to_owned();
        let letters = word.find(|c| !"FGXEA".contains(c)).unwrap_or(length);
        let constant = match word.as_str() {
            "true" | "TRUE" | "True" | "1" => Some(true),
            "false" | "FALSE" | "False" | "0" => Some(false),
            _ => None,
        };
        let is_name = |word: &str| self.net.find(word).is_some() || word == "deadlock";
        // The readings: so many operator letters, and then a name or what follows the word.
        let named = (0..=letters).filter(|&n| n < length && is_name(&word[n..]));
        let readings: Vec<usize> = named.collect();
        let alone = letters == length && length > 0;
        let count = readings.len() + usize::from(alone) + usize::from(constant.is_some());
        if count != 1 {
            let what = if count == 0 {
                "is no name of the net"
            } else {
                "can be read in two ways"
            };
            let advice = "put names into double quotes";
            return error(begin, format!("formula: {word:?} {what}; {advice}"));
        }
        self.at += length;
        let operators = readings.first().copied().unwrap_or(letters);
        let mut f = match (constant, readings.first()) {
            (Some(value), _) => return Ok(self.formulas.constant(value)),
            (None, Some(&from)) => self.atom(&word[from..], begin + from)?,
            (None, None) => self.unary()?,
        };
        for operator in word[..operators].chars().rev() {
            f = self.apply(operator, f);
        }
        Ok(f)
    }

    /// An atom: a comparison, `fireable(…)`, `deadlock`, a constant, or a name.
    fn atom(&mut self, text: &str, at: usize) -> Result<Id> {
        let tokens = tokens(text, at)?;
        let name = |token: Option<&Token>| match token {
            Some(Token::Name(name, _)) => Some(name.clone()),
            _ => None,
        };
        let is = |i: usize, sign: &str| tokens.get(i) == Some(&Token::Sign(sign.to_owned()));
        let call = is(1, "(") && tokens.len() > 2 && is(tokens.len() - 1, ")");
        let first = match tokens.first() {
            Some(Token::Name(word, false)) => word.as_str(),
            _ => "",
        };
        let node = |id: &str| self.net.find(id);
        match (first, tokens.len()) {
            ("true" | "false", 1) if node(first).is_none() => {
                return Ok(self.formulas.constant(first == "true"));
            }
            ("deadlock", 1) if node(first).is_none() => {
                return Ok(self.formulas.atom(Atom::Deadlock));
            }
            ("deadlock", 3) if call => return Ok(self.formulas.atom(Atom::Deadlock)),
            ("fireable", _) if call => {
                let mut list = Vec::new();
                for (i, token) in tokens[2..tokens.len() - 1].iter().enumerate() {
                    match (i % 2, name(Some(token)).and_then(|id| node(&id))) {
                        (0, Some(net::Node::Transition(t))) => list.push(t),
                        (1, None) if *token == Token::Sign(",".to_owned()) => {}
                        _ => return error(at, format!("atom {text:?}: expected transitions")),
                    }
                }
                if list.is_empty() || tokens.len() % 2 == 1 {
                    return error(at, format!("atom {text:?}: expected transitions"));
                }
                return Ok(self.fireable(list));
            }
            _ => {}
        }
        if let (1, Some(id)) = (tokens.len(), name(tokens.first())) {
            return match node(&id) {
                Some(net::Node::Transition(t)) => Ok(self.fireable(vec![t])),
                Some(net::Node::Place(p)) => self.compare(&[(p, 1)], Relation::Ge, 1, at),
                None => error(at, format!("there is no place and no transition {id:?}")),
            };
        }
        let relation = |token: &Token| match token {
            Token::Sign(sign) => match sign.as_str() {
                "<=" => Some(Relation::Le),
                "<" => Some(Relation::Lt),
                ">=" => Some(Relation::Ge),
                ">" => Some(Relation::Gt),
                "=" => Some(Relation::Eq),
                "!=" => Some(Relation::Ne),
                _ => None,
            },
            _ => None,
        };
        let middle = tokens.iter().position(|token| relation(token).is_some());
        let Some(middle) = middle else {
            return error(at, format!("atom {text:?}: expected a comparison"));
        };
        let (mut terms, left) = self.sum(&tokens[..middle], text, at)?;
        let (right_terms, right) = self.sum(&tokens[middle + 1..], text, at)?;
        terms.extend(right_terms.iter().map(|&(p, c)| (p, -c)));
        let (Some(relation), Some(number)) = (relation(&tokens[middle]), right.checked_sub(left))
        else {
            return error(at, format!("atom {text:?}: the numbers are too large"));
        };
        self.compare(&terms, relation, number, at)
    }

    fn fireable(&mut self, mut list: Vec<usize>) -> Id {
        list.sort_unstable();
        list.dedup();
        self.formulas.atom(Atom::Fireable(list))
    }

    fn compare(
        &mut self,
        terms: &[(usize, i64)],
        op: Relation,
        number: i64,
        at: usize,
    ) -> Result<Id> {
        match self.formulas.compare(terms, op, number) {
            Some(f) => Ok(f),
            None => error(at, "the numbers of a comparison are too large"),
        }
    }

    /// A sum of numbers and of places with coefficients.
    fn sum(&self, tokens: &[Token], text: &str, at: usize) -> Result<(Vec<(usize, i64)>, i64)> {
        let (mut terms, mut constant) = (Vec::new(), 0_i64);
        let mut rest = tokens;
        let mut first = true;
        while !rest.is_empty() || first {
            let sign = match rest.first() {
                Some(Token::Sign(sign)) if sign == "-" => Some(-1),
                Some(Token::Sign(sign)) if sign == "+" && !first => Some(1),
                _ => None,
            };
            if sign.is_none() && !first {
                return error(at, format!("atom {text:?}: expected `+` or `-`"));
            }
            rest = &rest[usize::from(sign.is_some())..];
            let sign = sign.unwrap_or(1);
            let times = matches!(rest.get(1), Some(Token::Sign(sign)) if sign == "*");
            let (number, name, length) = match (rest, times) {
                (
                    [Token::Number(n), _, Token::Name(id, _), ..]
                    | [Token::Name(id, _), _, Token::Number(n), ..],
                    true,
                ) => (*n, Some(id), 3),
                ([Token::Number(n), ..], false) => (*n, None, 1),
                ([Token::Name(id, _), ..], false) => (1, Some(id), 1),
                _ => return error(at, format!("atom {text:?}: expected a place or a number")),
            };
            rest = &rest[length..];
            match name.map(|id| (self.net.find(id), id)) {
                Some((Some(net::Node::Place(p)), _)) => terms.push((p, sign * number)),
                Some((_, id)) => return error(at, format!("there is no place {id:?}")),
                None => match constant.checked_add(sign * number) {
                    Some(sum) => constant = sum,
                    None => return error(at, format!("atom {text:?}: too large a number")),
                },
            }
            first = false;
        }
        Ok((terms, constant))
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    /// A name, and whether it was in single quotes.
    Name(String, bool),
    Number(i64),
    Sign(String),
}

fn tokens(text: &str, at: usize) -> Result<Vec<Token>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let run = |fits: fn(char) -> bool| rest.find(|c| !fits(c)).unwrap_or(rest.len());
        let length;
        if c == '\'' {
            let mut name = String::new();
            let mut characters = rest.char_indices().skip(1);
            loop {
                match characters.next() {
                    Some((i, '\'')) => {
                        length = i + 1;
                        break;
                    }
                    Some((_, '\\')) => name.extend(characters.next().map(|(_, c)| c)),
                    Some((_, c)) => name.push(c),
                    None => return error(at, "the quoted name is never closed"),
                }
            }
            found.push(Token::Name(name, true));
        } else if c.is_ascii_digit() {
            length = run(|c| c.is_ascii_digit());
            match rest[..length].parse() {
                Ok(number) if number <= i64::MAX / 2 => found.push(Token::Number(number)),
                _ => return error(at, "a number of an atom is too large"),
            }
        } else if c.is_alphabetic() || c == '_' {
            length = run(is_word);
            found.push(Token::Name(rest[..length].to_owned(), false));
        } else {
            let signs = [
                "<=", "=<", ">=", "==", "!=", "<", ">", "=", "+", "-", "*", "(", ")", ",",
            ];
            let Some(sign) = signs.iter().find(|sign| rest.starts_with(**sign)) else {
                return error(at, format!("{c:?} is not expected in an atom"));
            };
            length = sign.len();
            let sign = match *sign {
                "=<" => "<=",
                "==" => "=",
                sign => sign,
            };
            found.push(Token::Sign(sign.to_owned()));
        }
        rest = rest[length..].trim_start();
    }
    Ok(found)
}
