//! What a part of the graph says is true of the whole, and what it asks for is enough; formulas of branching time that ask
//! for runs or states are answered as such questions.

use dalsegno_branching::{Evaluator, StateSets};
use dalsegno_certify::{Graph as Whole, branching, explanation};
use dalsegno_explicit::branching::GraphSets;
use dalsegno_explicit::graph::{Graph, Vertex};
use dalsegno_explicit::space::Space;
use dalsegno_explicit::three_valued::ThreeValuedSets;
use dalsegno_kripke::{Budget, DeadEnds, GroupId, Model, Predicate};
use dalsegno_logic::random::{Config, Generator, Rng};
use dalsegno_logic::{FormulaId, FormulaStore, PropId};
use dalsegno_testkit::random_net;

use super::Tool;
use super::undecided::undecided;
use crate::asked::{Asked, Logic};
use crate::problem::Problem;
use crate::run::Run;
use crate::settings::{Reductions, Settings};
use crate::source::Source;

const PROPOSITIONS: [&str; 5] = ["p0", "p1 >= 2", "fireable(t0)", "deadlock", "p0 + p1 = 1"];

/// Whether a formula holds, found on the whole graph by code without engines.
fn by_definition(
    model: &Model,
    store: &FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
    dead_ends: DeadEnds,
) -> bool {
    let names: Vec<PropId> = atoms.iter().map(|a| a.0).collect();
    let predicates: Vec<Predicate> = atoms.iter().map(|a| a.1.clone()).collect();
    let whole = Whole::of_model(model, &predicates, 2_000).unwrap();
    let truth = branching::holds(store, f, &names, &whole, dead_ends).unwrap();
    whole.initial().iter().all(|&s| truth[s])
}

#[test]
fn a_part_of_the_graph_never_says_what_is_not_so() {
    let budget = Budget::unlimited();
    let mut rng = Rng::new(31);
    let mut early = 0;
    let mut explained = 0;
    for case in 0..60 {
        let problem = Problem::of_net(random_net(&mut rng), &budget);
        let model = problem.model();
        let config = Config::ctl()
            .with_size(3..=14)
            .with_propositions(PROPOSITIONS);
        let mut generator = Generator::new(config.with_seed(case));
        let mut store = FormulaStore::new();
        for dead_ends in [DeadEnds::Finite, DeadEnds::Stutter, DeadEnds::Ignore] {
            let f = generator.next_formula(&mut store);
            let text = store.display(f).to_string();
            let atoms = problem.atoms(&store, f).unwrap();
            let holds = by_definition(model, &store, f, &atoms, dead_ends);
            let mut space = Space::new(model);
            let complete = Graph::build(&mut space, &budget).unwrap();
            let mut all = Evaluator::new(
                GraphSets::new(&complete, &space, dead_ends, &budget),
                &budget,
            );
            all.tell(atoms.iter().cloned());
            let truth = all.states(&mut store, f).unwrap();
            let mut states = Space::new(model);
            if case % 2 == 1 {
                explore_backwards(&mut states, &budget);
            }
            let mut graph = Graph::new(&states);
            let mut values = vec![0; model.variables().len()];
            loop {
                graph.link(&budget).unwrap();
                let sets = ThreeValuedSets::new(&graph, &states, dead_ends, &budget);
                let mut evaluator = Evaluator::new(sets, &budget);
                evaluator.tell(atoms.iter().cloned());
                let bounds = evaluator.states(&mut store, f).unwrap();
                for s in 0..graph.len() as Vertex {
                    states.values(graph.state(s), &mut values);
                    if let Some(value) = bounds.value(s) {
                        let expected = all.sets.contains(&truth, &values);
                        assert_eq!(value, expected, "case {case}, {dead_ends}: {text}");
                    }
                }
                if let Ok(found) = evaluator.holds(&mut store, f) {
                    assert_eq!(found, holds, "case {case}, {dead_ends}: {text}");
                    early += u32::from(!evaluator.sets.is_complete());
                    let state = &model.initial()[0];
                    if let Ok(shown) = evaluator.explain(&mut store, f, state) {
                        explanation::check(model, &store, &atoms, dead_ends, &shown).unwrap();
                        explained += u32::from(shown.has_path());
                    }
                    break;
                }
                let aims = undecided(&evaluator, &mut store, f);
                let mut wanted: Vec<Vertex> = aims.into_iter().flat_map(|a| a.states).collect();
                if wanted.is_empty() {
                    assert_eq!(dead_ends, DeadEnds::Ignore, "case {case}: {text}");
                    wanted.extend(graph.frontier().iter());
                }
                // One of the states that matter at a time, whichever it is; all of its steps, or one.
                let state = wanted[rng.index(wanted.len())];
                assert!(!graph.is_expanded(state));
                states.values(graph.state(state), &mut values);
                let linear = |g: usize| model.groups()[g].as_linear().unwrap();
                let groups = (0..model.groups().len()).filter(|&g| linear(g).enabled(&values));
                let groups: Vec<usize> = groups.collect();
                if groups.is_empty() || rng.index(2) == 0 {
                    graph.expand(&mut states, state, &budget).unwrap();
                } else {
                    let group = GroupId(groups[rng.index(groups.len())] as u32);
                    let next = graph.step(&mut states, state, group, &budget).unwrap();
                    assert!(graph.successors(state).contains(&next.unwrap()));
                    assert!(!graph.is_expanded(state));
                }
            }
        }
    }
    assert!(early > 60, "{early} decided before all was known");
    assert!(explained > 20, "{explained} with a path");
}

/// Fills a store of states as another search would: states have other numbers than vertices then.
fn explore_backwards(states: &mut Space, budget: &Budget) {
    let mut graph = Graph::new(states);
    while let Some(last) = graph.frontier().iter().last() {
        graph.expand(states, last, budget).unwrap();
    }
}

/// What one method, or all of them, answer where no explanation is wanted.
fn answered(source: &Source, asked: Asked, only: Option<Tool>) -> Option<bool> {
    let mut settings = Settings::contest();
    if only.is_some() {
        settings.reductions = Reductions::Off;
    }
    let mut run = Run::new(source, settings);
    if let Some(tool) = only {
        run.keep_method(tool);
    }
    let number = run.ask(asked);
    run.answer(&Budget::unlimited(), &mut |_| {}).unwrap();
    run.answer_to(number).holds()
}

#[test]
fn formulas_of_branching_time_are_asked_as_what_they_ask() {
    let mut rng = Rng::new(77);
    let (mut of_runs, mut of_states) = ([0; 2], [0; 2]);
    for case in 0..150 {
        let net = random_net(&mut rng);
        let problem = Problem::of_net(net.clone(), &Budget::unlimited());
        let source = Source::of_net(net);
        let config = Config::ctl()
            .with_size(3..=9)
            .with_propositions(PROPOSITIONS);
        let mut generator = Generator::new(config.with_seed(case));
        let mut store = FormulaStore::new();
        for dead_ends in [DeadEnds::Finite, DeadEnds::Stutter, DeadEnds::Ignore] {
            let f = generator.next_formula(&mut store);
            let text = store.display(f).to_string();
            let atoms = problem.atoms(&store, f).unwrap();
            let holds = by_definition(problem.model(), &store, f, &atoms, dead_ends);
            let ask = |only| {
                let asked = Asked::formula(Logic::Ctl, &text).with_dead_ends(Some(dead_ends));
                answered(&source, asked, only)
            };
            assert_eq!(ask(None), Some(holds), "case {case}, {dead_ends}: {text}");
            let methods = [
                (Tool::Search, &mut of_runs),
                (Tool::BreadthFirst, &mut of_states),
            ];
            for (tool, counts) in methods {
                if let Some(found) = ask(Some(tool)) {
                    assert_eq!(found, holds, "{tool:?}, case {case}, {dead_ends}: {text}");
                    counts[usize::from(holds)] += 1;
                }
            }
        }
    }
    let all = [of_runs, of_states];
    assert!(all.as_flattened().iter().all(|&n| n > 30), "{all:?}");
}
