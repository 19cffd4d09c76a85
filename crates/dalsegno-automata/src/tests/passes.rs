//! Every pass by itself keeps the language of random automata on all short words, whatever its effort.

use crate::bdd::Bdd;
use crate::effort::Effort;
use crate::ltl::eventual_union::eventual_union;
use crate::ltl::recurrence::{repeated, restarted};
use crate::ltl::stutter::closure;
use crate::ltl::suspend::suspended_product;
use crate::ltl::tableau::tableau;
use crate::membership::{accepts, observes};
use crate::observer::Observer;
use crate::omega::bisimulation::bisimulation as merge_bisimilar;
use crate::omega::degeneralize::degeneralize;
use crate::omega::marks::{mark_transient, propagate, shift};
use crate::omega::minimize::minimize;
use crate::omega::product::{intersection, union};
use crate::omega::scc_filter::{scc_filter, trim};
use crate::omega::simulation::{Method, reduce_direct, reduce_reverse};
use crate::omega::words::{accepted_word, is_empty};
use crate::testing::eager::expand;
use crate::testing::lazy::LazyTesting;
use crate::testing::reductions::{bisimulation, reduce};
use crate::{Automaton, Marks, TestingKind};
use dalsegno_certify::holds_on_word;
use dalsegno_kripke::{Budget, Word};
use dalsegno_logic::random::Rng;
use dalsegno_logic::{FormulaStore, parse};
use dalsegno_testkit::words::all_words;

use super::{language, random_automaton, words};

type Pass = fn(Automaton, &Effort<'_>) -> Automaton;

/// The passes that may improve an automaton, and leave it alone when they cannot.
const PASSES: [(&str, Pass); 11] = [
    ("bisimulation", merge_bisimilar),
    ("scc_filter", scc_filter),
    ("trim", trim),
    ("mark_transient", mark_transient),
    ("propagate", propagate),
    ("shift", shift),
    ("direct by signatures", |a, e| {
        reduce_direct(a, Method::Signatures, e)
    }),
    ("direct by letters", |a, e| {
        reduce_direct(a, Method::Letters, e)
    }),
    ("reverse by signatures", |a, e| {
        reduce_reverse(a, Method::Signatures, e)
    }),
    ("reverse by letters", |a, e| {
        reduce_reverse(a, Method::Letters, e)
    }),
    ("without_unused_propositions", |a, _| {
        // The words keep their letters if the propositions stay.
        let used = a.edges.iter().flatten().map(|e| e.guard);
        if a.guards.support_of(used).len() == a.propositions.len() {
            a.without_unused_propositions()
        } else {
            a
        }
    }),
];

#[test]
fn passes_keep_the_language() {
    let mut rng = Rng::new(1);
    let budget = Budget::unlimited();
    for round in 0..250 {
        let a = random_automaton(&mut rng);
        let words = words(&a);
        let expected = language(&a, &words);
        for (name, pass) in PASSES {
            let effort = Effort::unlimited(&budget);
            let result = pass(a.clone(), &effort);
            result.check_invariants();
            assert_eq!(
                language(&result, &words),
                expected,
                "{name}, {round}: {a:?}"
            );
        }
    }
}

#[test]
fn passes_keep_the_language_whatever_their_effort() {
    let mut rng = Rng::new(2);
    let budget = Budget::unlimited();
    let mut unchanged = 0;
    for round in 0..200 {
        let a = random_automaton(&mut rng);
        let words = words(&a);
        let expected = language(&a, &words);
        for (name, pass) in PASSES {
            for steps in [0, 1, 2, 5, 10, 20, 50] {
                let effort = Effort::new(&budget, steps);
                let result = pass(a.clone(), &effort);
                result.check_invariants();
                unchanged += usize::from(result.edges == a.edges);
                assert!(effort.left() <= steps);
                assert_eq!(
                    language(&result, &words),
                    expected,
                    "{name}, {round}, {steps}"
                );
            }
        }
    }
    assert!(unchanged > 100, "small efforts do not suffice");
}

#[test]
fn a_spent_budget_leaves_the_automaton_alone() {
    let mut rng = Rng::new(3);
    let spent = Budget::unlimited().with_time(std::time::Duration::ZERO);
    let a = random_automaton(&mut rng);
    for (name, pass) in &PASSES[3..10] {
        let effort = Effort::unlimited(&spent);
        assert_eq!(pass(a.clone(), &effort).edges, a.edges, "{name}");
    }
    let effort = Effort::unlimited(&spent);
    assert!(degeneralize(a.clone(), &effort).is_err());
    assert!(intersection(&a, &a, &effort).is_err());
}

#[test]
fn degeneralisation_keeps_the_language_and_makes_buchi_automata() {
    let mut rng = Rng::new(4);
    let budget = Budget::unlimited();
    for round in 0..250 {
        let a = random_automaton(&mut rng);
        let words = words(&a);
        let expected = language(&a, &words);
        let effort = Effort::unlimited(&budget);
        let ba = degeneralize(a.clone(), &effort).unwrap();
        ba.check_invariants();
        assert!(ba.is_state_based());
        assert_eq!(language(&ba, &words), expected, "{round}: {a:?}");
        for method in [Method::Signatures, Method::Letters] {
            let reduced = reduce_reverse(ba.clone(), method, &effort);
            reduced.check_invariants();
            assert!(reduced.is_state_based(), "{round}");
            assert_eq!(language(&reduced, &words), expected, "{round}: {a:?}");
        }
        for steps in [0, 3, 10, 30] {
            if let Ok(ba) = degeneralize(a.clone(), &Effort::new(&budget, steps)) {
                assert_eq!(language(&ba, &words), expected, "{round}, {steps}: {a:?}");
            }
        }
    }
}

#[test]
fn products_are_intersections_and_unions() {
    let mut rng = Rng::new(5);
    let budget = Budget::unlimited();
    let effort = Effort::unlimited(&budget);
    for round in 0..250 {
        let (a, mut b) = (random_automaton(&mut rng), random_automaton(&mut rng));
        if a.alphabet != Bdd::TRUE || b.alphabet != Bdd::TRUE {
            continue;
        }
        let both = intersection(&a, &b, &effort).unwrap();
        let words = words(&both);
        // An automaton with fewer propositions looks at the first ones only.
        b.propositions.clone_from(&both.propositions);
        let (left, right) = (language(&a, &words), language(&b, &words));
        let and: Vec<bool> = left.iter().zip(&right).map(|(&x, &y)| x && y).collect();
        assert_eq!(language(&both, &words), and, "{round}");
        let either = union(&a, &b, &effort).unwrap();
        either.check_invariants();
        let or: Vec<bool> = left.iter().zip(&right).map(|(&x, &y)| x || y).collect();
        assert_eq!(language(&either, &words), or, "{round}");
        match accepted_word(&both) {
            Some(word) => assert!(!is_empty(&both) && accepts(&both, &word), "{round}"),
            None => assert!(is_empty(&both) && !and.contains(&true), "{round}"),
        }
    }
}

/// One state that needs `sets` sets: edge i is in set i only, and all read every letter.
fn demanding(sets: u32) -> Automaton {
    let mut a = Automaton::new(vec!["a".to_owned()], sets);
    let q = a.add_state(None);
    a.initial = vec![q];
    for i in 0..sets {
        a.add_edge(q, Bdd::TRUE, Marks(1 << i), q).unwrap();
    }
    a
}

#[test]
fn as_many_sets_as_there_may_be_are_no_trouble() {
    let budget = Budget::unlimited();
    let effort = Effort::unlimited(&budget);
    let full = demanding(64);
    full.check_invariants();
    let words: Vec<Word> = all_words(1, 1, 2).collect();
    for (name, pass) in PASSES {
        let result = pass(full.clone(), &effort);
        assert_eq!(language(&result, &words), vec![true; words.len()], "{name}");
    }
    for other in [demanding(64), demanding(1), demanding(40)] {
        for (a, b) in [(&full, &other), (&other, &full)] {
            let both = intersection(a, b, &effort).unwrap();
            both.check_invariants();
            assert!(!is_empty(&both));
            let either = union(a, b, &effort).unwrap();
            assert_eq!(language(&either, &words), vec![true; words.len()]);
        }
    }
    let ba = degeneralize(full, &effort).unwrap();
    assert_eq!(language(&ba, &words), vec![true; words.len()]);
}

#[test]
fn minimisation_keeps_safety_languages_and_complements_them() {
    let mut rng = Rng::new(6);
    let budget = Budget::unlimited();
    let mut store = FormulaStore::new();
    for round in 0..200 {
        let mut a = random_automaton(&mut rng);
        a.acceptance_sets = 0;
        for edges in &mut a.edges {
            let old = std::mem::take(edges);
            for e in old {
                if edges.iter().all(|f| f.target != e.target) {
                    edges.push(crate::Edge {
                        marks: Marks::NONE,
                        ..e
                    });
                }
            }
        }
        a.check_invariants();
        let words = words(&a);
        let expected = language(&a, &words);
        for steps in [u64::MAX, 0, 5, 20, 100] {
            let effort = Effort::new(&budget, steps);
            let weak = match minimize(&mut store, &a, 1000, &effort) {
                Ok(weak) => weak.expect("a few states have few subsets"),
                Err(_) if steps != u64::MAX => continue,
                Err(stop) => panic!("{stop}"),
            };
            weak.automaton.check_invariants();
            assert!(weak.automaton.is_deterministic());
            assert_eq!(language(&weak.automaton, &words), expected, "{round}");
            let complement = language(&weak.complement(), &words);
            let negated: Vec<bool> = expected.iter().map(|x| !x).collect();
            assert_eq!(complement, negated, "{round}");
        }
    }
}

#[test]
fn recurrence_of_a_guarantee() {
    let budget = Budget::unlimited();
    let effort = Effort::unlimited(&budget);
    for text in ["F a", "F(a & X a)", "F(a & X !a)", "F(a & X(a U !a))"] {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, text).unwrap();
        let props = store.propositions(f);
        let raw = tableau(
            &mut store,
            &[f],
            &props,
            |_| Ok(Bdd::TRUE),
            usize::MAX,
            &effort,
        )
        .unwrap();
        let weak = minimize(&mut store, &raw, 100, &effort).unwrap().unwrap();
        let result = repeated(&weak, &effort).unwrap().unwrap();
        let guessing = restarted(raw.clone(), &effort).unwrap().unwrap();
        let gf = store.globally(f);
        for word in all_words(1, 1, 4) {
            let expected = holds_on_word(&store, gf, &props, &word).unwrap();
            assert_eq!(accepts(&result, &word), expected, "{text} on {word:?}");
            assert_eq!(accepts(&guessing, &word), expected, "{text} on {word:?}");
        }
        for steps in 0..20 {
            let few = Effort::new(&budget, steps);
            if let Ok(Some(again)) = repeated(&weak, &few) {
                let words: Vec<Word> = all_words(1, 1, 3).collect();
                assert_eq!(language(&again, &words), language(&result, &words));
            }
            if let Ok(Some(again)) = restarted(raw.clone(), &few) {
                let words: Vec<Word> = all_words(1, 1, 3).collect();
                assert_eq!(language(&again, &words), language(&result, &words));
            }
        }
    }
}

#[test]
fn the_closure_accepts_words_without_their_repetitions() {
    let mut rng = Rng::new(7);
    let budget = Budget::unlimited();
    let effort = Effort::unlimited(&budget);
    for round in 0..120 {
        let a = random_automaton(&mut rng);
        let closed = closure(a.clone(), &effort).unwrap();
        for word in words(&a).into_iter().filter(|w| accepts(&a, w)) {
            assert!(accepts(&closed, &word), "{round}: {word:?}");
            let mut shorter = word.clone();
            shorter.stem.dedup();
            shorter.cycle.dedup();
            assert!(accepts(&closed, &shorter), "{round}: {word:?}");
        }
    }
}

#[test]
fn unfolding_and_its_reductions_keep_the_language() {
    let mut rng = Rng::new(8);
    let budget = Budget::unlimited();
    for round in 0..120 {
        let a = random_automaton(&mut rng);
        let words = words(&a);
        let expected = language(&a, &words);
        let effort = Effort::unlimited(&budget);
        let exact = || LazyTesting::new(a.clone(), TestingKind::Tgta, vec![Bdd::FALSE; a.len()]);
        let testing = expand(&mut exact(), &effort).unwrap();
        testing.check_invariants();
        let mut results = vec![("lazy", Observer::lazy(exact()))];
        for steps in [0, 1, 5, 20, 100, 1000, u64::MAX] {
            let effort = Effort::new(&budget, steps);
            let reduced = reduce(testing.clone(), &effort);
            reduced.check_invariants();
            results.push(("reduced", Observer::of_testing(reduced)));
        }
        let merged = bisimulation(testing.clone(), &effort);
        results.push(("merged", Observer::of_testing(merged)));
        results.push(("expanded", Observer::of_testing(testing)));
        for (name, mut observer) in results {
            let seen: Vec<bool> = words.iter().map(|w| observes(&mut observer, w)).collect();
            assert_eq!(seen, expected, "{name}, {round}: {a:?}");
        }
    }
}

/// The automaton of a formula over `a` and `b`.
fn automaton(text: &str) -> Automaton {
    let budget = Budget::unlimited();
    let mut store = FormulaStore::new();
    let props = ["a", "b"].map(|name| {
        let atom = store.atom(name);
        store.propositions(atom)[0]
    });
    let f = parse(&mut store, text).unwrap();
    let f = dalsegno_logic::simplify::Simplifier::new().simplify(&mut store, f);
    let effort = Effort::unlimited(&budget);
    tableau(
        &mut store,
        &[f],
        &props,
        |_| Ok(Bdd::TRUE),
        usize::MAX,
        &effort,
    )
    .unwrap()
}

/// Random automata over `a` and `b` in which every letter is possible.
fn with_two_propositions(rng: &mut Rng) -> Automaton {
    loop {
        let a = random_automaton(rng);
        if a.propositions.len() == 2 && a.alphabet == Bdd::TRUE {
            return a;
        }
    }
}

/// Combines random automata with those of formulas, with any effort: the language of what comes out is the combination of the
/// two. How many results are counted.
fn combined(
    seed: u64,
    formulas: [&str; 5],
    of_both: fn(bool, bool) -> bool,
    pass: impl Fn(&Automaton, &Automaton, &Effort<'_>, u64) -> Option<Automaton>,
    counts: impl Fn(&Automaton, &Automaton, &Automaton) -> bool,
) -> usize {
    let mut rng = Rng::new(seed);
    let budget = Budget::unlimited();
    let others = formulas.map(automaton);
    let mut count = 0;
    for round in 0..200 {
        let a = with_two_propositions(&mut rng);
        let words = words(&a);
        let left = language(&a, &words);
        for other in &others {
            let right = language(other, &words);
            let expected: Vec<bool> = left
                .iter()
                .zip(right)
                .map(|(&x, y)| of_both(x, y))
                .collect();
            for steps in [0, 1, 2, 5, 20, 100, u64::MAX] {
                if let Some(both) = pass(&a, other, &Effort::new(&budget, steps), steps) {
                    both.check_invariants();
                    assert_eq!(language(&both, &words), expected, "{round}: {a:?}");
                    count += usize::from(counts(&a, other, &both));
                }
            }
        }
    }
    count
}

#[test]
fn a_suspended_automaton_is_intersected() {
    let later = ["GFa", "FGb", "GFa & FGb", "GF(a & Xb)", "GFa -> GFb"];
    let pass = |a: &Automaton, later: &Automaton, effort: &Effort<'_>, steps| {
        let both = suspended_product(a, later, effort);
        assert!(both.is_ok() || steps < u64::MAX);
        both.ok().map(|both| both.expect("few acceptance sets"))
    };
    let budget = Budget::unlimited();
    let fewer = combined(
        9,
        later,
        |x, y| x && y,
        pass,
        |a, later, both| {
            let plain = intersection(a, later, &Effort::unlimited(&budget)).unwrap();
            both.len() < plain.len()
        },
    );
    assert!(fewer > 100);
}

#[test]
fn a_run_may_jump_to_an_eventuality() {
    let eventual = ["Fa", "FGb", "GFa", "F(a & Xb)", "GFa -> GFb"];
    let pass = |a: &Automaton, eventual: &Automaton, effort: &Effort<'_>, _| {
        eventual_union(a, eventual, effort).ok().flatten()
    };
    let seen = combined(10, eventual, |x, y| x || y, pass, |_, _, _| true);
    assert!(seen > 100);
}
