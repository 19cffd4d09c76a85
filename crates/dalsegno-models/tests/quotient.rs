//! Quotients of coloured nets: counting tokens per class is a bisimulation, by firing everything in both nets.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use dalsegno_kripke::{Budget, GroupId, Model, Relation, Scratch, Step};
use dalsegno_logic::random::Rng;
use dalsegno_models::petri::coloured::{
    ColourVariable, ColouredArcs, ColouredNet, ColouredPlace, ColouredTransition, Constant, Guard,
    LeafId, Lifted, Limits, Multiset, Part, Quotient, Shifted, SortId, SortKind, Sorts, Summand,
    Unfolded, lift, unfold, unfold_quotient,
};
use dalsegno_models::petri::{PlaceId, TransitionId};

/// A random symmetric net: few variables on few arcs, so that colours are often not told apart.
fn random_net(rng: &mut Rng) -> ColouredNet {
    let mut sorts = Sorts::new();
    let constant = |i: usize| Constant {
        id: format!("c{i}"),
        name: i.to_string(),
    };
    let constants = (0..2 + rng.index(3)).map(constant).collect();
    let cyclic = SortKind::Enumeration {
        constants,
        cyclic: true,
    };
    let cyclic = sorts.add(Some("C"), cyclic).unwrap();
    let range = SortKind::Range {
        start: 1,
        end: 2 + rng.index(2) as i64,
    };
    let range = sorts.add(None, range).unwrap();
    let dot = sorts.add(None, SortKind::Dot).unwrap();
    let pair = sorts
        .add(None, SortKind::Product(vec![cyclic, range]))
        .unwrap();
    let twice = sorts
        .add(None, SortKind::Product(vec![cyclic, cyclic]))
        .unwrap();
    let all = [cyclic, cyclic, range, dot, pair, twice];
    let of_leaf = [cyclic, cyclic, cyclic, range, range];
    let variables = (0..).zip(["x", "y", "z", "m", "n"]).zip(of_leaf);
    let variables = variables
        .map(|((first, id), sort)| ColourVariable {
            id: id.to_owned(),
            name: id.to_owned(),
            sort,
            first_leaf: LeafId(first),
        })
        .collect();
    let mut places: Vec<ColouredPlace> = (0..2 + rng.index(3))
        .map(|i| {
            let sort = all[rng.index(all.len())];
            ColouredPlace {
                id: format!("p{i}"),
                name: format!("p{i}"),
                sort,
                initial: random_initial(rng, &sorts, sort),
            }
        })
        .collect();
    let mut transitions: Vec<ColouredTransition> = (0..1 + rng.index(3))
        .map(|i| {
            let arcs = |rng: &mut Rng, most: usize| -> ColouredArcs {
                let arc = |_| {
                    let place = rng.index(places.len());
                    let term = random_term(rng, &sorts, places[place].sort, &of_leaf);
                    (PlaceId(place as u32), term)
                };
                (0..most).map(arc).collect()
            };
            let counts = [1 + rng.index(2), rng.index(3)];
            let rare = |rng: &mut Rng, one_in: usize| usize::from(rng.index(one_in) == 0);
            let (test, inhibit) = (rare(rng, 4), rare(rng, 8));
            ColouredTransition {
                id: format!("t{i}"),
                name: format!("t{i}"),
                guard: random_guard(rng, &sorts, &of_leaf, 1),
                variables: vec![0, 1, 2, 3, 4],
                pre: arcs(rng, counts[0]),
                post: arcs(rng, counts[1]),
                inhibit: arcs(rng, inhibit),
                test: arcs(rng, test),
            }
        })
        .collect();
    if rng.index(4) == 0 {
        twin(&mut places, &mut transitions);
    }
    ColouredNet {
        name: "random".to_owned(),
        sorts,
        partitions: Vec::new(),
        variables,
        places,
        transitions,
        graphics: None,
    }
}

/// Adds a place that is treated as the first one is.
fn twin(places: &mut Vec<ColouredPlace>, transitions: &mut [ColouredTransition]) {
    let new = PlaceId(places.len() as u32);
    places.push(ColouredPlace {
        id: "twin".to_owned(),
        name: "twin".to_owned(),
        ..places[0].clone()
    });
    for t in transitions {
        for arcs in [&mut t.pre, &mut t.post, &mut t.inhibit, &mut t.test] {
            let same: ColouredArcs = arcs.iter().filter(|(p, _)| p.0 == 0).cloned().collect();
            arcs.extend(same.into_iter().map(|(_, term)| (new, term)));
        }
    }
}

fn random_initial(rng: &mut Rng, sorts: &Sorts, sort: SortId) -> Multiset {
    let count = rng.index(4);
    let summands = (0..count).map(|_| Summand {
        factors: sorts
            .leaves(sort)
            .iter()
            .map(|&leaf| match rng.index(6) {
                0 => vec![(Part::All, 1)],
                _ => vec![(
                    Part::Constant(rng.index(sorts.leaf_size(leaf) as usize) as u32),
                    1,
                )],
            })
            .collect(),
        coefficient: 1 + rng.index(2) as i64,
    });
    let summands = summands.collect();
    Multiset { sort, summands }.normalised().unwrap()
}

fn random_term(rng: &mut Rng, sorts: &Sorts, sort: SortId, of_leaf: &[SortId]) -> Multiset {
    let part = |rng: &mut Rng, leaf: SortId| -> Part {
        let size = sorts.leaf_size(leaf) as usize;
        let candidates: Vec<u32> = (0..of_leaf.len() as u32)
            .filter(|&i| of_leaf[i as usize] == leaf)
            .collect();
        if candidates.is_empty() || rng.index(10) == 0 {
            return Part::Constant(rng.index(size) as u32);
        }
        Part::Variable {
            leaf: LeafId(candidates[rng.index(candidates.len())]),
            shift: if rng.index(4) == 0 && candidates.len() == 3 {
                rng.index(size) as u32
            } else {
                0
            },
        }
    };
    let summand = |rng: &mut Rng| Summand {
        factors: sorts
            .leaves(sort)
            .iter()
            .map(|&leaf| match rng.index(24) {
                0 => vec![(Part::All, 1)],
                1 => vec![(Part::All, 1), (part(rng, leaf), -1)],
                2 => vec![(part(rng, leaf), 1), (part(rng, leaf), 1)],
                _ => vec![(part(rng, leaf), 1)],
            })
            .collect(),
        coefficient: if rng.index(8) == 0 { 2 } else { 1 },
    };
    let summands = (0..1 + usize::from(rng.index(4) == 0)).map(|_| summand(rng));
    let summands = summands.collect();
    Multiset { sort, summands }.normalised().unwrap()
}

fn random_guard(rng: &mut Rng, sorts: &Sorts, of_leaf: &[SortId], depth: usize) -> Guard {
    let relations = [
        Relation::Eq,
        Relation::Ne,
        Relation::Ne,
        Relation::Lt,
        Relation::Ge,
    ];
    let op = relations[rng.index(relations.len())];
    let leaf = rng.index(of_leaf.len());
    let size = sorts.leaf_size(of_leaf[leaf]);
    let shifted = |rng: &mut Rng, leaf: usize| Shifted {
        leaf: LeafId(leaf as u32),
        shift: if rng.index(5) == 0 {
            rng.index(size as usize) as u32
        } else {
            0
        },
        size,
    };
    match rng.index(if depth == 0 { 6 } else { 9 }) {
        0..=2 => Guard::TRUE,
        3 => {
            let colour = rng.index(size as usize) as u32;
            Guard::compare_constant(shifted(rng, leaf), op, colour)
        }
        4 | 5 => {
            let same = (0..of_leaf.len()).filter(|&i| of_leaf[i] == of_leaf[leaf]);
            let same: Vec<usize> = same.collect();
            let other = same[rng.index(same.len())];
            Guard::compare(shifted(rng, leaf), op, shifted(rng, other))
        }
        kind => {
            let parts = (0..2).map(|_| random_guard(rng, sorts, of_leaf, depth - 1));
            let parts: Vec<Guard> = parts.collect();
            if kind == 8 {
                Guard::or(parts)
            } else {
                Guard::and(parts)
            }
        }
    }
}

/// The coloured transitions that fire in a state, each with the states that it leads to.
fn steps(model: &Model, unfolded: &Unfolded, state: &[u32]) -> Option<BTreeSet<(u32, Vec<u32>)>> {
    let mut scratch = Scratch::default();
    let mut found = BTreeSet::new();
    for group in (0..model.groups().len() as u32).map(GroupId) {
        let (t, _) = unfolded.origin.transition(TransitionId(group.0));
        let fired = model.successors_by(group, state, &mut scratch, |next| {
            found.insert((t.0, next.to_vec()));
        });
        fired.ok()?;
    }
    Some(found)
}

/// Where the tokens of each place of the full net are counted in the quotient; nowhere if the place is left out.
fn counted(full: &Unfolded, small: &Unfolded, quotient: &Quotient) -> Vec<Option<usize>> {
    let mut numbers: BTreeMap<(u32, u64), usize> = BTreeMap::new();
    for p in 0..small.net.places().len() {
        let (place, colour) = small.origin.place(PlaceId(p as u32));
        numbers.insert((place.0, colour), p);
    }
    let places = (0..full.net.places().len() as u32).map(|p| {
        let (place, colour) = full.origin.place(PlaceId(p));
        let class = quotient.canonical(place.0, colour);
        numbers.get(&(place.0, class)).copied()
    });
    places.collect()
}

fn count(state: &[u32], counted: &[Option<usize>], places: usize) -> Vec<u32> {
    let mut sums = vec![0; places];
    for (&tokens, place) in state.iter().zip(counted) {
        if let Some(place) = place {
            sums[*place] += tokens;
        }
    }
    sums
}

/// Fires everything in both nets, from up to `most` states of the full one; how many states those are.
fn compare(net: &ColouredNet, quotient: &Quotient, most: usize, round: usize) -> Option<usize> {
    let unlimited = Budget::unlimited();
    let limits = Limits::default();
    let full = unfold(net.clone(), limits, &unlimited, |_| {});
    let small = unfold_quotient(net.clone(), quotient, limits, &unlimited, |_| {});
    // Terms without a value are found in both.
    assert_eq!(
        full.is_err(),
        small.is_err(),
        "round {round}: {full:?} {small:?}"
    );
    let (full, small) = (full.ok()?, small.ok()?);
    let (model, reduced) = (full.net.to_model(), small.net.to_model());
    let counted = counted(&full, &small, quotient);
    let sums = |state: &[u32]| count(state, &counted, reduced.variables().len());
    let lift = full.origin.lift();
    let small_lift = small.origin.lift();
    let first = model.initial()[0].clone();
    assert_eq!(sums(&first), reduced.initial()[0], "round {round}");
    let mut seen = BTreeSet::from([first.clone()]);
    let mut queue = VecDeque::from([first]);
    let mut states = 0;
    while let Some(state) = queue.pop_front() {
        states += 1;
        let here = sums(&state);
        // Coloured places have the same numbers of tokens, those that are left out included.
        let (mut a, mut b) = (vec![0; net.places.len()], vec![0; net.places.len()]);
        lift.lift_state(&state, &mut a).unwrap();
        small_lift.lift_state(&here, &mut b).unwrap();
        assert_eq!(a, b, "round {round}");
        let Some(next) = steps(&model, &full, &state) else {
            continue;
        };
        let expected: BTreeSet<(u32, Vec<u32>)> =
            next.iter().map(|(t, state)| (*t, sums(state))).collect();
        let found = steps(&reduced, &small, &here).expect("numbers are small");
        assert_eq!(
            found, expected,
            "round {round}, {net:?}\n{quotient:?}\n{state:?}"
        );
        for (_, state) in next {
            if seen.len() < most && state.iter().all(|&n| n < 50) && seen.insert(state.clone()) {
                queue.push_back(state);
            }
        }
    }
    Some(states)
}

#[test]
fn counting_tokens_by_class_is_a_bisimulation() {
    let mut rng = Rng::new(11);
    let (mut merged, mut states, mut twins) = (0, 0, 0);
    for round in 0..3000 {
        let net = random_net(&mut rng);
        let quotient = Quotient::of(&net, &[], &Budget::unlimited()).unwrap();
        let Some(looked_at) = compare(&net, &quotient, 60, round) else {
            continue;
        };
        if !quotient.is_trivial() && looked_at > 5 {
            merged += 1;
            states += looked_at;
            twins += quotient.left_out();
        }
    }
    assert!(
        merged > 600 && states > 10_000 && twins > 30,
        "{merged} nets with merged colours, {states} states, {twins} twins"
    );
}

#[test]
fn observed_colours_are_classes_of_their_own() {
    let mut rng = Rng::new(12);
    for round in 0..1000 {
        let net = random_net(&mut rng);
        let place = rng.index(net.places.len());
        let size = net.sorts.size(net.places[place].sort);
        let colour = rng.index(size as usize) as u64;
        let observed = [(PlaceId(place as u32), colour)];
        let quotient = Quotient::of(&net, &observed, &Budget::unlimited()).unwrap();
        for other in (0..size).filter(|&other| other != colour) {
            let (a, b) = (
                quotient.canonical(place as u32, other),
                quotient.canonical(place as u32, colour),
            );
            assert_ne!(a, b, "round {round}");
        }
        compare(&net, &quotient, 30, round);
    }
}

/// Goes through the quotient at random; the steps.
fn random_path(rng: &mut Rng, model: &Model, length: usize) -> Vec<Step> {
    let mut scratch = Scratch::default();
    let mut state = model.initial()[0].clone();
    let mut steps = Vec::new();
    while steps.len() < length {
        let mut next = Vec::new();
        for group in (0..model.groups().len() as u32).map(GroupId) {
            let fired = model.successors_by(group, &state, &mut scratch, |to| {
                next.push((group, to.to_vec()));
            });
            fired.expect("numbers are small");
        }
        if next.is_empty() || state.iter().any(|&n| n > 1000) {
            break;
        }
        let (group, to) = next.swap_remove(rng.index(next.len()));
        let group = Some(group);
        steps.push(Step { state, group });
        state = to;
    }
    steps.push(Step { state, group: None });
    steps
}

/// Checks that each step of a lifted run is one of the net that is unfolded as a whole, that coloured transitions are
/// fireable in its states as they are there, and that it passes the same numbers of tokens.
fn check_lifted(full: &Unfolded, small: &Unfolded, steps: &[&Step], lifted: &Lifted, round: usize) {
    let part = &lifted.unfolded;
    let (model, whole) = (part.net.to_model(), full.net.to_model());
    let places: Vec<Option<usize>> = (0..part.net.places().len() as u32)
        .map(|p| {
            let token = part.origin.place(PlaceId(p));
            let mut all = (0..full.net.places().len() as u32).map(PlaceId);
            all.find(|&q| full.origin.place(q) == token)
                .map(PlaceId::index)
        })
        .collect();
    let on_whole = |state: &[u32]| {
        let mut out = vec![0; whole.variables().len()];
        for (&n, place) in state.iter().zip(&places) {
            match place {
                Some(place) => out[*place] = n,
                None => assert_eq!(n, 0, "round {round}: a token that no place may have"),
            }
        }
        out
    };
    let tokens = |unfolded: &Unfolded, state: &[u32]| {
        let mut out = vec![0; unfolded.origin.coloured().places.len()];
        unfolded.origin.lift().lift_state(state, &mut out).unwrap();
        out
    };
    let all: Vec<&Step> = lifted.stem.iter().chain(&lifted.cycle).collect();
    assert_eq!(on_whole(&all[0].state), whole.initial()[0], "round {round}");
    for (at, step) in all.iter().enumerate() {
        let here = on_whole(&step.state);
        assert_eq!(
            tokens(part, &step.state),
            tokens(small, &steps[at % steps.len()].state),
            "round {round}"
        );
        let fireable = |unfolded: &Unfolded, state: &[u32]| -> BTreeSet<u32> {
            let model = unfolded.net.to_model();
            let steps = steps_of(&model, unfolded, state);
            steps.into_iter().map(|(t, _)| t).collect()
        };
        assert_eq!(
            fireable(part, &step.state),
            fireable(full, &here),
            "round {round}"
        );
        let next = match all.get(at + 1) {
            Some(next) => next,
            None if lifted.cycle.is_empty() => break,
            None => &lifted.cycle[0],
        };
        let Some(group) = step.group else { continue };
        let mut scratch = Scratch::default();
        let mut fired = Vec::new();
        let _ = model.successors_by(group, &step.state, &mut scratch, |to| {
            fired.push(to.to_vec())
        });
        assert_eq!(fired, [next.state.clone()], "round {round}");
        let (t, _) = part.origin.transition(TransitionId(group.0));
        let there = steps_of(&whole, full, &here);
        assert!(
            there.contains(&(t.0, on_whole(&next.state))),
            "round {round}"
        );
    }
}

fn steps_of(model: &Model, unfolded: &Unfolded, state: &[u32]) -> BTreeSet<(u32, Vec<u32>)> {
    steps(model, unfolded, state).expect("numbers are small")
}

#[test]
fn runs_of_quotients_are_runs_of_the_net() {
    let mut rng = Rng::new(13);
    let unlimited = Budget::unlimited();
    let (mut paths, mut lassos, mut fired) = (0, 0, 0);
    for round in 0..3000 {
        let net = random_net(&mut rng);
        let quotient = Quotient::of(&net, &[], &unlimited).unwrap();
        let limits = Limits::default();
        let full = unfold(net.clone(), limits, &unlimited, |_| {});
        let small = unfold_quotient(net.clone(), &quotient, limits, &unlimited, |_| {});
        let (Ok(full), Ok(small)) = (full, small) else {
            continue;
        };
        if quotient.is_trivial() {
            continue;
        }
        let model = small.net.to_model();
        let path = random_path(&mut rng, &model, 8);
        let lifted =
            lift(&small.origin, &model, &path, &[], &unlimited).expect("it is one of the net");
        check_lifted(
            &full,
            &small,
            &path.iter().collect::<Vec<_>>(),
            &lifted,
            round,
        );
        paths += 1;
        fired += path.len() - 1;
        // A state that comes twice makes a cycle.
        let twice = (0..path.len()).find_map(|i| {
            let again = (i + 1..path.len()).find(|&j| path[j].state == path[i].state)?;
            Some((i, again))
        });
        if let Some((from, to)) = twice {
            let lifted = lift(
                &small.origin,
                &model,
                &path[..from],
                &path[from..to],
                &unlimited,
            )
            .expect("few markings");
            let round_trip: Vec<&Step> = path[..from]
                .iter()
                .chain(
                    path[from..to]
                        .iter()
                        .cycle()
                        .take(lifted.cycle.len() + lifted.stem.len() - from),
                )
                .collect();
            check_lifted(&full, &small, &round_trip, &lifted, round);
            lassos += 1;
        }
    }
    assert!(
        paths > 800 && lassos > 60 && fired > 1000,
        "{paths} paths, {lassos} lassos, {fired} steps"
    );
}
