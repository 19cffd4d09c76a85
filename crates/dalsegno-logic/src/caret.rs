//! Error messages with the text they are about and a caret under the place.
//!
//! Every parser of dalsegno reports a byte span; this file is the only one that draws it.

use std::ops::Range;

/// The most characters of a line that are shown; a longer line is cut around the caret.
const WIDTH: usize = 80;

/// The line and the column of a byte offset, both from 1, the column in characters.
///
/// An offset beyond the text counts as its end, one inside a character as its beginning.
///
/// # Examples
/// ```
/// assert_eq!(dalsegno_logic::caret::position("a U\nb", 4), (2, 1));
/// ```
#[must_use]
pub fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..boundary(text, offset)];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (line, before[start..].chars().count() + 1)
}

/// The message, the line of `text` where `span` begins, and carets under the span.
///
/// A span that goes on beyond its line is marked up to the end of the line, and an empty one by
/// one caret. Offsets outside of the text are moved into it. No newline at the end.
///
/// # Examples
/// ```
/// let shown = dalsegno_logic::caret::render("a ? b", 2..3, "unknown operator");
/// assert_eq!(shown, "unknown operator\n  a ? b\n    ^");
/// ```
#[must_use]
pub fn render(text: &str, span: Range<usize>, message: &str) -> String {
    let begin = boundary(text, span.start);
    let line_start = text[..begin].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[begin..].find('\n').map_or(text.len(), |n| begin + n);
    let end = boundary(text, span.end).clamp(begin, line_end);

    let line: Vec<char> = text[line_start..line_end]
        .trim_end_matches('\r')
        .chars()
        .map(visible)
        .collect();
    let column = text[line_start..begin].chars().count();
    let carets = text[begin..end].chars().count().max(1);
    let (from, to) = window(line.len(), column);

    let mut shown: String = line[from..to].iter().collect();
    let mut indent = column - from;
    if from > 0 {
        shown.insert(0, '…');
        indent += 1;
    }
    if to < line.len() {
        shown.push('…');
    }
    let carets = carets.min((to - column.min(to)).max(1));
    format!(
        "{message}\n  {shown}\n  {}{}",
        " ".repeat(indent),
        "^".repeat(carets)
    )
}

/// The largest character boundary that is at most `offset`.
fn boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// Every character takes one column, so that the caret line needs blanks only.
fn visible(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

/// The part of a line of `len` characters that is shown around `column`.
fn window(len: usize, column: usize) -> (usize, usize) {
    if len <= WIDTH {
        return (0, len);
    }
    let from = column.saturating_sub(WIDTH / 2).min(len - WIDTH);
    (from, from + WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_place() {
        assert_eq!(render("ab cd", 3..5, "m"), "m\n  ab cd\n     ^^");
        assert_eq!(render("ab", 2..2, "m"), "m\n  ab\n    ^");
        assert_eq!(render("", 0..0, "m"), "m\n  \n  ^");
    }

    #[test]
    fn columns_are_characters_and_tabs_are_blanks() {
        assert_eq!(render("\té x", 4..5, "m"), "m\n   é x\n     ^");
        assert_eq!(position("\té x", 4), (1, 4));
    }

    #[test]
    fn only_the_line_of_the_place_is_shown() {
        assert_eq!(render("one\r\ntwo\r\nthree", 5..12, "m"), "m\n  two\n  ^^^");
        assert_eq!(position("one\r\ntwo", 7), (2, 3));
    }

    #[test]
    fn long_lines_are_cut_around_the_caret() {
        let text = format!("{}?{}", "a".repeat(500), "b".repeat(500));
        let shown = render(&text, 500..501, "m");
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[1].chars().count() <= WIDTH + 4);
        let column = lines[2].chars().position(|c| c == '^');
        assert_eq!(lines[1].chars().position(|c| c == '?'), column);
        assert!(render(&text, 1001..1001, "m").ends_with('^'));
    }

    #[test]
    fn offsets_outside_of_the_text_are_moved_into_it() {
        assert_eq!(render("é", 1..99, "m"), "m\n  é\n  ^");
        assert_eq!(position("é", 1), (1, 1));
        assert_eq!(position("é", 99), (1, 2));
    }
}
