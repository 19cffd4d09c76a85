//! Random nets and formulas: all kinds of automata agree with each other and with the semantics by
//! definition, and counterexamples replay.

use dalsegno::certify::{Graph, branching, holds_on_word, replay::word_of};
use dalsegno::explicit::emptiness;
use dalsegno::explicit::search_order::SearchOrder;
use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, DeadEnds, Letter, Predicate, Step, Stop};
use dalsegno::logic::random::{Config, Generator, Rng};
use dalsegno::logic::{FormulaId, FormulaStore, PropId};
use dalsegno::models::petri::generators::Family;
use dalsegno::models::petri::{PetriNet, Place, PlaceId, Transition};
use dalsegno::symbolic::ltl::{NEAR, Saturation};
use dalsegno::{Emptiness, Engine, Error, Propositions, Run, Settings, Source, Tool, Value};
use dalsegno_testkit::random_net;

use crate::support::{ask, ask_again, by, lassos, ltl, no_defect, problem};

/// The verdict that all kinds of automata and both ways of observing agree on.
fn verdict(source: &Source, text: &str, variant: usize, dead_ends: DeadEnds) -> bool {
    let kinds = [Kind::Tgba, Kind::Ba, Kind::Tgta, Kind::Ta].map(Some);
    let mut verdicts = Vec::new();
    let orders = [
        SearchOrder::Declared,
        SearchOrder::Reversed,
        SearchOrder::Local,
        SearchOrder::VisibleFirst,
        SearchOrder::VisibleLast,
        SearchOrder::Random(7),
    ];
    let mut orders = orders.into_iter().cycle().skip(variant % 6);
    let budget = Budget::unlimited();
    for automaton in std::iter::once(None).chain(kinds) {
        for propositions in [Propositions::Raw, Propositions::Boolean] {
            let order = orders.next().unwrap_or_default();
            let por = (verdicts.len() + variant) % 2 == 1;
            let settings = Settings {
                por,
                automaton,
                propositions,
                product_size: true,
                engine: Engine::Explicit,
                search: emptiness::Config {
                    order,
                    ..emptiness::Config::default()
                },
                ..Settings::default()
            };
            let answer = ask(source, settings, ltl(text, dead_ends), &budget);
            let holds = match answer.value {
                Value::Truth(holds) => holds,
                // Not every formula is stutter-invariant.
                Value::Error(Error::Translation(_)) if automaton == Some(Kind::Ta) => continue,
                value => panic!("{text}: {value:?}"),
            };
            assert_eq!(answer.by, Some(Tool::Search), "{text}");
            let (seen, all) = (answer.cost.explored, answer.cost.product.unwrap());
            let passes = u64::from(seen.passes);
            assert!(seen.transitions <= passes * all.transitions);
            if holds && passes == 1 {
                let (seen, all) = (
                    (seen.states, seen.transitions),
                    (all.states, all.transitions),
                );
                assert!(seen == all || por && seen.0 <= all.0 && seen.1 <= all.1);
            }
            let used = answer.cost.automaton.as_ref().map(|used| used.kind);
            assert!(automaton.is_none() || used == automaton, "{used:?}");
            assert_eq!(answer.evidence.is_some(), !holds, "{text}");
            verdicts.push((automaton, propositions, holds));
        }
    }
    for automaton in std::iter::once(None).chain(kinds) {
        let settings = Settings {
            automaton,
            emptiness: Some(Emptiness::Owcty),
            threads: 1 + variant % 3,
            ..Settings::default()
        };
        let answer = ask(source, settings, ltl(text, dead_ends), &budget);
        let holds = match answer.value {
            Value::Truth(holds) => holds,
            Value::Error(Error::Translation(_)) if automaton == Some(Kind::Ta) => continue,
            value => panic!("{text}: {value:?}"),
        };
        assert_eq!(answer.by, Some(Tool::Flood), "{text}");
        assert_eq!(answer.evidence.is_some(), !holds, "{text}");
        verdicts.push((automaton, Propositions::Boolean, holds));
    }
    let saturations = [Saturation::Off, Saturation::Stuttering, Saturation::Loops];
    let mut saturations = saturations.into_iter().cycle().skip(variant % 3);
    // Runs are told from sets alone, from a few states and then from sets, and state by state.
    let mut nears = [0, 3, NEAR, 0, 5].into_iter().cycle().skip(variant % 5);
    let mut run = Run::new(source, Settings::default());
    for automaton in [None, Some(Kind::Tgba), Some(Kind::Ba), Some(Kind::Tgta)] {
        for propositions in [Propositions::Raw, Propositions::Boolean] {
            *run.settings_mut() = Settings {
                automaton,
                propositions,
                engine: Engine::Symbolic,
                saturation: saturations.next().unwrap_or_default(),
                near: nears.next().unwrap_or_default(),
                ..Settings::default()
            };
            let answer = ask_again(&mut run, ltl(text, dead_ends), &budget);
            let Value::Truth(holds) = answer.value else {
                panic!("{text}: {:?}", answer.value);
            };
            // Runs were replayed.
            assert_eq!(answer.evidence.is_some(), !holds, "{text}");
            assert_eq!(answer.by, Some(Tool::Diagrams), "{text}");
            let used = answer.cost.automaton.map(|used| used.kind);
            assert!(automaton.is_none() || used == automaton, "{used:?}");
            verdicts.push((automaton, propositions, holds));
        }
    }
    let first = verdicts[0].2;
    assert!(
        verdicts.iter().all(|v| v.2 == first),
        "{text}: {verdicts:?}"
    );
    first
}

/// Asks for the answer without a run; whether the beginning of one was enough.
fn beginning(source: &Source, text: &str, dead_ends: DeadEnds, expected: bool) -> bool {
    let mut enough = false;
    for propositions in [Propositions::Raw, Propositions::Boolean] {
        for engine in [Engine::Explicit, Engine::Auto] {
            let settings = Settings {
                propositions,
                engine,
                evidence: false,
                ..Settings::default()
            };
            let budget = Budget::unlimited();
            let answer = ask(source, settings, ltl(text, dead_ends), &budget);
            assert_eq!(answer.holds(), Some(expected), "{text}");
            assert!(answer.prefix().is_none() || dead_ends == DeadEnds::Stutter);
            enough |= answer.prefix().is_some();
        }
    }
    enough
}

#[test]
fn all_kinds_agree_on_random_nets() {
    let mut rng = Rng::new(2026);
    let atoms = ["p0", "p1 >= 2", "p0 + p1 <= 1", "fireable(t0)", "deadlock"];
    let config = Config::ltl()
        .with_propositions(atoms)
        .with_size(2..=10)
        .with_seed(11);
    let mut generator = Generator::new(config);
    let (mut held, mut failed, mut begun) = (0, 0, 0);
    for round in 0..120 {
        let source = Source::of_net(random_net(&mut rng));
        let model = problem(&source).model();
        let dead_ends = if round % 3 == 0 {
            DeadEnds::Ignore
        } else {
            DeadEnds::Stutter
        };
        let runs = lassos(model, dead_ends, 5, 300);
        for _ in 0..4 {
            let mut store = FormulaStore::new();
            let f = generator.next_formula(&mut store);
            let text = store.display(f).to_string();
            let atoms = problem(&source).atoms(&store, f).unwrap();
            let holds = verdict(&source, &text, f.index(), dead_ends);
            begun += u32::from(beginning(&source, &text, dead_ends, holds));
            if !holds {
                failed += 1;
                continue;
            }
            held += 1;
            let names: Vec<PropId> = atoms.iter().map(|a| a.0).collect();
            let predicates: Vec<Predicate> = atoms.iter().map(|a| a.1.clone()).collect();
            for run in &runs {
                let word = word_of(model, run, &predicates);
                assert!(
                    holds_on_word(&store, f, &names, &word).unwrap(),
                    "{text} fails on {run:?}"
                );
            }
        }
    }
    assert!(held > 25 && failed > 25, "{held} held, {failed} failed");
    assert!(begun > 25, "{begun} failed from the beginning");
}

/// Where no run ever repeats a state, there is no lasso; the beginning of a run says enough.
#[test]
fn a_net_that_only_grows_is_refuted_by_a_beginning() {
    let place = Place {
        id: "p".to_owned(),
        name: "p".to_owned(),
        initial: 0,
    };
    let make = Transition {
        id: "make".to_owned(),
        post: vec![(PlaceId(0), 1)],
        ..Transition::default()
    };
    let source = Source::of_net(PetriNet::new("up", vec![place], vec![make], None).unwrap());
    let cases = [("G \"p <= 3\"", true), ("G F \"p <= 3\"", false)];
    let both = cases.iter().flat_map(|case| [(case, false), (case, true)]);
    for (&(text, refuted), evidence) in both {
        let settings = Settings {
            evidence,
            ..Settings::default()
        };
        let budget = Budget::unlimited().with_states(10_000);
        let answer = ask(&source, settings, ltl(text, DeadEnds::Stutter), &budget);
        assert_eq!(answer.holds(), refuted.then_some(false), "{text}");
        assert_eq!(answer.run(), None, "{text}: no run repeats a state");
        let length = answer.prefix().map(<[Step]>::len);
        assert!(!refuted || length.is_some_and(|n| (5..=6).contains(&n)));
    }
}

/// A net with a source that makes `p` for ever, and a switch from `off` to `on` that comes after it.
fn growing_net() -> Source {
    let place = |id: &str, initial| Place {
        id: id.to_owned(),
        name: id.to_owned(),
        initial,
    };
    let [p, off, on] = [0, 1, 2].map(PlaceId);
    let step = |id: &str, pre: &[(PlaceId, u32)], post: &[(PlaceId, u32)]| Transition {
        id: id.to_owned(),
        name: id.to_owned(),
        pre: pre.to_vec(),
        post: post.to_vec(),
        ..Transition::default()
    };
    let transitions = vec![
        step("make", &[(off, 1)], &[(off, 1), (p, 1)]),
        step("switch", &[(off, 1), (p, 3)], &[(on, 1)]),
        step("stay", &[(on, 1)], &[(on, 1)]),
    ];
    let places = vec![place("p", 0), place("off", 1), place("on", 0)];
    Source::of_net(PetriNet::new("growing", places, transitions, None).unwrap())
}

#[test]
fn a_run_is_found_beside_one_that_grows_for_ever() {
    let source = growing_net();
    let check = |text: &str, settings: Settings| {
        let budget = Budget::unlimited().with_states(20_000);
        ask(&source, settings, ltl(text, DeadEnds::Stutter), &budget)
    };
    let failing = check("G !on", Settings::default());
    assert_eq!(failing.holds(), Some(false));
    assert!(failing.evidence.is_some());
    let holding = check("on -> G on", Settings::default());
    assert_eq!(holding.holds(), Some(true));
    // This holds too, but there is always one more state to look at.
    let open = check("G(on -> G on)", Settings::default());
    assert_eq!(open.value, Value::Unknown(Stop::States));
    assert_eq!(open.cost.growing, Some(0));
    let shallow = Settings {
        search: emptiness::Config {
            depth: Some(2),
            ..emptiness::Config::default()
        },
        ..Settings::default()
    };
    let cut = check("G !on", shallow);
    assert_eq!(cut.value, Value::Unknown(Stop::States), "too shallow");
}

/// A run whose values need more bits is found, however many states there are with few bits.
#[test]
fn few_bits_with_many_states_do_not_keep_more_bits_waiting() {
    let place = |id: String, initial| Place {
        name: id.clone(),
        id,
        initial,
    };
    let on = PlaceId(0);
    let mut places = vec![place("on".to_owned(), 1)];
    let mut transitions = Vec::new();
    for i in 1..=6 {
        places.push(place(format!("p{i}"), 0));
        transitions.push(Transition {
            id: format!("more{i}"),
            pre: vec![(on, 1)],
            post: vec![(on, 1), (PlaceId(i), 1)],
            ..Transition::default()
        });
    }
    transitions.push(Transition {
        id: "off".to_owned(),
        pre: vec![(on, 1)],
        ..Transition::default()
    });
    let source = Source::of_net(PetriNet::new("n", places, transitions, None).unwrap());
    // With three bits alone there are 8^6 states.
    let budget = Budget::unlimited().with_states(200_000);
    let asked = ltl("G \"p1 <= 20\"", DeadEnds::Stutter);
    let answer = ask(&source, by(Engine::Explicit), asked, &budget);
    assert_eq!(answer.holds(), Some(false));
    assert!(answer.evidence.is_some());
}

/// A run whose settings change between calls searches as they say then; states stay.
#[test]
fn a_search_that_goes_on_is_the_one_that_is_asked_for() {
    let source = Source::of_net(Family::Philosophers.generate(5).unwrap());
    let mut run = Run::new(&source, by(Engine::Explicit));
    let number = run.ask(ltl("G F \"Eat_1 <= 0\"", DeadEnds::Stutter));
    let few = Budget::unlimited().with_states(20);
    run.answer(&few, &mut no_defect).unwrap();
    assert_eq!(run.answer_to(number).value, Value::Unknown(Stop::States));
    let stored = run.stored_states();
    assert!(stored >= 20, "{stored} states");
    for kind in [Kind::Tgba, Kind::Ba, Kind::Tgta, Kind::Ta] {
        run.settings_mut().automaton = Some(kind);
        run.answer(&few, &mut no_defect).unwrap();
        let answer = run.answer_to(number);
        assert_eq!(answer.value, Value::Unknown(Stop::States));
        assert_eq!(answer.cost.automaton.map(|used| used.kind), Some(kind));
    }
    run.answer(&Budget::unlimited(), &mut no_defect).unwrap();
    let answer = run.answer_to(number);
    assert_eq!(answer.holds(), Some(false));
    assert_eq!(answer.cost.automaton.map(|used| used.kind), Some(Kind::Ta));
    assert!(run.stored_states() > stored);
}

/// The verdict by definition: `A f` in the initial state of the graph.
fn by_definition(
    graph: &Graph,
    store: &mut FormulaStore,
    f: FormulaId,
    names: &[PropId],
    dead_ends: DeadEnds,
) -> bool {
    // A constant does not depend on paths, but where there are none everything holds.
    let every = store.forall(f);
    let states = branching::holds(store, every, names, graph, dead_ends).unwrap();
    if every == FormulaId::FALSE && dead_ends == DeadEnds::Ignore {
        let p = store.atom("any");
        let possible = store.exists(p);
        let names = [store.proposition("any").unwrap()];
        let holds = branching::holds(store, possible, &names, &everywhere(graph), dead_ends);
        return !holds.unwrap()[graph.initial()[0]];
    }
    states[graph.initial()[0]]
}

/// The graph with the letter 1 everywhere.
fn everywhere(graph: &Graph) -> Graph {
    Graph::new(
        graph.initial().to_vec(),
        (0..graph.len())
            .map(|s| graph.successors(s).to_vec())
            .collect(),
        vec![Letter(1); graph.len()],
    )
}

#[test]
fn verdicts_are_those_of_the_definition() {
    const MOST_STATES: usize = 60;
    let mut rng = Rng::new(77);
    let atoms = ["p0", "p1 >= 2", "p0 + p1 <= 1", "fireable(t0)", "deadlock"];
    let (mut held, mut failed, mut nets) = (0, 0, 0);
    let config = Config::ltl()
        .with_propositions(atoms)
        .with_size(1..=7)
        .with_seed(41);
    let mut generator = Generator::new(config);
    while nets < 150 {
        let source = Source::of_net(random_net(&mut rng));
        let model = problem(&source).model();
        if Graph::of_model(model, &[], MOST_STATES).is_err() {
            continue;
        }
        nets += 1;
        for dead_ends in [DeadEnds::Stutter, DeadEnds::Ignore] {
            for _ in 0..3 {
                let mut store = FormulaStore::new();
                let f = generator.next_formula(&mut store);
                let text = store.display(f).to_string();
                let atoms = problem(&source).atoms(&store, f).unwrap();
                let names: Vec<PropId> = atoms.iter().map(|a| a.0).collect();
                let predicates: Vec<Predicate> = atoms.iter().map(|a| a.1.clone()).collect();
                let graph = Graph::of_model(model, &predicates, MOST_STATES).unwrap();
                let expected = by_definition(&graph, &mut store, f, &names, dead_ends);
                let found = verdict(&source, &text, f.index(), dead_ends);
                assert_eq!(
                    found,
                    expected,
                    "{text} with dead ends {dead_ends} on {:?}",
                    problem(&source).net().expect("a net")
                );
                if expected {
                    held += 1;
                } else {
                    failed += 1;
                }
            }
        }
    }
    assert!(held > 100 && failed > 100, "{held} held, {failed} failed");
}

#[test]
fn a_search_that_runs_out_of_memory_leaves_the_property_to_owcty() {
    let source = Source::of_net(Family::Kanban.generate(3).unwrap());
    let property = "G F \"Pm1 >= 1\" -> G F \"Pm1 + Pback1 >= 1\"";
    let budget = Budget::unlimited().with_bytes(9 << 20);
    let explicit = by(Engine::Explicit);
    let ask_with = |emptiness| {
        let settings = Settings {
            emptiness,
            por: false,
            ..explicit.clone()
        };
        ask(&source, settings, ltl(property, DeadEnds::Stutter), &budget)
    };
    let searched = ask_with(Some(Emptiness::Couvreur));
    assert_eq!(searched.value, Value::Unknown(Stop::Memory));
    let answer = ask_with(None);
    assert_eq!(answer.value, Value::Truth(true));
    assert_eq!(answer.by, Some(Tool::Flood));
    assert!(answer.cost.bytes < 9 << 20, "{} bytes", answer.cost.bytes);
    // A violation is found depth first, before memory matters.
    let fails = ltl("G F Pout1", DeadEnds::Stutter);
    let answer = ask(&source, explicit, fails, &budget);
    assert_eq!(
        (answer.holds(), answer.by),
        (Some(false), Some(Tool::Search))
    );
}
