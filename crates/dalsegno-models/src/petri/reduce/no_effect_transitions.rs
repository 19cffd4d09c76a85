//! Transitions without effect are removed.
//!
//! *Condition:* not observed, and gives back what it takes. *Keeps* reachable markings only: it makes runs that stay where
//! they are, and hides dead ends. *Runs* need no lifting.

use super::condition::Condition;
use super::draft::{Draft, DraftTransition};

/// Looks at all transitions.
pub(super) fn all(draft: &mut Draft) -> usize {
    let mut gone: Vec<u32> = Vec::new();
    for t in 0..draft.transitions.len() as u32 {
        if draft.is_over() {
            break;
        }
        let idle = |t: &DraftTransition| {
            draft.is(Condition::NoEffectUnobserved, t.pins.is_empty())
                && draft.is(Condition::NoEffect, t.pre == t.post)
        };
        if draft.transitions[t as usize].as_ref().is_some_and(idle) {
            gone.push(t);
        }
    }
    draft.remove_all(&gone)
}
