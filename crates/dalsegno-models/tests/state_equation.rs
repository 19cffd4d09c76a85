//! The state equation against states one by one.

use std::collections::HashSet;
use std::time::Duration;

use dalsegno_kripke::{Budget, Compare, GroupId, Model, Predicate, Relation, VarId};
use dalsegno_logic::random::Rng;
use dalsegno_models::petri::generators::Family;
use dalsegno_models::petri::state_equation::StateEquation;
use dalsegno_models::petri::structure::Structure;
use dalsegno_models::petri::{PetriNet, Place, PlaceId, Symbols, Transition, proposition};

/// The states that are looked at, of nets that have more.
const MOST_STATES: usize = 3_000;

fn place(i: usize, initial: u32) -> Place {
    Place {
        id: format!("p{i}"),
        name: format!("p{i}"),
        initial,
    }
}

/// A net in which tokens move and never multiply.
fn tame_net(rng: &mut Rng) -> PetriNet {
    let n = 3 + rng.index(3);
    let places = (0..n).map(|i| place(i, rng.below(2) as u32)).collect();
    let transitions = (0..2 + rng.index(5))
        .map(|i| {
            let arcs = |rng: &mut Rng| {
                let mut arc = || (PlaceId(rng.index(n) as u32), 1);
                vec![arc(), arc()]
            };
            Transition {
                id: format!("t{i}"),
                name: format!("t{i}"),
                pre: arcs(rng),
                post: arcs(rng),
                ..Transition::default()
            }
        })
        .collect();
    PetriNet::new("tame", places, transitions, None).unwrap()
}

/// A net that may be unbounded, with weights and all kinds of arcs.
fn wild_net(rng: &mut Rng) -> PetriNet {
    let n = 2 + rng.index(4);
    let places = (0..n).map(|i| place(i, rng.below(3) as u32)).collect();
    let transitions = (0..=rng.index(5))
        .map(|i| {
            let arcs = |rng: &mut Rng, most: usize| -> Vec<(PlaceId, u32)> {
                let count = rng.index(most + 1);
                let one = |rng: &mut Rng| (PlaceId(rng.index(n) as u32), 1 + rng.below(3) as u32);
                (0..count).map(|_| one(rng)).collect()
            };
            let mut t = Transition {
                id: format!("t{i}"),
                name: format!("t{i}"),
                pre: arcs(rng, 3),
                post: arcs(rng, 3),
                ..Transition::default()
            };
            if rng.chance(1, 5) {
                t.inhibit = arcs(rng, 1);
            }
            if rng.chance(1, 5) {
                t.test = arcs(rng, 1);
            }
            t
        })
        .collect();
    PetriNet::new("wild", places, transitions, None).unwrap()
}

fn random_predicate(rng: &mut Rng, net: &PetriNet, depth: usize) -> Predicate {
    let places = net.places().len();
    let transitions = net.transitions().len();
    match rng.index(if depth == 0 { 6 } else { 9 }) {
        0 => Predicate::DeadEnd,
        1 => {
            let group = |rng: &mut Rng| GroupId(rng.index(transitions) as u32);
            Predicate::Enabled((0..=rng.index(2)).map(|_| group(rng)).collect())
        }
        2..=5 => {
            let term = |rng: &mut Rng| {
                let c = [-2, -1, 1, 1, 1, 3][rng.index(6)];
                (c, VarId(rng.index(places) as u32))
            };
            let terms = (0..=rng.index(3)).map(|_| term(rng)).collect();
            let op = [
                Relation::Le,
                Relation::Lt,
                Relation::Ge,
                Relation::Gt,
                Relation::Eq,
                Relation::Ne,
            ][rng.index(6)];
            let constant = rng.below(9).cast_signed() - 3;
            Predicate::Compare(Compare::new(terms, op, constant).unwrap())
        }
        6 => random_predicate(rng, net, depth - 1).negate(),
        kind => {
            let parts = (0..2 + rng.index(3)).map(|_| random_predicate(rng, net, depth - 1));
            let parts = parts.collect::<Vec<_>>();
            if kind == 7 {
                Predicate::And(parts)
            } else {
                Predicate::Or(parts)
            }
        }
    }
}

/// Some reachable states, and whether they are all.
fn states(model: &Model) -> (Vec<Vec<u32>>, bool) {
    let mut known: HashSet<Vec<u32>> = model.initial().iter().cloned().collect();
    let mut states: Vec<Vec<u32>> = model.initial().to_vec();
    let mut next = vec![0; model.variables().len()];
    let mut i = 0;
    while i < states.len() {
        for g in 0..model.groups().len() as u32 {
            let state = states[i].clone();
            if model.fire(GroupId(g), &state, &mut next) == Ok(true) && known.insert(next.clone()) {
                states.push(next.clone());
            }
        }
        i += 1;
        if states.len() > MOST_STATES {
            return (states, false);
        }
    }
    (states, true)
}

#[test]
fn what_is_excluded_is_not_reached() {
    let mut rng = Rng::new(20_260);
    let budget = Budget::unlimited();
    let (mut proved, mut unreachable) = (0, 0);
    for i in 0..400 {
        let net = match i % 2 {
            0 => tame_net(&mut rng),
            _ => wild_net(&mut rng),
        };
        let model = net.to_model();
        let (states, complete) = states(&model);
        let structure = Structure::new(&net);
        let equation = StateEquation::new(&net, &structure, &Budget::unlimited()).unwrap();
        for _ in 0..40 {
            let goal = random_predicate(&mut rng, &net, 2);
            let excluded = equation.excludes(&net, &structure, &goal, &budget).unwrap();
            let reached = states.iter().find(|state| goal.eval(&model, state));
            if let Some(state) = reached {
                assert!(!excluded, "{goal:?} holds in {state:?} of {net:?}");
            } else if complete {
                unreachable += 1;
                proved += u32::from(excluded);
            }
        }
    }
    // Most of what is unreachable is so for reasons of linear algebra.
    assert!(
        proved > 100 && 10 * proved > 7 * unreachable,
        "proved {proved} of {unreachable}"
    );
}

#[test]
fn bounds_are_never_too_small() {
    let mut rng = Rng::new(77);
    let budget = Budget::unlimited();
    let mut exact = 0;
    for i in 0..400 {
        let net = match i % 2 {
            0 => tame_net(&mut rng),
            _ => wild_net(&mut rng),
        };
        let model = net.to_model();
        let (states, complete) = states(&model);
        let structure = Structure::new(&net);
        let equation = StateEquation::new(&net, &structure, &Budget::unlimited()).unwrap();
        for _ in 0..5 {
            let place = |rng: &mut Rng| VarId(rng.index(net.places().len()) as u32);
            let places: Vec<VarId> = (0..=rng.index(3)).map(|_| place(&mut rng)).collect();
            let sum = |state: &Vec<u32>| {
                let tokens = places.iter().map(|v| u64::from(state[v.index()]));
                tokens.sum::<u64>()
            };
            let most = states.iter().map(sum).max().unwrap();
            let known = structure.bound(&places).filter(|_| rng.chance(1, 2));
            let bound = equation.bound(&places, known, &budget).unwrap();
            if let Some(bound) = bound {
                assert!(bound >= most, "{places:?} reach {most} in {net:?}");
                exact += u32::from(complete && bound == most);
            }
        }
    }
    assert!(exact > 300, "{exact} exact bounds");
}

/// Whether it is proved that some propositions never hold together.
fn excludes(net: &PetriNet, texts: &[&str]) -> bool {
    let structure = Structure::new(net);
    let symbols = Symbols::of_net(net);
    let parse = |text: &&str| proposition::parse(text, &symbols).unwrap().predicate;
    let goal = Predicate::all(texts.iter().map(parse));
    let equation = StateEquation::new(net, &structure, &Budget::unlimited()).unwrap();
    let budget = Budget::unlimited();
    equation.excludes(net, &structure, &goal, &budget).unwrap()
}

#[test]
fn proofs_combine_invariants() {
    let net = Family::Kanban.generate(5).unwrap();
    let two = ["Pm1 + Pback1 >= 3", "Pm1 + Pout1 >= 3"];
    assert!(!excludes(&net, &two));
    // Each pair is possible, all three together need more than five tokens.
    assert!(excludes(&net, &[two[0], two[1], "Pback1 + Pout1 >= 5"]));
    assert!(!excludes(&net, &[two[0], two[1], "Pback1 + Pout1 >= 4"]));
    assert!(excludes(&net, &["deadlock"]));
    let net = Family::Philosophers.generate(6).unwrap();
    assert!(!excludes(&net, &["deadlock"]));
}

fn step(id: &str, pre: &[(PlaceId, u32)], post: &[(PlaceId, u32)]) -> Transition {
    Transition {
        id: id.to_owned(),
        pre: pre.to_vec(),
        post: post.to_vec(),
        ..Transition::default()
    }
}

#[test]
fn marked_traps_stay_marked() {
    // The equation would empty both places by firing one transition 8/3 times, the other 4/3 times.
    let [p, q] = [0, 1].map(PlaceId);
    let transitions = vec![
        step("there", &[(p, 2)], &[(q, 1)]),
        step("back", &[(q, 2)], &[(p, 1)]),
    ];
    let places = vec![place(0, 4), place(1, 0)];
    let net = PetriNet::new("n", places, transitions, None).unwrap();
    assert!(excludes(&net, &["p0 + p1 = 0"]));
    assert!(!excludes(&net, &["p0 + p1 = 1"]));
}

#[test]
fn weights_that_are_too_large_prove_nothing_wrong() {
    let [p, q] = [0, 1].map(PlaceId);
    let transitions = vec![
        step("a", &[(p, u32::MAX)], &[(q, u32::MAX - 1)]),
        step("b", &[(q, u32::MAX - 2)], &[(p, u32::MAX - 3)]),
    ];
    let places = vec![place(0, u32::MAX), place(1, u32::MAX - 7)];
    let net = PetriNet::new("n", places, transitions, None).unwrap();
    assert!(!excludes(&net, &["p0 = 4294967295"]));
    assert!(!excludes(&net, &["p0 + p1 >= 4294967294"]));
    let structure = Structure::new(&net);
    let equation = StateEquation::new(&net, &structure, &Budget::unlimited()).unwrap();
    let bound = equation.bound(&[VarId(0), VarId(1)], None, &Budget::unlimited());
    assert!(bound.unwrap().is_none_or(|n| n >= 2 * 4_294_967_295 - 7));
}

#[test]
fn a_spent_budget_proves_nothing() {
    let net = Family::Kanban.generate(5).unwrap();
    let structure = Structure::new(&net);
    let equation = StateEquation::new(&net, &structure, &Budget::unlimited()).unwrap();
    let spent = Budget::unlimited().with_time(Duration::ZERO);
    assert!(
        equation
            .excludes(&net, &structure, &Predicate::DeadEnd, &spent)
            .is_err()
    );
    assert!(equation.bound(&[VarId(0)], None, &spent).is_err());
}

#[test]
fn places_that_are_proved_safe_never_hold_two_tokens() {
    let mut rng = Rng::new(5);
    let budget = Budget::unlimited();
    let mut proved = 0;
    for _ in 0..300 {
        let net = tame_net(&mut rng);
        let model = net.to_model();
        let structure = Structure::new(&net);
        let equation = StateEquation::new(&net, &structure, &budget).unwrap();
        let (states, _) = states(&model);
        for place in model.variable_ids() {
            if equation.are_safe(&[place], &budget).unwrap() {
                proved += 1;
                let most = states.iter().map(|state| state[place.index()]).max();
                assert!(most <= Some(1), "{place:?} in {net:?}");
            }
        }
        let places: Vec<VarId> = model.variable_ids().collect();
        if equation.are_safe(&places, &budget).unwrap() {
            assert!(
                states.iter().flatten().all(|&tokens| tokens <= 1),
                "{net:?}"
            );
        }
    }
    assert!(proved > 50, "{proved}");
}
