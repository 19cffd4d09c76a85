//! Fixpoints: three strategies against the explicit one.

use dalsegno_mdd::{Relation, Strategy};

use crate::explicit::{Event, Random, build, closure, list, manager};

const STRATEGIES: [Strategy; 3] = [
    Strategy::BreadthFirst,
    Strategy::Chaining,
    Strategy::Saturation,
];

#[test]
fn every_strategy_finds_the_explicit_fixpoint() {
    let mut largest = 0;
    for seed in 0..600 {
        let random = &mut Random::new(seed);
        let levels = 1 + random.below(5);
        let values = 2 + random.below(3);
        let mut m = manager(levels, seed % 2 == 0);
        let start = random.vectors(3, levels, values);
        let count = 1 + random.below(6);
        let events: Vec<Event> = (0..count)
            .map(|_| Event::random(random, levels, values))
            .collect();
        let expected = closure(&start, &events, None);
        largest = largest.max(expected.len());
        let relations: Vec<Relation> = events.iter().map(|e| e.relation(&mut m)).collect();
        let set = build(&mut m, &start);
        for strategy in STRATEGIES {
            let found = m.reach(&set, &relations, strategy).expect("no limits");
            let found = list(&m, &found);
            assert_eq!(found, expected, "seed {seed}, {strategy:?}, {events:?}");
        }
        m.check_invariants();
    }
    assert!(largest > 100, "some of the models are not trivial");
}

#[test]
fn every_strategy_stays_within_a_set() {
    for seed in 0..600 {
        let random = &mut Random::new(1_000 + seed);
        let levels = 1 + random.below(4);
        let values = 2 + random.below(3);
        let mut m = manager(levels, seed % 2 == 0);
        let start = random.vectors(3, levels, values);
        let size = values.pow(levels);
        let within = random.vectors(size, levels, values);
        let count = 1 + random.below(6);
        let events: Vec<Event> = (0..count)
            .map(|_| Event::random(random, levels, values))
            .collect();
        let expected = closure(&start, &events, Some(&within));
        let relations: Vec<Relation> = events.iter().map(|e| e.relation(&mut m)).collect();
        let (set, inside) = (build(&mut m, &start), build(&mut m, &within));
        for strategy in STRATEGIES {
            let found = m.reach_within(&set, &relations, &inside, strategy);
            let found = list(&m, &found.expect("no limits"));
            assert_eq!(found, expected, "seed {seed}, {strategy:?}, {events:?}");
        }
    }
}

#[test]
fn more_event_sets_than_slots_keep_apart() {
    let random = &mut Random::new(7);
    let mut m = manager(3, false);
    let start = random.vectors(2, 3, 3);
    let set = build(&mut m, &start);
    let mut tasks = Vec::new();
    for _ in 0..300 {
        let events: Vec<Event> = (0..2).map(|_| Event::random(random, 3, 3)).collect();
        let relations: Vec<Relation> = events.iter().map(|e| e.relation(&mut m)).collect();
        tasks.push((closure(&start, &events, None), m.events(&relations)));
    }
    for _ in 0..2 {
        for (expected, events) in &tasks {
            let found = m.saturate(&set, events).expect("no limits");
            assert_eq!(&list(&m, &found), expected);
        }
    }
}
