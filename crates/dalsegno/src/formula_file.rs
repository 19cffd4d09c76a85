//! Files of formulas: one per line, maybe with a name.
//!
//! ```text
//! # two philosophers do not eat together
//! exclusion: G !(Eat_1 & Eat_2)
//! AG EF Eat_1     # no name, and a path quantifier: CTL
//! ```
//!
//! A name is a word of letters, digits, `_`, `-` and `.` with a colon behind it. A `#` at the beginning of a line or behind a
//! blank begins a comment, unless it is in double quotes. The ending of the file tells the logic: `.ltl` (where `A f` is
//! as good as `f`), `.ctl`, `.ctlstar`; in every other file a formula without path quantifiers is LTL, one of the form of CTL is CTL, and
//! others are CTL*.

use std::sync::Arc;

use crate::asked::{Asked, Line, Logic, PropertyFile};
use crate::error::Error;

/// Whether a file has a formula per line: its ending says so, or it does not look like XML.
pub(crate) fn is_one(file: &PropertyFile) -> bool {
    if ending(&file.name) == "xml" {
        return false;
    }
    let bytes = file
        .bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(&file.bytes);
    let start = bytes.trim_ascii_start();
    // What is XML in another encoding is left to its reader, which says so.
    !matches!(
        start,
        [b'<' | 0, ..] | [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | []
    ) || ["ltl", "ctl", "ctlstar", "txt"].contains(&ending(&file.name))
}

fn ending(name: &str) -> &str {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// The formulas of a file.
///
/// # Errors
/// If it is not text, or has no formula.
pub(crate) fn read(file: &PropertyFile) -> Result<Vec<Asked>, Error> {
    let logic = match ending(&file.name) {
        "ltl" => Logic::Ltl,
        "ctl" => Logic::Ctl,
        "ctlstar" => Logic::CtlStar,
        _ => Logic::Any,
    };
    let Ok(text) = std::str::from_utf8(&file.bytes) else {
        return Err(Error::NoFormulas(
            file.name.clone(),
            "it is not text in UTF-8",
        ));
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let name: Arc<str> = file.name.as_str().into();
    let mut found = Vec::new();
    for (number, whole) in (1..).zip(text.lines()) {
        let line = without_comment(whole).trim();
        if line.is_empty() {
            continue;
        }
        let (title, formula) = split_name(line);
        let indent = whole.len() - whole.trim_start().len();
        let after = indent + line.len() - formula.len();
        found.push(Asked {
            name: title.to_owned(),
            line: Some(Line {
                file: Arc::clone(&name),
                number,
                text: whole.into(),
                formula: after,
            }),
            ..Asked::formula(logic, formula)
        });
    }
    if found.is_empty() {
        return Err(Error::NoFormulas(
            file.name.clone(),
            "there is no formula in it",
        ));
    }
    Ok(found)
}

fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let mut blank = true;
    for (at, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '#' if blank && !quoted => return &line[..at],
            _ => {}
        }
        blank = c.is_whitespace();
    }
    line
}

/// The name and the formula of a line.
fn split_name(line: &str) -> (&str, &str) {
    let word = |c: char| c.is_alphanumeric() || ['_', '-', '.'].contains(&c);
    match line.split_once(':') {
        Some((name, formula)) if !name.trim().is_empty() && name.trim().chars().all(word) => {
            (name.trim(), formula.trim())
        }
        _ => ("", line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asked::About;

    fn asked(name: &str, text: &str) -> Vec<(usize, String, Logic, String)> {
        let file = PropertyFile::new(name, text.as_bytes().to_vec());
        assert!(is_one(&file), "{name}");
        let all = Asked::file(file).unwrap().into_iter();
        let parts = all.map(|asked| match asked.about {
            About::Formula(logic, text) => (asked.line.unwrap().number, asked.name, logic, text),
            about => panic!("{about:?}"),
        });
        parts.collect()
    }

    #[test]
    fn lines_have_names_comments_and_formulas() {
        let text = "\u{feff}# a comment\r\n\r\nsafe-1 : G !\"x # y = 1\"  # why\n  F a#b\n\t\n\"P: a -> b #2\" U c\n";
        let line =
            |n, name: &str, formula: &str| (n, name.to_owned(), Logic::Any, formula.to_owned());
        assert_eq!(
            asked("p.txt", text),
            [
                line(3, "safe-1", "G !\"x # y = 1\""),
                line(4, "", "F a#b"),
                line(6, "", "\"P: a -> b #2\" U c"),
            ]
        );
    }

    #[test]
    fn the_ending_tells_the_logic() {
        for (name, logic) in [
            ("a.ltl", Logic::Ltl),
            ("a.ctl", Logic::Ctl),
            ("a.ctlstar", Logic::CtlStar),
            ("a.ltl.gz", Logic::Ltl),
            ("-", Logic::Any),
        ] {
            assert_eq!(asked(name, "G a")[0].2, logic, "{name}");
        }
        let xml = |name: &str, text: &str| is_one(&PropertyFile::new(name, text.into()));
        assert!(!xml("LTLFireability.xml", "G a") && !xml("-", " <property-set/>"));
        assert!(xml("a.ltl", "<- a"));
    }

    #[test]
    fn files_without_formulas_are_refused() {
        for bytes in [&b""[..], b"# nothing\n\n", b"\xc3\x28"] {
            let file = PropertyFile::new("a.ltl", bytes.to_vec());
            assert!(matches!(Asked::file(file), Err(Error::NoFormulas(..))));
        }
    }
}
