//! As many levels as a large net has places.

use dalsegno_mdd::{Comparison, Limits, Local, Manager, Relation, with_stack};
use num_bigint::BigUint;

const LEVELS: u32 = 50_000;

/// A token that walks down all levels.
fn chain(m: &mut Manager) -> Vec<Relation> {
    (0..LEVELS - 1)
        .map(|level| {
            let take = Local {
                at_least: 1,
                delta: -1,
                ..Local::new(level)
            };
            let give = Local {
                delta: 1,
                ..Local::new(level + 1)
            };
            m.linear(&[take, give])
        })
        .collect()
}

#[test]
fn fifty_thousand_levels() {
    let done = with_stack(LEVELS, || {
        let mut m = Manager::new(LEVELS, Limits::default());
        let mut vector = vec![0; LEVELS as usize];
        vector[0] = 2;
        let initial = m.singleton(&vector).expect("no limits");
        let relations = chain(&mut m);
        let events = m.events(&relations);
        let reached = m.saturate(&initial, &events).expect("no limits");
        let states = BigUint::from(LEVELS) * (LEVELS + 1) / 2_u32;
        assert_eq!(m.count(&reached), Ok(states));
        assert_eq!(
            m.constrained(&initial, &events, &reached),
            Ok(reached.clone())
        );

        let last = LEVELS - 1;
        let guard = m.compare(&[(0, 1), (last, 1)], Comparison::Equal, 2);
        let ends = m.select(&reached, guard).expect("no limits");
        assert_eq!(m.count(&ends), Ok(3_u32.into()));
        assert_eq!(m.vectors(&ends).count(), 3);
        assert_eq!(m.union(&ends, &reached), Ok(reached.clone()));
        let projected = m.project(&reached, &[0, last]).expect("no limits");
        assert_eq!(m.count(&projected), Ok(6_u32.into()));
        assert_eq!(m.greatest(&reached, &[(0, 1), (last, 2)]), Ok(Some(4)));

        // An event over all levels, guarded by a set over all levels, both ways.
        let all: Vec<Local> = (0..LEVELS)
            .map(|level| Local {
                delta: 1,
                ..Local::new(level)
            })
            .collect();
        let event = m.linear(&all);
        let member = m.member(&ends);
        let guarded = m.guarded(event, member);
        let raised = m.image(&reached, guarded).expect("no limits");
        assert_eq!(m.count(&raised), Ok(3_u32.into()));
        assert_eq!(m.preimage(&raised, guarded), Ok(ends.clone()));
        let pairs = m.count_pairs(&reached, &[guarded]);
        assert_eq!(pairs, Ok(3_u32.into()));

        // Saturation by guarded events within a set: the deepest frames there are.
        let first = m.guarded(relations[0], member);
        let events = m.events(&[first]);
        let few = m.constrained(&ends, &events, &reached).expect("no limits");
        assert_eq!(m.count(&few), Ok(5_u32.into()));
    });
    assert_eq!(done, Ok(()));
}
