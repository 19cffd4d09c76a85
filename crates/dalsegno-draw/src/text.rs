//! Widths of texts, and texts made shorter.
//!
//! The reader's fonts are not known. Widths are those of a wide sans-serif font (Verdana, `DejaVu Sans`), so that a text
//! needs at most the space that is kept for it.

/// The width of a text in a font of this size.
#[must_use]
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size
}

/// The width of a character in a font of size 1.
fn advance(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '\'' | '|' => 0.32,
        'f' | 't' | 'r' | ' ' | '.' | ',' | ':' | ';' | '!' | '(' | ')' | '[' | ']' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 1.0,
        '<' | '>' | '=' | '+' | '&' | '~' | '#' => 0.84,
        'A'..='Z' => 0.74,
        '0'..='9' | 'a'..='z' | '_' | '-' | '"' | '{' | '}' => 0.64,
        '₀'..='₉' => 0.44,
        '\u{300}'..='\u{36f}' => 0.0,
        // Ideographs, and what else is as wide as high.
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' => 1.05,
        '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{1f000}'..='\u{3ffff}' => 1.4,
        _ => 0.8,
    }
}

/// The text with at most so many characters, cut out in the middle: names of nets often differ at their ends.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(1);
    let (head, tail) = (kept - kept / 2, kept / 2);
    let start = text.chars().take(head);
    start
        .chain(['…'])
        .chain(text.chars().skip(count - tail))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_lose_their_middle() {
        assert_eq!(shortened("abcdef", 6), "abcdef");
        assert_eq!(shortened("abcdefg", 6), "abc…fg");
        assert_eq!(shortened("äöüß", 3), "ä…ß");
        assert_eq!(shortened("ab", 0), "…");
    }

    #[test]
    fn wide_characters_are_wide() {
        assert!(width("iii", 10.0) < width("WWW", 10.0));
        assert!(width("並行", 10.0) > 20.0);
    }
}
