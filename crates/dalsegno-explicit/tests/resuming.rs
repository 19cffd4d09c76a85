//! Searches that are interrupted, and searches that share a store, find what a search of its own finds.

mod subjects;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use dalsegno_automata::observer::Kind;
use dalsegno_certify::replay;
use dalsegno_explicit::breadth_first::BreadthFirst;
use dalsegno_explicit::emptiness::{Config, Emptiness, Firing, Prefixes, Search};
use dalsegno_explicit::explore::{Exploration, Outcome, explore};
use dalsegno_explicit::graph::Graph;
use dalsegno_explicit::partial_graph::PartialGraph;
use dalsegno_explicit::product::Product;
use dalsegno_explicit::search_order::SearchOrder;
use dalsegno_explicit::space::{Error, Space};
use dalsegno_explicit::view::View;
use dalsegno_explicit::witness;
use dalsegno_kripke::{Budget, DeadEnds, GroupId, Model, Predicate, Relation, Stop, VarId};
use dalsegno_logic::random::{Config as Formulas, Generator, Rng};
use dalsegno_logic::{FormulaStore, parse};
use dalsegno_models::petri::generators::Family;
use dalsegno_models::petri::{PetriNet, Symbols, proposition};
use dalsegno_testkit::nets::wild_net;
use dalsegno_testkit::random_net;

use subjects::{Subject, kanban_property, net};

const KINDS: [Kind; 4] = [Kind::Tgba, Kind::Ba, Kind::Tgta, Kind::Ta];

/// A net, a property, and how it is searched.
struct Case {
    net: PetriNet,
    property: String,
    kind: Kind,
    config: Config,
}

/// A small net with a formula that has all kinds of automata; some nets are infinite.
fn random_case(rng: &mut Rng, number: u64) -> Case {
    let wild = number % 3 == 2;
    let net = if wild { wild_net(rng) } else { random_net(rng) };
    let propositions = ["p0", "p1 >= 2", "fireable(t0)", "p0 + p1 = 1"];
    let formulas = Formulas::x_free().with_size(3..=12);
    let formulas = formulas.with_propositions(propositions).with_seed(number);
    let mut store = FormulaStore::new();
    let f = Generator::new(formulas).next_formula(&mut store);
    let orders = [
        SearchOrder::Declared,
        SearchOrder::Local,
        SearchOrder::Random(number),
    ];
    let prefixes = [Prefixes::Ignore, Prefixes::Keep, Prefixes::Stop];
    Case {
        net,
        property: store.display(f).to_string(),
        kind: KINDS[rng.index(4)],
        config: Config {
            order: orders[rng.index(3)],
            depth: rng.chance(1, 4).then(|| 3 + rng.index(6)),
            nodes: wild.then_some(300),
            bits: wild.then_some(3),
            prefixes: prefixes[rng.index(3)],
            firing: [Firing::All, Firing::Stubborn, Firing::Random(number)][rng.index(3)],
        },
    }
}

impl Subject {
    fn view(&mut self) -> View {
        let observer = self.observer.take().expect("taken once");
        let predicates = self.predicates.clone();
        View::new(&self.model, predicates, observer, DeadEnds::Stutter)
    }
}

/// A search at one go.
fn at_once(product: &mut Product<'_>, config: Config) -> Emptiness {
    let mut search = Emptiness::new(product, config);
    let ended = search.advance(product, u64::MAX, &Budget::unlimited(), |_| {});
    assert_eq!(ended, Ok(true));
    search
}

/// A search by a few nodes at a time that is stopped again and again; how often it was.
fn bit_by_bit(rng: &mut Rng, product: &mut Product<'_>, config: Config) -> (Emptiness, u32) {
    let mut search = Emptiness::new(product, config);
    let mut stopped = 0;
    loop {
        let nodes = 1 + rng.below(3);
        let before = *search.explored();
        let states = product.space().len() as u64;
        let (budget, stop) = match rng.below(5) {
            0 => (Budget::unlimited().with_states(states), Stop::States),
            1 => {
                let budget = Budget::unlimited();
                budget.cancel_flag().store(true, Ordering::Relaxed);
                (budget, Stop::Cancelled)
            }
            2 if rng.chance(1, 4) => (Budget::unlimited().with_bytes(1), Stop::Memory),
            _ => (Budget::unlimited(), Stop::Time),
        };
        let ended = search.advance(product, nodes, &budget, |_| {});
        assert!(search.explored().states <= before.states + nodes);
        match ended {
            Ok(true) => return (search, stopped),
            Ok(false) => assert_eq!(search.explored().states, before.states + nodes),
            Err(error) => {
                assert_eq!(error, Error::Stopped(stop));
                stopped += 1;
            }
        }
    }
}

/// Checks the run of a search on the net, and by definition that it violates the property.
fn certify(case: &Case, product: &mut Product<'_>, search: &Search) {
    let Some(accepting) = &search.accepting else {
        return;
    };
    let budget = Budget::unlimited();
    let run = witness::run(product, accepting, &search.visited, &budget).unwrap();
    let mut store = FormulaStore::new();
    let f = parse(&mut store, &case.property).unwrap();
    let symbols = Symbols::of_net(&case.net);
    let propositions = store.propositions(f);
    let meaning = |p| proposition::parse(store.name(p), &symbols).unwrap();
    let atoms = propositions.iter().map(|&p| (p, meaning(p).predicate));
    let atoms: Vec<_> = atoms.collect();
    let model = product.space().model();
    replay::refute(model, &run, DeadEnds::Stutter, &store, f, &atoms).unwrap();
}

#[test]
fn an_interrupted_search_is_the_same_search() {
    let mut rng = Rng::new(5);
    let (mut found, mut none, mut stops, mut second) = (0, 0, 0, 0);
    for number in 0..600 {
        let case = random_case(&mut rng, number);
        let [mut one, mut other] =
            [(); 2].map(|()| Subject::new(&case.net, &case.property, case.kind));
        let (mut own_space, mut own_view) = (Space::new(&one.model), one.view());
        let mut product = Product::new(&mut own_space, &mut own_view);
        let expected = at_once(&mut product, case.config).result();
        certify(&case, &mut product, &expected);
        let (mut space, mut view) = (Space::new(&other.model), other.view());
        let mut product = Product::new(&mut space, &mut view);
        let (search, stopped) = bit_by_bit(&mut rng, &mut product, case.config);
        assert_eq!(search.prefix(), expected.prefix.as_ref());
        let search = search.result();
        certify(&case, &mut product, &search);
        let told = |s: &Search| {
            let closing = s.closing.clone();
            (s.accepting.clone(), closing, s.explored, s.cut, s.complete)
        };
        assert_eq!(told(&search), told(&expected), "{}", case.property);
        found += u32::from(search.accepting.is_some());
        none += u32::from(search.complete && search.accepting.is_none());
        second += u32::from(search.explored.passes == 2);
        stops += stopped;
    }
    assert!(
        found > 100 && none > 100 && stops > 300 && second > 5,
        "{found} with a run, {none} without, {stops} stops, {second} second passes"
    );
}

#[test]
fn searches_that_share_a_store_find_what_they_find_alone() {
    let mut rng = Rng::new(6);
    let mut found = 0;
    for number in 0..60 {
        let net = random_net(&mut rng);
        let mut alone = Vec::new();
        let mut together = Vec::new();
        let mut shared = None;
        for part in 0..4 {
            let Case {
                property, config, ..
            } = random_case(&mut rng, 4 * number + part);
            let config = Config {
                bits: None,
                nodes: None,
                ..config
            };
            let kind = KINDS[part as usize];
            let case = Case {
                net: net.clone(),
                property,
                kind,
                config,
            };
            let mut subject = Subject::new(&net, &case.property, kind);
            let (mut space, mut view) = (Space::new(&subject.model), subject.view());
            let mut product = Product::new(&mut space, &mut view);
            alone.push(at_once(&mut product, config).result());
            let mut subject = Subject::new(&net, &case.property, kind);
            let space = shared.get_or_insert_with(|| Space::new(&subject.model));
            let mut view = subject.view();
            let search = Emptiness::new(&mut Product::new(space, &mut view), config);
            together.push((case, view, search, false));
        }
        let mut space = shared.expect("made for the first");
        // A breadth-first search fills the same store.
        let mut others = BreadthFirst::new(&space, Vec::new());
        let budget = Budget::unlimited();
        while together.iter().any(|(_, _, _, ended)| !ended) {
            others.advance(&mut space, 1, &budget).unwrap();
            for (_, view, search, ended) in &mut together {
                let mut product = Product::new(&mut space, view);
                let nodes = 1 + rng.below(4);
                *ended = search
                    .advance(&mut product, nodes, &budget, |_| {})
                    .unwrap();
            }
        }
        for (alone, (case, mut view, search, _)) in alone.iter().zip(together) {
            let search = search.result();
            let mut product = Product::new(&mut space, &mut view);
            certify(&case, &mut product, &search);
            let told = |s: &Search| (s.accepting.is_some(), s.explored, s.cut, s.complete);
            assert_eq!(told(&search), told(alone), "{}", case.property);
            found += u32::from(search.accepting.is_some());
        }
    }
    assert!(found > 20, "{found} with a run");
}

#[test]
fn a_node_with_many_groups_may_be_interrupted_between_them() {
    let mut rng = Rng::new(9);
    let mut stops = 0;
    for order in [SearchOrder::Declared, SearchOrder::Random(3)] {
        for property in ["G !(\"Eat_1\" & \"Eat_2\")", "G F \"Eat_1\""] {
            let case = Case {
                net: net(Family::Philosophers, 20),
                property: property.to_owned(),
                kind: Kind::Tgta,
                config: Config {
                    order,
                    nodes: Some(400),
                    ..Config::default()
                },
            };
            let told = [false, true].map(|interrupted| {
                let mut subject = Subject::new(&case.net, &case.property, case.kind);
                let (mut space, mut view) = (Space::new(&subject.model), subject.view());
                let mut product = Product::new(&mut space, &mut view);
                let search = if interrupted {
                    let (search, stopped) = bit_by_bit(&mut rng, &mut product, case.config);
                    stops += stopped;
                    search
                } else {
                    at_once(&mut product, case.config)
                };
                let search = search.result();
                certify(&case, &mut product, &search);
                (search.accepting, search.explored, search.cut, space.len())
            });
            assert_eq!(told[0], told[1], "{property}");
        }
    }
    assert!(stops > 50, "{stops} stops");
}

/// All that a breadth-first search may be asked of a model.
fn goals(model: &Model) -> Vec<Predicate> {
    let groups = model.group_ids();
    let mut goals: Vec<Predicate> = groups.map(|g| Predicate::Enabled(vec![g])).collect();
    goals.push(Predicate::Enabled(vec![GroupId(0), GroupId(1)]));
    goals.push(Predicate::DeadEnd);
    for v in 0..model.variables().len() as u32 {
        for n in 0..4 {
            goals.push(Predicate::single(VarId(v), Relation::Eq, n));
            let both = [
                Predicate::single(VarId(v), Relation::Ge, n),
                Predicate::DeadEnd,
            ];
            goals.push(Predicate::And(both.into()));
        }
    }
    goals
}

#[test]
fn a_breadth_first_search_of_a_filled_store_reaches_the_same_goals() {
    let mut rng = Rng::new(7);
    let budget = Budget::unlimited();
    let (mut reached, mut not) = (0, 0);
    for number in 0..80 {
        let case = random_case(&mut rng, 3 * number);
        let mut subject = Subject::new(&case.net, &case.property, case.kind);
        let model = Arc::clone(&subject.model);
        let goals = goals(&model);
        let mut own = Space::new(&model);
        let mut alone = BreadthFirst::new(&own, goals.clone());
        while !alone.advance(&mut own, 7, &budget).unwrap() {}

        let (mut space, mut view) = (Space::new(&model), subject.view());
        let mut product = Product::new(&mut space, &mut view);
        let mut search = Emptiness::new(&mut product, Config::default());
        let _ = search.advance(&mut product, 5, &budget, |_| {}).unwrap();
        // Some goals come later, when states were expanded or were added by others.
        let (first, later) = goals.split_at(rng.index(goals.len()));
        let mut sharing = BreadthFirst::new(&space, first.to_vec());
        let mut stopped = 0;
        for goal in later {
            let states = space.len() as u64;
            let limited = match rng.below(3) {
                0 => budget.clone().with_states(states),
                _ => budget.clone(),
            };
            stopped += u32::from(sharing.advance(&mut space, 1, &limited).is_err());
            let mut product = Product::new(&mut space, &mut view);
            search.advance(&mut product, 2, &budget, |_| {}).unwrap();
            let number = sharing.add_goal(&space, goal.clone());
            assert_eq!(goals[number], *goal);
        }
        while !sharing.advance(&mut space, 3, &budget).unwrap() {
            assert!(!sharing.is_complete(&space));
        }
        assert!(sharing.is_complete(&space) && stopped < 40);
        assert_eq!(
            (space.len(), sharing.transitions()),
            (own.len(), alone.transitions())
        );
        assert_eq!(sharing.fired(), alone.fired());
        assert_eq!(sharing.open(), alone.open());
        for (i, goal) in goals.iter().enumerate() {
            let states = [(&alone, &own), (&sharing, &space)].map(|(search, space)| {
                let state = search.reached()[i];
                assert!(state.is_none_or(|s| space.holds(s, goal)), "{goal:?}");
                state.is_some()
            });
            let any = (0..own.len() as u32).any(|s| own.holds(s, goal));
            assert_eq!(states, [any; 2], "{goal:?}");
            *(if any { &mut reached } else { &mut not }) += 1;
        }
    }
    assert!(reached > 500 && not > 300, "{reached} reached, {not} not");
}

#[test]
fn a_goal_that_is_dropped_is_not_looked_for() {
    let model = Arc::new(net(Family::Philosophers, 3).to_model());
    let mut space = Space::new(&model);
    let goals = vec![Predicate::DeadEnd, Predicate::Enabled(vec![GroupId(0)])];
    let mut search = BreadthFirst::new(&space, goals);
    search.drop_goal(0);
    assert_eq!(search.open(), 1);
    while !search
        .advance(&mut space, 100, &Budget::unlimited())
        .unwrap()
    {}
    assert_eq!(search.reached(), [None, Some(0)]);
    assert_eq!((search.open(), space.len()), (0, 27));
    search.drop_goal(1);
    assert_eq!(search.reached()[1], Some(0));
    // What is known when a goal comes needs no further state.
    let dead_end = search.add_goal(&space, Predicate::DeadEnd);
    assert!(search.reached()[dead_end].is_some());
    let never = search.add_goal(&space, Predicate::False);
    assert!(!search.is_complete(&space));
    assert!(search.advance(&mut space, 1, &Budget::unlimited()).unwrap());
    assert!(search.is_complete(&space) && search.reached()[never].is_none());
}

#[test]
fn an_interrupted_exploration_sees_the_same() {
    let mut rng = Rng::new(8);
    let mut unbounded = 0;
    for _ in 0..60 {
        let net = if rng.chance(1, 2) {
            wild_net(&mut rng)
        } else {
            random_net(&mut rng)
        };
        let model = Arc::new(net.to_model());
        let enough = Budget::unlimited().with_states(2_000);
        let expected = explore(&model, &enough, |_, _| {});
        let mut space = Space::new(&model);
        let mut exploration = Exploration::new(&space);
        let outcome = loop {
            let limited = Budget::unlimited().with_states(space.len() as u64);
            let budget = if rng.chance(1, 3) { &limited } else { &enough };
            match exploration.advance(&mut space, 1 + rng.below(4), budget, |_, _| {}) {
                Some(Outcome::Unknown(Stop::States, _)) if space.len() <= 2_000 => {}
                Some(outcome) => break outcome,
                None => {}
            }
        };
        unbounded += u32::from(matches!(outcome, Outcome::Unbounded(_)));
        let mut seen = exploration.finish(&space, outcome);
        assert_eq!(seen.outcome, expected.outcome);
        if seen.outcome == Outcome::Complete {
            // Tables grow by what is added at a time.
            seen.bytes = expected.bytes;
            assert_eq!(seen, expected);
        }
    }
    assert!(unbounded > 5, "{unbounded} unbounded");
}

#[test]
fn a_graph_does_not_depend_on_what_else_is_in_the_store() {
    let model = Arc::new(net(Family::Philosophers, 5).to_model());
    let budget = Budget::unlimited();
    let mut own = Space::new(&model);
    let mut filled = Space::new(&model);
    let mut search = BreadthFirst::new(&filled, Vec::new());
    while !search.advance(&mut filled, 1_000, &budget).unwrap() {}
    let graphs = [&mut own, &mut filled].map(|space| {
        let whole = Graph::build(space, &budget).unwrap();
        let mut part = PartialGraph::new(space);
        part.grow(space, &[], &budget.clone().with_states(300))
            .unwrap();
        let lists = |graph: &Graph| {
            let vertices = 0..graph.len() as u32;
            let list = |v| (graph.successors(v).to_vec(), graph.predecessors(v).to_vec());
            let lists: Vec<_> = vertices.map(list).collect();
            (lists, graph.transitions())
        };
        (lists(&whole), lists(part.graph()))
    });
    assert_eq!(graphs[0].0.0.len(), filled.len());
    assert!(graphs[0] == graphs[1]);
}

#[test]
fn a_search_of_a_large_store_pays_for_the_states_it_meets() {
    let kanban = net(Family::Kanban, 3);
    let mut subject = Subject::new(&kanban, &kanban_property(3), Kind::Tgba);
    let alone = subject.search(Firing::All);
    let mut space = Space::new(&subject.model);
    let budget = Budget::unlimited();
    let mut others = BreadthFirst::new(&space, Vec::new());
    while !others.advance(&mut space, 1_000, &budget).unwrap() {}
    let mut view = subject.view();
    let mut product = Product::new(&mut space, &mut view);
    let mut search = Emptiness::new(&mut product, Config::default());
    assert_eq!(search.advance(&mut product, 3, &budget, |_| {}), Ok(false));
    let few = search.bytes() + view.bytes();
    let mut product = Product::new(&mut space, &mut view);
    assert_eq!(
        search.advance(&mut product, u64::MAX, &budget, |_| {}),
        Ok(true)
    );
    let all = search.bytes() + view.bytes();
    assert!(4 * few < all && few < 400_000, "{few} of {all} bytes");
    let search = search.result();
    assert_eq!((search.explored, search.complete), (alone.explored, true));
}
