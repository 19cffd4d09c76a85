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

use super::condition::Condition;
use super::draft::Draft;

/// Looks at all transitions.
pub(super) fn all(draft: &mut Draft) -> usize {
    let mut gone: Vec<u32> = Vec::new();
    for t in 0..draft.transitions.len() as u32 {
        if draft.is_over() {
            break;
        }
        let Some(transition) = &draft.transitions[t as usize] else {
            continue;
        };
        let effects = transition.effects();
        let inputs = [
            Condition::SinkTransitionInputsUnobserved,
            Condition::SinkTransitionInputsNotInhibiting,
        ];
        let taken = |&(p, n): &(u32, i64)| {
            draft.is(Condition::SinkTransitionOnlyTakes, n < 0) && draft.may_keep_more(p, inputs)
        };
        if draft.is(
            Condition::SinkTransitionUnobserved,
            transition.pins.is_empty(),
        ) && draft.is(Condition::SinkTransitionTakes, !effects.is_empty())
            && effects.iter().all(taken)
        {
            gone.push(t);
        }
    }
    draft.remove_all(&gone)
}
