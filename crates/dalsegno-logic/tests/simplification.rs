//! What each rule of the simplifier and of syntactic implication does, on its smallest formula. That rules are right is
//! tested against the definition, with automata: `simplification.rs` of `dalsegno-automata`.

use dalsegno_logic::implication::Implications;
use dalsegno_logic::simplify::Simplifier;
use dalsegno_logic::{FormulaId, FormulaStore, nnf, parse};

const SIMPLER: [(&str, &str); 93] = [
    ("F a & F(a & b)", "F(a & b)"),
    ("F a | F(a & b)", "F a"),
    ("G a | G(a & b)", "G a"),
    ("G a & G b", "G(a & b)"),
    ("F a | F b", "F(a | b)"),
    ("X a & X b", "X(a & b)"),
    ("a & !a", "0"),
    ("F a & G !a", "0"),
    ("G a | F !a", "1"),
    ("F F a", "F a"),
    ("F(a U b)", "F b"),
    ("F(a M b)", "F(a & b)"),
    ("F(F a | b)", "F(a | b)"),
    ("F(G X a | b)", "F(b | G a)"),
    ("F(b & G F a)", "G F a & F b"),
    ("F X a", "X F a"),
    ("F(X a | X b)", "X F(a | b)"),
    ("F G X a", "F G a"),
    ("F G(a & X a)", "F G a"),
    ("F G(a | G b)", "F(G b | G a)"),
    ("G G a", "G a"),
    ("G(a R b)", "G b"),
    ("G(a W b)", "G(a | b)"),
    ("G(F a & b)", "G F a & G b"),
    ("G(F X a & b)", "G F a & G b"),
    ("G(b | G F a)", "G F a | G b"),
    ("G X a", "X G a"),
    ("G F X a", "G F a"),
    ("G F(a | X b)", "G F(a | b)"),
    ("G F(a & F b)", "G F b & G F a"),
    ("G(a -> F b) & G F b", "G F b"),
    ("X G F a", "G F a"),
    ("a U (a U b)", "a U b"),
    ("a U F b", "F b"),
    ("true U a", "F a"),
    ("(a & b) U b", "b"),
    ("!b U b", "F b"),
    ("a U G F b", "G F b"),
    ("X a U X b", "X(a U b)"),
    ("a U (b | G a)", "a W b"),
    ("(a U b) | G a", "a W b"),
    ("a R (a R b)", "a R b"),
    ("false R a", "G a"),
    ("a R G b", "G b"),
    ("!b R b", "G b"),
    ("(a | b) R b", "b"),
    ("X a R X b", "X(a R b)"),
    ("a R (b | a)", "b W a"),
    ("a R (b & F a)", "a M b"),
    ("(a R b) & F a", "a M b"),
    ("a W b W b", "a W b"),
    ("!a W a", "1"),
    ("false W a", "a"),
    ("G a W b", "G a | b"),
    ("X a W X b", "X(a W b)"),
    ("a M (a M b)", "a M b"),
    ("true M a", "a"),
    ("a M !a", "0"),
    ("X a M X b", "X(a M b)"),
    ("X X a U X X b", "X X(a U b)"),
    ("a U b U b", "a U b"),
    ("a U ((a & c) U b)", "a U b"),
    ("a R ((a | c) R b)", "a R b"),
    ("a W ((a & c) W b)", "a W b"),
    ("a M ((a | c) M b)", "a M b"),
    ("(a & c) U (a U b)", "a U b"),
    ("(a | c) R (a R b)", "a R b"),
    ("(a & c) W (a W b)", "a W b"),
    ("(a | c) M (a M b)", "a M b"),
    ("(a U b) & (c U b)", "(a & c) U b"),
    ("(a W b) & (c W b)", "(a & c) W b"),
    ("(a U b) & (c W b)", "(a & c) U b"),
    ("(a R b) & (a R c)", "a R (b & c)"),
    ("(a M b) & (a R c)", "a M (b & c)"),
    ("(a M b) & (a M c)", "a M (b & c)"),
    ("(a W b) & F b", "a U b"),
    ("F a & G(!a | G b)", "a M (!a | G b)"),
    ("X a | X b", "X(a | b)"),
    ("G F a | G F b", "G F(a | b)"),
    ("F G a & F G b", "F G(a & b)"),
    ("(a U b) | (a U c)", "a U (b | c)"),
    ("(a W b) | (a U c)", "a W (b | c)"),
    ("(a R b) | (c R b)", "(a | c) R b"),
    ("(a M b) | (c M b)", "(a | c) M b"),
    ("(a R b) | (c M b)", "(a | c) R b"),
    ("G b | (a M b)", "a R b"),
    ("G a | F(!a & F b)", "a W (!a & F b)"),
    ("a U (b | F c)", "F c | (a U b)"),
    ("a U (b & G F c)", "G F c & (a U b)"),
    ("a R (b & G c)", "G c & (a R b)"),
    ("a R (b | G F c)", "G F c | (a R b)"),
    ("a W (b | F c)", "F c | (a W b)"),
    ("a M (b & G c)", "G c & (a M b)"),
];

/// Rules that need a condition do nothing where it is not met.
const SIMPLEST: [&str; 34] = [
    "a U (c U b)",
    "a R (c R b)",
    "a W (c W b)",
    "a M (c M b)",
    "G F(a & b)",
    "F G(a | b)",
    "G F(a & X b)",
    "F G(a | X b)",
    "G(a | b)",
    "F(a & b)",
    "(a U b) & (a U c)",
    "(a | b) U b",
    "a U (b & G a)",
    "a U (b | G c)",
    "a R (b & F c)",
    "a R (b | c)",
    "G a U b",
    "a W (a U b)",
    "F a & F b",
    "G a | G b",
    "(a U b) & (c U d)",
    "(a W b) & (c W d)",
    "(a R b) & (c R d)",
    "(a M b) & (c M d)",
    "(a W b) & F c",
    "(a R b) & F c",
    "F a & G(a | b)",
    "(a U b) | (c U d)",
    "(a W b) | (c W d)",
    "(a R b) | (c R d)",
    "(a M b) | (c M d)",
    "G a | (c U d)",
    "G a | (c M d)",
    "G a | F(b & F c)",
];

const IMPLIED: [(&str, &str); 19] = [
    ("a | b", "b | a | c"),
    ("F a | F b", "F(a | b)"),
    ("G(a & b)", "G a & G b"),
    ("X(a & b)", "X a"),
    ("X F a", "F a"),
    ("b U F a", "F a"),
    ("a M b", "F a"),
    ("a M b", "F b"),
    ("G a", "X G a"),
    ("G a", "b R a"),
    ("G a", "a W b"),
    ("(G c) U (G d)", "(F d) W b"),
    ("a R b", "b"),
    ("a M b", "b | c"),
    ("b", "a U b"),
    ("a & b", "a R b"),
    ("a U b", "a W b"),
    ("a M b", "b U a"),
    // Only tables of truth know this.
    ("a & (b | c)", "(a & b) | (a & c)"),
];

/// Of Boolean formulas, whatever operators they have: implied from left to right, and not back.
const BOOLEAN: [(&str, &str); 5] = [
    ("a xor b", "a | b"),
    ("a & b", "a <-> b"),
    ("b", "a -> b"),
    ("!a", "a -> b"),
    ("a xor b", "!(a <-> b) | c"),
];

const NOT_IMPLIED: [(&str, &str); 6] = [
    ("F a", "a"),
    ("a W b", "a U b"),
    ("a R b", "a M b"),
    ("b U a", "a M b"),
    ("F a", "G F a"),
    ("X a", "a"),
];

fn read(store: &mut FormulaStore, text: &str) -> FormulaId {
    let f = parse(store, text).unwrap();
    nnf::nnf(store, f, false)
}

#[test]
fn every_rule_simplifies_its_formula_and_no_other() {
    let simplest = SIMPLEST.iter().map(|&text| (text, text));
    for (text, expected) in SIMPLER.into_iter().chain(simplest) {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, text).unwrap();
        let expected = parse(&mut store, expected).unwrap();
        let simpler = Simplifier::new().simplify(&mut store, f);
        let shown = store.display(simpler).to_string();
        assert_eq!(simpler, expected, "{text} becomes {shown}");
    }
}

#[test]
fn the_last_part_of_a_long_formula_is_simplified_as_the_first() {
    let chain = |part: fn(u32) -> String| (0..100).map(part).collect::<Vec<_>>().join(" U ");
    let mut store = FormulaStore::new();
    let f = parse(&mut store, &chain(|i| format!("(a{i} & (a{i} | b))"))).unwrap();
    let expected = parse(&mut store, &chain(|i| format!("a{i}"))).unwrap();
    assert_eq!(Simplifier::new().simplify(&mut store, f), expected);
}

#[test]
fn implications_are_found_and_none_is_made_up() {
    for (pairs, expected) in [(&IMPLIED[..], true), (&NOT_IMPLIED[..], false)] {
        for (f, g) in pairs {
            let mut store = FormulaStore::new();
            let (left, right) = (read(&mut store, f), read(&mut store, g));
            let proved = Implications::default().implies(&store, left, right);
            assert_eq!(proved, expected, "{f} => {g}");
        }
    }
}

#[test]
fn boolean_formulas_are_compared_by_tables() {
    for (f, g) in BOOLEAN {
        let mut store = FormulaStore::new();
        let left = parse(&mut store, f).unwrap();
        let right = parse(&mut store, g).unwrap();
        let mut implications = Implications::default();
        assert!(implications.implies(&store, left, right), "{f} => {g}");
        assert!(!implications.implies(&store, right, left), "{g} => {f}");
    }
}

#[test]
fn without_steps_nothing_is_proved_and_nothing_wrong_is_remembered() {
    let mut store = FormulaStore::new();
    let (f, g) = (
        read(&mut store, "G(a & b) U c"),
        read(&mut store, "F c | d"),
    );
    let mut implications = Implications::default();
    implications.grant(1);
    assert!(!implications.implies(&store, f, g));
    implications.grant(100);
    assert!(implications.implies(&store, f, g));
}
