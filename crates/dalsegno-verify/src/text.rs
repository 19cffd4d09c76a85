//! Formulas as text: `<-> -> xor | & U R W M X F G ! E A`, constants, names of the net, and atoms in double quotes:
//! comparisons of sums of places, `fireable(t, …)` and `deadlock()`.
//!
//! A word of the letters `F G X E A` alone is a row of operators, any other word a name. A word of several letters that
//! could be both is an error; a name of one such letter is written in double quotes.

use std::collections::BTreeSet;

use crate::formula::{Atom, Formulas, Id, Node, not};
use crate::net::{self, Net};
use crate::{Result, error};

/// How deep operators and parentheses may be nested.
const MOST_DEPTH: usize = 300;

/// The atoms that formulas may have: a bit each in a letter.
const MOST_ATOMS: usize = 64;

/// Signs, and what they are read as. Those that begin another one come later.
#[rustfmt::skip]
const SIGNS: [(&str, &str); 31] = [
    ("<->", "<->"), ("<=>", "<->"), ("->", "->"), ("=>", "->"), ("<=", "<="), ("=<", "<="), (">=", ">="), ("==", "="),
    ("!=", "!="), ("<>", "F"), ("[]", "G"), ("||", "|"), ("\\/", "|"), ("&&", "&"), ("/\\", "&"), ("<", "<"), (">", ">"),
    ("=", "="), ("!", "!"), ("~", "!"), ("|", "|"), ("&", "&"), ("^", "xor"), ("+", "+"), ("-", "-"), ("*", "*"),
    ("(", "("), (")", ")"), (",", ","), ("'", "'"), ("\"", "\""),
];

/// Binary operators, from those that bind loosely to those that bind tightly.
const BINARY: [&[&str]; 5] = [&["<->", "->"], &["xor"], &["|"], &["&"], &["U", "R", "V", "W", "M"]];

const RELATIONS: [&str; 6] = ["<=", "<", ">=", ">", "=", "!="];

/// Reads a formula over the names of a net.
pub fn parse(text: &str, net: &Net, formulas: &mut Formulas) -> Result<Id> {
    let mut reader = Reader::new(text, None, net, formulas);
    let f = reader.binary(0)?;
    reader.end(f)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Of the text of an atom: the byte where the atom begins.
    within: Option<usize>,
    depth: usize,
    net: &'a Net,
    formulas: &'a mut Formulas,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, within: Option<usize>, net: &'a Net, formulas: &'a mut Formulas) -> Self {
        Reader { text, at: text.len() - text.trim_start().len(), within, depth: 0, net, formulas }
    }

    fn expected<T>(&self, what: &str) -> Result<T> {
        error(self.within.unwrap_or(self.at), format!("formula: expected {what}"))
    }

    /// The word or sign that comes next, and its length; nothing at the end.
    fn next(&self) -> (&'a str, usize) {
        let rest = &self.text[self.at..];
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let sign = || SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)).map_or(("", 0), |row| (row.1, row.0.len()));
        if length > 0 { (&rest[..length], length) } else { sign() }
    }

    /// Goes on behind so many bytes, and blanks.
    fn take(&mut self, length: usize) {
        let rest = &self.text[self.at + length..];
        self.at = self.text.len() - rest.trim_start().len();
    }

    /// Takes the first of some signs or words, if one comes next.
    fn eat(&mut self, wanted: &[&'static str]) -> Option<&'static str> {
        let (next, length) = self.next();
        let found = wanted.iter().copied().find(|sign| *sign == next)?;
        self.take(length);
        Some(found)
    }

    fn need(&mut self, sign: &'static str) -> Result<()> {
        if self.eat(&[sign]).is_some() { Ok(()) } else { self.expected(sign) }
    }

    fn end(&self, f: Id) -> Result<Id> {
        if self.at < self.text.len() { self.expected("an operator or the end") } else { Ok(f) }
    }

    /// Takes a quotation. A backslash keeps what comes behind it.
    fn quotation(&mut self) -> Result<String> {
        let (mut inner, mut characters) = (String::new(), self.text[self.at..].char_indices());
        let quote = characters.next().map(|(_, quote)| quote);
        while let Some((i, c)) = characters.next() {
            match c {
                c if Some(c) == quote => {
                    self.take(i + 1);
                    return Ok(inner);
                }
                '\\' => inner.extend(characters.next().map(|(_, c)| c)),
                c => inner.push(c),
            }
        }
        self.expected("the end of a quotation")
    }

    /// Takes a word, or a name in single quotes; and whether it is a word.
    fn name(&mut self) -> Result<(String, bool)> {
        let (next, length) = self.next();
        if next == "'" {
            return Ok((self.quotation()?, false));
        }
        self.take(length);
        if next.starts_with(is_word) { Ok((next.to_owned(), true)) } else { self.expected("a name or a number") }
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
        while let Some((row, operator)) = (least..BINARY.len()).find_map(|row| Some((row, self.eat(BINARY[row])?))) {
            // Implications and untils group to the right.
            let right = self.deeper(|reader| reader.binary(row + usize::from(![0, 4].contains(&row))))?;
            let formulas = &mut *self.formulas;
            let node = match operator {
                "|" => Node::Or(left, right),
                "&" => Node::And(left, right),
                "U" => Node::Until(left, right),
                "W" => Node::Release(right, formulas.add(Node::Or(left, right))),
                "M" => Node::Until(right, formulas.add(Node::And(left, right))),
                "->" => Node::Or(not(left), right),
                "<->" => Node::And(formulas.implies(left, right), formulas.implies(right, left)),
                "xor" => Node::Or(not(formulas.implies(left, right)), not(formulas.implies(right, left))),
                _ => Node::Release(left, right),
            };
            left = formulas.add(node);
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Id> {
        let ((next, length), at) = (self.next(), self.at);
        let operators = match next {
            "\"" => {
                let text = self.quotation()?;
                let mut inner = Reader::new(&text, Some(at), self.net, self.formulas);
                let f = inner.atom()?;
                return inner.end(f);
            }
            "(" => {
                self.take(length);
                let f = self.deeper(|reader| reader.binary(0))?;
                return self.need(")").map(|()| f);
            }
            "!" => next,
            word if !word.starts_with(is_word) => return self.expected("a formula"),
            word if !word.chars().all(|c| "FGXEA".contains(c)) => return self.atom(),
            word if word.len() > 1 && self.net.find(word).is_some() => {
                return self.expected(&format!("double quotes around the name {word:?}"));
            }
            word => word,
        };
        self.take(length);
        let f = self.deeper(Self::operand)?;
        let formulas = &mut *self.formulas;
        Ok(operators.chars().rev().fold(f, |f, operator| match operator {
            'X' => formulas.add(Node::Next(f)),
            'F' => formulas.finally(f),
            'G' => formulas.globally(f),
            'E' => formulas.add(Node::Exists(f)),
            'A' => formulas.add(Node::Forall(f)),
            _ => not(f),
        }))
    }

    /// What may be inside of double quotes: a name or constant, a call, or a comparison.
    fn atom(&mut self) -> Result<Id> {
        let begin = self.at;
        let (id, is_word) = if ["+", "-"].contains(&self.next().0) { Default::default() } else { self.name()? };
        let next = self.next().0;
        let f = if is_word && next == "(" {
            Some(self.call(&id)?)
        } else if ["+", "-", "*"].contains(&next) || RELATIONS.contains(&next) {
            self.at = begin;
            let (mut terms, left) = self.sum()?;
            let Some(relation) = self.eat(&RELATIONS) else {
                return self.expected("a comparison");
            };
            let (others, right) = self.sum()?;
            terms.extend(others.iter().map(|&(p, c)| (p, -c)));
            self.formulas.compare(&terms, relation, right - left)
        } else {
            match (id.as_str(), self.net.find(&id)) {
                ("true" | "1" | "false" | "0" | "deadlock", Some(_)) if is_word => {
                    return self.expected(&format!("the name {id:?} as \"'{id}'\""));
                }
                ("true" | "1", _) if is_word => Some(self.formulas.constant(true)),
                ("false" | "0", _) if is_word => Some(self.formulas.constant(false)),
                ("deadlock", _) if is_word => Some(self.formulas.atom(Atom::Deadlock)),
                // A transition that is enabled, or a place that has tokens.
                (_, Some(net::Node::Transition(t))) => Some(self.formulas.atom(Atom::Fireable(vec![t]))),
                (_, Some(net::Node::Place(p))) => self.formulas.compare(&[(p, 1)], ">=", 1),
                _ => return self.expected(&format!("a place or a transition, and {id:?} is none")),
            }
        };
        let f = f.filter(|_| self.formulas.atoms.len() <= MOST_ATOMS);
        f.map_or_else(|| self.expected("fewer atoms, or smaller numbers"), Ok)
    }

    /// The rest of a call of a function.
    fn call(&mut self, function: &str) -> Result<Id> {
        self.need("(")?;
        let (mut list, mut more) = (BTreeSet::new(), function == "fireable");
        while more {
            match self.name().map(|(name, _)| self.net.find(&name))? {
                Some(net::Node::Transition(t)) => list.insert(t),
                _ => return self.expected("a transition"),
            };
            more = self.eat(&[","]).is_some();
        }
        self.need(")")?;
        match function {
            "fireable" => Ok(self.formulas.atom(Atom::Fireable(list.into_iter().collect()))),
            "deadlock" => Ok(self.formulas.atom(Atom::Deadlock)),
            _ => self.expected("fireable or deadlock"),
        }
    }

    /// A sum of numbers and of places with coefficients: the terms, and the rest. As many numbers of 32 bits as a text
    /// may have do not exceed 64 bits.
    fn sum(&mut self) -> Result<(Vec<(usize, i64)>, i64)> {
        let (mut terms, mut constant) = (Vec::new(), 0);
        // A sign may be left out in front of the first part.
        let mut next = self.eat(&["-", "+"]).or(Some("+"));
        while let Some(sign) = next {
            let (mut factor, mut place, mut more) = (None, None, true);
            while more {
                let (name, is_word) = self.name()?;
                match (name.parse::<u32>(), self.net.find(&name)) {
                    (Ok(number), _) if is_word && factor.is_none() => factor = Some(i64::from(number)),
                    (_, Some(net::Node::Place(p))) if place.is_none() => place = Some(p),
                    _ => return self.expected("a place, or a number of 32 bits"),
                }
                more = self.eat(&["*"]).is_some();
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
