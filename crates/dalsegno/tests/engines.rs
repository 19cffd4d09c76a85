//! Random nets and formulas: all kinds of automata agree with each other and with the semantics by
//! definition, and counterexamples replay.

use dalsegno::certify::{Graph, branching, holds_on_word, replay::word_of};
use dalsegno::explicit::emptiness;
use dalsegno::explicit::search_order::SearchOrder;
use dalsegno::kind::Kind;
use dalsegno::kripke::{
    Budget, DeadEnds, GroupId, Letter, Model, Predicate, Run, Scratch, Step, Stop, Verdict,
};
use dalsegno::logic::random::{Config, Generator, Rng};
use dalsegno::logic::{FormulaId, FormulaStore, PropId, parse};
use dalsegno::models::petri::{PetriNet, Place, PlaceId, Transition};
use dalsegno::symbolic::ltl::{NEAR, Saturation};
use dalsegno::{CheckError, CheckOptions, Checker, Engine, Propositions, Session, check_ltl};
use dalsegno_testkit::random_net;

/// All lassos of at most `length` states, as far as `limit` of them.
fn lassos(model: &Model, dead_ends: DeadEnds, length: usize, limit: usize) -> Vec<Run> {
    let mut found = Vec::new();
    let mut path = vec![Step {
        state: model.initial()[0].clone(),
        group: None,
    }];
    extend(model, dead_ends, &mut path, length, limit, &mut found);
    found
}

fn extend(
    model: &Model,
    dead_ends: DeadEnds,
    path: &mut Vec<Step>,
    length: usize,
    limit: usize,
    found: &mut Vec<Run>,
) {
    let state = path.last().unwrap().state.clone();
    let mut next: Vec<(Option<GroupId>, Vec<u32>)> = Vec::new();
    model
        .successors(&state, &mut Scratch::default(), |g, s| {
            next.push((Some(g), s.to_vec()));
        })
        .unwrap();
    if next.is_empty() && dead_ends == DeadEnds::Stutter {
        next.push((None, state));
    }
    for (group, target) in next {
        if found.len() >= limit {
            return;
        }
        path.last_mut().unwrap().group = group;
        for back in 0..path.len() {
            if path[back].state == target {
                found.push(Run::new(path[..back].to_vec(), path[back..].to_vec()));
            }
        }
        if path.len() < length {
            path.push(Step {
                state: target,
                group: None,
            });
            extend(model, dead_ends, path, length, limit, found);
            path.pop();
        }
    }
}

/// The verdict that all kinds of automata and both ways of observing agree on.
fn verdict(
    session: &Session,
    store: &mut FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
    dead_ends: DeadEnds,
) -> bool {
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
    let mut orders = orders.into_iter().cycle().skip(f.index() % 6);
    for automaton in std::iter::once(None).chain(kinds) {
        for propositions in [Propositions::Raw, Propositions::Boolean] {
            let order = orders.next().unwrap_or_default();
            let options = CheckOptions {
                automaton,
                propositions,
                dead_ends,
                product_size: true,
                engine: Engine::Explicit,
                search: emptiness::Config {
                    order,
                    ..emptiness::Config::default()
                },
                ..CheckOptions::default()
            };
            let budget = Budget::unlimited();
            match check_ltl(session, store, f, atoms, &options, &budget, |_| {}) {
                Ok(outcome) => {
                    let holds = matches!(outcome.verdict, Verdict::Holds);
                    let (seen, all) = (outcome.explored, outcome.product.unwrap());
                    let passes = u64::from(seen.passes);
                    assert!(seen.transitions <= passes * all.transitions);
                    if holds && passes == 1 {
                        assert_eq!(seen.states, all.states);
                        assert_eq!(seen.transitions, all.transitions);
                    }
                    verdicts.push((automaton, propositions, holds));
                }
                // Not every formula is stutter-invariant.
                Err(CheckError::Translation(_)) if automaton == Some(Kind::Ta) => {}
                Err(error) => panic!("{}: {error}", store.display(f)),
            }
        }
    }
    let saturations = [Saturation::Off, Saturation::Stuttering, Saturation::Loops];
    let mut saturations = saturations.into_iter().cycle().skip(f.index() % 3);
    // Runs are told from sets alone, from a few states and then from sets, and state by state.
    let mut nears = [0, 3, NEAR, 0, 5].into_iter().cycle().skip(f.index() % 5);
    let mut checker = Checker::new(session);
    for automaton in [None, Some(Kind::Tgba), Some(Kind::Ba), Some(Kind::Tgta)] {
        for propositions in [Propositions::Raw, Propositions::Boolean] {
            let options = CheckOptions {
                automaton,
                propositions,
                dead_ends,
                engine: Engine::Symbolic,
                saturation: saturations.next().unwrap_or_default(),
                near: nears.next().unwrap_or_default(),
                ..CheckOptions::default()
            };
            let budget = Budget::unlimited();
            let outcome = checker.check_ltl(store, f, atoms, &options, &budget, |_| {});
            let outcome = outcome.unwrap_or_else(|e| panic!("{}: {e}", store.display(f)));
            // Runs were replayed.
            let holds = outcome.verdict.holds().expect("nothing limits the search");
            verdicts.push((automaton, propositions, holds));
        }
    }
    let first = verdicts[0].2;
    assert!(
        verdicts.iter().all(|v| v.2 == first),
        "{}: {verdicts:?}",
        store.display(f)
    );
    first
}

/// Asks for the answer without a run; whether the beginning of one was enough.
fn beginning(
    session: &Session,
    store: &mut FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
    dead_ends: DeadEnds,
    expected: bool,
) -> bool {
    let mut enough = false;
    for propositions in [Propositions::Raw, Propositions::Boolean] {
        for engine in [Engine::Explicit, Engine::Auto] {
            let options = CheckOptions {
                propositions,
                dead_ends,
                engine,
                witness: false,
                ..CheckOptions::default()
            };
            let budget = Budget::unlimited();
            let outcome = check_ltl(session, store, f, atoms, &options, &budget, |_| {}).unwrap();
            assert_eq!(outcome.refuted, !expected, "{}", store.display(f));
            assert!(outcome.prefix.is_none() || dead_ends == DeadEnds::Stutter);
            enough |= outcome.prefix.is_some();
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
        let session = Session::new(random_net(&mut rng));
        let dead_ends = if round % 3 == 0 {
            DeadEnds::Ignore
        } else {
            DeadEnds::Stutter
        };
        let runs = lassos(session.model(), dead_ends, 5, 300);
        for _ in 0..4 {
            let mut store = FormulaStore::new();
            let f = generator.next_formula(&mut store);
            let atoms = session.atoms(&store, f).unwrap();
            let holds = verdict(&session, &mut store, f, &atoms, dead_ends);
            begun += u32::from(beginning(&session, &mut store, f, &atoms, dead_ends, holds));
            if !holds {
                failed += 1;
                continue;
            }
            held += 1;
            let names: Vec<PropId> = atoms.iter().map(|a| a.0).collect();
            let predicates: Vec<Predicate> = atoms.iter().map(|a| a.1.clone()).collect();
            for run in &runs {
                let word = word_of(session.model(), run, &predicates);
                assert!(
                    holds_on_word(&store, f, &names, &word).unwrap(),
                    "{} fails on {run:?}",
                    store.display(f)
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
    let session = Session::new(PetriNet::new("up", vec![place], vec![make], None).unwrap());
    let cases = [("G \"p <= 3\"", true), ("G F \"p <= 3\"", false)];
    let both = cases.iter().flat_map(|case| [(case, false), (case, true)]);
    for (&(text, refuted), witness) in both {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, text).unwrap();
        let atoms = session.atoms(&store, f).unwrap();
        let options = CheckOptions {
            witness,
            ..CheckOptions::default()
        };
        let budget = Budget::unlimited().with_states(10_000);
        let checked = check_ltl(&session, &mut store, f, &atoms, &options, &budget, |_| {});
        let outcome = checked.unwrap();
        assert_eq!(outcome.refuted, refuted, "{text}");
        assert_eq!(
            outcome.verdict.holds(),
            None,
            "{text}: no run repeats a state"
        );
        let length = outcome.prefix.map(|path| path.len());
        assert!(!refuted || length.is_some_and(|n| (5..=6).contains(&n)));
    }
}

/// A net with a source that makes `p` for ever, and a switch from `off` to `on` that comes after it.
fn growing_net() -> Session {
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
    Session::new(PetriNet::new("growing", places, transitions, None).unwrap())
}

#[test]
fn a_run_is_found_beside_one_that_grows_for_ever() {
    let session = growing_net();
    let check = |text: &str, options: &CheckOptions| {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, text).unwrap();
        let atoms = session.atoms(&store, f).unwrap();
        let budget = Budget::unlimited().with_states(20_000);
        check_ltl(&session, &mut store, f, &atoms, options, &budget, |_| {}).unwrap()
    };
    let options = CheckOptions::default();
    assert!(matches!(
        check("G !on", &options).verdict,
        Verdict::Fails(_)
    ));
    assert_eq!(check("on -> G on", &options).verdict, Verdict::Holds);
    // This holds too, but there is always one more state to look at.
    let open = check("G(on -> G on)", &options);
    assert_eq!(open.verdict, Verdict::Unknown(Stop::States));
    assert_eq!(open.growing, Some(0));
    let shallow = CheckOptions {
        search: emptiness::Config {
            depth: Some(2),
            ..emptiness::Config::default()
        },
        ..options
    };
    let cut = check("G !on", &shallow);
    assert_eq!(cut.verdict, Verdict::Unknown(Stop::States), "too shallow");
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
    let session = Session::new(PetriNet::new("n", places, transitions, None).unwrap());
    let mut store = FormulaStore::new();
    let f = parse(&mut store, "G \"p1 <= 20\"").unwrap();
    let atoms = session.atoms(&store, f).unwrap();
    let options = CheckOptions {
        engine: Engine::Explicit,
        ..CheckOptions::default()
    };
    // With three bits alone there are 8^6 states.
    let budget = Budget::unlimited().with_states(200_000);
    let checked = check_ltl(&session, &mut store, f, &atoms, &options, &budget, |_| {});
    assert_eq!(checked.unwrap().verdict.holds(), Some(false));
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
        let session = Session::new(random_net(&mut rng));
        if Graph::of_model(session.model(), &[], MOST_STATES).is_err() {
            continue;
        }
        nets += 1;
        for dead_ends in [DeadEnds::Stutter, DeadEnds::Ignore] {
            for _ in 0..3 {
                let mut store = FormulaStore::new();
                let f = generator.next_formula(&mut store);
                let atoms = session.atoms(&store, f).unwrap();
                let names: Vec<PropId> = atoms.iter().map(|a| a.0).collect();
                let predicates: Vec<Predicate> = atoms.iter().map(|a| a.1.clone()).collect();
                let graph = Graph::of_model(session.model(), &predicates, MOST_STATES).unwrap();
                let expected = by_definition(&graph, &mut store, f, &names, dead_ends);
                let found = verdict(&session, &mut store, f, &atoms, dead_ends);
                assert_eq!(
                    found,
                    expected,
                    "{} with dead ends {dead_ends} on {:?}",
                    store.display(f),
                    session.net().expect("a net")
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
