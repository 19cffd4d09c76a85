//! One model in several formats has one state space, and what is written reads back.

use dalsegno::explicit::explore::explore;
use dalsegno::kripke::{Budget, Verdict};
use dalsegno::logic::{FormulaStore, parse};
use dalsegno::models::etf;
use dalsegno::models::petri::generators::Family;
use dalsegno::report::{Witness, run_to_json, witness_from_json};
use dalsegno::{CheckOptions, ConversionError, Session, check_ltl, to_etf};

const PETERSON: &str = include_str!("../../../examples/peterson.dve");
const LIGHT: &str = include_str!("../../../examples/light.etf");

const SIGNED: &str = "int x = -2; byte list[2]; process P { state s; init s;
    trans s -> s { guard x < 3; effect x = x + 1, list[x == 0] = x; }; } system async;";

fn load(bytes: &[u8], file_name: &str) -> Session {
    Session::load(bytes, file_name, &Budget::unlimited(), |_| {}).unwrap()
}

fn counts(session: &Session) -> (u64, u64, u64) {
    let seen = explore(session.model(), &Budget::unlimited(), |_, _| {});
    (seen.states, seen.transitions, seen.dead_ends)
}

fn text(etf: &etf::Etf) -> Vec<u8> {
    let mut text = Vec::new();
    etf::write(etf, &mut text).unwrap();
    text
}

fn holds(session: &Session, formula: &str) -> bool {
    let mut store = FormulaStore::new();
    let f = parse(&mut store, formula).unwrap();
    let atoms = session.atoms(&store, f).unwrap();
    let (options, budget) = (CheckOptions::default(), Budget::unlimited());
    let outcome = check_ltl(session, &mut store, f, &atoms, &options, &budget, |_| {});
    outcome.unwrap().verdict == Verdict::Holds
}

#[test]
fn every_model_has_an_etf_form_with_the_same_states() {
    let dve = |text: &str| load(text.as_bytes(), "m.dve");
    let net = |family: Family, n| Session::new(family.generate(n).unwrap());
    for session in [
        dve(PETERSON),
        dve(SIGNED),
        net(Family::Kanban, 2),
        net(Family::Phils, 3),
    ] {
        let written = text(&to_etf(&session, &Budget::unlimited()).unwrap());
        let read = load(&written, "m.etf");
        assert_eq!(
            counts(&read),
            counts(&session),
            "{}",
            session.model().name()
        );
        let again = text(&to_etf(&read, &Budget::unlimited()).unwrap());
        assert_eq!(again, written, "{}", session.model().name());
    }
    let light = load(LIGHT.as_bytes(), "light.etf");
    let again = to_etf(&light, &Budget::unlimited()).unwrap();
    assert_eq!(again, etf::parse(LIGHT.as_bytes()).unwrap());
}

#[test]
fn propositions_mean_the_same_in_both_formats() {
    for (model, formula, expected) in [
        (SIGNED, r#"F "x = 3" & "x = -2" & G "x < 4""#, true),
        (SIGNED, r#"G "x < 0""#, false),
        (SIGNED, r#"G "P.s""#, true),
        (PETERSON, r#"G !("P_0.CS" & "P_1=CS")"#, true),
        (PETERSON, r#"G F "P_0 = CS""#, false),
    ] {
        let dve = load(model.as_bytes(), "m.dve");
        let tables = to_etf(&dve, &Budget::unlimited()).unwrap();
        let tables = Session::from_etf(tables, "m").unwrap();
        assert_eq!(holds(&dve, formula), expected, "{formula} in DVE");
        assert_eq!(holds(&tables, formula), expected, "{formula} in ETF");
    }
}

#[test]
fn a_limit_ends_the_conversion() {
    let session = load(PETERSON.as_bytes(), "m.dve");
    let budget = Budget::unlimited().with_states(3);
    let error = to_etf(&session, &budget).unwrap_err();
    assert!(matches!(error, ConversionError::Stopped(_)), "{error}");
}

#[test]
fn saved_runs_have_the_values_that_users_know() {
    let session = load(SIGNED.as_bytes(), "m.dve");
    let mut store = FormulaStore::new();
    let f = parse(&mut store, r#"G "x < 0""#).unwrap();
    let atoms = session.atoms(&store, f).unwrap();
    let (options, budget) = (CheckOptions::default(), Budget::unlimited());
    let outcome = check_ltl(&session, &mut store, f, &atoms, &options, &budget, |_| {});
    let Verdict::Fails(run) = outcome.unwrap().verdict else {
        panic!("the property fails");
    };
    let saved = run_to_json(session.model(), &run);
    let first = &saved["stem"][0];
    assert_eq!(first["state"]["x"], -2);
    assert_eq!(first["state"]["P"], "s");
    assert_eq!(first["changes"]["x"], serde_json::json!([-2, -1]));
    let read = witness_from_json(session.model(), &saved);
    assert_eq!(read, Ok(Witness::Run(run)));
}
