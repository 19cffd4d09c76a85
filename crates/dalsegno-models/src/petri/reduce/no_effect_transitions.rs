//! Transitions without effect are removed.
//!
//! *Condition:* not observed, and gives back what it takes. *Keeps* reachable markings only: it makes runs that stay where
//! they are, and hides dead ends. *Runs* need no lifting.

use super::draft::Draft;

/// Looks at all transitions.
pub(super) fn all(draft: &mut Draft) -> usize {
    let mut removed = 0;
    for t in 0..draft.transitions.len() as u32 {
        let idle = |t: &super::draft::DraftTransition| t.pins.is_empty() && t.pre == t.post;
        if draft.transitions[t as usize].as_ref().is_some_and(idle) {
            draft.remove(t);
            removed += 1;
        }
    }
    removed
}
