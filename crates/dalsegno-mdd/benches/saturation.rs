//! State spaces of nets by saturation, and on small ones by what it is measured against.

#![expect(
    missing_docs,
    reason = "criterion's macros make undocumented functions"
)]

mod nets;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use dalsegno_mdd::{Limits, Manager, Stop, Strategy};
use nets::Net;

fn states(net: &Net, strategy: Strategy) -> Result<usize, Stop> {
    let mut manager = Manager::new(net.initial.len() as u32, Limits::default());
    let initial = manager.singleton(&net.initial)?;
    let relations = net.relations(&mut manager);
    let reached = manager.reach(&initial, &relations, strategy)?;
    manager.size(&reached)
}

fn saturation(c: &mut Criterion) {
    let mut group = c.benchmark_group("saturation");
    group.sample_size(20);
    for (name, net) in [
        ("kanban 20", nets::kanban(20)),
        ("philosophers 100", nets::philosophers(100)),
        ("ring 10", nets::ring(10)),
    ] {
        group.bench_function(name, |b| {
            b.iter(|| states(black_box(&net), Strategy::Saturation));
        });
    }
    group.finish();
}

fn strategies(c: &mut Criterion) {
    let mut group = c.benchmark_group("strategies");
    group.sample_size(10);
    for (name, net) in [
        ("kanban 3", nets::kanban(3)),
        ("philosophers 6", nets::philosophers(6)),
        ("ring 4", nets::ring(4)),
    ] {
        for strategy in [
            Strategy::BreadthFirst,
            Strategy::Chaining,
            Strategy::Saturation,
        ] {
            group.bench_function(format!("{name} {strategy:?}"), |b| {
                b.iter(|| states(black_box(&net), strategy));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, saturation, strategies);
criterion_main!(benches);
