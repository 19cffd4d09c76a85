//! CTL and CTL*: both engines and the semantics by definition agree, on random nets and random formulas.

use std::fmt::Write as _;

use dalsegno::certify::{Graph, branching};
use dalsegno::kripke::{Budget, DeadEnds, Predicate};
use dalsegno::logic::random::{Config, Generator, Rng};
use dalsegno::logic::{FormulaStore, Node, PropId};
use dalsegno::{Answer, Asked, Engine, Evidence, Logic, Settings, Source};
use dalsegno_testkit::random_net;

use crate::support::{ask, by, ltl, problem};

const MODES: [DeadEnds; 3] = [DeadEnds::Stutter, DeadEnds::Finite, DeadEnds::Ignore];

/// How many times the usual number of cases is run.
fn effort() -> u64 {
    let times = std::env::var("DALSEGNO_FORMULAS").ok();
    times.and_then(|n| n.parse().ok()).unwrap_or(1)
}

fn check(
    source: &Source,
    text: &str,
    engine: Engine,
    dead_ends: DeadEnds,
    sample: Option<usize>,
) -> Answer {
    let settings = Settings {
        engine,
        sample,
        ..Settings::default()
    };
    let asked = Asked::formula(Logic::CtlStar, text).with_dead_ends(Some(dead_ends));
    ask(source, settings, asked, &Budget::unlimited())
}

/// Propositions that are often true and often false, dead ends among them.
const PROPOSITIONS: [&str; 5] = ["p0", "p1 >= 2", "fireable(t0)", "deadlock", "p0 + p1 = 1"];

/// Checks random formulas of a logic on random nets; what went wrong, and how often both values occurred.
fn compare(config: &Config, modes: &[DeadEnds], nets: u64, seed: u64) -> (String, [u64; 2]) {
    let mut faults = String::new();
    let mut values = [0; 2];
    let mut rng = Rng::new(seed);
    for case in 0..nets {
        let source = Source::of_net(random_net(&mut rng));
        let config = config
            .clone()
            .with_propositions(PROPOSITIONS)
            .with_seed(seed + case);
        let mut generator = Generator::new(config);
        let mut store = FormulaStore::new();
        for _ in 0..4 {
            let f = generator.next_formula(&mut store);
            let text = store.display(f).to_string();
            let atoms = problem(&source).atoms(&store, f).unwrap();
            let names: Vec<PropId> = atoms.iter().map(|a| a.0).collect();
            let predicates: Vec<Predicate> = atoms.iter().map(|a| a.1.clone()).collect();
            let graph = Graph::of_model(problem(&source).model(), &predicates, 2_000).unwrap();
            for &dead_ends in modes {
                let Ok(states) = branching::holds(&store, f, &names, &graph, dead_ends) else {
                    continue;
                };
                let holds = graph.initial().iter().all(|&s| states[s]);
                let count = states.iter().filter(|&&b| b).count().to_string();
                values[usize::from(holds)] += 1;
                for engine in [Engine::Explicit, Engine::Symbolic] {
                    let found = check(&source, &text, engine, dead_ends, Some(2));
                    let satisfying = found.cost.satisfying.as_ref();
                    let satisfying = satisfying.expect("there is no limit");
                    if found.holds() != Some(holds) || satisfying.count != count {
                        writeln!(
                            faults,
                            "case {case}, {engine:?}, {dead_ends}: {text}: {:?} in {} states, not {holds} in {count}",
                            found.value, satisfying.count
                        )
                        .unwrap();
                    }
                    // A path shows that an E holds and that an A fails.
                    let shown = match store.node(f) {
                        Node::Exists(_) => holds,
                        Node::Forall(_) => !holds,
                        _ => false,
                    };
                    let explained = matches!(found.evidence, Some(Evidence::Explanation(_)));
                    if shown && !explained {
                        writeln!(
                            faults,
                            "case {case}, {engine:?}, {dead_ends}: {text}: no path"
                        )
                        .unwrap();
                    }
                }
            }
        }
    }
    (faults, values)
}

#[test]
fn engines_agree_with_the_definition_on_ctl() {
    let config = Config::ctl().with_size(3..=14);
    let (faults, values) = compare(&config, &MODES, 60 * effort(), 11);
    assert!(faults.is_empty(), "{faults}");
    assert!(values.iter().all(|&n| n > 50 * effort()), "{values:?}");
}

#[test]
fn engines_agree_with_the_definition_on_ctl_star() {
    let config = Config::ctl_star().with_size(3..=12);
    let modes = [DeadEnds::Stutter, DeadEnds::Ignore];
    let (faults, values) = compare(&config, &modes, 60 * effort(), 12);
    assert!(faults.is_empty(), "{faults}");
    assert!(values.iter().all(|&n| n > 50 * effort()), "{values:?}");
}

#[test]
fn linear_properties_are_the_same_below_a_quantifier() {
    let mut rng = Rng::new(5);
    let config = Config::ltl()
        .with_size(3..=12)
        .with_propositions(PROPOSITIONS);
    let mut generator = Generator::new(config.with_seed(5));
    let mut failing = 0;
    for case in 0..80 * effort() {
        let source = Source::of_net(random_net(&mut rng));
        let mut store = FormulaStore::new();
        let f = generator.next_formula(&mut store);
        let text = store.display(f).to_string();
        let every = store.forall(f);
        let every = store.display(every).to_string();
        for dead_ends in [DeadEnds::Stutter, DeadEnds::Ignore] {
            let (settings, budget) = (Settings::default(), Budget::unlimited());
            let linear = ask(&source, settings, ltl(&text, dead_ends), &budget).holds();
            assert!(linear.is_some(), "case {case}: {text}");
            failing += u32::from(linear == Some(false));
            for engine in [Engine::Explicit, Engine::Symbolic] {
                let branching = check(&source, &every, engine, dead_ends, None);
                assert_eq!(
                    branching.holds(),
                    linear,
                    "case {case}, {engine:?}: A({text}): {:?}",
                    branching.value
                );
            }
        }
    }
    assert!(failing > 20);
}

/// A formula of LTL that asks for a path is answered as in CTL*, and a run shows that there is one.
#[test]
fn linear_properties_may_ask_for_a_path() {
    let mut rng = Rng::new(6);
    let config = Config::ltl().with_size(3..=12);
    let config = config.with_propositions(PROPOSITIONS).with_seed(6);
    let mut generator = Generator::new(config);
    let mut values = [0; 2];
    for case in 0..80 * effort() {
        let source = Source::of_net(random_net(&mut rng));
        let mut store = FormulaStore::new();
        let f = generator.next_formula(&mut store);
        let some = store.exists(f);
        let text = store.display(some).to_string();
        for dead_ends in [DeadEnds::Stutter, DeadEnds::Ignore] {
            let expected = check(&source, &text, Engine::Explicit, dead_ends, None).holds();
            for engine in [Engine::Explicit, Engine::Symbolic] {
                let asked = ltl(&text, dead_ends);
                let answer = ask(&source, by(engine), asked, &Budget::unlimited());
                assert_eq!(answer.holds(), expected, "case {case}, {engine:?}: {text}");
                let quantified = matches!(store.node(some), Node::Exists(_));
                let shown = answer.holds() == Some(quantified);
                assert_eq!(
                    answer.evidence.is_some(),
                    shown,
                    "case {case}, {engine:?}: {text}"
                );
                values[usize::from(expected == Some(true))] += 1;
            }
        }
    }
    assert!(values.iter().all(|&n| n > 50), "{values:?}");
}
