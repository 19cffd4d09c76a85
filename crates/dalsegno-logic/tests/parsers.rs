//! Parsers and printers against texts that nobody would write: no panic, no overflow, no crawl.

use dalsegno_logic::random::{Config, Generator, Rng};
use dalsegno_logic::{FormulaId, FormulaStore, parse, parse_lbt};

const DEEP: usize = 100_000;

/// Pieces that random texts are made of.
const TOKENS: [&str; 64] = [
    "a", "p0", "Alarm", "GFa", "E", "A", "AG", "EX", "F", "G", "X", "U", "R", "V", "W", "M", "xor",
    "t", "f", "i", "e", "true", "false", "0", "1", "=0", "=1", "=", "==", "!", "~", "&", "&&", "|",
    "||", "^", "/\\", "\\/", "->", "-->", "=>", "<->", "<=>", "<-->", "<>", "[]", "()", "(", ")",
    "[", "]", "\"", "\"x y\"", "\\", " ", "\n", "\t", "é", "∧", "□", "∀", "?", "@", "2x",
];

/// Parses with both parsers; errors must be printable, formulas must survive being printed.
fn try_both(store: &mut FormulaStore, text: &str) {
    for parser in [parse, parse_lbt] {
        match parser(store, text) {
            Ok(f) => assert_survives(store, f),
            Err(error) => {
                let span = error.span();
                assert!(span.start <= span.end && span.end <= text.len(), "{text:?}");
                assert!(text.get(span).is_some(), "{text:?}");
                assert!(error.render(text).starts_with(&error.to_string()));
            }
        }
    }
}

#[track_caller]
fn assert_survives(store: &mut FormulaStore, f: FormulaId) {
    let infix = store.display(f).to_string();
    assert!(parse(store, &infix) == Ok(f), "{infix:.200}");
    let prefix = store.display_lbt(f).to_string();
    assert!(parse_lbt(store, &prefix) == Ok(f), "{prefix:.200}");
    assert!(!store.display_latex(f).to_string().is_empty());
}

#[test]
fn random_bytes_are_formulas_or_errors() {
    let mut rng = Rng::new(1);
    let mut store = FormulaStore::new();
    for _ in 0..20_000 {
        let bytes: Vec<u8> = (0..rng.index(40))
            .map(|_| match rng.index(4) {
                0 => rng.next_u64() as u8,
                _ => b' ' + rng.below(96) as u8,
            })
            .collect();
        try_both(&mut store, &String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn random_tokens_are_formulas_or_errors() {
    let mut rng = Rng::new(2);
    let mut store = FormulaStore::new();
    for _ in 0..20_000 {
        let separator = ["", " "][rng.index(2)];
        let text: Vec<&str> = (0..rng.index(12))
            .map(|_| TOKENS[rng.index(TOKENS.len())])
            .collect();
        try_both(&mut store, &text.join(separator));
    }
}

#[test]
fn damaged_formulas_are_formulas_or_errors() {
    let mut rng = Rng::new(3);
    let mut store = FormulaStore::new();
    let names = ["a", "Alarm", "x < \"1\"", "é\\"];
    let config = Config::ctl_star().with_propositions(names);
    let mut generator = Generator::new(config.with_size(1..=25));
    for _ in 0..300 {
        let f = generator.next_formula(&mut store);
        let texts = [
            store.display(f).to_string(),
            store.display_spin(f).to_string(),
            store.display_lbt(f).to_string(),
            store.display_latex(f).to_string(),
        ];
        for text in texts {
            for (cut, _) in text.char_indices() {
                try_both(&mut store, &text[..cut]);
                try_both(&mut store, &text[cut..]);
            }
            let mut chars: Vec<char> = text.chars().collect();
            let (i, j) = (rng.index(chars.len()), rng.index(chars.len()));
            chars.swap(i, j);
            try_both(&mut store, &chars.iter().collect::<String>());
        }
    }
}

#[test]
fn no_infix_nesting_is_too_deep() {
    let wrapped = |open: &str, core: &str, close: &str| {
        format!("{}{core}{}", open.repeat(DEEP), close.repeat(DEEP))
    };
    let texts = [
        wrapped("(", "a", ")"),
        wrapped("!", "a", ""),
        wrapped("X", "a", ""),
        wrapped("X ", "a", ""),
        wrapped("()", "a", ""),
        wrapped("GF", "a", ""),
        wrapped("[]<>", "a", ""),
        wrapped("!X(", "a", ")"),
        wrapped("E ", "a", ""),
        wrapped("A E ", "a", ""),
        wrapped("AGEF", "a", ""),
        wrapped("E(", "a U b", ")"),
        wrapped("A[", "a U b", "]"),
        wrapped("a U ", "b", ""),
        wrapped("a R (", "b", ")"),
        wrapped("a W (b M ", "c", ")"),
        wrapped("(", "b", " U a)"),
        wrapped("a -> ", "b", ""),
        wrapped("(", "b", " -> a)"),
        wrapped("X(a <-> ", "b", ")"),
        wrapped("X(", "b", " xor a)"),
        wrapped("a & (b | ", "c", ")"),
        wrapped("(", "c", " & X(a | b))"),
        wrapped("a & ", "b", ""),
        wrapped("", "b", " | a"),
    ];
    for text in texts {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, &text).unwrap_or_else(|e| panic!("{}", e.render(&text)));
        assert_survives(&mut store, f);
        try_both(&mut store, &text[..text.len() / 2]);
        try_both(&mut store, &text[text.len() / 3..]);
    }
}

#[test]
fn no_prefix_nesting_is_too_deep() {
    for (operators, operands) in [
        ("! ", ""),
        ("X ", ""),
        ("G F ", ""),
        ("A E ", ""),
        ("U a ", ""),
        ("U ", " a"),
        ("W M b ", " a"),
        ("i ", " a"),
        ("& X ^ a ", " b"),
        ("& a | b ", ""),
    ] {
        let mut store = FormulaStore::new();
        let text = format!("{}p0{}", operators.repeat(DEEP), operands.repeat(DEEP));
        let f = parse_lbt(&mut store, &text).unwrap_or_else(|e| panic!("{}", e.render(&text)));
        assert_survives(&mut store, f);
        try_both(&mut store, &text[..text.len() / 2]);
    }
}

#[test]
fn spin_prints_deep_formulas() {
    let mut store = FormulaStore::new();
    let text = format!("{}b{}", "X(a xor G(a U ".repeat(DEEP), "))".repeat(DEEP));
    let f = parse(&mut store, &text).expect("a formula");
    assert!(store.display_spin(f).to_string().len() > DEEP);
}

#[test]
fn many_distinct_operands_take_linear_time() {
    let mut store = FormulaStore::new();
    let atoms: Vec<String> = (0..DEEP).map(|i| format!("q{i}")).collect();
    let f = parse(&mut store, &atoms.join(" & ")).expect("a formula");
    assert_survives(&mut store, f);
    let prefix = format!("{}{}", "| ".repeat(DEEP - 1), atoms.join(" "));
    let g = parse_lbt(&mut store, &prefix).expect("a formula");
    assert_survives(&mut store, g);
    assert!(store.len() < 3 * DEEP);
}
