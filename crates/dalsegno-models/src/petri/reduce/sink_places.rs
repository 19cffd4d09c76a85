//! Sink places: a place that nothing reads is removed.
//!
//! *Paper:* Berthelot 1987 (redundant places, the simplest case). *Condition:* unobserved, no input arc and no inhibitor
//! arc of any transition. *Keeps* everything: markings that differ in the place alone have the same steps. A transition
//! that is left without effect stays. *Runs* are lifted by replay; a cycle along which the place grows does not close in
//! the given net, and such a run shows nothing there.

use super::condition::Condition;
use super::draft::Draft;
use super::observed::Watch;

/// Looks at a place.
pub(super) fn at(draft: &mut Draft, p: u32) -> usize {
    let place = &draft.places[p as usize];
    let unread = draft.is(Condition::SinkPlaceUnobserved, place.watch == Watch::Not)
        && draft.is(Condition::SinkPlaceUnread, place.takers.is_empty())
        && draft.is(
            Condition::SinkPlaceNotInhibiting,
            place.inhibited.is_empty(),
        );
    if !unread {
        return 0;
    }
    draft.remove_place(p);
    1
}
