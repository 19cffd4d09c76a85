//! A run that is asked again has the answers of a new one, whatever it was asked before.

use dalsegno::kripke::{Budget, DeadEnds};
use dalsegno::logic::FormulaStore;
use dalsegno::logic::random::{Config, Generator, Rng};
use dalsegno::models::petri::PetriNet;
use dalsegno::{Asked, Engine, Global, Logic, Run, Source, Value};
use dalsegno_testkit::random_net;

use crate::support::{ask, ask_again, by, examination, ltl};

const PROPOSITIONS: [&str; 5] = ["p0", "p1 >= 2", "fireable(t0)", "deadlock", "p0 + p1 = 1"];

/// What a value says: of a survey its numbers, not the time that it took.
fn told(value: &Value) -> String {
    match value {
        Value::Survey(survey) => {
            let numbers = [&survey.states, &survey.transitions, &survey.dead_ends];
            let largest = [&survey.largest, &survey.largest_sum];
            format!("{:?} {numbers:?} {largest:?}", survey.ending)
        }
        value => format!("{value:?}"),
    }
}

/// The largest numbers of tokens of two places and of their sum, and whether some numbers are reached.
fn in_files(net: &PetriNet) -> Vec<Asked> {
    let ids: Vec<&str> = net.places().iter().take(2).map(|p| p.id.as_str()).collect();
    let place = |id: &&str| format!("<place>{id}</place>");
    let property = |(i, body): (usize, String)| {
        format!("<property><id>p{i}</id><formula>{body}</formula></property>")
    };
    let file = |name: &str, bodies: Vec<String>| {
        let all: String = bodies.into_iter().enumerate().map(property).collect();
        examination(name, &format!("<property-set>{all}</property-set>"))
    };
    let sum: String = ids.iter().map(place).collect();
    let sums: Vec<String> = ids.iter().map(place).chain([sum]).collect();
    let bounds = sums
        .iter()
        .map(|s| format!("<place-bound>{s}</place-bound>"));
    let goal = |(k, places): (usize, &String)| {
        format!(
            "<exists-path><finally><integer-le><integer-constant>{}</integer-constant><tokens-count>{places}</tokens-count></integer-le></finally></exists-path>",
            k + 1
        )
    };
    let goals = sums.iter().enumerate().map(goal);
    let mut asked = file("UpperBounds", bounds.collect());
    asked.extend(file("ReachabilityCardinality", goals.collect()));
    asked
}

/// Questions of all kinds.
fn questions(net: &PetriNet, seed: u64) -> Vec<Asked> {
    let mut asked = vec![Asked::survey()];
    let globals = [
        Global::OneSafe,
        Global::StableMarking,
        Global::QuasiLiveness,
        Global::Liveness,
        Global::Deadlock,
    ];
    asked.extend(globals.map(Asked::global));
    asked.extend(in_files(net));
    let configs = [(Logic::Ltl, Config::ltl()), (Logic::Ctl, Config::ctl())];
    for (logic, config) in configs {
        let config = config.with_propositions(PROPOSITIONS);
        let mut generator = Generator::new(config.with_size(2..=9).with_seed(seed));
        for _ in 0..3 {
            let mut store = FormulaStore::new();
            let f = generator.next_formula(&mut store);
            let text = store.display(f).to_string();
            asked.push(match logic {
                Logic::Ltl => ltl(&text, DeadEnds::Stutter),
                _ => Asked::formula(logic, &text),
            });
        }
    }
    asked
}

#[test]
fn what_is_asked_later_has_the_same_answer() {
    let mut rng = Rng::new(21);
    let budget = Budget::unlimited();
    for case in 0..40 {
        let net = random_net(&mut rng);
        let source = Source::of_net(net.clone());
        let mut asked = questions(&net, case);
        for engine in [Engine::Explicit, Engine::Symbolic, Engine::Auto] {
            for i in (1..asked.len()).rev() {
                asked.swap(i, rng.index(i + 1));
            }
            let mut run = Run::new(&source, by(engine));
            for question in &asked {
                let later = ask_again(&mut run, question.clone(), &budget);
                let alone = ask(&source, by(engine), question.clone(), &budget);
                assert_eq!(
                    told(&later.value),
                    told(&alone.value),
                    "case {case}, {engine:?}, {question:?} on {net:?}"
                );
                assert!(
                    !matches!(later.value, Value::Unknown(_) | Value::Error(_)),
                    "case {case}, {engine:?}, {question:?} on {net:?}"
                );
            }
        }
    }
}
