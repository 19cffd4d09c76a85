//! CTL and CTL*: both engines and the semantics by definition agree, on random nets and random formulas.

use std::fmt::Write as _;

use dalsegno::certify::{Graph, branching};
use dalsegno::kripke::{Budget, DeadEnds, Predicate};
use dalsegno::logic::random::{Config, Generator, Rng};
use dalsegno::logic::{FormulaId, FormulaStore, Node, PropId};
use dalsegno::{
    BranchingOptions, BranchingOutcome, BranchingTask, CheckOptions, Engine, Session,
    check_branching, check_ltl,
};
use dalsegno_testkit::random_net;

const MODES: [DeadEnds; 3] = [DeadEnds::Stutter, DeadEnds::Finite, DeadEnds::Ignore];

/// How many times the usual number of cases is run.
fn effort() -> u64 {
    let times = std::env::var("DALSEGNO_FORMULAS").ok();
    times.and_then(|n| n.parse().ok()).unwrap_or(1)
}

fn check(
    session: &Session,
    store: &mut FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
    engine: Engine,
    dead_ends: DeadEnds,
    sample: Option<usize>,
) -> BranchingOutcome {
    let options = BranchingOptions {
        engine,
        dead_ends,
        sample,
        ..BranchingOptions::ctl()
    };
    let task = BranchingTask {
        formula: f,
        atoms: atoms.to_vec(),
    };
    let mut found = None;
    let tell = |_, outcome, _: &FormulaStore| found = Some(outcome);
    check_branching(
        session,
        store,
        &[task],
        &options,
        &Budget::unlimited(),
        tell,
    );
    found.expect("every task is told").unwrap()
}

/// Propositions that are often true and often false, dead ends among them.
const PROPOSITIONS: [&str; 5] = ["p0", "p1 >= 2", "fireable(t0)", "deadlock", "p0 + p1 = 1"];

/// Checks random formulas of a logic on random nets; what went wrong, and how often both values occurred.
fn compare(config: &Config, modes: &[DeadEnds], nets: u64, seed: u64) -> (String, [u64; 2]) {
    let mut faults = String::new();
    let mut values = [0; 2];
    let mut rng = Rng::new(seed);
    for case in 0..nets {
        let session = Session::new(random_net(&mut rng));
        let config = config
            .clone()
            .with_propositions(PROPOSITIONS)
            .with_seed(seed + case);
        let mut generator = Generator::new(config);
        let mut store = FormulaStore::new();
        for _ in 0..4 {
            let f = generator.next_formula(&mut store);
            let text = store.display(f).to_string();
            let atoms = session.atoms(&store, f).unwrap();
            let names: Vec<PropId> = atoms.iter().map(|a| a.0).collect();
            let predicates: Vec<Predicate> = atoms.iter().map(|a| a.1.clone()).collect();
            let graph = Graph::of_model(session.model(), &predicates, 2_000).unwrap();
            for &dead_ends in modes {
                let Ok(states) = branching::holds(&store, f, &names, &graph, dead_ends) else {
                    continue;
                };
                let holds = graph.initial().iter().all(|&s| states[s]);
                let count = states.iter().filter(|&&b| b).count().to_string();
                values[usize::from(holds)] += 1;
                for engine in [Engine::Explicit, Engine::Symbolic] {
                    let found = check(&session, &mut store, f, &atoms, engine, dead_ends, Some(2));
                    let satisfying = found.satisfying.expect("there is no limit");
                    if found.holds != Ok(holds) || satisfying.count != count {
                        writeln!(
                            faults,
                            "case {case}, {engine:?}, {dead_ends}: {text}: {:?} in {} states, not {holds} in {count}",
                            found.holds, satisfying.count
                        )
                        .unwrap();
                    }
                    // A path shows that an E holds and that an A fails.
                    let shown = match store.node(f) {
                        Node::Exists(_) => holds,
                        Node::Forall(_) => !holds,
                        _ => false,
                    };
                    if shown && found.explanation.is_none() {
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
        let session = Session::new(random_net(&mut rng));
        let mut store = FormulaStore::new();
        let f = generator.next_formula(&mut store);
        let atoms = session.atoms(&store, f).unwrap();
        let every = store.forall(f);
        for dead_ends in [DeadEnds::Stutter, DeadEnds::Ignore] {
            let options = CheckOptions {
                dead_ends,
                ..CheckOptions::default()
            };
            let budget = Budget::unlimited();
            let linear = check_ltl(&session, &mut store, f, &atoms, &options, &budget, |_| {});
            let linear = linear.unwrap().verdict.holds();
            failing += u32::from(linear == Some(false));
            for engine in [Engine::Explicit, Engine::Symbolic] {
                let branching = check(&session, &mut store, every, &atoms, engine, dead_ends, None);
                let text = store.display(f);
                assert_eq!(
                    branching.holds.ok(),
                    linear,
                    "case {case}, {engine:?}: A({text})"
                );
            }
        }
    }
    assert!(failing > 20);
}
