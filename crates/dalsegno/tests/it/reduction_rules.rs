//! Structural reductions by brute force: each rule by itself, and all together, on small random nets against the net that
//! was given. Formulas are evaluated by definition on both state graphs, and lifted runs are replayed.
//!
//! `DALSEGNO_REDUCTIONS` is the number of nets per rule; 20,000 take some minutes.

use std::collections::{BTreeMap, BTreeSet};

use dalsegno_certify::branching;
use dalsegno_certify::graph::Graph;
use dalsegno_certify::replay::{reaches, replay, replay_path};
use dalsegno_kripke::{
    Budget, Compare, DeadEnds, GroupId, Model, Predicate, Relation, ReplayError, Run, Step, VarId,
};
use dalsegno_logic::random::{Config, Generator, Rng};
use dalsegno_logic::{FormulaId, FormulaStore, PropId};
use dalsegno_models::petri::reduce::{Keep, Observed, Reduced, Rule, reduce_by};
use dalsegno_models::petri::structure::Structure;
use dalsegno_models::petri::{PetriNet, Place, PlaceId, Transition, TransitionId};
use dalsegno_testkit::nets::{random_net, wild_net};

/// The most states of a graph.
const MOST_STATES: usize = 150;

const KEEPS: [Keep; 6] = [
    Keep::Reach,
    Keep::Deadlocks,
    Keep::InfiniteTraces,
    Keep::Traces,
    Keep::Branching,
    Keep::Steps,
];

fn cases(otherwise: u64) -> u64 {
    let given = std::env::var("DALSEGNO_REDUCTIONS").ok();
    given.and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

/// A net with many transitions that move a single token, so that rules find something.
fn chained_net(rng: &mut Rng) -> PetriNet {
    let n = 3 + rng.index(5);
    let places = (0..n).map(|i| Place {
        id: format!("p{i}"),
        name: format!("p{i}"),
        initial: [0, 0, 0, 1, 1, 2][rng.index(6)],
    });
    let places = places.collect();
    let mut transitions: Vec<Transition> = Vec::new();
    for i in 0..2 + rng.index(6) {
        let place = |rng: &mut Rng| PlaceId(rng.index(n) as u32);
        let weight = |rng: &mut Rng| if rng.chance(1, 8) { 2 } else { 1 };
        let mut t = match transitions.last() {
            // Twins differ in a place.
            Some(last) if rng.chance(1, 6) => last.clone(),
            _ => Transition::default(),
        };
        t.id = format!("t{i}");
        t.name.clone_from(&t.id);
        if t.pre.is_empty() || rng.chance(1, 2) {
            t.pre.clear();
            if !rng.chance(1, 12) {
                t.pre.push((place(rng), weight(rng)));
            }
            if rng.chance(1, 4) {
                t.pre.push((place(rng), 1));
            }
        }
        if t.post.is_empty() {
            if !rng.chance(1, 8) {
                t.post.push((place(rng), weight(rng)));
            }
            if rng.chance(1, 4) {
                t.post.push((place(rng), 1));
            }
            if rng.chance(1, 8) {
                t.inhibit.push((place(rng), 1 + rng.below(2) as u32));
            }
            if rng.chance(1, 8) {
                t.test.push((place(rng), 1 + rng.below(2) as u32));
            }
        }
        transitions.push(t);
    }
    PetriNet::new("chained", places, transitions, None).unwrap()
}

fn any_net(rng: &mut Rng) -> PetriNet {
    match rng.index(5) {
        0 => random_net(rng),
        1 => wild_net(rng),
        _ => chained_net(rng),
    }
}

/// Atoms that a question observes.
fn any_atoms(rng: &mut Rng, net: &PetriNet) -> Vec<Predicate> {
    let mut atoms = Vec::new();
    for _ in 0..2 {
        let place = |rng: &mut Rng| VarId(rng.index(net.places().len()) as u32);
        let relations = [
            Relation::Ge,
            Relation::Ge,
            Relation::Gt,
            Relation::Le,
            Relation::Eq,
            Relation::Ne,
        ];
        let op = relations[rng.index(6)];
        let constant = rng.below(3).cast_signed();
        atoms.push(match rng.index(4) {
            0 => {
                let t = GroupId(rng.index(net.transitions().len()) as u32);
                Predicate::Enabled(vec![t])
            }
            1 => {
                let terms = vec![(1, place(rng)), (1, place(rng))];
                Predicate::Compare(Compare::new(terms, op, constant).unwrap())
            }
            _ => Predicate::single(place(rng), op, constant),
        });
    }
    atoms
}

/// A net, what is observed of it, and what became of both.
struct Case {
    net: PetriNet,
    given: Model,
    /// The states of the given net, if they are few.
    graph: Option<Graph>,
    reduced: Reduced,
    model: Model,
    now: Graph,
    atoms: Vec<Predicate>,
    atoms_now: Vec<Predicate>,
}

impl Case {
    /// A case, unless no rule applies or there are too many states.
    fn new(
        net: PetriNet,
        atoms: Vec<Predicate>,
        rules: &[Rule],
        observed: &Observed,
        keep: Keep,
        structure: bool,
    ) -> Option<Self> {
        let structure = structure.then(|| Structure::new(&net));
        let budget = Budget::unlimited();
        let reduced = reduce_by(rules, &net, structure.as_ref(), observed, keep, &budget)?;
        let given = net.to_model();
        let graph = Graph::of_model(&given, &atoms, MOST_STATES).ok();
        let model = reduced.net.to_model();
        let translated = atoms.iter().map(|atom| reduced.predicate(atom));
        let atoms_now: Vec<Predicate> = translated.collect::<Option<_>>().expect("it is observed");
        let now = Graph::of_model(&model, &atoms_now, 4 * MOST_STATES).ok();
        if graph.is_some() {
            assert!(now.is_some(), "a bounded net stays small: {net:?}");
        }
        Some(Case {
            net,
            given,
            graph,
            reduced,
            model,
            now: now?,
            atoms,
            atoms_now,
        })
    }

    fn told(&self) -> String {
        format!(
            "{:?}\nobserved {:?}\nreduced {:?}",
            self.net, self.atoms, self.reduced
        )
    }

    /// Compares a formula on both graphs.
    fn compare(&self, store: &FormulaStore, f: FormulaId, names: &[PropId], dead_ends: DeadEnds) {
        let Some(graph) = &self.graph else {
            return;
        };
        let Ok(before) = branching::holds(store, f, names, graph, dead_ends) else {
            return;
        };
        let after = branching::holds(store, f, names, &self.now, dead_ends).unwrap();
        assert_eq!(
            before[graph.initial()[0]],
            after[self.now.initial()[0]],
            "{} with {dead_ends:?} on {}",
            store.display(f),
            self.told()
        );
    }

    /// A walk in the reduced net: to a repeated state, a dead end, or after some steps.
    fn walk(&self, rng: &mut Rng) -> (Vec<Step>, Option<Run>) {
        let mut state = self.model.initial()[0].clone();
        let mut steps: Vec<Step> = Vec::new();
        let mut seen: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        for _ in 0..30 {
            let again = seen.insert(state.clone(), steps.len());
            if let Some(at) = again
                && rng.chance(1, 2)
            {
                let cycle = steps.split_off(at);
                return (steps.clone(), Some(Run::new(steps, cycle)));
            }
            let groups: Vec<GroupId> = self.model.group_ids().collect();
            let enabled: Vec<GroupId> = groups
                .into_iter()
                .filter(|&g| self.model.enabled(g, &state))
                .collect();
            if enabled.is_empty() {
                let end = Step { state, group: None };
                return (steps.clone(), Some(Run::new(steps, vec![end])));
            }
            let group = enabled[rng.index(enabled.len())];
            let mut next = state.clone();
            assert!(self.model.fire(group, &state, &mut next).unwrap());
            let state_before = std::mem::replace(&mut state, next);
            steps.push(Step {
                state: state_before,
                group: Some(group),
            });
        }
        steps.push(Step { state, group: None });
        (steps, None)
    }

    fn letter(model: &Model, atoms: &[Predicate], state: &[u32]) -> Vec<bool> {
        atoms.iter().map(|atom| atom.eval(model, state)).collect()
    }

    /// The letters of a run without repetitions, up to some number of changes.
    fn letters(model: &Model, atoms: &[Predicate], run: &Run) -> Vec<Vec<bool>> {
        let mut letters: Vec<Vec<bool>> = Vec::new();
        let mut at = 0;
        for _ in 0..run.stem.len() + 8 * run.cycle.len() {
            let letter = Self::letter(model, atoms, &run.get(at).state);
            if letters.last() != Some(&letter) {
                letters.push(letter);
            }
            at = run.successor(at);
        }
        letters
    }

    /// Lifts walks.
    fn lift(&self, rng: &mut Rng, keep: Keep) {
        let (path, run) = self.walk(rng);
        let replayed = match (&run, keep) {
            (Some(run), Keep::Traces | Keep::Branching | Keep::Steps) => {
                self.lift_run(run, DeadEnds::Stutter);
                return;
            }
            (Some(run), Keep::InfiniteTraces) if run.cycle[0].group.is_some() => {
                self.lift_run(run, DeadEnds::Ignore);
                return;
            }
            (Some(run), Keep::Deadlocks) if run.cycle[0].group.is_none() => {
                let mut path = run.stem.clone();
                path.extend(run.cycle.iter().cloned());
                let lifted = self.reduced.replay.path_to_dead_end(&path, &self.given);
                let lifted = lifted.unwrap_or_else(|e| panic!("{e}: {}", self.told()));
                reaches(&self.given, &lifted, &Predicate::DeadEnd).unwrap();
                return;
            }
            _ => {
                let mut path = path;
                if path.last().is_none_or(|step| step.group.is_some()) {
                    let state = run.map_or_else(
                        || self.model.initial()[0].clone(),
                        |run| run.cycle[0].state.clone(),
                    );
                    path.push(Step { state, group: None });
                }
                (self.reduced.replay.path(&path, &self.given), path)
            }
        };
        let (lifted, path) = replayed;
        let lifted = lifted.unwrap_or_else(|e| panic!("{e}: {}", self.told()));
        replay_path(&self.given, &lifted).unwrap();
        let (before, after) = (&lifted[lifted.len() - 1].state, &path[path.len() - 1].state);
        assert_eq!(
            Self::letter(&self.given, &self.atoms, before),
            Self::letter(&self.model, &self.atoms_now, after),
            "{}",
            self.told()
        );
    }

    fn lift_run(&self, run: &Run, dead_ends: DeadEnds) {
        let lifted = match self.reduced.replay.run(run, &self.given) {
            Ok(lifted) => lifted,
            // Where a place grows, no cycle closes.
            Err(ReplayError::Open) if self.graph.is_none() => return,
            Err(error) => panic!("{error}: {run:?} of {}", self.told()),
        };
        replay(&self.given, &lifted, dead_ends).unwrap();
        let before = Self::letters(&self.given, &self.atoms, &lifted);
        let after = Self::letters(&self.model, &self.atoms_now, run);
        let common = before.len().min(after.len());
        assert_eq!(before[..common], after[..common], "{}", self.told());
        // A run that goes on to change does so before and after.
        if common < before.len().max(after.len()) {
            assert!(common > run.cycle.len(), "{run:?} of {}", self.told());
        }
    }
}

/// Checks some rules on random nets; how often they applied.
fn check(rules: &[Rule], keep: Keep, seed: u64, nets: u64) -> usize {
    let mut rng = Rng::new(seed);
    let mut store = FormulaStore::new();
    let names: Vec<PropId> = ["a", "b"]
        .map(|name| {
            let atom = store.atom(name);
            store.propositions(atom)[0]
        })
        .to_vec();
    let config = match keep {
        Keep::Traces | Keep::InfiniteTraces => Config::x_free(),
        Keep::Branching => Config::ctl_star(),
        _ => Config::ltl(),
    };
    let mut generator = Generator::new(
        config
            .with_size(3..=9)
            .with_propositions(["a", "b"])
            .with_seed(seed),
    );
    let mut applied = 0;
    for _ in 0..16 * nets {
        if applied as u64 >= nets {
            break;
        }
        let net = any_net(&mut rng);
        let structure = rng.chance(1, 2);
        let (mut atoms, mut observed) = (Vec::new(), Observed::nothing(&net));
        if keep != Keep::Deadlocks {
            atoms = any_atoms(&mut rng, &net);
            for atom in &atoms {
                observed.add_predicate(&net, atom);
            }
        }
        let Some(case) = Case::new(net, atoms, rules, &observed, keep, structure) else {
            continue;
        };
        applied += 1;
        for _ in 0..4 {
            case.lift(&mut rng, keep);
        }
        let letters = |graph: &Graph| -> BTreeSet<u64> {
            (0..graph.len()).map(|s| graph.letter(s).0).collect()
        };
        let dead = |graph: &Graph| (0..graph.len()).any(|s| graph.successors(s).is_empty());
        if let Some(graph) = &case.graph {
            if keep != Keep::Deadlocks && keep != Keep::InfiniteTraces {
                assert_eq!(letters(graph), letters(&case.now), "{}", case.told());
            }
            if matches!(keep, Keep::Deadlocks | Keep::Steps) {
                assert_eq!(dead(graph), dead(&case.now), "{}", case.told());
            }
        }
        for _ in 0..6 {
            let f = generator.next_formula(&mut store);
            match keep {
                Keep::Reach | Keep::Deadlocks => {}
                Keep::Traces | Keep::InfiniteTraces => {
                    let dead_ends = if keep == Keep::Traces {
                        DeadEnds::Stutter
                    } else {
                        DeadEnds::Ignore
                    };
                    let every = store.forall(f);
                    case.compare(&store, every, &names, dead_ends);
                }
                Keep::Branching => {
                    if store.is(f, dalsegno_logic::Fragment::X_FREE) {
                        case.compare(&store, f, &names, DeadEnds::Stutter);
                        case.compare(&store, f, &names, DeadEnds::Finite);
                    }
                }
                Keep::Steps => {
                    let every = store.forall(f);
                    for dead_ends in [DeadEnds::Stutter, DeadEnds::Ignore] {
                        case.compare(&store, every, &names, dead_ends);
                    }
                }
            }
        }
    }
    applied
}

/// Bounds of sums and goals that want many tokens, on places that may be observed as such.
fn check_largest(rules: &[Rule], seed: u64, nets: u64) -> usize {
    let mut rng = Rng::new(seed);
    let mut applied = 0;
    for _ in 0..nets {
        let net = any_net(&mut rng);
        let mut observed = Observed::nothing(&net);
        let place = |rng: &mut Rng| rng.index(net.places().len()) as u32;
        let sum = [place(&mut rng), place(&mut rng)];
        let mut goal = Predicate::True;
        if rng.chance(1, 2) {
            observed.add_largest(sum.map(PlaceId));
        } else {
            let parts = any_atoms(&mut rng, &net);
            goal = if rng.chance(1, 2) {
                Predicate::all(parts)
            } else {
                Predicate::any(parts)
            };
            if rng.chance(1, 4) {
                goal = goal.negate();
            }
            observed.add_goal(&net, &goal);
        }
        let bound = goal == Predicate::True;
        let structure = rng.chance(1, 2);
        let made = Case::new(
            net.clone(),
            vec![goal],
            rules,
            &observed,
            Keep::Reach,
            structure,
        );
        let Some(case) = made else {
            continue;
        };
        applied += 1;
        let Some(graph) = &case.graph else {
            continue;
        };
        if bound {
            let value = |p: u32, state: &[u32]| match case.reduced.places[p as usize] {
                dalsegno_models::petri::reduce::PlaceNow::Place(p) => state[p.index()],
                dalsegno_models::petri::reduce::PlaceNow::Constant(n) => n,
                dalsegno_models::petri::reduce::PlaceNow::Gone => panic!("it is observed"),
            };
            let before = states(&case.given).into_iter();
            let before = before
                .map(|s| s[sum[0] as usize] + s[sum[1] as usize])
                .max();
            let after = states(&case.model).into_iter();
            let after = after.map(|s| value(sum[0], &s) + value(sum[1], &s)).max();
            assert_eq!(before, after, "{sum:?} of {}", case.told());
        } else {
            let reached = |graph: &Graph| (0..graph.len()).any(|s| graph.holds(s, 0));
            assert_eq!(reached(graph), reached(&case.now), "{}", case.told());
        }
    }
    applied
}

fn states(model: &Model) -> BTreeSet<Vec<u32>> {
    let mut seen: BTreeSet<Vec<u32>> = model.initial().iter().cloned().collect();
    let mut open: Vec<Vec<u32>> = model.initial().to_vec();
    let mut scratch = dalsegno_kripke::Scratch::default();
    while let Some(state) = open.pop() {
        model
            .successors(&state, &mut scratch, |_, next| {
                if seen.insert(next.to_vec()) {
                    open.push(next.to_vec());
                }
            })
            .unwrap();
    }
    seen
}

#[test]
fn each_rule_by_itself() {
    let nets = cases(150);
    for (i, &rule) in Rule::ALL.iter().enumerate() {
        for (j, keep) in KEEPS.into_iter().enumerate() {
            if rule.keeps(keep) {
                let applied = check(&[rule], keep, (10 * i + j) as u64, nets);
                assert!(applied > 0, "{rule} with {keep:?}");
                if std::env::var("DALSEGNO_REDUCTIONS").is_ok() {
                    println!("{rule} {keep:?}: {applied} of {nets}");
                }
            }
        }
        if rule.keeps(Keep::Reach) {
            check_largest(&[rule], i as u64, nets);
        }
    }
}

/// Whoever fires `h1` keeps the token of `q2` for a second `f`; `h2` would spend it. The decision is silent, and only a formula of
/// branching time sees it: after `h1`, each way to one token in `c` can go on to two.
#[test]
fn silent_decisions_among_producers_are_kept_for_branching_time() {
    let names = ["q1", "q2", "p", "c"];
    let places = names.iter().enumerate().map(|(i, name)| Place {
        id: (*name).to_owned(),
        name: (*name).to_owned(),
        initial: u32::from(i < 2),
    });
    let transition = |id: &str, pre: &[u32], post: u32| Transition {
        id: id.to_owned(),
        name: id.to_owned(),
        pre: pre.iter().map(|&p| (PlaceId(p), 1)).collect(),
        post: vec![(PlaceId(post), 1)],
        ..Transition::default()
    };
    let transitions = vec![
        transition("h1", &[0], 2),
        transition("h2", &[0, 1], 2),
        transition("h3", &[1], 2),
        transition("f", &[2], 3),
    ];
    let net = PetriNet::new("silent", places.collect(), transitions, None).unwrap();
    let mut observed = Observed::nothing(&net);
    observed.add_places([PlaceId(3)]);
    let by = |keep| {
        let rules = [Rule::PreAgglomeration];
        reduce_by(&rules, &net, None, &observed, keep, &Budget::unlimited())
    };
    assert!(by(Keep::Traces).is_some());
    assert!(by(Keep::Branching).is_none());
}

#[test]
fn all_rules_together() {
    let nets = cases(400);
    for (j, keep) in KEEPS.into_iter().enumerate() {
        let applied = check(Rule::ALL, keep, 1000 + j as u64, nets);
        assert!(applied as u64 > nets / 4, "{keep:?}: {applied}");
    }
    check_largest(Rule::ALL, 2000, nets);
}

#[test]
fn observed_transitions_stay_or_never_fire() {
    let mut rng = Rng::new(77);
    for _ in 0..200 {
        let net = any_net(&mut rng);
        let mut observed = Observed::nothing(&net);
        let t = TransitionId(rng.index(net.transitions().len()) as u32);
        observed.add_transition(&net, t);
        let budget = Budget::unlimited();
        let reduced = reduce_by(Rule::ALL, &net, None, &observed, Keep::Reach, &budget);
        if let Some(reduced) = reduced
            && reduced.transitions_of(t).is_empty()
        {
            let graph = Graph::of_model(
                &net.to_model(),
                &[Predicate::Enabled(vec![GroupId(t.0)])],
                MOST_STATES,
            );
            if let Ok(graph) = graph {
                assert!((0..graph.len()).all(|s| !graph.holds(s, 0)));
            }
        }
    }
}

/// A net with one long chain, many transitions at one place, and many places with the same future.
fn large_net(n: u32) -> PetriNet {
    let place = |i: u32| Place {
        id: format!("p{i}"),
        name: format!("p{i}"),
        initial: u32::from(i == 0),
    };
    let step = |i: u32, pre: u32, post: &[u32]| Transition {
        id: format!("t{i}"),
        name: format!("t{i}"),
        pre: vec![(PlaceId(pre), 1)],
        post: post.iter().map(|&p| (PlaceId(p), 1)).collect(),
        ..Transition::default()
    };
    let mut transitions = Vec::new();
    for i in 0..n / 2 {
        transitions.push(step(i, i, &[i + 1]));
    }
    for i in n / 2..n - 1 {
        transitions.push(step(i, n / 2, &[i + 1]));
        transitions.push(step(n + i, i + 1, &[0]));
    }
    PetriNet::new("large", (0..n).map(place).collect(), transitions, None).unwrap()
}

#[test]
fn large_nets_are_reduced_to_their_core() {
    let net = large_net(4_000);
    // Runs keep the many ways back, of which some dozens become one.
    let most = [
        (Keep::Reach, 10),
        (Keep::Traces, 2_100),
        (Keep::Branching, 2_100),
    ];
    for (keep, most) in most {
        let mut observed = Observed::nothing(&net);
        observed.add_places([PlaceId(0)]);
        let budget = Budget::unlimited();
        let reduced = reduce_by(Rule::ALL, &net, None, &observed, keep, &budget).unwrap();
        assert!(
            reduced.net.places().len() < most,
            "{keep:?}: {}",
            reduced.net
        );
    }
}

/// 100,000 places within seconds: run by hand, in the release profile.
#[test]
fn a_hundred_thousand_places_are_no_trouble() {
    let net = large_net(100_000);
    for keep in KEEPS {
        let most = match keep {
            Keep::Deadlocks => 0,
            Keep::Reach | Keep::InfiniteTraces => 20,
            Keep::Traces | Keep::Branching => 50_000,
            Keep::Steps => 99_980,
        };
        let mut observed = Observed::nothing(&net);
        if keep != Keep::Deadlocks {
            observed.add_places([PlaceId(0)]);
        }
        let budget = Budget::unlimited();
        let reduced = reduce_by(Rule::ALL, &net, None, &observed, keep, &budget).unwrap();
        let left = reduced.net.places().len();
        assert!(left <= most, "{keep:?}: {}", reduced.net);
    }
}
