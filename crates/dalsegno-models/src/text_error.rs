//! Faults in texts that people write: what is wrong, where, and the line with a caret under it.

use std::fmt;
use std::ops::Range;

use dalsegno_logic::caret;

/// A fault of some kind in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError<K> {
    /// What is wrong.
    pub kind: K,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The message, the line and a caret.
    drawn: String,
}

impl<K: fmt::Display> TextError<K> {
    /// A fault at some bytes of a text.
    #[must_use]
    pub fn new(kind: K, text: &str, span: Range<usize>) -> Self {
        let (line, column) = caret::position(text, span.start);
        let drawn = caret::render(text, span, &kind.to_string());
        TextError {
            kind,
            line,
            column,
            drawn,
        }
    }
}

impl<K> fmt::Display for TextError<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {}, column {}: {}",
            self.line, self.column, self.drawn
        )
    }
}

impl<K: std::error::Error> std::error::Error for TextError<K> {}
