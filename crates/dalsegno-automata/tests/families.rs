//! Families of formulas that grow: sizes that must stay.

use dalsegno_automata::membership::accepts;
use dalsegno_automata::{Automaton, Translation};
use dalsegno_certify::holds_on_word;
use dalsegno_kripke::Budget;
use dalsegno_logic::FormulaStore;
use dalsegno_logic::families::{Family, list};
use dalsegno_logic::random::Rng;
use dalsegno_testkit::words::random_word;

fn tgba(store: &mut FormulaStore, family: &Family, n: usize) -> Automaton {
    let f = family.formula(store, n).unwrap();
    let budget = Budget::unlimited();
    Translation::new(store, f, &budget).tgba().unwrap()
}

fn states(name: &str, n: usize) -> usize {
    let family = Family::named(name).unwrap();
    tgba(&mut FormulaStore::new(), family, n).len()
}

#[test]
fn families_stay_small() {
    for n in 1..=10 {
        assert!(states("gf-equiv-xn", n) <= 2 * n + 1, "{n}");
        assert_eq!(states("g-x", n), 1 << n, "{n}");
        assert_eq!(states("and-gf", n), 1, "{n}");
    }
    for n in 1..=5 {
        assert_eq!(states("gf-implies", n), n + 1, "{n}");
        assert_eq!(states("sejk-j", n), n + 1, "{n}");
        assert!(states("gh-r", n) <= 1 << n, "{n}");
    }
    assert!(states("ms-example", 5) <= 32);
}

/// States of Spot's TGBA, from the expected results of its own test of `genltl` (`ltl2tgba --low --det`).
const SPOT: [(&str, usize, usize); 16] = [
    ("kv-psi", 1, 10),
    ("kv-psi", 2, 24),
    ("kr-nlogn", 1, 16),
    ("kr-nlogn", 2, 44),
    ("kr-n", 1, 10),
    ("kr-n", 2, 25),
    ("gxf-and", 1, 1),
    ("gxf-and", 2, 1),
    ("gxf-and", 3, 1),
    ("fxg-or", 1, 3),
    ("fxg-or", 2, 4),
    ("fxg-or", 3, 5),
    ("pps-arbiter", 2, 15),
    ("pps-arbiter", 3, 23),
    ("gf-implies-xn", 3, 1),
    ("gf-equiv-xn", 1, 2),
];

#[test]
fn no_family_has_more_states_than_spot_publishes() {
    for (name, n, published) in SPOT {
        let ours = states(name, n);
        assert!(ours <= published, "{name} {n}: {ours} states, {published}");
    }
}

#[test]
fn every_family_agrees_with_the_definition() {
    let mut rng = Rng::new(11);
    let mut both = [0; 2];
    for (family, n) in list() {
        let mut store = FormulaStore::new();
        let automaton = tgba(&mut store, family, n);
        automaton.check_invariants();
        let f = family.formula(&mut store, n).unwrap();
        let propositions: Vec<_> = automaton
            .propositions()
            .iter()
            .map(|name| store.proposition(name).unwrap())
            .collect();
        // What the automaton does not look at is false.
        let mut all = propositions.clone();
        all.extend(
            store
                .propositions(f)
                .into_iter()
                .filter(|p| !propositions.contains(p)),
        );
        for _ in 0..20 {
            let word = random_word(&mut rng, propositions.len(), 2 * n, 4);
            let expected = holds_on_word(&store, f, &all, &word).unwrap();
            both[usize::from(expected)] += 1;
            assert_eq!(accepts(&automaton, &word), expected, "{} {n}", family.name);
        }
    }
    assert!(both.iter().all(|&count| count > 500), "{both:?}");
}
