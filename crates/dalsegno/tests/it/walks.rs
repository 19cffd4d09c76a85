//! Random nets: what walks reach is reachable, and what they call unreachable is not.

use std::sync::Arc;

use dalsegno::explicit::breadth_first::BreadthFirst;
use dalsegno::explicit::space::Space;
use dalsegno::explicit::walk::Walk;
use dalsegno::kripke::{Budget, Compare, GroupId, Model, Predicate, Relation, VarId};
use dalsegno::logic::random::Rng;
use dalsegno_testkit::random_net;

fn random_goal(rng: &mut Rng, model: &Model, depth: u32) -> Predicate {
    let (n, m) = (model.variables().len(), model.groups().len());
    match rng.index(if depth == 0 { 3 } else { 6 }) {
        0 => {
            let relations = [
                Relation::Le,
                Relation::Lt,
                Relation::Ge,
                Relation::Gt,
                Relation::Eq,
                Relation::Ne,
            ];
            let term = |rng: &mut Rng| (rng.below(4).cast_signed() - 1, VarId(rng.index(n) as u32));
            let terms = (0..=rng.index(3)).map(|_| term(rng)).collect();
            let constant = rng.below(6).cast_signed() - 1;
            let compare = Compare::new(terms, relations[rng.index(6)], constant).unwrap();
            Predicate::Compare(compare)
        }
        1 => {
            let groups = (0..=rng.index(2)).map(|_| GroupId(rng.index(m) as u32));
            Predicate::Enabled(groups.collect())
        }
        2 if rng.chance(1, 8) => Predicate::DeadEnd,
        2 => Predicate::single(VarId(rng.index(n) as u32), Relation::Ge, 2),
        3 => Predicate::Not(Box::new(random_goal(rng, model, depth - 1))),
        4 => Predicate::And(
            (0..=rng.index(3))
                .map(|_| random_goal(rng, model, depth - 1))
                .collect(),
        ),
        _ => Predicate::Or(
            (0..=rng.index(3))
                .map(|_| random_goal(rng, model, depth - 1))
                .collect(),
        ),
    }
}

#[test]
fn walks_find_what_is_there_and_nothing_else() {
    let mut rng = Rng::new(7);
    let budget = Budget::unlimited();
    let (mut found, mut proved, mut open, mut settled) = (0, 0, 0, 0);
    for _ in 0..150 {
        let net = random_net(&mut rng);
        let model = Arc::new(net.to_model());
        let goals: Vec<Predicate> = (0..6).map(|_| random_goal(&mut rng, &model, 2)).collect();
        let sum: Vec<VarId> = (0..2)
            .map(|_| VarId(rng.index(model.variables().len()) as u32))
            .collect();
        let mut states = Space::new(&model);
        let mut search = BreadthFirst::new(&states, goals.clone());
        while !search.advance(&mut states, 1_000, &budget).unwrap() {}
        let mut walk = Walk::new(&model, goals.clone(), vec![(sum.clone(), u64::MAX)], 3).unwrap();
        walk.advance(2, &budget).unwrap();
        for (i, goal) in goals.iter().enumerate() {
            let reachable = search.reached()[i].is_some();
            assert!(reachable || !walk.reached()[i], "{goal:?} was not reached");
            assert!(
                !reachable || !walk.is_unreachable(i),
                "{goal:?} is reachable"
            );
            found += u32::from(walk.reached()[i]);
            proved += u32::from(walk.is_unreachable(i));
            open += u32::from(reachable && !walk.reached()[i]);
        }
        let space = &states;
        let value = |state: u32| {
            sum.iter()
                .map(|v| u64::from(space.value(state, v.index())))
                .sum()
        };
        let largest: Option<u64> = (0..space.len() as u32).map(value).max();
        assert_eq!(Some(walk.largest()[0]), largest);
        settled += u32::from(walk.is_largest(0));
    }
    // Small nets have no secrets.
    assert_eq!(open, 0);
    assert!(
        found > 500 && proved > 20 && settled > 10,
        "{found} found, {proved} proved, {settled} settled"
    );
}
