//! The models over whose names properties, propositions and witnesses are read.

use std::sync::Arc;

use dalsegno::kripke::Budget;
use dalsegno::models::petri::generators::Family;
use dalsegno::models::petri::{Nupn, PetriNet, Place, PlaceId, Transition, Unit, pnml};
use dalsegno::{Problem, Source};

/// A net with weights, all kinds of arcs, units, and names that look like operators or need quotes.
///
/// # Panics
/// Never: its parts fit together.
#[must_use]
pub fn net() -> PetriNet {
    let names = ["p", "q", "r", "F1", "G", "a b"];
    let tokens = [3, 0, 1, 1, 0, 2];
    let places = names.iter().zip(tokens).map(|(name, initial)| Place {
        id: name.replace(' ', "-"),
        name: (*name).to_owned(),
        initial,
    });
    let [p, q, r, f, g, ab] = [0, 1, 2, 3, 4, 5].map(PlaceId);
    let transition = |id: &str, pre: &[(PlaceId, u32)], post: &[(PlaceId, u32)]| Transition {
        id: id.to_owned(),
        name: format!("{id} & <{id}>"),
        pre: pre.to_vec(),
        post: post.to_vec(),
        ..Transition::default()
    };
    let transitions = vec![
        Transition {
            inhibit: vec![(r, 9)],
            test: vec![(f, 1)],
            ..transition("t", &[(p, 2)], &[(q, 1), (r, 1)])
        },
        transition("u", &[(q, 1), (r, 1)], &[(p, 2)]),
        transition("X2", &[(f, 1)], &[(g, 1)]),
        transition("back", &[(g, 1)], &[(f, 1)]),
        transition("e", &[(ab, 1)], &[]),
    ];
    let unit = |id: &str, places: &[PlaceId], subunits: &[usize]| Unit {
        id: id.to_owned(),
        places: places.to_vec(),
        subunits: subunits.to_vec(),
    };
    let nupn = Nupn {
        units: vec![
            unit("all", &[], &[1, 2]),
            unit("one", &[p, q, r, ab], &[]),
            unit("two", &[f, g], &[]),
        ],
        root: 0,
        safe: false,
    };
    PetriNet::new("subject", places.collect(), transitions, Some(nupn)).expect("a net")
}

/// The models that witnesses are about: a plain and a coloured one.
///
/// # Panics
/// Never: the nets exist and are small.
#[must_use]
pub fn sources() -> [Source; 2] {
    let coloured = Family::Philosophers.generate_coloured(2).expect("a net");
    [Source::of_net(net()), Source::of_coloured(coloured)]
}

/// The net as the checker of proofs reads it.
///
/// # Panics
/// Never: what is written is read.
#[must_use]
pub fn checked() -> dalsegno::verify::net::Net {
    let mut text = Vec::new();
    pnml::write(&net(), &mut text).expect("memory does not fail");
    dalsegno::verify::net::Net::parse(&text).expect("a net")
}

/// The problem of a small source, unfolded if it is coloured.
///
/// # Panics
/// If it cannot be unfolded.
#[must_use]
pub fn problem(source: &Source) -> &Arc<Problem> {
    let unfolded = source.problem(&Budget::unlimited(), |_| {});
    unfolded.expect("a small net")
}
