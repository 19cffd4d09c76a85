//! Questions about nets that are too large to explore, answered by the state equation.

use std::time::Duration;

use dalsegno::kripke::{Budget, Verdict};
use dalsegno::logic::{FormulaStore, parse};
use dalsegno::models::petri::generators::Family;
use dalsegno::{CheckOptions, Engine, Request, Session, check_ltl, examine};

/// 10^30 states or so.
fn large() -> Session {
    Session::new(Family::Kanban.generate(1_000).unwrap())
}

fn tokens(places: &[&str]) -> String {
    let places = places.iter().map(|p| format!("<place>{p}</place>"));
    format!(
        "<tokens-count>{}</tokens-count>",
        places.collect::<String>()
    )
}

fn at_least(n: u32, places: &[&str]) -> String {
    let tokens = tokens(places);
    format!("<integer-le><integer-constant>{n}</integer-constant>{tokens}</integer-le>")
}

fn answers(examination: &str, formula: &str) -> String {
    let properties = format!(
        "<property-set xmlns='http://mcc.lip6.fr/'>
        <property><id>one</id><description>d</description><formula>{formula}</formula></property>
        </property-set>"
    );
    let budget = Budget::unlimited()
        .with_time(Duration::from_secs(60))
        .with_bytes(1 << 30);
    let request = Request::new(examination, &budget).with_properties(properties.as_bytes());
    let mut out = Vec::new();
    assert!(examine(&large(), &request, &mut out).unwrap());
    String::from_utf8(out).unwrap()
}

#[test]
fn the_contest_is_told_what_is_never_reached() {
    let never = format!(
        "<conjunction>{}{}{}</conjunction>",
        at_least(600, &["Pm1", "Pback1"]),
        at_least(600, &["Pm1", "Pout1"]),
        at_least(801, &["Pback1", "Pout1"])
    );
    let finally = format!("<exists-path><finally>{never}</finally></exists-path>");
    assert_eq!(
        answers("ReachabilityCardinality", &finally),
        "FORMULA one FALSE TECHNIQUES STATE_EQUATION\n"
    );
    let globally =
        format!("<all-paths><globally><negation>{never}</negation></globally></all-paths>");
    assert_eq!(
        answers("ReachabilityCardinality", &globally),
        "FORMULA one TRUE TECHNIQUES STATE_EQUATION\n"
    );
    assert_eq!(
        answers("ReachabilityDeadlock", ""),
        "FORMULA ReachabilityDeadlock FALSE TECHNIQUES STATE_EQUATION\n"
    );
}

#[test]
fn linear_time_knows_what_never_holds() {
    let session = large();
    let options = CheckOptions {
        engine: Engine::Explicit,
        ..CheckOptions::default()
    };
    let checked = |text: &str| {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, text).unwrap();
        let atoms = session.atoms(&store, f).unwrap();
        let budget = Budget::unlimited().with_states(1_000);
        let outcome = check_ltl(&session, &mut store, f, &atoms, &options, &budget, |_| {});
        outcome.unwrap().verdict
    };
    let two = "\"Pm1 + Pback1 >= 600\" & \"Pm1 + Pout1 >= 600\"";
    let never = format!("{two} & \"Pback1 + Pout1 >= 801\"");
    let holds = checked(&format!("G !({never})"));
    assert_eq!(holds, Verdict::Holds);
    let open = checked(&format!("G !({two} & \"Pback1 + Pout1 >= 800\")"));
    assert!(matches!(open, Verdict::Unknown(_)), "{open:?}");
}
