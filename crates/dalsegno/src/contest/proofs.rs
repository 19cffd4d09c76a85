//! Answers by the state equation, between the first states and diagrams.

use std::time::Duration;

use dalsegno_kripke::{Budget, Compare, Predicate, Relation, VarId};

use crate::proofs::{self, Shares};
use crate::session::Session;

/// The share of the time that is left, in percent.
const SHARE: u32 = 15;

/// The time if there is no limit.
const UNLIMITED: Duration = Duration::from_secs(60);

/// Which of the open goals no reachable state satisfies, as far as is proved.
pub(super) fn excluded(
    session: &Session,
    goals: &[Predicate],
    told: &[bool],
    budget: &Budget,
) -> Vec<usize> {
    let open: Vec<usize> = (0..goals.len()).filter(|&i| !told[i]).collect();
    let mut shares = Shares::new(budget, SHARE, UNLIMITED, open.len());
    let proved = |&i: &usize| proofs::excludes(session, &goals[i], &shares.next()) == Ok(true);
    open.into_iter().filter(proved).collect()
}

/// Whether no reachable state satisfies any of some goals.
pub(super) fn all_excluded(session: &Session, goals: &[Predicate], budget: &Budget) -> bool {
    let mut shares = Shares::new(budget, SHARE, UNLIMITED, goals.len());
    let mut goals = goals.iter();
    goals.all(|goal| proofs::excludes(session, goal, &shares.next()) == Ok(true))
}

/// Whether no reachable state satisfies one of some goals.
pub(super) fn one_excluded(session: &Session, goals: &[Predicate], budget: &Budget) -> bool {
    let mut shares = Shares::new(budget, SHARE, UNLIMITED, goals.len());
    let mut goals = goals.iter();
    goals.any(|goal| proofs::excludes(session, goal, &shares.next()) == Ok(true))
}

/// Better bounds of sums of places of which some values have been seen.
pub(super) fn bounds(
    session: &Session,
    sums: &[(&[VarId], u64, Option<u64>)],
    budget: &Budget,
) -> Vec<Option<u64>> {
    let mut shares = Shares::new(budget, SHARE, UNLIMITED, sums.len());
    let better = |&(places, seen, known): &(&[VarId], u64, Option<u64>)| {
        let share = shares.next();
        let bound = proofs::bound(session, places, known, &share).or(known);
        if bound == Some(seen) {
            return bound;
        }
        // The linear bound may be too large where the refined one is what has been seen.
        let terms = places.iter().map(|&v| (1, v)).collect();
        let seen_more = i64::try_from(seen).ok()?.checked_add(1)?;
        let more = Compare::new(terms, Relation::Ge, seen_more).ok()?;
        match proofs::excludes(session, &Predicate::Compare(more), &share) {
            Ok(true) => Some(seen),
            _ => bound,
        }
    };
    sums.iter().map(better).collect()
}
