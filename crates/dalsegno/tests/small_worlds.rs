//! Small worlds, all of them: every Kripke structure of a few states over one proposition, every formula up to a size,
//! both engines, all kinds of automata and all meanings of dead ends, against the definition.

use dalsegno::certify::{Graph, branching};
use dalsegno::kind::Kind;
use dalsegno::kripke::{
    Bounds, Budget, DeadEnds, Group, Model, Predicate, Relation, Table, VarId, Variable,
};
use dalsegno::logic::{FormulaId, FormulaStore, PropId};
use dalsegno::{
    BranchingOptions, BranchingTask, CheckError, CheckOptions, Checker, Engine, Session, Told,
    check_branching,
};

/// The structure of a number: a bit per edge, then a bit per state for the proposition. State 0 is initial.
fn world(states: u32, number: u32) -> (Session, Predicate) {
    let mut table = Table::new(1, 1);
    for from in 0..states {
        for to in 0..states {
            if number >> (from * states + to) & 1 == 1 {
                table.push(&[Some(from)], &[Some(to)]);
            }
        }
    }
    let state = VarId(0);
    let variable = Variable {
        name: "s".to_owned(),
        bounds: Bounds::proved(states - 1),
    };
    let group = Group::table("t", vec![state], vec![state], table);
    let model = Model::new("world", vec![variable], vec![vec![0]], vec![group]).unwrap();
    let marked = (0..states).filter(|s| number >> (states * states + s) & 1 == 1);
    let marked = marked.map(|s| Predicate::single(state, Relation::Eq, s.into()));
    (Session::from_model(model), Predicate::any(marked))
}

/// Every formula of at most so many operators and atoms over one proposition, by their sizes; temporal operators
/// are quantified in all ways if `branching`.
fn formulas(store: &mut FormulaStore, size: usize, branching: bool) -> Vec<FormulaId> {
    let mut by_size: Vec<Vec<FormulaId>> = vec![Vec::new(), vec![store.atom("a")]];
    for n in 2..=size {
        let mut found = Vec::new();
        let mut temporal = |store: &mut FormulaStore, f: FormulaId| {
            if branching {
                found.extend([store.exists(f), store.forall(f)]);
            } else {
                found.push(f);
            }
        };
        for &f in &by_size[n - 1] {
            for make in [
                FormulaStore::next,
                FormulaStore::finally,
                FormulaStore::globally,
            ] {
                let g = make(store, f);
                temporal(store, g);
            }
        }
        for left in 1..n - 1 {
            for &f in &by_size[left] {
                for &g in &by_size[n - 1 - left] {
                    for make in [FormulaStore::until, FormulaStore::release] {
                        let h = make(store, f, g);
                        temporal(store, h);
                    }
                }
            }
        }
        for &f in &by_size[n - 1] {
            found.push(store.not(f));
        }
        for left in 1..n - 1 {
            for &f in &by_size[left] {
                for &g in &by_size[n - 1 - left] {
                    found.extend([store.and([f, g]), store.or([f, g])]);
                }
            }
        }
        by_size.push(found);
    }
    let mut all: Vec<FormulaId> = by_size.into_iter().flatten().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// What the definition says of the initial state.
fn defined(
    store: &mut FormulaStore,
    f: FormulaId,
    a: PropId,
    graph: &Graph,
    dead_ends: DeadEnds,
) -> Option<bool> {
    let states = branching::holds(store, f, &[a], graph, dead_ends).ok()?;
    Some(states[0])
}

/// Checks LTL formulas on a structure by everything that can.
fn linear(states: u32, number: u32, size: usize, all_kinds: bool) -> usize {
    let (session, marked) = world(states, number);
    let mut store = FormulaStore::new();
    let list = formulas(&mut store, size, false);
    let a = store.proposition("a").unwrap();
    let graph = Graph::of_model(session.model(), std::slice::from_ref(&marked), 10).unwrap();
    let atoms = [(a, marked)];
    let mut checked = 0;
    for dead_ends in [DeadEnds::Stutter, DeadEnds::Ignore] {
        for &f in &list {
            let all_paths = store.forall(f);
            let expected = defined(&mut store, all_paths, a, &graph, dead_ends).unwrap();
            let mut modes = vec![(Engine::Explicit, None), (Engine::Symbolic, None)];
            if all_kinds {
                let kinds = [Kind::Tgba, Kind::Ba, Kind::Tgta, Kind::Ta];
                modes.extend(kinds.map(|kind| (Engine::Explicit, Some(kind))));
                modes.extend([Kind::Tgba, Kind::Tgta].map(|kind| (Engine::Symbolic, Some(kind))));
            }
            for (engine, automaton) in modes {
                let options = CheckOptions {
                    engine,
                    automaton,
                    dead_ends,
                    ..CheckOptions::default()
                };
                let mut checker = Checker::new(&session);
                let budget = Budget::unlimited();
                let outcome = checker.check_ltl(&mut store, f, &atoms, &options, &budget, |_| {});
                let outcome = match outcome {
                    Ok(outcome) => outcome,
                    // Not every formula is stutter-invariant.
                    Err(CheckError::Translation(_)) if automaton == Some(Kind::Ta) => continue,
                    Err(error) => panic!("{}: {error}", store.display(f)),
                };
                assert_eq!(
                    outcome.verdict.holds(),
                    Some(expected),
                    "{} on structure {number} of {states} states, dead ends {dead_ends}, {engine:?}, {automaton:?}",
                    store.display(f)
                );
                checked += 1;
            }
        }
    }
    checked
}

/// Checks CTL formulas on a structure by both engines.
fn branching_time(states: u32, number: u32, size: usize) -> usize {
    let (session, marked) = world(states, number);
    let mut store = FormulaStore::new();
    let list = formulas(&mut store, size, true);
    let a = store.proposition("a").unwrap();
    let graph = Graph::of_model(session.model(), std::slice::from_ref(&marked), 10).unwrap();
    let mut checked = 0;
    for dead_ends in [DeadEnds::Finite, DeadEnds::Stutter, DeadEnds::Ignore] {
        let tasks = list.iter().map(|&formula| BranchingTask {
            formula,
            atoms: vec![(a, marked.clone())],
        });
        let tasks: Vec<BranchingTask> = tasks.collect();
        for engine in [Engine::Explicit, Engine::Symbolic] {
            let options = BranchingOptions {
                engine,
                dead_ends,
                ..BranchingOptions::ctl()
            };
            let mut answers: Vec<Option<bool>> = vec![None; list.len()];
            let tell = |i: usize, told: Told, _: &FormulaStore| {
                answers[i] = told.unwrap().holds.ok();
            };
            let budget = Budget::unlimited();
            check_branching(&session, &mut store, &tasks, &options, &budget, tell);
            for (&f, answer) in list.iter().zip(answers) {
                let expected = defined(&mut store, f, a, &graph, dead_ends);
                assert_eq!(
                    answer,
                    expected,
                    "{} on structure {number} of {states} states, dead ends {dead_ends}, {engine:?}",
                    store.display(f)
                );
                checked += 1;
            }
        }
    }
    checked
}

#[test]
fn linear_time_on_all_small_structures() {
    let mut checked = 0;
    for number in 0..1 << 2 {
        checked += linear(1, number, 4, true);
    }
    for number in 0..1 << 6 {
        checked += linear(2, number, 3, number % 8 == 1);
    }
    // Of three states there are 4,096 structures: every prime-th of them, another part of all edges each time.
    for number in (0..1 << 12).step_by(101) {
        checked += linear(3, number, 3, false);
    }
    assert!(checked > 5_000, "{checked}");
}

#[test]
fn branching_time_on_all_small_structures() {
    let mut checked = 0;
    for number in 0..1 << 2 {
        checked += branching_time(1, number, 3);
    }
    for number in 0..1 << 6 {
        checked += branching_time(2, number, 3);
    }
    for number in (0..1 << 12).step_by(53) {
        checked += branching_time(3, number, 3);
    }
    assert!(checked > 10_000, "{checked}");
}
