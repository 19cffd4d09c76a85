//! Formulas as text: `<-> -> xor | & U R W M X F G ! E A`, constants, names of the net, and atoms in double quotes:
//! comparisons of sums of places, `fireable(t, …)` and `deadlock()`.
//!
//! A word of the letters `F G X E A` alone is a row of operators, any other word a name. A word of several letters that
//! could be both is an error; a name of one such letter is written in double quotes.

use crate::formula::{Atom, Formulas, Id, Node, not};
use crate::net::{self, Net};
use crate::{Result, error};

/// How deep operators and parentheses may be nested.
const MOST_DEPTH: usize = 300;

/// The atoms that formulas may have: a bit each in a letter.
pub(crate) const MOST_ATOMS: usize = 64;

/// The kinds of tokens: words and numbers, names in single quotes, other signs, and where an atom begins or ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Word,
    Name,
    Sign,
    Quote,
}

/// A kind, the text (of names without quotes), and the byte where it begins.
type Token = (Kind, String, usize);

/// Signs; those that begin another one come later.
const SIGNS: [&str; 29] = [
    "<->", "<=>", "->", "=>", "<=", "=<", ">=", "==", "!=", "<>", "||", "&&", "\\/", "/\\", "[]", "<", ">", "=", "!",
    "~", "|", "&", "^", "+", "-", "*", "(", ")", ",",
];

/// Binary operators, from those that bind loosely to those that bind tightly.
const BINARY: [&[&str]; 5] =
    [&["<->", "<=>", "->", "=>"], &["xor", "^"], &["||", "\\/", "|"], &["&&", "/\\", "&"], &["U", "R", "V", "W", "M"]];

const RELATIONS: [&str; 8] = ["<=", "=<", "<", ">=", ">", "=", "==", "!="];

/// Reads a formula.
pub fn parse(text: &str, net: &Net, formulas: &mut Formulas) -> Result<Id> {
    let mut tokens = Vec::new();
    tokenize(text, None, &mut tokens)?;
    let mut parser = Parser { tokens, next: 0, depth: 0, net, formulas };
    let f = parser.binary(0)?;
    if parser.next < parser.tokens.len() { parser.expected("an operator or the end") } else { Ok(f) }
}

/// Appends the tokens of a text, or of the atom that begins at a byte.
fn tokenize(text: &str, atom: Option<usize>, found: &mut Vec<Token>) -> Result<()> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let at = atom.unwrap_or(text.len() - rest.len());
        let length = if is_word(c) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            found.push((Kind::Word, rest[..length].to_owned(), at));
            length
        } else if c == '\'' || (c == '"' && atom.is_none()) {
            let (mut inner, mut characters) = (String::new(), rest.char_indices().skip(1));
            let length = loop {
                match characters.next() {
                    Some((i, end)) if end == c => break i + 1,
                    Some((_, '\\')) => inner.extend(characters.next().map(|(_, c)| c)),
                    Some((_, c)) => inner.push(c),
                    None => return error(at, "formula: a quotation does not end"),
                }
            };
            if c == '"' {
                found.push((Kind::Quote, String::new(), at));
                tokenize(&inner, Some(at), found)?;
                found.push((Kind::Quote, String::new(), at));
            } else {
                found.push((Kind::Name, inner, at));
            }
            length
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            found.push((Kind::Sign, (*sign).to_owned(), at));
            sign.len()
        } else {
            return error(at, format!("formula: {c:?} is not expected"));
        };
        rest = rest[length..].trim_start();
    }
    Ok(())
}

struct Parser<'a> {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
    net: &'a Net,
    formulas: &'a mut Formulas,
}

impl Parser<'_> {
    fn expected<T>(&self, what: &str) -> Result<T> {
        let at = self.tokens.get(self.next).or(self.tokens.last());
        error(at.map_or(0, |token| token.2), format!("formula: expected {what}"))
    }

    /// Takes the first of some signs or words, if one comes next.
    fn eat(&mut self, wanted: &[&'static str]) -> Option<&'static str> {
        let (kind, text, _) = self.tokens.get(self.next)?;
        let found = wanted.iter().copied().find(|sign| sign == text);
        let found = found.filter(|_| [Kind::Word, Kind::Sign].contains(kind));
        self.next += usize::from(found.is_some());
        found
    }

    /// Takes a word or name, if it comes next.
    fn eat_name(&mut self) -> Option<(Kind, String)> {
        let (kind, text, _) = self.tokens.get(self.next).filter(|token| [Kind::Word, Kind::Name].contains(&token.0))?;
        self.next += 1;
        Some((*kind, text.clone()))
    }

    fn need(&mut self, sign: &'static str) -> Result<()> {
        if self.eat(&[sign]).is_some() { Ok(()) } else { self.expected(sign) }
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

    /// Operands with binary operators between them that bind at least as tightly as a row of the table.
    fn binary(&mut self, least: usize) -> Result<Id> {
        let mut left = self.operand()?;
        'next: loop {
            for (row, operators) in BINARY.iter().enumerate().skip(least) {
                if let Some(operator) = self.eat(operators) {
                    // Implications and untils group to the right.
                    let right = self.deeper(|parser| parser.binary(row + usize::from(![0, 4].contains(&row))))?;
                    left = self.combine(operator, left, right);
                    continue 'next;
                }
            }
            return Ok(left);
        }
    }

    fn combine(&mut self, operator: &str, left: Id, right: Id) -> Id {
        let formulas = &mut *self.formulas;
        let node = match operator {
            "->" | "=>" => return formulas.implies(left, right),
            "<->" | "<=>" => return formulas.iff(left, right),
            "xor" | "^" => return not(formulas.iff(left, right)),
            "|" | "||" | "\\/" => Node::Or(left, right),
            "&" | "&&" | "/\\" => Node::And(left, right),
            "U" => Node::Until(left, right),
            "W" => Node::Release(right, formulas.add(Node::Or(left, right))),
            "M" => Node::Until(right, formulas.add(Node::And(left, right))),
            _ => Node::Release(left, right),
        };
        formulas.add(node)
    }

    fn operand(&mut self) -> Result<Id> {
        let (kind, text) = match self.tokens.get(self.next) {
            Some((kind, text, _)) => (*kind, text.clone()),
            None => return self.expected("a formula"),
        };
        let operators = match (kind, text.as_str()) {
            (Kind::Sign, "!" | "~") => "!",
            (Kind::Sign, "[]") => "G",
            (Kind::Sign, "<>") => "F",
            (Kind::Word, word) if word.chars().all(|c| "FGXEA".contains(c)) => {
                if word.len() > 1 && self.net.find(word).is_some() {
                    return self.expected(&format!("double quotes around the name {word:?}"));
                }
                word
            }
            (Kind::Word, _) => return self.atom(),
            (Kind::Quote, _) => {
                self.next += 1;
                let f = self.atom()?;
                let ends = self.tokens.get(self.next).is_some_and(|token| token.0 == Kind::Quote);
                self.next += 1;
                return if ends { Ok(f) } else { self.expected("the end of an atom") };
            }
            _ => {
                self.need("(")?;
                let f = self.deeper(|parser| parser.binary(0))?;
                return self.need(")").map(|()| f);
            }
        };
        self.next += 1;
        let mut f = self.deeper(Self::operand)?;
        for operator in operators.chars().rev() {
            f = match operator {
                'X' => self.formulas.add(Node::Next(f)),
                'F' => self.formulas.finally(f),
                'G' => self.formulas.globally(f),
                'E' => self.formulas.add(Node::Exists(f)),
                'A' => self.formulas.add(Node::Forall(f)),
                _ => not(f),
            };
        }
        Ok(f)
    }

    /// What may be inside of double quotes: a name or constant, a call, or a comparison.
    fn atom(&mut self) -> Result<Id> {
        let begin = self.next;
        let name = self.eat_name();
        let is_call = self.eat(&["("]).is_some();
        let is_sum = self.tokens.get(self.next).is_some_and(|(kind, text, _)| {
            *kind == Kind::Sign && (RELATIONS.contains(&text.as_str()) || ["+", "-", "*"].contains(&text.as_str()))
        });
        let f = match name {
            Some((Kind::Word, word)) if is_call => {
                let (mut list, mut more) = (Vec::new(), word == "fireable");
                while more {
                    match self.eat_name().and_then(|(_, name)| self.net.find(&name)) {
                        Some(net::Node::Transition(t)) => list.push(t),
                        _ => return self.expected("a transition"),
                    }
                    more = self.eat(&[","]).is_some();
                }
                self.need(")")?;
                match (word.as_str(), &list[..]) {
                    ("deadlock", []) => self.formulas.atom(Atom::Deadlock),
                    ("fireable", _) => self.formulas.fireable(list),
                    _ => return self.expected("fireable or deadlock"),
                }
            }
            Some((kind, id)) if !is_call && !is_sum => match (kind, id.as_str(), self.net.find(&id)) {
                (Kind::Word, "true" | "1" | "false" | "0" | "deadlock", Some(_)) => {
                    return self.expected(&format!("the name {id:?} as \"'{id}'\""));
                }
                (Kind::Word, "true" | "1", _) => self.formulas.constant(true),
                (Kind::Word, "false" | "0", _) => self.formulas.constant(false),
                (Kind::Word, "deadlock", _) => self.formulas.atom(Atom::Deadlock),
                // A transition that is enabled, or a place that has tokens.
                (_, _, Some(net::Node::Transition(t))) => self.formulas.fireable(vec![t]),
                (_, _, Some(net::Node::Place(p))) => self.compare(&[(p, 1)], ">=", 1)?,
                _ => return self.expected(&format!("a place or a transition, and {id:?} is none")),
            },
            _ => {
                self.next = begin;
                let (mut terms, left) = self.sum()?;
                let relation = match self.eat(&RELATIONS) {
                    Some("=<") => "<=",
                    Some("==") => "=",
                    Some(relation) => relation,
                    None => return self.expected("a comparison"),
                };
                let (others, right) = self.sum()?;
                terms.extend(others.iter().map(|&(p, c)| (p, -c)));
                self.compare(&terms, relation, right - left)?
            }
        };
        if self.formulas.atoms.len() > MOST_ATOMS { self.expected("fewer atoms") } else { Ok(f) }
    }

    fn compare(&mut self, terms: &[(usize, i64)], relation: &str, number: i64) -> Result<Id> {
        let made = self.formulas.compare(terms, relation, number);
        made.map_or_else(|| self.expected("a comparison with smaller numbers"), Ok)
    }

    /// A sum of numbers and of places with coefficients: the terms, and the rest. As many numbers of 32 bits as a text
    /// may have do not exceed 64 bits.
    fn sum(&mut self) -> Result<(Vec<(usize, i64)>, i64)> {
        let (mut terms, mut constant) = (Vec::new(), 0);
        // A sign may be left out in front of the first part.
        let mut next = self.eat(&["-", "+"]).or(Some("+"));
        while let Some(sign) = next {
            let (mut factor, mut place) = (None, None);
            loop {
                match self.eat_name().map(|(kind, text)| (kind, text.parse::<u32>(), self.net.find(&text))) {
                    Some((Kind::Word, Ok(number), _)) if factor.is_none() => factor = Some(i64::from(number)),
                    Some((_, _, Some(net::Node::Place(p)))) if place.is_none() => place = Some(p),
                    _ => return self.expected("a place, or a number of 32 bits"),
                }
                if self.eat(&["*"]).is_none() {
                    break;
                }
            }
            let factor = factor.unwrap_or(1) * if sign == "-" { -1 } else { 1 };
            match place {
                Some(p) => terms.push((p, factor)),
                None => constant += factor,
            }
            next = self.eat(&["-", "+"]);
        }
        Ok((terms, constant))
    }
}

/// A name as it is written in an atom in double quotes.
pub fn quoted(id: &str) -> String {
    let name = format!("'{}'", id.replace('\\', "\\\\").replace('\'', "\\'"));
    name.replace('\\', "\\\\").replace('"', "\\\"")
}
