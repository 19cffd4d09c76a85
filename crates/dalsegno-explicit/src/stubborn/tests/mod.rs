//! Stubborn sets against the whole state graph, on random models.
//!
//! `DALSEGNO_STUBBORN` is the number of models of each test, a few hundred without it.

mod closed_sets;
mod linear_time;
mod programs;

use std::sync::Arc;

use dalsegno_kripke::{
    Bounds, Budget, Compare, Group, GroupId, Linear, Model, Opaque, Predicate, Relation, Table,
    Undefined, VarId, Variable,
};
use dalsegno_logic::random::Rng;
use dalsegno_testkit::nets::wild_net;
use dalsegno_testkit::random_net;

use super::reach::GoalSearch;
use crate::space::{Space, StateId};

/// How many models a test looks at.
pub(super) fn campaign(usual: u64) -> u64 {
    let asked = std::env::var("DALSEGNO_STUBBORN").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(usual)
}

fn variables(n: usize) -> Vec<Variable> {
    let variable = |i| Variable {
        name: format!("p{i}"),
        bounds: Bounds::UNKNOWN,
    };
    (0..n).map(variable).collect()
}

/// Two or three processes, each a token in a few places, and some shared places that they test, take and give; some
/// arcs are heavy, and some inhibit.
pub(super) fn processes(rng: &mut Rng) -> Model {
    let count = 2 + rng.index(2);
    let shared = 1 + rng.index(2);
    let mut initial: Vec<u32> = (0..shared).map(|_| rng.below(3) as u32).collect();
    let mut groups = Vec::new();
    for p in 0..count {
        let first = initial.len();
        let places = 2 + rng.index(2);
        initial.push(1);
        initial.extend(std::iter::repeat_n(0, places - 1));
        for t in 0..places + rng.index(2) {
            let from = VarId((first + t % places) as u32);
            let to = match rng.index(4) {
                0 => VarId((first + rng.index(places)) as u32),
                _ => VarId((first + (t + 1) % places) as u32),
            };
            let (mut pre, mut inhibit) = (vec![(from, 1)], Vec::new());
            let mut delta = vec![(from, -1), (to, 1)];
            let other = VarId(rng.index(shared) as u32);
            let n = 1 + u32::from(rng.chance(1, 5));
            match rng.index(7) {
                0 => {
                    pre.push((other, n));
                    delta.push((other, -i64::from(n)));
                }
                1 => {
                    inhibit.push((other, 2 + n));
                    delta.push((other, i64::from(n)));
                }
                2 => pre.push((other, n)),
                3 => inhibit.push((other, n)),
                4 => {
                    let peer = VarId(rng.index(initial.len()) as u32);
                    if rng.chance(1, 2) {
                        pre.push((peer, 1));
                    } else {
                        inhibit.push((peer, 1));
                    }
                }
                _ => {}
            }
            let linear = Linear::new(pre, inhibit, delta).expect("takes what it needs");
            groups.push(Group::linear(format!("t{p}_{t}"), linear));
        }
    }
    Model::new("processes", variables(initial.len()), vec![initial], groups).expect("parts fit")
}

/// Adds a number to the second value it reads if the first one is as it should be; nothing where it is full.
#[derive(Debug)]
struct Count {
    when: u32,
    most: u32,
    watched: bool,
}

impl Opaque for Count {
    fn enabled(&self, read: &[u32]) -> bool {
        read[0] == self.when && read[1] < self.most
    }

    fn needs(&self) -> Option<(usize, u32)> {
        self.watched.then_some((0, self.when))
    }

    fn successors(
        &self,
        read: &[u32],
        write: &mut [u32],
        emit: &mut dyn FnMut(&[u32]),
    ) -> Result<(), Undefined> {
        if self.enabled(read) {
            write[0] = (read[0] + 1) % 3;
            write[1] = read[1] + 1;
            emit(write);
        }
        Ok(())
    }
}

/// Processes with locations that step by rows of tables, which may choose, by functions and by linear groups, with
/// shared variables.
pub(super) fn tabled(rng: &mut Rng) -> Model {
    let (count, shared) = (2 + rng.index(2), 1 + rng.index(2));
    let n = count + shared;
    let initial = vec![0; n];
    let mut groups = Vec::new();
    for p in 0..count {
        let location = VarId(p as u32);
        for t in 0..2 + rng.index(2) {
            let other = VarId((count + rng.index(shared)) as u32);
            let name = format!("t{p}_{t}");
            let (at, to) = (rng.below(3) as u32, rng.below(3) as u32);
            groups.push(match rng.index(5) {
                0 => {
                    let most = 1 + rng.below(2) as u32;
                    let watched = rng.chance(1, 2);
                    let when = at;
                    let count = Count {
                        when,
                        most,
                        watched,
                    };
                    let both = vec![location, other];
                    Group::opaque(name, both.clone(), both, Arc::new(count))
                }
                1 => {
                    let test = rng.below(2) as u32;
                    let mut table = Table::new(2, 1);
                    table.push(&[Some(at), Some(test)], &[Some(to)]);
                    Group::table(name, vec![location, other], vec![location], table)
                }
                2 => {
                    let mut table = Table::new(1, 2);
                    table.push(&[Some(at)], &[Some(to), Some(rng.below(2) as u32)]);
                    if rng.chance(1, 2) {
                        table.push(&[Some(at)], &[Some((at + 1) % 3), None]);
                    }
                    Group::table(name, vec![location], vec![location, other], table)
                }
                3 => {
                    let linear = Linear::new(
                        vec![(location, 1)],
                        vec![(other, 2)],
                        vec![(location, -1), (other, 1)],
                    );
                    Group::linear(name, linear.expect("takes what it needs"))
                }
                _ => {
                    let mut table = Table::new(1, 1);
                    table.push(&[Some(at)], &[Some((at + 1) % 3)]);
                    Group::table(name, vec![location], vec![location], table)
                }
            });
        }
    }
    Model::new("tabled", variables(n), vec![initial], groups).expect("parts fit")
}

/// A model of one of the kinds, by turns.
pub(super) fn random_model(rng: &mut Rng, number: u64) -> Arc<Model> {
    Arc::new(match number % 10 {
        0 => random_net(rng).to_model(),
        1 => wild_net(rng).to_model(),
        2 | 3 => tabled(rng),
        4 | 5 => programs::program(rng),
        _ => processes(rng),
    })
}

/// A predicate of any form.
pub(super) fn random_predicate(rng: &mut Rng, model: &Model, depth: u32) -> Predicate {
    let variable = |rng: &mut Rng| VarId(rng.index(model.variables().len()) as u32);
    let group = |rng: &mut Rng| GroupId(rng.index(model.groups().len()) as u32);
    match rng.index(if depth == 0 { 5 } else { 9 }) {
        0 => Predicate::Enabled((0..=rng.index(2)).map(|_| group(rng)).collect()),
        1 if rng.chance(1, 2) => Predicate::DeadEnd,
        1..=4 => {
            let ops = [Relation::Le, Relation::Lt, Relation::Ge, Relation::Gt];
            let ops = [&ops[..], &[Relation::Eq, Relation::Ne]].concat();
            let coefficient = |rng: &mut Rng| if rng.chance(1, 5) { -1 } else { 1 };
            let terms = (0..=rng.index(2)).map(|_| (coefficient(rng), variable(rng)));
            let compare = Compare::new(
                terms.collect(),
                ops[rng.index(6)],
                rng.below(3).cast_signed(),
            );
            Predicate::Compare(compare.expect("small coefficients"))
        }
        5 => Predicate::Not(Box::new(random_predicate(rng, model, depth - 1))),
        6 | 7 => {
            let parts = (0..2 + rng.index(2)).map(|_| random_predicate(rng, model, depth - 1));
            Predicate::And(parts.collect())
        }
        _ => {
            let parts = (0..2).map(|_| random_predicate(rng, model, depth - 1));
            Predicate::Or(parts.collect())
        }
    }
}

/// All reachable states, if there are few.
pub(super) fn explored(model: &Arc<Model>, most: usize) -> Option<Space> {
    let mut space = Space::new(model);
    let budget = Budget::unlimited();
    let mut next = 0;
    while next < space.len() {
        space.successors(next as StateId, &budget).ok()?;
        next += 1;
        if space.len() > most {
            return None;
        }
    }
    Some(space)
}

#[test]
fn goals_are_reached_by_fired_steps_alone() {
    let mut rng = Rng::new(11);
    let budget = Budget::unlimited();
    let (mut cases, mut reached, mut states, mut whole) = (0, 0, 0, 0);
    for number in 0..campaign(1500) {
        let model = random_model(&mut rng, number);
        let Some(mut all) = explored(&model, 2000) else {
            continue;
        };
        for _ in 0..4 {
            let goal = if rng.chance(1, 4) {
                Predicate::DeadEnd
            } else {
                random_predicate(&mut rng, &model, 2)
            };
            let mut everywhere = 0..all.len() as StateId;
            let expected = everywhere.any(|s| all.holds(s, &goal));
            let mut space = Space::new(&model);
            let mut search = GoalSearch::new(&mut space, &goal);
            if rng.chance(1, 2) {
                search = search.with_random_choices(number);
            }
            assert_eq!(search.advance(&mut space, u64::MAX, &budget), Ok(true));
            let found = search.reached();
            assert_eq!(found.is_some(), expected, "{goal:?} of {model:?}");
            if let Some(state) = found {
                assert!(space.holds(state, &goal));
                reached += 1;
            } else {
                states += space.len();
                whole += all.len();
            }
            cases += 1;
        }
        all.set_cap(None);
    }
    assert!(
        reached > cases / 10 && reached < 9 * cases / 10,
        "{reached}"
    );
    println!("{cases} goals, {reached} reached; {states} of {whole} states where it is not");
    assert!(4 * states < 3 * whole, "{states} of {whole} states");
}

/// A step is known if all that it leads to has numbers; looking it up gives none.
#[test]
fn known_steps_lead_to_known_states() {
    let budget = Budget::unlimited();
    let mut rng = Rng::new(17);
    let (mut known, mut unknown) = (0, 0);
    for number in 0..campaign(200) {
        let model = random_model(&mut rng, number);
        let mut space = Space::new(&model);
        let mut expanded = 0;
        // A part of the states, breadth first.
        while expanded < space.len().min(20) {
            if space.successors(expanded as StateId, &budget).is_err() {
                break;
            }
            expanded += 1;
        }
        for state in 0..space.len().min(40) as StateId {
            let mut groups = Vec::new();
            space.list_enabled(state, &mut groups);
            for group in groups {
                let before = space.len();
                let is_known = space.is_known_step(state, group);
                assert_eq!(space.len(), before, "looking up stores nothing");
                let mut values = vec![0; model.variables().len()];
                space.values(state, &mut values);
                let targets = closed_sets::after(&model, group, &values);
                let stored = |target: &Vec<u32>| {
                    (0..before as StateId).any(|s| {
                        space.values(s, &mut values);
                        values == *target
                    })
                };
                assert_eq!(is_known, targets.iter().all(stored));
                known += u32::from(is_known);
                unknown += u32::from(!is_known);
            }
        }
    }
    assert!(known > 100 && unknown > 100, "{known} {unknown}");
}

/// The states of the families' nets, and how many of them a search for a goal looks at. `DALSEGNO_STUBBORN=0` takes larger
/// nets, to be looked at.
#[test]
fn goals_of_large_nets_need_few_states() {
    use dalsegno_models::petri::generators::Family;

    let large = u32::from(campaign(1) == 0);
    let nets = [
        (Family::Philosophers, 6 + 4 * large),
        (Family::Phils, 5 + 3 * large),
        (Family::Kanban, 2 + 2 * large),
        (Family::Fms, 2 + 2 * large),
        (Family::Ring, 4 + 2 * large),
        (Family::TokenRing, 3 + 2 * large),
        (Family::Peterson, 1 + large),
        (Family::Mutex, 6 + 4 * large),
    ];
    let budget = Budget::unlimited();
    let (mut few, mut whole) = (0, 0);
    for (family, n) in nets {
        let model = Arc::new(family.generate(n).unwrap().to_model());
        let all = explored(&model, usize::MAX).unwrap();
        // What no state has: twice as many tokens in the last place as ever.
        let last = VarId(model.variables().len() as u32 - 1);
        let most = (0..all.len() as StateId).map(|s| all.value(s, last.index()));
        let beyond = i64::from(most.max().unwrap()) + 1;
        let goals = [
            Predicate::DeadEnd,
            Predicate::single(last, Relation::Ge, beyond),
        ];
        for goal in goals {
            let expected = (0..all.len() as StateId).any(|s| all.holds(s, &goal));
            let mut space = Space::new(&model);
            let mut search = GoalSearch::new(&mut space, &goal);
            assert_eq!(search.advance(&mut space, u64::MAX, &budget), Ok(true));
            assert_eq!(search.reached().is_some(), expected, "{family:?}");
            let (seen, states) = (space.len(), all.len());
            println!("{family:?} {n}, {goal:?}: {expected}, {seen} of {states} states");
            few += seen;
            whole += states;
        }
    }
    assert!(2 * few < whole, "{few} of {whole}");
}

thread_local! {
    /// The rule that searches of this thread leave out.
    static FLAW: std::cell::Cell<Option<super::Flaw>> = const { std::cell::Cell::new(None) };
}

/// The rule that is left out, if one is.
pub(super) fn mutant() -> Option<super::Flaw> {
    FLAW.get()
}
