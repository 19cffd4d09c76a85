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
use dalsegno_logic::{FormulaId, FormulaStore, PropId, parse};
use dalsegno_models::petri::reduce::{
    Condition, Keep, Observed, Reduced, Rule, reduce_by, reduce_without,
};
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

/// Rules, and a condition of theirs that does not count.
type Rules<'r> = (&'r [Rule], Option<Condition>);

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
        (rules, dropped): Rules<'_>,
        observed: &Observed,
        keep: Keep,
        structure: bool,
    ) -> Option<Self> {
        let structure = structure.then(|| Structure::new(&net));
        let budget = Budget::unlimited();
        let structure = structure.as_ref();
        let reduced = reduce_without(dropped, rules, &net, structure, observed, keep, &budget)?;
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
fn check(rules: Rules<'_>, keep: Keep, seed: u64, nets: u64) -> usize {
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
fn check_largest(rules: Rules<'_>, seed: u64, nets: u64) -> usize {
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
                let applied = check((&[rule], None), keep, (10 * i + j) as u64, nets);
                assert!(applied > 0, "{rule} with {keep:?}");
                if std::env::var("DALSEGNO_REDUCTIONS").is_ok() {
                    println!("{rule} {keep:?}: {applied} of {nets}");
                }
            }
        }
        if rule.keeps(Keep::Reach) {
            check_largest((&[rule], None), i as u64, nets);
        }
    }
}

/// The rules that have a condition.
fn rules_of(condition: Condition) -> Vec<Rule> {
    let rules = [
        ("dead", Rule::DeadTransition),
        ("idle", Rule::DeadTransition),
        ("constant", Rule::ConstantPlace),
        ("growing", Rule::ConstantPlace),
        ("sink-place", Rule::SinkPlace),
        ("equal", Rule::EqualPlace),
        ("implicit", Rule::ImplicitPlace),
        ("dominated", Rule::DominatedTransition),
        ("no-effect", Rule::NoEffectTransition),
        ("sink-transition", Rule::SinkTransition),
        ("source", Rule::SourceTransition),
        ("post", Rule::PostAgglomeration),
        ("pre", Rule::PreAgglomeration),
        ("pre", Rule::FreeAgglomeration),
        ("free", Rule::FreeAgglomeration),
        ("future", Rule::FutureEquivalentPlace),
        ("slice", Rule::Slicing),
        ("for-ever", Rule::Slicing),
    ];
    let of = |(begin, _): &&(&str, Rule)| condition.name().starts_with(begin);
    rules.iter().filter(of).map(|(_, rule)| *rule).collect()
}

/// A net in short: places with their tokens; transitions with what they take, put and are inhibited by.
fn net_of(tokens: &[(&str, u32)], transitions: &[(&str, &str, &str)]) -> PetriNet {
    let place = |(name, initial): &(&str, u32)| Place {
        id: (*name).to_owned(),
        name: (*name).to_owned(),
        initial: *initial,
    };
    let arcs = |names: &str| {
        let find = |name: &str| tokens.iter().position(|p| p.0 == name).unwrap() as u32;
        let arcs = names
            .split_whitespace()
            .map(|name| (PlaceId(find(name)), 1));
        arcs.collect::<Vec<_>>()
    };
    let transition = |(i, (pre, post, inhibit)): (usize, &(&str, &str, &str))| Transition {
        id: format!("t{i}"),
        name: format!("t{i}"),
        pre: arcs(pre),
        post: arcs(post),
        inhibit: arcs(inhibit),
        ..Transition::default()
    };
    let transitions = transitions.iter().enumerate().map(transition);
    let places = tokens.iter().map(place).collect();
    PetriNet::new("fixed", places, transitions.collect(), None).unwrap()
}

/// Nets that show what random ones hardly do: a rule, what is kept, the net, two atoms, and a formula of branching time.
fn fixed_nets() -> Vec<(Rule, Keep, PetriNet, [Predicate; 2], &'static str)> {
    let at_least = |p: u32, n: i64| Predicate::single(VarId(p), Relation::Ge, n);
    let exactly = |p: u32, n: i64| Predicate::single(VarId(p), Relation::Eq, n);
    // After the first step, which shows, it is open whether b comes.
    let choice = net_of(
        &[("a", 0), ("b", 0), ("s", 1), ("p", 0), ("q", 0), ("r", 0)],
        &[
            ("s", "p a", ""),
            ("p", "q", ""),
            ("p", "r", ""),
            ("q", "b", ""),
        ],
    );
    // Whoever fires t0 keeps the token of q2 for a second token in c; t1 would spend it. The decision is silent.
    let silent = net_of(
        &[("q1", 1), ("q2", 1), ("p", 0), ("c", 0)],
        &[
            ("q1", "p", ""),
            ("q1 q2", "p", ""),
            ("q2", "p", ""),
            ("p", "c", ""),
        ],
    );
    // The producer has to come before x, the consumer after it.
    let before = net_of(
        &[("q", 1), ("y", 1), ("x", 0), ("p", 0), ("c", 0)],
        &[("q", "p", "x"), ("y", "x", ""), ("p x", "c", "")],
    );
    // What the producer takes inhibits what the consumer needs.
    let taken = net_of(
        &[("q", 1), ("y", 1), ("x", 0), ("p", 0), ("c", 0)],
        &[("q", "p", ""), ("y", "x", "q"), ("p x", "c", "")],
    );
    let once = "E F a";
    vec![
        (
            Rule::PostAgglomeration,
            Keep::Branching,
            choice,
            [at_least(0, 1), at_least(1, 1)],
            "E F (a & E F b & E F A G !b)",
        ),
        (
            Rule::PreAgglomeration,
            Keep::Branching,
            silent,
            [exactly(3, 1), exactly(3, 2)],
            "E F (!a & !b & A G (a -> E F b))",
        ),
        (
            Rule::PreAgglomeration,
            Keep::Reach,
            before,
            [at_least(4, 1), at_least(4, 2)],
            once,
        ),
        (
            Rule::FreeAgglomeration,
            Keep::Reach,
            taken,
            [at_least(4, 1), at_least(4, 2)],
            once,
        ),
    ]
}

/// Compares the fixed nets of some rules.
fn check_fixed((rules, dropped): Rules<'_>) {
    let mut store = FormulaStore::new();
    let names = ["a", "b"].map(|name| {
        let atom = store.atom(name);
        store.propositions(atom)[0]
    });
    for (rule, keep, net, atoms, formula) in fixed_nets() {
        if !rules.contains(&rule) {
            continue;
        }
        let mut observed = Observed::nothing(&net);
        for atom in &atoms {
            observed.add_predicate(&net, atom);
        }
        let rules = (&[rule][..], dropped);
        if let Some(case) = Case::new(net, atoms.to_vec(), rules, &observed, keep, false) {
            let f = parse(&mut store, formula).unwrap();
            case.compare(&store, f, &names, DeadEnds::Stutter);
        }
    }
}

/// With what has to be kept and after how many rounds a condition is missed, if it is.
fn is_missed(condition: Condition, rounds: u64) -> Option<(Rule, Option<Keep>, u64)> {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    for rule in rules_of(condition) {
        let fixed = || check_fixed((&[rule], Some(condition)));
        if catch_unwind(AssertUnwindSafe(fixed)).is_err() {
            return Some((rule, None, 0));
        }
    }
    for round in 0..rounds {
        for rule in rules_of(condition) {
            let without = (&[rule][..], Some(condition));
            let fails = |test: &dyn Fn()| catch_unwind(AssertUnwindSafe(test)).is_err();
            for keep in KEEPS.into_iter().filter(|&keep| rule.keeps(keep)) {
                let test = || {
                    check(without, keep, 5000 + round, 25);
                };
                if fails(&test) {
                    return Some((rule, Some(keep), round));
                }
            }
            let largest = || {
                check_largest(without, 6000 + round, 100);
            };
            if rule.keeps(Keep::Reach) && fails(&largest) {
                return Some((rule, None, round));
            }
        }
    }
    None
}

/// Each condition is needed, and the nets are such that its lack shows.
#[test]
fn a_dropped_condition_is_missed() {
    check_fixed((Rule::ALL, None));
    let mut needless = Vec::new();
    for &condition in Condition::ALL {
        let missed = is_missed(condition, 200);
        println!("{condition}: {missed:?}");
        if missed.is_none() {
            needless.push(condition);
        }
    }
    assert!(needless.is_empty(), "{needless:?}");
}

#[test]
fn all_rules_together() {
    let nets = cases(400);
    for (j, keep) in KEEPS.into_iter().enumerate() {
        let applied = check((Rule::ALL, None), keep, 1000 + j as u64, nets);
        assert!(applied as u64 > nets / 4, "{keep:?}: {applied}");
    }
    check_largest((Rule::ALL, None), 2000, nets);
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
    for keep in [Keep::Reach, Keep::Traces, Keep::Branching] {
        let mut observed = Observed::nothing(&net);
        observed.add_places([PlaceId(0)]);
        let budget = Budget::unlimited();
        let reduced = reduce_by(Rule::ALL, &net, None, &observed, keep, &budget).unwrap();
        assert!(reduced.net.places().len() < 10, "{keep:?}: {}", reduced.net);
        // One round: the chain, one of the many ways back, and the first place again.
        let model = reduced.net.to_model();
        let mut steps = Vec::new();
        let mut state = model.initial()[0].clone();
        for _ in 0..3 {
            let group = model.group_ids().find(|&g| model.enabled(g, &state));
            let mut next = state.clone();
            assert!(model.fire(group.unwrap(), &state, &mut next).unwrap());
            steps.push(Step { state, group });
            state = next;
        }
        steps.push(Step { state, group: None });
        let lifted = reduced.replay.path(&steps, &net.to_model()).unwrap();
        replay_path(&net.to_model(), &lifted).unwrap();
        assert!(lifted.len() > 2_000, "{keep:?}: {} steps", lifted.len());
    }
}

/// 100,000 places within seconds: run by hand, in the release profile.
#[test]
fn a_hundred_thousand_places_are_no_trouble() {
    let net = large_net(100_000);
    for keep in KEEPS {
        let most = match keep {
            Keep::Deadlocks => 0,
            Keep::Steps => 50_010,
            _ => 20,
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
