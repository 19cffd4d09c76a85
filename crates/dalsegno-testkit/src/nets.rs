//! Small random nets.

use dalsegno_logic::random::Rng;
use dalsegno_models::petri::{PetriNet, Place, PlaceId, Transition};

/// A net in which tokens move and never multiply.
///
/// # Panics
/// Never: its parts fit together.
#[must_use]
pub fn random_net(rng: &mut Rng) -> PetriNet {
    let n = 2 + rng.index(3);
    let places = (0..n)
        .map(|i| Place {
            id: format!("p{i}"),
            name: format!("p{i}"),
            initial: rng.below(3) as u32,
        })
        .collect();
    let place = |rng: &mut Rng| PlaceId(rng.index(n) as u32);
    let transitions = (0..2 + rng.index(4))
        .map(|i| {
            let moved = 1 + rng.below(2) as u32;
            let mut t = Transition {
                id: format!("t{i}"),
                name: format!("t{i}"),
                pre: vec![(place(rng), moved)],
                post: vec![(place(rng), moved)],
                ..Transition::default()
            };
            if rng.chance(1, 4) {
                t.inhibit.push((place(rng), 1 + rng.below(2) as u32));
            }
            if rng.chance(1, 4) {
                t.test.push((place(rng), 1));
            }
            t
        })
        .collect();
    PetriNet::new("random", places, transitions, None).unwrap()
}

/// A net in which transitions take and give what they like: tokens vanish and multiply, some nets have dead ends, and
/// some have no bound.
///
/// # Panics
/// Never: its parts fit together.
#[must_use]
pub fn wild_net(rng: &mut Rng) -> PetriNet {
    let n = 2 + rng.index(4);
    let places = (0..n).map(|i| Place {
        id: format!("p{i}"),
        name: format!("p{i}"),
        initial: [0, 0, 1, 1, 2, 4][rng.index(6)],
    });
    let places = places.collect();
    let transitions = (0..2 + rng.index(5)).map(|i| {
        let mut arcs = |most: usize, heaviest: u64| -> Vec<(PlaceId, u32)> {
            let count = rng.index(most + 1);
            let mut arcs: Vec<(PlaceId, u32)> = (0..count)
                .map(|_| (PlaceId(rng.index(n) as u32), 1 + rng.below(heaviest) as u32))
                .collect();
            arcs.sort_unstable();
            arcs.dedup_by_key(|arc| arc.0);
            arcs
        };
        let mut t = Transition {
            id: format!("t{i}"),
            name: format!("t{i}"),
            pre: arcs(2, 2),
            post: arcs(2, 2),
            ..Transition::default()
        };
        if rng.chance(1, 3) {
            t.inhibit
                .push((PlaceId(rng.index(n) as u32), 1 + rng.below(3) as u32));
        }
        if rng.chance(1, 5) {
            t.test
                .push((PlaceId(rng.index(n) as u32), 1 + rng.below(2) as u32));
        }
        t
    });
    let transitions = transitions.collect();
    PetriNet::new("wild", places, transitions, None).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wild_nets_have_all_kinds_of_arcs_and_transitions() {
        let mut rng = Rng::new(4);
        let nets: Vec<PetriNet> = (0..200).map(|_| wild_net(&mut rng)).collect();
        let some =
            |is: fn(&Transition) -> bool| nets.iter().any(|net| net.transitions().iter().any(is));
        assert!(some(|t| t.pre.is_empty() && !t.post.is_empty()));
        assert!(some(|t| t.post.is_empty() && !t.pre.is_empty()));
        assert!(some(|t| t.inhibit.iter().any(|arc| arc.1 > 1)));
        assert!(some(|t| !t.test.is_empty()));
        assert!(some(|t| t.pre.iter().any(|arc| arc.1 > 1)));
    }
}
