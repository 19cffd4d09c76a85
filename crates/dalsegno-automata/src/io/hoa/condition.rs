//! Acceptance conditions: read in full.

use std::ops::Range;

use super::error::{Error, ErrorKind};
use super::label::MAX_DEPTH;
use super::lexer::{Lexer, Token};
use crate::operations::acceptance::{Condition, Set};

/// Reads a condition over sets below `sets`.
pub(super) fn parse(lexer: &mut Lexer<'_>, sets: u32) -> Result<Condition, Error> {
    disjunction(lexer, sets, 0)
}

/// The condition of a TA: Büchi by set 0, or changes (set 2) die out in a livelock (set 1).
pub(super) fn of_ta() -> Condition {
    let livelock = Condition::All(vec![
        Condition::Fin(Set::new(2)),
        Condition::Inf(Set::new(1)),
    ]);
    Condition::Any(vec![Condition::Inf(Set::new(0)), livelock])
}

fn disjunction(lexer: &mut Lexer<'_>, sets: u32, depth: u32) -> Result<Condition, Error> {
    let mut parts = vec![conjunction(lexer, sets, depth)?];
    while lexer.take(b'|')? {
        parts.push(conjunction(lexer, sets, depth)?);
    }
    Ok(single(parts).unwrap_or_else(Condition::Any))
}

fn conjunction(lexer: &mut Lexer<'_>, sets: u32, depth: u32) -> Result<Condition, Error> {
    let mut parts = vec![atom(lexer, sets, depth)?];
    while lexer.take(b'&')? {
        parts.push(atom(lexer, sets, depth)?);
    }
    Ok(single(parts).unwrap_or_else(Condition::All))
}

fn single(mut parts: Vec<Condition>) -> Result<Condition, Vec<Condition>> {
    match parts.pop() {
        Some(part) if parts.is_empty() => Ok(part),
        Some(part) => {
            parts.push(part);
            Err(parts)
        }
        None => Err(parts),
    }
}

fn atom(lexer: &mut Lexer<'_>, sets: u32, depth: u32) -> Result<Condition, Error> {
    const EXPECTED: &str = "an acceptance condition: `t`, `f`, `Inf(…)`, `Fin(…)` or `(`";
    if lexer.at(b'(') {
        if depth == MAX_DEPTH {
            return Err(lexer.error(lexer.span.clone(), ErrorKind::TooDeep));
        }
        lexer.advance()?;
        let inner = disjunction(lexer, sets, depth + 1)?;
        lexer.demand(b')', "`)`, `&` or `|`")?;
        return Ok(inner);
    }
    if lexer.token != Token::Name {
        return Err(lexer.expected(EXPECTED));
    }
    match lexer.lexeme() {
        constant @ ("t" | "f") => {
            lexer.advance()?;
            Ok(Condition::Constant(constant == "t"))
        }
        "Inf" => Ok(Condition::Inf(set(lexer, sets)?)),
        "Fin" => Ok(Condition::Fin(set(lexer, sets)?)),
        _ => Err(lexer.expected(EXPECTED)),
    }
}

/// The set in the parentheses after `Inf` or `Fin`.
fn set(lexer: &mut Lexer<'_>, sets: u32) -> Result<Set, Error> {
    lexer.advance()?;
    lexer.demand(b'(', "`(`")?;
    let outside = lexer.take(b'!')?;
    let (index, span) = lexer.number("an acceptance set")?;
    check_set(lexer, index, span, sets)?;
    lexer.demand(b')', "`)`")?;
    Ok(Set { index, outside })
}

/// Checks that an acceptance set is one of the first `sets`.
pub(super) fn check_set(
    lexer: &Lexer<'_>,
    index: u32,
    span: Range<usize>,
    sets: u32,
) -> Result<(), Error> {
    if index < sets {
        return Ok(());
    }
    let kind = ErrorKind::OutOfRange {
        what: "acceptance set",
        index,
        count: sets as usize,
    };
    Err(lexer.error(span, kind))
}
