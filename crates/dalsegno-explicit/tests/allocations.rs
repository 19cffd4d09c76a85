//! Neither exploration nor the search of a product asks for memory per state or per transition.
//!
//! Tables double, so a state space of eight times the size costs a few more requests, and not
//! hundreds of thousands.

mod subjects;

use std::sync::Arc;

use allocation_counter::measure;
use dalsegno_automata::observer::Kind;
use dalsegno_explicit::emptiness::Firing;
use dalsegno_explicit::explore::explore;
use dalsegno_explicit::space::Space;
use dalsegno_explicit::stubborn::reach::GoalSearch;
use dalsegno_explicit::walk::Walk;
use dalsegno_kripke::{Budget, Predicate, Relation};
use dalsegno_models::petri::generators::Family;

use subjects::{Subject, kanban_property, net};

/// How many requests the larger net may make more than the smaller one.
const FEW: u64 = 200;

/// The states of kanban 3 and kanban 4.
const STATES: [u64; 2] = [58_400, 454_475];

#[test]
fn exploration_allocates_nothing_per_state() {
    let requests = [3, 4].map(|n| {
        let model = Arc::new(net(Family::Kanban, n).to_model());
        let mut states = 0;
        let info = measure(|| {
            states = explore(&model, &Budget::unlimited(), |_, _| {}).states;
        });
        assert_eq!(states, STATES[n as usize - 3]);
        info.count_total
    });
    assert!(requests[1] < requests[0] + FEW, "{requests:?}");
}

#[test]
fn walks_allocate_nothing_per_step() {
    let model = Arc::new(net(Family::Philosophers, 50).to_model());
    // All eat, which nobody can reach, and plans are made for it again and again.
    let eat = model
        .group_ids()
        .filter(|&g| model.group(g).writes().len() > 2);
    let all = Predicate::And(eat.map(|g| Predicate::Enabled(vec![g])).collect());
    let goals = vec![all, Predicate::DeadEnd.negate()];
    let mut walk = Walk::new(&model, goals, vec![], 1).unwrap();
    let budget = Budget::unlimited();
    walk.advance(2, &budget).unwrap();
    let before = walk.steps();
    let info = measure(|| walk.advance(4, &budget).unwrap());
    assert_eq!(walk.open(), 1);
    assert!(walk.steps() > before + 10_000, "{} steps", walk.steps());
    assert!(info.count_total < FEW, "{}", info.count_total);
}

#[test]
fn stubborn_sets_allocate_nothing_per_node() {
    let explored = |subject: &mut Subject| {
        let mut states = 0;
        let info = measure(|| states = subject.search(Firing::Stubborn).explored.states);
        (states, info.count_total)
    };
    for kind in [Kind::Tgta, Kind::Ta, Kind::Tgba] {
        let [few, many] = [8, 10].map(|n| {
            let net = net(Family::Philosophers, n);
            explored(&mut Subject::new(&net, "G !(Eat_1 & Eat_2)", kind))
        });
        assert!(many.0 > 3 * few.0 && many.0 > 10_000, "{few:?} {many:?}");
        assert!(many.1 < few.1 + FEW, "{kind:?}: {few:?} {many:?}");
    }
}

#[test]
fn searches_for_goals_allocate_nothing_per_state() {
    let [few, many] = [8, 10].map(|n| {
        let model = Arc::new(net(Family::Philosophers, n).to_model());
        let eats = model.find_variable("Eat_1").unwrap();
        let goal = Predicate::single(eats, Relation::Ge, 2);
        let mut space = Space::new(&model);
        let mut search = GoalSearch::new(&mut space, &goal);
        let info = measure(|| {
            let ended = search.advance(&mut space, u64::MAX, &Budget::unlimited());
            assert_eq!(ended, Ok(true));
        });
        (search.expanded(), info.count_total)
    });
    assert!(many.0 > 3 * few.0 && many.0 > 10_000, "{few:?} {many:?}");
    assert!(many.1 < few.1 + FEW, "{few:?} {many:?}");
}

#[test]
fn a_search_allocates_nothing_per_state() {
    let all = [(Kind::Tgba, Firing::All), (Kind::Tgta, Firing::All)];
    for (kind, firing) in [&all[..], &[(Kind::Tgba, Firing::Stubborn)]].concat() {
        let requests = [3, 4].map(|n| {
            let net = net(Family::Kanban, n);
            let mut subject = Subject::new(&net, &kanban_property(n), kind);
            let mut explored = 0;
            let info = measure(|| {
                let search = subject.search(firing);
                assert!(search.accepting.is_none(), "the property holds");
                explored = search.explored.states;
            });
            assert!(explored >= STATES[n as usize - 3]);
            info.count_total
        });
        assert!(
            requests[1] < requests[0] + FEW,
            "{kind:?} {firing:?}: {requests:?}"
        );
    }
}
