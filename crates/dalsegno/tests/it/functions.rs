//! Tables and functions in decision diagrams: what is learned while states are reached is what
//! exploring state by state finds.

use std::collections::BTreeSet;
use std::sync::Arc;

use dalsegno::kripke::{
    Bounds, Budget, Group, GroupId, Linear, Model, Opaque, Predicate, Scratch, Table, Undefined,
    VarId, Variable,
};
use dalsegno::logic::random::Rng;
use dalsegno::models::dve;
use dalsegno::{Ending, Engine, Source, Survey, method};

use crate::support::{problem, survey};

fn survey_by(source: &Source, engine: Engine) -> Survey {
    survey(source, engine, &Budget::unlimited())
}

fn numbers(seen: &Survey) -> [&str; 5] {
    assert_eq!(seen.ending, Ending::Complete);
    let all = [
        &seen.states,
        &seen.transitions,
        &seen.dead_ends,
        &seen.largest,
        &seen.largest_sum,
    ];
    all.map(|number| number.as_deref().unwrap())
}

/// A function that scrambles what it reads. Some arguments have no successor, some have one several
/// times, and some values that are written stay as they are.
#[derive(Debug)]
struct Scramble {
    seed: u64,
    values: u32,
}

impl Scramble {
    fn draw(&self, read: &[u32], salt: u64) -> u32 {
        let mut hash = self.seed ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for &value in read {
            hash = (hash ^ u64::from(value)).wrapping_mul(0x0100_0000_01b3);
            hash ^= hash >> 29;
        }
        (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u32
    }

    fn number(&self, read: &[u32]) -> u64 {
        [0, 0, 1, 1, 1, 2, 3][(self.draw(read, 0) % 7) as usize]
    }
}

impl Opaque for Scramble {
    fn enabled(&self, read: &[u32]) -> bool {
        self.number(read) > 0
    }

    fn successors(
        &self,
        read: &[u32],
        write: &mut [u32],
        emit: &mut dyn FnMut(&[u32]),
    ) -> Result<(), Undefined> {
        let old = write.to_vec();
        for successor in 0..self.number(read) {
            write.copy_from_slice(&old);
            for (salt, value) in (100 * successor + 1..).zip(write.iter_mut()) {
                if !self.draw(read, salt + 50).is_multiple_of(4) {
                    *value = self.draw(read, salt) % self.values;
                }
            }
            emit(write);
        }
        Ok(())
    }
}

fn some_variables(rng: &mut Rng, variables: u32) -> Vec<VarId> {
    // With many variables most groups have too many combinations of values to foresee them.
    let share = if variables > 5 { 4 } else { 2 };
    let mut list: Vec<VarId> = (0..variables)
        .filter(|_| rng.chance(share, 5))
        .map(VarId)
        .collect();
    if rng.chance(1, 2) {
        list.reverse();
    }
    list
}

fn random_table(rng: &mut Rng, reads: usize, writes: usize, values: u32) -> Table {
    let mut table = Table::new(reads, writes);
    for _ in 0..rng.index(5) {
        let mut cell = |stars| (!rng.chance(stars, 4)).then(|| rng.index(values as usize) as u32);
        let pattern: Vec<_> = (0..reads).map(|_| cell(1)).collect();
        let written: Vec<_> = (0..writes).map(|_| cell(2)).collect();
        table.push(&pattern, &written);
        if rng.chance(1, 5) {
            table.push(&pattern, &written);
        }
    }
    table
}

fn random_model(rng: &mut Rng) -> Model {
    let large = rng.chance(1, 50);
    let variables = if large { 7 } else { 1 + rng.index(5) as u32 };
    let values = if large { 4 } else { 2 + rng.index(3) as u32 };
    let group = |rng: &mut Rng, i: usize| {
        let name = format!("t{i}");
        let (reads, writes) = (
            some_variables(rng, variables),
            some_variables(rng, variables),
        );
        match rng.index(5) {
            0 => {
                let v = VarId(rng.index(variables as usize) as u32);
                let linear = Linear::new(vec![], vec![(v, values - 1)], vec![(v, 1)]).unwrap();
                Group::linear(name, linear)
            }
            1 | 2 => {
                let table = random_table(rng, reads.len(), writes.len(), values);
                Group::table(name, reads, writes, table)
            }
            _ => {
                let seed = rng.index(1 << 30) as u64;
                Group::opaque(name, reads, writes, Arc::new(Scramble { seed, values }))
            }
        }
    };
    let groups = (0..=rng.index(6)).map(|i| group(rng, i)).collect();
    let variable = |i| Variable {
        name: format!("v{i}"),
        bounds: Bounds::proved(values - 1),
    };
    let state = |rng: &mut Rng| {
        let values = (0..variables).map(|_| rng.index(values as usize) as u32);
        values.collect()
    };
    let initial = (0..=rng.index(2)).map(|_| state(rng)).collect();
    Model::new(
        "random",
        (0..variables).map(variable).collect(),
        initial,
        groups,
    )
    .unwrap()
}

#[test]
fn both_engines_count_the_same() {
    let mut rng = Rng::new(31);
    let mut largest = 0;
    for _ in 0..400 {
        let source = Source::of_model(random_model(&mut rng));
        let explicit = survey_by(&source, Engine::Explicit);
        let symbolic = survey_by(&source, Engine::Symbolic);
        assert_eq!(
            numbers(&symbolic),
            numbers(&explicit),
            "{:?}",
            problem(&source).model()
        );
        largest = largest.max(explicit.states.unwrap().parse().unwrap());
    }
    assert!(largest > 200, "some of the models are not trivial");
}

/// All reachable states, one by one.
fn explored(model: &Model) -> BTreeSet<Vec<u32>> {
    let mut found: BTreeSet<Vec<u32>> = model.initial().iter().cloned().collect();
    let mut open: Vec<Vec<u32>> = found.iter().cloned().collect();
    let mut scratch = Scratch::default();
    while let Some(state) = open.pop() {
        let mut visit = |_, next: &[u32]| {
            if found.insert(next.to_vec()) {
                open.push(next.to_vec());
            }
        };
        model.successors(&state, &mut scratch, &mut visit).unwrap();
    }
    found
}

#[test]
fn steps_forward_and_backward_are_those_of_the_model() {
    let mut rng = Rng::new(32);
    let budget = Budget::unlimited();
    for _ in 0..100 {
        let source = Source::of_model(random_model(&mut rng));
        let model = problem(&source).model();
        let states = explored(model);
        let (mut space, _) = method::build(problem(&source), None, &budget).unwrap();
        let reachable = space.reachable().clone();
        let encoding = space.encoding();
        for group in model.group_ids() {
            let mut targets = BTreeSet::new();
            let mut edges: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
            for state in &states {
                let by = |next: &[u32]| edges.push((state.clone(), next.to_vec()));
                model
                    .successors_by(group, state, &mut Scratch::default(), by)
                    .unwrap();
            }
            targets.extend(edges.iter().map(|edge| edge.1.clone()));
            let sources: BTreeSet<_> = edges.iter().map(|edge| edge.0.clone()).collect();
            let relations = encoding.relations_of(group).to_vec();
            let mut found = (BTreeSet::new(), BTreeSet::new());
            for relation in relations {
                let image = encoding.manager().image(&reachable, relation).unwrap();
                let before = encoding.manager().preimage(&reachable, relation).unwrap();
                let before = encoding.manager().intersection(&before, &reachable);
                let before = before.unwrap();
                let list = |encoding: &mut dalsegno::symbolic::encode::Encoding, set| {
                    let vectors: Vec<_> = encoding.manager().vectors(set).collect();
                    vectors.into_iter().map(|v| encoding.state(&v)).collect()
                };
                let (image, before): (Vec<_>, Vec<_>) =
                    (list(encoding, &image), list(encoding, &before));
                found.0.extend(image);
                found.1.extend(before);
            }
            assert_eq!(found, (targets, sources), "{:?}", model.group(group));
        }
        let any: Vec<GroupId> = model.group_ids().filter(|_| rng.chance(1, 2)).collect();
        for predicate in [Predicate::DeadEnd, Predicate::Enabled(any)] {
            for predicate in [predicate.clone(), predicate.negate()] {
                let count = states.iter().filter(|s| predicate.eval(model, s)).count();
                let selected = space.select(&predicate).unwrap();
                let found = space.encoding().manager().count(&selected).unwrap();
                assert_eq!(found, count.into(), "{predicate:?} in {model:?}");
            }
        }
    }
}

fn program(text: &str) -> Source {
    Source::of_model(dve::load(text.as_bytes(), "program").unwrap())
}

#[test]
fn a_fault_that_is_reached_ends_both_engines_alike() {
    let faults = [
        ("effect x = 5 / (3 - x);", "division by zero"),
        ("effect x = x + 1, a[x] = 1;", "out of range"),
        ("guard a[x] == 0; effect x = x + 1;", "out of range"),
    ];
    for (body, reason) in faults {
        let text = format!(
            "byte x; byte a[3]; process P {{ state s, t; init s; trans s -> s {{ guard x < 7; effect x = x + 1; }}, s -> t {{ {body} }}; }} system async;"
        );
        let source = program(&text);
        let explicit = survey_by(&source, Engine::Explicit);
        let symbolic = survey_by(&source, Engine::Symbolic);
        let Ending::Fault(fault) = &symbolic.ending else {
            panic!("{body}: {:?}", symbolic.ending);
        };
        assert!(fault.contains(reason), "{fault}");
        assert_eq!(symbolic.ending, explicit.ending);
        let auto = survey_by(&source, Engine::Auto);
        assert_eq!(auto.ending, explicit.ending);
    }
}

#[test]
fn a_fault_that_is_not_reached_does_not_matter() {
    let source = program(
        "byte x; byte a[3]; process P { state s, t; init s; trans s -> s { guard x < 2; effect x = x + 1; }, s -> t { guard x != 3; effect a[x] = 6 / (3 - x); }; } system async;",
    );
    let explicit = survey_by(&source, Engine::Explicit);
    assert_eq!(
        numbers(&survey_by(&source, Engine::Symbolic)),
        numbers(&explicit)
    );
}
