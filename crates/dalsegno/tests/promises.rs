//! What a file promises is not proved: units that are said to be safe and are not.

use std::time::Duration;

use dalsegno::kripke::{Budget, Verdict};
use dalsegno::logic::{FormulaStore, parse};
use dalsegno::models::petri::{Nupn, PetriNet, Place, PlaceId, Transition, Unit};
use dalsegno::{
    BranchingOptions, BranchingTask, CheckOptions, Ending, Engine, Request, Session, SurveyOptions,
    Told, check_branching, check_ltl, examine, survey,
};

/// A net whose file says that each place is a safe unit.
fn promised(places: &[(&str, u32)], transitions: &[(&str, &[u32], &[u32])]) -> Session {
    let place = |&(id, initial): &(&str, u32)| Place {
        id: id.to_owned(),
        name: id.to_owned(),
        initial,
    };
    let arcs = |places: &[u32]| places.iter().map(|&p| (PlaceId(p), 1)).collect();
    let transition = |&(id, pre, post): &(&str, &[u32], &[u32])| Transition {
        id: id.to_owned(),
        name: id.to_owned(),
        pre: arcs(pre),
        post: arcs(post),
        ..Transition::default()
    };
    let mut units = vec![Unit {
        id: "root".to_owned(),
        places: vec![],
        subunits: (1..=places.len()).collect(),
    }];
    units.extend((0..).zip(places).map(|(i, (id, _))| Unit {
        id: format!("unit of {id}"),
        places: vec![PlaceId(i)],
        subunits: vec![],
    }));
    let nupn = Nupn {
        units,
        root: 0,
        safe: true,
    };
    let places = places.iter().map(place).collect();
    let transitions = transitions.iter().map(transition).collect();
    Session::new(PetriNet::new("promised", places, transitions, Some(nupn)).unwrap())
}

/// `p -> t -> p + q`: `q` grows for ever.
fn growing() -> Session {
    promised(&[("p", 1), ("q", 0)], &[("t", &[0], &[0, 1])])
}

/// `a` and `b` can meet in `c`, which has two tokens then.
fn meeting() -> Session {
    promised(
        &[("a", 1), ("b", 1), ("c", 0)],
        &[("left", &[0], &[2]), ("right", &[1], &[2])],
    )
}

fn contest(session: &Session, examination: &str) -> String {
    let budget = Budget::unlimited()
        .with_time(Duration::from_secs(5))
        .with_bytes(100_000_000);
    let request = Request::new(examination, &budget);
    let mut out = Vec::new();
    examine(session, &request, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn nets_that_break_the_promise_are_not_one_safe() {
    for session in [growing(), meeting()] {
        let answer = contest(&session, "OneSafe");
        assert!(answer.contains("FALSE"), "{answer}");
    }
}

#[test]
fn a_net_that_grows_is_unbounded_whatever_its_file_says() {
    let session = growing();
    for engine in [Engine::Auto, Engine::Explicit] {
        let options = SurveyOptions {
            engine,
            ..SurveyOptions::default()
        };
        let seen = survey(&session, options, &Budget::unlimited(), |_, _| {});
        assert_eq!(seen.ending, Ending::Unbounded(1));
        assert_eq!(seen.bound, None);
    }
}

#[test]
fn all_markings_are_counted_and_the_false_promise_is_named() {
    for engine in [Engine::Auto, Engine::Explicit, Engine::Symbolic] {
        let session = meeting();
        let options = SurveyOptions {
            engine,
            ..SurveyOptions::default()
        };
        let seen = survey(&session, options, &Budget::unlimited(), |_, _| {});
        assert_eq!(seen.ending, Ending::Complete);
        assert_eq!(seen.states.as_deref(), Some("4"));
        assert_eq!(seen.largest.as_deref(), Some("2"));
        let broken = session.broken_promise().expect("c has two tokens");
        assert_eq!(session.model().variable(broken).name, "c");
    }
}

#[test]
fn verdicts_do_not_rest_on_a_promise() {
    for engine in [Engine::Auto, Engine::Explicit, Engine::Symbolic] {
        let session = meeting();
        for (text, holds) in [
            ("G \"c <= 1\"", false),
            ("F G \"c = 2\"", true),
            ("G F \"c <= 1\"", false),
        ] {
            let mut store = FormulaStore::new();
            let f = parse(&mut store, text).unwrap();
            let atoms = session.atoms(&store, f).unwrap();
            let options = CheckOptions {
                engine,
                ..CheckOptions::default()
            };
            let budget = Budget::unlimited().with_time(Duration::from_secs(20));
            let outcome = check_ltl(&session, &mut store, f, &atoms, &options, &budget, |_| {});
            let verdict = outcome.unwrap().verdict;
            assert_eq!(
                verdict.holds(),
                Some(holds),
                "{text} by {engine:?}: {verdict:?}"
            );
        }
        for (text, holds) in [("AG \"c <= 1\"", false), ("EF \"c = 2\"", true)] {
            let mut store = FormulaStore::new();
            let formula = parse(&mut store, text).unwrap();
            let atoms = session.atoms(&store, formula).unwrap();
            let tasks = [BranchingTask { formula, atoms }];
            let options = BranchingOptions {
                engine,
                ..BranchingOptions::ctl()
            };
            let mut answer = None;
            let tell = |_, told: Told, _: &FormulaStore| answer = Some(told.unwrap().holds);
            let budget = Budget::unlimited();
            check_branching(&session, &mut store, &tasks, &options, &budget, tell);
            assert_eq!(answer, Some(Ok(holds)), "{text} by {engine:?}");
        }
    }
}

/// A search that keeps to the promise finds no run, and goes on without it.
#[test]
fn runs_beyond_the_promise_are_found() {
    let session = growing();
    let mut store = FormulaStore::new();
    let f = parse(&mut store, "G \"q <= 5\"").unwrap();
    let atoms = session.atoms(&store, f).unwrap();
    let options = CheckOptions::default();
    let budget = Budget::unlimited().with_time(Duration::from_secs(5));
    let outcome = check_ltl(&session, &mut store, f, &atoms, &options, &budget, |_| {}).unwrap();
    assert!(outcome.refuted, "{:?}", outcome.verdict);
    assert_ne!(outcome.verdict, Verdict::Holds);
}
