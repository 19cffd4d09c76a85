//! Free agglomeration: what takes tokens from others waits until it is needed.
//!
//! *Paper:* Thierry-Mieg 2020. *Condition:* as for [`pre_agglomeration`](super::pre_agglomeration), but others may consume
//! the inputs of the producers as well. (Where a goal wants many tokens in an input, that is no harm.)
//!
//! *Keeps* reachable observed markings, and infinite runs up to repetitions. *Why:* h moves right to its f, and an h
//! without f is dropped; that leaves more tokens for others, which never hurts a run that goes on. Wrong for runs that
//! die because tokens were taken. *Runs* are lifted by h f.

use super::condition::Condition;
use super::draft::Draft;
use super::pre_agglomeration::{is_possible, join_all};

/// Looks at a place.
pub(super) fn at(draft: &mut Draft, p: u32) -> usize {
    let conditions = [
        Condition::FreeInputsUnobserved,
        Condition::FreeInputsNotInhibiting,
    ];
    let input = |draft: &Draft, q: u32, _: &[u32]| draft.may_keep_more(q, conditions);
    if is_possible(draft, p, &input) {
        join_all(draft, p)
    } else {
        0
    }
}
