//! Coloured nets, from the file to the answer.

use std::time::Duration;

use dalsegno::certify::refute;
use dalsegno::explicit::explore::explore;
use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, DeadEnds, Verdict};
use dalsegno::logic::{FormulaStore, parse};
use dalsegno::models::petri::generators::Family;
use dalsegno::report::{run_from_json, run_to_json};
use dalsegno::{CheckOptions, Request, Session, check_ltl, examine};

fn coloured(family: Family, n: u32) -> Session {
    let net = family.generate_coloured(n).unwrap();
    Session::of_coloured(net, &Budget::unlimited(), |_| {}).unwrap()
}

#[test]
fn verdicts_are_those_of_the_plain_net() {
    let session = coloured(Family::Philosophers, 3);
    let plain = Session::new(Family::Philosophers.generate(3).unwrap());
    for (formula, of_plain) in [
        ("G !deadlock", "G !deadlock"),
        (
            "F deadlock | G F \"Eat >= 1\"",
            "F deadlock | G F \"Eat_1 + Eat_2 + Eat_3 >= 1\"",
        ),
        ("G \"Eat <= 1\"", "G \"Eat_1 + Eat_2 + Eat_3 <= 1\""),
        (
            "G(\"'Fork(2)' >= 1\" -> F \"fireable(End)\")",
            "G(\"Fork_2 >= 1\" -> F \"fireable(End_1, End_2, End_3)\")",
        ),
    ] {
        for kind in [
            None,
            Some(Kind::Tgba),
            Some(Kind::Ba),
            Some(Kind::Ta),
            Some(Kind::Tgta),
        ] {
            let options = CheckOptions {
                automaton: kind,
                ..CheckOptions::default()
            };
            let holds = |session: &Session, text: &str| {
                let mut store = FormulaStore::new();
                let f = parse(&mut store, text).unwrap();
                let atoms = session.atoms(&store, f).unwrap();
                let unlimited = Budget::unlimited();
                let checked =
                    check_ltl(session, &mut store, f, &atoms, &options, &unlimited, |_| {});
                let verdict = checked.unwrap().verdict;
                if let Verdict::Fails(run) = &verdict {
                    let json = run_to_json(session.model(), run);
                    let again = run_from_json(session.model(), &json).unwrap();
                    let model = session.model();
                    refute(model, &again, DeadEnds::Stutter, &store, f, &atoms).unwrap();
                }
                verdict.holds()
            };
            assert_eq!(
                holds(&session, formula),
                holds(&plain, of_plain),
                "{formula} {kind:?}"
            );
        }
    }
}

#[test]
fn steps_name_the_coloured_transition_and_its_binding() {
    let session = coloured(Family::Philosophers, 2);
    let mut store = FormulaStore::new();
    let f = parse(&mut store, "G !\"Catch1 >= 1\"").unwrap();
    let atoms = session.atoms(&store, f).unwrap();
    let options = CheckOptions::default();
    let unlimited = Budget::unlimited();
    let outcome = check_ltl(
        &session,
        &mut store,
        f,
        &atoms,
        &options,
        &unlimited,
        |_| {},
    )
    .unwrap();
    let Verdict::Fails(run) = outcome.verdict else {
        panic!("it fails");
    };
    let json = run_to_json(session.model(), &run);
    let first = if run.stem.is_empty() {
        &json["cycle"][0]
    } else {
        &json["stem"][0]
    };
    assert_eq!(first["transition"], "FF1a");
    let x = first["binding"]["x"].as_str().unwrap();
    assert_eq!(
        first["changes"][format!("Catch1({x})")],
        serde_json::json!([0, 1])
    );
}

fn answer(session: &Session, examination: &str) -> String {
    let request = Request {
        examination,
        properties: None,
        time: Duration::from_secs(100),
        bytes: 1 << 30,
    };
    let mut out = Vec::new();
    assert!(examine(session, &request, &mut out).unwrap());
    let text = String::from_utf8(out).unwrap();
    text.split_whitespace().nth(2).unwrap().to_owned()
}

#[test]
fn the_contest_asks_about_coloured_places_and_transitions() {
    let ring = coloured(Family::TokenRing, 2);
    let plain = Session::new(Family::TokenRing.generate(2).unwrap());
    // All tokens are in one coloured place, and none is ever lost.
    assert_eq!(answer(&ring, "OneSafe"), "FALSE");
    assert_eq!(answer(&plain, "OneSafe"), "TRUE");
    assert_eq!(answer(&ring, "StableMarking"), "TRUE");
    assert_eq!(answer(&plain, "StableMarking"), "FALSE");
    assert_eq!(answer(&ring, "QuasiLiveness"), "TRUE");
    let philosophers = coloured(Family::Philosophers, 3);
    assert_eq!(answer(&philosophers, "QuasiLiveness"), "TRUE");
    assert_eq!(answer(&philosophers, "Liveness"), "FALSE");
    assert_eq!(answer(&philosophers, "ReachabilityDeadlock"), "TRUE");
}

#[test]
fn equal_bindings_are_counted_apart() {
    // Two tokens of different colours are taken for x and y: in two bindings with the same arcs.
    let text = b"<pnml><net id='n'><declaration><structure><declarations>
        <namedsort id='c' name='c'><finiteintrange start='1' end='2'/></namedsort>
        <variabledecl id='x' name='x'><usersort declaration='c'/></variabledecl>
        <variabledecl id='y' name='y'><usersort declaration='c'/></variabledecl>
        </declarations></structure></declaration>
        <place id='p'><type><structure><usersort declaration='c'/></structure></type><hlinitialMarking><structure>
          <all><usersort declaration='c'/></all></structure></hlinitialMarking></place>
        <transition id='t'/>
        <arc id='a' source='p' target='t'><hlinscription><structure><add>
          <subterm><variable refvariable='x'/></subterm><subterm><variable refvariable='y'/></subterm>
        </add></structure></hlinscription></arc></net></pnml>";
    let session = Session::from_pnml(text).unwrap();
    let seen = explore(session.model(), &Budget::unlimited(), |_, _| {});
    assert_eq!((seen.states, seen.transitions, seen.dead_ends), (2, 2, 1));
}
