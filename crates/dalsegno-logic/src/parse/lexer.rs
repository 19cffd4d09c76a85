//! Tokens of the infix syntax.
//!
//! A word is a maximal run of `[A-Za-z0-9_.]`, and one word may hold several tokens: `GFa` is
//! `G`, `F` and `a`. The lexer remembers where the word ends, so that a word of a hundred thousand
//! `X` is read once and not a hundred thousand times.
//!
//! Where the names of a model are known, they come before operators: see [`super::names`].

use std::borrow::Cow;
use std::ops::Range;

use super::build::{Binary, Prefix};
use super::names::{Meaning, Names, meaning};
use super::{ErrorKind, Fault};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token<'a> {
    Constant(bool),
    Atom(Cow<'a, str>),
    /// An atom followed by `=0`.
    NegatedAtom(Cow<'a, str>),
    Prefix(Prefix),
    Binary(Binary),
    /// `(` or `[`
    Open(char),
    /// `)` or `]`
    Close(char),
}

/// Signs and what they mean; a sign comes before its own prefixes.
const SIGNS: [(&str, Token<'static>); 41] = [
    ("()", Token::Prefix(Prefix::Next)),
    ("(", Token::Open('(')),
    (")", Token::Close(')')),
    ("!", Token::Prefix(Prefix::Not)),
    ("~", Token::Prefix(Prefix::Not)),
    ("&&", Token::Binary(Binary::And)),
    ("&", Token::Binary(Binary::And)),
    ("||", Token::Binary(Binary::Or)),
    ("|", Token::Binary(Binary::Or)),
    ("->", Token::Binary(Binary::Implies)),
    ("-->", Token::Binary(Binary::Implies)),
    ("=>", Token::Binary(Binary::Implies)),
    ("<->", Token::Binary(Binary::Iff)),
    ("<-->", Token::Binary(Binary::Iff)),
    ("<=>", Token::Binary(Binary::Iff)),
    ("<>", Token::Prefix(Prefix::Finally)),
    ("[]", Token::Prefix(Prefix::Globally)),
    ("[", Token::Open('[')),
    ("]", Token::Close(']')),
    ("^", Token::Binary(Binary::Xor)),
    ("/\\", Token::Binary(Binary::And)),
    ("\\/", Token::Binary(Binary::Or)),
    ("¬", Token::Prefix(Prefix::Not)),
    ("∧", Token::Binary(Binary::And)),
    ("∨", Token::Binary(Binary::Or)),
    ("→", Token::Binary(Binary::Implies)),
    ("⇒", Token::Binary(Binary::Implies)),
    ("↔", Token::Binary(Binary::Iff)),
    ("⇔", Token::Binary(Binary::Iff)),
    ("⊕", Token::Binary(Binary::Xor)),
    ("□", Token::Prefix(Prefix::Globally)),
    ("◻", Token::Prefix(Prefix::Globally)),
    ("◇", Token::Prefix(Prefix::Finally)),
    ("◊", Token::Prefix(Prefix::Finally)),
    ("♢", Token::Prefix(Prefix::Finally)),
    ("○", Token::Prefix(Prefix::Next)),
    ("◯", Token::Prefix(Prefix::Next)),
    ("∃", Token::Prefix(Prefix::Exists)),
    ("∀", Token::Prefix(Prefix::Forall)),
    ("⊤", Token::Constant(true)),
    ("⊥", Token::Constant(false)),
];

pub(crate) struct Lexer<'a> {
    text: &'a str,
    names: Option<&'a dyn Names>,
    at: usize,
    /// The end of the word that `at` stands in, or anything up to `at` outside of words.
    word_end: usize,
    /// Where that word begins.
    word_start: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str, names: Option<&'a dyn Names>) -> Self {
        Lexer {
            text,
            names,
            at: 0,
            word_end: 0,
            word_start: 0,
        }
    }

    /// The next token and its place, or `None` at the end of the text. `operand` tells whether one is expected
    /// here, or an operator: names of one letter are told from operators by that.
    pub(crate) fn next(
        &mut self,
        operand: bool,
    ) -> Result<Option<(Token<'a>, Range<usize>)>, Fault> {
        if self.at >= self.word_end {
            self.at = skip_blanks(self.text, self.at);
        }
        let start = self.at;
        let Some(c) = self.text[start..].chars().next() else {
            return Ok(None);
        };
        let token = if c == '"' {
            let (name, end) = quoted_atom(self.text, start)?;
            self.at = end;
            self.atom(name)
        } else if is_word(c) {
            self.word(operand)?
        } else {
            self.sign()?
        };
        Ok(Some((token, start..self.at)))
    }

    fn word(&mut self, operand: bool) -> Result<Token<'a>, Fault> {
        let start = self.at;
        if self.at >= self.word_end {
            self.word_end = end_of_word(self.text, start);
            self.word_start = start;
        }
        let word = &self.text[start..self.word_end];
        let span = self.word_start..self.word_end;
        if let Some(names) = self.names {
            let alone = || operand && !self.operand_follows();
            match meaning(names, word, alone) {
                Meaning::Name => {
                    self.at = self.word_end;
                    return Ok(self.atom(Cow::Borrowed(word)));
                }
                Meaning::Both(formula) => {
                    let kind = ErrorKind::both(word, formula);
                    return Err(Fault::new(kind, start..self.word_end));
                }
                Meaning::Operator => {}
            }
        }
        let (token, length) = match classify(word) {
            Word::Operator(token, length) => (token, length),
            Word::Identifier => {
                if let Some(names) = self.names
                    && start > self.word_start
                {
                    // Neither the word nor what its first letters leave of it is a name.
                    let kind = ErrorKind::split(names, &self.text[span.clone()], word);
                    return Err(Fault::new(kind, span));
                }
                self.at = self.word_end;
                return Ok(self.atom(Cow::Borrowed(word)));
            }
            Word::Bad => {
                if let Some(names) = self.names
                    && start > self.word_start
                {
                    let kind = ErrorKind::split(names, &self.text[span.clone()], word);
                    return Err(Fault::new(kind, span));
                }
                let span = start..self.word_end;
                let kind = if word.starts_with('.') {
                    ErrorKind::Character('.')
                } else {
                    ErrorKind::Name(super::quoted(self.text, &span))
                };
                return Err(Fault::new(kind, span));
            }
        };
        self.at += length;
        Ok(token)
    }

    /// Whether what comes after the current word can only be the beginning of an operand.
    fn operand_follows(&self) -> bool {
        let rest = &self.text[skip_blanks(self.text, self.word_end)..];
        match rest.chars().next() {
            None => false,
            Some('"') => true,
            Some(c) if is_word(c) => {
                let word = &rest[..end_of_word(rest, 0)];
                !matches!(classify(word), Word::Operator(Token::Binary(_), _))
            }
            Some(_) => {
                let sign = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign));
                let begins = |token: &Token<'_>| {
                    matches!(
                        token,
                        Token::Prefix(_) | Token::Open(_) | Token::Constant(_)
                    )
                };
                sign.is_some_and(|(_, token)| begins(token))
            }
        }
    }

    /// The token of an atom that ends here, with `=0` or `=1` if that follows. A name that stands for a number
    /// is compared with it.
    fn atom(&mut self, name: Cow<'a, str>) -> Token<'a> {
        let equals = skip_blanks(self.text, self.at);
        if !self.text[equals..].starts_with('=') {
            return Token::Atom(name);
        }
        let value = skip_blanks(self.text, equals + 1);
        let end = end_of_word(self.text, value);
        match &self.text[value..end] {
            digit @ ("0" | "1") => {
                self.at = end;
                if self.names.is_some_and(|names| names.is_number(&name)) {
                    Token::Atom(Cow::Owned(format!("{name} = {digit}")))
                } else if digit == "0" {
                    Token::NegatedAtom(name)
                } else {
                    Token::Atom(name)
                }
            }
            _ => Token::Atom(name),
        }
    }

    fn sign(&mut self) -> Result<Token<'a>, Fault> {
        let start = self.at;
        let rest = &self.text[start..];
        let unknown = |length: usize| {
            let operator = rest[..length].to_owned();
            let kind = ErrorKind::UnknownOperator { operator };
            Err(Fault::new(kind, start..start + length))
        };
        if rest.starts_with("!=") {
            return unknown(2);
        }
        if let Some((sign, token)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            self.at += sign.len();
            return Ok(token.clone());
        }
        match rest.find(|c: char| !c.is_ascii_punctuation() || "()[]\"!~_".contains(c)) {
            Some(0) => {
                let c = rest.chars().next().unwrap_or_default();
                let span = start..start + c.len_utf8();
                Err(Fault::new(ErrorKind::Character(c), span))
            }
            Some(length) => unknown(length.min(8)),
            None => unknown(rest.len().min(8)),
        }
    }
}

/// Whether a name, written without quotes, is read back as the same atom.
pub(crate) fn is_plain(name: &str) -> bool {
    name.starts_with(is_word)
        && end_of_word(name, 0) == name.len()
        && matches!(classify(name), Word::Identifier)
}

/// Reads the quoted atom that begins at `start`: its name, and where the text goes on.
pub(crate) fn quoted_atom(text: &str, start: usize) -> Result<(Cow<'_, str>, usize), Fault> {
    let body = start + 1;
    let bytes = text.as_bytes();
    let mut name: Option<String> = None;
    let (mut copied, mut at) = (body, body);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let rest = &text[copied..at];
                let name = match name {
                    None => Cow::Borrowed(rest),
                    Some(name) => Cow::Owned(name + rest),
                };
                return Ok((name, at + 1));
            }
            b'\\' => {
                name.get_or_insert_default().push_str(&text[copied..at]);
                copied = at + 1;
                at += 2;
            }
            _ => at += 1,
        }
    }
    Err(Fault::new(ErrorKind::UnterminatedQuote, start..text.len()))
}

pub(crate) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

pub(crate) fn end_of_word(text: &str, start: usize) -> usize {
    text[start..]
        .find(|c| !is_word(c))
        .map_or(text.len(), |length| start + length)
}

pub(crate) fn skip_blanks(text: &str, start: usize) -> usize {
    text.len() - text[start..].trim_start().len()
}

pub(super) enum Word {
    /// A token of that many bytes at the beginning of the word.
    Operator(Token<'static>, usize),
    Identifier,
    Bad,
}

/// What a word, or what is left of it, begins with; takes constant time.
pub(super) fn classify(word: &str) -> Word {
    let whole = |token| Word::Operator(token, word.len());
    if word == "1" || word.eq_ignore_ascii_case("true") {
        return whole(Token::Constant(true));
    }
    if word == "0" || word.eq_ignore_ascii_case("false") {
        return whole(Token::Constant(false));
    }
    match word {
        "U" => return whole(Token::Binary(Binary::Until)),
        "R" | "V" => return whole(Token::Binary(Binary::Release)),
        "W" => return whole(Token::Binary(Binary::WeakUntil)),
        "M" => return whole(Token::Binary(Binary::StrongRelease)),
        "xor" => return whole(Token::Binary(Binary::Xor)),
        _ => {}
    }
    let bytes = word.as_bytes();
    let quantifies = matches!(bytes.get(1), None | Some(b'F' | b'G' | b'X'));
    let prefix = match bytes.first() {
        Some(b'F') => Prefix::Finally,
        Some(b'G') => Prefix::Globally,
        Some(b'X') => Prefix::Next,
        Some(b'E') if quantifies => Prefix::Exists,
        Some(b'A') if quantifies => Prefix::Forall,
        Some(c) if c.is_ascii_alphabetic() || *c == b'_' => return Word::Identifier,
        _ => return Word::Bad,
    };
    Word::Operator(Token::Prefix(prefix), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        let mut lexer = Lexer::new(text, None);
        std::iter::from_fn(|| lexer.next(true).unwrap()).count()
    }

    #[test]
    fn signs_come_before_their_prefixes() {
        for (i, (sign, _)) in SIGNS.iter().enumerate() {
            assert!(
                SIGNS[..i]
                    .iter()
                    .all(|(earlier, _)| !sign.starts_with(earlier)),
                "{sign} is never found"
            );
            assert_eq!(count(sign), 1);
        }
    }

    #[test]
    fn words_are_split_after_leading_operators_only() {
        for (word, tokens) in [
            ("GFa", 3),
            ("XXp", 3),
            ("FGp0", 3),
            ("AGp", 3),
            ("EGEFp", 5),
            ("E", 1),
            ("Exit", 1),
            ("Alarm", 1),
            ("A1", 1),
            ("p0Up1", 1),
            ("Up", 1),
            ("FAlarm", 2),
            ("Ftrue", 2),
            ("G1", 2),
            ("FALSE", 1),
            ("a.GF", 1),
        ] {
            assert_eq!(count(word), tokens, "for {word}");
        }
    }

    #[test]
    fn plain_names_are_those_that_need_no_quotes() {
        for name in ["p0", "Exit", "_x", "a.b", "p0Up1", "t"] {
            assert!(is_plain(name), "{name}");
        }
        for name in [
            "", "1", "true", "False", "U", "F", "Foo", "AG", "a b", "é", "xor", ".a", "2x",
        ] {
            assert!(!is_plain(name), "{name}");
        }
    }

    #[test]
    fn quotes_take_what_follows_a_backslash_as_it_is() {
        let (name, end) = quoted_atom(r#""a \"b\" \\ \é" c"#, 0).unwrap();
        assert_eq!(name, r#"a "b" \ é"#);
        assert_eq!(end, 16);
    }
}
