//! Parsers of formulas: Spot's infix syntax with path quantifiers, and LBT's prefix syntax.
//!
//! Both parsers keep their own stacks and take time linear in the text, so no nesting is too deep.
//! What a text means is documented at [`parse`] and [`parse_lbt`]; what is wrong with it is an
//! [`Error`] with a place.

mod build;
mod infix;
mod lbt;
pub(crate) mod lexer;
mod names;

use std::fmt;
use std::ops::Range;

use crate::store::{FormulaId, FormulaStore};
use crate::{caret, nearest};

pub use names::Names;

/// Parses a formula in Spot's infix syntax, with the path quantifiers `E` and `A`.
///
/// From the loosest to the tightest:
///
/// | operators | written | associate |
/// | --- | --- | --- |
/// | implication, equivalence | `->` `=>` `-->` `→` `⇒`, `<->` `<=>` `<-->` `↔` `⇔` | to the right |
/// | exclusive or | `xor` `^` `⊕` | to the left |
/// | or | `\|` `\|\|` `\/` `∨` | |
/// | and | `&` `&&` `/\` `∧` | |
/// | until, release, weak until, strong release | `U`, `R` `V`, `W`, `M` | to the right |
/// | next, finally, globally, not, some path, all paths | `X` `()` `○`, `F` `<>` `◇`, `G` `[]` `□`, `!` `~` `¬`, `E` `∃`, `A` `∀` | |
///
/// Constants are `true` and `false` in any case, `1` and `0`, `⊤` and `⊥`. An atom is an
/// identifier `[A-Za-z_][A-Za-z0-9_.]*` or any text in double quotes, where a backslash takes the
/// next character as it is; `p=1` stands for `p`, and `p=0` for `!p`.
///
/// The letters `F`, `G` and `X` at the beginning of a word are operators, so `GFa` is `G F a`, and
/// so are `E` and `A` in front of them, as in `AGp`. `E`, `A`, `U`, `R`, `V`, `W` and `M` are
/// operators as words of their own, and `Alarm` or `p0Up1` are identifiers. `E[f]` and `A[f]` are
/// `E(f)` and `A(f)`.
///
/// # Errors
/// An [`Error`] with the place where the text stops being a formula.
///
/// # Examples
/// ```
/// use dalsegno_logic::{FormulaStore, parse};
///
/// let mut store = FormulaStore::new();
/// let f = parse(&mut store, "G(req -> F ack)")?;
/// assert_eq!(f, parse(&mut store, "[] (req=1 => <> \"ack\")")?);
/// let error = parse(&mut store, "a U (b").unwrap_err();
/// assert_eq!(error.to_string(), "column 5: '(' is never closed");
/// # Ok::<(), dalsegno_logic::parse::Error>(())
/// ```
pub fn parse(store: &mut FormulaStore, text: &str) -> Result<FormulaId, Error> {
    infix::parse(store, text, None).map_err(|fault| fault.at(text))
}

/// As [`parse`], where the names of a model come before operators: `Fork_1` is that name if the model has it,
/// and not `F ork_1`.
///
/// A word that is a name and could be operators in front of another name is an error that shows both
/// spellings, and so is a word that is a name and a constant. `F`, `G`, `X`, `E`, `A` alone are operators where an
/// operand follows, and `U`, `R`, `V`, `W`, `M` and `xor` where one came before; elsewhere they may be names. A name
/// of a number with `=0` or `=1` is a comparison: the atom `p = 1`.
///
/// # Errors
/// An [`Error`] with the place where the text stops being a formula over these names.
pub fn parse_with(
    store: &mut FormulaStore,
    text: &str,
    names: &dyn Names,
) -> Result<FormulaId, Error> {
    infix::parse(store, text, Some(names)).map_err(|fault| fault.at(text))
}

/// Parses a formula in LBT's prefix syntax.
///
/// Constants are `t` and `f`; operators are `!`, `&`, `|`, `^` (exclusive or), `i` (implication),
/// `e` (equivalence), `X`, `F`, `G`, `U`, `V` and `R` (release), `W`, `M`, and the path
/// quantifiers `E` and `A`. Any other word `[A-Za-z_][A-Za-z0-9_.]*` is an atom, and so is any
/// text in double quotes, where a backslash takes the next character as it is.
///
/// # Errors
/// An [`Error`] with the place where the text stops being a formula.
///
/// # Examples
/// ```
/// use dalsegno_logic::{FormulaStore, parse, parse_lbt};
///
/// let mut store = FormulaStore::new();
/// let f = parse_lbt(&mut store, "G i p0 F p1")?;
/// assert_eq!(f, parse(&mut store, "G(p0 -> F p1)")?);
/// # Ok::<(), dalsegno_logic::parse::Error>(())
/// ```
pub fn parse_lbt(store: &mut FormulaStore, text: &str) -> Result<FormulaId, Error> {
    lbt::parse(store, text).map_err(|fault| fault.at(text))
}

/// What is wrong with a text, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct Error {
    kind: ErrorKind,
    span: Range<usize>,
    line: usize,
    column: usize,
}

/// What is wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Nothing but blanks.
    #[error("expected a formula, found nothing")]
    Empty,
    /// An operator without the operand to its right.
    #[error("expected an operand after '{0}'")]
    OperandAfter(String),
    /// A binary operator without the operand to its left.
    #[error("expected an operand before '{0}'")]
    OperandBefore(String),
    /// Two formulas side by side.
    #[error("expected an operator between '{0}' and '{1}'{hint}", hint = word(.0, .1))]
    OperatorBetween(String, String),
    /// A prefix formula is complete, and the text goes on.
    #[error("the formula is complete before '{0}'")]
    AfterFormula(String),
    /// Parentheses or brackets without a formula between them.
    #[error("expected a formula between the parentheses")]
    EmptyParentheses,
    /// An opening parenthesis or bracket without its closing one.
    #[error("'{0}' is never closed")]
    Unclosed(char),
    /// A closing parenthesis or bracket without its opening one.
    #[error("'{0}' closes nothing")]
    Unopened(char),
    /// A parenthesis closed by a bracket, or the other way round.
    #[error("'{close}' does not close '{open}'")]
    Mismatched {
        /// What was opened last.
        open: char,
        /// What was found.
        close: char,
    },
    /// A bracket that does not follow a path quantifier.
    #[error("a bracket may only follow 'E' or 'A'; use parentheses")]
    Bracket,
    /// A double quote without its partner.
    #[error("the quoted atom is never closed")]
    UnterminatedQuote,
    /// A word that begins with a digit.
    #[error("'{0}' is no name: names begin with a letter, others go into double quotes")]
    Name(String),
    /// Signs that are no operator of the syntax.
    #[error("unknown operator '{operator}'{}", hint(.operator))]
    UnknownOperator {
        /// The signs as written.
        operator: String,
    },
    /// A word that is a name of the model and something else.
    #[error(
        "'{word}' is a name of the model and could be read as '{formula}': write {name} for the name, or {formula}"
    )]
    Both {
        /// The word.
        word: String,
        /// How the name is written so that it is nothing else.
        name: String,
        /// What else the word is, written so that it is no name.
        formula: String,
    },
    /// A word that is no name of the model, and neither is what follows its operator letters.
    #[error("{0}")]
    Split(Box<Split>),
    /// A character that begins no token.
    #[error("unexpected character '{}'", .0.escape_debug())]
    Character(char),
}

/// A word that is no name of the model, and neither is what follows its operator letters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Split {
    /// The word.
    pub word: String,
    /// The word as operators and a name.
    pub formula: String,
    /// That name.
    pub rest: String,
    /// The letter that is the first operator.
    pub operator: String,
    /// The names most like the word.
    pub nearest: Vec<String>,
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "'{}' is no name of the model, nor is '{}' in '{}': put names that begin with {} into double quotes{}",
            self.word,
            self.rest,
            self.formula,
            self.operator,
            nearest::hint(&self.nearest)
        )
    }
}

impl Error {
    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The place in the text, in bytes; empty at the end of the text.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The line of the place, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column of the place, from 1, in characters.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }

    /// The message with the line of `text` it is about and a caret under the place.
    ///
    /// # Examples
    /// ```
    /// use dalsegno_logic::{FormulaStore, parse};
    ///
    /// let text = "G(a U b) c";
    /// let error = parse(&mut FormulaStore::new(), text).unwrap_err();
    /// assert_eq!(
    ///     error.render(text),
    ///     "column 10: expected an operator between ')' and 'c'\n  G(a U b) c\n           ^"
    /// );
    /// ```
    #[must_use]
    pub fn render(&self, text: &str) -> String {
        caret::render(text, self.span.clone(), &self.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 1 {
            write!(f, "line {}, ", self.line)?;
        }
        write!(f, "column {}: {}", self.column, self.kind)
    }
}

/// A kind and a span: an error before anybody has counted lines.
#[derive(Debug)]
pub(crate) struct Fault {
    kind: ErrorKind,
    span: Range<usize>,
}

impl Fault {
    fn new(kind: ErrorKind, span: Range<usize>) -> Self {
        Fault { kind, span }
    }

    fn at(self, text: &str) -> Error {
        let (line, column) = caret::position(text, self.span.start);
        Error {
            kind: self.kind,
            span: self.span,
            line,
            column,
        }
    }
}

/// The piece of text that an error message quotes, cut if it is long.
fn quoted(text: &str, span: &Range<usize>) -> String {
    const LONGEST: usize = 24;
    let piece = &text[span.clone()];
    match piece.char_indices().nth(LONGEST) {
        None => piece.to_owned(),
        Some((cut, _)) => format!("{}…", &piece[..cut]),
    }
}

fn hint(operator: &str) -> &'static str {
    match operator {
        "=" | "==" | "!=" | "<" | "<=" | "=<" | ">" | ">=" | "+" | "-" | "*" | "/" | "%" => {
            "; an atom such as \"x + y <= 2\" goes into double quotes"
        }
        "?" | ":" => "; there is no conditional operator",
        "'" => "; a name goes into double quotes",
        _ => "",
    }
}

/// How an operator is written that stands there as a word of English.
fn word(left: &str, right: &str) -> &'static str {
    let of = |word: &str| match word.to_ascii_lowercase().as_str() {
        "and" => Some("; 'and' is written '&'"),
        "or" => Some("; 'or' is written '|'"),
        "not" => Some("; 'not' is written '!'"),
        "implies" => Some("; 'implies' is written '->'"),
        "always" | "globally" => Some("; 'always' is written 'G'"),
        "eventually" | "finally" => Some("; 'finally' is written 'F'"),
        "next" => Some("; 'next' is written 'X'"),
        "until" => Some("; 'until' is written 'U'"),
        _ => None,
    };
    of(right).or_else(|| of(left)).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        parse(&mut FormulaStore::new(), text)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn messages_name_the_place_and_what_was_expected() {
        for (text, expected) in [
            ("", "column 1: expected a formula, found nothing"),
            ("  ", "column 3: expected a formula, found nothing"),
            ("a U", "column 4: expected an operand after 'U'"),
            ("a & | b", "column 5: expected an operand after '&'"),
            ("U a", "column 1: expected an operand before 'U'"),
            ("(-> a)", "column 2: expected an operand before '->'"),
            ("G", "column 2: expected an operand after 'G'"),
            ("(F)", "column 3: expected an operand after 'F'"),
            ("a b", "column 3: expected an operator between 'a' and 'b'"),
            ("a !b", "column 3: expected an operator between 'a' and '!'"),
            (
                "a and b",
                "column 3: expected an operator between 'a' and 'and'; 'and' is written '&'",
            ),
            (
                "G not a",
                "column 7: expected an operator between 'not' and 'a'; 'not' is written '!'",
            ),
            (
                "(a)(b)",
                "column 4: expected an operator between ')' and '('",
            ),
            ("G(a -> (b | c)", "column 2: '(' is never closed"),
            ("a) & b", "column 2: ')' closes nothing"),
            (")", "column 1: ')' closes nothing"),
            ("A[a U b)", "column 8: ')' does not close '['"),
            ("E(a U b]", "column 8: ']' does not close '('"),
            (
                "[a U b]",
                "column 1: a bracket may only follow 'E' or 'A'; use parentheses",
            ),
            (
                "( )",
                "column 3: expected a formula between the parentheses",
            ),
            ("a & \"b", "column 5: the quoted atom is never closed"),
            ("a & \"b\\", "column 5: the quoted atom is never closed"),
            (
                "a ? b",
                "column 3: unknown operator '?'; there is no conditional operator",
            ),
            (
                "G 'a'",
                "column 3: unknown operator '''; a name goes into double quotes",
            ),
            ("a @ b", "column 3: unknown operator '@'"),
            ("é & b", "column 1: unexpected character 'é'"),
            (
                "a &\n& b",
                "line 2, column 1: expected an operand after '&'",
            ),
            (
                "p & 2x",
                "column 5: '2x' is no name: names begin with a letter, others go into double quotes",
            ),
        ] {
            assert_eq!(message(text), expected, "for {text:?}");
        }
        for operator in ["==", "=", "!=", "<", "<=", ">=", "+", "*", "-"] {
            let text = format!("a {operator} b");
            let expected = format!(
                "column 3: unknown operator '{operator}'; an atom such as \"x + y <= 2\" goes into double quotes"
            );
            assert_eq!(message(&text), expected);
        }
    }

    #[test]
    fn long_atoms_are_cut_in_messages() {
        let text = format!("{} b", "a".repeat(1000));
        assert_eq!(
            message(&text),
            format!(
                "column 1002: expected an operator between '{}…' and 'b'",
                "a".repeat(24)
            )
        );
    }
}
