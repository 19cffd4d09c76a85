use dalsegno_kripke::{Bounds, Budget, GroupId, LiftError, Run, Step};

use super::*;
use crate::order::Order;

/// Groups as variables that a token is taken from, and variables that one is put into.
fn model(initial: &[u32], groups: &[(&[u32], &[u32])]) -> Arc<Model> {
    let variables = (0..initial.len()).map(|i| Variable {
        name: format!("v{i}"),
        bounds: Bounds::UNKNOWN,
    });
    let group = |&(take, put): &(&[u32], &[u32])| {
        let mut weights: FxHashMap<VarId, u32> = FxHashMap::default();
        for &v in take {
            *weights.entry(VarId(v)).or_default() += 1;
        }
        let taken = take.iter().map(|&v| (VarId(v), -1));
        let delta = taken.chain(put.iter().map(|&v| (VarId(v), 1))).collect();
        let linear = Linear::new(weights.into_iter().collect(), vec![], delta);
        Group::linear("t", linear.unwrap())
    };
    let groups = groups.iter().map(group).collect();
    let model = Model::new("m", variables.collect(), vec![initial.to_vec()], groups);
    Arc::new(model.unwrap())
}

fn set(variables: &[u32], certain: bool) -> Exclusive {
    Exclusive {
        variables: variables.iter().copied().map(VarId).collect(),
        certain,
    }
}

fn space(model: &Arc<Model>) -> Option<StateSpace> {
    let order = Order::declared(model.variables().len());
    StateSpace::try_build(model, &order, &Budget::unlimited(), 1 << 14).ok()
}

fn numbers(space: &mut StateSpace) -> [String; 3] {
    let states = space.states().unwrap();
    let transitions = space.transitions().unwrap();
    [states, transitions, space.dead_ends().unwrap()].map(|n| n.to_string())
}

/// Two processes, idle, waiting and critical, and a lock.
fn processes() -> Arc<Model> {
    let groups: [(&[u32], &[u32]); 6] = [
        (&[0], &[1]),
        (&[1, 6], &[2]),
        (&[2], &[0, 6]),
        (&[3], &[4]),
        (&[4, 6], &[5]),
        (&[5], &[3, 6]),
    ];
    model(&[1, 0, 0, 1, 0, 0, 1], &groups)
}

#[test]
fn processes_become_levels_and_numbers_stay() {
    let model = processes();
    // The lock goes with the second set, without what the first one has.
    let sets = [
        set(&[0, 1, 2], true),
        set(&[2, 5, 6], true),
        set(&[3, 4], true),
    ];
    let merged = Merged::new(&model, &sets).unwrap();
    assert_eq!(merged.model().variables().len(), 3);
    assert_eq!(merged.home(VarId(1)), (VarId(0), Some(2)));
    assert_eq!(merged.home(VarId(6)), (VarId(2), Some(2)));
    assert_eq!(merged.model().initial(), [vec![1, 1, 2]]);
    let mut small = space(merged.model()).unwrap();
    assert_eq!(numbers(&mut small), numbers(&mut space(&model).unwrap()));
    assert!(merged.is_sound(&mut small).unwrap());
    let most = small.greatest_by(|v, value| merged.tokens(v, value));
    assert_eq!(most, Ok(3));
}

#[test]
fn what_cannot_be_merged_is_left_alone() {
    let model = processes();
    // Two tokens at first, and a set of one.
    let sets = [set(&[0, 3], false), set(&[4], true), set(&[], true)];
    assert!(Merged::new(&model, &sets).is_none());
    let inhibited = Linear::new(vec![(VarId(0), 1)], vec![(VarId(1), 1)], vec![]).unwrap();
    let groups = vec![Group::linear("t", inhibited)];
    let model = Model::new("m", model.variables().to_vec(), vec![vec![0; 7]], groups).unwrap();
    assert!(Merged::new(&model, &[set(&[0, 1], true)]).is_none());
}

#[test]
fn a_false_promise_is_found_out() {
    let model = processes();
    for variables in [[1, 4], [1, 3], [2, 6]] {
        let merged = Merged::new(&model, &[set(&variables, false)]);
        let exclusive = variables == [2, 6];
        let sound = merged.map(|merged| {
            let mut small = space(merged.model()).unwrap();
            merged.is_sound(&mut small).unwrap()
        });
        assert_eq!(sound.unwrap_or(false), exclusive, "{variables:?}");
    }
}

#[test]
fn random_promises_are_true_where_they_are_sound_and_then_numbers_stay() {
    let mut state = 1_u32;
    let mut below = |n: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % n
    };
    let (mut kept, mut broken) = (0, 0);
    for case in 0..1_000 {
        let n = 3 + below(4);
        let initial: Vec<u32> = (0..n).map(|_| u32::from(below(2) == 0)).collect();
        let mut lists: Vec<[Vec<u32>; 2]> = Vec::new();
        for _ in 0..=below(5) {
            // No group makes more than it takes, so there are few states.
            let take: Vec<u32> = (0..=below(2)).map(|_| below(n)).collect();
            let put = (0..take.len()).map(|_| below(n)).collect();
            lists.push([take, put]);
        }
        let groups: Vec<(&[u32], &[u32])> = lists
            .iter()
            .map(|[take, put]| (&take[..], &put[..]))
            .collect();
        let model = model(&initial, &groups);
        let sets: Vec<Exclusive> = (0..2)
            .map(|_| (0..2 + below(2)).map(|_| below(n)).collect::<Vec<u32>>())
            .map(|variables| set(&variables, false))
            .collect();
        let (Some(merged), Some(mut large)) = (Merged::new(&model, &sets), space(&model)) else {
            continue;
        };
        let Some(mut small) = space(merged.model()) else {
            continue;
        };
        // Whether what was merged is exclusive, by the states of the model itself.
        let mut holds = true;
        for home in merged.model().variable_ids() {
            let of = |v: &VarId| merged.home(*v) == (home, merged.home(*v).1);
            let parts: Vec<VarId> = model.variable_ids().filter(of).collect();
            let alone = merged.home(parts[0]).1.is_none();
            holds &= alone || large.extent(parts).unwrap().1 <= 1;
        }
        assert_eq!(merged.is_sound(&mut small).unwrap(), holds, "case {case}");
        if holds {
            assert_eq!(numbers(&mut small), numbers(&mut large), "case {case}");
            kept += 1;
        } else {
            broken += 1;
        }
    }
    assert!(kept > 100 && broken > 100, "{kept} and {broken}");
}

/// Sums of all variables with coefficients from -2 to 2, compared in all six ways.
fn comparisons(variables: u32) -> Vec<Predicate> {
    let mut found = Vec::new();
    // A linear congruential generator is random enough, and the same everywhere.
    let mut seed = 7_u64;
    let mut next = |below: u32| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        i64::from((seed >> 33) as u32 % below)
    };
    let operators = [
        Relation::Le,
        Relation::Lt,
        Relation::Ge,
        Relation::Gt,
        Relation::Eq,
        Relation::Ne,
    ];
    for round in 0..120_usize {
        let mut terms = Vec::new();
        for v in 0..variables {
            // Some read a few variables only.
            if next(4) <= [0, 1, 2, 3][round % 4] {
                terms.push((next(5) - 2, VarId(v)));
            }
        }
        let operator = operators[round % 6];
        let compare = Compare::new(terms, operator, next(7) - 2).unwrap();
        found.push(Predicate::Compare(compare));
    }
    found
}

#[test]
fn merged_states_speak_of_the_original() {
    // The two processes, and a counter that a third process takes from.
    let mut groups: Vec<(&[u32], &[u32])> = vec![
        (&[0], &[1]),
        (&[1, 6], &[2]),
        (&[2], &[0, 6]),
        (&[3], &[4]),
        (&[4, 6], &[5]),
        (&[5], &[3, 6]),
    ];
    groups.extend([
        (&[7, 8][..], &[9][..]),
        (&[9][..], &[8][..]),
        (&[9, 2][..], &[10][..]),
    ]);
    let model = model(&[1, 0, 0, 1, 0, 0, 1, 3, 1, 0, 0], &groups);
    let sets = [
        set(&[0, 1, 2], true),
        set(&[3, 4], true),
        set(&[5, 6], true),
        set(&[8, 9, 10], true),
    ];
    let merged = Arc::new(Merged::new(&model, &sets).unwrap());
    let mut plain = space(&model).unwrap();
    let mut small = space(merged.model()).unwrap();
    assert!(merged.is_sound(&mut small).unwrap());
    let mut small = small.seen_as(&model, &merged);
    assert!(small.encoding().order().len() < plain.encoding().order().len());
    assert_eq!(numbers(&mut small), numbers(&mut plain));
    assert_eq!(small.ranges(), plain.ranges());
    let all: Vec<VarId> = model.variable_ids().collect();
    for from in 0..all.len() {
        let part = all[from..].iter().copied().step_by(1 + from % 3);
        assert_eq!(small.extent(part.clone()), plain.extent(part));
    }
    let mut predicates = comparisons(11);
    predicates.extend(model.group_ids().map(|g| Predicate::Enabled(vec![g])));
    let parts: Vec<Predicate> = predicates[..40].to_vec();
    for pair in parts.chunks(2) {
        predicates.push(Predicate::And(pair.to_vec()));
        predicates.push(Predicate::Or(pair.to_vec()).negate());
    }
    let mut some = 0;
    for predicate in &predicates {
        let (one, other) = (
            small.select(predicate).unwrap(),
            plain.select(predicate).unwrap(),
        );
        let count = small.encoding().manager().count(&one).unwrap();
        assert_eq!(plain.encoding().manager().count(&other), Ok(count.clone()));
        some += usize::from(count != 0_u32.into() && Ok(count) != plain.states());
        // The same states, and the state that is found is one of them.
        let vectors: Vec<Vec<u32>> = plain.encoding().manager().vectors(&other).collect();
        for vector in &vectors {
            let state = plain.encoding().state(vector);
            assert!(small.contains(&one, &state));
        }
        match small.find(predicate).unwrap() {
            Some(state) => assert!(plain.contains(&other, &state)),
            None => assert!(vectors.is_empty()),
        }
    }
    assert!(some > 50, "only {some} predicates tell states apart");
}

#[test]
fn states_and_runs_lift_to_the_original() {
    let model = processes();
    let sets = [set(&[0, 1, 2], true), set(&[3, 4, 5], true)];
    let merged = Merged::new(&model, &sets).unwrap();
    let lift = merged.lift();
    let mut plain = space(&model).unwrap();
    let reachable = plain.reachable().clone();
    let vectors: Vec<Vec<u32>> = plain.encoding().manager().vectors(&reachable).collect();
    for vector in &vectors {
        let state = plain.encoding().state(vector);
        let mut lifted = vec![0; state.len()];
        lift.lift_state(&merged.merge(&state), &mut lifted).unwrap();
        assert_eq!(lifted, state);
    }
    for g in model.group_ids() {
        assert_eq!(lift.groups(g), [g]);
        assert_eq!(lift.groups_of(g), [g]);
    }
    // The first process waits, enters and leaves for ever; the second one waits first.
    let mut state = merged.model().initial()[0].clone();
    let mut steps = Vec::new();
    for g in [3, 0, 1, 2].map(GroupId) {
        let mut next = state.clone();
        assert_eq!(merged.model().fire(g, &state, &mut next), Ok(true));
        let group = Some(g);
        steps.push(Step { state, group });
        state = next;
    }
    assert_eq!(state, steps[1].state);
    let cycle = steps.split_off(1);
    let run = Run::new(steps, cycle);
    let lifted = lift.lift_run(&run, &model).unwrap();
    assert_eq!(lifted.stem[0].state, model.initial()[0]);
    assert_eq!(lifted.cycle[1].state, [0, 1, 0, 0, 1, 0, 1]);
    // A step by another group is none of the original.
    let mut wrong = run;
    wrong.cycle[0].group = Some(GroupId(3));
    assert_eq!(lift.lift_run(&wrong, &model), Err(LiftError::NoStep(1)));
}
