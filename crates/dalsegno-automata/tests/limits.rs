//! Translations with little effort or a small budget: a right automaton or an error, never a wrong one;
//! and formulas that would take for ever.

use std::time::{Duration, Instant};

use dalsegno_automata::membership::{accepts, observes};
use dalsegno_automata::observer::Observer;
use dalsegno_automata::{Error, Translation};
use dalsegno_certify::holds_on_word;
use dalsegno_kripke::{Budget, Letter, Stop, Word};
use dalsegno_logic::random::{Config, Generator, Rng};
use dalsegno_logic::{FormulaId, FormulaStore, PropId, parse};
use dalsegno_testkit::words::random_word;

/// The word as an automaton with these propositions sees it.
fn seen(store: &FormulaStore, all: &[PropId], names: &[String], word: &Word) -> Word {
    let position = |name: &String| all.iter().position(|&p| store.name(p) == name).unwrap();
    let used: Vec<usize> = names.iter().map(position).collect();
    let letter = |l: &Letter| {
        let bits = (0..).zip(&used);
        bits.fold(Letter(0), |to, (i, &from)| to.with(i, l.holds(from)))
    };
    Word::new(
        word.stem.iter().map(letter).collect(),
        word.cycle.iter().map(letter).collect(),
    )
}

fn random_formulas(seed: u64, count: usize) -> Vec<(FormulaStore, FormulaId)> {
    let config = Config::ltl()
        .with_propositions(["a", "b"])
        .with_size(4..=12);
    let mut generator = Generator::new(config.with_seed(seed));
    let next = |_| {
        let mut store = FormulaStore::new();
        let f = generator.next_formula(&mut store);
        (store, f)
    };
    (0..count).map(next).collect()
}

#[test]
fn any_effort_gives_a_right_automaton() {
    let mut rng = Rng::new(11);
    let budget = Budget::unlimited();
    for (mut store, f) in random_formulas(1, 40) {
        let props = store.propositions(f);
        let words: Vec<Word> = (0..12)
            .map(|_| random_word(&mut rng, props.len(), 3, 3))
            .collect();
        for steps in [0, 1, 2, 5, 20, 100, 500, 5000] {
            let mut translation = Translation::new(&mut store, f, &budget).with_steps(steps);
            let (tgba, ba) = (translation.tgba().unwrap(), translation.ba().unwrap());
            assert!(ba.is_state_based());
            for word in &words {
                let expected = holds_on_word(&store, f, &props, word).unwrap();
                for a in [&tgba, &ba] {
                    let word = seen(&store, &props, a.propositions(), word);
                    let text = store.display(f);
                    assert_eq!(accepts(a, &word), expected, "{text}, {steps}, {word:?}");
                }
            }
        }
    }
}

#[test]
fn a_small_budget_gives_a_right_automaton_or_an_error() {
    let mut rng = Rng::new(12);
    let (mut errors, mut answers) = (0, 0);
    for (mut store, f) in random_formulas(2, 30) {
        let props = store.propositions(f);
        let whole = Budget::unlimited();
        let budgets = [
            whole.clone().with_bytes(3000),
            whole.clone().with_bytes(8000),
            whole.clone().with_states(2),
            whole.clone().with_time(Duration::from_micros(300)),
            whole.with_time(Duration::ZERO),
        ];
        for budget in budgets {
            let mut observers = Vec::new();
            let mut translation = Translation::new(&mut store, f, &budget);
            match translation.tgba() {
                Ok(a) => observers.push((a.propositions().to_vec(), Observer::new(a))),
                Err(_) => errors += 1,
            }
            match translation.tgta() {
                Ok(a) => observers.push((a.propositions().to_vec(), Observer::of_testing(a))),
                Err(_) => errors += 1,
            }
            if let Ok(a) = translation.ta() {
                observers.push((a.propositions().to_vec(), Observer::of_testing(a)));
            }
            for (names, observer) in &mut observers {
                answers += 1;
                for _ in 0..8 {
                    let word = random_word(&mut rng, props.len(), 3, 3);
                    let expected = holds_on_word(&store, f, &props, &word).unwrap();
                    let word = seen(&store, &props, names, &word);
                    assert_eq!(observes(observer, &word), expected, "{}", store.display(f));
                }
            }
        }
    }
    assert!(errors > 20 && answers > 20, "{errors}, {answers}");
}

/// Translates within a time, and returns the number of states.
fn states(text: &str, milliseconds: u64) -> Result<usize, Error> {
    let mut store = FormulaStore::new();
    let f = parse(&mut store, text).unwrap();
    let start = Instant::now();
    let budget = Budget::unlimited().with_time(Duration::from_millis(milliseconds));
    let result = Translation::new(&mut store, f, &budget).tgba();
    let taken = start.elapsed();
    // Generous, for a loaded machine and an unoptimised build.
    assert!(
        taken < Duration::from_millis(milliseconds + 1500),
        "{taken:?}"
    );
    result.map(|a| a.len())
}

#[test]
fn wide_formulas_are_translated() {
    let junction = |op: &str, n: usize, part: &dyn Fn(usize) -> String| -> String {
        (0..n).map(part).collect::<Vec<_>>().join(op)
    };
    let recurrences = |n| junction(" & ", n, &|i| format!("G F a{i}"));
    let persistences = |n| junction(" | ", n, &|i| format!("F G a{i}"));
    // Cubes of seven propositions: more recurrences than there can be acceptance sets.
    let cube = |m: usize| junction(" & ", 7, &|i| format!("{}a{i}", ["!", ""][m >> i & 1]));
    let cubes = |n| junction(" & ", n, &|m| format!("G F({})", cube(m)));
    assert_eq!(states(&recurrences(64), 60_000), Ok(64));
    assert_eq!(states(&persistences(24), 60_000), Ok(25));
    assert_eq!(states(&cubes(70), 60_000), Ok(70));
    let mixed = format!("(b U G a0) & {}", recurrences(20));
    assert!(states(&mixed, 60_000).unwrap() <= 2 * 20);
    assert_eq!(
        states(&recurrences(65), 60_000),
        Err(Error::TooManyPropositions(65))
    );
}

#[test]
fn wide_automata_are_right() {
    let mut rng = Rng::new(13);
    let budget = Budget::unlimited();
    // Fourteen different functions of four propositions.
    let function = |m: u32| {
        let cube = |m: u32| {
            let literal = |i: u32| format!("{}p{i}", if m >> i & 1 == 1 { "" } else { "!" });
            (0..4).map(literal).collect::<Vec<_>>().join(" & ")
        };
        format!("({}) | ({})", cube(m), cube(m + 1))
    };
    let parts = |before: &str, op: &str| -> String {
        let parts: Vec<String> = (0..14)
            .map(|m| format!("{before}({})", function(m)))
            .collect();
        parts.join(op)
    };
    for text in [
        parts("G F ", " & "),
        format!("(p0 U p1) & {}", parts("G F ", " & ")),
        parts("F G ", " | "),
        format!("p0 | X p1 | {}", parts("X X ", " | ")),
    ] {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, &text).unwrap();
        let not_f = store.not(f);
        let props = store.propositions(f);
        let mut positive = Translation::new(&mut store, f, &budget);
        let (labelled, _) = positive.labelled_tgba().unwrap();
        let (tgba, ba) = (positive.tgba().unwrap(), positive.ba().unwrap());
        let negation = Translation::new(&mut store, not_f, &budget).tgba();
        let automata = [tgba, ba, labelled, negation.unwrap()];
        for _ in 0..30 {
            let word = random_word(&mut rng, props.len(), 2, 20);
            let expected = holds_on_word(&store, f, &props, &word).unwrap();
            for (i, a) in automata.iter().enumerate() {
                let word = seen(&store, &props, a.propositions(), &word);
                assert_eq!(accepts(a, &word), expected == (i < 3), "{text}: {i}");
            }
        }
    }
}

#[test]
fn hostile_formulas_stop_in_time() {
    let streett: Vec<String> = (0..9).map(|i| format!("(G F a{i} | F G b{i})")).collect();
    let mut nested = "G a0".to_owned();
    for i in 1..14 {
        nested = format!("({nested} <-> G a{i})");
    }
    for text in [
        streett.join(" & "),
        format!("!({})", streett.join(" & ")),
        nested,
    ] {
        assert_eq!(
            states(&text, 100),
            Err(Error::Stopped(Stop::Time)),
            "{text}"
        );
    }
}

#[test]
fn what_takes_long_to_reduce_is_translated_all_the_same() {
    let next = "X ".repeat(9);
    assert_eq!(states(&format!("G(a -> {next} b)"), 60_000), Ok(512));
    assert_eq!(states(&format!("!G(a -> {next} b)"), 60_000), Ok(11));
}
