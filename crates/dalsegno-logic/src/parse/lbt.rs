//! The prefix parser: a stack of operators that wait for operands.

use std::ops::Range;

use super::build::{Binary, Operand, Prefix};
use super::lexer::{end_of_word, is_word, quoted_atom, skip_blanks};
use super::{ErrorKind, Fault, quoted};
use crate::store::{FormulaId, FormulaStore};

pub(super) fn parse(store: &mut FormulaStore, text: &str) -> Result<FormulaId, Fault> {
    let mut pending: Vec<Pending> = Vec::new();
    let mut last: Option<Range<usize>> = None;
    let mut at = 0;
    loop {
        let Some((token, span)) = next(store, text, at)? else {
            let end = last.clone().map_or(text.len(), |last| last.end);
            let kind = last.map_or(ErrorKind::Empty, |last| {
                ErrorKind::OperandAfter(quoted(text, &last))
            });
            return Err(Fault::new(kind, end..end));
        };
        at = span.end;
        last = Some(span);
        match token {
            Token::Prefix(op) => pending.push(Pending::Prefix(op)),
            Token::Binary(op) => pending.push(Pending::First(op)),
            Token::Formula(f) => {
                if let Some(result) = apply(store, &mut pending, Operand::Formula(f)) {
                    let f = result.formula(store);
                    return match skip_blanks(text, at) {
                        end if end == text.len() => Ok(f),
                        rest => Err(after_formula(text, rest)),
                    };
                }
            }
        }
    }
}

enum Token {
    Formula(FormulaId),
    Prefix(Prefix),
    Binary(Binary),
}

/// An operator and what it waits for.
enum Pending {
    Prefix(Prefix),
    First(Binary),
    Second(Binary, Operand),
}

/// Gives an operand to the operators that wait for it; the whole formula if none is left.
fn apply(
    store: &mut FormulaStore,
    pending: &mut Vec<Pending>,
    mut operand: Operand,
) -> Option<Operand> {
    loop {
        match pending.pop() {
            None => return Some(operand),
            Some(Pending::Prefix(op)) => operand = operand.prefixed(store, op),
            Some(Pending::Second(op, first)) => operand = first.joined(store, op, operand),
            Some(Pending::First(op)) => {
                pending.push(Pending::Second(op, operand));
                return None;
            }
        }
    }
}

fn next(
    store: &mut FormulaStore,
    text: &str,
    at: usize,
) -> Result<Option<(Token, Range<usize>)>, Fault> {
    let start = skip_blanks(text, at);
    let Some(c) = text[start..].chars().next() else {
        return Ok(None);
    };
    if c == '"' {
        let (name, end) = quoted_atom(text, start)?;
        return Ok(Some((Token::Formula(store.atom(&name)), start..end)));
    }
    let end = if is_word(c) {
        end_of_word(text, start)
    } else {
        start + c.len_utf8()
    };
    let token = match &text[start..end] {
        "t" | "true" => Token::Formula(FormulaId::TRUE),
        "f" | "false" => Token::Formula(FormulaId::FALSE),
        "!" => Token::Prefix(Prefix::Not),
        "X" => Token::Prefix(Prefix::Next),
        "F" => Token::Prefix(Prefix::Finally),
        "G" => Token::Prefix(Prefix::Globally),
        "E" => Token::Prefix(Prefix::Exists),
        "A" => Token::Prefix(Prefix::Forall),
        "&" => Token::Binary(Binary::And),
        "|" => Token::Binary(Binary::Or),
        "^" => Token::Binary(Binary::Xor),
        "i" => Token::Binary(Binary::Implies),
        "e" => Token::Binary(Binary::Iff),
        "U" => Token::Binary(Binary::Until),
        "V" | "R" => Token::Binary(Binary::Release),
        "W" => Token::Binary(Binary::WeakUntil),
        "M" => Token::Binary(Binary::StrongRelease),
        word if c.is_ascii_alphabetic() || c == '_' => Token::Formula(store.atom(word)),
        _ => return Err(bad(text, c, start..end)),
    };
    Ok(Some((token, start..end)))
}

fn bad(text: &str, c: char, span: Range<usize>) -> Fault {
    let kind = if c.is_ascii_digit() {
        ErrorKind::Name(quoted(text, &span))
    } else if c.is_ascii_punctuation() && c != '.' {
        let operator = c.to_string();
        ErrorKind::UnknownOperator { operator }
    } else {
        ErrorKind::Character(c)
    };
    Fault::new(kind, span)
}

fn after_formula(text: &str, start: usize) -> Fault {
    let end = text[start..]
        .find(char::is_whitespace)
        .map_or(text.len(), |length| start + length);
    let kind = ErrorKind::AfterFormula(quoted(text, &(start..end)));
    Fault::new(kind, start..end)
}

#[cfg(test)]
mod tests {
    use crate::parse::{parse, parse_lbt};
    use crate::store::FormulaStore;

    #[test]
    fn prefix_and_infix_agree() {
        let mut s = FormulaStore::new();
        for (lbt, infix) in [
            ("p0", "p0"),
            ("t", "1"),
            ("! f", "1"),
            ("G i p0 F p1", "G(p0 -> F p1)"),
            ("&&p0 p1|p2!p3", "p0 & p1 & (p2 | !p3)"),
            ("e ^ a b c", "(a xor b) <-> c"),
            ("U V a b R c d", "(a R b) U (c R d)"),
            ("W M a b X c", "(a M b) W X c"),
            ("A G E F \"x y\"", "AGEF\"x y\""),
            ("Gp0", "\"Gp0\""),
        ] {
            let f = parse_lbt(&mut s, lbt).unwrap_or_else(|e| panic!("{}", e.render(lbt)));
            assert_eq!(f, parse(&mut s, infix).unwrap(), "{lbt}");
        }
    }

    #[test]
    fn messages_name_the_place() {
        let mut s = FormulaStore::new();
        for (text, expected) in [
            ("", "column 1: expected a formula, found nothing"),
            ("U p0 ", "column 5: expected an operand after 'p0'"),
            ("G", "column 2: expected an operand after 'G'"),
            ("p0 p1", "column 4: the formula is complete before 'p1'"),
            ("& p0 (p1)", "column 6: unknown operator '('"),
            (
                "! 7",
                "column 3: '7' is no name: names begin with a letter, others go into double quotes",
            ),
            ("! \"a", "column 3: the quoted atom is never closed"),
        ] {
            assert_eq!(parse_lbt(&mut s, text).unwrap_err().to_string(), expected);
        }
    }
}
