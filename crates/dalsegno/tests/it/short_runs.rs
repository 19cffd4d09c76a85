//! Evidence of linear time is short: shortest where that is proved, and a prefix where that is enough.

use dalsegno::certify::replay;
use dalsegno::kripke::{Budget, DeadEnds, Model, Predicate, Step};
use dalsegno::logic::random::{Config, Generator, Rng};
use dalsegno::logic::{FormulaId, FormulaStore, PropId};
use dalsegno::models::petri::generators::Family;
use dalsegno::{Answer, Engine, Evidence, Settings, Source};
use dalsegno_testkit::random_net;

use crate::support::{ask, lassos, ltl, problem};

fn check(source: &Source, settings: Settings, text: &str) -> Answer {
    let asked = ltl(text, DeadEnds::Stutter);
    ask(source, settings, asked, &Budget::unlimited())
}

/// Stem and cycle, or the steps of a prefix and 0.
fn lengths(answer: &Answer) -> (usize, usize) {
    match answer.evidence.as_ref().unwrap() {
        Evidence::Run(run) => (run.stem.len(), run.cycle.len()),
        Evidence::Prefix(path) => (path.len() - 1, 0),
        other => panic!("{other:?}"),
    }
}

#[test]
fn known_violations_are_shortest() {
    let rows: [(Family, u32, &str, (usize, usize)); 8] = [
        (Family::Peterson, 2, "G(WantSection_0_T -> F CS_0)", (3, 4)),
        (Family::Kanban, 5, "G F \"Pout1 >= 1\"", (1, 2)),
        (
            Family::Philosophers,
            5,
            "G(\"Fork_1 >= 1\" -> F \"Eat_1 >= 1\")",
            (0, 3),
        ),
        (Family::Philosophers, 5, "G !deadlock", (5, 0)),
        (Family::Philosophers, 5, "G !(Eat_1 & Eat_3)", (4, 0)),
        (Family::Philosophers, 5, "F Eat_1", (0, 3)),
        (Family::Philosophers, 4, "X X !Catch1_1", (2, 0)),
        (Family::Kanban, 2, "G \"Pm4 <= 1\"", (2, 0)),
    ];
    for engine in [Engine::Auto, Engine::Explicit, Engine::Symbolic] {
        for (family, n, text, expected) in rows {
            let source = Source::of_net(family.generate(n).unwrap());
            let settings = Settings {
                engine,
                ..Settings::default()
            };
            let answer = check(&source, settings, text);
            assert_eq!(answer.holds(), Some(false), "{text}");
            assert_eq!(lengths(&answer), expected, "{text} by {engine:?}");
        }
    }
}

#[test]
fn a_whole_run_is_shown_if_it_is_asked_for() {
    let source = Source::of_net(Family::Philosophers.generate(5).unwrap());
    let settings = Settings {
        lasso: true,
        ..Settings::default()
    };
    let answer = check(&source, settings, "G !(Eat_1 & Eat_3)");
    let (stem, cycle) = lengths(&answer);
    assert!(stem + cycle >= 4 && cycle > 0, "{stem} + {cycle}");
}

#[test]
fn what_holds_along_a_run_is_told() {
    let source = Source::of_net(Family::Philosophers.generate(5).unwrap());
    let answer = check(&source, Settings::default(), "G(Fork_1 -> F Eat_1)");
    let truth = answer.truth.unwrap();
    assert_eq!(truth.atoms.len(), 2);
    assert_eq!(truth.states(), 3);
    let property = truth.subformulas.last().unwrap();
    assert_eq!(property.values[0], Some(false));
    let texts: Vec<&str> = truth.reasons.iter().map(|r| &r.text[..]).collect();
    let expected = [
        "\"Fork_1\" holds in state 0",
        "Eat_1 never holds from state 0 on",
    ];
    assert_eq!(texts, expected);
}

/// Whether a beginning of a run violates a formula whatever comes next.
fn is_bad(
    model: &Model,
    path: &[Step],
    store: &FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
) -> bool {
    replay::refute_prefix(model, path, store, f, atoms).is_ok()
}

#[test]
fn what_is_proved_shortest_is_shortest() {
    let mut rng = Rng::new(19);
    let config = Config::ltl()
        .with_size(3..=9)
        .with_propositions(["p0", "p1"])
        .with_seed(19);
    let mut generator = Generator::new(config);
    let (mut runs, mut prefixes) = (0, 0);
    for round in 0..1200 {
        let source = Source::of_net(random_net(&mut rng));
        let problem = problem(&source);
        let mut store = FormulaStore::new();
        let f = generator.next_formula(&mut store);
        let text = store.display(f).to_string();
        let settings = Settings {
            shortest: true,
            lasso: round % 2 == 0,
            ..Settings::default()
        };
        let answer = check(&source, settings, &text);
        if answer.holds() != Some(false) || !answer.shortest {
            continue;
        }
        let model = problem.model();
        let atoms = problem.atoms(&store, f).unwrap();
        let (stem, cycle) = lengths(&answer);
        let shorter = (stem + cycle).saturating_sub(1).min(6);
        let short = lassos(model, DeadEnds::Stutter, shorter, 20_000);
        for run in short.into_iter().filter(|run| run.len() <= shorter) {
            if cycle > 0 {
                runs += 1;
                let refuted = replay::refute(model, &run, DeadEnds::Stutter, &store, f, &atoms);
                assert!(refuted.is_err(), "{text}: {stem} + {cycle}, but {run:?}");
            } else {
                prefixes += 1;
                let path: Vec<Step> = run.stem.iter().chain(&run.cycle).cloned().collect();
                let few = &path[..path.len().min(stem)];
                assert!(!is_bad(model, few, &store, f, &atoms), "{text}: {few:?}");
            }
        }
    }
    assert!(
        runs > 50 && prefixes > 5,
        "{runs} runs, {prefixes} prefixes"
    );
}
