//! Representatives of the markings of coloured nets: the graph is bisimilar to that of the unfolded net, and its runs are those of
//! the net.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use dalsegno_kripke::{Budget, GroupId, Model, Scratch, Step};
use dalsegno_logic::random::Rng;
use dalsegno_models::petri::TransitionId;
use dalsegno_models::petri::coloured::{
    ColouredNet, Limits, OrbitCondition, Orbits, Unfolded, unfold,
};
use dalsegno_testkit::random_coloured_net;

/// Coloured transitions with the states, or classes of states, that they lead to.
type Steps = BTreeSet<(u32, usize)>;

/// What a state shows, and where its steps lead: coloured transitions with the states after them.
struct Graph {
    shown: Vec<Vec<u32>>,
    steps: Vec<Steps>,
}

/// The whole graph of a model; `None` if it has more than `most` states.
fn graph(
    model: &Model,
    most: usize,
    shown: impl Fn(&[u32]) -> Vec<u32>,
    transition: impl Fn(GroupId) -> u32,
) -> Option<Graph> {
    let mut scratch = Scratch::default();
    let mut numbers: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut states = vec![model.initial()[0].clone()];
    numbers.insert(states[0].clone(), 0);
    let mut steps = Vec::new();
    let mut at = 0;
    while at < states.len() {
        if states.len() > most || states[at].iter().skip(1).any(|&n| n > 20) {
            return None;
        }
        let mut own = BTreeSet::new();
        for group in (0..model.groups().len() as u32).map(GroupId) {
            let state = states[at].clone();
            let fired = model.successors_by(group, &state, &mut scratch, |next| {
                let number = *numbers.entry(next.to_vec()).or_insert_with(|| {
                    states.push(next.to_vec());
                    states.len() - 1
                });
                own.insert((transition(group), number));
            });
            fired.ok()?;
        }
        steps.push(own);
        at += 1;
    }
    Some(Graph {
        shown: states.iter().map(|state| shown(state)).collect(),
        steps,
    })
}

/// Whether the first states of two graphs are bisimilar: states of both are split until nothing is left to be split.
fn bisimilar(a: &Graph, b: &Graph) -> bool {
    let shift = a.shown.len();
    let shown: Vec<&Vec<u32>> = a.shown.iter().chain(&b.shown).collect();
    let mut class: Vec<usize> = vec![0; shown.len()];
    let mut count = 0;
    loop {
        let mut known: BTreeMap<(&Vec<u32>, usize, Steps), usize> = BTreeMap::new();
        let mut next = Vec::new();
        for (state, shown) in shown.iter().enumerate() {
            let (steps, offset) = if state < shift {
                (&a.steps[state], 0)
            } else {
                (&b.steps[state - shift], shift)
            };
            let steps = steps.iter().map(|&(t, to)| (t, class[to + offset]));
            let key = (*shown, class[state], steps.collect());
            let fresh = known.len();
            next.push(*known.entry(key).or_insert(fresh));
        }
        let now = known.len();
        class = next;
        if now == count {
            return class[0] == class[shift];
        }
        count = now;
    }
}

/// The graphs of a net, unfolded and by representatives, if they are small.
fn graphs(net: &ColouredNet, dropped: Option<OrbitCondition>) -> Option<(Graph, Graph)> {
    let unlimited = Budget::unlimited();
    let full: Unfolded = unfold(net.clone(), Limits::default(), &unlimited, |_| {}).ok()?;
    let lift = full.origin.lift();
    let sums = |state: &[u32]| {
        let mut sums = vec![0; net.places.len()];
        lift.lift_state(state, &mut sums).unwrap();
        sums
    };
    let transition = |group: GroupId| full.origin.transition(TransitionId(group.0)).0.0;
    let whole = graph(&full.net.to_model(), 400, sums, transition)?;
    let orbits = Orbits::without(net, dropped, &unlimited, 1 << 24)?;
    let model = orbits.model()?;
    let shown = |state: &[u32]| state[1..=net.places.len()].to_vec();
    // Numbers of representatives are no tokens.
    let small = graph(&model, 1000, shown, |group| group.0)?;
    Some((whole, small))
}

#[test]
fn representatives_are_bisimilar_to_the_net() {
    let mut rng = Rng::new(31);
    let (mut compared, mut smaller, mut states) = (0, 0, 0);
    for round in 0..4000 {
        let net = random_coloured_net(&mut rng);
        let Some((whole, small)) = graphs(&net, None) else {
            continue;
        };
        assert!(bisimilar(&whole, &small), "round {round}: {net:?}");
        assert!(small.shown.len() <= whole.shown.len(), "round {round}");
        compared += 1;
        states += whole.shown.len();
        smaller += usize::from(small.shown.len() < whole.shown.len());
    }
    assert!(
        compared > 1000 && smaller > 150 && states > 10_000,
        "{compared} nets, {smaller} with fewer states, {states} states"
    );
}

#[test]
fn each_condition_is_missed() {
    for condition in OrbitCondition::ALL {
        let mut rng = Rng::new(32);
        let wrong = (0..6000).any(|_| {
            let net = random_coloured_net(&mut rng);
            let graphs = graphs(&net, Some(condition));
            graphs.is_some_and(|(whole, small)| !bisimilar(&whole, &small))
        });
        assert!(wrong, "nothing goes wrong without {condition:?}");
    }
}

/// Goes through the model at random; the steps, unless there are too many markings.
fn random_path(rng: &mut Rng, model: &Model, length: usize) -> Option<Vec<Step>> {
    let mut scratch = Scratch::default();
    let mut state = model.initial()[0].clone();
    let mut steps = Vec::new();
    while steps.len() < length {
        let mut next = Vec::new();
        for group in (0..model.groups().len() as u32).map(GroupId) {
            let fired = model.successors_by(group, &state, &mut scratch, |to| {
                next.push((group, to.to_vec()));
            });
            fired.ok()?;
        }
        if next.is_empty() {
            break;
        }
        let (group, to) = next.swap_remove(rng.index(next.len()));
        steps.push(Step {
            state,
            group: Some(group),
        });
        state = to;
    }
    steps.push(Step { state, group: None });
    Some(steps)
}

#[test]
fn runs_over_representatives_are_runs_of_the_net() {
    let mut rng = Rng::new(33);
    let unlimited = Budget::unlimited();
    let (mut paths, mut lassos, mut fired) = (0, 0, 0);
    for round in 0..2000 {
        let net = random_coloured_net(&mut rng);
        let full = unfold(net.clone(), Limits::default(), &unlimited, |_| {});
        let orbits = Orbits::new(&net, &unlimited, 1 << 24).unwrap();
        let (Ok(full), Some(model)) = (full, orbits.model()) else {
            continue;
        };
        if !orbits.is_symmetric() {
            continue;
        }
        let Some(path) = random_path(&mut rng, &model, 8) else {
            continue;
        };
        let whole = full.net.to_model();
        let twice = (0..path.len()).find_map(|i| {
            let again = (i + 1..path.len()).find(|&j| path[j].state == path[i].state)?;
            Some((i, again))
        });
        let (stem, cycle) = match twice {
            Some((from, to)) if rng.index(2) == 0 => (&path[..from], &path[from..to]),
            _ => (&path[..], &[][..]),
        };
        let lifted = orbits.lifted(stem, cycle, &unlimited).expect("it is a run");
        let part = &lifted.unfolded;
        let places: Vec<_> = (0..full.net.places().len() as u32)
            .map(|p| full.origin.place(dalsegno_models::petri::PlaceId(p)))
            .collect();
        let on_whole = |state: &[u32]| {
            let mut out = vec![0; places.len()];
            for (p, &n) in (0..).zip(state) {
                let token = part.origin.place(dalsegno_models::petri::PlaceId(p));
                match places.iter().position(|known| *known == token) {
                    Some(at) => out[at] = n,
                    None => assert_eq!(n, 0, "round {round}"),
                }
            }
            out
        };
        let all: Vec<&Step> = lifted.stem.iter().chain(&lifted.cycle).collect();
        assert_eq!(on_whole(&all[0].state), whole.initial()[0], "round {round}");
        for (at, step) in all.iter().enumerate() {
            let here = on_whole(&step.state);
            let fireable = |unfolded: &Unfolded, model: &Model, state: &[u32]| -> BTreeSet<u32> {
                let groups = (0..model.groups().len() as u32).map(GroupId);
                groups
                    .filter(|&group| model.enabled(group, state))
                    .map(|group| unfolded.origin.transition(TransitionId(group.0)).0.0)
                    .collect()
            };
            assert_eq!(
                fireable(part, &part.net.to_model(), &step.state),
                fireable(&full, &whole, &here),
                "round {round}"
            );
            // The model shows the same.
            let on_path = if at < stem.len() {
                &stem[at]
            } else {
                &cycle[(at - stem.len()) % cycle.len()]
            };
            let mut sums = vec![0; net.places.len()];
            full.origin.lift().lift_state(&here, &mut sums).unwrap();
            assert_eq!(sums, on_path.state[1..=net.places.len()], "round {round}");
            let Some(group) = step.group else { continue };
            let next = match all.get(at + 1) {
                Some(next) => next,
                None if lifted.cycle.is_empty() => break,
                None => &lifted.cycle[0],
            };
            let binding = part.origin.transition(TransitionId(group.0));
            let mut groups = (0..whole.groups().len() as u32).map(GroupId);
            let there = groups
                .find(|g| full.origin.transition(TransitionId(g.0)) == binding)
                .expect("it may fire");
            let mut scratch = Scratch::default();
            let mut after = Vec::new();
            let _ = whole.successors_by(there, &here, &mut scratch, |to| after.push(to.to_vec()));
            assert_eq!(after, [on_whole(&next.state)], "round {round}");
            fired += 1;
        }
        paths += 1;
        lassos += usize::from(!cycle.is_empty());
    }
    assert!(
        paths > 300 && lassos > 20 && fired > 500,
        "{paths} runs, {lassos} lassos, {fired} steps"
    );
}
