//! Steps and fairness: atoms `fires(t)` and fair runs, in all engines and for all kinds of automata, against the
//! definition on random nets.

use std::collections::BTreeMap;
use std::sync::Arc;

use dalsegno::certify::{Graph, branching, replay};
use dalsegno::kind::Kind;
use dalsegno::kripke::{
    Budget, DeadEnds, Fairness, GroupId, Letter, Model, Scratch, Step, Strength,
};
use dalsegno::logic::random::{Config, Generator, Rng};
use dalsegno::logic::{FormulaId, FormulaStore, PropId};
use dalsegno::models::petri::generators::Family;
use dalsegno::models::petri::{PetriNet, Place, PlaceId, Transition};
use dalsegno::{
    About, Asked, AutomatonFile, Engine, Error, Fair, Format, Global, Logic, Meanings, Options,
    Run, Settings, Source, Value, read_hoa, translate,
};
use dalsegno_testkit::random_net;

use crate::support::{ask, lassos, no_defect, problem};

/// A graph whose states are those of a model with the group that led there: what a path did last is seen.
struct History {
    initial: Vec<usize>,
    successors: Vec<Vec<usize>>,
    states: Vec<(Vec<u32>, Option<GroupId>)>,
}

impl History {
    /// None if there are more states than that.
    fn new(model: &Model, limit: usize) -> Option<Self> {
        let mut states: Vec<(Vec<u32>, Option<GroupId>)> = Vec::new();
        let mut numbers = BTreeMap::new();
        let mut find = |state: (Vec<u32>, Option<GroupId>), states: &mut Vec<_>| {
            *numbers.entry(state.clone()).or_insert_with(|| {
                states.push(state);
                states.len() - 1
            })
        };
        let initial = model.initial().iter();
        let initial = initial.map(|s| find((s.clone(), None), &mut states));
        let initial: Vec<usize> = initial.collect();
        let mut successors = Vec::new();
        while successors.len() < states.len() {
            if states.len() > limit {
                return None;
            }
            let (state, _) = states[successors.len()].clone();
            let mut list = Vec::new();
            let visit =
                |g: GroupId, next: &[u32]| list.push(find((next.to_vec(), Some(g)), &mut states));
            model
                .successors(&state, &mut Scratch::default(), visit)
                .ok()?;
            successors.push(list);
        }
        Some(History {
            initial,
            successors,
            states,
        })
    }

    /// The graph with letters: the meanings of atoms in order, then for each atom of steps whether one of its groups
    /// came last, then whether the state is a dead end.
    fn graph(&self, model: &Model, meanings: &Meanings) -> Graph {
        let letter = |(state, last): &(Vec<u32>, Option<GroupId>)| {
            let states = meanings.atoms.iter().map(|(_, m)| m.eval(model, state));
            let fires = meanings.fires.iter().map(|(_, groups)| {
                let is_last = |last: GroupId| groups.contains(&last);
                last.is_some_and(is_last)
            });
            let dead = std::iter::once(model.is_dead_end(state));
            let values = states.chain(fires).chain(dead).enumerate();
            values.fold(Letter::default(), |letter, (i, value)| {
                letter.with(i, value)
            })
        };
        let letters = self.states.iter().map(letter).collect();
        Graph::new(self.initial.clone(), self.successors.clone(), letters)
    }
}

/// Whether a state formula, or a formula of LTL on all paths, holds by definition: `fires(t)` is that the state is no dead
/// end and that t is what led to the next one.
fn by_definition(
    model: &Model,
    history: &History,
    store: &mut FormulaStore,
    (logic, f): (Logic, FormulaId),
    meanings: &Meanings,
    dead_ends: DeadEnds,
) -> bool {
    let dead = store.atom("a dead end");
    let alive = store.not(dead);
    let mut names: Vec<PropId> = meanings.atoms.iter().map(|(p, _)| *p).collect();
    let mut came: BTreeMap<PropId, FormulaId> = BTreeMap::new();
    for (i, (p, _)) in meanings.fires.iter().enumerate() {
        let last = store.atom(&format!("atom {i} came last"));
        names.push(store.proposition(&format!("atom {i} came last")).unwrap());
        let next = store.next(last);
        came.insert(*p, store.and([alive, next]));
    }
    names.push(store.proposition("a dead end").unwrap());
    let f = store.substitute(f, |store, p| match came.get(&p) {
        Some(&g) => g,
        None => store.atom_of(p),
    });
    // A formula of LTL is meant on all paths, a constant too, but where there are none everything holds.
    let f = match (logic, store.forall(f)) {
        (Logic::Ltl, FormulaId::FALSE) => {
            let some = store.or([alive, dead]);
            let always = store.globally(some);
            let exists = store.exists(always);
            store.not(exists)
        }
        (Logic::Ltl, every) => every,
        _ => f,
    };
    let graph = history.graph(model, meanings);
    let states = branching::holds(store, f, &names, &graph, dead_ends).unwrap();
    graph.initial().iter().all(|&s| states[s])
}

/// All engines with all kinds of automata that they have.
fn ways() -> Vec<Settings> {
    let explicit = [None, Some(Kind::Tgba), Some(Kind::Ba), Some(Kind::Tgta)];
    let mut ways = Vec::new();
    for engine in [Engine::Explicit, Engine::Symbolic, Engine::Auto] {
        for automaton in explicit {
            ways.push(Settings {
                engine,
                automaton,
                ..Settings::default()
            });
        }
    }
    ways.push(Settings {
        engine: Engine::Explicit,
        automaton: Some(Kind::Ta),
        ..Settings::default()
    });
    ways
}

const ATOMS: [&str; 6] = [
    "p0",
    "p0 + p1 <= 1",
    "fireable(t0)",
    "fires(t0)",
    "fires(t0, t1)",
    "fires(t1)",
];

#[test]
fn steps_are_those_of_the_definition() {
    let mut rng = Rng::new(19);
    let config = Config::ltl()
        .with_propositions(ATOMS)
        .with_size(2..=7)
        .with_seed(5);
    let mut generator = Generator::new(config);
    let (mut held, mut failed, mut nets) = (0, 0, 0);
    while nets < 60 {
        let source = Source::of_net(random_net(&mut rng));
        let model = problem(&source).model();
        let Some(history) = History::new(model, 60) else {
            continue;
        };
        nets += 1;
        for dead_ends in [DeadEnds::Stutter, DeadEnds::Ignore] {
            for round in 0..3 {
                let mut store = FormulaStore::new();
                let f = generator.next_formula(&mut store);
                let text = store.display(f).to_string();
                let meanings = problem(&source).meanings(&store, f).unwrap();
                let expected = by_definition(
                    model,
                    &history,
                    &mut store,
                    (Logic::Ltl, f),
                    &meanings,
                    dead_ends,
                );
                for (i, mut settings) in ways().into_iter().enumerate() {
                    settings.lasso = (i + round) % 2 == 0;
                    let ta = settings.automaton == Some(Kind::Ta);
                    let way = format!("{text} by {settings:?} with {dead_ends}");
                    let asked = Asked::formula(Logic::Ltl, &text).with_dead_ends(Some(dead_ends));
                    let answer = ask(&source, settings, asked, &Budget::unlimited());
                    match answer.value {
                        Value::Truth(holds) => assert_eq!(holds, expected, "{way}"),
                        Value::Error(Error::Translation(_)) if ta => continue,
                        value => panic!("{way}: {value:?}"),
                    }
                    assert_eq!(answer.evidence.is_some(), !expected, "{way}");
                }
                *(if expected { &mut held } else { &mut failed }) += 1;
            }
        }
    }
    assert!(held > 50 && failed > 50, "{held} held, {failed} failed");
}

#[test]
fn steps_of_ctl_star_are_those_of_the_definition() {
    let mut rng = Rng::new(23);
    let formulas = [
        "E F \"fires(t0)\"",
        "A G(\"fires(t0)\" -> X \"fires(t1)\")",
        "A G E F \"fires(t0)\"",
        "E(\"fires(t0)\" & F p0)",
        "A F(\"fires(t1)\" & A X \"fires(t0)\")",
        "E G(\"fires(t0)\" | \"fires(t1)\")",
        "E G F \"fires(t0)\" -> A G F E X \"fires(t0, t1)\"",
        "A(G F \"fireable(t0)\" -> G F \"fires(t0)\")",
    ];
    let (mut held, mut failed, mut nets) = (0, 0, 0);
    while nets < 40 {
        let source = Source::of_net(random_net(&mut rng));
        let model = problem(&source).model();
        let Some(history) = History::new(model, 60) else {
            continue;
        };
        nets += 1;
        for dead_ends in [DeadEnds::Stutter, DeadEnds::Ignore] {
            for text in formulas {
                let mut store = FormulaStore::new();
                let f = problem(&source).parse(&mut store, text).unwrap();
                let meanings = problem(&source).meanings(&store, f).unwrap();
                let expected = by_definition(
                    model,
                    &history,
                    &mut store,
                    (Logic::CtlStar, f),
                    &meanings,
                    dead_ends,
                );
                for engine in [Engine::Explicit, Engine::Symbolic, Engine::Auto] {
                    let settings = Settings {
                        engine,
                        ..Settings::default()
                    };
                    let asked = Asked::formula(Logic::CtlStar, text);
                    let asked = asked.with_dead_ends(Some(dead_ends));
                    let answer = ask(&source, settings, asked, &Budget::unlimited());
                    let found = answer.holds();
                    assert_eq!(found, Some(expected), "{text}: {engine}, {dead_ends}");
                    // A run shows what one quantifier says of it.
                    let linear = text.matches(['E', 'A']).count() == 1;
                    let shown = linear && expected == text.starts_with('E');
                    assert_eq!(answer.evidence.is_some(), shown, "{text}: {engine}");
                }
                *(if expected { &mut held } else { &mut failed }) += 1;
            }
        }
    }
    assert!(held > 50 && failed > 50, "{held} held, {failed} failed");
}

/// A process that goes round by `a` and `b`, beside one that may leave for good by `leave`.
fn small_net() -> PetriNet {
    let places = vec![
        place("x", 1),
        place("y", 0),
        place("here", 1),
        place("gone", 0),
    ];
    let transitions = vec![step("a", 0, 1), step("b", 1, 0), step("leave", 2, 3)];
    PetriNet::new("small", places, transitions, None).unwrap()
}

#[test]
fn steps_without_a_path_are_refused() {
    let source = Source::of_net(small_net());
    let error = |logic, text: &str, dead_ends| {
        let asked = Asked::formula(logic, text).with_dead_ends(dead_ends);
        match ask(&source, Settings::default(), asked, &Budget::unlimited()).value {
            Value::Error(error) => error.render(),
            value => panic!("{text}: {value:?}"),
        }
    };
    let fires = "\"fires(a)\"";
    assert!(error(Logic::CtlStar, fires, None).contains("below no path quantifier"));
    let nested = format!("{fires} & E F x");
    assert!(error(Logic::CtlStar, &nested, None).contains("below no path quantifier"));
    let finally = format!("E F {fires}");
    assert!(error(Logic::Ctl, &finally, None).contains("use --ltl or --ctl-star"));
    let finite = Some(DeadEnds::Finite);
    assert!(error(Logic::CtlStar, &finally, finite).contains("go on for ever"));
    assert!(error(Logic::Ltl, "F \"fires(leaves)\"", None).contains("did you mean `leave`"));
    assert_eq!(source.check(&finally).unwrap().holds(), Some(true));
}

/// The formula that a property holds on all runs that are fair to some transitions.
fn by_hand(strength: Strength, transitions: &[String], property: &str) -> String {
    let fair = transitions.iter().map(|t| match strength {
        Strength::Weak => format!("G F(!\"fireable({t})\" | \"fires({t})\")"),
        Strength::Strong => format!("(G F \"fireable({t})\" -> G F \"fires({t})\")"),
    });
    let fair: Vec<String> = fair.collect();
    format!("({}) -> ({property})", fair.join(" & "))
}

fn fair(strength: Strength, transitions: &[String]) -> Vec<Fair> {
    let fair = |name: &String| Fair {
        strength,
        transitions: Some(name.clone()),
    };
    transitions.iter().map(fair).collect()
}

/// The verdict on fair runs of all engines and kinds of automata, which agree and certify their runs.
fn fair_verdict(source: &Source, text: &str, dead_ends: DeadEnds, fairness: &[Fair]) -> bool {
    let mut verdicts = Vec::new();
    for (i, mut settings) in ways().into_iter().enumerate() {
        if settings.automaton == Some(Kind::Ta) {
            continue;
        }
        settings.lasso = i % 2 == 0;
        settings.near = [0, 3, 20_000][i % 3];
        let asked = Asked::formula(Logic::Ltl, text).with_dead_ends(Some(dead_ends));
        let asked = asked.with_fairness(fairness);
        let way = format!("{text} by {settings:?}");
        let answer = ask(source, settings, asked, &Budget::unlimited());
        let holds = answer
            .holds()
            .unwrap_or_else(|| panic!("{way}: {answer:?}"));
        assert_eq!(answer.evidence.is_some(), !holds, "{way}");
        verdicts.push(holds);
    }
    assert!(
        verdicts.iter().all(|v| *v == verdicts[0]),
        "{text}: {verdicts:?}"
    );
    verdicts[0]
}

/// Some of the transitions of a model.
fn some_transitions(model: &Model, rng: &mut Rng, most: usize) -> Vec<String> {
    let mut names: Vec<String> = model.groups().iter().map(|g| g.name().to_owned()).collect();
    while names.len() > most {
        names.remove(rng.index(names.len()));
    }
    names
}

const PROPERTIES: [&str; 8] = [
    "F !p0",
    "G F \"fireable(t0)\"",
    "F G !p1",
    "G(p0 -> F p1)",
    "G F \"p0 + p1 <= 1\"",
    "G F p0 | F G deadlock",
    "G \"p0 <= 1\"",
    "p0 U X !p1",
];

/// By the definition of fairness on the graph of a net: what happens infinitely often came last infinitely often.
#[test]
fn fairness_is_that_of_the_definition() {
    let mut rng = Rng::new(31);
    let (mut held, mut failed, mut matters, mut nets) = (0, 0, 0, 0);
    while nets < 120 {
        let source = Source::of_net(random_net(&mut rng));
        let model = problem(&source).model();
        let Some(history) = History::new(model, 50) else {
            continue;
        };
        nets += 1;
        for dead_ends in [DeadEnds::Stutter, DeadEnds::Ignore] {
            let strength = [Strength::Weak, Strength::Strong][rng.index(2)];
            let most = if strength == Strength::Weak { 3 } else { 2 };
            let names = some_transitions(model, &mut rng, most);
            let property = PROPERTIES[rng.index(PROPERTIES.len())];
            let mut store = FormulaStore::new();
            let text = by_hand(strength, &names, property);
            let f = problem(&source).parse(&mut store, &text).unwrap();
            let meanings = problem(&source).meanings(&store, f).unwrap();
            let expected = by_definition(
                model,
                &history,
                &mut store,
                (Logic::Ltl, f),
                &meanings,
                dead_ends,
            );
            let fairness = fair(strength, &names);
            let found = fair_verdict(&source, property, dead_ends, &fairness);
            assert_eq!(found, expected, "{text} with {dead_ends}");
            *(if found { &mut held } else { &mut failed }) += 1;
            matters += u32::from(found && !fair_verdict(&source, property, dead_ends, &[]));
        }
    }
    assert!(held > 50 && failed > 50, "{held} held, {failed} failed");
    assert!(matters > 10, "fairness matters {matters} times");
}

/// Where a fair run is proved shortest, no shorter lasso is fair and violates the property.
#[test]
fn shortest_fair_runs_are_shortest() {
    let mut rng = Rng::new(43);
    let (mut proved, mut longer) = (0, 0);
    for round in 0..150 {
        let source = Source::of_net(random_net(&mut rng));
        let model = problem(&source).model();
        let strength = [Strength::Weak, Strength::Weak, Strength::Strong][round % 3];
        let wishes = fair(strength, &some_transitions(model, &mut rng, 6));
        let fairness = problem(&source).fairness(&wishes).unwrap();
        let text = ["F G !p0", "G F \"fireable(t1)\"", "G F !p1", "F G p1"][rng.index(4)];
        let length = |wishes: &[Fair]| {
            let settings = Settings {
                engine: Engine::Explicit,
                lasso: true,
                shortest: true,
                ..Settings::default()
            };
            let asked = Asked::formula(Logic::Ltl, text).with_fairness(wishes);
            let answer = ask(&source, settings, asked, &Budget::unlimited());
            answer.run().map(|run| (run.len(), answer.shortest))
        };
        let Some((found, true)) = length(&wishes) else {
            continue;
        };
        proved += 1;
        longer += u32::from(length(&[]).is_some_and(|(all, _)| all < found));
        let mut store = FormulaStore::new();
        let f = problem(&source).parse(&mut store, text).unwrap();
        let atoms = problem(&source).atoms(&store, f).unwrap();
        let shorter = lassos(model, DeadEnds::Stutter, found.min(6) - 1, 3000);
        for run in shorter.into_iter().filter(|run| run.len() < found) {
            let violates = replay::refute(model, &run, DeadEnds::Stutter, &store, f, &atoms);
            let fair = replay::is_fair(model, &run, &fairness);
            assert!(violates.is_err() || fair.is_err(), "{text}: {run:?}");
        }
    }
    assert!(
        proved > 30 && longer > 3,
        "{proved} proved, {longer} longer"
    );
}

/// The same verdict as the formula by hand, for some transitions.
#[test]
fn fairness_is_that_of_the_formula_by_hand() {
    let mut rng = Rng::new(37);
    let (mut held, mut failed, mut matters, mut nets) = (0, 0, 0, 0);
    while nets < 200 {
        let source = Source::of_net(random_net(&mut rng));
        let model = problem(&source).model();
        if Graph::of_model(model, &[], 3).is_ok() {
            continue;
        }
        nets += 1;
        let strength = [Strength::Weak, Strength::Strong][nets % 2];
        // The formula for more strongly fair transitions is slow: that is what fairness is for.
        let most = if strength == Strength::Weak { 4 } else { 2 };
        let names = some_transitions(model, &mut rng, most);
        let property = PROPERTIES[rng.index(PROPERTIES.len())];
        let dead_ends = [DeadEnds::Stutter, DeadEnds::Stutter, DeadEnds::Ignore][nets % 3];
        let verdict = |text: &str, engine, fairness: &[Fair]| {
            let settings = Settings {
                engine,
                ..Settings::default()
            };
            let asked = Asked::formula(Logic::Ltl, text).with_dead_ends(Some(dead_ends));
            let asked = asked.with_fairness(fairness);
            let answer = ask(&source, settings, asked, &Budget::unlimited());
            let holds = answer.holds();
            holds.unwrap_or_else(|| panic!("{text}: {answer:?}"))
        };
        let text = by_hand(strength, &names, property);
        let expected = verdict(&text, Engine::Auto, &[]);
        let fairness = fair(strength, &names);
        for engine in [Engine::Explicit, Engine::Symbolic] {
            let found = verdict(property, engine, &fairness);
            assert_eq!(found, expected, "{text} with {dead_ends} by {engine}");
        }
        *(if expected { &mut held } else { &mut failed }) += 1;
        matters += u32::from(expected && !verdict(property, Engine::Auto, &[]));
    }
    assert!(held > 50 && failed > 50, "{held} held, {failed} failed");
    assert!(matters > 10, "fairness matters {matters} times");
}

/// Whether some fair run stays in a set of states for ever and visits all of them, by definition: it can take all steps
/// inside again and again, and has to be fair to what is enabled there.
fn is_fair_set(model: &Model, states: &[Vec<u32>], fairness: &Fairness, stutters: bool) -> bool {
    let mut steps: Vec<(usize, Option<GroupId>, usize)> = Vec::new();
    for (i, state) in states.iter().enumerate() {
        let visit = |g: GroupId, next: &[u32]| {
            if let Some(j) = states.iter().position(|s| s == next) {
                steps.push((i, Some(g), j));
            }
        };
        model
            .successors(state, &mut Scratch::default(), visit)
            .unwrap();
        if stutters && model.is_dead_end(state) {
            steps.push((i, None, i));
        }
    }
    let reaches = |from: usize, back: bool| {
        let mut seen = vec![from];
        let mut at = 0;
        while let Some(&node) = seen.get(at) {
            at += 1;
            for &(i, _, j) in &steps {
                let (i, j) = if back { (j, i) } else { (i, j) };
                if i == node && !seen.contains(&j) {
                    seen.push(j);
                }
            }
        }
        seen.len() == states.len()
    };
    let connected = !steps.is_empty() && reaches(0, false) && reaches(0, true);
    connected
        && fairness.sets().iter().all(|set| {
            let mut enabled = states.iter().map(|s| set.is_enabled(model, s));
            let asks = match set.strength {
                Strength::Weak => enabled.all(|e| e),
                Strength::Strong => enabled.any(|e| e),
            };
            !asks || steps.iter().any(|&(_, g, _)| set.fires(g))
        })
}

/// All transitions, each weakly or strongly fair or not at all, against all sets of states that a run may stay in.
#[test]
fn fairness_to_all_transitions_is_that_of_all_sets_of_states() {
    let mut rng = Rng::new(41);
    let (mut held, mut failed, mut nets) = (0, 0, 0);
    while nets < 150 {
        let source = Source::of_net(random_net(&mut rng));
        let model = problem(&source).model();
        let mut states = vec![model.initial()[0].clone()];
        let mut next = 0;
        while let Some(state) = states.get(next).cloned().filter(|_| states.len() <= 9) {
            next += 1;
            let visit = |_: GroupId, after: &[u32]| {
                if !states.iter().any(|s| s == after) {
                    states.push(after.to_vec());
                }
            };
            model
                .successors(&state, &mut Scratch::default(), visit)
                .unwrap();
        }
        if !(3..=9).contains(&states.len()) {
            continue;
        }
        nets += 1;
        let mut wishes = Vec::new();
        for group in model.groups() {
            let strength = [Strength::Weak, Strength::Strong][rng.index(2)];
            if rng.chance(4, 5) {
                wishes.extend(fair(strength, &[group.name().to_owned()]));
            }
        }
        let fairness = problem(&source).fairness(&wishes).unwrap();
        let atom = ["p0", "p1 >= 2", "fireable(t1)"][rng.index(3)];
        let mut store = FormulaStore::new();
        let f = store.atom(atom);
        let (_, meaning) = problem(&source).atoms(&store, f).unwrap().remove(0);
        let dead_ends = [DeadEnds::Stutter, DeadEnds::Ignore][nets % 2];
        let stutters = dead_ends == DeadEnds::Stutter;
        // Whether the atom is missing in all, or in one, of the states that a fair run stays in.
        let (mut never, mut missing) = (false, false);
        for subset in 1..1_u32 << states.len() {
            let inside = (0..states.len()).filter(|i| subset >> i & 1 == 1);
            let inside: Vec<Vec<u32>> = inside.map(|i| states[i].clone()).collect();
            let mut holds = inside.iter().map(|s| meaning.eval(model, s));
            let (some, all) = (holds.clone().any(|h| h), holds.all(|h| h));
            if !(never || some) || !(missing || all) {
                let fair = is_fair_set(model, &inside, &fairness, stutters);
                never |= fair && !some;
                missing |= fair && !all;
            }
        }
        for (text, fails) in [("G F", never), ("F G", missing)] {
            let text = format!("{text} \"{atom}\"");
            let found = fair_verdict(&source, &text, dead_ends, &wishes);
            assert_eq!(found, !fails, "{text} with {dead_ends}, {wishes:?}");
            *(if found { &mut held } else { &mut failed }) += 1;
        }
    }
    assert!(held > 50 && failed > 50, "{held} held, {failed} failed");
}

fn place(id: &str, initial: u32) -> Place {
    Place {
        id: id.to_owned(),
        name: id.to_owned(),
        initial,
    }
}

fn step(id: &str, from: u32, to: u32) -> Transition {
    Transition {
        id: id.to_owned(),
        name: id.to_owned(),
        pre: vec![(PlaceId(from), 1)],
        post: vec![(PlaceId(to), 1)],
        ..Transition::default()
    }
}

/// A token goes round a hundred places, and may leave from the last one by the last transition.
#[test]
fn more_than_64_transitions_are_treated_fairly() {
    let mut places: Vec<Place> = (0..100)
        .map(|i| place(&format!("p{i}"), u32::from(i == 0)))
        .collect();
    places.push(place("out", 0));
    let mut transitions: Vec<Transition> = (0..100)
        .map(|i| step(&format!("t{i}"), i, (i + 1) % 100))
        .collect();
    transitions.push(step("leave", 99, 100));
    let source = Source::of_net(PetriNet::new("round", places, transitions, None).unwrap());
    for (wishes, holds) in [
        ("weak", false),
        ("weak:leave", false),
        ("strong", true),
        ("strong:leave", true),
        ("strong:t*", false),
        ("weak,strong:l*e", true),
    ] {
        let wishes: Vec<Fair> = wishes
            .split(',')
            .map(|wish| wish.parse().unwrap())
            .collect();
        let found = fair_verdict(&source, "F out", DeadEnds::Stutter, &wishes);
        assert_eq!(found, holds, "{wishes:?}");
    }
}

#[test]
fn programs_and_tables_have_steps_and_fair_runs() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/");
    let dve = Source::open(format!("{examples}peterson.dve")).unwrap();
    let tables = "begin state\nx:nat y:nat\nend state\nbegin edge\nend edge\nbegin init\n0 0\nend init\n\
        begin trans\n0/1 *\n1/0 *\nend trans\nbegin trans\n1/1 0/1\n* 1/2\nend trans\n";
    let etf = Source::from_bytes(tables.as_bytes(), "m.etf", &Budget::unlimited()).unwrap();
    let enter = "\"fires('P_0: wait -> CS')\"";
    let again = "G F \"P_0 = CS\"";
    let dve_cases = [
        (again.to_owned(), "", false),
        (again.to_owned(), "weak", true),
        (again.to_owned(), "weak:P_0*", true),
        (again.to_owned(), "strong:P_1*", false),
        (format!("G F {enter}"), "", false),
        (format!("G F {enter}"), "weak", true),
        (format!("G({enter} -> X \"P_0 = CS\")"), "", true),
        (
            format!("G({enter} <-> (\"P_0 = wait\" & X \"P_0 = CS\"))"),
            "",
            true,
        ),
    ];
    // The first table makes x alternate, the second one lets y grow where x is 1.
    let etf_cases = [
        ("F \"y = 2\"".to_owned(), "", false),
        ("F \"y = 2\"".to_owned(), "weak", false),
        ("F \"y = 2\"".to_owned(), "strong", true),
        ("F \"y = 1\" -> F \"y = 2\"".to_owned(), "", false),
        ("F \"y = 1\" -> F \"y = 2\"".to_owned(), "weak:t1", true),
        ("F \"y = 2\"".to_owned(), "strong:t0", false),
        ("F \"fires(t1)\"".to_owned(), "", false),
        ("F \"fires(t1)\"".to_owned(), "strong", true),
        ("G(\"fires(t1)\" -> X \"y >= 1\")".to_owned(), "", true),
        (
            "G(\"x = 0\" -> X(\"x = 1\" | !\"fires(t0)\"))".to_owned(),
            "",
            false,
        ),
    ];
    let cases = dve_cases.map(|case| (&dve, case)).into_iter();
    for (source, (text, wishes, holds)) in cases.chain(etf_cases.map(|case| (&etf, case))) {
        let wishes: Vec<Fair> = wishes.parse().into_iter().collect();
        let found = fair_verdict(source, &text, DeadEnds::Stutter, &wishes);
        assert_eq!(found, holds, "{text} {wishes:?}");
    }
}

#[test]
fn a_coloured_transition_is_all_its_bindings_each_by_itself() {
    let net = Family::Philosophers.generate_coloured(3).unwrap();
    let coloured = Source::of_coloured(net);
    let plain = Source::of_net(Family::Philosophers.generate(3).unwrap());
    let sets = problem(&coloured).fairness(&["weak:End".parse().unwrap()]);
    let sizes: Vec<usize> = sets
        .unwrap()
        .sets()
        .iter()
        .map(|s| s.groups.len())
        .collect();
    assert_eq!(sizes, [1, 1, 1]);
    for (text, of_plain) in [
        ("G F \"fires(End)\"", "G F \"fires(End_1, End_2, End_3)\""),
        (
            "G(\"fires(End)\" -> X \"Think >= 1\")",
            "G(\"fires(End_1, End_2, End_3)\" -> X \"Think_1 + Think_2 + Think_3 >= 1\")",
        ),
        ("G F \"'Eat(2)' >= 1\"", "G F Eat_2"),
    ] {
        for wish in ["weak", "strong"] {
            for dead_ends in [DeadEnds::Stutter, DeadEnds::Ignore] {
                let wishes: Vec<Fair> = vec![wish.parse().unwrap()];
                let found = fair_verdict(&coloured, text, dead_ends, &wishes);
                let expected = fair_verdict(&plain, of_plain, dead_ends, &wishes);
                assert_eq!(found, expected, "{text} {wish} {dead_ends}");
            }
        }
    }
}

#[test]
fn fairness_where_it_has_no_meaning_is_refused() {
    let source = Source::of_net(small_net());
    let error = |asked: Asked, wish: &str, automaton| {
        let settings = Settings {
            automaton,
            ..Settings::default()
        };
        let asked = asked.with_fairness(&[wish.parse().unwrap()]);
        match ask(&source, settings, asked, &Budget::unlimited()).value {
            Value::Error(error) => error.render(),
            value => panic!("{wish}: {value:?}"),
        }
    };
    let ltl = || Asked::formula(Logic::Ltl, "G F x");
    assert!(error(Asked::formula(Logic::Ctl, "AG x"), "weak", None).contains("not about runs"));
    assert!(error(Asked::global(Global::Deadlock), "weak", None).contains("not about runs"));
    assert!(error(ltl(), "weak", Some(Kind::Ta)).contains("a ta accepts livelocks"));
    assert!(error(ltl(), "weak:leaf", None).contains("did you mean `leave`"));
    assert!(error(ltl(), "strong:z*", None).contains("called like `z*`"));
}

/// Questions with and without steps and fairness in one run, and a bad prefix that stays one.
#[test]
fn questions_about_steps_and_states_share_a_run() {
    let source = Source::of_net(small_net());
    let mut run = Run::new(&source, Settings::default());
    let wish = |text: &str| -> Vec<Fair> { text.parse().into_iter().collect() };
    let cases = [
        ("G F x", "", true),
        ("F gone", "", false),
        ("F gone", "weak", true),
        ("F \"fires(leave)\"", "", false),
        ("F \"fires(leave)\"", "weak:leave", true),
        ("G !gone", "strong", false),
        ("G !\"fires(leave)\"", "weak", false),
        ("G(\"fires(a)\" -> X !\"fires(a)\")", "", true),
        ("E F \"fires(b)\"", "", true),
    ];
    let numbers = cases.map(|(text, fair, _)| {
        run.ask(Asked::formula(Logic::Any, text).with_fairness(&wish(fair)))
    });
    // Nothing is known in no time, and what is open is answered later.
    let none = Budget::unlimited().with_states(1);
    run.answer(&none, &mut no_defect).unwrap();
    run.answer(&Budget::unlimited(), &mut no_defect).unwrap();
    for (number, (text, fair, holds)) in numbers.into_iter().zip(cases) {
        let answer = run.answer_to(number);
        assert_eq!(answer.holds(), Some(holds), "{text} {fair}");
        let prefix = text.starts_with("G !") || text.starts_with("E F");
        assert_eq!(answer.prefix().is_some(), prefix, "{text} {fair}");
    }
    assert_eq!(
        run.answer_to(numbers[6]).prefix().map(<[Step]>::len),
        Some(2)
    );
}

/// An automaton from a file sees the runs that are fair.
#[test]
fn automata_of_files_are_asked_of_fair_runs() {
    let source = Source::of_net(small_net());
    for kind in [Kind::Tgba, Kind::Ba, Kind::Ta, Kind::Tgta] {
        let mut store = FormulaStore::new();
        let f = dalsegno::logic::parse(&mut store, "G !gone").unwrap();
        let options = Options {
            kind,
            ..Options::default()
        };
        let made = translate(&mut store, f, &options, &Budget::unlimited()).unwrap();
        let mut hoa = Vec::new();
        made.write(&store, "never", Format::Hoa, &mut hoa).unwrap();
        let mut read = read_hoa(std::str::from_utf8(&hoa).unwrap()).unwrap();
        let content = read.remove(0).document.content;
        let file = Arc::new(AutomatonFile {
            name: "never.hoa".to_owned(),
            content,
        });
        let mut run = Run::new(&source, Settings::default());
        let mut ask = |fairness: &[Fair]| {
            let asked = Asked {
                about: About::Automaton(Arc::clone(&file), false),
                ..Asked::formula(Logic::Ltl, "")
            };
            run.ask(asked.with_fairness(fairness))
        };
        let (all, fair) = (ask(&[]), ask(&["weak:leave".parse().unwrap()]));
        run.answer(&Budget::unlimited(), &mut no_defect).unwrap();
        assert_eq!(run.answer_to(all).holds(), Some(false), "{kind:?}");
        assert_eq!(run.answer_to(fair).holds(), Some(true), "{kind:?}");
    }
}
