//! Deep goals, endings, and numbers that leave their bits.

use std::sync::Arc;

use std::time::Duration;

use dalsegno_kripke::clock::Instant;
use dalsegno_kripke::{
    Bounds, Budget, Compare, Group, GroupId, Linear, Model, Predicate, Relation, Stop, VarId,
    Variable,
};

use dalsegno_certify::replay;

use super::{Walk, Ways};
use crate::breadth_first::BreadthFirst;
use crate::random::Xorshift;
use crate::space::Space;

type Arcs = Vec<(u32, u32)>;

/// A net of places with tokens; transitions take and give, and are inhibited from some number on.
fn net(initial: &[u32], transitions: &[(Arcs, Arcs, Arcs)]) -> Arc<Model> {
    let variables = (0..initial.len()).map(|i| Variable {
        name: format!("p{i}"),
        bounds: Bounds::UNKNOWN,
    });
    let groups = transitions
        .iter()
        .enumerate()
        .map(|(i, (pre, post, inhibit))| {
            let arcs = |list: &Arcs| list.iter().map(|&(v, n)| (VarId(v), n)).collect::<Vec<_>>();
            let takes = pre.iter().map(|&(v, n)| (VarId(v), -i64::from(n)));
            let gives = post.iter().map(|&(v, n)| (VarId(v), i64::from(n)));
            let linear =
                Linear::new(arcs(pre), arcs(inhibit), takes.chain(gives).collect()).unwrap();
            Group::linear(format!("t{i}"), linear)
        });
    let (variables, groups) = (variables.collect(), groups.collect());
    Arc::new(Model::new("net", variables, vec![initial.to_vec()], groups).unwrap())
}

/// Tokens on tracks: each goes forth and back on its own.
fn tracks(tracks: u32, length: u32) -> Arc<Model> {
    let mut initial = vec![0; (tracks * length) as usize];
    let mut transitions = Vec::new();
    for track in 0..tracks {
        initial[(track * length) as usize] = 1;
        for place in track * length..(track + 1) * length - 1 {
            transitions.push((vec![(place, 1)], vec![(place + 1, 1)], vec![]));
            transitions.push((vec![(place + 1, 1)], vec![(place, 1)], vec![]));
        }
    }
    net(&initial, &transitions)
}

fn at_least(variable: u32, number: i64) -> Predicate {
    Predicate::single(VarId(variable), Relation::Ge, number)
}

#[test]
fn a_deep_goal_is_found_where_breadth_is_of_no_use() {
    let model = tracks(12, 20);
    let ends = (0..12).map(|track| at_least(track * 20 + 19, 1));
    let goal = Predicate::all(ends);
    let mut walk = Walk::new(&model, vec![goal.clone()], vec![], 1).unwrap();
    walk.advance(1, &Budget::unlimited()).unwrap();
    assert_eq!((walk.reached(), walk.open()), (&[true][..], 0));
    let mut space = Space::new(&model);
    let mut search = BreadthFirst::new(&space, vec![goal]);
    while space.len() < walk.steps() as usize {
        search
            .advance(&mut space, 64, &Budget::unlimited())
            .unwrap();
    }
    assert_eq!(search.reached(), [None]);
}

#[test]
fn each_kind_of_fact_guides() {
    // Twenty tokens on the first track, and one of its own in front of each deed.
    let model = net(
        &[20, 0, 1, 0, 1, 0],
        &[
            (vec![(0, 1)], vec![(1, 1)], vec![]),
            (vec![(1, 1)], vec![(0, 1)], vec![]),
            (vec![(1, 20), (2, 1)], vec![(1, 20), (3, 1)], vec![]),
            (vec![(4, 1)], vec![(5, 1)], vec![(0, 1)]),
        ],
    );
    let enabled = |g| Predicate::Enabled(vec![GroupId(g)]);
    let difference = Compare::new(vec![(1, VarId(0)), (-1, VarId(1))], Relation::Le, -20).unwrap();
    let goals = vec![
        enabled(2),
        enabled(3),
        Predicate::Compare(difference),
        Predicate::all([at_least(3, 1), at_least(0, 20)]),
        Predicate::all([enabled(0).negate(), at_least(5, 1)]),
        Predicate::Not(Box::new(Predicate::any([at_least(0, 1), enabled(3)]))),
        Predicate::single(VarId(4), Relation::Ne, 1),
        Predicate::single(VarId(0), Relation::Eq, 3),
    ];
    let mut walk = Walk::new(&model, goals, vec![(vec![VarId(1), VarId(3)], 21)], 1).unwrap();
    walk.advance(2, &Budget::unlimited()).unwrap();
    assert_eq!(walk.reached(), [true; 8]);
    assert_eq!(walk.largest(), [21]);
}

#[test]
fn what_has_no_relaxed_plan_is_unreachable() {
    // The token of 2 would need 3 to be marked, and the other way round.
    let model = net(
        &[1, 0, 0, 0],
        &[
            (vec![(0, 1)], vec![(1, 1)], vec![]),
            (vec![(3, 1)], vec![(2, 1)], vec![]),
            (vec![(2, 1)], vec![(3, 1)], vec![]),
        ],
    );
    let dead = Predicate::Enabled(vec![GroupId(1), GroupId(2)]);
    let goals = vec![
        at_least(1, 1),
        dead.clone(),
        dead.negate(),
        at_least(0, 2),
        Predicate::False,
    ];
    let sums = vec![
        (vec![VarId(0), VarId(1)], u64::MAX),
        (vec![VarId(1), VarId(3)], u64::MAX),
    ];
    let mut walk = Walk::new(&model, goals, sums, 1).unwrap();
    walk.advance(1, &Budget::unlimited()).unwrap();
    assert_eq!(walk.largest(), [1, 1]);
    assert!(walk.is_largest(0) && !walk.is_largest(1));
    assert_eq!(walk.reached(), [true, false, true, false, false]);
    let unreachable: Vec<bool> = (0..5).map(|goal| walk.is_unreachable(goal)).collect();
    assert_eq!(unreachable, [false, true, false, true, true]);
}

#[test]
fn dead_ends_are_walked_into() {
    // A token turns in a ring; each turn may lose one of the tokens that keep the others going.
    let ring = |i: u32| (vec![(i, 1)], vec![((i + 1) % 6, 1)], vec![]);
    let mut transitions: Vec<_> = (0..6).map(ring).collect();
    transitions.push((vec![(0, 1), (6, 1)], vec![(0, 1)], vec![]));
    transitions.push((vec![(0, 1)], vec![(7, 1)], vec![(6, 1)]));
    let model = net(&[1, 0, 0, 0, 0, 0, 9, 0], &transitions);
    let goals = vec![Predicate::DeadEnd, Predicate::DeadEnd.negate()];
    let mut walk = Walk::new(&model, goals, vec![], 1).unwrap();
    walk.advance(1, &Budget::unlimited()).unwrap();
    assert_eq!(walk.reached(), [true, true]);
}

#[test]
fn walks_end_where_nothing_moves() {
    let still = net(&[1], &[(vec![(0, 2)], vec![], vec![])]);
    let empty = net(&[], &[]);
    for model in [still, empty] {
        let mut walk = Walk::new(
            &model,
            vec![Predicate::False, Predicate::DeadEnd],
            vec![],
            1,
        )
        .unwrap();
        assert_eq!(walk.advance(u32::MAX, &Budget::unlimited()), Ok(()));
        assert_eq!((walk.reached(), walk.steps()), (&[false, true][..], 0));
    }
    // Nothing is looked for that is known to be unreachable.
    let grow = net(&[1, 0], &[(vec![(0, 1)], vec![(0, 2)], vec![])]);
    let mut walk = Walk::new(&grow, vec![at_least(1, 1)], vec![], 1).unwrap();
    assert_eq!(walk.advance(u32::MAX, &Budget::unlimited()), Ok(()));
    // One step leads to a dead end, and the goal is not there.
    let short = net(&[1, 0], &[(vec![(0, 1)], vec![(1, 1)], vec![])]);
    let goal = Predicate::all([at_least(0, 1), at_least(1, 1)]);
    let mut walk = Walk::new(&short, vec![goal], vec![], 1).unwrap();
    walk.advance(3, &Budget::unlimited()).unwrap();
    assert_eq!(walk.reached(), [false]);
    assert!(
        !walk.is_unreachable(0),
        "tokens that are not taken away would be there"
    );
}

#[test]
fn time_is_honoured() {
    let model = tracks(40, 50);
    let goal = Predicate::all([at_least(0, 1), at_least(1, 1)]);
    let mut walk = Walk::new(&model, vec![goal], vec![], 1).unwrap();
    let started = Instant::now();
    let budget = Budget::unlimited().with_time(Duration::from_millis(50));
    assert_eq!(walk.advance(u32::MAX, &budget), Err(Stop::Time));
    assert!(started.elapsed() < Duration::from_secs(5));
    assert!(walk.steps() > 0);
}

#[test]
fn numbers_that_leave_their_bits_end_a_walk_and_nothing_else() {
    let most = u32::MAX;
    let model = net(
        &[1, most - 1, 0],
        &[
            (vec![(0, 1)], vec![(0, 1), (1, 1), (2, 1)], vec![]),
            (vec![(2, 1)], vec![(1, most)], vec![]),
        ],
    );
    let goals = vec![at_least(1, i64::from(most)), at_least(2, 2)];
    let sums = vec![(vec![VarId(1), VarId(1)], u64::MAX)];
    let mut walk = Walk::new(&model, goals, sums, 1).unwrap();
    walk.advance(3, &Budget::unlimited()).unwrap();
    assert_eq!(walk.reached(), [true, false]);
    assert_eq!(walk.largest(), [2 * u64::from(most)]);
}

#[test]
fn the_same_seed_walks_the_same_way() {
    let walked = |seed| {
        let model = tracks(5, 9);
        let never = Predicate::all([at_least(0, 1), at_least(1, 1)]);
        let sums = vec![((0..45).step_by(7).map(VarId).collect(), 7)];
        let mut walk = Walk::new(&model, vec![never], sums, seed).unwrap();
        walk.advance(3, &Budget::unlimited()).unwrap();
        (walk.steps(), walk.largest().to_vec(), walk.fired.clone())
    };
    assert_eq!(walked(1), walked(1));
    assert_ne!(walked(1).2, walked(2).2);
}

#[test]
fn what_is_counted_from_step_to_step_is_what_there_is() {
    let mut random = Xorshift::new(5);
    for _ in 0..200 {
        let mut arcs = |most: u64| -> Arcs {
            let many = random.below(3);
            (0..many)
                .map(|_| (random.below(4) as u32, 1 + random.below(most) as u32))
                .collect()
        };
        let unique = |mut list: Arcs| {
            list.sort_unstable();
            list.dedup_by_key(|arc| arc.0);
            list
        };
        let transitions: Vec<_> = (0..6)
            .map(|_| (unique(arcs(3)), unique(arcs(3)), unique(arcs(9))))
            .collect();
        let model = net(&[2, 1, 3, 0], &transitions);
        let goals: Vec<Predicate> = (0..6)
            .map(|g| Predicate::Enabled(vec![GroupId(g)]))
            .collect();
        let mut walk = Walk::new(&model, goals, vec![], 1).unwrap();
        for _ in 0..50 {
            assert!(walk.tokens.check_invariants());
            if walk.tokens.enabled().is_empty() {
                break;
            }
            let group = walk.any_group();
            walk.step(group).unwrap();
            for fact in &walk.goals.facts {
                assert_eq!(fact.holds, walk.tokens.is_enabled(fact.goal));
            }
        }
    }
}

#[test]
fn ways_to_goals_are_paths_without_needless_steps() {
    let model = tracks(12, 20);
    let ends = (0..12).map(|track| at_least(track * 20 + 19, 1));
    let goals = vec![Predicate::all(ends), at_least(5, 1), at_least(0, 1)];
    let walk = Walk::new(&model, goals.clone(), vec![], 1).unwrap();
    assert_eq!(walk.path_to(0), None, "nothing is remembered");
    let mut walk = walk.with_ways();
    walk.advance(1, &Budget::unlimited()).unwrap();
    assert_eq!(walk.reached(), &[true; 3]);
    for (i, goal) in goals.iter().enumerate() {
        let path = walk.path_to(i).unwrap();
        assert_eq!(replay::reaches(&model, &path, goal), Ok(()));
        // Each step is needed: the tokens go straight to the ends of their tracks.
        assert_eq!(path.len() - 1, [12 * 19, 5, 0][i]);
    }
    // Any way to any goal.
    let mut random = Xorshift::new(4);
    let mut found = 0;
    for _ in 0..200 {
        let net = dalsegno_testkit::nets::random_net(&mut dalsegno_logic::random::Rng::new(
            random.below(1 << 30),
        ));
        let model = Arc::new(net.to_model());
        let variables = model.variables().len() as u64;
        let goals: Vec<Predicate> = (0..4)
            .map(|n| at_least(random.below(variables) as u32, n))
            .collect();
        let walk = Walk::new(&model, goals.clone(), vec![], 1).unwrap();
        let mut walk = walk.with_ways();
        walk.advance(1, &Budget::unlimited()).unwrap();
        for (i, goal) in goals.iter().enumerate().filter(|(i, _)| walk.reached()[*i]) {
            let path = walk.path_to(i).unwrap();
            assert_eq!(replay::reaches(&model, &path, goal), Ok(()));
            found += usize::from(path.len() > 1);
        }
    }
    assert!(found > 20, "{found}");
}

/// Where steps lead from a state; each is enabled, and all states but the last satisfy `hold`.
fn fired(model: &Model, from: &[u32], way: &[GroupId], hold: &Predicate) -> Vec<u32> {
    let mut state = from.to_vec();
    for &group in way {
        assert!(hold.eval(model, &state));
        let linear = model.group(group).as_linear().unwrap();
        assert!(linear.enabled(&state));
        for &(v, n) in linear.delta() {
            state[v.index()] = u32::try_from(i64::from(state[v.index()]) + n).unwrap();
        }
    }
    state
}

/// Tokens in rings: each goes round on its own.
fn rings(rings: u32, length: u32) -> Arc<Model> {
    let mut initial = vec![0; (rings * length) as usize];
    let mut transitions = Vec::new();
    for ring in 0..rings {
        initial[(ring * length) as usize] = 1;
        for i in 0..length {
            let (place, next) = (ring * length + i, ring * length + (i + 1) % length);
            transitions.push((vec![(place, 1)], vec![(next, 1)], vec![]));
        }
    }
    net(&initial, &transitions)
}

#[test]
fn a_way_leads_from_any_state_and_keeps_to_what_it_may_pass() {
    let model = tracks(12, 20);
    let mut from = vec![0; 240];
    for track in 0..12 {
        from[track * 20 + track] = 1;
    }
    let goal = Predicate::all((0..12).map(|track| at_least(track * 20 + 19, 1)));
    let unlimited = Budget::unlimited();
    let mut ways = Ways::new(&model, vec![at_least(0, 2), goal.clone()]).unwrap();
    let way = ways.towards(1, &from, &Predicate::True, 1 << 24, &unlimited);
    let end = fired(&model, &from, way.unwrap(), &Predicate::True);
    assert!(goal.eval(&model, &end));
    // The first track must be at its end before the second may leave its place.
    let waits = Predicate::any([at_least(21, 1), at_least(19, 1)]);
    let way = ways.towards(1, &from, &waits, 1 << 24, &unlimited);
    let way = way.unwrap().to_vec();
    assert!(!way.is_empty());
    fired(&model, &from, &way, &waits);
    // There is no way to what cannot be had.
    let way = ways.towards(0, &from, &Predicate::True, 1 << 24, &unlimited);
    assert!(way.unwrap().is_empty());
}

#[test]
fn a_cycle_leads_back_however_much_else_could_move() {
    let model = rings(50, 30);
    let mut from = vec![0; 1500];
    for ring in 0..50 {
        from[ring * 30 + ring % 30] = 1;
    }
    let mut ways = Ways::new(&model, Vec::new()).unwrap();
    let unlimited = Budget::unlimited();
    let hold = at_least(7 * 30 + 7, 1);
    let way = ways.around(&from, &hold, 1 << 22, &unlimited);
    let way = way.unwrap().to_vec();
    assert_eq!((way.len(), fired(&model, &from, &way, &hold)), (30, from));
    // Tracks that end have no cycle.
    let steps: Vec<_> = (0..9)
        .map(|i| (vec![(i, 1)], vec![(i + 1, 1)], vec![]))
        .collect();
    let model = net(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0], &steps);
    let mut ways = Ways::new(&model, Vec::new()).unwrap();
    let way = ways.around(&model.initial()[0], &Predicate::True, 1 << 16, &unlimited);
    assert!(way.unwrap().is_empty());
}

#[test]
fn ways_and_cycles_in_random_nets_can_be_fired() {
    let mut random = Xorshift::new(7);
    let (mut ways_found, mut cycles_found) = (0, 0);
    for _ in 0..300 {
        let places = 3 + random.below(4) as u32;
        let mut arcs = |most: u64| -> Arcs {
            let mut list: Arcs = (0..random.below(most))
                .map(|_| {
                    (
                        random.below(u64::from(places)) as u32,
                        1 + random.below(2) as u32,
                    )
                })
                .collect();
            list.sort_unstable();
            list.dedup_by_key(|arc| arc.0);
            list
        };
        let transitions: Vec<_> = (0..6).map(|_| (arcs(3), arcs(3), arcs(2))).collect();
        let initial: Vec<u32> = (0..places).map(|p| p % 3).collect();
        let model = net(&initial, &transitions);
        let goal = at_least(0, 3);
        let hold = Predicate::single(VarId(1), Relation::Le, 4);
        let mut ways = Ways::new(&model, vec![goal.clone()]).unwrap();
        let unlimited = Budget::unlimited();
        for _ in 0..3 {
            let way = ways.towards(0, &initial, &hold, 20_000, &unlimited);
            let end = fired(&model, &initial, way.unwrap(), &hold);
            ways_found += usize::from(goal.eval(&model, &end));
            let cycle = ways.around(&initial, &hold, 20_000, &unlimited);
            let cycle = cycle.unwrap().to_vec();
            cycles_found += usize::from(!cycle.is_empty());
            assert_eq!(fired(&model, &initial, &cycle, &hold), initial);
        }
    }
    assert!(
        ways_found > 50 && cycles_found > 50,
        "{ways_found} {cycles_found}"
    );
}
