//! Automata of random formulas against the definition of the logic.

use dalsegno_automata::bdd::Bdd;
use dalsegno_automata::effort::Effort;
use dalsegno_automata::membership::{accepts, accepts_from, observes};
use dalsegno_automata::observer::Observer;
use dalsegno_automata::stutter::Invariance;
use dalsegno_automata::testing_translate::single_pass;
use dalsegno_automata::translate::Translator;
use dalsegno_automata::{Automaton, StateId};
use dalsegno_certify::holds_on_word;
use dalsegno_kripke::{Budget, Letter, Word};
use dalsegno_logic::random::{Config, Generator, Rng};
use dalsegno_logic::simplify::Simplifier;
use dalsegno_logic::{FormulaId, FormulaStore, parse};
use dalsegno_testkit::words::random_word;

/// Builds every kind for `f` and compares it with the definition on random words.
fn check(store: &mut FormulaStore, f: FormulaId, rng: &mut Rng, words: usize) {
    let mut simplifier = Simplifier::new();
    let text = store.display(f).to_string();
    let props = store.propositions(f);
    let not_f = store.not(f);
    let budget = Budget::unlimited();
    let mut t = Translator {
        store,
        simplifier: &mut simplifier,
        propositions: &props,
        alphabet: &|_| Ok(Bdd::TRUE),
        budget: &budget,
    };
    let mut invariance = Invariance::default();
    let invariant = invariance.decide(&mut t, f).unwrap();
    let mut labelled = t.labelled_tgba(f).unwrap();
    let effort = Effort::unlimited(&budget);
    let free = Invariance::free_letters(&mut t, &mut labelled, &effort);
    let ba = t.ba(f).unwrap();
    assert!(ba.accepting_states().is_some());
    let names: Vec<String> = props.iter().map(|&p| t.store.name(p).to_owned()).collect();
    let mut observers = Vec::new();
    let mut observe = |name, positive, used: &[String], observer| {
        let positions = used
            .iter()
            .map(|u| names.iter().position(|n| n == u).unwrap());
        observers.push((name, positive, positions.collect::<Vec<_>>(), observer));
    };
    for (name, positive, a) in [
        ("tgba", true, t.tgba(f).unwrap()),
        ("negated tgba", false, t.tgba(not_f).unwrap()),
        ("ba", true, ba),
    ] {
        a.check_invariants();
        observe(name, positive, &a.propositions.clone(), Observer::new(a));
    }
    for (name, positive, g) in [("tgta", true, f), ("negated tgta", false, not_f)] {
        let eager = t.tgta(g, invariant).unwrap();
        eager.check_invariants();
        observe(
            name,
            positive,
            &eager.propositions.clone(),
            Observer::of_testing(eager),
        );
    }
    let lazy = t.lazy_tgta(f, invariant).unwrap();
    let used = lazy.automaton().propositions.clone();
    observe("lazy tgta", true, &used, Observer::lazy(lazy));
    if invariant {
        let ta = t.ta(f, invariant).unwrap();
        ta.check_invariants();
        let single = single_pass(ta.clone());
        single.check_invariants();
        let used = ta.propositions.clone();
        observe("single-pass ta", true, &used, Observer::of_testing(single));
        observe("ta", true, &used, Observer::of_testing(ta));
    }
    let labelled_used: Vec<usize> = labelled
        .propositions
        .iter()
        .map(|u| names.iter().position(|n| n == u).unwrap())
        .collect();
    for _ in 0..words {
        let word = random_word(rng, props.len(), 4, 4);
        let expected = holds_on_word(store, f, &props, &word).unwrap();
        for (name, positive, used, observer) in &mut observers {
            assert_eq!(
                observes(observer, &project(&word, used)) == *positive,
                expected,
                "{name} of {text} on {word:?}"
            );
        }
        let seen = project(&word, &labelled_used);
        for (q, label) in (0..).zip(&labelled.labels) {
            let label = label.expect("states of a labelled automaton are labelled");
            assert_eq!(
                accepts_from(&labelled, [q], &seen),
                holds_on_word(store, label, &props, &word).unwrap(),
                "state {q} ({}) of {text} on {word:?}",
                store.display(label)
            );
            if labelled.guards.holds(free[q as usize], *seen.get(0)) {
                check_freedom(&labelled, q, &seen, rng, &text);
            }
        }
        assert_eq!(accepts(&labelled, &seen), expected);
        if invariant {
            let stuttered = stutter(rng, &word);
            assert_eq!(
                holds_on_word(store, f, &props, &stuttered).unwrap(),
                expected,
                "{text} is not stutter-invariant: {word:?} and {stuttered:?}"
            );
        }
    }
}

/// A state that stutters freely on the first letter of a word accepts it however its letters are repeated.
fn check_freedom(labelled: &Automaton, q: StateId, word: &Word, rng: &mut Rng, text: &str) {
    let other = stutter(rng, word);
    assert_eq!(
        accepts_from(labelled, [q], &other),
        accepts_from(labelled, [q], word),
        "state {q} of {text} does not stutter freely: {word:?} and {other:?}"
    );
}

/// The word as an automaton over some of the propositions sees it.
fn project(word: &Word, used: &[usize]) -> Word {
    let letter = |l: &Letter| {
        (0..)
            .zip(used)
            .fold(Letter(0), |to, (i, &from)| to.with(i, l.holds(from)))
    };
    Word::new(
        word.stem.iter().map(letter).collect(),
        word.cycle.iter().map(letter).collect(),
    )
}

/// The word with some of its letters repeated.
fn stutter(rng: &mut Rng, word: &Word) -> Word {
    let mut repeat = |letters: &[_]| {
        letters
            .iter()
            .flat_map(|&l| std::iter::repeat_n(l, 1 + rng.index(3)))
            .collect()
    };
    Word::new(repeat(&word.stem), repeat(&word.cycle))
}

fn run(config: Config, count: usize) {
    let mut rng = Rng::new(config.seed ^ 0x5eed);
    let mut generator = Generator::new(config);
    for _ in 0..count {
        let mut store = FormulaStore::new();
        let f = generator.next_formula(&mut store);
        check(&mut store, f, &mut rng, 25);
    }
}

/// How many (state, letter) stutter freely, of how many.
fn freedom(text: &str) -> (u64, u64) {
    let mut store = FormulaStore::new();
    let f = parse(&mut store, text).unwrap();
    let props = store.propositions(f);
    let budget = Budget::unlimited();
    let mut t = Translator {
        store: &mut store,
        simplifier: &mut Simplifier::new(),
        propositions: &props,
        alphabet: &|_| Ok(Bdd::TRUE),
        budget: &budget,
    };
    let mut a = t.labelled_tgba(f).unwrap();
    let free = Invariance::free_letters(&mut t, &mut a, &Effort::unlimited(&budget));
    let n = a.propositions.len();
    let letters = free.iter().map(|&letters| a.guards.count(letters, n));
    (letters.sum(), (a.len() as u64) << n)
}

#[test]
fn stuttering_is_free_letter_by_letter() {
    // From the initial state a word without a at first is out of luck, however it goes on.
    let (free, all) = freedom("a & X b");
    assert!(0 < free && free < all, "{free} of {all}");
    let (free, all) = freedom("G(a -> F b)");
    assert_eq!(free, all);
    let (free, all) = freedom("F(a & X(!a & F b)) | X F G a");
    assert!(0 < free && free <= all, "{free} of {all}");
    // A state that waits for a accepts nothing without it, and the empty language is invariant.
    assert_eq!(freedom("G(a <-> X !a)").0, 2);
}

#[test]
fn traps_and_textbook_formulas() {
    let mut rng = Rng::new(7);
    for text in dalsegno_testkit::formulas::TRAPS
        .iter()
        .chain(&dalsegno_testkit::formulas::LTL)
    {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, text).unwrap();
        if store.propositions(f).len() <= 5 {
            check(&mut store, f, &mut rng, 200);
        }
    }
}

#[test]
fn automata_agree_with_the_definition() {
    let names = ["a", "b", "c", "d"];
    let n: usize = std::env::var("DALSEGNO_FORMULAS")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(400);
    for k in 1..=4usize {
        for preset in [Config::ltl(), Config::x_free()] {
            let names = names[..k].iter().copied();
            run(
                preset
                    .with_propositions(names)
                    .with_size(3..=14)
                    .with_seed(k as u64),
                n,
            );
        }
    }
}
