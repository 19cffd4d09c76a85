//! Labels of edges: Boolean expressions over proposition numbers.
//!
//! Reading makes decision diagrams. Their size can be exponential in the text, so every operation is
//! charged with the product of the sizes of its operands, which bounds its cost, and the sum may
//! not exceed a constant plus a multiple of the length of the text.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::error::{Error, ErrorKind};
use super::lexer::{Lexer, Token, shortened};
use crate::bdd::{Bdd, Manager};

/// Parentheses may be nested so deep.
pub(super) const MAX_DEPTH: u32 = 200;

/// The diagrams of the labels of one document.
pub(super) struct Labels {
    pub(super) manager: Manager,
    aliases: FxHashMap<String, Bdd>,
    /// What operations may still cost.
    credit: u64,
}

impl Labels {
    /// No label yet; `length` is that of the text.
    pub(super) fn new(length: usize) -> Self {
        Labels {
            manager: Manager::new(),
            aliases: FxHashMap::default(),
            credit: (1 << 20) + 256 * length as u64,
        }
    }

    /// Reads a label expression over propositions below `propositions`.
    pub(super) fn parse(
        &mut self,
        lexer: &mut Lexer<'_>,
        propositions: usize,
    ) -> Result<Bdd, Error> {
        self.disjunction(lexer, propositions, 0)
    }

    /// Reads a whole string as a label expression; `span` is the place of the string.
    pub(super) fn parse_string(
        &mut self,
        lexer: &Lexer<'_>,
        string: &str,
        span: &Range<usize>,
        propositions: usize,
    ) -> Result<Bdd, Error> {
        let moved = |e: Error| lexer.error(span.clone(), e.kind);
        let mut inner = Lexer::new(string).map_err(moved)?;
        let label = self.parse(&mut inner, propositions).map_err(moved)?;
        if inner.token == Token::Eof {
            Ok(label)
        } else {
            Err(moved(inner.expected("the end of the expression")))
        }
    }

    /// Defines an alias that stands next, with its expression.
    pub(super) fn define(
        &mut self,
        lexer: &mut Lexer<'_>,
        propositions: usize,
    ) -> Result<(), Error> {
        if lexer.token != Token::Alias {
            return Err(lexer.expected("an alias"));
        }
        let name = lexer.lexeme()[1..].to_owned();
        let span = lexer.advance()?;
        let label = self.parse(lexer, propositions)?;
        if self.aliases.contains_key(&name) {
            return Err(lexer.error(span, ErrorKind::DuplicateAlias(name)));
        }
        self.aliases.insert(name, label);
        Ok(())
    }

    /// The disjunction of two labels; `span` is where to complain.
    pub(super) fn or(
        &mut self,
        lexer: &Lexer<'_>,
        span: &Range<usize>,
        f: Bdd,
        g: Bdd,
    ) -> Result<Bdd, Error> {
        self.charge(lexer, span, f, g)?;
        let label = self.manager.or(f, g);
        label.map_err(|_| lexer.error(span.clone(), ErrorKind::TooComplex))
    }

    fn charge(
        &mut self,
        lexer: &Lexer<'_>,
        span: &Range<usize>,
        f: Bdd,
        g: Bdd,
    ) -> Result<(), Error> {
        let cost = node_count(&self.manager, f).saturating_mul(node_count(&self.manager, g));
        match self.credit.checked_sub(cost) {
            Some(rest) => {
                self.credit = rest;
                Ok(())
            }
            None => Err(lexer.error(span.clone(), ErrorKind::TooComplex)),
        }
    }

    fn disjunction(&mut self, lexer: &mut Lexer<'_>, n: usize, depth: u32) -> Result<Bdd, Error> {
        let mut label = self.conjunction(lexer, n, depth)?;
        while lexer.at(b'|') {
            let span = lexer.advance()?;
            let other = self.conjunction(lexer, n, depth)?;
            label = self.or(lexer, &span, label, other)?;
        }
        Ok(label)
    }

    fn conjunction(&mut self, lexer: &mut Lexer<'_>, n: usize, depth: u32) -> Result<Bdd, Error> {
        let mut label = self.literal(lexer, n, depth)?;
        while lexer.at(b'&') {
            let span = lexer.advance()?;
            let other = self.literal(lexer, n, depth)?;
            self.charge(lexer, &span, label, other)?;
            let both = self.manager.and(label, other);
            label = both.map_err(|_| lexer.error(span, ErrorKind::TooComplex))?;
        }
        Ok(label)
    }

    fn literal(&mut self, lexer: &mut Lexer<'_>, n: usize, depth: u32) -> Result<Bdd, Error> {
        let mut negated = false;
        while lexer.take(b'!')? {
            negated = !negated;
        }
        let span = lexer.span.clone();
        let label = match lexer.token {
            Token::Number => {
                let (index, _) = lexer.number("a proposition")?;
                if index as usize >= n {
                    let kind = ErrorKind::OutOfRange {
                        what: "proposition",
                        index,
                        count: n,
                    };
                    return Err(lexer.error(span, kind));
                }
                let label = self.manager.variable(index);
                label.map_err(|_| lexer.error(span.clone(), ErrorKind::TooComplex))?
            }
            Token::Name if matches!(lexer.lexeme(), "t" | "f") => {
                let value = lexer.lexeme() == "t";
                lexer.advance()?;
                if value { Bdd::TRUE } else { Bdd::FALSE }
            }
            Token::Alias => {
                let name = &lexer.lexeme()[1..];
                let Some(&label) = self.aliases.get(name) else {
                    return Err(lexer.error(span, ErrorKind::UnknownAlias(shortened(name))));
                };
                lexer.advance()?;
                label
            }
            Token::Sign(b'(') if depth == MAX_DEPTH => {
                return Err(lexer.error(span, ErrorKind::TooDeep));
            }
            Token::Sign(b'(') => {
                lexer.advance()?;
                let label = self.disjunction(lexer, n, depth + 1)?;
                lexer.demand(b')', "`)`, `&` or `|`")?;
                label
            }
            _ => return Err(lexer.expected("a label: `t`, `f`, a proposition, an alias or `(`")),
        };
        if negated {
            self.charge(lexer, &span, label, Bdd::TRUE)?;
            let label = self.manager.not(label);
            label.map_err(|_| lexer.error(span, ErrorKind::TooComplex))
        } else {
            Ok(label)
        }
    }
}

/// The number of nodes of a diagram, at least 1.
fn node_count(manager: &Manager, f: Bdd) -> u64 {
    if f.is_constant() || (manager.low(f).is_constant() && manager.high(f).is_constant()) {
        return 1;
    }
    let mut seen = FxHashSet::default();
    let mut stack = vec![f];
    while let Some(f) = stack.pop() {
        if !f.is_constant() && seen.insert(f) {
            stack.extend([manager.low(f), manager.high(f)]);
        }
    }
    seen.len() as u64
}

/// A label in the syntax of the format: a short disjunction of conjunctions, or the name of an alias if
/// that would be long; see [`aliases`].
pub(super) fn print(manager: &mut Manager, label: Bdd) -> String {
    if label == Bdd::FALSE {
        return "f".to_owned();
    }
    match manager.cubes(label, MAX_CUBES) {
        Some(cubes) => {
            let products: Vec<String> = cubes.iter().map(|cube| print_cube(cube)).collect();
            products.join(" | ")
        }
        None => operand(label),
    }
}

/// A disjunction with more conjunctions than this is written by aliases.
const MAX_CUBES: usize = 512;

/// The definitions of the aliases that labels need which are too long as disjunctions: one for each
/// node of their diagrams, in an order in which each uses only those before it.
pub(super) fn aliases(manager: &mut Manager, labels: impl Iterator<Item = Bdd>) -> Vec<String> {
    let mut nodes: Vec<Bdd> = Vec::new();
    for label in labels {
        if nodes.binary_search(&label).is_err() && manager.cubes(label, MAX_CUBES).is_none() {
            nodes.extend(manager.nodes_of(label));
            nodes.sort_unstable();
            nodes.dedup();
        }
    }
    let define = |node: Bdd| {
        let (var, low, high) = (manager.var(node), manager.low(node), manager.high(node));
        let (low, high) = (operand(low), operand(high));
        format!("{} {var} & {high} | !{var} & {low}", operand(node))
    };
    nodes.into_iter().map(define).collect()
}

fn operand(node: Bdd) -> String {
    match node {
        Bdd::FALSE => "f".to_owned(),
        Bdd::TRUE => "t".to_owned(),
        node => format!("@n{}", node.index()),
    }
}

fn print_cube(cube: &[(u32, bool)]) -> String {
    if cube.is_empty() {
        return "t".to_owned();
    }
    let literals: Vec<String> = cube
        .iter()
        .map(|&(var, positive)| format!("{}{var}", if positive { "" } else { "!" }))
        .collect();
    literals.join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<String, ErrorKind> {
        let mut lexer = Lexer::new(text).map_err(|e| e.kind)?;
        let mut labels = Labels::new(text.len());
        let label = labels.parse(&mut lexer, 64).map_err(|e| e.kind)?;
        Ok(print(&mut labels.manager, label))
    }

    #[test]
    fn conjunction_binds_tighter_than_disjunction() {
        assert_eq!(parse("0&1|!2"), Ok("0&1 | !2".to_owned()));
        assert_eq!(parse("!(0|1)"), Ok("!0&!1".to_owned()));
        assert_eq!(parse("!!t"), Ok("t".to_owned()));
        assert_eq!(parse("0&!0"), Ok("f".to_owned()));
    }

    #[test]
    fn hostile_labels_are_refused() {
        let deep = "(".repeat(100_000);
        assert_eq!(parse(&deep), Err(ErrorKind::TooDeep));
        assert_eq!(parse(&format!("{}0", "!".repeat(99_999))), parse("!0"));
        let wide: Vec<String> = (0..32).map(|i| format!("{i}&{}", i + 32)).collect();
        assert_eq!(parse(&wide.join("|")), Err(ErrorKind::TooComplex));
        assert!(matches!(parse("64"), Err(ErrorKind::OutOfRange { .. })));
    }
}
