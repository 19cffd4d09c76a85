//! From bytes to a text without characters that XML forbids, and from references to characters.

use std::borrow::Cow;

use super::{Fault, XmlError};

/// The text of a file: UTF-8, or Latin-1 if the declaration says so.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Fault> {
    let fault = |error, offset| Err(Fault { error, offset });
    if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [b'<', 0, ..] | [0, b'<', ..] = bytes {
        return fault(XmlError::Utf16, 0);
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => {
            if !declares_latin_1(bytes) {
                return fault(XmlError::Encoding, error.valid_up_to());
            }
            Cow::Owned(bytes.iter().map(|&b| char::from(b)).collect())
        }
    };
    let control = |b: u8| b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r');
    match text.bytes().position(control) {
        Some(offset) => fault(
            XmlError::Character(char::from(text.as_bytes()[offset])),
            offset,
        ),
        None => Ok(text),
    }
}

/// The text of a file that [`decode`] refuses, for an error at a place of it.
pub(crate) fn shown(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(_) if declares_latin_1(bytes) => {
            Cow::Owned(bytes.iter().map(|&b| char::from(b)).collect())
        }
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

fn declares_latin_1(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(200)];
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let declaration = head.split("?>").next().unwrap_or_default();
    ["iso-8859-1", "latin1", "windows-1252"]
        .iter()
        .any(|name| declaration.contains(name))
}

/// The character that a reference stands for; `name` is what is between `&` and `;`.
pub(super) fn referenced(name: &str) -> Result<char, XmlError> {
    let unknown = || XmlError::Entity(name.chars().take(40).collect());
    let Some(number) = name.strip_prefix('#') else {
        return Ok(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            _ => return Err(unknown()),
        });
    };
    let (digits, radix) = match number.strip_prefix('x') {
        Some(hex) => (hex, 16),
        None => (number, 10),
    };
    // The standard parser of numbers takes a sign.
    let code = match digits.as_bytes() {
        [b'+', ..] => None,
        _ => u32::from_str_radix(digits, radix).ok(),
    };
    let c = code.and_then(char::from_u32).ok_or_else(unknown)?;
    match c {
        '\t' | '\n' | '\r' => Ok(c),
        '\0'..' ' | '\u{fffe}' | '\u{ffff}' => Err(XmlError::Character(c)),
        c => Ok(c),
    }
}

/// The value of an attribute, with its references replaced.
pub(super) fn unescape(raw: &str) -> Result<Cow<'_, str>, XmlError> {
    if !raw.contains('&') {
        return Ok(Cow::Borrowed(raw));
    }
    let mut value = String::with_capacity(raw.len());
    let mut pieces = raw.split('&');
    value.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let Some((name, rest)) = piece.split_once(';') else {
            let message = "`&` without `;` in an attribute";
            return Err(XmlError::Malformed(message.to_owned()));
        };
        value.push(referenced(name)?);
        value.push_str(rest);
    }
    Ok(Cow::Owned(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_1_is_read_if_declared() {
        let text = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>";
        assert!(decode(text).unwrap().ends_with("<a>é</a>"));
        assert_eq!(decode(b"<a>\xe9</a>").unwrap_err().offset, 3);
        assert_eq!(decode(b"\xef\xbb\xbf<a/>").unwrap(), "<a/>");
    }

    #[test]
    fn what_is_no_text_of_ours_is_named() {
        let error = |bytes: &[u8]| decode(bytes).map(Cow::into_owned).unwrap_err();
        assert_eq!(error(b"\xff\xfe<\0a\0").error, XmlError::Utf16);
        assert_eq!(error(b"<\0a\0>\0").error, XmlError::Utf16);
        assert_eq!(error(b"\0<\0a\0>").error, XmlError::Utf16);
        let nul = error(b"<a>x\0y</a>");
        assert_eq!((nul.error, nul.offset), (XmlError::Character('\0'), 4));
        assert_eq!(error(b"<a>\x1b[2J</a>").offset, 3);
    }

    #[test]
    fn references_are_those_of_xml() {
        assert_eq!(unescape("a&lt;&#65;&#x42;").unwrap(), "a<AB");
        assert!(matches!(unescape("&#0;"), Err(XmlError::Character('\0'))));
        assert!(matches!(unescape("&#x1b;"), Err(XmlError::Character(_))));
        for wrong in ["&nbsp;", "&#+65;", "&#;", "&#x110000;", "&#xd800;"] {
            assert!(
                matches!(unescape(wrong), Err(XmlError::Entity(_))),
                "{wrong}"
            );
        }
        assert!(matches!(unescape("a & b"), Err(XmlError::Malformed(_))));
    }
}
