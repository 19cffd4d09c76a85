use super::*;
use crate::parse::{parse, parse_lbt};

fn texts(config: Config, n: usize) -> Vec<String> {
    let mut store = FormulaStore::new();
    let mut generator = Generator::new(config);
    (0..n)
        .map(|_| {
            let f = generator.next_formula(&mut store);
            store.display(f).to_string()
        })
        .collect()
}

#[test]
fn a_seed_names_its_formulas_for_ever() {
    let config = Config::ltl().with_size(6..=9);
    assert_eq!(
        texts(config.clone(), 4),
        [
            "!((c -> (b W a)) & Xa)",
            "Ga",
            "a xor (a xor (b W a))",
            "XGX1"
        ]
    );
    assert_eq!(texts(config.clone(), 50), texts(config.clone(), 50));
    assert_ne!(texts(config.clone(), 50), texts(config.with_seed(1), 50));
}

#[test]
fn trees_have_the_size_asked_for() {
    let mut config = Config::ltl().with_propositions((0..10_000).map(|i| format!("p{i}")));
    config.weights.constants = 0;
    config.weights.not = 0;
    config.weights.finally = 0;
    config.weights.globally = 0;
    // Without these no identity of the store applies, but for equal operands.
    let mut store = FormulaStore::new();
    for size in 1..60 {
        let mut generator = Generator::new(config.clone().with_size(size..=size));
        let f = generator.next_formula(&mut store);
        assert_eq!(store.size(f), size as u64, "{}", store.display(f));
    }
}

#[test]
fn every_logic_keeps_to_its_fragment() {
    let mut store = FormulaStore::new();
    for (config, fragment) in [
        (Config::ltl(), Fragment::LTL),
        (Config::x_free(), Fragment::LTL.union(Fragment::X_FREE)),
        (Config::ctl(), Fragment::CTL),
        (Config::ctl_star(), Fragment::STATE),
    ] {
        let mut generator = Generator::new(config.with_size(1..=30));
        for _ in 0..2_000 {
            let f = generator.next_formula(&mut store);
            assert!(store.is(f, fragment), "{}", store.display(f));
        }
    }
}

#[test]
fn printed_formulas_are_read_back() {
    let mut store = FormulaStore::new();
    let names = ["a", "Alarm", "Fa", "U", "x < 1", "p0", "E", "1"];
    for config in [Config::ltl(), Config::ctl(), Config::ctl_star()] {
        let config = config.with_propositions(names).with_size(1..=40);
        let mut generator = Generator::new(config);
        for _ in 0..2_000 {
            let f = generator.next_formula(&mut store);
            let text = store.display(f).to_string();
            assert_eq!(parse(&mut store, &text), Ok(f), "{text}");
            let text = store.display_lbt(f).to_string();
            assert_eq!(parse_lbt(&mut store, &text), Ok(f), "{text}");
        }
    }
}

#[test]
fn spin_reads_back_what_needs_no_rewriting() {
    let mut store = FormulaStore::new();
    let mut config = Config::ctl_star().with_size(1..=40);
    config.weights.xor = 0;
    config.weights.weak_until = 0;
    config.weights.strong_release = 0;
    let mut generator = Generator::new(config);
    for _ in 0..2_000 {
        let f = generator.next_formula(&mut store);
        let text = store.display_spin(f).to_string();
        assert_eq!(parse(&mut store, &text), Ok(f), "{text}");
    }
}

#[test]
fn large_formulas_do_not_overflow() {
    let mut store = FormulaStore::new();
    let names: Vec<String> = (0..1_000).map(|i| format!("p{i}")).collect();
    for config in [Config::ltl(), Config::ctl(), Config::ctl_star()] {
        let config = config.with_propositions(names.clone());
        let mut generator = Generator::new(config.with_size(100_000..=100_000));
        let f = generator.next_formula(&mut store);
        let text = store.display(f).to_string();
        assert_eq!(parse(&mut store, &text), Ok(f));
    }
}

#[test]
fn missing_operators_and_atoms_are_no_problem() {
    let nothing = Weights {
        atoms: 0,
        constants: 0,
        not: 0,
        and: 0,
        or: 0,
        xor: 0,
        implies: 0,
        iff: 0,
        next: 0,
        finally: 0,
        globally: 0,
        until: 0,
        release: 0,
        weak_until: 0,
        strong_release: 0,
        exists: 1,
        forall: 0,
    };
    for logic in [Logic::Ltl, Logic::Ctl, Logic::CtlStar] {
        let config = Config {
            logic,
            size: 0..=9,
            propositions: Vec::new(),
            weights: nothing,
            seed: 3,
        };
        // Only constants, and quantifiers, which keep them.
        let bare = |f: &String| {
            matches!(
                f.trim_start_matches(['E', ' ', '(']).trim_end_matches(')'),
                "0" | "1"
            )
        };
        assert!(texts(config, 20).iter().all(bare));
    }
}

#[test]
fn weak_fairness_has_distinct_premises() {
    let mut store = FormulaStore::new();
    let mut generator = Generator::new(Config::x_free().with_size(4..=4));
    let f = weak_fair(&mut generator, &mut store, 2);
    assert_eq!(store.display(f).to_string(), "(GFb & GFa) -> (!c -> c)");
    let g = weak_fair(&mut generator, &mut store, 99);
    assert_eq!(store.propositions(g).len(), 3);
}
