//! Sink transitions: what only takes tokens that nobody misses is removed.
//!
//! *Condition:* not observed; it puts nothing but what it takes, takes something for good, and that from places that are
//! unobserved and never inhibiting. A place of which a goal wants many tokens may lose some as well.
//!
//! *Keeps* reachable observed markings, and infinite runs up to repetitions. *Why:* without the transition, the places
//! that it takes from hold at least as many tokens and all others as many, so that everything else stays enabled.
//! What is observed does not change by it. An infinite run does not consist of it alone from some point on, since it
//! lowers a place: what remains of the run without it is infinite. Wrong for runs that end: they may die of the theft.
//! *Runs* need no lifting.

use super::draft::Draft;

/// Looks at all transitions.
pub(super) fn all(draft: &mut Draft) -> usize {
    let mut removed = 0;
    for t in 0..draft.transitions.len() as u32 {
        let Some(transition) = &draft.transitions[t as usize] else {
            continue;
        };
        if !transition.pins.is_empty() || transition.post.len() > transition.pre.len() {
            continue;
        }
        let effects = transition.effects();
        let taken = |&(p, n): &(u32, i64)| n < 0 && draft.may_keep_more(p);
        if !effects.is_empty() && effects.iter().all(taken) {
            draft.remove(t);
            removed += 1;
        }
    }
    removed
}
