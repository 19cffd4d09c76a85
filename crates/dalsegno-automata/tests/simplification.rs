//! Simplification against the definition: all small formulas on all short words, with any effort.

use dalsegno_certify::holds_on_word;
use dalsegno_kripke::Word;
use dalsegno_logic::implication::Implications;
use dalsegno_logic::nnf::nnf;
use dalsegno_logic::simplify::Simplifier;
use dalsegno_logic::{FormulaId, FormulaStore, PropId};
use dalsegno_testkit::words::all_words;

/// All formulas over the given atoms with exactly 1, 2, … `size` operators and atoms.
fn formulas(s: &mut FormulaStore, atoms: &[&str], size: usize) -> Vec<FormulaId> {
    let mut of_size: Vec<Vec<FormulaId>> = vec![Vec::new()];
    of_size.push(atoms.iter().map(|name| s.atom(name)).collect());
    for n in 2..=size {
        let mut found = Vec::new();
        for &f in &of_size[n - 1] {
            found.extend([s.not(f), s.next(f), s.finally(f), s.globally(f)]);
        }
        for left in 1..n - 1 {
            for &f in &of_size[left] {
                for &g in &of_size[n - 1 - left] {
                    found.extend([s.and([f, g]), s.or([f, g])]);
                    found.extend([s.implies(f, g), s.iff(f, g), s.xor(f, g)]);
                    found.extend([s.until(f, g), s.release(f, g)]);
                    found.extend([s.weak_until(f, g), s.strong_release(f, g)]);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        of_size.push(found);
    }
    let mut all: Vec<FormulaId> = of_size.into_iter().flatten().collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn values(s: &FormulaStore, f: FormulaId, props: &[PropId], words: &[Word]) -> Vec<bool> {
    let value = |w| holds_on_word(s, f, props, w).unwrap();
    words.iter().map(value).collect()
}

/// Compares each formula with its simplified form and that of its negation.
fn check(atoms: &[&str], size: usize, words: &[Word]) {
    let mut s = FormulaStore::new();
    let all = formulas(&mut s, atoms, size);
    let props: Vec<PropId> = atoms.iter().map(|a| s.proposition(a).unwrap()).collect();
    let mut simplifier = Simplifier::new();
    for f in all {
        let simple = simplifier.simplify(&mut s, f);
        let negation = simplifier.simplify_negation(&mut s, f);
        let expected = values(&s, f, &props, words);
        if simple != f {
            let found = values(&s, simple, &props, words);
            assert_eq!(found, expected, "{} to {}", s.display(f), s.display(simple));
        }
        let found = values(&s, negation, &props, words);
        assert!(
            found.iter().zip(&expected).all(|(x, y)| x != y),
            "not {} to {}",
            s.display(f),
            s.display(negation)
        );
    }
}

#[test]
fn all_small_formulas_over_one_atom() {
    let words: Vec<Word> = all_words(1, 1, 3).collect();
    check(&["a"], 6, &words);
}

#[test]
fn all_small_formulas_over_two_atoms() {
    let words: Vec<Word> = all_words(2, 1, 2).collect();
    check(&["a", "b"], 5, &words);
}

#[test]
fn any_effort_gives_an_equivalent_formula() {
    let words: Vec<Word> = all_words(2, 1, 1).chain(all_words(2, 0, 2)).collect();
    let mut s = FormulaStore::new();
    let all = formulas(&mut s, &["a", "b"], 4);
    let props: Vec<PropId> = ["a", "b"].map(|a| s.proposition(a).unwrap()).to_vec();
    let mut differences = 0;
    for f in all.into_iter().step_by(3) {
        let best = Simplifier::new().simplify(&mut s, f);
        let expected = values(&s, f, &props, &words);
        for steps in [0, 1, 2, 5] {
            let g = Simplifier::new().simplify_within(&mut s, f, steps);
            differences += usize::from(g != best);
            if g != best {
                assert_eq!(values(&s, g, &props, &words), expected, "{}", s.display(f));
            }
        }
        let never = Simplifier::new().simplify_while(&mut s, f, &|| false);
        assert_eq!(never, Simplifier::new().simplify_within(&mut s, f, 0));
    }
    assert!(differences > 50, "{differences}");
}

#[test]
fn implications_are_true() {
    let words: Vec<Word> = all_words(1, 1, 3).collect();
    let mut s = FormulaStore::new();
    let all = formulas(&mut s, &["a"], 5);
    let props = [s.proposition("a").unwrap()];
    let mut forms: Vec<FormulaId> = all.into_iter().map(|f| nnf(&mut s, f, false)).collect();
    forms.sort_unstable();
    forms.dedup();
    let values: Vec<Vec<bool>> = forms
        .iter()
        .map(|&f| values(&s, f, &props, &words))
        .collect();
    let mut implications = Implications::default();
    let mut few = Implications::default();
    let mut proved = 0;
    for (&f, x) in forms.iter().zip(&values) {
        for (&g, y) in forms.iter().zip(&values) {
            few.grant(2);
            let little = few.implies(&s, f, g);
            if implications.implies(&s, f, g) || little {
                proved += 1;
                let holds = x.iter().zip(y).all(|(x, y)| !x || *y);
                assert!(holds, "{} => {}", s.display(f), s.display(g));
            }
        }
    }
    assert!(proved > 1000, "{proved}");
}
