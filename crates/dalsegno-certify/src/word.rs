//! LTL on an ultimately periodic word.
//!
//! A word has finitely many positions before it repeats, so a formula is a truth value for each of
//! them. Temporal operators are the fixpoints of their expansion laws: `f U g` is the least
//! solution of `u = g | (f & X u)`, found by starting from nowhere and applying the law until
//! nothing changes, from the last position to the first: three times at most. The cost is the size of the
//! formula times the length.

use std::collections::BTreeMap;

use dalsegno_kripke::{Lasso, Letter, MAX_PROPOSITIONS, Word};
use dalsegno_logic::{FormulaId, FormulaStore, Node, PropId};

/// Why a formula has no truth value on a word.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// The formula has `E` or `A`, and a word is only one path.
    #[error("a word does not tell whether a formula with a path quantifier holds")]
    PathQuantifier,
    /// The formula has an atom that the letters do not cover.
    #[error("the letters of the word say nothing about \"{0}\"")]
    UnknownProposition(String),
}

/// Whether an LTL formula holds at the beginning of a word; bit `i` of a letter is `props[i]`, if it has so many.
///
/// # Errors
/// An [`Error`] if the formula is not LTL over the propositions of the letters.
///
/// # Examples
/// ```
/// use dalsegno_certify::holds_on_word;
/// use dalsegno_kripke::{Letter, Word};
/// use dalsegno_logic::{FormulaStore, parse};
///
/// let mut store = FormulaStore::new();
/// let f = parse(&mut store, "G(req -> F ack)").unwrap();
/// let props = store.propositions(f);
/// let answered = Word::new(vec![], vec![Letter(0b01), Letter(0b10)]);
/// assert_eq!(holds_on_word(&store, f, &props, &answered), Ok(true));
/// let ignored = Word::new(vec![Letter(0b01)], vec![Letter(0b00)]);
/// assert_eq!(holds_on_word(&store, f, &props, &ignored), Ok(false));
/// ```
pub fn holds_on_word(
    store: &FormulaStore,
    f: FormulaId,
    props: &[PropId],
    word: &Word,
) -> Result<bool, Error> {
    let props = &props[..props.len().min(MAX_PROPOSITIONS)];
    holds_on_lasso(store, f, word, |p| {
        let bit = props.iter().position(|&q| q == p)?;
        Some(move |letter: &Letter| letter.holds(bit))
    })
}

/// Whether an LTL formula holds at the beginning of a lasso of anything, given which of its elements each atom
/// holds on; an atom without a meaning is an error. There may be any number of atoms.
///
/// # Errors
/// An [`Error`] if the formula is not LTL over the atoms that have a meaning.
pub fn holds_on_lasso<T, H: Fn(&T) -> bool>(
    store: &FormulaStore,
    f: FormulaId,
    word: &Lasso<T>,
    atom: impl Fn(PropId) -> Option<H>,
) -> Result<bool, Error> {
    Ok(truth_on_lasso(store, f, word, atom)?[&f][0])
}

/// The truth of every subformula at every position of a lasso; otherwise as [`holds_on_lasso`].
///
/// # Errors
/// An [`Error`] if the formula is not LTL over the atoms that have a meaning.
pub fn truth_on_lasso<T, H: Fn(&T) -> bool>(
    store: &FormulaStore,
    f: FormulaId,
    word: &Lasso<T>,
    atom: impl Fn(PropId) -> Option<H>,
) -> Result<BTreeMap<FormulaId, Vec<bool>>, Error> {
    let mut truth: BTreeMap<FormulaId, Vec<bool>> = BTreeMap::new();
    for g in store.subformulas(f) {
        let at = |h: FormulaId, i: usize| truth[&h][i];
        let everywhere = |law: &dyn Fn(usize) -> bool| (0..word.len()).map(law).collect();
        let values = match store.node(g) {
            Node::True => everywhere(&|_| true),
            Node::False => everywhere(&|_| false),
            Node::Atom(p) => {
                let Some(holds) = atom(p) else {
                    return Err(Error::UnknownProposition(store.name(p).to_owned()));
                };
                everywhere(&|i| holds(word.get(i)))
            }
            Node::Not(a) => everywhere(&|i| !at(a, i)),
            Node::And(list) => everywhere(&|i| list.iter().all(|&a| at(a, i))),
            Node::Or(list) => everywhere(&|i| list.iter().any(|&a| at(a, i))),
            Node::Implies(a, b) => everywhere(&|i| !at(a, i) || at(b, i)),
            Node::Iff(a, b) => everywhere(&|i| at(a, i) == at(b, i)),
            Node::Xor(a, b) => everywhere(&|i| at(a, i) != at(b, i)),
            Node::Next(a) => everywhere(&|i| at(a, word.successor(i))),
            Node::Finally(a) => least(word, |i, next| at(a, i) || next),
            Node::Globally(a) => greatest(word, |i, next| at(a, i) && next),
            Node::Until(a, b) => least(word, |i, next| at(b, i) || (at(a, i) && next)),
            Node::WeakUntil(a, b) => greatest(word, |i, next| at(b, i) || (at(a, i) && next)),
            Node::Release(a, b) => greatest(word, |i, next| at(b, i) && (at(a, i) || next)),
            Node::StrongRelease(a, b) => least(word, |i, next| at(b, i) && (at(a, i) || next)),
            Node::Exists(_) | Node::Forall(_) => return Err(Error::PathQuantifier),
        };
        truth.insert(g, values);
    }
    Ok(truth)
}

/// The least solution of `x[i] = law(i, x[successor of i])`.
fn least<T>(word: &Lasso<T>, law: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    fixpoint(word, false, law)
}

/// The greatest solution of `x[i] = law(i, x[successor of i])`.
fn greatest<T>(word: &Lasso<T>, law: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    fixpoint(word, true, law)
}

fn fixpoint<T>(word: &Lasso<T>, start: bool, law: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut x = vec![start; word.len()];
    loop {
        let mut changed = false;
        for i in (0..word.len()).rev() {
            let value = law(i, x[word.successor(i)]);
            changed |= value != x[i];
            x[i] = value;
        }
        if !changed {
            return x;
        }
    }
}

#[cfg(test)]
mod tests {
    use dalsegno_logic::parse;
    use dalsegno_testkit::words::all_words;

    use super::*;

    /// A word over `a` and `b`: letters are `-`, `a`, `b` and `2` for both.
    fn word(stem: &str, cycle: &str) -> Word {
        let letters = |text: &str| {
            text.chars()
                .map(|c| Letter("-ab2".find(c).unwrap() as u64))
                .collect()
        };
        Word::new(letters(stem), letters(cycle))
    }

    fn holds(formula: &str, word: &Word) -> bool {
        let mut store = FormulaStore::new();
        let props = ["a", "b"].map(|name| {
            store.atom(name);
            store.proposition(name).unwrap()
        });
        let f = parse(&mut store, formula).unwrap();
        holds_on_word(&store, f, &props, word).unwrap()
    }

    #[test]
    fn operators_mean_what_they_say() {
        for (formula, stem, cycle, expected) in [
            ("a", "a", "-", true),
            ("a", "-", "a", false),
            ("Xa", "-", "a", true),
            ("Xa", "", "a", true),
            ("XXa", "", "a-", true),
            ("Fb", "aa", "-b", true),
            ("Fb", "aa", "-a", false),
            ("Ga", "aa", "a2", true),
            ("Ga", "aa", "a-", false),
            ("GFb", "b", "-", false),
            ("GFb", "", "-b", true),
            ("FGa", "-", "2a", true),
            ("FGa", "", "a-", false),
            ("a U b", "aa", "b-", true),
            ("a U b", "", "a", false),
            ("a U b", "a-", "b", false),
            ("a W b", "", "a", true),
            ("a W b", "a-", "b", false),
            ("a R b", "", "b", true),
            ("a R b", "b2", "-", true),
            ("a R b", "ba", "-", false),
            ("a M b", "", "b", false),
            ("a M b", "b2", "-", true),
            ("a xor b", "", "2", false),
            ("a <-> b", "", "-", true),
            ("a -> b", "", "a", false),
        ] {
            assert_eq!(
                holds(formula, &word(stem, cycle)),
                expected,
                "{formula} on {stem}({cycle})"
            );
        }
    }

    #[test]
    fn laws_hold_on_all_small_words() {
        let laws = [
            "(a U b) <-> (b | (a & X(a U b)))",
            "(a R b) <-> (b & (a | X(a R b)))",
            "(a W b) <-> (b | (a & X(a W b)))",
            "(a M b) <-> (b & (a | X(a M b)))",
            "Fa <-> (a | XFa)",
            "Ga <-> (a & XGa)",
            "!(a U b) <-> (!a R !b)",
            "!(a W b) <-> (!a M !b)",
            "!Fa <-> G!a",
            "!Xa <-> X!a",
            "(a W b) <-> ((a U b) | Ga)",
            "(a M b) <-> ((a R b) & Fa)",
            "(a W b) <-> (b R (a | b))",
            "(a M b) <-> (b U (a & b))",
            "(a U b) <-> ((a W b) & Fb)",
            "FGFa <-> GFa",
            "GFGa <-> FGa",
            "GF(a | b) <-> (GFa | GFb)",
            "FG(a & b) <-> (FGa & FGb)",
            "X(a U b) <-> (Xa U Xb)",
            "(a xor b) <-> !(a <-> b)",
            "(a -> b) <-> (!a | b)",
            "G(!a -> Xa) | F(!a & X!a)",
        ];
        for law in laws {
            let mut store = FormulaStore::new();
            let f = parse(&mut store, law).unwrap();
            let props: Vec<PropId> = store.propositions(f);
            for word in all_words(2, 2, 2).chain(all_words(1, 3, 4)) {
                assert_eq!(
                    holds_on_word(&store, f, &props, &word),
                    Ok(true),
                    "{law} on {word:?}"
                );
            }
        }
    }

    #[test]
    fn a_word_is_what_it_unrolls_to() {
        let formulas = [
            "a U (b & X!a)",
            "GF(a & Xb)",
            "(a W b) M (Xa R b)",
            "F(a xor XXb)",
        ];
        for formula in formulas {
            for word in all_words(2, 1, 2) {
                let mut unrolled = word.clone();
                unrolled.stem.extend_from_slice(&word.cycle);
                let mut twice = word.clone();
                twice.cycle.extend_from_slice(&word.cycle);
                let expected = holds(formula, &word);
                assert_eq!(holds(formula, &unrolled), expected, "{formula} on {word:?}");
                assert_eq!(holds(formula, &twice), expected, "{formula} on {word:?}");
            }
        }
    }

    #[test]
    fn what_is_not_ltl_over_the_letters_is_an_error() {
        let mut store = FormulaStore::new();
        let w = word("", "-");
        let f = parse(&mut store, "a & AGa").unwrap();
        let props = store.propositions(f);
        assert_eq!(
            holds_on_word(&store, f, &props, &w),
            Err(Error::PathQuantifier)
        );
        let g = parse(&mut store, "a U other").unwrap();
        assert_eq!(
            holds_on_word(&store, g, &props, &w),
            Err(Error::UnknownProposition("other".to_owned()))
        );
        let mut many = vec![props[0]; 64];
        many.push(store.proposition("other").unwrap());
        assert_eq!(
            holds_on_word(&store, g, &many, &w),
            Err(Error::UnknownProposition("other".to_owned()))
        );
    }
}
