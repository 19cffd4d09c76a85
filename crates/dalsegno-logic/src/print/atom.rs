//! Names of propositions in the syntaxes that are printed.

use std::borrow::Cow;

use crate::parse::lexer::is_plain;

/// An identifier as it is, any other name in double quotes.
pub(super) fn infix(name: &str) -> Cow<'_, str> {
    if is_plain(name) {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(quote(name))
    }
}

/// `p` and a number as it is, any other name in double quotes.
pub(super) fn lbt(name: &str) -> Cow<'_, str> {
    if subscript(name).is_some_and(|(letter, _)| letter == "p") {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(quote(name))
    }
}

/// A letter with a number as its index, an identifier in italics, any other name as text.
pub(super) fn latex(name: &str) -> Cow<'_, str> {
    if let Some((letter, index)) = subscript(name) {
        return Cow::Owned(format!("{letter}_{{{index}}}"));
    }
    let identifier =
        !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    let mut written = String::from(if identifier { "\\mathit{" } else { "\\mbox{" });
    for c in name.chars() {
        match c {
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => written.extend(['\\', c]),
            '~' => written.push_str("\\textasciitilde{}"),
            '^' => written.push_str("\\textasciicircum{}"),
            '\\' => written.push_str("\\textbackslash{}"),
            '<' => written.push_str("\\textless{}"),
            '>' => written.push_str("\\textgreater{}"),
            '|' => written.push_str("\\textbar{}"),
            '"' => written.push_str("''"),
            c if c.is_control() => written.push(' '),
            c => written.push(c),
        }
    }
    written.push('}');
    Cow::Owned(written)
}

/// A name in double quotes.
pub(super) fn quote(name: &str) -> String {
    let mut quoted = String::with_capacity(name.len() + 2);
    quoted.push('"');
    for c in name.chars() {
        if matches!(c, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('"');
    quoted
}

/// The two parts of a name that is one letter and a number.
fn subscript(name: &str) -> Option<(&str, &str)> {
    let (letter, index) = name.split_at_checked(1)?;
    let fits = letter.as_bytes()[0].is_ascii_alphabetic()
        && !index.is_empty()
        && index.bytes().all(|c| c.is_ascii_digit());
    fits.then_some((letter, index))
}
