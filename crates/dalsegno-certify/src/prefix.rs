//! LTL on the beginning of a word, in three values.
//!
//! What lies beyond the end is unknown, and operators follow Kleene's strong logic: a formula that is false
//! on a beginning is false on every word that goes on from it. (Such beginnings are the *informative* ones
//! of Kupferman and Vardi, "Model Checking of Safety Properties", FMSD 2001; others stay unknown.) Temporal
//! operators are computed by their expansion laws from the end. The cost is the size of the formula times the
//! length.

use std::collections::BTreeMap;

use dalsegno_kripke::{Letter, MAX_PROPOSITIONS};
use dalsegno_logic::{FormulaId, FormulaStore, Node, PropId};

use crate::word::Error;

/// True, false, or not known.
type Truth = Option<bool>;

/// Whether an LTL formula holds on all words that begin with these letters, or on none of them; bit `i` of a
/// letter is `props[i]`.
///
/// # Errors
/// An [`Error`] if the formula is not LTL over the propositions of the letters.
///
/// # Examples
/// ```
/// use dalsegno_certify::value_on_prefix;
/// use dalsegno_kripke::Letter;
/// use dalsegno_logic::{FormulaStore, parse};
///
/// let mut store = FormulaStore::new();
/// let f = parse(&mut store, "G a").unwrap();
/// let props = store.propositions(f);
/// let value = |letters: &[Letter]| value_on_prefix(&store, f, &props, letters).unwrap();
/// assert_eq!(value(&[Letter(1), Letter(1)]), None);
/// assert_eq!(value(&[Letter(1), Letter(0)]), Some(false));
/// ```
pub fn value_on_prefix(
    store: &FormulaStore,
    f: FormulaId,
    props: &[PropId],
    letters: &[Letter],
) -> Result<Option<bool>, Error> {
    let props = &props[..props.len().min(MAX_PROPOSITIONS)];
    value_on_path(store, f, letters, |p| {
        let bit = props.iter().position(|&q| q == p)?;
        Some(move |letter: &Letter| Some(letter.holds(bit)))
    })
}

/// As [`value_on_prefix`] on a sequence of anything, given which of its elements each atom holds on, as far as that is
/// known.
///
/// # Errors
/// An [`Error`] if the formula is not LTL over the atoms that have a meaning.
pub fn value_on_path<T, H: Fn(&T) -> Option<bool>>(
    store: &FormulaStore,
    f: FormulaId,
    letters: &[T],
    atom: impl Fn(PropId) -> Option<H>,
) -> Result<Option<bool>, Error> {
    let truth = truth_on_path(store, f, letters, atom)?;
    Ok(truth[&f].first().copied().flatten())
}

/// The truth of every subformula at every position of a sequence, where it is known whatever comes next; otherwise as
/// [`value_on_path`].
///
/// # Errors
/// An [`Error`] if the formula is not LTL over the atoms that have a meaning.
pub fn truth_on_path<T, H: Fn(&T) -> Option<bool>>(
    store: &FormulaStore,
    f: FormulaId,
    letters: &[T],
    atom: impl Fn(PropId) -> Option<H>,
) -> Result<BTreeMap<FormulaId, Vec<Option<bool>>>, Error> {
    let count = letters.len();
    let mut truth: BTreeMap<FormulaId, Vec<Truth>> = BTreeMap::new();
    for g in store.subformulas(f) {
        let at = |h: FormulaId, i: usize| truth[&h].get(i).copied().flatten();
        let everywhere = |law: &dyn Fn(usize) -> Truth| (0..count).map(law).collect();
        let backwards = |law: &dyn Fn(usize, Truth) -> Truth| {
            let mut values = vec![None; count];
            let mut next = None;
            for i in (0..count).rev() {
                next = law(i, next);
                values[i] = next;
            }
            values
        };
        let values = match store.node(g) {
            Node::True => everywhere(&|_| Some(true)),
            Node::False => everywhere(&|_| Some(false)),
            Node::Atom(p) => {
                let Some(holds) = atom(p) else {
                    return Err(Error::UnknownProposition(store.name(p).to_owned()));
                };
                everywhere(&|i| holds(&letters[i]))
            }
            Node::Not(a) => everywhere(&|i| not(at(a, i))),
            Node::And(list) => everywhere(&|i| all(list.iter().map(|&a| at(a, i)))),
            Node::Or(list) => everywhere(&|i| any(list.iter().map(|&a| at(a, i)))),
            Node::Implies(a, b) => everywhere(&|i| or(not(at(a, i)), at(b, i))),
            Node::Iff(a, b) => everywhere(&|i| Some(at(a, i)? == at(b, i)?)),
            Node::Xor(a, b) => everywhere(&|i| Some(at(a, i)? != at(b, i)?)),
            Node::Next(a) => everywhere(&|i| at(a, i + 1)),
            Node::Finally(a) => backwards(&|i, next| or(at(a, i), next)),
            Node::Globally(a) => backwards(&|i, next| and(at(a, i), next)),
            Node::Until(a, b) | Node::WeakUntil(a, b) => {
                backwards(&|i, next| or(at(b, i), and(at(a, i), next)))
            }
            Node::Release(a, b) | Node::StrongRelease(a, b) => {
                backwards(&|i, next| and(at(b, i), or(at(a, i), next)))
            }
            Node::Exists(_) | Node::Forall(_) => return Err(Error::PathQuantifier),
        };
        truth.insert(g, values);
    }
    Ok(truth)
}

fn not(a: Truth) -> Truth {
    a.map(|a| !a)
}

fn and(a: Truth, b: Truth) -> Truth {
    all([a, b].into_iter())
}

fn or(a: Truth, b: Truth) -> Truth {
    any([a, b].into_iter())
}

/// False if one is false, true if all are true.
fn all(mut values: impl Iterator<Item = Truth>) -> Truth {
    let mut known = true;
    let refuted = values.any(|value| {
        known &= value.is_some();
        value == Some(false)
    });
    if refuted {
        Some(false)
    } else {
        known.then_some(true)
    }
}

/// True if one is true, false if all are false.
fn any(values: impl Iterator<Item = Truth>) -> Truth {
    not(all(values.map(not)))
}

#[cfg(test)]
mod tests {
    use dalsegno_kripke::Word;
    use dalsegno_logic::parse;
    use dalsegno_testkit::words::all_words;

    use super::*;
    use crate::holds_on_word;

    const FORMULAS: [&str; 14] = [
        "G a",
        "F a",
        "X X a",
        "a U b",
        "a W b",
        "a R b",
        "a M b",
        "G(a -> X b)",
        "F(a & X !b)",
        "(F a) xor (G b)",
        "(a U b) <-> X a",
        "G F a",
        "!(a W X b) | F G a",
        "a & X(b | X(a & !b))",
    ];

    /// Whatever has a value on a beginning has it on the words that go on, and on longer beginnings.
    #[test]
    fn a_value_stays() {
        let mut known = 0;
        for text in FORMULAS {
            let mut store = FormulaStore::new();
            let f = parse(&mut store, text).unwrap();
            let props = ["a", "b"].map(|name| {
                store.atom(name);
                store.proposition(name).unwrap()
            });
            for word in all_words(2, 3, 2) {
                let mut earlier = None;
                for length in 0..=word.len() {
                    let letters: Vec<Letter> = (0..length).map(|i| *word.get(i)).collect();
                    let value = value_on_prefix(&store, f, &props, &letters).unwrap();
                    if earlier.is_some() {
                        assert_eq!(value, earlier, "{text} on {letters:?}");
                    }
                    earlier = value;
                    if let Some(value) = value {
                        known += 1;
                        let holds = holds_on_word(&store, f, &props, &word);
                        assert_eq!(holds, Ok(value), "{text} on {word:?}");
                    }
                }
            }
        }
        assert!(known > 1_000, "only {known} values were known");
    }

    #[test]
    fn what_the_future_decides_is_unknown() {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, "G F a").unwrap();
        let props = store.propositions(f);
        for word in all_words(1, 3, 1) {
            let Word { stem, .. } = word;
            assert_eq!(value_on_prefix(&store, f, &props, &stem), Ok(None));
        }
    }
}
