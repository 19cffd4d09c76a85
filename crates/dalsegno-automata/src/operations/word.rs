//! Lasso words in text, and the automata of the words that a text stands for.
//!
//! The syntax is that of Spot: letters with `;` between them, the repeated part in braces, as in
//! `a; !a & b; cycle{a; b}`. A letter is a Boolean formula over atoms, spelled as in formulas; it stands for every valuation that
//! satisfies it, so a text may stand for many words. What is printed stands for one word over the propositions
//! that it names.

use std::fmt;
use std::ops::Range;

use dalsegno_kripke::{Letter, Stop, Word};
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node, PropId, caret, parse};

use crate::bdd::{Bdd, Manager, Var};
use crate::effort::Effort;
use crate::io::names::proposition;
use crate::omega::automaton::Automaton;
use crate::omega::edge::Marks;
use crate::omega::state_id::StateId;

/// A word with the names of its propositions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedWord {
    /// The name of each bit of a letter.
    pub propositions: Vec<String>,
    /// The word.
    pub word: Word,
}

impl NamedWord {
    /// The word over other propositions; those that it does not name are false.
    #[must_use]
    pub fn over(&self, propositions: &[String]) -> NamedWord {
        let at: Vec<Option<usize>> = propositions
            .iter()
            .map(|name| self.propositions.iter().position(|own| own == name))
            .collect();
        let moved = |&letter: &Letter| {
            let holds = |bit: &Option<usize>| bit.is_some_and(|bit| letter.holds(bit));
            let bits = at.iter().enumerate();
            bits.fold(Letter::default(), |l, (i, bit)| l.with(i, holds(bit)))
        };
        NamedWord {
            propositions: propositions.to_vec(),
            word: Word::new(
                self.word.stem.iter().map(moved).collect(),
                self.word.cycle.iter().map(moved).collect(),
            ),
        }
    }

    /// A letter as a conjunction of literals; `1` if there are no propositions.
    #[must_use]
    pub fn letter_to_text(&self, letter: Letter) -> String {
        if self.propositions.is_empty() {
            return "1".to_owned();
        }
        let literal = |(i, name): (usize, &String)| {
            let sign = if letter.holds(i) { "" } else { "!" };
            format!("{sign}{}", proposition(name))
        };
        let literals: Vec<String> = self.propositions.iter().enumerate().map(literal).collect();
        literals.join(" & ")
    }
}

impl fmt::Display for NamedWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for &letter in &self.word.stem {
            write!(f, "{}; ", self.letter_to_text(letter))?;
        }
        let cycle = self.word.cycle.iter();
        let cycle: Vec<String> = cycle.map(|&l| self.letter_to_text(l)).collect();
        write!(f, "cycle{{{}}}", cycle.join("; "))
    }
}

/// What a text stands for: a Boolean formula per letter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// What comes once.
    pub stem: Vec<FormulaId>,
    /// What repeats; never empty.
    pub cycle: Vec<FormulaId>,
}

/// What is wrong with the text of a word, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("column {column}: {kind}")]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The bytes of the text that are wrong.
    pub span: Range<usize>,
    column: usize,
}

/// What is wrong with the text of a word.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A letter is no formula.
    #[error("{0}")]
    Formula(parse::ErrorKind),
    /// A letter has temporal operators.
    #[error("a letter is a Boolean formula, without temporal operators")]
    NotBoolean,
    /// Nothing repeats.
    #[error("expected `cycle{{…}}`: a word ends with the letters that it repeats for ever")]
    NoCycle,
    /// The cycle is not closed.
    #[error("this cycle is never closed: expected `}}`")]
    OpenCycle,
    /// Something comes after the cycle.
    #[error("nothing can follow the cycle")]
    AfterCycle,
}

impl Error {
    fn new(text: &str, span: Range<usize>, kind: ErrorKind) -> Self {
        let (_, column) = caret::position(text, span.start);
        Error { kind, span, column }
    }

    /// The error with the text that it speaks of and a caret under the place.
    #[must_use]
    pub fn render(&self, text: &str) -> String {
        caret::render(text, self.span.clone(), &self.to_string())
    }
}

impl Pattern {
    /// Reads a word.
    ///
    /// # Errors
    /// What is wrong with the text, with its place.
    ///
    /// # Examples
    /// ```
    /// use dalsegno_automata::operations::word::Pattern;
    /// use dalsegno_logic::FormulaStore;
    ///
    /// let mut store = FormulaStore::new();
    /// let word = Pattern::parse(&mut store, "a; !a & b; cycle{a; b}")?;
    /// assert_eq!((word.stem.len(), word.cycle.len()), (2, 2));
    /// assert!(Pattern::parse(&mut store, "a; b").is_err());
    /// # Ok::<(), dalsegno_automata::operations::word::Error>(())
    /// ```
    pub fn parse(store: &mut FormulaStore, text: &str) -> Result<Pattern, Error> {
        let mut stem = Vec::new();
        let mut at = 0;
        loop {
            let start = at + blanks(&text[at..]);
            if let Some(open) = cycle_start(text, start) {
                let (cycle, end) = cycle(store, text, start, open)?;
                let rest = end + blanks(&text[end..]);
                if rest < text.len() {
                    let span = rest..text.len();
                    return Err(Error::new(text, span, ErrorKind::AfterCycle));
                }
                return Ok(Pattern { stem, cycle });
            }
            let end = letter_end(text, at);
            if !text[end..].starts_with(';') {
                let kind = ErrorKind::NoCycle;
                // A letter that is wrong is the better message.
                letter(store, text, at..end)?;
                return Err(Error::new(text, end..end, kind));
            }
            stem.push(letter(store, text, at..end)?);
            at = end + 1;
        }
    }

    /// The atoms of the letters, each once.
    #[must_use]
    pub fn propositions(&self, store: &FormulaStore) -> Vec<PropId> {
        let letters = self.stem.iter().chain(&self.cycle);
        let mut all: Vec<PropId> = letters.flat_map(|&f| store.propositions(f)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The automaton of the words that the text stands for.
    ///
    /// # Errors
    /// If there are more than 64 atoms, or the effort runs out.
    pub fn automaton(
        &self,
        store: &FormulaStore,
        effort: &Effort<'_>,
    ) -> Result<Automaton, super::Error> {
        let atoms = self.propositions(store);
        if atoms.len() > dalsegno_kripke::MAX_PROPOSITIONS {
            return Err(super::Error::TooManyPropositions(atoms.len()));
        }
        let names = atoms.iter().map(|&p| store.name(p).to_owned()).collect();
        let mut result = Automaton::new(names, 0);
        result.guards.begin(effort);
        let letters: Vec<FormulaId> = self.stem.iter().chain(&self.cycle).copied().collect();
        for _ in &letters {
            result.add_state(None);
        }
        result.initial = vec![StateId::default()];
        for (at, &f) in letters.iter().enumerate() {
            let next = if at + 1 == letters.len() {
                self.stem.len()
            } else {
                at + 1
            };
            let guard = function(&mut result.guards, store, &atoms, f)?;
            result.add_edge(StateId::new(at), guard, Marks::NONE, StateId::new(next))?;
        }
        result.guards.end(effort);
        Ok(result)
    }
}

/// The Boolean function of a formula; variable i is `atoms[i]`.
fn function(
    guards: &mut Manager,
    store: &FormulaStore,
    atoms: &[PropId],
    f: FormulaId,
) -> Result<Bdd, Stop> {
    // Subformulas come before the formulas that have them, so no recursion is as deep as the text.
    let mut known = rustc_hash::FxHashMap::default();
    for g in store.subformulas(f) {
        let of = |h: FormulaId| known.get(&h).copied().unwrap_or(Bdd::FALSE);
        let made = match store.node(g) {
            Node::True => Bdd::TRUE,
            Node::Atom(p) => {
                let at = atoms.iter().position(|&a| a == p).unwrap_or_default();
                guards.variable(at as Var)?
            }
            Node::Not(h) => guards.not(of(h))?,
            Node::And(parts) => {
                let mut parts = parts.iter();
                parts.try_fold(Bdd::TRUE, |all, &h| guards.and(all, of(h)))?
            }
            Node::Or(parts) => {
                let mut parts = parts.iter();
                parts.try_fold(Bdd::FALSE, |some, &h| guards.or(some, of(h)))?
            }
            Node::Implies(h, i) => {
                let not = guards.not(of(h))?;
                guards.or(not, of(i))?
            }
            Node::Xor(h, i) => guards.xor(of(h), of(i))?,
            Node::Iff(h, i) => {
                let differ = guards.xor(of(h), of(i))?;
                guards.not(differ)?
            }
            // Letters have no temporal operators.
            _ => Bdd::FALSE,
        };
        known.insert(g, made);
    }
    Ok(known.get(&f).copied().unwrap_or(Bdd::FALSE))
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// Where the letters of `cycle{` begin, if that stands at `start`.
fn cycle_start(text: &str, start: usize) -> Option<usize> {
    let rest = text[start..].strip_prefix("cycle")?;
    let brace = rest.trim_start().strip_prefix('{')?;
    Some(text.len() - brace.len())
}

/// The letters of a cycle, and where the text goes on.
fn cycle(
    store: &mut FormulaStore,
    text: &str,
    start: usize,
    open: usize,
) -> Result<(Vec<FormulaId>, usize), Error> {
    let mut letters = Vec::new();
    let mut at = open;
    loop {
        let end = letter_end(text, at);
        let closing = text[end..].chars().next();
        if closing.is_none() || closing == Some('{') {
            return Err(Error::new(text, start..open, ErrorKind::OpenCycle));
        }
        letters.push(letter(store, text, at..end)?);
        at = end + 1;
        if closing == Some('}') {
            return Ok((letters, at));
        }
    }
}

/// Where the letter that begins at `at` ends: at `;`, a brace or the end of the text, outside of quotes.
fn letter_end(text: &str, at: usize) -> usize {
    let mut quoted = false;
    let mut escaped = false;
    for (i, c) in text[at..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ';' | '{' | '}' if !quoted => return at + i,
            _ => {}
        }
    }
    text.len()
}

fn letter(store: &mut FormulaStore, text: &str, span: Range<usize>) -> Result<FormulaId, Error> {
    let part = &text[span.clone()];
    let f = parse(store, part).map_err(|error| {
        let inner = error.span();
        let place = span.start + inner.start..span.start + inner.end;
        Error::new(text, place, ErrorKind::Formula(error.kind().clone()))
    })?;
    if store.is(f, Fragment::BOOLEAN) {
        Ok(f)
    } else {
        let start = span.start + blanks(part);
        let place = start..start + part.trim().len();
        Err(Error::new(text, place, ErrorKind::NotBoolean))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_atoms_may_have_any_character() {
        let mut store = FormulaStore::new();
        let word = Pattern::parse(&mut store, "\"a;}\" | b; cycle { \"x\\\";\" }").unwrap();
        assert_eq!(store.name(word.propositions(&store)[0]), "a;}");
        assert_eq!((word.stem.len(), word.cycle.len()), (1, 1));
    }

    #[test]
    fn faults_have_their_places() {
        let shown = |text: &str| {
            let error = Pattern::parse(&mut FormulaStore::new(), text).unwrap_err();
            error.render(text)
        };
        assert_eq!(
            shown("a; b &; cycle{a}"),
            "column 7: expected an operand after '&'\n  a; b &; cycle{a}\n        ^",
        );
        assert_eq!(
            shown("a; X b; cycle{a}"),
            "column 4: a letter is a Boolean formula, without temporal operators\n  a; X b; cycle{a}\n     ^^^",
        );
        assert!(shown("a; b").starts_with("column 5: expected `cycle{…}`"));
        assert!(shown("cycle{a; b").starts_with("column 1: this cycle is never closed"));
        assert!(shown("cycle{a} b").starts_with("column 10: nothing can follow"));
        assert!(shown("cycle{}").starts_with("column 7: expected a formula"));
        assert!(shown("").starts_with("column 1: expected a formula"));
    }

    #[test]
    fn what_is_printed_reads_back() {
        let word = NamedWord {
            propositions: vec!["a".to_owned(), "b c".to_owned()],
            word: Word::new(vec![Letter(1)], vec![Letter(2), Letter(0)]),
        };
        let text = word.to_string();
        assert_eq!(text, "a & !\"b c\"; cycle{!a & \"b c\"; !a & !\"b c\"}");
        let mut store = FormulaStore::new();
        let pattern = Pattern::parse(&mut store, &text).unwrap();
        let budget = dalsegno_kripke::Budget::unlimited();
        let effort = Effort::unlimited(&budget);
        let automaton = pattern.automaton(&store, &effort).unwrap();
        assert_eq!(
            crate::omega::words::accepted_word(&automaton),
            Some(word.word)
        );
    }
}
