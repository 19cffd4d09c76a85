//! Coloured nets that are reduced before they are unfolded: what is observed is the same as in the whole net, by firing everything
//! in both; each condition is needed; runs are those of the net that was given.

use std::collections::{BTreeMap, BTreeSet};

use dalsegno::kripke::{Budget, GroupId, Model, Predicate, Scratch};
use dalsegno::logic::random::Rng;
use dalsegno::models::petri::coloured::{
    ColouredNet, ColouredPlace, Factor, LeafId, Limits, Multiset, Part, Quotient, ReduceCondition,
    ReducedColoured, SortId, Summand, Unfolded, lift, reduce, reduce_without, skeleton, unfold,
    unfold_quotient,
};
use dalsegno::models::petri::reduce::{Keep, Observed};
use dalsegno::models::petri::{PlaceId, TransitionId};
use dalsegno::{Asked, Logic, Reductions, Run, Settings, Source};
use dalsegno_testkit::random_coloured_net;

use crate::quotients::random_path;

/// States that are looked at.
const MOST: usize = 200;

/// The whole graph of an unfolded net: per state, the tokens of places by colour and the coloured steps from it.
struct Graph {
    states: Vec<BTreeMap<(u32, u64), u32>>,
    steps: Vec<BTreeSet<(u32, usize)>>,
}

impl Graph {
    /// `None` if it is too large.
    fn of(unfolded: &Unfolded) -> Option<Self> {
        let model = unfolded.net.to_model();
        let mut scratch = Scratch::default();
        let mut found = vec![model.initial()[0].clone()];
        let mut numbers = BTreeMap::from([(found[0].clone(), 0)]);
        let mut graph = Graph {
            states: Vec::new(),
            steps: Vec::new(),
        };
        while graph.steps.len() < found.len() {
            let state = found[graph.steps.len()].clone();
            if found.len() > MOST || state.iter().any(|&n| n > 20) {
                return None;
            }
            let mut steps = BTreeSet::new();
            for group in (0..model.groups().len() as u32).map(GroupId) {
                let (t, _) = unfolded.origin.transition(TransitionId(group.0));
                let fired = model.successors_by(group, &state, &mut scratch, |next| {
                    let number = *numbers.entry(next.to_vec()).or_insert_with(|| {
                        found.push(next.to_vec());
                        found.len() - 1
                    });
                    steps.insert((t.0, number));
                });
                fired.ok()?;
            }
            let places = (0..).map(PlaceId).zip(&state).filter(|(_, n)| **n > 0);
            let named = places.map(|(p, &n)| {
                let (place, colour) = unfolded.origin.place(p);
                ((place.0, colour), n)
            });
            graph.states.push(named.collect());
            graph.steps.push(steps);
        }
        Some(graph)
    }

    fn sum(&self, state: usize, place: usize) -> u32 {
        let own = self.states[state].iter();
        let own = own.filter(|((p, _), _)| *p as usize == place);
        own.map(|(_, n)| n).sum()
    }

    fn fireable(&self, state: usize, t: usize) -> bool {
        self.steps[state].iter().any(|step| step.0 as usize == t)
    }
}

/// What is looked at.
struct Look {
    places: Vec<usize>,
    transitions: Vec<usize>,
    /// Whether many tokens, or a fireable transition, are wanted.
    goal: bool,
    keep: Keep,
}

fn random_look(rng: &mut Rng, net: &ColouredNet) -> Look {
    let mut look = Look {
        places: Vec::new(),
        transitions: Vec::new(),
        goal: rng.index(2) == 0,
        keep: [Keep::Reach, Keep::Reach, Keep::Steps][rng.index(3)],
    };
    look.goal &= look.keep == Keep::Reach;
    if rng.index(2) == 0 {
        look.transitions.push(rng.index(net.transitions.len()));
    } else {
        look.places.push(rng.index(net.places.len()));
    }
    look
}

fn observed(net: &ColouredNet, look: &Look) -> Observed {
    let counting = skeleton(net).expect("numbers are small");
    let mut observed = Observed::nothing(&counting);
    let places = look.places.iter().map(|&p| PlaceId(p as u32));
    if look.goal {
        observed.add_largest(places);
        for &t in &look.transitions {
            let enabled = Predicate::Enabled([GroupId(t as u32)].into());
            observed.add_goal(&counting, &enabled);
        }
    } else {
        observed.add_places(places);
        for &t in &look.transitions {
            observed.add_transition(&counting, TransitionId(t as u32));
        }
    }
    observed
}

/// What is seen of a graph.
fn seen(graph: &Graph, look: &Look) -> BTreeSet<Vec<u32>> {
    let states = (0..graph.states.len()).map(|state| -> Vec<u32> {
        let places = look.places.iter().map(|&p| graph.sum(state, p));
        let fireable = look.transitions.iter();
        let fireable = fireable.map(|&t| u32::from(graph.fireable(state, t)));
        places.chain(fireable).collect()
    });
    if look.goal {
        states.max().into_iter().collect()
    } else {
        states.collect()
    }
}

/// Whether each step is the same but for places that are gone, and observed places have their tokens.
fn bisimilar(full: &Graph, small: &Graph, look: &Look, gone: &[bool]) -> bool {
    let mut numbers = BTreeMap::new();
    for (number, state) in small.states.iter().enumerate() {
        numbers.insert(state.clone(), number);
    }
    let shown = |state: &BTreeMap<(u32, u64), u32>| -> BTreeMap<(u32, u64), u32> {
        let kept = state.iter().filter(|((p, _), _)| !gone[*p as usize]);
        kept.map(|(token, &n)| (*token, n)).collect()
    };
    (0..full.states.len()).all(|state| {
        let Some(&there) = numbers.get(&shown(&full.states[state])) else {
            return false;
        };
        let to = |&(t, next): &(u32, usize)| (t, shown(&full.states[next]));
        let expected: BTreeSet<_> = full.steps[state].iter().map(to).collect();
        let to = |&(t, next): &(u32, usize)| (t, small.states[next].clone());
        let found: BTreeSet<_> = small.steps[there].iter().map(to).collect();
        let same = |&p: &usize| full.sum(state, p) == small.sum(there, p);
        expected == found && look.places.iter().all(same)
    })
}

/// The sum of single colours, with a variable of its sort for each of them.
fn random_sum(rng: &mut Rng, net: &ColouredNet, sort: SortId) -> Multiset {
    let leaf_sorts = net.leaf_sorts();
    let summand = |rng: &mut Rng| {
        let factor = |leaf: &SortId| -> Factor {
            let of_sort = (0..leaf_sorts.len()).filter(|&v| leaf_sorts[v] == *leaf);
            let of_sort: Vec<usize> = of_sort.collect();
            let part = if of_sort.is_empty() {
                Part::Constant(0)
            } else {
                Part::Variable {
                    leaf: LeafId(of_sort[rng.index(of_sort.len())] as u32),
                    shift: 0,
                }
            };
            vec![(part, 1)]
        };
        Summand {
            factors: net.sorts.leaves(sort).iter().map(factor).collect(),
            coefficient: 1 + i64::from(rng.index(4) == 0),
        }
    };
    let summands = (0..=usize::from(rng.index(3) == 0)).map(|_| summand(rng));
    let summands = summands.collect();
    Multiset { sort, summands }.normalised().unwrap()
}

/// A random net, mostly with a place that gets back what is taken from it.
fn random_net(rng: &mut Rng) -> ColouredNet {
    let mut net = random_coloured_net(rng);
    let model = rng.index(net.places.len());
    let sort = net.places[model].sort;
    let colours = net.sorts.size(sort);
    let some: Vec<u64> = (0..colours).filter(|_| rng.index(3) > 0).collect();
    let often = [1, 2, 4][rng.index(3)];
    let summand = |colour: u64| {
        let mut digits = Vec::new();
        net.sorts.decode(sort, colour, &mut digits);
        let factors = digits.iter().map(|&d| vec![(Part::Constant(d), 1)]);
        Summand {
            factors: factors.collect(),
            coefficient: often,
        }
    };
    let summands = some.into_iter().map(summand).collect();
    let initial = Multiset { sort, summands }.normalised().unwrap();
    let place = PlaceId(net.places.len() as u32);
    net.places.push(ColouredPlace {
        id: "constant".to_owned(),
        name: "constant".to_owned(),
        sort,
        initial,
    });
    for t in 0..net.transitions.len() {
        let term = random_sum(rng, &net, sort);
        let transition = &mut net.transitions[t];
        match rng.index(5) {
            0 => transition.test.push((place, term)),
            1 | 2 => {
                transition.pre.push((place, term.clone()));
                transition.post.push((place, term));
            }
            3 if rng.index(4) == 0 => transition.inhibit.push((place, term)),
            _ => {}
        }
        // Random nets have few tests and inhibitors.
        if net.transitions[t].pre.len() > 1 && rng.index(3) == 0 {
            let arc = net.transitions[t].pre.swap_remove(0);
            net.transitions[t].test.push(arc);
        }
        if rng.index(5) == 0 {
            let other = rng.index(place.index());
            let term = random_sum(rng, &net, net.places[other].sort);
            let arc = (PlaceId(other as u32), term);
            net.transitions[t].inhibit.push(arc);
        }
    }
    net
}

/// Places that the reduced net has no longer.
fn gone(reduced: &ReducedColoured) -> Vec<bool> {
    let net = &reduced.net;
    let mut gone: Vec<bool> = (net.places.iter())
        .map(|p| p.initial.summands.is_empty())
        .collect();
    for (place, _) in net.transitions.iter().flat_map(|t| &t.post) {
        gone[place.index()] = false;
    }
    gone
}

/// How often each thing was reduced, and the first round in which the reduced net is wrong.
fn compare(dropped: Option<ReduceCondition>, rounds: usize) -> ([usize; 3], Option<usize>) {
    let mut rng = Rng::new(31);
    let unlimited = Budget::unlimited();
    let unfolded = |net: &ColouredNet| {
        let unfolded = unfold(net.clone(), Limits::default(), &unlimited, |_| {});
        unfolded.ok()
    };
    let mut counts = [0; 3];
    for round in 0..rounds {
        let net = random_net(&mut rng);
        let look = random_look(&mut rng, &net);
        let everything = rng.index(4) == 0;
        if skeleton(&net).is_none() {
            continue;
        }
        let observed = observed(&net, &look);
        let asked = (!everything).then_some((&observed, look.keep));
        let Some(reduced) = reduce_without(&net, asked, dropped) else {
            continue;
        };
        let full = unfolded(&net).and_then(|full| Graph::of(&full));
        let Some(full) = full else {
            continue;
        };
        let small = unfolded(&reduced.net).and_then(|small| Graph::of(&small));
        let Some(small) = small else {
            return (counts, Some(round));
        };
        let sliced = reduced.transitions > 0;
        let right = if sliced {
            seen(&full, &look) == seen(&small, &look)
        } else {
            bisimilar(&full, &small, &look, &gone(&reduced))
        };
        if !right {
            return (counts, Some(round));
        }
        if full.states.len() > 2 {
            counts[0] += usize::from(sliced);
            counts[1] += usize::from(!sliced && reduced.places > 0);
            counts[2] += usize::from(everything);
        }
    }
    (counts, None)
}

#[test]
fn what_is_observed_is_the_same_in_reduced_coloured_nets() {
    let (counts, wrong) = compare(None, 4000);
    assert_eq!(wrong, None);
    assert!(counts.iter().all(|&n| n > 60), "{counts:?}");
}

#[test]
fn each_condition_of_coloured_reductions_is_needed() {
    for &condition in ReduceCondition::ALL {
        let (_, wrong) = compare(Some(condition), 60_000);
        assert!(wrong.is_some(), "nothing is wrong without {condition}");
    }
}

/// Whether a step of a state is one of a net, unfolded as a whole.
fn has_step(model: &Model, state: &[u32], next: &[u32]) -> bool {
    let mut scratch = Scratch::default();
    (0..model.groups().len() as u32).map(GroupId).any(|group| {
        let mut found = false;
        let fired = model.successors_by(group, state, &mut scratch, |to| found |= to == next);
        fired.is_ok() && found
    })
}

#[test]
fn runs_of_quotients_of_reduced_nets_are_runs_of_the_net() {
    let mut rng = Rng::new(33);
    let unlimited = Budget::unlimited();
    let limits = Limits::default();
    let (mut lifted_runs, mut fired) = (0, 0);
    for round in 0..3000 {
        let net = random_net(&mut rng);
        let look = random_look(&mut rng, &net);
        if skeleton(&net).is_none() {
            continue;
        }
        let observed = observed(&net, &look);
        let Some(reduced) = reduce(&net, Some((&observed, look.keep))) else {
            continue;
        };
        let quotient = Quotient::of(&reduced.net, &[], &unlimited).unwrap();
        let full = unfold(net.clone(), limits, &unlimited, |_| {});
        let small = unfold_quotient(reduced.net, &quotient, limits, &unlimited, |_| {});
        let (Ok(full), Ok(small)) = (full, small) else {
            continue;
        };
        let model = small.net.to_model();
        let path = random_path(&mut rng, &model, 8);
        let lifted = lift(&net, &small.origin, &model, &path, &[], &unlimited);
        let lifted = lifted.expect("it is one of the net");
        let whole = full.net.to_model();
        let mut numbers = BTreeMap::new();
        for p in (0..full.net.places().len() as u32).map(PlaceId) {
            numbers.insert(full.origin.place(p), p.index());
        }
        let on_whole = |state: &[u32]| {
            let mut out = vec![0; whole.variables().len()];
            for (p, &n) in (0..).map(PlaceId).zip(state).filter(|(_, n)| **n > 0) {
                out[numbers[&lifted.unfolded.origin.place(p)]] = n;
            }
            out
        };
        let states: Vec<Vec<u32>> = lifted.stem.iter().map(|s| on_whole(&s.state)).collect();
        assert_eq!(states.len(), path.len(), "round {round}");
        assert_eq!(states[0], whole.initial()[0], "round {round}");
        for pair in states.windows(2) {
            assert!(has_step(&whole, &pair[0], &pair[1]), "round {round}");
        }
        // What is observed is what the run of the quotient shows.
        let tokens = |unfolded: &Unfolded, state: &[u32]| {
            let mut out = vec![0; net.places.len()];
            unfolded.origin.lift().lift_state(state, &mut out).unwrap();
            out
        };
        for (mine, theirs) in states.iter().zip(&path) {
            for &p in &look.places {
                let (mine, theirs) = (tokens(&full, mine), tokens(&small, &theirs.state));
                assert_eq!(mine[p], theirs[p], "round {round}");
            }
        }
        lifted_runs += 1;
        fired += path.len() - 1;
    }
    assert!(
        lifted_runs > 300 && fired > 500,
        "{lifted_runs} runs, {fired} steps"
    );
}

#[test]
fn questions_about_reduced_coloured_nets_have_the_same_answers() {
    let mut rng = Rng::new(34);
    let (mut compared, mut merged) = (0, 0);
    for round in 0..150 {
        let net = random_net(&mut rng);
        let full = unfold(net.clone(), Limits::default(), &Budget::unlimited(), |_| {});
        if full.is_err() {
            continue;
        }
        let place = |rng: &mut Rng| {
            let place = &net.places[rng.index(net.places.len())];
            place.id.clone()
        };
        let mut atom = || match rng.index(3) {
            0 => format!("\"fireable(t{})\"", rng.index(net.transitions.len())),
            _ => format!("\"{} >= {}\"", place(&mut rng), rng.index(4)),
        };
        let texts = [format!("EF ({})", atom()), format!("AG !({})", atom())];
        let budget = Budget::unlimited().with_time(std::time::Duration::from_secs(2));
        let budget = budget.with_bytes(1 << 28);
        for text in texts {
            let answer = |reductions| {
                let settings = Settings {
                    reductions,
                    ..Settings::default()
                };
                let mut run = Run::new(&Source::of_coloured(net.clone()), settings);
                let number = run.ask(Asked::formula(Logic::Ctl, &text));
                run.answer(&budget, &mut |_| {}).ok()?;
                Some(run.answer_to(number))
            };
            let expected = answer(Reductions::Off).and_then(|answer| answer.holds());
            let found = answer(Reductions::First);
            let (Some(expected), Some(found)) = (expected, found) else {
                continue;
            };
            let Some(value) = found.holds() else {
                continue;
            };
            assert_eq!(value, expected, "round {round}: {text}\n{net:?}");
            compared += 1;
            merged += usize::from(found.cost.merging.is_some());
        }
    }
    assert!(
        compared > 150 && merged > 20,
        "{compared} answers, {merged} on quotients"
    );
}
