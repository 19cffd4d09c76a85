//! Words of a formula that are names of a model.
//!
//! In Spot's syntax `Fork_1` is `F ork_1`. Where a model says which names there are, a word that is one of them is that
//! name. Nothing is guessed: where a word has two meanings that fit, the parser asks for another spelling.

use super::lexer::{Token, Word, classify};
use super::{ErrorKind, Split};

/// The names that formulas over a model may use.
pub trait Names {
    /// Whether a word is a name.
    fn knows(&self, word: &str) -> bool;

    /// Whether a name stands for a number, so that `name=1` compares it.
    fn is_number(&self, name: &str) -> bool;

    /// The length of the longest name, in bytes: longer words are none.
    fn longest(&self) -> usize;

    /// The names most like a word, for messages.
    fn nearest(&self, word: &str) -> Vec<String>;
}

/// What a word, or what is left of it, is.
pub(super) enum Meaning {
    Name,
    /// What it is without names.
    Operator,
    /// A name, and this formula.
    Both(String),
}

/// What a word means. `alone` tells that an operand is expected and that none can follow the word: then it is no
/// operator.
pub(super) fn meaning(names: &dyn Names, word: &str, alone: impl FnOnce() -> bool) -> Meaning {
    if word.len() > names.longest() || !names.knows(word) {
        return Meaning::Operator;
    }
    match classify(word) {
        Word::Identifier | Word::Bad => Meaning::Name,
        Word::Operator(Token::Constant(value), _) => {
            Meaning::Both(constant(names, value).to_owned())
        }
        Word::Operator(_, length) if length == word.len() => {
            if alone() {
                Meaning::Name
            } else {
                Meaning::Operator
            }
        }
        Word::Operator(..) => match split(names, word) {
            Some(formula) => Meaning::Both(formula),
            None => Meaning::Name,
        },
    }
}

/// A constant, spelled so that it is no name.
fn constant(names: &dyn Names, value: bool) -> &'static str {
    let [spellings @ .., last] = if value {
        ["true", "1", "⊤"]
    } else {
        ["false", "0", "⊥"]
    };
    let free = spellings.into_iter().find(|word| !names.knows(word));
    free.unwrap_or(last)
}

/// The word as operators in front of a known name, if it can be that.
fn split(names: &dyn Names, word: &str) -> Option<String> {
    let mut at = 0;
    while let Word::Operator(Token::Prefix(_), length) = classify(&word[at..]) {
        at += length;
        if at < word.len() && names.knows(&word[at..]) {
            return Some(spaced(word, at));
        }
    }
    None
}

/// The first bytes of a word, which are operators of one letter, with blanks behind them, and the rest.
fn spaced(word: &str, operators: usize) -> String {
    let letters = word[..operators].chars().map(|c| format!("{c} "));
    letters.collect::<String>() + &word[operators..]
}

impl ErrorKind {
    pub(super) fn both(word: &str, formula: String) -> Self {
        let constant = !formula.contains(' ');
        ErrorKind::Both {
            word: word.to_owned(),
            // A constant in double quotes is one still.
            name: if constant {
                format!("\"'{word}'\"")
            } else {
                format!("\"{word}\"")
            },
            formula,
        }
    }

    pub(super) fn split(names: &dyn Names, word: &str, rest: &str) -> Self {
        let operators = word.len() - rest.len();
        let mut nearest = names.nearest(word);
        nearest.extend(names.nearest(rest));
        nearest.dedup();
        nearest.truncate(3);
        ErrorKind::Split(Box::new(Split {
            word: word.to_owned(),
            formula: spaced(word, operators),
            rest: rest.to_owned(),
            operator: word[..1].to_owned(),
            nearest,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{parse, parse_with};
    use crate::store::FormulaStore;

    /// Names that are numbers, and labels, which are not.
    struct Known(&'static [&'static str], &'static [&'static str]);

    impl Names for Known {
        fn knows(&self, word: &str) -> bool {
            self.0.contains(&word) || self.1.contains(&word)
        }

        fn is_number(&self, name: &str) -> bool {
            self.0.contains(&name)
        }

        fn longest(&self) -> usize {
            let names = self.0.iter().chain(self.1);
            names.map(|name| name.len()).max().unwrap_or(0)
        }

        fn nearest(&self, word: &str) -> Vec<String> {
            let names = crate::nearest::nearest(word, self.0.iter().copied());
            names.into_iter().map(str::to_owned).collect()
        }
    }

    /// Asserts that a text over these names is a text in which they are quoted.
    fn same(names: &'static [&'static str], text: &str, quoted: &str) {
        let mut store = FormulaStore::new();
        let names = Known(names, &["label"]);
        let f =
            parse_with(&mut store, text, &names).unwrap_or_else(|e| panic!("{}", e.render(text)));
        assert_eq!(f, parse(&mut store, quoted).unwrap(), "{text} and {quoted}");
    }

    fn message(names: &'static [&'static str], text: &str) -> String {
        let names = Known(names, &["label"]);
        let error = parse_with(&mut FormulaStore::new(), text, &names).unwrap_err();
        error.to_string()
    }

    #[test]
    fn names_come_before_operators() {
        same(&["F1"], "G F1", "G \"F1\"");
        same(&["F1"], "GF1", "G \"F1\"");
        same(
            &["Fork_1", "Eat_1"],
            "[](Fork_1 -> <>Eat_1)",
            "[](\"Fork_1\" -> <>\"Eat_1\")",
        );
        same(&["Fork"], "AGEFFork", "A G E F \"Fork\"");
        same(&["ack"], "GFack", "G F ack");
        same(&["2x", "Ftrue"], "2x & Ftrue", "\"2x\" & \"Ftrue\"");
    }

    #[test]
    fn names_of_one_letter_are_told_by_what_stands_around_them() {
        same(&["F", "a"], "G F a & F", "(G F a) & \"F\"");
        same(&["F", "U"], "F U U", "\"F\" U \"U\"");
        same(&["X", "G"], "G X & X G", "(G \"X\") & (X \"G\")");
        same(&["E", "A"], "E F A | E", "(E F \"A\") | \"E\"");
        same(&["F"], "F (F)", "F \"F\"");
        same(
            &["M", "xor"],
            "M M M xor xor",
            "(\"M\" M \"M\") xor \"xor\"",
        );
    }

    #[test]
    fn two_meanings_are_an_error_that_shows_both() {
        assert_eq!(
            message(&["Fork", "ork"], "G Fork"),
            "column 3: 'Fork' is a name of the model and could be read as 'F ork': write \"Fork\" for the name, or F ork"
        );
        assert_eq!(
            message(&["1"], "F 1"),
            "column 3: '1' is a name of the model and could be read as 'true': write \"'1'\" for the name, or true"
        );
        assert!(message(&["AGp", "p"], "AGp").contains("A G p"));
        assert!(message(&["true", "1"], "true").ends_with("or ⊤"));
    }

    #[test]
    fn an_unknown_name_that_begins_with_an_operator_is_to_be_quoted() {
        assert_eq!(
            message(&["Fork_1"], "G(Fork_2 -> true)"),
            "column 3: 'Fork_2' is no name of the model, nor is 'ork_2' in 'F ork_2': put names that begin with F into double quotes; did you mean `Fork_1`?"
        );
    }

    #[test]
    fn what_is_left_of_a_word_may_be_no_name_at_all() {
        assert!(message(&["F1"], "G F3").contains("'F3' is no name of the model"));
    }

    #[test]
    fn numbers_are_compared_and_labels_are_not() {
        same(&["p"], "p=1 & p=0", "\"p = 1\" & \"p = 0\"");
        same(&["p"], "label=1 & label=0", "label & !label");
    }

    #[test]
    fn long_words_take_linear_time() {
        let text = format!("{}p", "X".repeat(200_000));
        same(&["p"], &text, &text);
    }
}
