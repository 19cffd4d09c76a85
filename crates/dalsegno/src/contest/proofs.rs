//! Answers by the state equation, between the first states and diagrams.

use std::time::Duration;

use dalsegno_kripke::{Budget, Compare, Predicate, Relation, VarId};

use crate::proofs::{self, Shares};
use crate::session::Session;

/// The share of the time that is left, in percent.
const SHARE: u32 = 15;

/// The share that proofs of safety have, in percent: there is one question only.
const SAFETY_SHARE: u32 = 40;

/// The time if there is no limit.
const UNLIMITED: Duration = Duration::from_secs(60);

/// Which of the open goals no reachable state satisfies, as far as is proved. Those that need more than an equal
/// part of the time get what the others leave.
pub(super) fn excluded(
    session: &Session,
    goals: &[Predicate],
    told: &[bool],
    budget: &Budget,
) -> Vec<usize> {
    let mut open: Vec<usize> = (0..goals.len()).filter(|&i| !told[i]).collect();
    let mut excluded = Vec::new();
    for percent in [SHARE / 2, SHARE] {
        let mut shares = Shares::new(session, budget, percent, UNLIMITED, open.len());
        let mut late = Vec::new();
        for i in open {
            match proofs::excludes(session, &goals[i], &shares.next()) {
                Ok(true) => excluded.push(i),
                Ok(false) => {}
                Err(_) => late.push(i),
            }
        }
        open = late;
    }
    excluded
}

/// Whether no reachable state satisfies any of some goals.
pub(super) fn all_excluded(session: &Session, goals: &[Predicate], budget: &Budget) -> bool {
    let mut shares = Shares::new(session, budget, SHARE, UNLIMITED, goals.len());
    let mut goals = goals.iter();
    goals.all(|goal| proofs::excludes(session, goal, &shares.next()) == Ok(true))
}

/// Whether none of some places ever holds two tokens.
pub(super) fn all_safe(session: &Session, places: &[VarId], budget: &Budget) -> bool {
    let share = Shares::new(session, budget, SAFETY_SHARE, UNLIMITED, 1).next();
    proofs::are_safe(session, places, &share)
}

/// Whether no reachable state satisfies one of some goals.
pub(super) fn one_excluded(session: &Session, goals: &[Predicate], budget: &Budget) -> bool {
    let mut shares = Shares::new(session, budget, SHARE, UNLIMITED, goals.len());
    let mut goals = goals.iter();
    goals.any(|goal| proofs::excludes(session, goal, &shares.next()) == Ok(true))
}

/// Better bounds of sums of places of which some values have been seen.
pub(super) fn bounds(
    session: &Session,
    sums: &[(&[VarId], u64, Option<u64>)],
    budget: &Budget,
) -> Vec<Option<u64>> {
    let mut shares = Shares::new(session, budget, SHARE, UNLIMITED, sums.len());
    let better = |&(places, seen, known): &(&[VarId], u64, Option<u64>)| {
        let share = shares.next();
        // Often the largest value has been seen. If not, a bound may still be reached later.
        let terms = places.iter().map(|&v| (1, v)).collect();
        let seen_more = i64::try_from(seen).ok()?.checked_add(1)?;
        let more = Compare::new(terms, Relation::Ge, seen_more).ok()?;
        match proofs::excludes(session, &Predicate::Compare(more), &share) {
            Ok(true) => Some(seen),
            _ => proofs::bound(session, places, known, &share).or(known),
        }
    };
    sums.iter().map(better).collect()
}
