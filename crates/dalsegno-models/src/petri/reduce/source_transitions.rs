//! Source transitions: places that can be filled at any time are removed.
//!
//! *Paper:* Thierry-Mieg 2020. *Condition:* a transition has neither inputs nor inhibitors, and all its outputs are
//! unobserved and never inhibiting. (It may be asked to be fireable: it always is.) The outputs are removed; the transition stays, without effect and
//! always enabled. *Keeps* all but each step: with enough tokens put there first, the places never disable anything.
//! The transition can fire for ever in every marking before and after, so divergence stays, and there are no dead ends.
//! *Runs* are lifted by replay: the transition is fired before its tokens are needed. Tokens that are not used stay, so a
//! cycle may not close in the given net, and such a run shows nothing there.

use dalsegno_kripke::VarId;

use super::condition::Condition;
use super::draft::Draft;

/// Looks at all transitions.
pub(super) fn all(draft: &mut Draft) -> usize {
    let mut found = 0;
    for t in 0..draft.transitions.len() as u32 {
        if draft.is_over() {
            return found;
        }
        let Some(transition) = &draft.transitions[t as usize] else {
            continue;
        };
        let always = draft.is(Condition::SourceWithoutInputs, transition.pre.is_empty())
            && draft.is(
                Condition::SourceWithoutInhibitors,
                transition.inhibit.is_empty(),
            );
        let outputs: Vec<u32> = transition.post.iter().map(|arc| arc.0).collect();
        let conditions = [
            Condition::SourceOutputsUnobserved,
            Condition::SourceOutputsNotInhibiting,
        ];
        let free = outputs.iter().all(|&p| draft.is_free(p, conditions));
        if !always || outputs.is_empty() || !free {
            continue;
        }
        let moves = transition.moves;
        for p in outputs {
            draft.supplies.push((VarId(p), moves));
            draft.remove_place(p);
        }
        found += 1;
    }
    found
}
