//! Questions about nets that are too large to explore, answered by the state equation.

use dalsegno::kripke::{Budget, DeadEnds};
use dalsegno::models::petri::generators::Family;
use dalsegno::{Answer, Engine, Source, Value};

use crate::support::{ask, by, contest, examination, granted, ltl};

/// 10^30 states or so.
fn large() -> Source {
    Source::of_net(Family::Kanban.generate(1_000).unwrap())
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

fn answers(name: &str, formula: &str) -> String {
    let properties = format!(
        "<property-set xmlns='http://mcc.lip6.fr/'>
        <property><id>one</id><description>d</description><formula>{formula}</formula></property>
        </property-set>"
    );
    let asked = examination(name, &properties);
    let (lines, complete) = contest(&large(), asked, &granted(60));
    assert!(complete, "{lines}");
    lines
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
        "FORMULA ReachabilityDeadlock FALSE TECHNIQUES EXPLICIT STUBBORN_SETS\n"
    );
}

#[test]
fn linear_time_knows_what_never_holds() {
    let source = large();
    let checked = |text: &str| -> Answer {
        let budget = Budget::unlimited().with_states(1_000);
        let asked = ltl(text, DeadEnds::Stutter);
        ask(&source, by(Engine::Explicit), asked, &budget)
    };
    let two = "\"Pm1 + Pback1 >= 600\" & \"Pm1 + Pout1 >= 600\"";
    let never = format!("{two} & \"Pback1 + Pout1 >= 801\"");
    let holds = checked(&format!("G !({never})"));
    assert_eq!(holds.value, Value::Truth(true));
    let open = checked(&format!("G !({two} & \"Pback1 + Pout1 >= 800\")"));
    assert!(matches!(open.value, Value::Unknown(_)), "{:?}", open.value);
}
