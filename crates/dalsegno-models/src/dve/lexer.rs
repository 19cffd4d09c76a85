//! The tokens of DVE.

use std::ops::Range;

use super::ErrorKind;
use crate::watch::Watch;

/// A token. Keywords are names here: the parser knows where they are meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    Name(&'a str),
    Number(i32),
    Sign(&'static str),
    End,
}

/// The longer ones first.
const SIGNS: [&str; 33] = [
    "->", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "{", "}", "(", ")", "[", "]", ";", ",",
    ":", ".", "?", "!", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "~",
];

pub(super) type Fault = (ErrorKind, Range<usize>);

/// The tokens of a text with their places; the last one is [`Token::End`].
pub(super) fn tokens<'a>(
    text: &'a str,
    watch: &Watch<'_>,
) -> Result<Vec<(Token<'a>, Range<usize>)>, Fault> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let stopped = |stop| (ErrorKind::Stopped(stop), at..at);
        watch.spend(1).map_err(stopped)?;
        if c.is_whitespace() {
            at += c.len_utf8();
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let close = comment.find("*/");
            let close = close.ok_or((ErrorKind::OpenComment, at..at + 2))?;
            at += close + 4;
        } else {
            let (token, length) =
                token(rest, c).map_err(|(kind, length)| (kind, at..at + length))?;
            // Two vectors while it grows.
            watch
                .keep(2 * size_of::<(Token<'_>, Range<usize>)>())
                .map_err(stopped)?;
            found.push((token, at..at + length));
            at += length;
        }
    }
    found.push((Token::End, text.len()..text.len()));
    Ok(found)
}

fn token(rest: &str, first: char) -> Result<(Token<'_>, usize), (ErrorKind, usize)> {
    let run = |fits: fn(char) -> bool| rest.find(|c| !fits(c)).unwrap_or(rest.len());
    if first.is_ascii_digit() {
        let length = run(|c| c.is_ascii_digit());
        let number = rest[..length].parse();
        return match number {
            Ok(number) => Ok((Token::Number(number), length)),
            Err(_) => Err((ErrorKind::Number, length)),
        };
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let length = run(|c| c.is_ascii_alphanumeric() || c == '_');
        return Ok((Token::Name(&rest[..length]), length));
    }
    let sign = SIGNS.iter().find(|s| rest.starts_with(**s));
    match sign {
        Some(sign) => Ok((Token::Sign(sign), sign.len())),
        None => Err((ErrorKind::Character(first), first.len_utf8())),
    }
}
