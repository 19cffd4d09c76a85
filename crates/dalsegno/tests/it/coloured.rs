//! Coloured nets, from the file to the answer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dalsegno::certify::refute;
use dalsegno::explicit::explore::explore;
use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, DeadEnds, GroupId, VarId};
use dalsegno::logic::FormulaStore;
use dalsegno::models::petri::coloured::{Limits, unfold};
use dalsegno::models::petri::generators::Family;
use dalsegno::report::{Witness, run_to_json, witness_from_json};
use dalsegno::{Asked, Event, Settings, Source, Tool};

use crate::support::{ask, contest, contest_heard, examination, granted, ltl, problem};

fn coloured(family: Family, n: u32) -> Source {
    Source::of_coloured(family.generate_coloured(n).unwrap())
}

#[test]
fn classes_are_the_colours_of_a_place_and_the_bindings_of_a_transition() {
    let source = coloured(Family::Philosophers, 3);
    let unfolded = problem(&source);
    let net = unfolded.net().unwrap();
    let places = unfolded.places().into_iter().flatten();
    assert!(places.eq((0..net.places().len() as u32).map(VarId)));
    let transitions = unfolded.transitions();
    let coloured = unfolded.colours().unwrap().coloured();
    assert_eq!(transitions.len(), coloured.transitions.len());
    for (class, transition) in transitions.iter().zip(&coloured.transitions) {
        assert_eq!(class.len(), 3);
        for group in class {
            let id = &net.transitions()[group.index()].id;
            assert!(id.starts_with(&transition.id), "{id}");
        }
    }
    let plain = Source::of_net(net.clone());
    let places = (0..net.places().len() as u32).map(|p| vec![VarId(p)]);
    assert!(problem(&plain).places().into_iter().eq(places));
    let transitions = (0..net.transitions().len() as u32).map(|t| vec![GroupId(t)]);
    assert!(problem(&plain).transitions().into_iter().eq(transitions));
}

#[test]
fn verdicts_are_those_of_the_plain_net() {
    let source = coloured(Family::Philosophers, 3);
    let plain = Source::of_net(Family::Philosophers.generate(3).unwrap());
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
            let holds = |source: &Source, text: &str| {
                let settings = Settings {
                    automaton: kind,
                    ..Settings::default()
                };
                let asked = ltl(text, DeadEnds::Stutter);
                let answer = ask(source, settings, asked, &Budget::unlimited());
                let holds = answer.holds().expect("nothing limits the search");
                assert_eq!(answer.evidence.is_some(), !holds, "{text}");
                if let Some(run) = answer.run() {
                    let problem = problem(source);
                    let model = problem.model();
                    let json = run_to_json(model, run);
                    let Ok(Witness::Run(again)) = witness_from_json(model, &json) else {
                        panic!("a saved run is read again: {json}");
                    };
                    let mut store = FormulaStore::new();
                    let f = problem.parse(&mut store, text).unwrap();
                    let atoms = problem.atoms(&store, f).unwrap();
                    refute(model, &again, DeadEnds::Stutter, &store, f, &atoms).unwrap();
                }
                holds
            };
            assert_eq!(
                holds(&source, formula),
                holds(&plain, of_plain),
                "{formula} {kind:?}"
            );
        }
    }
}

#[test]
fn steps_name_the_coloured_transition_and_its_binding() {
    let source = coloured(Family::Philosophers, 2);
    let asked = ltl("G !\"Catch1 >= 1\"", DeadEnds::Stutter);
    let settings = Settings {
        lasso: true,
        ..Settings::default()
    };
    let answer = ask(&source, settings, asked, &Budget::unlimited());
    let run = answer.run().expect("it fails");
    let json = run_to_json(problem(&source).model(), run);
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

fn answer(source: &Source, name: &str) -> String {
    let (lines, complete) = contest(source, examination(name, ""), &granted(100));
    assert!(complete);
    lines.split_whitespace().nth(2).unwrap().to_owned()
}

#[test]
fn the_contest_asks_about_coloured_places_and_transitions() {
    let ring = coloured(Family::TokenRing, 2);
    let plain = Source::of_net(Family::TokenRing.generate(2).unwrap());
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
    let kanban = Source::of_net(Family::Kanban.generate(3).unwrap());
    let answers = [
        "FALSE TECHNIQUES RANDOM_WALK",
        "TRUE TECHNIQUES DECISION_DIAGRAMS",
    ];
    for (source, value) in [philosophers, kanban].into_iter().zip(answers) {
        let (lines, complete) = contest(&source, examination("Liveness", ""), &granted(100));
        assert_eq!(lines, format!("FORMULA Liveness {value}\n"));
        assert!(complete);
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
    let source = Source::from_bytes(text, "n.pnml", &Budget::unlimited()).unwrap();
    let seen = explore(problem(&source).model(), &Budget::unlimited(), |_, _| {});
    assert_eq!((seen.states, seen.transitions, seen.dead_ends), (2, 2, 1));
}

/// The answers of an examination by name.
fn answers(lines: &str) -> BTreeMap<String, String> {
    let formula = |line: &str| {
        let mut words = line.strip_prefix("FORMULA ")?.split(' ');
        Some((words.next()?.to_owned(), words.next()?.to_owned()))
    };
    lines.lines().filter_map(formula).collect()
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
        let plain = Source::of_net(unfolded.net.clone());
        let coloured = Source::of_coloured(net.clone());
        for name in [
            "UpperBounds",
            "ReachabilityCardinality",
            "ReachabilityFireability",
            "LTLCardinality",
            "CTLCardinality",
        ] {
            let of_plain = properties(&places, &transitions, name);
            let of_coloured = properties(&coloured_places, &coloured_transitions, name);
            let (truth, complete) = contest(&plain, examination(name, &of_plain), &granted(100));
            assert!(complete);
            let truth = answers(&truth);
            let asked = examination(name, &of_coloured);
            let (all, complete) = contest(&coloured, asked.clone(), &granted(100));
            assert!(complete);
            assert_eq!(answers(&all), truth, "{family} {n} {name}");
            let (some, complete) = not_unfolded(&Source::of_coloured(net.clone()), name, asked);
            let some = answers(&some);
            for (id, value) in &some {
                assert_eq!(truth.get(id), Some(value), "{family} {n} {name} {id}");
            }
            assert_eq!(complete, some.len() == truth.len());
            if !name.contains("TL") {
                *answered.entry(name).or_insert(0) += some.len();
            }
        }
    }
    assert!(answered.values().all(|&count| count > 3), "{answered:?}");
}

/// The lines of an examination if memory is short while the net is unfolded, and whether all questions are
/// answered. Nobody but the skeleton works on them.
fn not_unfolded(source: &Source, name: &str, asked: Vec<Asked>) -> (String, bool) {
    // The skeleton, if it is asked at all, has its turn before.
    let asks_skeleton = !name.contains("TL") && name != "StateSpace";
    let full = Arc::new(AtomicBool::new(!asks_skeleton));
    let budget = granted(100).with_memory_flag(Arc::clone(&full));
    let (mut first, mut given_up) = (true, false);
    let heard = contest_heard(source, asked, &budget, &mut |event| match event {
        Event::Ends(Tool::Skeleton, ..) if first => {
            first = false;
            full.store(true, Ordering::Relaxed);
        }
        Event::NotUnfolded(_) => {
            given_up = true;
            full.store(false, Ordering::Relaxed);
        }
        Event::Begins(tool, _) => assert_eq!(*tool, Tool::Skeleton),
        _ => {}
    });
    assert!(source.ready().is_none());
    assert_eq!(given_up, !heard.1, "it is unfolded if something is open");
    heard
}

#[test]
fn a_net_that_is_not_unfolded_still_has_answers() {
    let source = coloured(Family::TokenRing, 5);
    let ask = |name| not_unfolded(&source, name, examination(name, ""));
    let told = |name: &str, value: &str| {
        let line = format!("FORMULA {name} {value} TECHNIQUES EXPLICIT OVER_APPROXIMATION\n");
        (line, true)
    };
    assert_eq!(ask("OneSafe"), told("OneSafe", "FALSE"));
    assert_eq!(ask("StableMarking"), told("StableMarking", "TRUE"));
    for name in [
        "StateSpace",
        "QuasiLiveness",
        "Liveness",
        "ReachabilityDeadlock",
    ] {
        assert_eq!(ask(name), (String::new(), false), "{name}");
    }
}
