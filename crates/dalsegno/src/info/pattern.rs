//! Patterns of names.

use std::fmt;

/// A pattern of names: with `*` (any characters) or `?` (one character) a glob that the whole name has to match,
/// otherwise a text that the name contains. Upper and lower case are alike.
///
/// # Examples
/// ```
/// use dalsegno::info::Pattern;
///
/// assert!(Pattern::new("eat").matches("Eat_12"));
/// assert!(Pattern::new("Eat_?").matches("Eat_1"));
/// assert!(!Pattern::new("Eat_?").matches("Eat_12"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    text: String,
    lower: Vec<char>,
    glob: bool,
}

impl Pattern {
    /// The pattern of a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Pattern {
            text: text.to_owned(),
            lower: lower(text),
            glob: text.contains(['*', '?']),
        }
    }

    /// Whether a name is meant.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let name = lower(name);
        if self.glob {
            return glob(&self.lower, &name);
        }
        let wanted = self.lower.len();
        wanted == 0 || name.windows(wanted).any(|part| part == self.lower)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn lower(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Matches from left to right; a `*` takes one character more where the rest does not match, and only the last `*`
/// has to try again, so that the work is the product of both lengths.
fn glob(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut retry = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                retry = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match &mut retry {
                Some((star, taken)) => {
                    *taken += 1;
                    (p, n) = (*star + 1, *taken);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By definition, without cleverness.
    fn slowly(pattern: &[char], name: &[char]) -> bool {
        match pattern.split_first() {
            None => name.is_empty(),
            Some(('*', rest)) => (0..=name.len()).any(|i| slowly(rest, &name[i..])),
            Some((c, rest)) => match name.split_first() {
                Some((first, more)) => (*c == '?' || c == first) && slowly(rest, more),
                None => false,
            },
        }
    }

    #[test]
    fn globs_agree_with_their_definition() {
        let words = |letters: &[char]| -> Vec<Vec<char>> {
            let mut words: Vec<Vec<char>> = vec![vec![]];
            for length in 0..5 {
                let longer: Vec<Vec<char>> = words
                    .iter()
                    .filter(|word| word.len() == length)
                    .flat_map(|word| letters.iter().map(move |&c| [&word[..], &[c]].concat()))
                    .collect();
                words.extend(longer);
            }
            words
        };
        let names = words(&['a', 'b']);
        let mut matched = 0;
        for pattern in words(&['a', 'b', '*', '?']) {
            for name in &names {
                assert_eq!(
                    glob(&pattern, name),
                    slowly(&pattern, name),
                    "{pattern:?} {name:?}"
                );
                matched += usize::from(glob(&pattern, name));
            }
        }
        assert!(matched > 1000);
    }

    #[test]
    fn a_text_without_signs_is_contained() {
        assert!(Pattern::new("").matches("anything"));
        assert!(Pattern::new("NK_1").matches("Think_1"));
        assert!(!Pattern::new("think_12").matches("Think_1"));
        assert!(Pattern::new("*_1").matches("Think_1"));
        assert_eq!(Pattern::new("*_1").to_string(), "*_1");
    }
}
