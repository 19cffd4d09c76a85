//! Small worlds, all of them: every Kripke structure of a few states over one proposition, every formula up to a size,
//! both engines, all kinds of automata and all meanings of dead ends, against the definition.

use std::fmt::Write as _;

use dalsegno::certify::{Graph, branching};
use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, DeadEnds, Predicate};
use dalsegno::logic::{FormulaId, FormulaStore, PropId};
use dalsegno::{Asked, Engine, Error, Logic, Run, Settings, Source, Value};

use crate::support::{by, ltl, no_defect, problem};

/// The structure of a number: a bit per edge, then a bit per state for the proposition `a`. State 0 is initial.
fn world(states: u32, number: u32) -> Source {
    let mut text = String::from(
        "begin state\ns:s\nend state\nbegin edge\nend edge\nbegin init\n0\nend init\nbegin trans\n",
    );
    for from in 0..states {
        for to in 0..states {
            if number >> (from * states + to) & 1 == 1 {
                writeln!(text, "{from}/{to}").unwrap();
            }
        }
    }
    text += "end trans\nbegin map a:bool\n";
    for s in 0..states {
        writeln!(text, "{s} {}", number >> (states * states + s) & 1).unwrap();
    }
    // The label has the value 1 somewhere, if only in a state that nothing leads to.
    writeln!(text, "{states} 1").unwrap();
    text += "end map\nbegin sort s\n";
    for s in 0..=states {
        writeln!(text, "\"{s}\"").unwrap();
    }
    text += "end sort\n";
    Source::from_bytes(text.as_bytes(), "world.etf", &Budget::unlimited()).unwrap()
}

/// The graph of a structure and its letters, and the proposition.
fn graph(source: &Source, store: &mut FormulaStore) -> (Graph, PropId) {
    let f = store.atom("a");
    let atoms = problem(source).atoms(store, f).unwrap();
    let predicates: Vec<Predicate> = atoms.iter().map(|a| a.1.clone()).collect();
    let graph = Graph::of_model(problem(source).model(), &predicates, 10).unwrap();
    (graph, atoms[0].0)
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
    let source = world(states, number);
    let mut store = FormulaStore::new();
    let list = formulas(&mut store, size, false);
    let (graph, a) = graph(&source, &mut store);
    let mut modes = vec![(Engine::Explicit, None), (Engine::Symbolic, None)];
    if all_kinds {
        let kinds = [Kind::Tgba, Kind::Ba, Kind::Tgta, Kind::Ta];
        modes.extend(kinds.map(|kind| (Engine::Explicit, Some(kind))));
        modes.extend([Kind::Tgba, Kind::Tgta].map(|kind| (Engine::Symbolic, Some(kind))));
    }
    let mut checked = 0;
    for (engine, automaton) in modes {
        let settings = Settings {
            engine,
            automaton,
            ..Settings::default()
        };
        let mut run = Run::new(&source, settings);
        for dead_ends in [DeadEnds::Stutter, DeadEnds::Ignore] {
            for &f in &list {
                run.ask(ltl(&store.display(f).to_string(), dead_ends));
            }
        }
        run.answer(&Budget::unlimited(), &mut no_defect).unwrap();
        let mut number_asked = 0;
        for dead_ends in [DeadEnds::Stutter, DeadEnds::Ignore] {
            for &f in &list {
                let answer = run.answer_to(number_asked);
                number_asked += 1;
                // Not every formula is stutter-invariant.
                if automaton == Some(Kind::Ta)
                    && matches!(answer.value, Value::Error(Error::Translation(_)))
                {
                    continue;
                }
                let all_paths = store.forall(f);
                let expected = defined(&mut store, all_paths, a, &graph, dead_ends).unwrap();
                assert_eq!(
                    answer.value,
                    Value::Truth(expected),
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
    let source = world(states, number);
    let mut store = FormulaStore::new();
    let list = formulas(&mut store, size, true);
    let (graph, a) = graph(&source, &mut store);
    let modes = [DeadEnds::Finite, DeadEnds::Stutter, DeadEnds::Ignore];
    let mut checked = 0;
    for engine in [Engine::Explicit, Engine::Symbolic] {
        let mut run = Run::new(&source, by(engine));
        for dead_ends in modes {
            for &f in &list {
                let asked = Asked::formula(Logic::Ctl, &store.display(f).to_string());
                run.ask(asked.with_dead_ends(Some(dead_ends)));
            }
        }
        run.answer(&Budget::unlimited(), &mut no_defect).unwrap();
        let mut number_asked = 0;
        for dead_ends in modes {
            for &f in &list {
                let expected = defined(&mut store, f, a, &graph, dead_ends).unwrap();
                assert_eq!(
                    run.answer_to(number_asked).value,
                    Value::Truth(expected),
                    "{} on structure {number} of {states} states, dead ends {dead_ends}, {engine:?}",
                    store.display(f)
                );
                number_asked += 1;
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
