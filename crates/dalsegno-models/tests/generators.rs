//! The numbers of states and transitions that others report for the families of nets.

use std::collections::HashSet;

use dalsegno_kripke::Scratch;
use dalsegno_models::petri::PetriNet;
use dalsegno_models::petri::generators::Family;

/// What a breadth-first search sees.
#[derive(PartialEq, Eq, Debug)]
struct Space {
    states: usize,
    transitions: u64,
    most_in_place: u32,
    most_in_marking: u64,
}

fn explore(net: &PetriNet) -> Space {
    let model = net.to_model();
    let pack = |state: &[u32]| -> Box<[u8]> {
        state
            .iter()
            .map(|&n| u8::try_from(n).expect("small nets"))
            .collect()
    };
    let first = &model.initial()[0];
    let mut seen: HashSet<Box<[u8]>> = HashSet::from([pack(first)]);
    let mut layer: Vec<Box<[u8]>> = vec![pack(first)];
    let mut space = Space {
        states: 0,
        transitions: 0,
        most_in_place: 0,
        most_in_marking: 0,
    };
    let mut scratch = Scratch::default();
    while !layer.is_empty() {
        let mut next_layer = Vec::new();
        for packed in layer {
            let state: Vec<u32> = packed.iter().map(|&n| u32::from(n)).collect();
            for (&tokens, variable) in state.iter().zip(model.variables()) {
                assert!(
                    variable
                        .bounds
                        .certain()
                        .is_none_or(|bound| tokens <= bound)
                );
                space.most_in_place = space.most_in_place.max(tokens);
            }
            let sum = state.iter().map(|&n| u64::from(n)).sum();
            space.most_in_marking = space.most_in_marking.max(sum);
            let stepped = model.successors(&state, &mut scratch, |_, next| {
                space.transitions += 1;
                let next = pack(next);
                if seen.insert(next.clone()) {
                    next_layer.push(next);
                }
            });
            stepped.expect("no overflow");
        }
        layer = next_layer;
    }
    space.states = seen.len();
    space
}

fn check(family: Family, n: u32, states: usize, transitions: Option<u64>) {
    let net = family.generate(n).expect("a net");
    let space = explore(&net);
    assert_eq!(space.states, states, "states of {family} {n}");
    if let Some(transitions) = transitions {
        assert_eq!(
            space.transitions, transitions,
            "transitions of {family} {n}"
        );
    }
}

#[test]
fn small_nets_have_the_known_numbers_of_states() {
    check(Family::Fms, 2, 3_444, Some(16_311));
    check(Family::Kanban, 1, 160, None);
    check(Family::Kanban, 3, 58_400, None);
    check(Family::Philosophers, 5, 243, Some(945));
    check(Family::Philosophers, 9, 19_683, None);
    check(Family::Phils, 2, 18, None);
    check(Family::Phils, 5, 1_364, None);
    check(Family::Ring, 5, 53_856, None);
    check(Family::Peterson, 2, 20_754, Some(62_262));
    check(Family::Mapk, 4, 24_065, Some(206_007));
    check(Family::TokenRing, 5, 166, Some(365));
    check(Family::ReadersWriters, 10, 1_034, Some(10_260));
    for n in 2..=8 {
        // Ciardo and others report 9 n 2^(n-2).
        check(Family::Mutex, n, 9 * n as usize * (1 << (n - 2)), None);
    }
}

#[test]
fn the_largest_markings_are_those_of_the_contest() {
    let space = explore(&Family::Fms.generate(2).expect("a net"));
    assert_eq!((space.most_in_place, space.most_in_marking), (3, 12));
    let space = explore(&Family::Peterson.generate(2).expect("a net"));
    assert_eq!((space.most_in_place, space.most_in_marking), (1, 8));
}

/// `cargo test --release -p dalsegno-models --test generators -- --ignored`
#[test]
#[ignore = "takes minutes and a gigabyte in release mode"]
fn large_nets_have_the_known_numbers_of_states() {
    check(Family::Kanban, 5, 2_546_432, Some(24_460_016));
    check(Family::Fms, 5, 2_895_018, Some(23_527_185));
    check(Family::Ring, 6, 575_296, None);
    check(Family::Phils, 10, 1_860_498, None);
    check(Family::Philosophers, 10, 59_049, Some(459_270));
    check(Family::Peterson, 3, 3_407_946, Some(13_631_784));
    check(Family::Mapk, 8, 6_110_643, Some(78_948_888));
    check(Family::Mutex, 10, 23_040, None);
}

#[test]
fn coloured_families_have_the_states_of_the_plain_ones() {
    use dalsegno_kripke::Budget;
    use dalsegno_models::petri::coloured::{Limits, unfold};

    for (family, sizes) in [
        (Family::Philosophers, [2, 3, 6]),
        (Family::TokenRing, [1, 2, 4]),
    ] {
        for n in sizes {
            let coloured = family.generate_coloured(n).expect("a net");
            let budget = Budget::unlimited();
            let unfolded = unfold(coloured, Limits::default(), &budget, |_| {}).expect("a net");
            let plain = family.generate(n).expect("a net");
            assert_eq!(explore(&unfolded.net), explore(&plain), "{family} {n}");
            assert_eq!(unfolded.net.places().len(), plain.places().len());
            assert_eq!(unfolded.net.transitions().len(), plain.transitions().len());
        }
    }
    assert!(Family::Kanban.generate_coloured(2).is_err());
}
