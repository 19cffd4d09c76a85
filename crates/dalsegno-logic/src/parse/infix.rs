//! The infix parser: operator precedence with two explicit stacks.

use std::ops::Range;

use super::build::{Binary, Operand, Prefix};
use super::lexer::{Lexer, Token};
use super::names::Names;
use super::{ErrorKind, Fault, quoted};
use crate::store::{FormulaId, FormulaStore};

pub(super) fn parse<'a>(
    store: &'a mut FormulaStore,
    text: &'a str,
    names: Option<&'a dyn Names>,
) -> Result<FormulaId, Fault> {
    let mut parser = Parser {
        store,
        text,
        lexer: Lexer::new(text, names),
        operands: Vec::new(),
        pending: Vec::new(),
        last: None,
    };
    loop {
        parser.operand()?;
        if let Some(f) = parser.operator()? {
            return Ok(f);
        }
    }
}

/// What waits for the operand to its right.
enum Pending {
    Prefix(Prefix),
    Binary(Binary),
    Open(char, usize),
}

struct Parser<'a> {
    store: &'a mut FormulaStore,
    text: &'a str,
    lexer: Lexer<'a>,
    /// One operand per pending binary operator, and one more after [`Parser::operand`].
    operands: Vec<Operand>,
    pending: Vec<Pending>,
    /// The place of the token read last.
    last: Option<Range<usize>>,
}

impl Parser<'_> {
    /// Reads prefix operators and opening parentheses up to a constant or an atom.
    fn operand(&mut self) -> Result<(), Fault> {
        loop {
            let Some((token, span)) = self.lexer.next(true)? else {
                return Err(self.operand_missing());
            };
            match token {
                Token::Prefix(op) => self.pending.push(Pending::Prefix(op)),
                Token::Open('[') if !self.after_quantifier() => {
                    return Err(Fault::new(ErrorKind::Bracket, span));
                }
                Token::Open(c) => self.pending.push(Pending::Open(c, span.start)),
                Token::Constant(value) => {
                    let f = [FormulaId::FALSE, FormulaId::TRUE][usize::from(value)];
                    self.push(f, span);
                    return Ok(());
                }
                Token::Atom(name) => {
                    let f = self.store.atom(&name);
                    self.push(f, span);
                    return Ok(());
                }
                Token::NegatedAtom(name) => {
                    let atom = self.store.atom(&name);
                    let f = self.store.not(atom);
                    self.push(f, span);
                    return Ok(());
                }
                Token::Binary(_) | Token::Close(_) => {
                    return Err(self.operand_expected(&token, span));
                }
            }
            self.last = Some(span);
        }
    }

    fn push(&mut self, f: FormulaId, span: Range<usize>) {
        self.operands.push(Operand::Formula(f));
        self.last = Some(span);
    }

    /// Reads closing parentheses up to a binary operator; at the end of the text, the formula.
    fn operator(&mut self) -> Result<Option<FormulaId>, Fault> {
        loop {
            while let Some(&Pending::Prefix(op)) = self.pending.last() {
                self.pending.pop();
                let operand = self.pop();
                self.operands.push(operand.prefixed(self.store, op));
            }
            let Some((token, span)) = self.lexer.next(false)? else {
                return self.finish().map(Some);
            };
            match token {
                Token::Binary(op) => {
                    self.reduce(|top| top.binds_before(op));
                    let operand = self.pop().settled(self.store, op);
                    self.operands.push(operand);
                    self.pending.push(Pending::Binary(op));
                    self.last = Some(span);
                    return Ok(None);
                }
                Token::Close(close) => self.close(close, &span)?,
                _ => return Err(self.operator_expected(&span)),
            }
            self.last = Some(span);
        }
    }

    fn close(&mut self, close: char, span: &Range<usize>) -> Result<(), Fault> {
        self.reduce(|_| true);
        let kind = match self.pending.pop() {
            Some(Pending::Open('(', _)) if close == ')' => return Ok(()),
            Some(Pending::Open('[', _)) if close == ']' => return Ok(()),
            Some(Pending::Open(open, _)) => ErrorKind::Mismatched { open, close },
            _ => ErrorKind::Unopened(close),
        };
        Err(Fault::new(kind, span.clone()))
    }

    fn finish(&mut self) -> Result<FormulaId, Fault> {
        self.reduce(|_| true);
        if let Some(&Pending::Open(c, at)) = self.pending.last() {
            return Err(Fault::new(ErrorKind::Unclosed(c), at..at + 1));
        }
        let result = self.pop();
        Ok(result.formula(self.store))
    }

    /// Applies the pending binary operators that `takes` allows, the innermost first.
    fn reduce(&mut self, takes: impl Fn(Binary) -> bool) {
        while let Some(&Pending::Binary(op)) = self.pending.last() {
            if !takes(op) {
                break;
            }
            self.pending.pop();
            let (right, left) = (self.pop(), self.pop());
            self.operands.push(left.joined(self.store, op, right));
        }
    }

    fn pop(&mut self) -> Operand {
        self.operands
            .pop()
            .expect("every pending operator has its operands")
    }

    fn after_quantifier(&self) -> bool {
        matches!(
            self.pending.last(),
            Some(Pending::Prefix(Prefix::Exists | Prefix::Forall))
        )
    }

    fn operand_missing(&self) -> Fault {
        let end = self.text.len();
        match (&self.last, self.pending.last()) {
            (None, _) => Fault::new(ErrorKind::Empty, end..end),
            (_, Some(&Pending::Open(c, at))) => Fault::new(ErrorKind::Unclosed(c), at..at + 1),
            (Some(last), _) => {
                let operator = quoted(self.text, last);
                Fault::new(ErrorKind::OperandAfter(operator), last.end..last.end)
            }
        }
    }

    fn operand_expected(&self, found: &Token<'_>, span: Range<usize>) -> Fault {
        let kind = match (&self.last, self.pending.last(), found) {
            (None, _, &Token::Close(c)) => ErrorKind::Unopened(c),
            (_, Some(Pending::Open(..)), Token::Close(_)) => ErrorKind::EmptyParentheses,
            (None, ..) | (_, Some(Pending::Open(..)), _) => {
                ErrorKind::OperandBefore(quoted(self.text, &span))
            }
            (Some(last), ..) => ErrorKind::OperandAfter(quoted(self.text, last)),
        };
        Fault::new(kind, span)
    }

    fn operator_expected(&self, span: &Range<usize>) -> Fault {
        let left = self.last.clone().unwrap_or_default();
        let kind = ErrorKind::OperatorBetween(quoted(self.text, &left), quoted(self.text, span));
        Fault::new(kind, span.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use crate::parse::parse;
    use crate::store::{FormulaId, FormulaStore, Node};

    /// Asserts that the two texts are the same formula.
    fn same(a: &str, b: &str) {
        let mut s = FormulaStore::new();
        let f = parse(&mut s, a).unwrap_or_else(|e| panic!("{}", e.render(a)));
        let g = parse(&mut s, b).unwrap_or_else(|e| panic!("{}", e.render(b)));
        assert_eq!(f, g, "{a} and {b}");
    }

    #[test]
    fn operators_bind_as_documented() {
        same("a -> b -> c", "a -> (b -> c)");
        same("a -> b <-> c", "a -> (b <-> c)");
        same("a <-> b -> c", "a <-> (b -> c)");
        same("a xor b -> c | d", "(a xor b) -> (c | d)");
        same("a xor b xor c", "(a xor b) xor c");
        same("a | b & c", "a | (b & c)");
        same("a & b U c", "a & (b U c)");
        same("a U b U c", "a U (b U c)");
        same("a U b R c W d M e", "a U (b R (c W (d M e)))");
        same("F a U b", "(F a) U b");
        same("!a U b", "(!a) U b");
        same("a U F b U c", "a U ((F b) U c)");
        same("X!F a & b", "(X(!(F(a)))) & b");
        same("A a U b", "(A a) U b");
        same("E G p & q", "(E(G p)) & q");
    }

    #[test]
    fn every_spelling_is_known() {
        same("a && b /\\ c ∧ d", "a & b & c & d");
        same("a || b \\/ c ∨ d", "a | b | c | d");
        same("a => b --> c → d ⇒ e", "a -> (b -> (c -> (d -> e)))");
        same("a <=> b <--> c ↔ d", "a <-> (b <-> (c <-> d))");
        same("a ^ b ⊕ c", "a xor b xor c");
        same("[]<>a", "GFa");
        same("()a", "Xa");
        same("□◇○¬a", "GFX!a");
        same("a V b", "a R b");
        same("~a", "!a");
        same("a=1 & b = 0", "a & !b");
        same("!\"x y\"=0", "\"x y\"");
        same("true U a & False | 0", "(1 U a) & 0");
        same("\"p0\"U\"p 1\"", "p0 U \"p 1\"");
    }

    #[test]
    fn path_quantifiers_take_parentheses_brackets_and_letters() {
        same("A[p U q]", "A(p U q)");
        same("E[p U q] & A[[]p U q]", "E(p U q) & A((Gp) U q)");
        same("AGEFp", "A G E F p");
        same("A[]p", "AGp");
        same("∀□∃◇p", "AGEFp");
        same("FAlarm & Exit", "F(Alarm) & (Exit)");
    }

    #[test]
    fn quoted_atoms_are_names_like_others() {
        let mut s = FormulaStore::new();
        let f = parse(&mut s, r#""P1 + 2*P2 <= P3""#).unwrap();
        assert!(matches!(s.node(f), Node::Atom(p) if s.name(p) == "P1 + 2*P2 <= P3"));
        assert_eq!(parse(&mut s, "\"1\"").unwrap(), s.atom("1"));
        assert_eq!(parse(&mut s, "1").unwrap(), FormulaId::TRUE);
        assert_eq!(parse(&mut s, "\"a\"").unwrap(), s.atom("a"));
    }

    #[test]
    fn a_million_parentheses_are_no_problem() {
        let mut s = FormulaStore::new();
        let text = format!("{}a{}", "(".repeat(1_000_000), ")".repeat(1_000_000));
        assert_eq!(parse(&mut s, &text).unwrap(), s.atom("a"));
        assert!(parse(&mut s, &text[..1_000_100]).is_err());
    }

    #[test]
    fn long_chains_take_linear_space() {
        let mut s = FormulaStore::new();
        let n = 100_000;
        let mut text = "(".repeat(n);
        text.push('p');
        for i in 0..n {
            let _ = write!(text, " & p{i})");
        }
        let f = parse(&mut s, &text).unwrap();
        assert!(matches!(s.node(f), Node::And(fs) if fs.len() == n + 1));
        assert_eq!(s.len(), n + 4);
    }
}
