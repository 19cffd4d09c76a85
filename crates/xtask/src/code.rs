//! Rust text without its comments and literals.

/// The text with comments and the contents of literals blanked, line by line as before.
pub(crate) fn code_only(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut i = 0;
    while i < chars.len() {
        let end = skipped(&chars, i);
        if end == i {
            code.push(chars[i]);
            i += 1;
        } else {
            let blanked = chars[i..end].iter();
            code.extend(blanked.map(|&c| if c == '\n' { '\n' } else { ' ' }));
            i = end;
        }
    }
    code
}

/// The end of the comment or literal that starts at `i`, or `i`.
fn skipped(chars: &[char], i: usize) -> usize {
    let at = |k: usize| chars.get(k).copied().unwrap_or('\0');
    match (at(i), at(i + 1)) {
        ('/', '/') => (i..chars.len())
            .find(|&k| chars[k] == '\n')
            .unwrap_or(chars.len()),
        ('/', '*') => {
            let (mut depth, mut k) = (1, i + 2);
            while depth > 0 && k < chars.len() {
                match (at(k), at(k + 1)) {
                    ('/', '*') => (depth, k) = (depth + 1, k + 2),
                    ('*', '/') => (depth, k) = (depth - 1, k + 2),
                    _ => k += 1,
                }
            }
            k.min(chars.len())
        }
        ('"', _) => closing(chars, i + 1, '"'),
        ('r', '"' | '#') if i == 0 || !is_word(chars[i - 1]) || chars[i - 1] == 'b' => {
            let hashes = chars[i + 1..].iter().take_while(|&&c| c == '#').count();
            if at(i + 1 + hashes) != '"' {
                return i;
            }
            let body = i + 2 + hashes;
            (body..chars.len())
                .find(|&k| at(k) == '"' && (1..=hashes).all(|h| at(k + h) == '#'))
                .map_or(chars.len(), |k| k + 1 + hashes)
        }
        ('\'', '\\') => closing(chars, i + 1, '\''),
        // Otherwise it is a lifetime.
        ('\'', _) if at(i + 2) == '\'' => i + 3,
        _ => i,
    }
}

/// The position after the next `quote` that is not escaped.
fn closing(chars: &[char], mut i: usize, quote: char) -> usize {
    while i < chars.len() {
        match chars[i] {
            '\\' => i += 2,
            c if c == quote => return i + 1,
            _ => i += 1,
        }
    }
    chars.len()
}

/// Whether `word` stands in `code` and is not a part of a longer word.
pub(crate) fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        !code[..at].ends_with(is_word) && !code[at + word.len()..].starts_with(is_word)
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked() {
        let text =
            "a // unsafe\nb /* unsafe /* x */ */ \"unsafe \\\" \" c r#\"un\"safe\"# 'u' '\\'' d";
        let code = code_only(text);
        assert_eq!(code.split_whitespace().collect::<String>(), "abcd");
        assert_eq!(code.lines().count(), 2);
        assert_eq!(code_only("fn f<'a>(x: &'a str)"), "fn f<'a>(x: &'a str)");
        assert_eq!(code_only("\"open"), "     ");
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("pub unsafe fn", "unsafe"));
        assert!(!has_word("unsafe_code", "unsafe"));
        assert!(!has_word("#[expect(my_unsafe)]", "unsafe"));
    }
}
