//! Languages: formulas and automata that are compared, combined and asked for words.
//!
//! A formula has the automaton of its negation for a complement; an automaton is complemented
//! ([`dalsegno_automata::operations::complement()`]). A word that is an answer is checked before it is given: on a formula by the
//! definition of its operators, on an automaton by the definition of acceptance.

use std::sync::Arc;

use dalsegno_automata::effort::Effort;
use dalsegno_automata::hoa::Content;
use dalsegno_automata::operations::accepts::{accepts, testing_accepts};
use dalsegno_automata::operations::compare::{self, Separating};
use dalsegno_automata::operations::hierarchy::{self, Class};
use dalsegno_automata::operations::letters::over_letters;
use dalsegno_automata::operations::stutter_witness::stutter_witness;
use dalsegno_automata::operations::word::{self, NamedWord, Pattern};
use dalsegno_automata::operations::{accepted_word, complement, intersection, reduce, union};
use dalsegno_automata::{self as automata, Automaton, Translation};
use dalsegno_certify::holds_on_word;
use dalsegno_kripke::{Budget, Stop};
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, parse};

/// A formula or an automaton, for the language that it has.
#[derive(Clone, Debug)]
pub struct Language {
    name: String,
    given: Given,
}

#[derive(Clone, Debug)]
enum Given {
    Formula(FormulaId),
    Automaton(Arc<Content>),
}

impl Language {
    /// The text of the formula, or the name of the automaton.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The language of an automaton that was read.
    #[must_use]
    pub fn of_automaton(name: &str, content: Content) -> Self {
        Language {
            name: name.to_owned(),
            given: Given::Automaton(Arc::new(content)),
        }
    }

    /// The language of a formula of the store.
    #[must_use]
    pub fn of_formula(store: &FormulaStore, f: FormulaId) -> Self {
        Language {
            name: store.display(f).to_string(),
            given: Given::Formula(f),
        }
    }
}

/// Why a question about languages has no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LanguageError {
    /// There is no automaton, or it is not to be had within the limits.
    #[error("{name}: {error}")]
    Automaton {
        /// The language.
        name: String,
        /// Why.
        error: automata::Error,
    },
    /// A word does not show what it should: a defect of the program.
    #[error("the word {word} is not what it should be for {name}: this is a defect of dalsegno")]
    Refuted {
        /// The language.
        name: String,
        /// The word.
        word: String,
    },
}

impl LanguageError {
    /// What ran out, if that is why.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        match self {
            LanguageError::Automaton {
                error: automata::Error::Stopped(stop),
                ..
            } => Some(*stop),
            _ => None,
        }
    }
}

/// Languages over the formulas of one store.
///
/// # Examples
/// ```
/// use dalsegno::{Languages, kripke::Budget};
///
/// let mut languages = Languages::default();
/// let a = languages.formula("G F a").unwrap();
/// let b = languages.formula("F a").unwrap();
/// let budget = Budget::unlimited();
/// assert_eq!(languages.missing(&b, &a, &budget)?, None); // each word of G F a is one of F a
/// let word = languages.missing(&a, &b, &budget)?.unwrap();
/// assert!(word.to_string().ends_with("cycle{!a}")); // a word of F a in which a dies out
/// # Ok::<(), dalsegno::LanguageError>(())
/// ```
#[derive(Default)]
pub struct Languages {
    /// The owner of the formulas.
    pub store: FormulaStore,
}

impl Languages {
    /// The language of a formula of LTL.
    ///
    /// # Errors
    /// If the text is not a formula.
    pub fn formula(&mut self, text: &str) -> Result<Language, parse::Error> {
        let f = parse(&mut self.store, text)?;
        Ok(Language {
            name: text.trim().to_owned(),
            given: Given::Formula(f),
        })
    }

    /// Reads a word.
    ///
    /// # Errors
    /// If the text is none.
    pub fn word(&mut self, text: &str) -> Result<Pattern, word::Error> {
        Pattern::parse(&mut self.store, text)
    }

    /// A small automaton over letters.
    ///
    /// # Errors
    /// If a formula has none, or the budget runs out.
    pub fn automaton(
        &mut self,
        language: &Language,
        budget: &Budget,
    ) -> Result<Automaton, LanguageError> {
        let effort = Effort::unlimited(budget);
        match &language.given {
            Given::Formula(f) => self.tgba(*f, budget),
            Given::Automaton(content) => letters(content, &effort),
        }
        .map_err(|error| failed(&language.name, error))
    }

    /// An automaton of the words that are not in the language.
    ///
    /// # Errors
    /// As [`Languages::automaton`]; the complement of an automaton may be exponentially larger.
    pub fn complement(
        &mut self,
        language: &Language,
        budget: &Budget,
    ) -> Result<Automaton, LanguageError> {
        let effort = Effort::unlimited(budget);
        match &language.given {
            Given::Formula(f) => {
                let negation = self.store.not(*f);
                self.tgba(negation, budget)
            }
            Given::Automaton(content) => {
                letters(content, &effort).and_then(|a| complement(&a, &effort))
            }
        }
        .map_err(|error| failed(&format!("the complement of {}", language.name), error))
    }

    fn tgba(&mut self, f: FormulaId, budget: &Budget) -> Result<Automaton, automata::Error> {
        if !self.store.is(f, Fragment::LTL) {
            return Err(automata::Error::NotLtl);
        }
        Translation::new(&mut self.store, f, budget).tgba()
    }

    fn both(
        &mut self,
        language: &Language,
        budget: &Budget,
    ) -> Result<compare::Language, LanguageError> {
        Ok(compare::Language {
            positive: self.automaton(language, budget)?,
            negative: self.complement(language, budget)?,
        })
    }

    /// The automaton of the words that are in all of the languages.
    ///
    /// # Errors
    /// As [`Languages::automaton`]; also if there are more than 64 propositions.
    pub fn product(
        &mut self,
        languages: &[Language],
        budget: &Budget,
    ) -> Result<Automaton, LanguageError> {
        self.fold(languages, budget, intersection)
    }

    /// The automaton of the words that are in one of the languages.
    ///
    /// # Errors
    /// As [`Languages::product`].
    pub fn sum(
        &mut self,
        languages: &[Language],
        budget: &Budget,
    ) -> Result<Automaton, LanguageError> {
        self.fold(languages, budget, union)
    }

    fn fold(
        &mut self,
        languages: &[Language],
        budget: &Budget,
        with: fn(&Automaton, &Automaton, &Effort<'_>) -> Result<Automaton, automata::Error>,
    ) -> Result<Automaton, LanguageError> {
        let effort = Effort::unlimited(budget);
        let mut result: Option<Automaton> = None;
        for language in languages {
            let next = self.automaton(language, budget)?;
            result = Some(match result {
                None => next,
                Some(before) => {
                    let made = with(&before, &next, &effort);
                    let made = made.map_err(|error| failed(&language.name, error))?;
                    reduce(made, &effort)
                }
            });
        }
        Ok(result.unwrap_or_else(|| Automaton::new(Vec::new(), 0)))
    }

    /// A word of the language; none if it is empty.
    ///
    /// # Errors
    /// As [`Languages::automaton`].
    pub fn some_word(
        &mut self,
        language: &Language,
        budget: &Budget,
    ) -> Result<Option<NamedWord>, LanguageError> {
        let automaton = self.automaton(language, budget)?;
        let word = accepted_word(&automaton).map(|word| NamedWord {
            propositions: automaton.propositions().to_vec(),
            word,
        });
        if let Some(word) = &word {
            self.certify(language, word, true)?;
        }
        Ok(word)
    }

    /// A word of `b` that is not in `a`; none if `a` includes `b`.
    ///
    /// # Errors
    /// As [`Languages::complement`].
    pub fn missing(
        &mut self,
        a: &Language,
        b: &Language,
        budget: &Budget,
    ) -> Result<Option<NamedWord>, LanguageError> {
        let effort = Effort::unlimited(budget);
        let negative = self.complement(a, budget)?;
        let positive = self.automaton(b, budget)?;
        let word = compare::common_word(&positive, &negative, &effort);
        let word = word.map_err(|error| failed(&a.name, error))?;
        if let Some(word) = &word {
            self.certify(a, word, false)?;
            self.certify(b, word, true)?;
        }
        Ok(word)
    }

    /// A word that only one of two languages has; none if they are equal.
    ///
    /// # Errors
    /// As [`Languages::complement`].
    pub fn separating_word(
        &mut self,
        a: &Language,
        b: &Language,
        budget: &Budget,
    ) -> Result<Option<Separating>, LanguageError> {
        if let Some(word) = self.missing(b, a, budget)? {
            return Ok(Some(Separating::First(word)));
        }
        Ok(self.missing(a, b, budget)?.map(Separating::Second))
    }

    /// A word of the language that fits a pattern, if there is one.
    ///
    /// # Errors
    /// As [`Languages::automaton`].
    pub fn fitting_word(
        &mut self,
        language: &Language,
        pattern: &Pattern,
        budget: &Budget,
    ) -> Result<Option<NamedWord>, LanguageError> {
        let effort = Effort::unlimited(budget);
        let automaton = self.automaton(language, budget)?;
        let words = pattern.automaton(&self.store, &effort);
        let word = words.and_then(|words| compare::common_word(&words, &automaton, &effort));
        let word = word.map_err(|error| failed(&language.name, error))?;
        if let Some(word) = &word {
            self.certify(language, word, true)?;
        }
        Ok(word)
    }

    /// Two words that differ by stuttering only, the first in the language and the second not; none if the language is
    /// stutter-invariant.
    ///
    /// # Errors
    /// As [`Languages::complement`].
    pub fn stutter_witness(
        &mut self,
        language: &Language,
        budget: &Budget,
    ) -> Result<Option<(NamedWord, NamedWord)>, LanguageError> {
        if let Given::Formula(f) = language.given
            && self.store.is(f, Fragment::LTL)
            && self.store.is(f, Fragment::X_FREE)
        {
            return Ok(None);
        }
        let both = self.both(language, budget)?;
        let found = stutter_witness(&both, &Effort::unlimited(budget));
        let found = found.map_err(|error| failed(&language.name, error))?;
        if let Some((yes, no)) = &found {
            self.certify(language, yes, true)?;
            self.certify(language, no, false)?;
        }
        Ok(found)
    }

    /// Whether the language is in a class of the hierarchy of Manna and Pnueli.
    ///
    /// # Errors
    /// As [`Languages::complement`].
    pub fn is_in(
        &mut self,
        language: &Language,
        class: Class,
        budget: &Budget,
    ) -> Result<bool, LanguageError> {
        if let Given::Formula(f) = language.given
            && self.store.is(f, fragment(class))
        {
            return Ok(true);
        }
        let both = self.both(language, budget)?;
        let found = hierarchy::is_in(&both, class, &Effort::unlimited(budget));
        found.map_err(|error| failed(&language.name, error))
    }

    /// Checks that a word is, or is not, in a language.
    fn certify(
        &self,
        language: &Language,
        word: &NamedWord,
        expected: bool,
    ) -> Result<(), LanguageError> {
        let found = match &language.given {
            Given::Formula(f) => {
                let propositions = self.store.propositions(*f);
                let names = propositions.iter();
                let names: Vec<String> = names.map(|&p| self.store.name(p).to_owned()).collect();
                let word = word.over(&names).word;
                holds_on_word(&self.store, *f, &propositions, &word).ok()
            }
            Given::Automaton(content) => Some(match &**content {
                Content::Automaton(a) => accepts(a, &word.over(a.propositions()).word),
                Content::Testing(t) => testing_accepts(t, &word.over(t.propositions()).word),
            }),
        };
        if found == Some(expected) {
            return Ok(());
        }
        Err(LanguageError::Refuted {
            name: language.name.clone(),
            word: word.to_string(),
        })
    }
}

fn letters(content: &Content, effort: &Effort<'_>) -> Result<Automaton, automata::Error> {
    Ok(match content {
        Content::Automaton(a) => a.clone(),
        Content::Testing(t) => over_letters(t, effort)?,
    })
}

fn failed(name: &str, error: automata::Error) -> LanguageError {
    let name = name.to_owned();
    LanguageError::Automaton { name, error }
}

/// The syntactic fragment that shows a class; for reactivity, all of LTL.
fn fragment(class: Class) -> Fragment {
    match class {
        Class::Safety => Fragment::SAFETY,
        Class::Guarantee => Fragment::GUARANTEE,
        Class::Obligation => Fragment::OBLIGATION,
        Class::Recurrence => Fragment::RECURRENCE,
        Class::Persistence => Fragment::PERSISTENCE,
        Class::Reactivity => Fragment::LTL,
    }
}
