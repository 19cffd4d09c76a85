//! Operations on languages against membership of words, on random automata and formulas.
//!
//! `DALSEGNO_FORMULAS` multiplies the number of cases.

use crate::bdd::Bdd;
use crate::effort::Effort;
use crate::membership;
use crate::observer::Observer;
use crate::operations::accepts::{accepts, testing_accepts};
use crate::operations::compare::{Language, Separating, separating_word};
use crate::operations::hierarchy::{Class, class_of, is_in};
use crate::operations::letters::over_letters;
use crate::operations::stutter_witness::{stutter_witness, stutterings};
use crate::operations::word::NamedWord;
use crate::operations::{buchi, complement, reduce};
use crate::operations::{intersection, union};
use crate::{Automaton, TestingAutomaton, Translation};
use dalsegno_certify::holds_on_word;
use dalsegno_kripke::{Budget, Stop, Word};
use dalsegno_logic::random::{Config, Generator, Rng};
use dalsegno_logic::simplify::Simplifier;
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, PropId, parse};
use dalsegno_testkit::formulas::{LTL, TRAPS};
use dalsegno_testkit::words::{all_words, random_word};

use super::{language, random_automaton, words};

/// How many times as many cases as by default.
fn factor() -> usize {
    let given = std::env::var("DALSEGNO_FORMULAS").ok();
    given.and_then(|n| n.parse().ok()).unwrap_or(1)
}

fn random_automata(seed: u64, count: usize) -> impl Iterator<Item = Automaton> {
    let mut rng = Rng::new(seed);
    (0..count * factor()).map(move |_| random_automaton(&mut rng))
}

fn language_of(store: &mut FormulaStore, f: FormulaId) -> Language {
    let budget = Budget::unlimited();
    let not_f = store.not(f);
    Language {
        positive: Translation::new(store, f, &budget).tgba().unwrap(),
        negative: Translation::new(store, not_f, &budget).tgba().unwrap(),
    }
}

#[test]
fn acceptance_by_definition_agrees_with_membership() {
    for a in random_automata(1, 300) {
        for word in words(&a) {
            assert_eq!(
                accepts(&a, &word),
                membership::accepts(&a, &word),
                "{a:?} {word:?}"
            );
        }
    }
}

#[test]
fn a_complement_accepts_what_is_not_accepted() {
    let budget = Budget::unlimited();
    let mut by_ranks = 0;
    for a in random_automata(2, 400) {
        let effort = Effort::new(&budget, 1 << 24);
        let Ok(not_a) = complement(&a, &effort) else {
            continue;
        };
        not_a.check_invariants();
        by_ranks += usize::from(!a.is_deterministic());
        let words = words(&a);
        let expected: Vec<bool> = language(&a, &words)
            .iter()
            .map(|accepted| !accepted)
            .collect();
        assert_eq!(language(&not_a, &words), expected, "{a:?}\n{not_a:?}");
    }
    assert!(by_ranks > 100 * factor());
}

#[test]
fn a_complement_and_its_automaton_have_no_word_in_common_and_miss_none() {
    // By their own emptiness check, and twice complemented: longer words than a test can list.
    let budget = Budget::unlimited();
    let mut decided = 0;
    for a in random_automata(3, 150) {
        let effort = Effort::new(&budget, 1 << 23);
        let Ok(not_a) = complement(&a, &effort) else {
            continue;
        };
        let common = intersection(&a, &not_a, &effort).unwrap();
        assert!(crate::operations::is_empty(&common), "{a:?}");
        if not_a.len() > 12 {
            continue;
        }
        let Ok(again) = complement(&not_a, &effort) else {
            continue;
        };
        decided += 1;
        let missed = intersection(&again, &not_a, &effort).unwrap();
        assert!(crate::operations::is_empty(&missed), "{a:?}");
        let words = words(&a);
        assert_eq!(language(&again, &words), language(&a, &words), "{a:?}");
    }
    assert!(decided > 50, "{decided}");
}

#[test]
fn the_complement_of_a_formulas_automaton_is_the_negation() {
    let budget = Budget::unlimited();
    for text in LTL.iter().chain(&TRAPS) {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, text).unwrap();
        let both = language_of(&mut store, f);
        let effort = Effort::new(&budget, 1 << 25);
        let Ok(negative) = complement(&both.positive, &effort) else {
            // Ranks do not suit every formula.
            continue;
        };
        let by_ranks = Language {
            positive: negative,
            negative: both.positive.clone(),
        };
        let negation = Language {
            positive: both.negative.clone(),
            negative: both.positive,
        };
        let differ = separating_word(&by_ranks, &negation, &Effort::unlimited(&budget)).unwrap();
        assert_eq!(differ, None, "{text}");
    }
}

#[test]
fn a_complement_that_is_too_large_is_an_error() {
    let budget = Budget::unlimited();
    let mut store = FormulaStore::new();
    let f = parse(&mut store, "F(a & X X X X X X b) | G F(a & X X X b)").unwrap();
    let a = language_of(&mut store, f).positive;
    let effort = Effort::new(&budget, 1 << 10);
    let error = complement(&a, &effort).map(|_| ()).unwrap_err();
    assert_eq!(error, crate::Error::Stopped(Stop::Time));
}

#[test]
fn products_and_sums_are_intersections_and_unions() {
    let budget = Budget::unlimited();
    let effort = Effort::unlimited(&budget);
    let pairs = random_automata(4, 200).zip(random_automata(5, 200));
    for (a, b) in pairs {
        if a.propositions != b.propositions || a.alphabet != Bdd::TRUE || b.alphabet != Bdd::TRUE {
            continue;
        }
        let both = intersection(&a, &b, &effort).unwrap();
        let either = union(&a, &b, &effort).unwrap();
        for word in words(&a) {
            let (in_a, in_b) = (accepts(&a, &word), accepts(&b, &word));
            assert_eq!(accepts(&both, &word), in_a && in_b);
            assert_eq!(accepts(&either, &word), in_a || in_b);
        }
    }
}

#[test]
fn reductions_keep_the_language() {
    let budget = Budget::unlimited();
    let effort = Effort::unlimited(&budget);
    for a in random_automata(6, 300) {
        let words = words(&a);
        let expected = language(&a, &words);
        let small = reduce(a.clone(), &effort);
        assert!(small.len() <= a.len().max(1));
        assert_eq!(language(&small, &words), expected, "{a:?}");
        let ba = buchi(a.clone(), &effort).unwrap();
        assert!(ba.is_state_based());
        assert_eq!(language(&ba, &words), expected, "{a:?}");
    }
}

fn testing_automata(store: &mut FormulaStore, f: FormulaId) -> Vec<TestingAutomaton> {
    let budget = Budget::unlimited();
    let mut translation = Translation::new(store, f, &budget);
    let mut made = vec![translation.tgta().unwrap()];
    made.extend(translation.ta().ok());
    made
}

#[test]
fn testing_automata_are_automata_over_letters() {
    let budget = Budget::unlimited();
    let effort = Effort::unlimited(&budget);
    let mut rng = Rng::new(7);
    for text in LTL.iter().chain(&TRAPS) {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, text).unwrap();
        for testing in testing_automata(&mut store, f) {
            let letters = over_letters(&testing, &effort).unwrap();
            letters.check_invariants();
            let mut observer = Observer::of_testing(testing.clone());
            for _ in 0..30 {
                let word = random_word(&mut rng, testing.propositions.len(), 4, 4);
                let named = NamedWord {
                    propositions: testing.propositions.clone(),
                    word: word.clone(),
                };
                let props: Vec<PropId> = store.propositions(f);
                let names: Vec<String> = props.iter().map(|&p| store.name(p).to_owned()).collect();
                let expected = holds_on_word(&store, f, &props, &named.over(&names).word);
                assert_eq!(Ok(testing_accepts(&testing, &word)), expected, "{text}");
                assert_eq!(Ok(accepts(&letters, &word)), expected, "{text}");
                assert_eq!(
                    Ok(membership::observes(&mut observer, &word)),
                    expected,
                    "{text}"
                );
            }
        }
    }
}

fn random_formulas(seed: u64, size: std::ops::RangeInclusive<usize>) -> (FormulaStore, Generator) {
    let config = Config::ltl()
        .with_size(size)
        .with_propositions(["a", "b"])
        .with_seed(seed);
    (FormulaStore::new(), Generator::new(config))
}

#[test]
fn equivalence_is_confirmed_by_words() {
    let (mut store, mut generator) = random_formulas(8, 2..=9);
    let budget = Budget::unlimited();
    let effort = Effort::unlimited(&budget);
    let mut rng = Rng::new(9);
    let (mut equal, mut different) = (0, 0);
    let atoms = [store.atom("a"), store.atom("b")];
    let props: Vec<PropId> = atoms.iter().flat_map(|&f| store.propositions(f)).collect();
    let names = ["a".to_owned(), "b".to_owned()];
    for number in 0..2500 * factor() {
        let f = generator.next_formula(&mut store);
        let mut g = generator.next_formula(&mut store);
        if number % 4 == 0 {
            // Equal languages would be rare otherwise.
            g = Simplifier::new().simplify(&mut store, f);
        }
        let (a, b) = (language_of(&mut store, f), language_of(&mut store, g));
        let holds = |f: FormulaId, word: &Word| holds_on_word(&store, f, &props, word).unwrap();
        match separating_word(&a, &b, &effort).unwrap() {
            None => {
                equal += 1;
                for _ in 0..50 {
                    let word = random_word(&mut rng, 2, 4, 4);
                    assert_eq!(holds(f, &word), holds(g, &word));
                }
            }
            Some(Separating::First(word)) => {
                different += 1;
                let word = word.over(&names).word;
                assert!(holds(f, &word) && !holds(g, &word));
            }
            Some(Separating::Second(word)) => {
                different += 1;
                let word = word.over(&names).word;
                assert!(!holds(f, &word) && holds(g, &word));
            }
        }
    }
    assert!(equal > 500 && different > 1000, "{equal} {different}");
}

#[test]
fn stutter_witnesses_are_two_words_that_differ_by_stuttering() {
    let (mut store, mut generator) = random_formulas(10, 2..=10);
    let budget = Budget::unlimited();
    let effort = Effort::unlimited(&budget);
    let (mut invariant, mut not) = (0, 0);
    for _ in 0..600 * factor() {
        let f = generator.next_formula(&mut store);
        let props = store.propositions(f);
        let names: Vec<String> = props.iter().map(|&p| store.name(p).to_owned()).collect();
        let language = language_of(&mut store, f);
        let mut translation = Translation::new(&mut store, f, &budget);
        let expected = translation.is_stutter_invariant().unwrap();
        match stutter_witness(&language, &effort).unwrap() {
            None => {
                invariant += 1;
                assert!(expected, "{}", store.display(f));
            }
            Some((yes, no)) => {
                not += 1;
                assert!(!expected, "{}", store.display(f));
                let holds =
                    |w: &NamedWord| holds_on_word(&store, f, &props, &w.over(&names).word).unwrap();
                assert!(holds(&yes) && !holds(&no), "{}", store.display(f));
                let same = stutterings(&yes, &effort).unwrap();
                assert!(accepts(&same, &no.over(&yes.propositions).word));
            }
        }
    }
    assert!(invariant > 100 && not > 100, "{invariant} {not}");
}

#[test]
fn stutterings_are_those_words_that_have_the_same_letters() {
    fn squeezed(word: &Word) -> Vec<u64> {
        // A beginning that is long enough to tell short words apart.
        let mut letters = Vec::new();
        let mut at = 0;
        for _ in 0..60 {
            letters.push(word.get(at).0);
            at = word.successor(at);
        }
        letters.dedup();
        letters.truncate(8);
        letters
    }
    let budget = Budget::unlimited();
    let effort = Effort::unlimited(&budget);
    let all: Vec<Word> = all_words(1, 2, 3).collect();
    for word in &all {
        let named = NamedWord {
            propositions: vec!["a".to_owned()],
            word: word.clone(),
        };
        let same = stutterings(&named, &effort).unwrap();
        for other in &all {
            let expected = squeezed(word) == squeezed(other);
            assert_eq!(accepts(&same, other), expected, "{word:?} {other:?}");
        }
    }
}

#[test]
fn classes_of_textbook_formulas() {
    let budget = Budget::unlimited();
    let effort = Effort::unlimited(&budget);
    for (text, class) in [
        ("G a", Class::Safety),
        ("a W b", Class::Safety),
        ("X X a", Class::Safety),
        ("G F a & F G !a", Class::Safety),
        ("G(a -> X b) & (F c | G !c)", Class::Safety),
        ("F a", Class::Guarantee),
        ("a U b", Class::Guarantee),
        ("F a & G b", Class::Obligation),
        ("G a | F b", Class::Obligation),
        ("(F a -> F b) & (F c -> F d)", Class::Obligation),
        ("F(a & X a) -> G b", Class::Safety),
        ("G F a", Class::Recurrence),
        ("G(a -> F b)", Class::Recurrence),
        ("F G a", Class::Persistence),
        ("F(a & G b)", Class::Persistence),
        ("G F a -> G F b", Class::Reactivity),
        ("G F a | F G b", Class::Reactivity),
        ("F G a & G F b", Class::Reactivity),
    ] {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, text).unwrap();
        let language = language_of(&mut store, f);
        assert_eq!(class_of(&language, &effort), Ok(class), "{text}");
    }
}

#[test]
fn classes_contain_what_syntax_shows_and_are_closed_under_negation() {
    let (mut store, mut generator) = random_formulas(11, 2..=9);
    let budget = Budget::unlimited();
    let effort = Effort::unlimited(&budget);
    for _ in 0..400 * factor() {
        let f = generator.next_formula(&mut store);
        let language = language_of(&mut store, f);
        let negation = Language {
            positive: language.negative.clone(),
            negative: language.positive.clone(),
        };
        for (class, fragment, dual) in [
            (Class::Safety, Fragment::SAFETY, Class::Guarantee),
            (Class::Guarantee, Fragment::GUARANTEE, Class::Safety),
            (Class::Obligation, Fragment::OBLIGATION, Class::Obligation),
            (Class::Recurrence, Fragment::RECURRENCE, Class::Persistence),
            (Class::Persistence, Fragment::PERSISTENCE, Class::Recurrence),
        ] {
            let found = is_in(&language, class, &effort).unwrap();
            let shown = store.is(f, fragment);
            assert!(found || !shown, "{} {class:?}", store.display(f));
            assert_eq!(is_in(&negation, dual, &effort), Ok(found));
        }
        // A deterministic Büchi automaton is a proof.
        if language.positive.is_deterministic() {
            assert_eq!(is_in(&language, Class::Recurrence, &effort), Ok(true));
        }
    }
}
