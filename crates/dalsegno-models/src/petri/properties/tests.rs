use dalsegno_kripke::GroupId;

use super::*;
use crate::XmlError;
use crate::petri::SymbolError;

fn symbols() -> Symbols {
    let mut symbols = Symbols::new();
    for i in 0..3 {
        symbols.add_place(&format!("P{i}"), &[VarId(i)]);
        symbols.add_transition(&format!("t{i}"), &[GroupId(i)]);
    }
    symbols
}

fn read(formula: &str) -> Result<(FormulaStore, PropertySet), ErrorKind> {
    let text = format!(
        "<property-set xmlns='http://mcc.lip6.fr/'>
        <property><id>one</id><description>d</description><formula>{formula}</formula></property>
        </property-set>"
    );
    let mut store = FormulaStore::new();
    let set = parse(text.as_bytes(), &symbols(), &mut store).map_err(|error| error.kind)?;
    Ok((store, set))
}

fn kind(formula: &str) -> ErrorKind {
    read(formula).unwrap_err()
}

const FIREABLE: &str =
    "<is-fireable><transition>t1</transition><transition>t0</transition></is-fireable>";
const DEADLOCK: &str = "<deadlock/>";
const TOKENS: &str = "<tokens-count><place>P2</place><place>P0</place></tokens-count>";

fn constant(n: i64) -> String {
    format!("<integer-constant>{n}</integer-constant>")
}

#[test]
fn every_operator_is_read() {
    let d = DEADLOCK;
    for (formula, text) in [
        (
            format!("<all-paths><globally>{d}</globally></all-paths>"),
            "A G deadlock",
        ),
        (
            format!("<exists-path><finally>{d}</finally></exists-path>"),
            "E F deadlock",
        ),
        (
            format!("<all-paths><next><negation>{d}</negation></next></all-paths>"),
            "A X !deadlock",
        ),
        (
            format!(
                "<exists-path><until><before>{d}</before><reach>{FIREABLE}</reach></until></exists-path>"
            ),
            "E (deadlock U \"fireable(t0, t1)\")",
        ),
        (
            format!("<conjunction>{d}{FIREABLE}</conjunction>"),
            "deadlock & \"fireable(t0, t1)\"",
        ),
        (
            format!("<disjunction>{d}{FIREABLE}</disjunction>"),
            "deadlock | \"fireable(t0, t1)\"",
        ),
        (
            format!("<exclusive-disjunction>{d}{FIREABLE}</exclusive-disjunction>"),
            "deadlock xor \"fireable(t0, t1)\"",
        ),
        (
            format!("<implication>{d}{FIREABLE}</implication>"),
            "deadlock -> \"fireable(t0, t1)\"",
        ),
        (
            format!("<equivalence>{d}{FIREABLE}</equivalence>"),
            "deadlock <-> \"fireable(t0, t1)\"",
        ),
        (format!("<conjunction>{d}<true/></conjunction>"), "deadlock"),
    ] {
        let (mut store, set) = read(&formula).unwrap();
        let expected = dalsegno_logic::parse(&mut store, text).unwrap();
        assert_eq!(
            set.properties[0].question,
            Question::Formula(expected),
            "{text}"
        );
        assert_eq!(
            (&*set.properties[0].id, &*set.properties[0].description),
            ("one", "d")
        );
        for p in store.propositions(expected) {
            let predicate = &set.atoms[&p];
            let named = crate::petri::proposition::parse(store.name(p), &symbols()).unwrap();
            assert_eq!((&named.predicate, &*named.text), (predicate, store.name(p)));
        }
    }
}

#[test]
fn comparisons_become_canonical_atoms() {
    for (element, text) in [
        ("integer-le", "P0 + P2 <= 3"),
        ("integer-lt", "P0 + P2 < 3"),
        ("integer-ge", "P0 + P2 >= 3"),
        ("integer-gt", "P0 + P2 > 3"),
        ("integer-eq", "P0 + P2 = 3"),
        ("integer-neq", "P0 + P2 != 3"),
    ] {
        let formula = format!("<{element}>{TOKENS}{}</{element}>", constant(3));
        let (store, set) = read(&formula).unwrap();
        let (&p, _) = set.atoms.first_key_value().unwrap();
        assert_eq!(store.name(p), text);
    }
    let sum = format!(
        "<integer-le><integer-sum>{TOKENS}{TOKENS}{}</integer-sum>
        <integer-difference>{}<tokens-count><place>P0</place></tokens-count></integer-difference></integer-le>",
        constant(1),
        constant(9)
    );
    let (store, set) = read(&sum).unwrap();
    let (&p, _) = set.atoms.first_key_value().unwrap();
    assert_eq!(store.name(p), "3*P0 + 2*P2 <= 8");
}

#[test]
fn bounds_ask_for_sums() {
    let formula = "<place-bound><place>P1</place><place>P0</place></place-bound>";
    let (_, set) = read(formula).unwrap();
    assert_eq!(
        set.properties[0].question,
        Question::Bound(vec![VarId(1), VarId(0)])
    );
}

#[test]
fn nesting_is_limited_by_memory_only() {
    let depth = 200_000;
    let (open, close) = ("<exists-path><next>", "</next></exists-path>");
    let formula = format!("{}{DEADLOCK}{}", open.repeat(depth), close.repeat(depth));
    let (store, _) = read(&formula).unwrap();
    assert!(store.len() > 2 * depth);
}

#[test]
fn faults_have_a_kind() {
    assert_eq!(kind(""), ErrorKind::NoFormula);
    assert_eq!(kind("<maybe/>"), ErrorKind::Unknown("maybe".to_owned()));
    assert_eq!(
        kind(&format!("<until>{DEADLOCK}</until>")),
        ErrorKind::Operands {
            element: "until",
            expected: "two operands",
            found: 1
        }
    );
    assert!(matches!(
        kind("<negation/>"),
        ErrorKind::Operands { found: 0, .. }
    ));
    assert!(matches!(
        kind("<conjunction/>"),
        ErrorKind::Operands { found: 0, .. }
    ));
    assert!(matches!(
        kind(&format!("{DEADLOCK}{DEADLOCK}")),
        ErrorKind::Operands { found: 2, .. }
    ));
    assert!(matches!(kind(TOKENS), ErrorKind::Sort { .. }));
    assert!(matches!(
        kind(&format!("<negation>{TOKENS}</negation>")),
        ErrorKind::Sort { .. }
    ));
    let compared = format!("<integer-le>{TOKENS}{DEADLOCK}</integer-le>");
    assert!(matches!(
        kind(&compared),
        ErrorKind::Sort {
            element: "integer-le",
            ..
        }
    ));
    assert_eq!(
        kind("<integer-constant>x</integer-constant>"),
        ErrorKind::Number("x".to_owned())
    );
    let unknown = "<is-fireable><transition>T1</transition></is-fireable>";
    let ErrorKind::Symbol(SymbolError::Unknown { nearest, .. }) = kind(unknown) else {
        panic!("not an unknown name");
    };
    assert_eq!(nearest, ["t1", "t0", "t2"]);
    assert!(matches!(
        kind("<negation>"),
        ErrorKind::Xml(XmlError::Malformed(_))
    ));
}

#[test]
fn what_is_no_file_of_properties_is_refused() {
    let kind = |text: &str| {
        let mut store = FormulaStore::new();
        parse(text.as_bytes(), &symbols(), &mut store).unwrap_err()
    };
    assert_eq!(kind("").kind, ErrorKind::NotProperties);
    assert_eq!(kind("<pnml/>").kind, ErrorKind::NotProperties);
    assert_eq!(
        kind("<property-set>").kind,
        ErrorKind::Xml(XmlError::Truncated)
    );
    let error = kind("<property-set>\n <property/></property-set>");
    assert_eq!(
        error.to_string(),
        "line 2, column 2: the property has no <id>\n   <property/></property-set>\n   ^"
    );
    assert_eq!(kind("<property-set/>").kind, ErrorKind::NoProperty);
    let property =
        |inside: &str| format!("<property-set><property>{inside}</property></property-set>");
    let (id, formula) = ("<id>a</id>", format!("<formula>{DEADLOCK}</formula>"));
    let twice = kind(&property(&format!("{id}{formula}{formula}")));
    assert_eq!(twice.kind, ErrorKind::Repeated("formula"));
    assert_eq!(twice.column, 25 + id.len() + formula.len());
    let twice = kind(&property(&format!("{id}{id}{formula}")));
    assert_eq!(twice.kind, ErrorKind::Repeated("id"));
    let twice = property(&format!("{id}{formula}</property><property>{id}{formula}"));
    assert_eq!(kind(&twice).kind, ErrorKind::DuplicateId("a".to_owned()));
    let whole = property(&format!("{id}{formula}"));
    let tail = kind(&format!("{whole}tail"));
    assert_eq!(tail.kind, ErrorKind::Xml(XmlError::Outside));
    assert_eq!(tail.column, 1 + whole.len());
    assert_eq!(
        ids(format!("{whole}<a/>").as_bytes()).unwrap_err().kind,
        ErrorKind::Xml(XmlError::SecondRoot("a".to_owned()))
    );
    assert_eq!(
        ids(b"<property-set/>").unwrap_err().kind,
        ErrorKind::NoProperty
    );
    let stray = property(&format!("{id}<formula>x{DEADLOCK}</formula>"));
    assert_eq!(kind(&stray).kind, ErrorKind::Xml(XmlError::StrayText));
}

/// A file with one property.
fn with_formula(formula: &str) -> Vec<u8> {
    let inside = format!("<id>a</id><formula>{formula}</formula>");
    format!("<property-set><property>{inside}</property></property-set>").into_bytes()
}

#[test]
fn deep_and_wide_formulas_are_read_in_linear_time_and_memory() {
    let read = |formula: &str| {
        let mut store = FormulaStore::new();
        parse(&with_formula(formula), &symbols(), &mut store).map(|set| set.atoms.len())
    };
    let nested = |element: &str, inner: &str, rest: &str, levels: usize| {
        let (open, close) = (format!("<{element}>"), format!("{rest}</{element}>"));
        format!("{}{inner}{}", open.repeat(levels), close.repeat(levels))
    };
    for element in ["negation", "next", "conjunction", "integer-sum"] {
        let formula = match element {
            "integer-sum" => {
                let sum = nested(element, TOKENS, TOKENS, 20_000);
                format!("<integer-le>{sum}{TOKENS}</integer-le>")
            }
            _ => nested(element, DEADLOCK, "", 200_000),
        };
        assert_eq!(read(&formula), Ok(1), "{element}");
    }
    let wide = format!("<disjunction>{}</disjunction>", DEADLOCK.repeat(200_000));
    assert_eq!(read(&wide), Ok(1));
    let spent = Budget::unlimited().with_time(std::time::Duration::ZERO);
    let mut store = FormulaStore::new();
    let error = parse_within(&with_formula(&wide), &symbols(), &mut store, &spent);
    assert_eq!(error.unwrap_err().stop(), Some(dalsegno_kripke::Stop::Time));
    let small = Budget::unlimited().with_bytes(10_000_000);
    let error = parse_within(&with_formula(&wide), &symbols(), &mut store, &small);
    assert_eq!(
        error.unwrap_err().stop(),
        Some(dalsegno_kripke::Stop::Memory)
    );
}
