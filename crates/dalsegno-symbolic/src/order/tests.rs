//! What all heuristics have in common.

use std::sync::atomic::Ordering;
use std::time::Duration;

use dalsegno_kripke::{Bounds, Budget, Group, Model, Stop, Table, VarId, Variable};

use super::testing::{Random, model, random_model, shuffled_chain};
use super::{Heuristic, Hints, Order, Recipe, Semiflow, Unit, candidates, choose, metrics, order};

fn recipes() -> impl Iterator<Item = Recipe> {
    Heuristic::all().flat_map(|heuristic| {
        [(false, false), (true, false), (true, true)].map(|(tuned, reversed)| Recipe {
            heuristic,
            tuned,
            reversed,
        })
    })
}

/// Whether an order is a permutation, and its own inverse is right.
fn check(model: &Model, order: &Order) {
    assert_eq!(order.len(), model.variables().len());
    let mut variables: Vec<VarId> = order.top_down().to_vec();
    variables.sort_unstable();
    variables.dedup();
    assert_eq!(variables.len(), order.len());
    for level in 0..order.len() {
        assert_eq!(order.level_of(order.var_at(level)), level);
    }
}

fn check_all(model: &Model, hints: Hints<'_>) {
    let budget = Budget::unlimited();
    for recipe in recipes() {
        let first = order(model, recipe, hints, &budget).unwrap();
        check(model, &first);
        let second = order(model, recipe, hints, &budget).unwrap();
        assert_eq!(first, second, "{recipe} is not deterministic");
    }
    let found = candidates(model, hints, &budget);
    assert_eq!(found, candidates(model, hints, &budget));
    for candidate in &found {
        check(model, &candidate.order);
        let again = order(model, candidate.recipe, hints, &budget).unwrap();
        assert_eq!(candidate.order, again, "{}", candidate.recipe);
        let measured = metrics(model, &again, hints, &budget).unwrap();
        assert_eq!(candidate.metrics, measured);
    }
    assert_eq!(choose(model, hints, &budget).order, found[0].order);
}

/// Units and semiflows of all kinds, some of them nonsense.
fn random_hints(random: &mut Random, variables: u32) -> (Vec<Unit>, Vec<Semiflow>) {
    let mut some = |n: u32| -> Vec<VarId> {
        let size = random.below(n);
        (0..size)
            .map(|_| VarId(random.below(variables + 1)))
            .collect()
    };
    let lists: Vec<Vec<VarId>> = (0..6).map(|_| some(5)).collect();
    let semiflows = lists.iter().map(|list| Semiflow {
        terms: list.iter().map(|&v| (v, 1 + u64::from(v.0 % 3))).collect(),
    });
    let semiflows = semiflows.collect();
    let units = lists.into_iter().map(|variables| Unit {
        parent: Some(random.below(8) as usize).filter(|&p| p < 7),
        variables,
    });
    (units.collect(), semiflows)
}

#[test]
fn every_recipe_makes_a_permutation_of_random_models() {
    let mut random = Random(7);
    for _ in 0..150 {
        let model = random_model(&mut random);
        check_all(&model, Hints::default());
        let (units, semiflows) = random_hints(&mut random, model.variables().len() as u32);
        let hints = Hints {
            units: &units,
            semiflows: &semiflows,
        };
        check_all(&model, hints);
    }
}

#[test]
fn degenerate_models_have_orders() {
    check_all(&model(0, &[]), Hints::default());
    check_all(&model(0, &[&[], &[]]), Hints::default());
    check_all(&model(1, &[&[0], &[]]), Hints::default());
    check_all(&model(5, &[]), Hints::default());
    check_all(&model(6, &[&[0, 3], &[1, 4], &[2, 5]]), Hints::default());
}

#[test]
fn tables_have_orders_too() {
    let variables = (0..4).map(|i| Variable {
        name: format!("v{i}"),
        bounds: Bounds::UNKNOWN,
    });
    let table = |reads: &[u32], writes: &[u32]| {
        let table = Table::new(reads.len(), writes.len());
        let ids = |list: &[u32]| list.iter().copied().map(VarId).collect();
        Group::table("t", ids(reads), ids(writes), table)
    };
    let groups = vec![table(&[3, 0], &[2]), table(&[], &[1]), table(&[1], &[])];
    let model = Model::new("m", variables.collect(), vec![vec![0; 4]], groups).unwrap();
    check_all(&model, Hints::default());
    let metrics = metrics(
        &model,
        &Order::declared(4),
        Hints::default(),
        &Budget::unlimited(),
    )
    .unwrap();
    assert_eq!((metrics.sum_of_spans, metrics.soups), (4 + 1 + 1, 3 + 1));
}

#[test]
fn a_shuffled_chain_is_put_in_order() {
    let n = 200;
    let budget = Budget::unlimited();
    for seed in 1..6 {
        let (model, chain) = shuffled_chain(n, seed);
        let span = |order: &Order| {
            let metrics = metrics(&model, order, Hints::default(), &budget).unwrap();
            metrics.sum_of_spans
        };
        let best = span(&Order::new(chain.iter().copied().map(VarId).collect()).unwrap());
        assert_eq!(best, 2 * u64::from(n - 1));
        for heuristic in [Heuristic::CuthillMcKee, Heuristic::Sloan] {
            let found = order(&model, heuristic, Hints::default(), &budget).unwrap();
            assert_eq!(span(&found), best, "{heuristic}");
        }
        // A local optimiser does not untangle a chain, but it must do most of the work.
        let force = order(&model, Heuristic::Force, Hints::default(), &budget).unwrap();
        let declared = span(&Order::declared(n as usize));
        assert!(
            span(&force) < declared / 4,
            "{} of {declared}",
            span(&force)
        );
        let chosen = choose(&model, Hints::default(), &budget).order;
        assert_eq!(span(&chosen), best);
    }
}

#[test]
fn parts_that_are_not_connected_are_not_mixed() {
    // Two chains, declared alternately.
    let model = model(8, &[&[0, 2], &[2, 4], &[4, 6], &[1, 3], &[3, 5], &[5, 7]]);
    for heuristic in Heuristic::all() {
        if matches!(heuristic, Heuristic::Declared | Heuristic::Units) {
            continue;
        }
        let found = order(&model, heuristic, Hints::default(), &Budget::unlimited()).unwrap();
        let parts: Vec<u32> = found.top_down().iter().map(|v| v.0 % 2).collect();
        let changes = parts.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert_eq!(changes, 1, "{heuristic}: {found:?}");
    }
}

#[test]
fn semiflows_keep_their_variables_together() {
    // Processes of three places in a ring of resources, declared kind by kind.
    let n = 12;
    let groups: Vec<[u32; 3]> = (0..n)
        .flat_map(|i| {
            let [idle, busy, lock] = [i, n + i, 2 * n + i];
            [[idle, busy, lock], [busy, idle, 2 * n + (i + 1) % n]]
        })
        .collect();
    let groups: Vec<&[u32]> = groups.iter().map(<[u32; 3]>::as_slice).collect();
    let model = model(3 * n, &groups);
    let semiflows: Vec<Semiflow> = (0..n)
        .map(|i| Semiflow {
            terms: vec![(VarId(i), 1), (VarId(n + i), 1)],
        })
        .collect();
    let hints = Hints {
        semiflows: &semiflows,
        ..Hints::default()
    };
    let budget = Budget::unlimited();
    let order = order(&model, Heuristic::Semiflows, hints, &budget).unwrap();
    let found = metrics(&model, &order, hints, &budget).unwrap();
    let declared = Order::declared(3 * n as usize);
    let declared = metrics(&model, &declared, hints, &budget).unwrap();
    assert!(declared.semiflow_span > 12.9 && found.semiflow_span < 4.0);
    assert!(found.bits < declared.bits);
}

#[test]
fn large_models_and_large_groups_take_seconds_at_most() {
    let n = 50_000;
    let mut random = Random(3);
    let near = |random: &mut Random, i: u32| (i + random.below(9)) % n;
    let mut groups: Vec<Vec<u32>> = (0..60_000)
        .map(|_| {
            let i = random.below(n);
            let mut list: Vec<u32> = (0..3).map(|_| near(&mut random, i)).collect();
            list.sort_unstable();
            list.dedup();
            list
        })
        .collect();
    for start in 0..4 {
        groups.push((start * 10_000..start * 10_000 + 10_000).collect());
    }
    let groups: Vec<&[u32]> = groups.iter().map(Vec::as_slice).collect();
    let model = model(n, &groups);
    // Far more than is needed even without optimisation, far less than a quadratic algorithm takes.
    let budget = Budget::unlimited().with_time(Duration::from_secs(60));
    for heuristic in Heuristic::all() {
        let order = order(&model, heuristic, Hints::default(), &budget).unwrap();
        check(&model, &order);
    }
    let chosen = choose(&model, Hints::default(), &budget);
    check(&model, &chosen.order);
    let again = order(&model, chosen.recipe, Hints::default(), &budget).unwrap();
    assert_eq!(chosen.order, again);
}

#[test]
fn an_ended_budget_is_respected() {
    let (model, _) = shuffled_chain(50, 1);
    let spent = Budget::unlimited().with_time(Duration::ZERO);
    let hints = Hints::default();
    assert_eq!(
        order(&model, Heuristic::Force, hints, &spent),
        Err(Stop::Time)
    );
    let choice = choose(&model, hints, &spent);
    assert_eq!(choice.recipe, Heuristic::Declared.into());
    assert_eq!(choice.order, Order::declared(50));
    let cancelled = Budget::unlimited();
    cancelled.cancel_flag().store(true, Ordering::Relaxed);
    let declared = Order::declared(50);
    assert_eq!(
        metrics(&model, &declared, hints, &cancelled),
        Err(Stop::Cancelled)
    );
}

#[test]
fn names_are_read_as_they_are_written() {
    for recipe in recipes() {
        assert_eq!(recipe.to_string().parse(), Ok(recipe));
    }
    let unknown = "nock".parse::<Recipe>().unwrap_err();
    assert!(
        unknown
            .to_string()
            .contains("`nock`; known are declared, force,")
    );
    assert!("force+reversed+force".parse::<Recipe>().is_err());
}
