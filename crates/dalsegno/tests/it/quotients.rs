//! Quotients of coloured nets: counting tokens per class is a bisimulation, by firing everything in both nets; their runs are
//! those of the net; and questions have the same answers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use dalsegno::kripke::{Budget, DeadEnds, GroupId, Model, Scratch, Step};
use dalsegno::logic::random::Rng;
use dalsegno::models::petri::coloured::{
    ColouredNet, Lifted, Limits, Quotient, Unfolded, lift, unfold, unfold_quotient,
};
use dalsegno::models::petri::pnml::{self, Net};
use dalsegno::models::petri::{PlaceId, TransitionId};
use dalsegno::{Answer, Asked, Global, Logic, Reductions, Settings, Source};
use dalsegno_testkit::random_coloured_net;

use crate::support::{ask, granted, ltl};

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
        let net = random_coloured_net(&mut rng);
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
        let net = random_coloured_net(&mut rng);
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
pub(crate) fn random_path(rng: &mut Rng, model: &Model, length: usize) -> Vec<Step> {
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
            fired.push(to.to_vec());
        });
        assert_eq!(fired, std::slice::from_ref(&next.state), "round {round}");
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
        let net = random_coloured_net(&mut rng);
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
        let lifted = lift(&net, &small.origin, &model, &path, &[], &unlimited)
            .expect("it is one of the net");
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
                &net,
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

/// A machine with `n` products, options and cups; drinks with up to three options, which are taken in any order.
fn machine(n: u32) -> ColouredNet {
    let sort = |name: &str, size: u32| {
        let colours = (1..=size).map(|i| format!("<feconstant id=\"{name}{i}\" name=\"{i}\"/>"));
        let colours: String = colours.collect();
        format!(
            "<namedsort id=\"{name}\" name=\"{name}\"><cyclicenumeration>{colours}</cyclicenumeration></namedsort>"
        )
    };
    let variable = |id: &str, sort: &str| {
        format!(
            "<variabledecl id=\"{id}\" name=\"{id}\"><usersort declaration=\"{sort}\"/></variabledecl>"
        )
    };
    let declarations: String = [sort("P", n), sort("O", n), sort("C", n)]
        .into_iter()
        .chain(["x", "y", "z"].map(|id| variable(id, "O")))
        .chain([variable("p", "P"), variable("c", "C")])
        .collect();
    let all = |sort: &str| {
        format!(
            "<hlinitialMarking><structure><all><usersort declaration=\"{sort}\"/></all></structure></hlinitialMarking>"
        )
    };
    let place = |id: &str, sort: &str, marking: String| {
        format!(
            "<place id=\"{id}\"><type><structure><usersort declaration=\"{sort}\"/></structure></type>{marking}</place>"
        )
    };
    let places: String = [
        ("options", "O", true),
        ("used", "O", false),
        ("products", "P", true),
        ("sold", "P", false),
        ("idle", "C", true),
        ("ready", "C", false),
    ]
    .map(|(id, sort, full)| place(id, sort, if full { all(sort) } else { String::new() }))
    .concat();
    let one = |v: &str| {
        format!(
            "<subterm><numberof><subterm><numberconstant value=\"1\"><positive/></numberconstant></subterm><subterm><variable refvariable=\"{v}\"/></subterm></numberof></subterm>"
        )
    };
    let term = |variables: &[&str]| match variables {
        [v] => format!(
            "<structure>{}</structure>",
            one(v)
                .replace("<subterm><numberof>", "<numberof>")
                .replace("</numberof></subterm>", "</numberof>")
        ),
        many => format!(
            "<structure><add>{}</add></structure>",
            many.iter().map(|v| one(v)).collect::<String>()
        ),
    };
    let mut nodes: Vec<String> = Vec::new();
    let mut arcs = 0;
    let mut transition = |id: &str, arcs_of: &[(&str, bool, &[&str])]| {
        nodes.push(format!("<transition id=\"{id}\"/>"));
        for (place, takes, variables) in arcs_of {
            arcs += 1;
            let (from, to) = if *takes { (*place, id) } else { (id, *place) };
            nodes.push(format!(
                "<arc id=\"a{arcs}\" source=\"{from}\" target=\"{to}\"><hlinscription>{}</hlinscription></arc>",
                term(variables)
            ));
        }
    };
    transition(
        "refill",
        &[("used", true, &["x"]), ("options", false, &["x"])],
    );
    transition(
        "restock",
        &[("sold", true, &["p"]), ("products", false, &["p"])],
    );
    transition("serve", &[("ready", true, &["c"]), ("idle", false, &["c"])]);
    for (id, options) in [("plain", &[][..]), ("mix", &["x", "y", "z"][..])] {
        let mut list: Vec<(&str, bool, &[&str])> = vec![
            ("products", true, &["p"]),
            ("idle", true, &["c"]),
            ("sold", false, &["p"]),
            ("ready", false, &["c"]),
        ];
        if !options.is_empty() {
            list.extend([("options", true, options), ("used", false, options)]);
        }
        transition(id, &list);
    }
    let nodes = nodes.concat();
    let text = format!(
        "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"><net id=\"machine\" type=\"http://www.pnml.org/version-2009/grammar/symmetricnet\"><declaration><structure><declarations>{declarations}</declarations></structure></declaration><page id=\"page\">{places}{nodes}</page></net></pnml>"
    );
    match pnml::parse_net(text.as_bytes()).unwrap() {
        Net::Coloured(net) => net,
        Net::Plain(_) => panic!("it has colours"),
    }
}

fn with(reductions: Reductions, evidence: bool) -> Settings {
    Settings {
        reductions,
        evidence,
        ..Settings::default()
    }
}

#[test]
fn a_net_with_too_many_bindings_is_answered_on_its_quotient() {
    let net = machine(60);
    let source = Source::of_coloured(net);
    let budget = granted(60);
    let answer = |asked: Asked| {
        let mut run = dalsegno::Run::new(&source, Settings::default());
        let number = run.ask(asked);
        run.answer(&budget, &mut |_| {}).unwrap();
        run.answer_to(number)
    };
    let holds = answer(ltl("G \"used <= 60\"", DeadEnds::Stutter));
    assert_eq!(holds.holds(), Some(true));
    let fails = answer(ltl("G(\"used = 0\" | \"sold <= 1\")", DeadEnds::Stutter));
    assert_eq!(fails.holds(), Some(false));
    let merging = fails.cost.merging.as_ref().expect("colours are merged");
    assert_eq!((merging.places, merging.transitions), (6, 5));
    assert_eq!(
        merging.transitions_at_most,
        60_u128.pow(5) + 2 * 60_u128.pow(2) - 60_u128.pow(2) + 3 * 60
    );
    assert!(
        fails.evidence.is_some() && fails.part.is_some(),
        "a run of the net shows it"
    );
    let lasso = answer(ltl("F G \"used = 0\"", DeadEnds::Stutter));
    assert_eq!(lasso.holds(), Some(false));
    assert!(lasso.run().is_some());
    let named = answer(ltl("G \"'used(7)' <= 1\"", DeadEnds::Stutter));
    assert_eq!(named.holds(), Some(true));
    let possible = answer(Asked::formula(
        Logic::Ctl,
        "EF \"used >= 60\" & AG EF \"fireable(mix)\"",
    ));
    assert_eq!(possible.holds(), Some(true));
    assert!(source.ready().is_none(), "it is not unfolded");
    let off = ask(
        &source,
        with(Reductions::Off, true),
        ltl("G \"used <= 59\"", DeadEnds::Stutter),
        &budget,
    );
    assert_eq!(off.holds(), None);
}

#[test]
fn questions_have_the_same_answers_on_quotients() {
    let mut rng = Rng::new(21);
    let (mut compared, mut merged, mut shown) = (0, 0, 0);
    for round in 0..150 {
        let net = random_coloured_net(&mut rng);
        let quotient = Quotient::of(&net, &[], &Budget::unlimited()).unwrap();
        let full = unfold(net.clone(), Limits::default(), &Budget::unlimited(), |_| {});
        if quotient.is_trivial() || full.is_err() {
            continue;
        }
        let place = |rng: &mut Rng| {
            let place = &net.places[rng.index(net.places.len())];
            let size = net.sorts.size(place.sort);
            match rng.index(4) {
                0 if size > 1 => {
                    let colour = rng.index(size as usize) as u64;
                    format!("'{}({})'", place.id, net.sorts.label(place.sort, colour))
                }
                _ => place.id.clone(),
            }
        };
        let mut atom = || match rng.index(4) {
            0 => format!("\"fireable(t{})\"", rng.index(net.transitions.len())),
            1 => "deadlock".to_owned(),
            _ => format!("\"{} >= {}\"", place(&mut rng), 1 + rng.index(3)),
        };
        let (a, b) = (atom(), atom());
        let questions = [
            (Logic::Ltl, format!("G({a} -> F {b})")),
            (Logic::Ltl, format!("F G !({a}) | X {b}")),
            (Logic::Ctl, format!("AG({a} -> EF {b})")),
            (Logic::Ctl, format!("EX({a} & EG !({b}))")),
        ];
        let budget = Budget::unlimited().with_time(std::time::Duration::from_secs(2));
        let budget = budget.with_bytes(1 << 28);
        for (logic, text) in questions {
            for evidence in [true, false] {
                let answer = |reductions| -> Answer {
                    let source = Source::of_coloured(net.clone());
                    let asked = Asked::formula(logic, &text);
                    ask(&source, with(reductions, evidence), asked, &budget)
                };
                let expected = answer(Reductions::Off);
                let found = answer(Reductions::First);
                let (Some(expected), Some(value)) = (expected.holds(), found.holds()) else {
                    continue;
                };
                assert_eq!(value, expected, "round {round}: {text}\n{net:?}");
                compared += 1;
                merged += usize::from(found.cost.merging.is_some());
                shown += usize::from(found.part.is_some());
            }
        }
    }
    assert!(
        compared > 300 && merged > 200 && shown > 30,
        "{compared} answers compared, {merged} on quotients, {shown} with runs"
    );
}

/// Gives a net a place that always has the tokens of another one.
fn with_twin(net: &mut ColouredNet, of: usize) {
    let (old, new) = (PlaceId(of as u32), PlaceId(net.places.len() as u32));
    let mut twin = net.places[of].clone();
    twin.id.push_str("-twin");
    net.places.push(twin);
    for t in &mut net.transitions {
        for arcs in [&mut t.pre, &mut t.post, &mut t.test, &mut t.inhibit] {
            let own: Vec<_> = arcs
                .iter()
                .filter(|(place, _)| *place == old)
                .cloned()
                .collect();
            arcs.extend(own.into_iter().map(|(_, term)| (new, term)));
        }
    }
}

#[test]
fn questions_about_all_places_have_the_same_answers_on_quotients() {
    let mut rng = Rng::new(47);
    let (mut truths, mut merged) = ([[0; 2]; 5], 0);
    for round in 0..150 {
        let mut net = random_coloured_net(&mut rng);
        let twin = rng.index(net.places.len());
        with_twin(&mut net, twin);
        if unfold(net.clone(), Limits::default(), &Budget::unlimited(), |_| {}).is_err() {
            continue;
        }
        let budget = Budget::unlimited().with_time(std::time::Duration::from_secs(2));
        let budget = budget.with_bytes(1 << 28);
        for (global, truths) in Global::ALL.iter().zip(&mut truths) {
            let answer = |reductions| -> Answer {
                let source = Source::of_coloured(net.clone());
                let settings = with(reductions, false);
                ask(&source, settings, Asked::global(*global), &budget)
            };
            let expected = answer(Reductions::Off);
            let found = answer(Reductions::First);
            let (Some(expected), Some(value)) = (expected.holds(), found.holds()) else {
                continue;
            };
            assert_eq!(value, expected, "round {round}: {global:?}\n{net:?}");
            truths[usize::from(value)] += 1;
            merged += usize::from(found.cost.merging.is_some());
        }
    }
    for (global, truths) in Global::ALL.iter().zip(truths) {
        // Random nets are hardly ever live.
        let both = truths.iter().all(|&n| n > 3);
        assert!(
            both || *global == Global::Liveness,
            "{global:?}: {truths:?}"
        );
    }
    assert!(merged > 50, "{merged} on quotients");
}
