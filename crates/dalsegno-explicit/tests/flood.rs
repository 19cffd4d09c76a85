//! Floods find what the sequential engine finds, and the same for any number of workers.

mod subjects;

use std::sync::Arc;
use std::time::Duration;

use dalsegno_automata::Translation;
use dalsegno_automata::observer::{Kind, Observer};
use dalsegno_certify::replay;
use dalsegno_explicit::emptiness::{Config, Emptiness, Firing};
use dalsegno_explicit::explore::{self, Outcome, Summary};
use dalsegno_explicit::flood::emptiness::{self, Checked, Config as How, Verdict, When};
use dalsegno_explicit::flood::explore as flood_explore;
use dalsegno_explicit::flood::local;
use dalsegno_explicit::moves::Moves;
use dalsegno_explicit::product::Product;
use dalsegno_explicit::size;
use dalsegno_explicit::space::Space;
use dalsegno_explicit::view::View;
use dalsegno_kripke::{Budget, DeadEnds, Model, Predicate, Stop};
use dalsegno_logic::random::{Config as Formulas, Generator, Rng};
use dalsegno_logic::{FormulaStore, PropId, parse};
use dalsegno_models::petri::generators::Family;
use dalsegno_models::petri::{PetriNet, Symbols, proposition};
use dalsegno_testkit::random_net;

use subjects::{Subject, kanban_property, net};

const KINDS: [Kind; 4] = [Kind::Tgba, Kind::Ba, Kind::Tgta, Kind::Ta];
const WORKERS: [usize; 4] = [1, 2, 3, 5];

fn explored(model: &Arc<Model>, workers: usize, budget: &Budget) -> Summary {
    let all = local::run(workers, |crew| flood_explore::explore(crew, model, budget));
    let mut all: Vec<Summary> = all.unwrap().into_iter().map(Result::unwrap).collect();
    assert!(all.iter().all(|one| *one == all[0]), "all get the same");
    all.swap_remove(0)
}

fn checked(moves: &Moves, model: &Arc<Model>, workers: usize, prefixes: bool) -> Checked {
    checked_when(moves, model, workers, prefixes, When::Never)
}

fn checked_when(
    moves: &Moves,
    model: &Arc<Model>,
    workers: usize,
    prefixes: bool,
    stubborn: When,
) -> Checked {
    let budget = Budget::unlimited();
    let how = How { prefixes, stubborn };
    let all = local::run(workers, |crew| {
        emptiness::check(crew, model, moves, how, &budget)
    });
    let mut all: Vec<Checked> = all.unwrap().into_iter().map(Result::unwrap).collect();
    assert!(all.iter().all(|one| *one == all[0]), "all get the same");
    all.swap_remove(0)
}

/// What does not depend on how the tables grew.
fn facts(summary: &Summary) -> (u64, u64, u64, Vec<u32>, u64) {
    let largest = summary.largest.clone();
    let Summary {
        states,
        transitions,
        dead_ends,
        largest_sum,
        ..
    } = *summary;
    (states, transitions, dead_ends, largest, largest_sum)
}

#[test]
fn exploration_counts_what_the_sequential_one_counts() {
    let mut rng = Rng::new(20);
    let mut complete = 0;
    for _ in 0..150 {
        let net = random_net(&mut rng);
        let model = Arc::new(net.to_model());
        let budget = Budget::unlimited().with_states(3_000);
        let expected = explore::explore(&model, &budget, |_, _| {});
        for workers in WORKERS {
            let found = explored(&model, workers, &budget);
            if expected.outcome == Outcome::Complete {
                assert_eq!(found.outcome, Outcome::Complete, "{workers} workers");
                assert_eq!(facts(&found), facts(&expected), "{workers} workers");
            } else {
                assert_ne!(found.outcome, Outcome::Complete, "{workers} workers");
            }
        }
        complete += u32::from(expected.outcome == Outcome::Complete);
    }
    assert!(complete > 80, "{complete} complete");
    for (family, n) in [
        (Family::Kanban, 2),
        (Family::Fms, 2),
        (Family::Philosophers, 6),
    ] {
        let model = Arc::new(net(family, n).to_model());
        let expected = explore::explore(&model, &Budget::unlimited(), |_, _| {});
        for workers in WORKERS {
            let found = explored(&model, workers, &Budget::unlimited());
            assert_eq!(facts(&found), facts(&expected), "{family} {n}");
        }
    }
}

/// The atoms of a property of a net.
fn atoms(net: &PetriNet, store: &FormulaStore, names: &[PropId]) -> Vec<(PropId, Predicate)> {
    let symbols = Symbols::of_net(net);
    let meaning = |p: PropId| proposition::parse(store.name(p), &symbols).unwrap();
    names.iter().map(|&p| (p, meaning(p).predicate)).collect()
}

/// Checks a witness by definition.
fn certify(net: &PetriNet, model: &Model, property: &str, dead_ends: DeadEnds, found: &Verdict) {
    let mut store = FormulaStore::new();
    let f = parse(&mut store, property).unwrap();
    let propositions = store.propositions(f);
    let atoms = atoms(net, &store, &propositions);
    match found {
        Verdict::Accepted(run) => {
            replay::refute(model, run, dead_ends, &store, f, &atoms).unwrap();
        }
        Verdict::Prefix(path) => {
            // Evaluation in three values does not see every bad prefix; that the property fails is checked above.
            let refuted = replay::refute_prefix(model, path, &store, f, &atoms);
            assert!(matches!(refuted, Ok(()) | Err(replay::Error::NoViolation)));
        }
        _ => {}
    }
}

#[test]
fn verdicts_are_those_of_the_depth_first_search_and_runs_are_the_same_for_all() {
    let mut rng = Rng::new(21);
    let count: u64 = std::env::var("DALSEGNO_PAIRS").map_or(120, |n| n.parse().unwrap());
    let propositions = ["p0", "p1 >= 2", "fireable(t0)", "p0 + p1 = 1"];
    let (mut runs, mut paths, mut empty) = (0, 0, 0);
    let (mut nodes, mut all_nodes) = (0, 0);
    for number in 0..count {
        let net = random_net(&mut rng);
        let model = Arc::new(net.to_model());
        let small = explore::explore(&model, &Budget::unlimited().with_states(600), |_, _| {});
        if small.outcome != Outcome::Complete {
            continue;
        }
        let formulas = Formulas::x_free().with_size(3..=12);
        let formulas = formulas.with_propositions(propositions).with_seed(number);
        let mut store = FormulaStore::new();
        let f = Generator::new(formulas).next_formula(&mut store);
        let property = store.display(f).to_string();
        let kind = KINDS[number as usize % 4];
        let dead_ends = [DeadEnds::Stutter, DeadEnds::Ignore, DeadEnds::Finite][rng.index(3)];
        let mut subject = Subject::new(&net, &property, kind);
        let observer = subject.observer.take().unwrap();
        let (predicates, model) = (subject.predicates.clone(), &subject.model);
        let moves = Moves::new(model, predicates.clone(), observer.clone(), dead_ends);
        let (mut space, mut view) = (
            Space::new(model),
            View::new(model, predicates, observer, dead_ends),
        );
        let mut product = Product::new(&mut space, &mut view);
        let mut search = Emptiness::new(&mut product, Config::default());
        let ended = search.advance(&mut product, u64::MAX, &Budget::unlimited(), |_| {});
        assert_eq!(ended, Ok(true));
        let holds = search.result().accepting.is_none();
        let shows = dead_ends == DeadEnds::Stutter;
        for prefixes in [false, shows] {
            let expected = checked(&moves, model, 1, prefixes).verdict;
            assert_eq!(expected == Verdict::Empty, holds, "{property} {kind}");
            certify(&net, model, &property, dead_ends, &expected);
            for workers in [2, 3, 5] {
                let found = checked(&moves, model, workers, prefixes).verdict;
                assert_eq!(found, expected, "{property} {kind} {workers}");
            }
            let reduced = checked_when(&moves, model, 1, prefixes, When::Always);
            assert_eq!(
                reduced.verdict == Verdict::Empty,
                holds,
                "{property} {kind}"
            );
            certify(&net, model, &property, dead_ends, &reduced.verdict);
            for workers in [2, 3, 5] {
                let found = checked_when(&moves, model, workers, prefixes, When::Always);
                assert_eq!(
                    found.verdict, reduced.verdict,
                    "{property} {kind} {workers}"
                );
                // Where all is explored, it is the same product.
                if holds {
                    assert_eq!(found.explored, reduced.explored, "{property} {kind}");
                }
            }
            if holds {
                nodes += reduced.explored.states;
                all_nodes += checked(&moves, model, 1, prefixes).explored.states;
            }
            match expected {
                Verdict::Empty => empty += 1,
                Verdict::Accepted(_) => runs += 1,
                Verdict::Prefix(_) => paths += 1,
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(
        runs > 40 && paths > 5 && empty > 40,
        "{runs} runs, {paths} paths, {empty} empty"
    );
    println!("with stubborn sets {nodes} of {all_nodes} nodes");
    assert!(nodes < all_nodes);
}

/// The observer of a lazy TGTA of the negation of a property.
fn lazy(property: &str) -> (Observer, Vec<String>) {
    let mut store = FormulaStore::new();
    let f = parse(&mut store, property).unwrap();
    let negation = store.not(f);
    let budget = Budget::unlimited();
    let mut translation = Translation::new(&mut store, negation, &budget);
    let testing = translation.lazy_tgta().unwrap();
    let names = testing.automaton().propositions().to_vec();
    (Observer::lazy(testing), names)
}

#[test]
fn states_of_lazy_automata_mean_the_same_to_all_workers() {
    let mut rng = Rng::new(22);
    let propositions = ["p0", "p1 >= 2", "fireable(t0)", "p0 + p1 = 1"];
    let (mut runs, mut empty) = (0, 0);
    for number in 0..60 {
        let net = random_net(&mut rng);
        let model = Arc::new(net.to_model());
        let small = explore::explore(&model, &Budget::unlimited().with_states(300), |_, _| {});
        if small.outcome != Outcome::Complete {
            continue;
        }
        let formulas = Formulas::ltl().with_size(3..=10);
        let formulas = formulas.with_propositions(propositions).with_seed(number);
        let mut store = FormulaStore::new();
        let f = Generator::new(formulas).next_formula(&mut store);
        let property = store.display(f).to_string();
        let mut subject = Subject::new(&net, &property, Kind::Tgba);
        let eager = subject.observer.take().unwrap();
        let stutter = DeadEnds::Stutter;
        let eager = Moves::new(&model, subject.predicates.clone(), eager, stutter);
        let holds = checked(&eager, &model, 1, false).verdict == Verdict::Empty;
        let (observer, names) = lazy(&property);
        let symbols = Symbols::of_net(&net);
        let meaning = |name: &String| proposition::parse(name, &symbols).unwrap().predicate;
        let predicates = names.iter().map(meaning).collect();
        let moves = Moves::new(&model, predicates, observer, stutter);
        let expected = checked(&moves, &model, 1, false).verdict;
        assert_eq!(expected == Verdict::Empty, holds, "{property}");
        certify(&net, &model, &property, stutter, &expected);
        let reduced = checked_when(&moves, &model, 1, false, When::Always);
        assert_eq!(reduced.verdict == Verdict::Empty, holds, "{property}");
        certify(&net, &model, &property, stutter, &reduced.verdict);
        for workers in [2, 3, 5] {
            let found = checked(&moves, &model, workers, false).verdict;
            assert_eq!(found, expected, "{property} {workers}");
            let found = checked_when(&moves, &model, workers, false, When::Always);
            assert_eq!(found.verdict, reduced.verdict, "{property} {workers}");
            assert!(!holds || found.explored == reduced.explored, "{property}");
        }
        *(if holds { &mut empty } else { &mut runs }) += 1;
    }
    assert!(runs > 10 && empty > 10, "{runs} runs, {empty} empty");
}

#[test]
fn larger_products_agree() {
    for kind in KINDS {
        let net = net(Family::Kanban, 2);
        let mut subject = Subject::new(&net, &kanban_property(2), kind);
        assert!(subject.search(Firing::All).accepting.is_none());
        let observer = subject.observer.take().unwrap();
        let (predicates, model) = (subject.predicates.clone(), &subject.model);
        let stutter = DeadEnds::Stutter;
        let moves = Moves::new(model, predicates.clone(), observer.clone(), stutter);
        let (mut space, mut view) = (
            Space::new(model),
            View::new(model, predicates, observer, stutter),
        );
        let budget = Budget::unlimited();
        let size = size::of(&mut Product::new(&mut space, &mut view), &budget).unwrap();
        for workers in [1, 2, 5] {
            let found = checked(&moves, model, workers, true);
            assert_eq!(found.verdict, Verdict::Empty, "{kind}");
            let all = found.explored;
            assert_eq!(
                (all.states, all.transitions),
                (size.states, size.transitions)
            );
        }
    }
}

#[test]
fn stubborn_sets_leave_out_most_of_a_large_product() {
    let net = net(Family::Kanban, 3);
    let mut subject = Subject::new(&net, &kanban_property(3), Kind::Tgta);
    let observer = subject.observer.take().unwrap();
    let (predicates, model) = (subject.predicates.clone(), &subject.model);
    let moves = Moves::new(model, predicates, observer, DeadEnds::Stutter);
    let expected = checked_when(&moves, model, 1, false, When::Paying);
    assert_eq!(expected.verdict, Verdict::Empty);
    let explored = expected.explored;
    println!("{explored:?}");
    assert!(
        explored.fired < explored.enabled && explored.states < 20_000,
        "{explored:?}"
    );
    for workers in [2, 3, 5] {
        let found = checked_when(&moves, model, workers, false, When::Paying);
        assert_eq!(found.explored, explored, "{workers} workers");
    }
}

#[test]
fn budgets_end_all_workers() {
    let model = Arc::new(net(Family::Kanban, 3).to_model());
    let cancelled = Budget::unlimited();
    let flag = cancelled.cancel_flag();
    flag.store(true, std::sync::atomic::Ordering::Relaxed);
    let late = Budget::unlimited().with_time(Duration::ZERO);
    let cases = [
        (Budget::unlimited().with_states(1_000), Stop::States),
        (Budget::unlimited().with_bytes(100_000), Stop::Memory),
        (late, Stop::Time),
        (cancelled, Stop::Cancelled),
    ];
    for (budget, stop) in cases {
        for workers in WORKERS {
            let found = explored(&model, workers, &budget);
            let stopped = Outcome::Unknown(stop, None);
            assert_eq!(found.outcome, stopped, "{workers} workers");
        }
    }
}

#[test]
fn the_limit_of_states_is_one_of_the_model() {
    let net = net(Family::Kanban, 2);
    let mut subject = Subject::new(&net, &kanban_property(2), Kind::Tgba);
    let observer = subject.observer.take().unwrap();
    let (predicates, model) = (subject.predicates.clone(), &subject.model);
    let moves = Moves::new(model, predicates, observer, DeadEnds::Stutter);
    let states = explored(model, 1, &Budget::unlimited()).states;
    for workers in WORKERS {
        for (limit, expected) in [
            (states, Verdict::Empty),
            (states - 1, Verdict::Unknown(Stop::States)),
        ] {
            let budget = Budget::unlimited().with_states(limit);
            let all = local::run(workers, |crew| {
                emptiness::check(crew, model, &moves, How::default(), &budget)
            });
            for found in all.unwrap() {
                let found = found.unwrap();
                assert!(found.explored.states > states, "nodes are more than states");
                assert_eq!(found.verdict, expected, "{workers} workers");
            }
        }
    }
}

#[test]
fn a_worker_that_panics_ends_all() {
    let model = Arc::new(net(Family::Kanban, 2).to_model());
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let budget = Budget::unlimited();
    let ended = local::run(3, |crew| {
        let first = flood_explore::explore(crew, &model, &budget)?;
        assert!(dalsegno_explicit::flood::Crew::index(crew) != 1, "lost");
        let again = flood_explore::explore(crew, &model, &budget)?;
        Ok::<_, dalsegno_explicit::flood::Lost>((first, again))
    });
    std::panic::set_hook(hook);
    assert!(ended.is_err());
}
