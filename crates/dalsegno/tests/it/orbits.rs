//! Representatives of the markings of coloured nets: questions have the same answers. That their graph is bisimilar to that of
//! the unfolded net is tested beside the random nets, in `dalsegno-testkit`.

use dalsegno::kripke::Budget;
use dalsegno::logic::random::Rng;
use dalsegno::models::petri::coloured::{Limits, Orbits, unfold};
use dalsegno::models::petri::generators::Family;
use dalsegno::{Answer, Asked, Logic, Reductions, Settings, Source, Strategy};
use dalsegno_testkit::random_coloured_net;

use crate::support::{ask, granted};

#[test]
fn questions_have_the_same_answers_on_representatives() {
    let mut rng = Rng::new(34);
    let mut compared = 0;
    for round in 0..120 {
        let net = random_coloured_net(&mut rng);
        let unlimited = Budget::unlimited();
        let full = unfold(net.clone(), Limits::default(), &unlimited, |_| {});
        let orbits = Orbits::new(&net, &unlimited, 1 << 24).unwrap();
        if full.is_err() || !orbits.is_symmetric() {
            continue;
        }
        let mut atom = || match rng.index(4) {
            0 => format!("\"fireable(t{})\"", rng.index(net.transitions.len())),
            1 => "deadlock".to_owned(),
            _ => {
                let place = &net.places[rng.index(net.places.len())].id;
                format!("\"{place} >= {}\"", 1 + rng.index(3))
            }
        };
        let (a, b) = (atom(), atom());
        let questions = [
            (Logic::Ltl, format!("G({a} -> F {b})")),
            (Logic::Ltl, format!("F G !({a}) | X {b}")),
            (Logic::Ctl, format!("AG({a} -> EF {b})")),
            (Logic::Ctl, format!("EX({a} & EG !({b}))")),
            (Logic::Ctl, format!("EF({a} & {b})")),
        ];
        let budget = Budget::unlimited().with_time(std::time::Duration::from_secs(2));
        let budget = budget.with_bytes(1 << 28);
        for (logic, text) in questions {
            let answer = |reductions, strategy| -> Answer {
                let source = Source::of_coloured(net.clone());
                let settings = Settings {
                    reductions,
                    strategy,
                    evidence: strategy != Strategy::Contest,
                    ..Settings::default()
                };
                ask(&source, settings, Asked::formula(logic, &text), &budget)
            };
            let expected = answer(Reductions::Off, Strategy::Interactive);
            for strategy in [Strategy::Interactive, Strategy::Contest] {
                let found = answer(Reductions::First, strategy);
                let (Some(expected), Some(value)) = (expected.holds(), found.holds()) else {
                    continue;
                };
                assert_eq!(value, expected, "round {round}: {text}\n{net:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 200, "{compared} answers compared");
}

#[test]
fn a_net_that_is_too_large_to_be_unfolded_is_searched() {
    // A token ring of 201 processes has 8 million bindings, and shifts leave nothing to be exchanged.
    let net = Family::TokenRing.generate_coloured(200).unwrap();
    let source = Source::of_coloured(net.clone());
    let place = &net.places[0].id;
    let text = format!("EX EX \"{place} >= 201\"");
    let answer = ask(
        &source,
        Settings::default(),
        Asked::formula(Logic::Ctl, &text),
        &granted(120),
    );
    assert_eq!(answer.holds(), Some(true), "{answer:?}");
    assert!(source.ready().is_none(), "it is not unfolded");
}
