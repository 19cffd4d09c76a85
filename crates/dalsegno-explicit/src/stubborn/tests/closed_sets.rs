//! Closed sets by definition: while others fire, enabled members stay enabled and commute with them, and disabled members stay
//! disabled.

use super::*;
use crate::random::Xorshift;
use crate::stubborn::closure::Closure;

/// All successors of a state by a group, ascending.
pub(super) fn after(model: &Model, group: GroupId, state: &[u32]) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    let mut scratch = dalsegno_kripke::Scratch::default();
    let visit = |next: &[u32]| found.push(next.to_vec());
    model
        .successors_by(group, state, &mut scratch, visit)
        .expect("steps of the model are defined");
    found.sort();
    found.dedup();
    found
}

#[test]
fn members_are_moved_to_the_front() {
    let mut rng = Rng::new(41);
    let (mut sets, mut steps, mut left_out) = (0_u64, 0_u64, 0_u64);
    for number in 0..campaign(1500) {
        let model = random_model(&mut rng, number);
        let Some(mut space) = explored(&model, 300) else {
            continue;
        };
        let relations = space.relations();
        let mut closure = Closure::new(&model, &relations);
        closure.random = rng.chance(1, 2).then(|| Xorshift::new(number));
        for _ in 0..20 {
            let state = rng.index(space.len()) as StateId;
            let mut enabled = Vec::new();
            space.list_enabled(state, &mut enabled);
            let here = space.here(state);
            closure.enter(&here, &enabled);
            closure.begin();
            closure.add(GroupId(rng.index(model.groups().len()) as u32));
            closure.close(&here, usize::MAX);
            sets += 1;
            let mut at = vec![0; model.variables().len()];
            space.values(state, &mut at);
            for _ in 0..6 {
                let others = model.group_ids().filter(|&g| !closure.has(g));
                let others: Vec<_> = others.filter(|&g| model.enabled(g, &at)).collect();
                left_out += others.len() as u64;
                if others.is_empty() {
                    break;
                }
                let other = others[rng.index(others.len())];
                let nexts = after(&model, other, &at);
                for member in model.group_ids().filter(|&g| closure.has(g)) {
                    let first = after(&model, member, &at);
                    assert_eq!(!first.is_empty(), closure.is_enabled(member));
                    for next in &nexts {
                        let moved = after(&model, member, next);
                        assert_eq!(first.is_empty(), moved.is_empty(), "{other:?} {model:?}");
                        let back = first.iter().flat_map(|s| after(&model, other, s));
                        let back: Vec<Vec<u32>> = back.collect();
                        for target in &moved {
                            let same = back.contains(target);
                            assert!(same, "{member:?} {other:?} at {at:?} of {model:?}");
                        }
                    }
                    steps += 1;
                }
                at.clone_from(&nexts[rng.index(nexts.len())]);
            }
        }
    }
    println!("{sets} sets, {steps} pairs, {left_out} groups left out");
    assert!(left_out > sets / 4, "{left_out} left out of {sets} sets");
}
