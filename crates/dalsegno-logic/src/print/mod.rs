//! Printers of formulas: Spot's and Spin's infix syntax, LBT's prefix syntax, and LaTeX.
//!
//! A formula is written by a loop over a stack of pieces, so no nesting is too deep. In the infix
//! syntaxes a binary operator below another operator is always in parentheses, and nothing else
//! is: `G(p0 -> Fp1)`, `(a U b) R c`, `(a & b) | GFc`. What [`FormulaStore::display`] and
//! [`FormulaStore::display_lbt`] write is read back by the parsers as the same formula.

mod atom;

use std::borrow::Cow;
use std::fmt;

use crate::parse::lexer::is_word;
use crate::store::{FormulaId, FormulaStore, Node};

/// A formula to be written in some syntax; made by [`FormulaStore::display`] and its likes.
#[derive(Clone, Copy, Debug)]
pub struct Display<'a> {
    store: &'a FormulaStore,
    formula: FormulaId,
    syntax: Syntax,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Syntax {
    Spot,
    Spin,
    Lbt,
    Latex,
    Signs,
}

impl FormulaStore {
    /// Writes a formula in Spot's infix syntax, with the path quantifiers `E` and `A`.
    ///
    /// Atoms that are no identifiers, or that would be read as operators, are put in quotes.
    ///
    /// # Examples
    /// ```
    /// use dalsegno_logic::{FormulaStore, parse};
    ///
    /// let mut store = FormulaStore::new();
    /// let f = parse(&mut store, r#"[] (p0 -> <> p1) && "Go" U Alarm"#)?;
    /// assert_eq!(store.display(f).to_string(), r#"G(p0 -> Fp1) & ("Go" U Alarm)"#);
    /// # Ok::<(), dalsegno_logic::parse::Error>(())
    /// ```
    #[must_use]
    pub fn display(&self, f: FormulaId) -> Display<'_> {
        self.display_in(f, Syntax::Spot)
    }

    /// Writes a formula in Spin's syntax: `[]`, `<>`, `X`, `U`, `V`, `&&`, `||`, `!`, `->`, `<->`.
    ///
    /// Spin lacks three operators: `f W g` becomes `g V (f || g)`, `f M g` becomes
    /// `g U (f && g)`, and `f xor g` becomes `!(f <-> g)`.
    ///
    /// # Examples
    /// ```
    /// use dalsegno_logic::{FormulaStore, parse};
    ///
    /// let mut store = FormulaStore::new();
    /// let f = parse(&mut store, "G(p0 -> Fp1) | (a R b)")?;
    /// assert_eq!(store.display_spin(f).to_string(), "[](p0 -> <>p1) || (a V b)");
    /// # Ok::<(), dalsegno_logic::parse::Error>(())
    /// ```
    #[must_use]
    pub fn display_spin(&self, f: FormulaId) -> Display<'_> {
        self.display_in(f, Syntax::Spin)
    }

    /// Writes a formula in LBT's prefix syntax.
    ///
    /// Atoms that are not `p` and a number are put in quotes.
    ///
    /// # Examples
    /// ```
    /// use dalsegno_logic::{FormulaStore, parse};
    ///
    /// let mut store = FormulaStore::new();
    /// let f = parse(&mut store, "G(p0 -> F ack)")?;
    /// assert_eq!(store.display_lbt(f).to_string(), r#"G i p0 F "ack""#);
    /// # Ok::<(), dalsegno_logic::parse::Error>(())
    /// ```
    #[must_use]
    pub fn display_lbt(&self, f: FormulaId) -> Display<'_> {
        self.display_in(f, Syntax::Lbt)
    }

    /// Writes a formula for LaTeX's mathematics mode, without packages of its own.
    ///
    /// # Examples
    /// ```
    /// use dalsegno_logic::{FormulaStore, parse};
    ///
    /// let mut store = FormulaStore::new();
    /// let f = parse(&mut store, "G(p0 -> F ack)")?;
    /// assert_eq!(
    ///     store.display_latex(f).to_string(),
    ///     r"\mathsf{G}(p_{0} \rightarrow \mathsf{F}\mathit{ack})"
    /// );
    /// # Ok::<(), dalsegno_logic::parse::Error>(())
    /// ```
    #[must_use]
    pub fn display_latex(&self, f: FormulaId) -> Display<'_> {
        self.display_in(f, Syntax::Latex)
    }

    /// Writes a formula with signs for operators and every atom in quotes: it reads back as the same formula whatever
    /// names a model has ([`crate::parse_with`]).
    ///
    /// # Examples
    /// ```
    /// use dalsegno_logic::{FormulaStore, parse};
    ///
    /// let mut store = FormulaStore::new();
    /// let f = parse(&mut store, "G(p0 -> F ack)")?;
    /// assert_eq!(store.display_signs(f).to_string(), r#"□("p0" → ◇"ack")"#);
    /// assert_eq!(parse(&mut store, r#"□("p0" → ◇"ack")"#)?, f);
    /// # Ok::<(), dalsegno_logic::parse::Error>(())
    /// ```
    #[must_use]
    pub fn display_signs(&self, f: FormulaId) -> Display<'_> {
        self.display_in(f, Syntax::Signs)
    }

    fn display_in(&self, formula: FormulaId, syntax: Syntax) -> Display<'_> {
        Display {
            store: self,
            formula,
            syntax,
        }
    }
}

impl fmt::Display for Display<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.syntax {
            Syntax::Spot => self.infix(f, &SPOT),
            Syntax::Spin => self.infix(f, &SPIN),
            Syntax::Latex => self.infix(f, &LATEX),
            Syntax::Signs => self.infix(f, &SIGNS),
            Syntax::Lbt => self.prefix(f),
        }
    }
}

/// How an infix syntax writes its operators; blanks around binary ones included.
struct Signs {
    constants: [&'static str; 2],
    not: &'static str,
    and: &'static str,
    or: &'static str,
    implies: &'static str,
    iff: &'static str,
    xor: Option<&'static str>,
    next: &'static str,
    finally: &'static str,
    globally: &'static str,
    until: &'static str,
    release: &'static str,
    weak_until: Option<&'static str>,
    strong_release: Option<&'static str>,
    exists: &'static str,
    forall: &'static str,
}

const SPOT: Signs = Signs {
    constants: ["0", "1"],
    not: "!",
    and: " & ",
    or: " | ",
    implies: " -> ",
    iff: " <-> ",
    xor: Some(" xor "),
    next: "X",
    finally: "F",
    globally: "G",
    until: " U ",
    release: " R ",
    weak_until: Some(" W "),
    strong_release: Some(" M "),
    exists: "E",
    forall: "A",
};

const SPIN: Signs = Signs {
    constants: ["false", "true"],
    and: " && ",
    or: " || ",
    xor: None,
    finally: "<>",
    globally: "[]",
    release: " V ",
    weak_until: None,
    strong_release: None,
    ..SPOT
};

const LATEX: Signs = Signs {
    constants: ["\\bot ", "\\top "],
    not: "\\lnot ",
    and: " \\land ",
    or: " \\lor ",
    implies: " \\rightarrow ",
    iff: " \\leftrightarrow ",
    xor: Some(" \\oplus "),
    next: "\\mathsf{X}",
    finally: "\\mathsf{F}",
    globally: "\\mathsf{G}",
    until: " \\mathbin{\\mathsf{U}} ",
    release: " \\mathbin{\\mathsf{R}} ",
    weak_until: Some(" \\mathbin{\\mathsf{W}} "),
    strong_release: Some(" \\mathbin{\\mathsf{M}} "),
    exists: "\\mathsf{E}",
    forall: "\\mathsf{A}",
};

/// Binary operators of time have no signs: as words they stand between operands, where they are no names.
const SIGNS: Signs = Signs {
    constants: ["⊥", "⊤"],
    not: "¬",
    and: " ∧ ",
    or: " ∨ ",
    implies: " → ",
    iff: " ↔ ",
    xor: Some(" ⊕ "),
    next: "○",
    finally: "◇",
    globally: "□",
    exists: "∃",
    forall: "∀",
    ..SPOT
};

/// What is still to be written.
#[derive(Clone, Copy)]
enum Piece {
    /// The formula that stands below no operator.
    Outermost(FormulaId),
    /// A formula below an operator.
    Operand(FormulaId),
    Sign(&'static str),
}

impl Display<'_> {
    fn infix(&self, out: &mut fmt::Formatter<'_>, signs: &Signs) -> fmt::Result {
        let mut stack = vec![Piece::Outermost(self.formula)];
        // The prefix operator written last, if nothing came after it.
        let mut before = "";
        while let Some(piece) = stack.pop() {
            let (f, nested) = match piece {
                Piece::Outermost(f) => (f, false),
                Piece::Operand(f) => (f, true),
                Piece::Sign(sign) => {
                    out.write_str(sign)?;
                    before = "";
                    continue;
                }
            };
            if let Some((sign, operand)) = self.prefix_operator(f, signs) {
                self.gap(out, before, sign)?;
                out.write_str(sign)?;
                before = sign;
                stack.push(operand);
                continue;
            }
            match self.store.node(f) {
                Node::True | Node::False => {
                    let sign = signs.constants[usize::from(f == FormulaId::TRUE)];
                    self.gap(out, before, sign)?;
                    out.write_str(sign)?;
                }
                Node::Atom(p) => {
                    let name = self.store.name(p);
                    let atom = match self.syntax {
                        Syntax::Latex => atom::latex(name),
                        Syntax::Signs => Cow::Owned(atom::quote(name)),
                        _ => atom::infix(name),
                    };
                    self.gap(out, before, &atom)?;
                    out.write_str(&atom)?;
                }
                node => {
                    let negated = matches!(node, Node::Xor(..)) && signs.xor.is_none();
                    if nested && !negated {
                        out.write_str("(")?;
                        stack.push(Piece::Sign(")"));
                    }
                    push_operands(&mut stack, node, signs);
                }
            }
            before = "";
        }
        Ok(())
    }

    /// The sign and the operand of a formula that begins with a prefix operator.
    fn prefix_operator(&self, f: FormulaId, signs: &Signs) -> Option<(&'static str, Piece)> {
        Some(match self.store.node(f) {
            Node::Not(g) => (signs.not, Piece::Operand(g)),
            Node::Next(g) => (signs.next, Piece::Operand(g)),
            Node::Finally(g) => (signs.finally, Piece::Operand(g)),
            Node::Globally(g) => (signs.globally, Piece::Operand(g)),
            Node::Exists(g) => (signs.exists, Piece::Operand(g)),
            Node::Forall(g) => (signs.forall, Piece::Operand(g)),
            _ => return None,
        })
    }

    /// Writes a blank where a prefix operator and what follows would be read as one word, or
    /// would look like one.
    fn gap(&self, out: &mut fmt::Formatter<'_>, before: &str, next: &str) -> fmt::Result {
        let needed = match (self.syntax, before) {
            (Syntax::Spot, "F" | "G" | "X") => {
                next.len() > 1 && next.starts_with(|c: char| c.is_ascii_uppercase())
            }
            (Syntax::Spot, "E" | "A") => {
                next.starts_with(is_word) && !next.starts_with(['F', 'G', 'X'])
            }
            (Syntax::Spin, "X" | "E" | "A") => next.starts_with(is_word),
            _ => false,
        };
        if needed { out.write_str(" ") } else { Ok(()) }
    }

    fn prefix(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut stack = vec![Piece::Outermost(self.formula)];
        let mut separator = "";
        while let Some(piece) = stack.pop() {
            out.write_str(separator)?;
            separator = " ";
            let f = match piece {
                Piece::Outermost(f) | Piece::Operand(f) => f,
                Piece::Sign(sign) => {
                    out.write_str(sign)?;
                    continue;
                }
            };
            let sign = match self.store.node(f) {
                Node::True => "t",
                Node::False => "f",
                Node::Atom(p) => {
                    out.write_str(&atom::lbt(self.store.name(p)))?;
                    continue;
                }
                Node::And(_) => "&",
                Node::Or(_) => "|",
                Node::Not(_) => "!",
                Node::Implies(..) => "i",
                Node::Iff(..) => "e",
                Node::Xor(..) => "^",
                Node::Next(_) => "X",
                Node::Finally(_) => "F",
                Node::Globally(_) => "G",
                Node::Until(..) => "U",
                Node::Release(..) => "V",
                Node::WeakUntil(..) => "W",
                Node::StrongRelease(..) => "M",
                Node::Exists(_) => "E",
                Node::Forall(_) => "A",
            };
            out.write_str(sign)?;
            let start = stack.len();
            for child in self.store.children(f) {
                // `& a & b c`: every operand but the first and the last is preceded by the sign.
                if stack.len() > start {
                    stack.push(Piece::Sign(sign));
                }
                stack.push(Piece::Operand(child));
            }
            if stack.len() > start + 1 {
                let last_sign = stack.len() - 2;
                stack.remove(last_sign);
            }
            stack[start..].reverse();
        }
        Ok(())
    }
}

/// Pushes the operands of an operator of two or more, the leftmost on top.
fn push_operands(stack: &mut Vec<Piece>, node: Node<'_>, signs: &Signs) {
    let start = stack.len();
    let operand = Piece::Operand;
    let mut pair = |f, sign, g| stack.extend([operand(f), Piece::Sign(sign), operand(g)]);
    match node {
        Node::And(fs) => push_list(stack, fs, signs.and),
        Node::Or(fs) => push_list(stack, fs, signs.or),
        Node::Implies(f, g) => pair(f, signs.implies, g),
        Node::Iff(f, g) => pair(f, signs.iff, g),
        Node::Until(f, g) => pair(f, signs.until, g),
        Node::Release(f, g) => pair(f, signs.release, g),
        Node::Xor(f, g) => {
            if let Some(sign) = signs.xor {
                pair(f, sign, g);
            } else {
                stack.extend([Piece::Sign(signs.not), Piece::Sign("(")]);
                stack.extend([operand(f), Piece::Sign(signs.iff), operand(g)]);
                stack.push(Piece::Sign(")"));
            }
        }
        Node::WeakUntil(f, g) => match signs.weak_until {
            Some(sign) => pair(f, sign, g),
            None => push_rewritten(stack, g, signs.release, f, signs.or),
        },
        Node::StrongRelease(f, g) => match signs.strong_release {
            Some(sign) => pair(f, sign, g),
            None => push_rewritten(stack, g, signs.until, f, signs.and),
        },
        _ => unreachable!("a constant, an atom or a prefix operator has no list of operands"),
    }
    stack[start..].reverse();
}

fn push_list(stack: &mut Vec<Piece>, fs: &[FormulaId], sign: &'static str) {
    for (i, &f) in fs.iter().enumerate() {
        if i > 0 {
            stack.push(Piece::Sign(sign));
        }
        stack.push(Piece::Operand(f));
    }
}

/// `g outer (f inner g)`, left to right.
fn push_rewritten(
    stack: &mut Vec<Piece>,
    g: FormulaId,
    outer: &'static str,
    f: FormulaId,
    inner: &'static str,
) {
    stack.extend([Piece::Operand(g), Piece::Sign(outer), Piece::Sign("(")]);
    stack.extend([Piece::Operand(f), Piece::Sign(inner), Piece::Operand(g)]);
    stack.push(Piece::Sign(")"));
}

#[cfg(test)]
mod tests;
