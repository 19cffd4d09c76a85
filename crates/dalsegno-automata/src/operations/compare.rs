//! Comparison of languages, with a word that tells them apart.
//!
//! A language is included in another one if it has no word in common with the complement of the other. Whoever has a formula
//! gives the automaton of its negation; for an automaton there is [`complement()`](super::complement()).
//!
//! Cost: that of the product.

use crate::effort::Effort;
use crate::ltl::tableau::Error;
use crate::omega::automaton::Automaton;
use crate::omega::product::intersection;
use crate::omega::words::accepted_word;

use super::word::NamedWord;

/// A word that both automata accept, if there is one, over the propositions of both.
///
/// # Errors
/// When the effort runs out, or there are more than 64 propositions.
pub fn common_word(
    a: &Automaton,
    b: &Automaton,
    effort: &Effort<'_>,
) -> Result<Option<NamedWord>, Error> {
    let both = intersection(a, b, effort)?;
    Ok(accepted_word(&both).map(|word| NamedWord {
        propositions: both.propositions,
        word,
    }))
}

/// Two automata, of a language and of its complement.
#[derive(Clone, Debug)]
pub struct Language {
    /// The automaton of the language.
    pub positive: Automaton,
    /// The automaton of its complement.
    pub negative: Automaton,
}

/// A word of one language that is not in the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Separating {
    /// The first language has it.
    First(NamedWord),
    /// The second language has it.
    Second(NamedWord),
}

/// A word of `a` that is not in `b`; none if `a` is included in `b`.
///
/// # Errors
/// As [`common_word`].
pub fn not_included(
    a: &Automaton,
    b: &Language,
    effort: &Effort<'_>,
) -> Result<Option<NamedWord>, Error> {
    common_word(a, &b.negative, effort)
}

/// A word in which two languages differ; none if they are equal.
///
/// # Errors
/// As [`common_word`].
pub fn separating_word(
    a: &Language,
    b: &Language,
    effort: &Effort<'_>,
) -> Result<Option<Separating>, Error> {
    if let Some(word) = not_included(&a.positive, b, effort)? {
        return Ok(Some(Separating::First(word)));
    }
    Ok(not_included(&b.positive, a, effort)?.map(Separating::Second))
}
