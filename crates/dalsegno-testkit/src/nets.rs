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
