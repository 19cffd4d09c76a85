//! Memory, interrupts, fuel.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use dalsegno_mdd::{Comparison, Events, Limits, Local, Manager, Set, Stop};

/// Counters that move tokens in pairs at random distances, which no order suits.
fn tangle(manager: &mut Manager) -> (Set, Events) {
    let levels = manager.levels();
    let initial = vec![4; levels as usize];
    let initial = manager.singleton(&initial).expect("one vector fits");
    let mut relations = Vec::new();
    for i in 0..levels {
        for stride in [levels / 2, levels / 3 + 1] {
            let take = Local {
                at_least: 1,
                delta: -1,
                ..Local::new(i)
            };
            let give = Local {
                below: Some(9),
                delta: 1,
                ..Local::new((i + stride) % levels)
            };
            relations.push(manager.linear(&[take, give]));
        }
    }
    let events = manager.events(&relations);
    (initial, events)
}

#[test]
fn a_run_beyond_its_memory_ends_and_leaves_the_manager_usable() {
    let limits = Limits {
        bytes: Some(1 << 20),
        interrupt: None,
    };
    let mut m = Manager::new(24, limits);
    let (initial, events) = tangle(&mut m);
    assert_eq!(m.saturate(&initial, &events), Err(Stop::Memory));
    let statistics = m.statistics();
    assert!(statistics.peak_bytes <= 1 << 20, "{statistics:?}");
    assert!(
        statistics.collections > 2,
        "garbage goes first: {statistics:?}"
    );
    m.collect();
    m.check_invariants();
    assert!(m.statistics().nodes <= 24);
    let none = m.events(&[]);
    assert_eq!(m.saturate(&initial, &none), Ok(initial.clone()));
    assert_eq!(m.count(&initial), Ok(1_u32.into()));
    assert_eq!(m.saturate(&initial, &events), Err(Stop::Memory));
}

#[test]
fn a_guard_with_many_states_is_bounded_by_the_memory() {
    let limits = Limits {
        bytes: Some(2 << 20),
        interrupt: None,
    };
    let mut m = Manager::new(40, limits);
    let initial = m.singleton(&[0; 40]).expect("one vector fits");
    let rises: Vec<_> = (0..40)
        .map(|level| {
            let local = Local {
                below: Some(1),
                delta: 1,
                ..Local::new(level)
            };
            m.linear(&[local])
        })
        .collect();
    let events = m.events(&rises);
    let cube = m.saturate(&initial, &events).expect("fits");
    // Every sum of different powers of two is another state of the guard.
    let terms: Vec<(u32, i64)> = (0..30).map(|level| (level, 1 << level)).collect();
    let guard = m.compare(&terms, Comparison::Equal, (1 << 30) / 3);
    let event = m.guarded(rises[39], guard);
    assert_eq!(m.image(&cube, event), Err(Stop::Memory));
}

#[test]
fn an_interrupt_ends_a_run() {
    let asked = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&asked);
    let limits = Limits {
        bytes: None,
        interrupt: Some(Box::new(move |_| {
            counter.fetch_add(1, Ordering::Relaxed) >= 3
        })),
    };
    let mut m = Manager::new(24, limits);
    let (initial, events) = tangle(&mut m);
    assert_eq!(m.saturate(&initial, &events), Err(Stop::Interrupted));
    assert_eq!(asked.load(Ordering::Relaxed), 4);
    m.check_invariants();
    assert!(m.contains(&initial, &[4; 24]));
}

#[test]
fn fuel_is_the_same_in_every_run() {
    let run = || {
        let mut m = Manager::new(24, Limits::default());
        let (initial, events) = tangle(&mut m);
        m.refuel(50_000);
        assert_eq!(m.saturate(&initial, &events), Err(Stop::Fuel));
        m.statistics()
    };
    let first = run();
    assert_eq!(first, run());
    assert!(first.lookups >= 50_000);
}

#[test]
fn unions_collect_what_they_leave_behind() {
    let mut m = Manager::new(4, Limits::default());
    m.collect_from(1_000);
    let mut set = m.empty();
    for i in 0..20_000_u32 {
        let single = m.singleton(&[i % 3, i % 5, i % 7, i]).expect("no limits");
        set = m.union(&set, &single).expect("no limits");
    }
    assert_eq!(m.count(&set), Ok(20_000_u32.into()));
    let statistics = m.statistics();
    assert!(
        statistics.collections > 10 && statistics.peak_nodes < 100_000,
        "{statistics:?}"
    );
}

#[test]
fn a_counter_without_bound_is_a_matter_of_memory() {
    let limits = Limits {
        bytes: Some(8 << 20),
        interrupt: None,
    };
    let mut m = Manager::new(1, limits);
    let local = Local {
        delta: 1,
        ..Local::new(0)
    };
    let event = m.linear(&[local]);
    let events = m.events(&[event]);
    let zero = m.singleton(&[0]).expect("fits");
    assert_eq!(m.saturate(&zero, &events), Err(Stop::Memory));
    assert_eq!(m.count(&zero), Ok(1_u32.into()));
}
