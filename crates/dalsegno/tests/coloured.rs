//! Coloured nets, from the file to the answer.

use std::collections::BTreeMap;
use std::time::Duration;

use dalsegno::certify::refute;
use dalsegno::explicit::explore::explore;
use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, DeadEnds, GroupId, VarId, Verdict};
use dalsegno::logic::{FormulaStore, parse};
use dalsegno::models::petri::coloured::{Limits, unfold};
use dalsegno::models::petri::generators::Family;
use dalsegno::report::{Witness, run_to_json, witness_from_json};
use dalsegno::{CheckOptions, Request, Session, check_ltl, examine, examine_counted};

fn coloured(family: Family, n: u32) -> Session {
    let net = family.generate_coloured(n).unwrap();
    Session::of_coloured(net, &Budget::unlimited(), |_| {}).unwrap()
}

#[test]
fn classes_are_the_colours_of_a_place_and_the_bindings_of_a_transition() {
    let session = coloured(Family::Philosophers, 3);
    let net = session.net().unwrap();
    let places = session.place_classes().into_iter().flatten();
    assert!(places.eq(0..net.places().len() as u32));
    let transitions = session.transition_classes();
    let coloured = session.colours().unwrap().coloured();
    assert_eq!(transitions.len(), coloured.transitions.len());
    for (class, transition) in transitions.iter().zip(&coloured.transitions) {
        assert_eq!(class.len(), 3);
        for t in class.clone() {
            let id = &net.transitions()[t as usize].id;
            assert!(id.starts_with(&transition.id), "{id}");
        }
    }
    let plain = Session::new(net.clone());
    let alone = |n: usize| (0..n as u32).map(|i| i..i + 1).collect::<Vec<_>>();
    assert_eq!(plain.place_classes(), alone(net.places().len()));
    assert_eq!(plain.transition_classes(), alone(net.transitions().len()));
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
                    let model = session.model();
                    let Ok(Witness::Run(again)) = witness_from_json(model, &json) else {
                        panic!("a saved run is read again: {json}");
                    };
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
    let budget = Budget::unlimited()
        .with_time(Duration::from_secs(100))
        .with_bytes(1 << 30);
    let request = Request::new(examination, &budget);
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
fn liveness_of_large_nets_is_told_by_walks_and_diagrams() {
    let philosophers = coloured(Family::Philosophers, 12);
    let kanban = Session::new(Family::Kanban.generate(3).unwrap());
    let answers = [
        "FALSE TECHNIQUES RANDOM_WALK",
        "TRUE TECHNIQUES DECISION_DIAGRAMS",
    ];
    for (session, value) in [philosophers, kanban].into_iter().zip(answers) {
        let budget = Budget::unlimited()
            .with_time(Duration::from_secs(100))
            .with_bytes(1 << 30);
        let request = Request::new("Liveness", &budget);
        let mut out = Vec::new();
        assert!(examine(&session, &request, &mut out).unwrap());
        let line = format!("FORMULA Liveness {value}\n");
        assert_eq!(String::from_utf8(out).unwrap(), line);
    }
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

/// The answers of an examination by name.
fn answers(lines: &[u8]) -> BTreeMap<String, String> {
    let text = String::from_utf8(lines.to_vec()).unwrap();
    let formula = |line: &str| {
        let mut words = line.strip_prefix("FORMULA ")?.split(' ');
        Some((words.next()?.to_owned(), words.next()?.to_owned()))
    };
    text.lines().filter_map(formula).collect()
}

/// A file of properties: `body` of each place and number, and of each transition.
fn properties(places: &[Vec<String>], transitions: &[Vec<String>], examination: &str) -> String {
    let list = |tag: &str, ids: &[String]| {
        let element = |id: &String| format!("<{tag}>{id}</{tag}>");
        ids.iter().map(element).collect::<Vec<_>>().concat()
    };
    let mut bodies = Vec::new();
    for place in places {
        let place = list("place", place);
        if examination == "UpperBounds" {
            bodies.push(format!("<place-bound>{place}</place-bound>"));
            continue;
        }
        for k in 0..5 {
            let (count, k) = (
                format!("<tokens-count>{place}</tokens-count>"),
                format!("<integer-constant>{k}</integer-constant>"),
            );
            for goal in [
                format!("<integer-le>{k}{count}</integer-le>"),
                format!("<negation><integer-le>{k}{count}</integer-le></negation>"),
            ] {
                if examination.starts_with("LTL") {
                    bodies.push(format!(
                        "<all-paths><finally><globally>{goal}</globally></finally></all-paths>"
                    ));
                } else {
                    bodies.push(format!(
                        "<exists-path><finally>{goal}</finally></exists-path>"
                    ));
                }
                bodies.push(format!(
                    "<all-paths><globally>{goal}</globally></all-paths>"
                ));
            }
        }
    }
    if examination == "ReachabilityFireability" {
        bodies.clear();
        for t in transitions {
            let fireable = format!("<is-fireable>{}</is-fireable>", list("transition", t));
            for goal in [fireable.clone(), format!("<negation>{fireable}</negation>")] {
                bodies.push(format!(
                    "<exists-path><finally>{goal}</finally></exists-path>"
                ));
                bodies.push(format!(
                    "<all-paths><globally>{goal}</globally></all-paths>"
                ));
                bodies.push(goal);
            }
        }
    }
    let property = |(i, body): (usize, String)| {
        format!("<property><id>p{i}</id><formula>{body}</formula></property>")
    };
    let all: Vec<String> = bodies.into_iter().enumerate().map(property).collect();
    let all = all.concat();
    format!("<property-set>{all}</property-set>")
}

#[test]
fn what_the_numbers_of_tokens_tell_is_true_of_the_colours() {
    let mut answered = BTreeMap::new();
    for (family, n) in [
        (Family::Philosophers, 2),
        (Family::Philosophers, 4),
        (Family::TokenRing, 1),
        (Family::TokenRing, 3),
    ] {
        let mut net = family.generate_coloured(n).unwrap();
        // It has bindings, and none of them ever fires: it needs more tokens than there are.
        let mut never = net.transitions[0].clone();
        never.id = "Never".to_owned();
        never.pre[0].1.summands[0].coefficient = 100;
        net.transitions.push(never);
        let unlimited = Budget::unlimited();
        let unfolded = unfold(net.clone(), Limits::default(), &unlimited, |_| {}).unwrap();
        let place = |p: u32| unfolded.net.places()[p as usize].id.clone();
        let transition = |t: u32| unfolded.net.transitions()[t as usize].id.clone();
        let lift = unfolded.origin.lift();
        let places: Vec<Vec<String>> = (0..net.places.len() as u32)
            .map(|p| lift.variables_of(VarId(p)).map(place).collect())
            .collect();
        let transitions: Vec<Vec<String>> = (0..net.transitions.len() as u32)
            .map(|t| {
                let bindings = lift.groups_of(GroupId(t)).iter();
                bindings.map(|g| transition(g.0)).collect()
            })
            .collect();
        let ids = |ids: Vec<&String>| ids.into_iter().map(|id| vec![id.clone()]).collect();
        let coloured_places: Vec<Vec<String>> = ids(net.places.iter().map(|p| &p.id).collect());
        let coloured_transitions: Vec<Vec<String>> =
            ids(net.transitions.iter().map(|t| &t.id).collect());
        let plain = Session::new(unfolded.net.clone());
        let coloured = Session::of_coloured(net.clone(), &unlimited, |_| {}).unwrap();
        for examination in [
            "UpperBounds",
            "ReachabilityCardinality",
            "ReachabilityFireability",
            "LTLCardinality",
            "CTLCardinality",
        ] {
            let of_plain = properties(&places, &transitions, examination);
            let of_coloured = properties(&coloured_places, &coloured_transitions, examination);
            let ask = |text: &str, by: &dyn Fn(&Request<'_>, &mut Vec<u8>) -> bool| {
                let budget = Budget::unlimited()
                    .with_time(Duration::from_secs(100))
                    .with_bytes(1 << 30);
                let request = Request::new(examination, &budget).with_properties(text.as_bytes());
                let mut out = Vec::new();
                let complete = by(&request, &mut out);
                (answers(&out), complete)
            };
            let (truth, complete) = ask(&of_plain, &|request, out| {
                examine(&plain, request, out).unwrap()
            });
            assert!(complete);
            let (all, complete) = ask(&of_coloured, &|request, out| {
                examine(&coloured, request, out).unwrap()
            });
            assert!(complete);
            assert_eq!(all, truth, "{family} {n} {examination}");
            let (some, complete) = ask(&of_coloured, &|request, out| {
                examine_counted(&net, request, out).unwrap()
            });
            for (id, value) in &some {
                assert_eq!(
                    truth.get(id),
                    Some(value),
                    "{family} {n} {examination} {id}"
                );
            }
            assert_eq!(complete, some.len() == truth.len());
            if !examination.contains("TL") {
                *answered.entry(examination).or_insert(0) += some.len();
            }
        }
    }
    assert!(answered.values().all(|&count| count > 3), "{answered:?}");
}

#[test]
fn a_net_that_is_not_unfolded_still_has_answers() {
    let net = Family::TokenRing.generate_coloured(5).unwrap();
    let ask = |examination| {
        let budget = Budget::unlimited()
            .with_time(Duration::from_secs(100))
            .with_bytes(1 << 30);
        let request = Request::new(examination, &budget);
        let mut out = Vec::new();
        let complete = examine_counted(&net, &request, &mut out).unwrap();
        (complete, String::from_utf8(out).unwrap())
    };
    let told = |examination: &str, value: &str| {
        let line =
            format!("FORMULA {examination} {value} TECHNIQUES EXPLICIT OVER_APPROXIMATION\n");
        (true, line)
    };
    assert_eq!(ask("OneSafe"), told("OneSafe", "FALSE"));
    assert_eq!(ask("StableMarking"), told("StableMarking", "TRUE"));
    let open = (false, "CANNOT_COMPUTE\n".to_owned());
    for examination in [
        "StateSpace",
        "QuasiLiveness",
        "Liveness",
        "ReachabilityDeadlock",
    ] {
        assert_eq!(ask(examination), open, "{examination}");
    }
}
