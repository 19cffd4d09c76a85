//! The choice of the group that a closed set is grown from.
//!
//! A small set is worth several tries, and most tries end early: a set that gets as many enabled members as the best
//! one so far is given up. A few seeds are spread over the enabled groups in the order of the model, which lists the
//! groups of a process, of a cell or of a station side by side, so that different parts of the model are tried.

use dalsegno_kripke::GroupId;

use super::closure::Closure;
use super::here::Here;

/// The most sets that are tried at a state.
pub(crate) const SEEDS: usize = 8;

/// Enabled groups to begin with, at most [`SEEDS`] of so many.
pub(crate) fn spread(count: usize) -> impl Iterator<Item = usize> {
    let seeds = count.min(SEEDS);
    (0..seeds).map(move |i| i * count / seeds.max(1))
}

/// Leaves in `best` the enabled members of a small closed set that has an enabled group: the set keeps all dead
/// ends reachable. Every path into a dead end has a step of a member, since an enabled member stays enabled until then.
pub(crate) fn to_dead_ends(
    closure: &mut Closure,
    here: &Here<'_>,
    enabled: &[GroupId],
    best: &mut Vec<GroupId>,
) {
    best.clear();
    best.extend_from_slice(enabled);
    if closure.random.is_some() {
        if !enabled.is_empty() {
            closure.begin();
            let seed = closure.toss(enabled.len());
            closure.add(enabled[seed]);
            closure.close(here, usize::MAX);
            keep(closure, best);
        }
        return;
    }
    for seed in spread(enabled.len()) {
        if best.len() <= 1 {
            return;
        }
        let seed = enabled[seed];
        closure.begin();
        closure.add(seed);
        if closure.close(here, best.len() - 1) {
            keep(closure, best);
        }
        // A set that has this one is no smaller.
        closure.bar(seed);
    }
}

/// Keeps the enabled members of the set.
pub(crate) fn keep(closure: &Closure, best: &mut Vec<GroupId>) {
    best.clear();
    best.extend_from_slice(closure.found());
}
