//! What pre-, post- and free agglomeration share: joining transitions that follow each other through a place.

use dalsegno_kripke::MoveId;

use super::draft::{Draft, DraftTransition, added, without};

/// Transitions that a place may have on one side to be looked at.
pub(super) const MOST_NEIGHBOURS: usize = 1000;

/// Whether joining may go on: not many more transitions and arcs than before.
pub(super) fn is_worth_it(
    draft: &Draft,
    before: impl Iterator<Item = u32>,
    joined: &[DraftTransition],
) -> bool {
    let (mut transitions, mut arcs) = (0, 0);
    for t in before {
        transitions += 1;
        arcs += draft.at(t).arcs();
    }
    let after: usize = joined.iter().map(DraftTransition::arcs).sum();
    joined.len() <= transitions && after <= arcs + arcs / 2 + 8
}

/// The transition that fires `h` and then `f`s, of which each takes one of the tokens that `h` puts into the place.
/// `None` if weights become too large, or it would stand for too many transitions.
pub(super) fn joined(draft: &mut Draft, p: u32, h: u32, fs: &[u32]) -> Option<DraftTransition> {
    let first = draft.at(h);
    let mut pre = first.pre.clone();
    let mut post = without(&first.post, p);
    // Where p inhibits and this is allowed, it is empty whenever somebody looks.
    let mut inhibit = without(&first.inhibit, p);
    let pins = first.pins.clone();
    let mut parts: Vec<MoveId> = vec![first.moves];
    for &f in fs {
        let second = draft.at(f);
        // What else f needs is not put by h.
        pre = added(&pre, &without(&second.pre, p))?;
        post = added(&post, &second.post)?;
        for &(q, n) in &second.inhibit {
            match inhibit.binary_search_by_key(&q, |arc| arc.0) {
                Ok(i) => inhibit[i].1 = inhibit[i].1.min(n),
                Err(i) => inhibit.insert(i, (q, n)),
            }
        }
        parts.push(second.moves);
    }
    let moves = draft.sequence(parts)?;
    Some(DraftTransition {
        pre,
        post,
        inhibit,
        moves,
        pins,
    })
}

/// Puts joined transitions in the place of those around a place, which is removed.
pub(super) fn replace(draft: &mut Draft, p: u32, joined: Vec<DraftTransition>) {
    let place = &draft.places[p as usize];
    let old: Vec<u32> = place.givers.iter().chain(&place.takers).copied().collect();
    draft.remove_all(&old);
    draft.remove_place(p);
    for transition in joined {
        draft.add(transition);
    }
}
