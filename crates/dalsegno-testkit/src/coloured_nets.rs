//! Random coloured nets.

use dalsegno_kripke::Relation;
use dalsegno_logic::random::Rng;
use dalsegno_models::petri::PlaceId;
use dalsegno_models::petri::coloured::{
    ColourVariable, ColouredArcs, ColouredNet, ColouredPlace, ColouredTransition, Constant, Guard,
    LeafId, Multiset, Part, Shifted, SortId, SortKind, Sorts, Summand,
};

/// A random symmetric net of a few places: sorts of two to four colours, tuples, guards, successors, `all`, differences, tests and
/// inhibitors, with few variables on few arcs, so that colours are often not told apart.
///
/// # Panics
/// Never: all sorts and terms are small.
#[must_use]
pub fn random_coloured_net(rng: &mut Rng) -> ColouredNet {
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
        end: [2, 3][rng.index(2)],
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
    let mut transitions: Vec<ColouredTransition> = (0..=rng.index(3))
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
        coefficient: [1, 2][rng.index(2)],
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
    let summands = (0..=usize::from(rng.index(4) == 0)).map(|_| summand(rng));
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
