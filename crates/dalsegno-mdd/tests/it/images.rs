//! Images and numbers of pairs.

use dalsegno_mdd::{Local, Relation, Stop};

use crate::explicit::{Event, Random, Vectors, build, image, list, manager};

/// All vectors of a small cube.
fn cube(levels: u32, values: u32) -> Vectors {
    let mut all: Vectors = [vec![]].into();
    for _ in 0..levels {
        let longer = |v: &Vec<u32>| {
            let v = v.clone();
            (0..values).map(move |value| [&v[..], &[value]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

#[test]
fn images_and_preimages_are_those_of_explicit_pairs() {
    for seed in 0..600 {
        let random = &mut Random::new(seed);
        let levels = 1 + random.below(4);
        let values = 2 + random.below(3);
        let mut m = manager(levels, seed % 2 == 0);
        let x = random.vectors(25, levels, values);
        let a = build(&mut m, &x);
        let event = Event::random(random, levels, values);
        let relation = event.relation(&mut m);
        let forward = m.image(&a, relation).expect("no limits");
        assert_eq!(
            list(&m, &forward),
            image(&x, &event),
            "seed {seed}, {event:?}"
        );

        let all = cube(levels, values);
        let sources: Vectors = all
            .iter()
            .filter(|v| !event.successors(v).is_disjoint(&x))
            .cloned()
            .collect();
        let backward = m.preimage(&a, relation).expect("no limits");
        let universe = build(&mut m, &all);
        let backward = m.intersection(&backward, &universe).expect("no limits");
        assert_eq!(list(&m, &backward), sources, "seed {seed}, {event:?}");

        let back = m.inverse(relation);
        let again = m.inverse(back);
        assert_eq!(m.image(&a, again), Ok(forward), "seed {seed}");
    }
}

#[test]
fn a_step_is_the_union_of_images_inside_a_set() {
    for seed in 0..600 {
        let random = &mut Random::new(seed);
        let levels = 1 + random.below(4);
        let values = 2 + random.below(3);
        let mut m = manager(levels, seed % 2 == 0);
        let a = build(&mut m, &random.vectors(25, levels, values));
        let within = build(&mut m, &random.vectors(40, levels, values));
        let mut relations = Vec::new();
        for _ in 0..=random.below(4) {
            let event = Event::random(random, levels, values);
            relations.push(event.relation(&mut m));
        }
        // Events that do nothing belong to no level.
        relations.retain(|&r| r != Relation::IDENTITY);
        let mut united = m.empty();
        for &relation in &relations {
            let image = m.image(&a, relation).expect("no limits");
            united = m.union(&united, &image).expect("no limits");
        }
        let expected = m.intersection(&united, &within);
        let events = m.events(&relations);
        assert_eq!(m.step_within(&a, &events, &within), expected, "seed {seed}");
    }
}

#[test]
fn pairs_are_counted_once() {
    for seed in 0..600 {
        let random = &mut Random::new(seed);
        let levels = 1 + random.below(4);
        let values = 2 + random.below(3);
        let mut m = manager(levels, seed % 2 == 0);
        let x = random.vectors(25, levels, values);
        let a = build(&mut m, &x);
        let events: Vec<Event> = (0..3)
            .map(|_| Event::random(random, levels, values))
            .collect();
        let relations: Vec<Relation> = events.iter().map(|e| e.relation(&mut m)).collect();
        let pairs = |e: &Event| -> usize { x.iter().map(|v| e.successors(v).len()).sum() };
        let expected: usize = events.iter().map(pairs).sum();
        let found = m.count_pairs(&a, &relations);
        assert_eq!(found, Ok(expected.into()), "seed {seed}, {events:?}");
    }
}

#[test]
fn extreme_changes_neither_wrap_nor_panic() {
    let mut m = manager(1, true);
    let most = m.singleton(&[u32::MAX]).expect("no limits");
    let zero = m.singleton(&[0]).expect("no limits");
    for delta in [i64::MIN, -(1 << 32), -(1 << 31), 1 << 32, i64::MAX] {
        let local = Local {
            delta,
            ..Local::new(0)
        };
        let event = m.linear(&[local]);
        let guard = m.compare(&[(0, 1)], dalsegno_mdd::Comparison::Unequal, 5);
        let guarded = m.guarded(event, guard);
        for event in [event, guarded] {
            let expected = match delta {
                d if d > 0 => Err(Stop::Memory),
                d if d == -(1 << 31) => m.singleton(&[(1 << 31) - 1]),
                _ => Ok(m.empty()),
            };
            assert_eq!(m.image(&most, event), expected, "{delta}");
            if delta < 0 {
                assert_eq!(m.image(&zero, event), Ok(m.empty()), "{delta}");
            }
            // No vector leads beyond 32 bits, so none is found going back.
            let sources = m.preimage(&most, event);
            assert_eq!(sources.map(|s| s.is_empty()), Ok(true), "{delta}");
        }
    }
}
