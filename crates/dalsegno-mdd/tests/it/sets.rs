//! Operations on sets.

use std::collections::BTreeSet;

use num_bigint::BigUint;

use crate::explicit::{Condition, Random, Vectors, build, list, manager};

#[test]
fn boolean_operations_are_those_of_explicit_sets() {
    for seed in 0..300 {
        let random = &mut Random::new(seed);
        let levels = 1 + random.below(5);
        let values = 1 + random.below(5);
        let mut m = manager(levels, seed % 2 == 0);
        let size = random.below(60);
        let (x, y) = (
            random.vectors(size, levels, values),
            random.vectors(size, levels, values),
        );
        let (a, b) = (build(&mut m, &x), build(&mut m, &y));
        assert_eq!(list(&m, &a), x);
        let union = m.union(&a, &b).expect("no limits");
        assert_eq!(list(&m, &union), &x | &y);
        let both = m.intersection(&a, &b).expect("no limits");
        assert_eq!(list(&m, &both), &x & &y);
        let only = m.difference(&a, &b).expect("no limits");
        assert_eq!(list(&m, &only), &x - &y);
        assert!(m.is_subset(&both, &a).expect("no limits"));
        assert_eq!(m.is_subset(&a, &b).expect("no limits"), x.is_subset(&y));
        let parts = [only, both, b.clone()];
        assert_eq!(m.union_all(&parts).expect("no limits"), union);
        for _ in 0..20 {
            let vector = random.vector(levels, values + 1);
            assert_eq!(m.contains(&a, &vector), x.contains(&vector));
        }
        m.check_invariants();
    }
}

#[test]
fn equal_sets_have_equal_handles_however_they_were_built() {
    for seed in 0..100 {
        let random = &mut Random::new(seed);
        let mut m = manager(4, seed % 2 == 0);
        let vectors = random.vectors(40, 4, 4);
        let at_once = build(&mut m, &vectors);
        let mut one_by_one = m.empty();
        for vector in vectors.iter().rev() {
            let single = m.singleton(vector).expect("no limits");
            one_by_one = m.union(&single, &one_by_one).expect("no limits");
        }
        assert_eq!(at_once, one_by_one);
        let more = random.vectors(40, 4, 4);
        let others = build(&mut m, &(&more - &vectors));
        let wide = m.union(&at_once, &others).expect("no limits");
        let back = m.difference(&wide, &others).expect("no limits");
        assert_eq!(back, at_once);
        assert_ne!(m.empty(), at_once);
    }
}

#[test]
fn numbers_and_extremes_are_those_of_explicit_sets() {
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let levels = 1 + random.below(5);
        let mut m = manager(levels, seed % 2 == 0);
        let size = random.below(50);
        let x = random.vectors(size, levels, 5);
        let a = build(&mut m, &x);
        assert_eq!(m.count(&a), Ok(BigUint::from(x.len())));
        assert_eq!(m.pick(&a), x.first().cloned());
        let terms: Vec<(u32, i64)> = (0..random.below(5))
            .map(|_| (random.below(levels), i64::from(random.below(7)) - 3))
            .collect();
        let sum = |v: &Vec<u32>| -> i64 {
            let term = |&(level, c): &(u32, i64)| c * i64::from(v[level as usize]);
            terms.iter().map(term).sum()
        };
        assert_eq!(m.greatest(&a, &terms), Ok(x.iter().map(sum).max()));
        assert_eq!(m.least(&a, &terms), Ok(x.iter().map(sum).min()));
        let ranges = m.ranges(&a).expect("no limits");
        assert_eq!(ranges.is_none(), x.is_empty());
        for (level, range) in ranges.into_iter().flatten().enumerate() {
            let values: BTreeSet<u32> = x.iter().map(|v| v[level]).collect();
            assert_eq!(Some(&range.0), values.first());
            assert_eq!(Some(&range.1), values.last());
        }
    }
}

#[test]
fn counts_beyond_128_bits_are_exact() {
    // All vectors of 0..8 over 100 levels: 2^300.
    let mut m = manager(100, false);
    let mut all = m.singleton(&[0; 100]).expect("no limits");
    for level in 0..100 {
        let mut local = dalsegno_mdd::Local::new(level);
        (local.below, local.delta) = (Some(7), 1);
        let event = m.linear(&[local]);
        let events = m.events(&[event]);
        all = m.saturate(&all, &events).expect("no limits");
    }
    assert_eq!(m.count(&all), Ok(BigUint::from(1_u32) << 300));
    assert_eq!(m.size(&all), Ok(100));
    let mut local = dalsegno_mdd::Local::new(50);
    (local.at_least, local.delta) = (1, -1);
    let event = m.linear(&[local]);
    let pairs = m.count_pairs(&all, &[event, event]);
    assert_eq!(pairs, Ok((BigUint::from(7_u32) << 297) * 2_u32));
}

#[test]
fn projections_are_those_of_explicit_sets() {
    for seed in 0..300 {
        let random = &mut Random::new(seed);
        let levels = 1 + random.below(5);
        let mut m = manager(levels, seed % 2 == 0);
        let x = random.vectors(30, levels, 4);
        let a = build(&mut m, &x);
        for _ in 0..3 {
            let kept: Vec<u32> = (0..levels).filter(|_| random.one_in(2)).collect();
            let project = |v: &Vec<u32>| -> Vec<u32> {
                let keep = |l: u32| if kept.contains(&l) { v[l as usize] } else { 0 };
                (0..levels).map(keep).collect()
            };
            let expected: Vectors = x.iter().map(project).collect();
            let found = m.project(&a, &kept).expect("no limits");
            assert_eq!(list(&m, &found), expected, "seed {seed}, levels {kept:?}");
        }
    }
}

#[test]
fn selections_are_evaluations() {
    for seed in 0..500 {
        let random = &mut Random::new(seed);
        let levels = 1 + random.below(4);
        let mut m = manager(levels, seed % 2 == 0);
        let x = random.vectors(40, levels, 4);
        let a = build(&mut m, &x);
        for _ in 0..3 {
            let condition = Condition::random(random, levels, 4, 3);
            let guard = condition.guard(&mut m);
            let found = m.select(&a, guard).expect("no limits");
            let expected: Vectors = x.iter().filter(|v| condition.holds(v)).cloned().collect();
            assert_eq!(list(&m, &found), expected, "seed {seed}, {condition:?}");
        }
    }
}

#[test]
fn the_empty_vector_is_a_vector() {
    let mut m = manager(0, true);
    let one = m.singleton(&[]).expect("no limits");
    assert!(m.contains(&one, &[]) && !m.contains(&m.empty(), &[]));
    assert_eq!(list(&m, &one), [vec![]].into());
    assert_eq!(m.count(&one), Ok(1_u32.into()));
    assert_eq!(m.project(&one, &[]), Ok(one.clone()));
    assert_eq!(m.greatest(&one, &[]), Ok(Some(0)));
    assert_eq!(build(&mut m, &[vec![]].into()), one);
    let events = m.events(&[]);
    assert_eq!(m.saturate(&one, &events), Ok(one));
}

#[test]
fn long_rows_dense_and_sparse() {
    let mut m = manager(2, true);
    let dense: Vectors = (0..2_000).map(|v| vec![v, v / 7]).collect();
    let sparse: Vectors = (0..2_000).map(|v| vec![3 * v, u32::MAX - v]).collect();
    let (a, b) = (build(&mut m, &dense), build(&mut m, &sparse));
    let union = m.union(&a, &b).expect("no limits");
    assert_eq!(list(&m, &union), &dense | &sparse);
    let ranges = vec![(0, 5_997), (0, u32::MAX)];
    assert_eq!(m.ranges(&union), Ok(Some(ranges)));
}
