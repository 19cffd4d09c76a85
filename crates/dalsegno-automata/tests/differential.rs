//! Automata of random formulas against the definition of the logic.

use dalsegno_automata::membership::{accepts, accepts_from, observes};
use dalsegno_automata::observer::Observer;
use dalsegno_automata::{Automaton, StateId, Translation, single_pass};
use dalsegno_certify::holds_on_word;
use dalsegno_kripke::{Budget, Letter, Word};
use dalsegno_logic::random::{Config, Generator, Rng};
use dalsegno_logic::{FormulaId, FormulaStore, parse};
use dalsegno_testkit::words::random_word;

/// An automaton of a formula or of its negation, as a word is compared with it.
struct Made {
    name: &'static str,
    positive: bool,
    /// Positions of what it observes among the propositions of the formula.
    used: Vec<usize>,
    observer: Observer,
}

/// Builds every kind for `f` and compares it with the definition on random words.
fn check(store: &mut FormulaStore, f: FormulaId, rng: &mut Rng, words: usize) {
    let text = store.display(f).to_string();
    let props = store.propositions(f);
    let names: Vec<String> = props.iter().map(|&p| store.name(p).to_owned()).collect();
    let not_f = store.not(f);
    let budget = Budget::unlimited();
    let mut made: Vec<Made> = Vec::new();
    let mut add = |name, positive, observed: &[String], observer| {
        let used = positions(&names, observed);
        made.push(Made {
            name,
            positive,
            used,
            observer,
        });
    };
    let mut t = Translation::new(store, not_f, &budget);
    t.is_stutter_invariant().unwrap();
    let (tgba, tgta) = (t.tgba().unwrap(), t.tgta().unwrap());
    tgba.check_invariants();
    tgta.check_invariants();
    let observed = tgba.propositions().to_vec();
    add("negated tgba", false, &observed, Observer::new(tgba));
    let observed = tgta.propositions().to_vec();
    add("negated tgta", false, &observed, Observer::of_testing(tgta));
    let mut t = Translation::new(store, f, &budget);
    let invariant = t.is_stutter_invariant().unwrap();
    let (labelled, free) = t.labelled_tgba().unwrap();
    let (tgba, ba) = (t.tgba().unwrap(), t.ba().unwrap());
    assert!(ba.is_state_based());
    for (name, a) in [("tgba", tgba), ("ba", ba)] {
        a.check_invariants();
        let observed = a.propositions().to_vec();
        add(name, true, &observed, Observer::new(a));
    }
    let eager = t.tgta().unwrap();
    eager.check_invariants();
    let observed = eager.propositions().to_vec();
    add("tgta", true, &observed, Observer::of_testing(eager));
    let lazy = t.lazy_tgta().unwrap();
    let observed = lazy.automaton().propositions().to_vec();
    add("lazy tgta", true, &observed, Observer::lazy(lazy));
    if invariant {
        let ta = t.ta().unwrap();
        ta.check_invariants();
        let single = single_pass(ta.clone());
        single.check_invariants();
        let observed = ta.propositions().to_vec();
        add(
            "single-pass ta",
            true,
            &observed,
            Observer::of_testing(single),
        );
        add("ta", true, &observed, Observer::of_testing(ta));
    }
    let labelled_used = positions(&names, labelled.propositions());
    for _ in 0..words {
        let word = random_word(rng, props.len(), 4, 4);
        let expected = holds_on_word(store, f, &props, &word).unwrap();
        for made in &mut made {
            assert_eq!(
                observes(&mut made.observer, &project(&word, &made.used)) == made.positive,
                expected,
                "{} of {text} on {word:?}",
                made.name
            );
        }
        let seen = project(&word, &labelled_used);
        for q in labelled.states() {
            let label = labelled
                .label(q)
                .expect("states of a labelled automaton are labelled");
            assert_eq!(
                accepts_from(&labelled, [q], &seen),
                holds_on_word(store, label, &props, &word).unwrap(),
                "state {q} ({}) of {text} on {word:?}",
                store.display(label)
            );
            if labelled.guards().holds(free[q.index()], *seen.get(0)) {
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

/// Where the observed names stand among all names.
fn positions(names: &[String], observed: &[String]) -> Vec<usize> {
    let position = |name| names.iter().position(|n| n == name).unwrap();
    observed.iter().map(position).collect()
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
    let budget = Budget::unlimited();
    let (a, free) = Translation::new(&mut store, f, &budget)
        .labelled_tgba()
        .unwrap();
    let n = a.propositions().len();
    let letters = free.iter().map(|&letters| a.guards().count(letters, n));
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
