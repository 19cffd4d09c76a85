//! What `info` tells of nets is true of all their reachable markings.

use std::collections::BTreeSet;

use dalsegno::info::{Info, ModelKind, Options, Pattern};
use dalsegno::kripke::{Budget, Scratch};
use dalsegno::models::petri::generators::Family;
use dalsegno::models::petri::{PetriNet, pnml};

/// The markings that are reachable first.
fn markings(net: &PetriNet, most: usize) -> Vec<Vec<u32>> {
    let model = net.to_model();
    let mut seen: BTreeSet<Vec<u32>> = model.initial().iter().cloned().collect();
    let mut open: Vec<Vec<u32>> = model.initial().to_vec();
    let mut scratch = Scratch::default();
    let mut at = 0;
    while at < open.len() && open.len() < most {
        let state = open[at].clone();
        at += 1;
        let mut next = Vec::new();
        model
            .successors(&state, &mut scratch, |_, reached| {
                next.push(reached.to_vec());
            })
            .unwrap();
        open.extend(next.into_iter().filter(|state| seen.insert(state.clone())));
    }
    open
}

fn everything() -> Options {
    Options {
        most: None,
        time: std::time::Duration::from_secs(20),
        ..Options::default()
    }
}

fn info(net: &PetriNet) -> Info {
    let mut bytes = Vec::new();
    pnml::write(net, &mut bytes).unwrap();
    Info::of_bytes(&bytes, "net.pnml", &everything(), &Budget::unlimited()).unwrap()
}

#[test]
fn what_is_told_of_families_is_true_of_their_markings() {
    let (mut sums, mut siphons) = (0, 0);
    for family in Family::all() {
        let net = family.generate(4).unwrap();
        let info = info(&net);
        let structure = info.structure.as_ref().unwrap();
        let places = info.places.as_ref().unwrap();
        assert_eq!(
            (info.kind, places.total),
            (ModelKind::Net, net.places().len())
        );
        let position = |id: &str| net.places().iter().position(|p| p.id == id).unwrap();
        let model = net.to_model();
        for marking in markings(&net, 2000) {
            for (place, &tokens) in places.shown.iter().zip(&marking) {
                assert!(place.bound.is_none_or(|bound| tokens <= bound), "{family}");
            }
            for invariant in &structure.place_invariants.shown {
                let term =
                    |w: &dalsegno::info::Weighted| w.weight * u64::from(marking[position(&w.id)]);
                let value: u64 = invariant.places.iter().map(term).sum();
                assert_eq!(value.to_string(), invariant.value, "{family}");
                sums += 1;
            }
            for siphon in structure.siphons.shown.iter().chain(&structure.traps.shown) {
                let marked = siphon.places.iter().any(|id| marking[position(id)] > 0);
                assert!(
                    marked || siphon.never_empty != Some(true),
                    "{family}: {siphon:?}"
                );
                siphons += 1;
            }
            for id in &structure.never_fire.shown {
                let group = model.find_group(id).unwrap();
                assert!(!model.enabled(group, &marking), "{family}: {id}");
            }
        }
    }
    assert!(sums > 1000 && siphons > 1000, "{sums} {siphons}");
}

/// The net without its colours counts the tokens of the unfolded net.
#[test]
fn what_is_told_of_coloured_nets_is_true_of_their_numbers_of_tokens() {
    let coloured = Family::Philosophers.generate_coloured(3).unwrap();
    let mut bytes = Vec::new();
    pnml::write_coloured(&coloured, &mut bytes).unwrap();
    let info = Info::of_bytes(&bytes, "c.pnml", &everything(), &Budget::unlimited()).unwrap();
    let plain = Family::Philosophers.generate(3).unwrap();
    let places = info.places.as_ref().unwrap();
    assert_eq!(
        info.unfolding.as_ref().unwrap().places,
        Some(plain.places().len())
    );
    for marking in markings(&plain, 5000) {
        for place in &places.shown {
            let prefix = format!("{}_", place.id);
            let named = plain.places().iter().zip(&marking);
            let tokens: u32 = named
                .filter(|(p, _)| p.id.starts_with(&prefix))
                .map(|(_, n)| n)
                .sum();
            assert!(
                place.bound.is_some_and(|bound| tokens <= bound),
                "{}",
                place.id
            );
        }
    }
}

#[test]
fn a_pattern_takes_names_and_what_speaks_of_them() {
    let net = Family::Philosophers.generate(5).unwrap();
    let mut bytes = Vec::new();
    pnml::write(&net, &mut bytes).unwrap();
    let options = Options {
        pattern: Some(Pattern::new("eat_1")),
        ..Options::default()
    };
    let info = Info::of_bytes(&bytes, "net.pnml", &options, &Budget::unlimited()).unwrap();
    let structure = info.structure.unwrap();
    assert_eq!(info.places.unwrap().matching, 1);
    assert_eq!(structure.place_invariants.matching, 3);
    assert_eq!((info.transitions.matching, info.transitions.total), (0, 25));
}

#[test]
fn what_reductions_leave_is_told_for_each_kind_of_question() {
    let net = Family::Philosophers.generate(5).unwrap();
    let info = info(&net);
    let kinds: Vec<(&str, bool)> = info
        .reductions
        .iter()
        .map(|left| (left.kept, left.observed.is_some()))
        .collect();
    assert_eq!(
        kinds,
        [
            ("reachable markings", false),
            ("reachable markings", true),
            ("deadlocks", false),
            ("runs", false),
            ("runs", true),
            ("branching", false),
            ("branching", true),
            ("each step", false),
            ("each step", true),
        ]
    );
    // Who observes nothing needs nothing; a philosopher has to be told from its neighbours.
    assert_eq!(
        (info.reductions[0].places, info.reductions[0].transitions),
        (0, 0)
    );
    for left in &info.reductions {
        let size = left.places + left.transitions;
        let given = net.places().len() + net.transitions().len();
        assert_eq!(left.rules.is_empty(), size == given, "{left:?}");
        assert!(left.observed.is_none() || left.places > 0, "{left:?}");
    }
}

#[test]
fn what_has_no_time_is_not_computed() {
    let net = Family::Philosophers.generate(40).unwrap();
    let mut bytes = Vec::new();
    pnml::write(&net, &mut bytes).unwrap();
    let options = Options {
        time: std::time::Duration::ZERO,
        ..Options::default()
    };
    let info = Info::of_bytes(&bytes, "net.pnml", &options, &Budget::unlimited()).unwrap();
    let left: Vec<&str> = info.not_computed.iter().map(|left| left.what).collect();
    assert_eq!(
        left,
        [
            "reductions",
            "place invariants",
            "unboundedness",
            "siphons",
            "traps",
            "transition invariants"
        ]
    );
    assert_eq!(info.places.unwrap().total, 200);
}
