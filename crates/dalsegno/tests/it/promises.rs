//! What a file promises is not proved: units that are said to be safe and are not.

use std::time::Duration;

use dalsegno::kripke::{Budget, DeadEnds};
use dalsegno::models::petri::{Nupn, PetriNet, Place, PlaceId, Transition, Unit};
use dalsegno::{Asked, Ending, Engine, Logic, Settings, Source};

use crate::support::{ask, by, contest, examination, granted, ltl, problem, survey};

/// A net whose file says that each place is a safe unit.
fn promised(places: &[(&str, u32)], transitions: &[(&str, &[u32], &[u32])]) -> Source {
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
    Source::of_net(PetriNet::new("promised", places, transitions, Some(nupn)).unwrap())
}

/// `p -> t -> p + q`: `q` grows for ever.
fn growing() -> Source {
    promised(&[("p", 1), ("q", 0)], &[("t", &[0], &[0, 1])])
}

/// `a` and `b` can meet in `c`, which has two tokens then.
fn meeting() -> Source {
    promised(
        &[("a", 1), ("b", 1), ("c", 0)],
        &[("left", &[0], &[2]), ("right", &[1], &[2])],
    )
}

#[test]
fn nets_that_break_the_promise_are_not_one_safe() {
    for source in [growing(), meeting()] {
        let budget = granted(5).with_bytes(100_000_000);
        let (lines, _) = contest(&source, examination("OneSafe", ""), &budget);
        assert!(lines.contains("FALSE"), "{lines}");
    }
}

#[test]
fn a_net_that_grows_is_unbounded_whatever_its_file_says() {
    let source = growing();
    for engine in [Engine::Auto, Engine::Explicit] {
        let seen = survey(&source, engine, &Budget::unlimited());
        assert_eq!(seen.ending, Ending::Unbounded(1));
        assert_eq!(seen.bound, None);
    }
}

#[test]
fn all_markings_are_counted_and_the_false_promise_is_named() {
    for engine in [Engine::Auto, Engine::Explicit, Engine::Symbolic] {
        let source = meeting();
        let seen = survey(&source, engine, &Budget::unlimited());
        assert_eq!(seen.ending, Ending::Complete);
        assert_eq!(seen.states.as_deref(), Some("4"));
        assert_eq!(seen.largest.as_deref(), Some("2"));
        let broken = problem(&source).broken_promise().expect("c has two tokens");
        assert_eq!(problem(&source).model().variable(broken).name, "c");
    }
}

#[test]
fn verdicts_do_not_rest_on_a_promise() {
    for engine in [Engine::Auto, Engine::Explicit, Engine::Symbolic] {
        let source = meeting();
        for (text, holds) in [
            ("G \"c <= 1\"", false),
            ("F G \"c = 2\"", true),
            ("G F \"c <= 1\"", false),
        ] {
            let budget = Budget::unlimited().with_time(Duration::from_secs(20));
            let answer = ask(&source, by(engine), ltl(text, DeadEnds::Stutter), &budget);
            let value = answer.value.clone();
            assert_eq!(
                answer.holds(),
                Some(holds),
                "{text} by {engine:?}: {value:?}"
            );
            assert_eq!(answer.evidence.is_some(), !holds, "{text} by {engine:?}");
        }
        for (text, holds) in [("AG \"c <= 1\"", false), ("EF \"c = 2\"", true)] {
            let asked = Asked::formula(Logic::Ctl, text);
            let answer = ask(&source, by(engine), asked, &Budget::unlimited());
            assert_eq!(answer.holds(), Some(holds), "{text} by {engine:?}");
        }
    }
}

/// A search that keeps to the promise finds no run, and goes on without it.
#[test]
fn runs_beyond_the_promise_are_found() {
    let source = growing();
    let budget = Budget::unlimited().with_time(Duration::from_secs(5));
    let asked = ltl("G \"q <= 5\"", DeadEnds::Stutter);
    let answer = ask(&source, Settings::default(), asked, &budget);
    assert_eq!(answer.holds(), Some(false), "{:?}", answer.value);
    assert!(answer.prefix().is_some());
}
