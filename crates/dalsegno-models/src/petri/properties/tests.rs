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
        "line 2, column 2: the property has no <id>"
    );
}
