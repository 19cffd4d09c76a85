//! The time to explore whole state spaces, to verify a property on one, and to walk in a large one.

#[path = "../tests/subjects/mod.rs"]
mod subjects;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::Criterion;
use dalsegno_automata::observer::Kind;
use dalsegno_explicit::emptiness::Firing;
use dalsegno_explicit::explore::explore;
use dalsegno_explicit::walk::Walk;
use dalsegno_kripke::{Budget, Predicate};
use dalsegno_models::petri::generators::Family;

use subjects::{Subject, kanban_property, net};

/// Nets with the states they have: other numbers are a failure, not a time.
const NETS: [(Family, u32, u64); 3] = [
    (Family::Kanban, 4, 454_475),
    (Family::Fms, 4, 438_600),
    (Family::Mapk, 4, 24_065),
];

fn explorations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("explore");
    for (family, n, states) in NETS {
        let model = Arc::new(net(family, n).to_model());
        group.bench_function(format!("{family} {n}"), |bencher| {
            bencher.iter(|| {
                let seen = explore(black_box(&model), &Budget::unlimited(), |_, _| {});
                assert_eq!(seen.states, states);
            });
        });
    }
    group.finish();
}

fn searches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("search");
    let n = 4;
    for kind in [Kind::Tgba, Kind::Tgta] {
        let net = net(Family::Kanban, n);
        let mut subject = Subject::new(&net, &kanban_property(n), kind);
        group.bench_function(format!("kanban {n} {}", kind.name()), |bencher| {
            bencher.iter(|| {
                assert!(
                    black_box(&mut subject)
                        .search(Firing::All)
                        .accepting
                        .is_none()
                );
            });
        });
    }
    group.finish();
}

/// A cycle of walks in a net of 5,000 transitions.
fn walks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("walk");
    let model = Arc::new(net(Family::Philosophers, 1_000).to_model());
    let never = Predicate::And(
        model
            .group_ids()
            .map(|g| Predicate::Enabled(vec![g]))
            .collect(),
    );
    for (name, goal) in [("random", Predicate::False), ("guided", never)] {
        group.bench_function(format!("philosophers 1000 {name}"), |bencher| {
            bencher.iter(|| {
                let mut walk = Walk::new(&model, vec![goal.clone()], vec![], 1).expect("linear");
                walk.advance(1, &Budget::unlimited()).expect("no limit");
                assert_eq!(black_box(walk).reached(), [false]);
            });
        });
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .measurement_time(Duration::from_secs(10))
        .configure_from_args();
    explorations(&mut criterion);
    searches(&mut criterion);
    walks(&mut criterion);
    criterion.final_summary();
}
