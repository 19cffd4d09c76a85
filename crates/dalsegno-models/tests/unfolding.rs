//! Unfolding: against an enumeration of all bindings, and with limits.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use dalsegno_kripke::{Bindings, Budget, GroupId, Relation, Stop, VarId};
use dalsegno_logic::random::Rng;
use dalsegno_models::petri::coloured::{
    ColourVariable, ColouredArcs, ColouredNet, ColouredPlace, ColouredTransition, Constant, Factor,
    Guard, LeafId, Limits, Multiset, Part, Scratch, Shifted, SortId, SortKind, Sorts, Summand,
    UnfoldError, Unfolded, unfold,
};
use dalsegno_models::petri::generators::Family;
use dalsegno_models::petri::{PlaceId, Transition, TransitionId, pnml};

fn unfolded(net: &ColouredNet) -> Unfolded {
    let unlimited = Budget::unlimited();
    unfold(net.clone(), Limits::default(), &unlimited, |_| {}).expect("a small net")
}

/// Everything that can be in a place, and every binding that can fire, by trying all bindings over and
/// over.
type Found = (
    BTreeSet<(u32, u64)>,
    BTreeMap<(u32, Vec<u32>), [ColouredList; 2]>,
);
type ColouredList = Vec<(u32, u64, u32)>;

fn by_enumeration(net: &ColouredNet) -> Found {
    let mut scratch = Scratch::default();
    let mut list = |arcs: &ColouredArcs, values: &[u32]| {
        let mut all = ColouredList::new();
        for (place, term) in arcs {
            let mut out = Vec::new();
            let evaluated = term.evaluate(&net.sorts, values, 1000, &mut out, &mut scratch);
            evaluated.expect("no difference goes below nothing");
            all.extend(out.into_iter().map(|(colour, n)| (place.0, colour, n)));
        }
        all.sort_unstable();
        all
    };
    let mut tokens = BTreeSet::new();
    for (number, place) in (0..).map(PlaceId).zip(&net.places) {
        let initial = list(&vec![(number, place.initial.clone())], &[]);
        tokens.extend(
            initial
                .into_iter()
                .map(|(place, colour, _)| (place, colour)),
        );
    }
    let sizes: Vec<u32> = net
        .leaf_sorts()
        .iter()
        .map(|&s| net.sorts.leaf_size(s))
        .collect();
    let mut bindings = BTreeMap::new();
    loop {
        let before = (tokens.len(), bindings.len());
        for (number, t) in (0..).zip(&net.transitions) {
            let leaves = net.leaves_of(t);
            let mut values = vec![0; sizes.len()];
            'bindings: loop {
                if t.guard.holds(&values) {
                    let needs = [list(&t.pre, &values), list(&t.test, &values)].concat();
                    if needs
                        .iter()
                        .all(|&(place, colour, _)| tokens.contains(&(place, colour)))
                    {
                        let post = list(&t.post, &values);
                        tokens.extend(post.iter().map(|&(place, colour, _)| (place, colour)));
                        let key: Vec<u32> = leaves.iter().map(|l| values[l.index()]).collect();
                        bindings.insert((number, key), [list(&t.pre, &values), post]);
                    }
                }
                for leaf in &leaves {
                    values[leaf.index()] += 1;
                    if values[leaf.index()] < sizes[leaf.index()] {
                        continue 'bindings;
                    }
                    values[leaf.index()] = 0;
                }
                break;
            }
        }
        if before == (tokens.len(), bindings.len()) {
            return (tokens, bindings);
        }
    }
}

/// A random net over two sorts and their products; `parts` of a variable of pairs are used or not.
fn random_net(rng: &mut Rng, parts: bool) -> ColouredNet {
    let mut sorts = Sorts::new();
    let constant = |i: usize| Constant {
        id: format!("c{i}"),
        name: i.to_string(),
    };
    let constants = (0..2 + rng.index(2)).map(constant).collect();
    let cyclic = sorts
        .add(
            Some("C"),
            SortKind::Enumeration {
                constants,
                cyclic: true,
            },
        )
        .unwrap();
    let range = sorts
        .add(None, SortKind::Range { start: 1, end: 2 })
        .unwrap();
    let dot = sorts.add(None, SortKind::Dot).unwrap();
    let pair = sorts
        .add(None, SortKind::Product(vec![cyclic, range]))
        .unwrap();
    let triple = sorts
        .add(None, SortKind::Product(vec![pair, cyclic]))
        .unwrap();
    let all = [cyclic, range, dot, pair, triple];
    let of_leaf = [cyclic, cyclic, range, cyclic, range];
    let of_leaf = if parts { &of_leaf[..] } else { &of_leaf[..3] };
    let variable = |id: &str, sort, first| ColourVariable {
        id: id.to_owned(),
        name: id.to_owned(),
        sort,
        first_leaf: LeafId(first),
    };
    let variables = vec![
        variable("x", cyclic, 0),
        variable("y", cyclic, 1),
        variable("m", range, 2),
        variable("xm", pair, 3),
    ];
    let places: Vec<ColouredPlace> = (0..3)
        .map(|i| {
            let sort = all[rng.index(all.len())];
            ColouredPlace {
                id: format!("p{i}"),
                name: format!("p{i}"),
                sort,
                initial: random_term(rng, &sorts, sort, of_leaf, false),
            }
        })
        .collect();
    let transitions = (0..3)
        .map(|i| {
            let arcs = |rng: &mut Rng| -> ColouredArcs {
                (0..rng.index(3))
                    .map(|_| {
                        let place = rng.index(places.len());
                        let term = random_term(rng, &sorts, places[place].sort, of_leaf, true);
                        (PlaceId(place as u32), term)
                    })
                    .collect()
            };
            let test = if rng.index(4) == 0 {
                arcs(rng)
            } else {
                Vec::new()
            };
            ColouredTransition {
                id: format!("t{i}"),
                name: format!("t{i}"),
                guard: random_guard(rng, &sorts, of_leaf, 2),
                variables: vec![0, 1, 2, 3],
                pre: arcs(rng),
                post: arcs(rng),
                inhibit: Vec::new(),
                test,
            }
        })
        .collect();
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

fn random_term(
    rng: &mut Rng,
    sorts: &Sorts,
    sort: SortId,
    of_leaf: &[SortId],
    variables: bool,
) -> Multiset {
    let part = |rng: &mut Rng, leaf: SortId| -> Part {
        let size = sorts.leaf_size(leaf);
        let candidates: Vec<u32> = (0..of_leaf.len() as u32)
            .filter(|&i| variables && of_leaf[i as usize] == leaf)
            .collect();
        if candidates.is_empty() || rng.index(3) == 0 {
            return Part::Constant(rng.index(size as usize) as u32);
        }
        let cyclic = matches!(sorts.get(leaf).kind, SortKind::Enumeration { .. });
        Part::Variable {
            leaf: LeafId(candidates[rng.index(candidates.len())]),
            shift: if cyclic {
                rng.index(size as usize) as u32
            } else {
                0
            },
        }
    };
    let factor = |rng: &mut Rng, leaf: SortId| -> Factor {
        match rng.index(8) {
            0 => vec![(Part::All, 1)],
            1 => vec![(Part::All, 1), (part(rng, leaf), -1)],
            2 => vec![(part(rng, leaf), 1), (part(rng, leaf), 2)],
            _ => vec![(part(rng, leaf), 1)],
        }
    };
    let whole = [3, 4].map(|leaf| Part::Variable {
        leaf: LeafId(leaf),
        shift: 0,
    });
    let summands = (0..rng.index(3))
        .map(|_| {
            let leaves = sorts.leaves(sort);
            let mut factors: Vec<Factor> = leaves.iter().map(|&leaf| factor(rng, leaf)).collect();
            if variables && leaves.len() >= 2 && rng.index(3) == 0 {
                factors[0] = vec![(whole[0], 1)];
                factors[1] = vec![(whole[1], 1)];
            }
            Summand {
                factors,
                coefficient: [1, 2][rng.index(2)],
            }
        })
        .collect();
    let term = Multiset { sort, summands };
    term.normalised().expect("small coefficients")
}

fn random_guard(rng: &mut Rng, sorts: &Sorts, of_leaf: &[SortId], depth: usize) -> Guard {
    let relations = [
        Relation::Eq,
        Relation::Eq,
        Relation::Ne,
        Relation::Lt,
        Relation::Ge,
    ];
    let op = relations[rng.index(relations.len())];
    let leaf = rng.index(of_leaf.len());
    let size = sorts.leaf_size(of_leaf[leaf]);
    let cyclic = matches!(
        sorts.get(of_leaf[leaf]).kind,
        SortKind::Enumeration { cyclic: true, .. }
    );
    let shifted = |rng: &mut Rng, leaf: usize| Shifted {
        leaf: LeafId(leaf as u32),
        shift: if cyclic {
            rng.index(size as usize) as u32
        } else {
            0
        },
        size,
    };
    match rng.index(if depth == 0 { 3 } else { 5 }) {
        0 => Guard::TRUE,
        1 => {
            let colour = rng.index(size as usize) as u32;
            Guard::compare_constant(shifted(rng, leaf), op, colour)
        }
        2 => {
            let same: Vec<usize> = (0..of_leaf.len())
                .filter(|&i| of_leaf[i] == of_leaf[leaf])
                .collect();
            let other = same[rng.index(same.len())];
            Guard::compare(shifted(rng, leaf), op, shifted(rng, other))
        }
        kind => {
            let parts: Vec<Guard> = (0..2)
                .map(|_| random_guard(rng, sorts, of_leaf, depth - 1))
                .collect();
            if kind == 3 {
                Guard::and(parts)
            } else {
                Guard::or(parts)
            }
        }
    }
}

#[test]
fn joins_find_what_enumeration_finds() {
    let mut rng = Rng::new(7);
    let (mut fired, mut dropped) = (0, 0);
    for round in 0..2000 {
        let net = random_net(&mut rng, true);
        let (tokens, bindings) = by_enumeration(&net);
        let found = unfolded(&net);
        let places: BTreeSet<(u32, u64)> = (0..found.net.places().len() as u32)
            .map(|p| found.origin.place(PlaceId(p)))
            .map(|(place, colour)| (place.0, colour))
            .collect();
        assert_eq!(places, tokens, "round {round}");
        assert_eq!(
            found.net.transitions().len(),
            bindings.len(),
            "round {round}"
        );
        for (number, t) in (0..).zip(found.net.transitions()) {
            let (coloured, values) = found.origin.transition(TransitionId(number));
            let expected = &bindings[&(coloured.0, values.to_vec())];
            for (arcs, expected) in [&t.pre, &t.post].into_iter().zip(expected) {
                let mut joined: BTreeMap<(u32, u64), u32> = BTreeMap::new();
                for &(place, colour, n) in expected {
                    *joined.entry((place, colour)).or_default() += n;
                }
                let arcs: BTreeMap<(u32, u64), u32> = arcs
                    .iter()
                    .map(|&(p, n)| {
                        let (place, colour) = found.origin.place(p);
                        ((place.0, colour), n)
                    })
                    .collect();
                assert_eq!(arcs, joined, "round {round}, {}", t.id);
            }
        }
        // Every colour of every place has a name, also those that are never there.
        let symbols = found.origin.symbols(&found.net);
        for (number, place) in (0..).zip(&net.places) {
            let size = net.sorts.size(place.sort);
            for colour in (0..size).filter(|_| size > 1) {
                let name = format!("{}({})", place.id, net.sorts.label(place.sort, colour));
                let known = symbols.place(&name).map(<[VarId]>::len);
                let expected = usize::from(tokens.contains(&(number, colour)));
                assert_eq!(known, Ok(expected), "round {round}, {name}");
            }
        }
        fired += bindings.len();
        let colours: u64 = net.places.iter().map(|p| net.sorts.size(p.sort)).sum();
        dropped += colours as usize - tokens.len();
    }
    assert!(
        fired > 10_000 && dropped > 10_000,
        "{fired} bindings, {dropped} dead places"
    );
}

#[test]
fn what_is_written_is_read_back() {
    let mut rng = Rng::new(8);
    let mut nets: Vec<ColouredNet> = (0..300)
        .map(|i| random_net(&mut rng, i % 10 == 0))
        .collect();
    nets.push(Family::Philosophers.generate_coloured(3).unwrap());
    nets.push(Family::TokenRing.generate_coloured(3).unwrap());
    let mut split = 0;
    for net in nets {
        let mut text = Vec::new();
        pnml::write_coloured(&net, &mut text).unwrap();
        let read = read_coloured(&text);
        assert_eq!(read.places, net.places);
        for (read, t) in read.transitions.iter().zip(&net.transitions) {
            assert_eq!(
                (&read.pre, &read.post, &read.test),
                (&t.pre, &t.post, &t.test)
            );
        }
        let (again, first) = (unfolded(&read).net, unfolded(&net).net);
        if read.variables.len() == net.variables.len() {
            assert_eq!(again, first);
            continue;
        }
        // A variable whose parts are used has become several, and bindings have other names.
        split += 1;
        assert_eq!(again.places(), first.places());
        let arcs = |t: &Transition| (t.pre.clone(), t.post.clone(), t.test.clone());
        assert_eq!(
            again.transitions().iter().map(arcs).collect::<Vec<_>>(),
            first.transitions().iter().map(arcs).collect::<Vec<_>>()
        );
    }
    assert!(
        (20..=40).contains(&split),
        "{split} nets with parts of tuples"
    );
}

fn read_coloured(text: &[u8]) -> ColouredNet {
    match pnml::parse_net(text) {
        Ok(pnml::Net::Coloured(net)) => net,
        Ok(pnml::Net::Plain(net)) => panic!("a plain net: {net}"),
        Err(error) => panic!("{}", error),
    }
}

#[test]
fn a_tuple_compared_with_a_variable_is_written_in_parts() {
    let text = "<pnml><net id='n'><declaration><structure><declarations>
        <namedsort id='c' name='c'><finiteintrange start='1' end='3'/></namedsort>
        <namedsort id='cc' name='cc'><productsort><usersort declaration='c'/><usersort declaration='c'/></productsort></namedsort>
        <variabledecl id='x' name='x'><usersort declaration='c'/></variabledecl>
        <variabledecl id='xy' name='xy'><usersort declaration='cc'/></variabledecl>
        <variabledecl id='xy_1' name='xy_1'><usersort declaration='c'/></variabledecl>
        </declarations></structure></declaration>
        <place id='p'><type><structure><usersort declaration='cc'/></structure></type><hlinitialMarking><structure>
          <all><usersort declaration='cc'/></all></structure></hlinitialMarking></place>
        <transition id='t'><condition><structure><equality><subterm><variable refvariable='xy'/></subterm><subterm><tuple>
          <subterm><variable refvariable='x'/></subterm><subterm><variable refvariable='xy_1'/></subterm></tuple></subterm>
        </equality></structure></condition></transition>
        <arc id='a' source='p' target='t'><hlinscription><structure><variable refvariable='xy'/></structure></hlinscription></arc>
        </net></pnml>";
    let net = read_coloured(text.as_bytes());
    let mut written = Vec::new();
    pnml::write_coloured(&net, &mut written).unwrap();
    let again = read_coloured(&written);
    let ids: Vec<&str> = again.variables.iter().map(|v| v.id.as_str()).collect();
    assert_eq!(ids, ["x", "xy_1_", "xy_2", "xy_1"]);
    assert_eq!(
        unfolded(&again).net.to_string(),
        unfolded(&net).net.to_string()
    );
    assert_eq!(unfolded(&net).net.transitions().len(), 9);
}

#[test]
fn successors_in_a_range_cannot_be_written() {
    let mut net = Family::TokenRing.generate_coloured(2).unwrap();
    let size = 3;
    let range = net
        .sorts
        .add(Some("Range"), SortKind::Range { start: 0, end: 2 })
        .unwrap();
    for v in &mut net.variables {
        v.sort = range;
    }
    let shifted = |leaf, shift| Shifted {
        leaf: LeafId(leaf),
        shift,
        size,
    };
    net.transitions[0].guard = Guard::compare(shifted(0, 0), Relation::Eq, shifted(1, 1));
    let error = pnml::write_coloured(&net, Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the net uses successors in the sort `Range`, and symmetric nets have them in cyclic enumerations only"
    );
}

/// `cargo test --release -p dalsegno-models --test unfolding -- --ignored --nocapture`
#[test]
#[ignore = "a measurement: a million bindings"]
fn a_million_bindings_are_unfolded_in_seconds() {
    let net = Family::TokenRing.generate_coloured(100).unwrap();
    let (mut told, started) = (0, std::time::Instant::now());
    let budget = Budget::unlimited().with_bytes(2_000_000_000);
    let found = unfold(net, Limits::default(), &budget, |progress| {
        assert!(progress.transitions > 0);
        told += 1;
    });
    let net = found.unwrap().net;
    println!(
        "{net} in {:?}, progress told {told} times",
        started.elapsed()
    );
    assert_eq!(net.transitions().len(), 1_010_101);
    assert!(told > 200);
}

#[test]
fn names_speak_in_colours() {
    let found = unfolded(&Family::TokenRing.generate_coloured(2).unwrap());
    let ids: Vec<&str> = found.net.places().iter().map(|p| p.id.as_str()).collect();
    assert_eq!(
        ids[..4],
        ["State(0,0)", "State(0,1)", "State(0,2)", "State(1,0)"]
    );
    assert_eq!(found.net.transitions()[3].id, "OtherProcess(p=1, s=0, r=1)");
    let binding = found.origin.binding(GroupId(3));
    assert_eq!(binding.transition, "OtherProcess");
    let pair = |v: &str, c: &str| (v.to_owned(), c.to_owned());
    assert_eq!(
        binding.colours,
        [pair("p", "1"), pair("s", "0"), pair("r", "1")]
    );
    assert_eq!(found.origin.find(&binding), Some(GroupId(3)));
    let symbols = found.origin.symbols(&found.net);
    assert_eq!(symbols.place("State").unwrap().len(), 9);
    assert_eq!(symbols.place("State(1,0)"), Ok(&[VarId(3)][..]));
    assert_eq!(
        symbols.transition("MainProcess").unwrap(),
        [GroupId(0), GroupId(1), GroupId(2)]
    );
    assert_eq!(
        symbols.transition("OtherProcess(p=1, s=0, r=1)"),
        Ok(&[GroupId(3)][..])
    );
    let plain = found.net.with_plain_ids();
    assert_eq!(plain.places()[3].id, "State_1_0");
    assert_eq!(plain.transitions()[3].id, "OtherProcess_p_1_s_0_r_1");
    assert_eq!(plain.transitions()[3].name, "OtherProcess(p=1, s=0, r=1)");
}

#[test]
fn colours_of_signs_have_plain_names_of_numbers() {
    let mut net = Family::Philosophers.generate_coloured(3).unwrap();
    let constants = ["+", "*", "?"].map(|name| Constant {
        id: name.to_owned(),
        name: name.to_owned(),
    });
    let kind = SortKind::Enumeration {
        constants: constants.to_vec(),
        cyclic: true,
    };
    let signs = net.sorts.add(Some("Sign"), kind).unwrap();
    for place in &mut net.places {
        place.sort = signs;
        place.initial.sort = signs;
    }
    for variable in &mut net.variables {
        variable.sort = signs;
    }
    let plain = unfolded(&net).net.with_plain_ids();
    let ids = plain.places().iter().map(|p| p.id.as_str());
    let ids: Vec<&str> = ids.filter(|id| id.starts_with("Fork")).collect();
    assert_eq!(ids, ["Fork", "Fork_2", "Fork_3"]);
}

#[test]
fn limits_end_in_an_error_with_the_size() {
    let net = Family::TokenRing.generate_coloured(20).unwrap();
    let limits = Limits {
        transitions: 100,
        ..Limits::default()
    };
    let error = unfold(net.clone(), limits, &Budget::unlimited(), |_| {}).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the unfolded net is too large: it would have up to 441 places and 8841 transitions"
    );
    assert_eq!(error.stop(), Some(Stop::Memory));
    let spent = Budget::unlimited().with_time(Duration::ZERO);
    let error = unfold(net.clone(), Limits::default(), &spent, |_| {}).unwrap_err();
    assert_eq!(error, UnfoldError::Stopped(Stop::Time));
    let small = Budget::unlimited().with_bytes(1000);
    let error = unfold(net, Limits::default(), &small, |_| {}).unwrap_err();
    assert_eq!(error, UnfoldError::Stopped(Stop::Memory));
    // A product of ranges with 10^18 colours, all of them marked.
    let mut sorts = Sorts::new();
    let range = sorts
        .add(
            None,
            SortKind::Range {
                start: 1,
                end: 1_000_000,
            },
        )
        .unwrap();
    let sort = sorts.add(None, SortKind::Product(vec![range; 3])).unwrap();
    let all = Summand {
        factors: vec![vec![(Part::All, 1)]; 3],
        coefficient: 1,
    };
    let place = ColouredPlace {
        id: "p".to_owned(),
        name: "p".to_owned(),
        sort,
        initial: Multiset {
            sort,
            summands: vec![all],
        },
    };
    let huge = ColouredNet {
        name: "huge".to_owned(),
        sorts,
        partitions: Vec::new(),
        variables: Vec::new(),
        places: vec![place],
        transitions: Vec::new(),
        graphics: None,
    };
    let error = unfold(huge, Limits::default(), &Budget::unlimited(), |_| {}).unwrap_err();
    assert!(matches!(error, UnfoldError::TooLarge(size) if size.places == 10u128.pow(18)));
}

#[test]
fn a_difference_below_nothing_names_its_binding() {
    let mut net = Family::Philosophers.generate_coloured(2).unwrap();
    let (_, term) = &mut net.transitions[0].pre[0];
    term.summands.push(Summand {
        factors: vec![vec![(Part::Constant(1), 1)]],
        coefficient: -1,
    });
    let error = unfold(net, Limits::default(), &Budget::unlimited(), |_| {}).unwrap_err();
    assert_eq!(
        error.to_string(),
        "transition FF1a(x=1), at place `Think`: more is taken away than there is"
    );
    assert_eq!(error.stop(), None);
}

#[test]
fn markings_lift_to_tokens_of_all_colours_and_bindings_to_their_transitions() {
    for (family, n) in [(Family::Philosophers, 3), (Family::TokenRing, 2)] {
        let net = family.generate_coloured(n).unwrap();
        let Unfolded { net: plain, origin } = unfolded(&net);
        let lift = origin.lift();
        // As many tokens in each unfolded place as its number says.
        let marking: Vec<u32> = (1..=plain.places().len() as u32).collect();
        let mut expected = vec![0; net.places.len()];
        for (p, tokens) in (0..).map(PlaceId).zip(&marking) {
            expected[origin.place(p).0.index()] += tokens;
        }
        let mut lifted = vec![0; net.places.len()];
        lift.lift_state(&marking, &mut lifted).unwrap();
        assert_eq!(lifted, expected);
        assert_eq!(lift.originals(), net.transitions.len());
        for t in 0..plain.transitions().len() as u32 {
            let of = GroupId(origin.transition(TransitionId(t)).0.0);
            assert_eq!(lift.groups(GroupId(t)), [of]);
            assert!(lift.groups_of(of).contains(&GroupId(t)));
        }
    }
}
