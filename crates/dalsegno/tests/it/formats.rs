//! One model in several formats has one state space, and what is written reads back.

use dalsegno::explicit::explore::explore;
use dalsegno::kripke::{Budget, DeadEnds};
use dalsegno::models::etf;
use dalsegno::models::petri::generators::Family;
use dalsegno::report::{Witness, run_to_json, witness_from_json};
use dalsegno::{ConversionError, Settings, Source, to_etf};

use crate::support::{ask, ltl, problem};

const PETERSON: &str = include_str!("../../../../examples/peterson.dve");
const LIGHT: &str = include_str!("../../../../examples/light.etf");

const SIGNED: &str = "int x = -2; byte list[2]; process P { state s; init s;
    trans s -> s { guard x < 3; effect x = x + 1, list[x == 0] = x; }; } system async;";

fn load(bytes: &[u8], file_name: &str) -> Source {
    Source::from_bytes(bytes, file_name, &Budget::unlimited()).unwrap()
}

fn counts(source: &Source) -> (u64, u64, u64) {
    let seen = explore(problem(source).model(), &Budget::unlimited(), |_, _| {});
    (seen.states, seen.transitions, seen.dead_ends)
}

fn text(etf: &etf::Etf) -> Vec<u8> {
    let mut text = Vec::new();
    etf::write(etf, &mut text).unwrap();
    text
}

fn holds(source: &Source, formula: &str) -> bool {
    source
        .check(formula)
        .unwrap()
        .holds()
        .expect("nothing limits the search")
}

#[test]
fn every_model_has_an_etf_form_with_the_same_states() {
    let dve = |text: &str| load(text.as_bytes(), "m.dve");
    let net = |family: Family, n| Source::of_net(family.generate(n).unwrap());
    for source in [
        dve(PETERSON),
        dve(SIGNED),
        net(Family::Kanban, 2),
        net(Family::Phils, 3),
    ] {
        let written = text(&to_etf(problem(&source), &Budget::unlimited()).unwrap());
        let read = load(&written, "m.etf");
        assert_eq!(counts(&read), counts(&source), "{}", source.name());
        let again = text(&to_etf(problem(&read), &Budget::unlimited()).unwrap());
        assert_eq!(again, written, "{}", source.name());
    }
    let light = load(LIGHT.as_bytes(), "light.etf");
    let again = to_etf(problem(&light), &Budget::unlimited()).unwrap();
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
        let tables = to_etf(problem(&dve), &Budget::unlimited()).unwrap();
        let tables = Source::of_etf(tables, "m").unwrap();
        assert_eq!(holds(&dve, formula), expected, "{formula} in DVE");
        assert_eq!(holds(&tables, formula), expected, "{formula} in ETF");
    }
}

#[test]
fn a_limit_ends_the_conversion() {
    let source = load(PETERSON.as_bytes(), "m.dve");
    let budget = Budget::unlimited().with_states(3);
    let error = to_etf(problem(&source), &budget).unwrap_err();
    assert!(matches!(error, ConversionError::Stopped(_)), "{error}");
}

#[test]
fn saved_runs_have_the_values_that_users_know() {
    let source = load(SIGNED.as_bytes(), "m.dve");
    let asked = ltl(r#"G "x < 0""#, DeadEnds::Stutter);
    let settings = Settings {
        lasso: true,
        ..Settings::default()
    };
    let answer = ask(&source, settings, asked, &Budget::unlimited());
    let run = answer.run().expect("the property fails");
    let model = problem(&source).model();
    let saved = run_to_json(model, run);
    let first = &saved["stem"][0];
    assert_eq!(first["state"]["x"], -2);
    assert_eq!(first["state"]["P"], "s");
    assert_eq!(first["changes"]["x"], serde_json::json!([-2, -1]));
    let read = witness_from_json(model, &saved);
    assert_eq!(read, Ok(Witness::Run(run.clone())));
}
