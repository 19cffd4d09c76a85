//! Walks on small models of each kind.

use dalsegno_certify::refute_prefix;
use dalsegno_kripke::Budget;
use dalsegno_models::petri::generators::Family;

use super::*;
use crate::saved::first_run;
use crate::source::Source;

fn walk(source: &Source) -> Simulation {
    let problem = source.problem(&Budget::unlimited(), |_| {}).unwrap();
    Simulation::new(problem, 1)
}

fn philosophers() -> Simulation {
    walk(&Source::of_net(Family::Philosophers.generate(3).unwrap()))
}

fn says(walk: &mut Simulation, line: &str) -> String {
    let mut out = Vec::new();
    assert!(walk.obey(line, &mut out).unwrap(), "{line}");
    String::from_utf8(out).unwrap()
}

#[test]
fn numbers_and_names_fire_and_back_takes_back() {
    let mut walk = philosophers();
    let start = walk.state().to_vec();
    let first = walk
        .model()
        .group(walk.choices().unwrap()[0].group)
        .name()
        .to_owned();
    let said = says(&mut walk, "1");
    assert!(
        said.contains(&first) && said.contains("enabled: "),
        "{said}"
    );
    let after = walk.state().to_vec();
    assert_ne!(start, after);
    says(&mut walk, "back");
    assert_eq!(walk.state(), start);
    says(&mut walk, &first);
    assert_eq!(walk.state(), after);
    assert!(says(&mut walk, "path").contains(&first));
    says(&mut walk, "restart");
    assert_eq!((walk.steps(), walk.state()), (0, &start[..]));
}

#[test]
fn what_cannot_be_taken_changes_nothing() {
    let mut walk = philosophers();
    says(&mut walk, "1");
    let (path, watches) = (walk.path().to_vec(), walk.watches.len());
    for line in [
        "0",
        "99",
        "back 2",
        "back x",
        "Think_1",
        "FF1a_9",
        "watch G Eat_1",
        "watch Eat_9",
        "unwatch Eat_1",
        "goto 7",
        "goto",
        "next",
        "load /nowhere/at/all",
        "load",
        "save",
        "End_1",
        "random x",
    ] {
        let said = says(&mut walk, line);
        assert!(said.starts_with("refused: "), "{line}: {said}");
        assert_eq!(walk.path(), path, "{line}");
        assert_eq!(walk.watches.len(), watches, "{line}");
    }
    assert!(says(&mut walk, "99").contains("numbered from 1 to "));
    assert!(says(&mut walk, "FF1a_9").contains("did you mean"));
    assert!(says(&mut walk, "End_1").contains("not enabled"));
}

#[test]
fn watched_propositions_have_a_mark_when_they_flip() {
    let mut walk = philosophers();
    assert!(says(&mut walk, "watch \"Think_1 = 1\" & !deadlock").contains("true"));
    let said = says(&mut walk, "FF1a_1");
    assert!(
        said.contains("* \"Think_1 = 1\" & !deadlock: false"),
        "{said}"
    );
    let said = says(&mut walk, "FF1a_2");
    assert!(
        said.contains("  \"Think_1 = 1\" & !deadlock: false") && !said.contains('*'),
        "{said}"
    );
    says(&mut walk, "unwatch \"Think_1 = 1\" & !deadlock");
    assert!(!says(&mut walk, "FF1a_3").contains("Think_1 = 1"));
    assert!(says(&mut walk, "enabled").contains("dead end"));
    assert_eq!(
        says(&mut walk, "random 5"),
        "nothing can happen: a dead end\n"
    );
}

#[test]
fn random_walks_are_the_same_for_a_seed() {
    let (mut one, mut two) = (philosophers(), philosophers());
    says(&mut one, "random 30");
    for _ in 0..30 {
        says(&mut two, "random");
    }
    assert!(one.steps() > 0);
    assert_eq!(one.path(), two.path());
}

/// Saves walks of all lengths; each is a run, or the beginning of one, by definition.
#[test]
fn saved_walks_replay_and_can_be_walked_again() {
    let coloured = Family::Philosophers.generate_coloured(3).unwrap();
    let dve = b"byte x; process P { state a, b; init a; trans a -> b { effect x = x + 1; }, b -> a { guard x < 3; }; }
        system async;";
    let sources = [
        Source::of_net(Family::Philosophers.generate(3).unwrap()),
        Source::of_coloured(coloured),
        Source::from_bytes(dve, "m.dve", &Budget::unlimited()).unwrap(),
    ];
    let (mut runs, mut beginnings) = (0, 0);
    for source in &sources {
        for length in 0..12 {
            let mut walk = walk(source);
            for _ in 0..length {
                walk.random().unwrap();
            }
            let saved = walk.to_witness(None);
            let mut store = FormulaStore::new();
            let f = dalsegno_logic::parse(&mut store, "false").unwrap();
            match first_run(walk.model(), &saved).unwrap() {
                Witness::Run(run) => {
                    runs += 1;
                    dalsegno_certify::replay(
                        walk.model(),
                        &run,
                        dalsegno_kripke::DeadEnds::Stutter,
                    )
                    .unwrap();
                }
                Witness::Beginning(path) => {
                    beginnings += 1;
                    refute_prefix(walk.model(), &path, &store, f, &[]).unwrap();
                }
            }
            let (path, state) = (walk.path().to_vec(), walk.state().to_vec());
            walk.take_witness(&saved).unwrap();
            assert_eq!(walk.steps(), 0);
            for step in 1..path.len() {
                walk.follow().unwrap();
                assert_eq!(walk.steps(), step);
            }
            assert_eq!(walk.path(), path);
            walk.go_to(0).unwrap();
            walk.go_to(path.len() - 1).unwrap();
            assert_eq!(walk.state(), state);
        }
    }
    assert!(runs > 5 && beginnings > 5, "{runs} {beginnings}");
}

#[test]
fn a_cycle_can_be_walked_for_ever() {
    let text =
        b"byte x; process P { state a, b; init a; trans a -> b {}, b -> a {}; } system async;";
    let mut walk = walk(&Source::from_bytes(text, "m.dve", &Budget::unlimited()).unwrap());
    says(&mut walk, "random 2");
    let saved = walk.to_witness(Some("F \"x = 1\""));
    let cycle = &saved["witnesses"][0]["witness"]["cycle"];
    assert_eq!(cycle.as_array().unwrap().len(), 2);
    assert_eq!(walk.take_witness(&saved), Ok(2));
    says(&mut walk, "next 7");
    assert_eq!(walk.steps(), 7);
    says(&mut walk, "goto 12");
    assert_eq!(
        (walk.steps(), walk.state()),
        (12, &walk.model().initial()[0][..])
    );
}

#[test]
fn damaged_runs_are_refused() {
    let mut walk = philosophers();
    says(&mut walk, "FF1a_1");
    says(&mut walk, "FF1a_2");
    let saved = walk.to_witness(None);
    let mut wrong = saved.clone();
    let stem = "/witnesses/0/witness/stem";
    wrong.pointer_mut(stem).unwrap()[0]["transition"] = "FF1a_3".into();
    assert!(matches!(walk.take_witness(&wrong), Err(Refusal::File(_))));
    let mut late = saved.clone();
    let late_stem = late.pointer_mut(stem).unwrap();
    late_stem.as_array_mut().unwrap().remove(0);
    assert!(matches!(walk.take_witness(&late), Err(Refusal::File(_))));
    let mut empty = saved.clone();
    *empty.pointer_mut(stem).unwrap() = serde_json::json!([]);
    assert!(walk.take_witness(&empty).is_err());
    assert_eq!(walk.steps(), 2);
    // Leaving the saved run is told.
    walk.take_witness(&saved).unwrap();
    says(&mut walk, "FF1a_2");
    assert_eq!(walk.follow(), Err(Refusal::LeftSaved));
}

#[test]
fn bindings_are_named_and_a_transition_with_several_asks_which() {
    let net = Family::Philosophers.generate_coloured(3).unwrap();
    let mut walk = walk(&Source::of_coloured(net));
    let names: Vec<String> = {
        let model = walk.model();
        let choices = walk.choices().unwrap().iter();
        choices
            .map(|c| model.group(c.group).name().to_owned())
            .collect()
    };
    let (transition, _) = names[0].split_once('(').unwrap();
    let said = says(&mut walk, transition);
    assert!(said.contains("can happen in"), "{said}");
    says(&mut walk, &names[0]);
    assert_eq!(walk.steps(), 1);
}

#[test]
fn a_step_without_meaning_is_told() {
    let text = b"byte x; process P { state a, b; init a; trans a -> b { effect x = 1 / x; }; } system async;";
    let mut walk = walk(&Source::from_bytes(text, "m.dve", &Budget::unlimited()).unwrap());
    assert!(says(&mut walk, "enabled").contains("cannot take a step"));
    assert!(says(&mut walk, "1").starts_with("refused: the model cannot take a step"));
}
