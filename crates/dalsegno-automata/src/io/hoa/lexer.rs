//! The tokens of the HOA format.
//!
//! Tokens borrow from the text; numbers and strings are decoded when the grammar asks for them, so
//! that headers for other tools may hold any number.

use std::ops::Range;

use super::error::{Error, ErrorKind};
use crate::omega::state_id::StateId;

/// The kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A name with a colon.
    Header,
    /// A name.
    Name,
    /// Digits.
    Number,
    /// A quoted text, quotes included.
    Text,
    /// A name after `@`.
    Alias,
    /// One of `( ) [ ] { } & | !`.
    Sign(u8),
    /// `--BODY--`
    Body,
    /// `--END--`
    End,
    /// `--ABORT--`
    Abort,
    /// The end of the text.
    Eof,
}

/// A text and the token to be read next.
pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    /// The token to be read next and its place.
    pub(super) token: Token,
    pub(super) span: Range<usize>,
}

impl<'a> Lexer<'a> {
    /// Starts at the first token of `text`.
    pub(super) fn new(text: &'a str) -> Result<Self, Error> {
        Lexer::starting_at(text, 0)
    }

    /// Starts at the first token from a position of `text` on.
    pub(super) fn starting_at(text: &'a str, position: usize) -> Result<Self, Error> {
        let mut lexer = Lexer {
            text,
            token: Token::Eof,
            span: position..position,
        };
        lexer.advance()?;
        Ok(lexer)
    }

    /// Goes to the next token and returns the place of the one left behind.
    pub(super) fn advance(&mut self) -> Result<Range<usize>, Error> {
        let left = self.span.clone();
        let bytes = self.text.as_bytes();
        let start = self.skip_blank(self.span.end)?;
        let rest = &bytes[start..];
        let run = |from: usize, ok: fn(u8) -> bool| {
            rest[from..].iter().take_while(|&&b| ok(b)).count() + from
        };
        let (token, length) = match rest.first() {
            None => (Token::Eof, 0),
            Some(b'"') => (Token::Text, self.string_length(start)?),
            Some(b'0'..=b'9') => (Token::Number, run(0, |b| b.is_ascii_digit())),
            Some(b'@') if run(1, is_name_byte) > 1 => (Token::Alias, run(1, is_name_byte)),
            Some(&b) if b.is_ascii_alphabetic() || b == b'_' => {
                let length = run(0, is_name_byte);
                if rest.get(length) == Some(&b':') {
                    (Token::Header, length + 1)
                } else {
                    (Token::Name, length)
                }
            }
            Some(&b @ (b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'&' | b'|' | b'!')) => {
                (Token::Sign(b), 1)
            }
            _ if rest.starts_with(b"--BODY--") => (Token::Body, 8),
            _ if rest.starts_with(b"--END--") => (Token::End, 7),
            _ if rest.starts_with(b"--ABORT--") => (Token::Abort, 9),
            _ => {
                let c = self.text[start..].chars().next().unwrap_or('\0');
                return Err(self.error(start..start + c.len_utf8(), ErrorKind::Character(c)));
            }
        };
        self.token = token;
        self.span = start..start + length;
        Ok(left)
    }

    /// The position of the first byte from `at` on that is neither blank nor comment.
    fn skip_blank(&self, mut at: usize) -> Result<usize, Error> {
        let bytes = self.text.as_bytes();
        while let Some(&b) = bytes.get(at) {
            if b.is_ascii_whitespace() {
                at += 1;
            } else if bytes[at..].starts_with(b"/*") {
                let open = at;
                let mut depth = 1usize;
                at += 2;
                while depth > 0 {
                    match bytes.get(at..at + 2) {
                        Some(b"/*") => (depth, at) = (depth + 1, at + 2),
                        Some(b"*/") => (depth, at) = (depth - 1, at + 2),
                        Some(_) => at += 1,
                        None => return Err(self.error(open..open + 2, ErrorKind::OpenComment)),
                    }
                }
            } else {
                break;
            }
        }
        Ok(at)
    }

    fn string_length(&self, start: usize) -> Result<usize, Error> {
        let mut escaped = false;
        for (i, &b) in self.text.as_bytes()[start..].iter().enumerate().skip(1) {
            match b {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => return Ok(i + 1),
                _ => {}
            }
        }
        Err(self.error(start..start + 1, ErrorKind::OpenString))
    }

    /// The text of the token to be read next.
    pub(super) fn lexeme(&self) -> &'a str {
        &self.text[self.span.clone()]
    }

    /// Whether the next token is the given sign.
    pub(super) fn at(&self, sign: u8) -> bool {
        self.token == Token::Sign(sign)
    }

    /// Takes the given sign, if it is next.
    pub(super) fn take(&mut self, sign: u8) -> Result<bool, Error> {
        let found = self.at(sign);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Takes the given sign.
    pub(super) fn demand(&mut self, sign: u8, name: &'static str) -> Result<(), Error> {
        if self.take(sign)? {
            Ok(())
        } else {
            Err(self.expected(name))
        }
    }

    /// Takes a number.
    pub(super) fn number(&mut self, what: &'static str) -> Result<(u32, Range<usize>), Error> {
        if self.token != Token::Number {
            return Err(self.expected(what));
        }
        let digits = self.lexeme();
        let value = match digits.parse() {
            Ok(value) if digits.len() == 1 || !digits.starts_with('0') => value,
            _ => return Err(self.error(self.span.clone(), ErrorKind::Number)),
        };
        Ok((value, self.advance()?))
    }

    /// Takes the number of a state, and where it is.
    pub(super) fn state(&mut self, what: &'static str) -> Result<(StateId, Range<usize>), Error> {
        let (number, span) = self.number(what)?;
        match StateId::try_new(number as usize) {
            Some(state) => Ok((state, span)),
            None => Err(self.error(span, ErrorKind::Number)),
        }
    }

    /// Takes a string, its escapes resolved.
    pub(super) fn string(&mut self, what: &'static str) -> Result<(String, Range<usize>), Error> {
        if self.token != Token::Text {
            return Err(self.expected(what));
        }
        let quoted = self.lexeme();
        let mut value = String::with_capacity(quoted.len() - 2);
        let mut chars = quoted[1..quoted.len() - 1].chars();
        while let Some(c) = chars.next() {
            value.push(if c == '\\' {
                chars.next().unwrap_or(c)
            } else {
                c
            });
        }
        Ok((value, self.advance()?))
    }

    /// Takes a string, if one is next.
    pub(super) fn optional_string(&mut self) -> Result<Option<String>, Error> {
        if self.token == Token::Text {
            Ok(Some(self.string("a string")?.0))
        } else {
            Ok(None)
        }
    }

    /// An error at `span`.
    pub(super) fn error(&self, span: Range<usize>, kind: ErrorKind) -> Error {
        Error::new(self.text, span, kind)
    }

    /// The error that the next token is not what the grammar expects.
    pub(super) fn expected(&self, expected: &'static str) -> Error {
        let kind = match self.token {
            Token::Eof => ErrorKind::Truncated,
            Token::Abort => ErrorKind::Aborted,
            _ => ErrorKind::Expected {
                expected,
                found: format!("`{}`", shortened(self.lexeme())),
            },
        };
        self.error(self.span.clone(), kind)
    }
}

fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-'
}

/// At most 40 characters of `text`.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Result<Vec<Token>, ErrorKind> {
        let mut lexer = Lexer::new(text).map_err(|e| e.kind)?;
        let mut found = Vec::new();
        while lexer.token != Token::Eof {
            found.push(lexer.token);
            lexer.advance().map_err(|e| e.kind)?;
        }
        Ok(found)
    }

    #[test]
    fn names_headers_and_comments_are_told_apart() {
        assert_eq!(
            tokens("acc-name: Buchi /* a /* nested */ one */ @a-1 \"x\\\"y\" 12 --BODY--"),
            Ok(vec![
                Token::Header,
                Token::Name,
                Token::Alias,
                Token::Text,
                Token::Number,
                Token::Body
            ])
        );
    }

    #[test]
    fn open_ends_are_errors() {
        assert_eq!(tokens("/* /* */"), Err(ErrorKind::OpenComment));
        assert_eq!(tokens("/*/"), Err(ErrorKind::OpenComment));
        assert_eq!(tokens("\"abc\\\""), Err(ErrorKind::OpenString));
        assert_eq!(tokens("é"), Err(ErrorKind::Character('é')));
        assert_eq!(tokens("@"), Err(ErrorKind::Character('@')));
        assert_eq!(tokens("--BOD"), Err(ErrorKind::Character('-')));
    }
}
