//! Nets that show which transitions they fire: pairs of places between which some transitions move a token.
//!
//! As [`dalsegno_kripke::with_toggles`] does with models, and without inhibitor arcs: a bit is a pair of places with one
//! token, so that place invariants know it. A transition that toggles bits becomes one per value of its bits.

use dalsegno_kripke::GroupId;
use rustc_hash::FxHashSet;

use super::net::{NetError, PetriNet, Place, PlaceId, Transition};

/// The net with `bits` pairs of places behind its own, first one that has the token where the bit is 0, which all are in the
/// beginning, then one that has it where it is 1. A transition moves the tokens of the pairs whose bits are set in its
/// entry of `toggled`. Also, for each transition of the new net, the one that it is a copy of.
///
/// # Errors
/// If the net becomes too large.
///
/// # Panics
/// If there is not one entry per transition, or an entry speaks of other bits.
pub fn with_toggles(
    net: &PetriNet,
    bits: usize,
    toggled: &[u64],
) -> Result<(PetriNet, Vec<GroupId>), NetError> {
    assert_eq!(
        toggled.len(),
        net.transitions().len(),
        "an entry per transition"
    );
    let place_ids = net.places().iter().map(|place| &place.id);
    let transition_ids = net.transitions().iter().map(|t| &t.id);
    let mut used: FxHashSet<String> = place_ids.chain(transition_ids).cloned().collect();
    let mut unused = |mut id: String| {
        while !used.insert(id.clone()) {
            id.push('\'');
        }
        id
    };
    let first = net.places().len() as u32;
    let mut places = net.places().to_vec();
    for bit in 0..bits {
        for value in 0..2 {
            let id = unused(format!("bit {bit} is {value}"));
            places.push(Place {
                name: id.clone(),
                id,
                initial: 1 - value,
            });
        }
    }
    let mut transitions = Vec::new();
    let mut origins = Vec::new();
    for ((origin, t), &mask) in (0..).map(GroupId).zip(net.transitions()).zip(toggled) {
        let bits: Vec<u32> = (0..64).filter(|bit| mask >> bit & 1 == 1).collect();
        for values in 0..1_u64 << bits.len() {
            let mut copy: Transition = t.clone();
            if values > 0 {
                copy.id = unused(copy.id);
            }
            for (i, bit) in bits.iter().enumerate() {
                let before = (values >> i & 1) as u32;
                let place = |value: u32| PlaceId(first + 2 * bit + value);
                copy.pre.push((place(before), 1));
                copy.post.push((place(1 - before), 1));
            }
            transitions.push(copy);
            origins.push(origin);
        }
    }
    let nupn = net.nupn().cloned();
    let toggling = PetriNet::new(net.name(), places, transitions, nupn)?;
    Ok((toggling, origins))
}

#[cfg(test)]
mod tests {
    use dalsegno_kripke::Scratch;

    use super::*;
    use crate::petri::generators::Family;

    /// Steps of the new net are those of the old one, and move the tokens of the bits that they toggle.
    #[test]
    fn steps_move_tokens_of_bits() {
        let net = Family::Philosophers.generate(3).unwrap();
        let mut toggled = vec![0; net.transitions().len()];
        toggled[..3].copy_from_slice(&[1, 2, 3]);
        let (toggling, origins) = with_toggles(&net, 2, &toggled).unwrap();
        assert_eq!(toggling.transitions().len(), net.transitions().len() + 5);
        let (old, new) = (net.to_model(), toggling.to_model());
        let places = net.places().len();
        let mut scratch = Scratch::default();
        let mut open = vec![new.initial()[0].clone()];
        let mut seen: FxHashSet<Vec<u32>> = open.iter().cloned().collect();
        while let Some(state) = open.pop() {
            let mut expected = Vec::new();
            old.successors(&state[..places], &mut scratch, |g, next| {
                let mut next = next.to_vec();
                for bit in 0..2 {
                    let at = places + 2 * bit;
                    let moves = toggled[g.index()] >> bit & 1 == 1;
                    let (a, b) = (state[at], state[at + 1]);
                    next.extend(if moves { [b, a] } else { [a, b] });
                }
                expected.push((g, next));
            })
            .unwrap();
            let mut found = Vec::new();
            new.successors(&state, &mut scratch, |g, next| {
                found.push((origins[g.index()], next.to_vec()));
            })
            .unwrap();
            assert_eq!(found, expected);
            let next = found.into_iter().map(|(_, next)| next);
            open.extend(next.filter(|next| seen.insert(next.clone())));
        }
        assert!(seen.len() > 18);
    }
}
