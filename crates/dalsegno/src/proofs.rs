//! What the state equation proves of all reachable states, within a share of the time.

use std::time::Duration;

use dalsegno_kripke::{Budget, Predicate, Stop, VarId};

use crate::session::Session;

/// The most arcs of a net whose equation is read.
const MOST_ARCS: usize = 4_000_000;

/// Whether it is proved that no reachable state satisfies a goal.
///
/// # Errors
/// If the budget runs out: more time may bring a proof.
pub(crate) fn excludes(session: &Session, goal: &Predicate, budget: &Budget) -> Result<bool, Stop> {
    let net = session.net().filter(|net| net.arc_count() <= MOST_ARCS);
    let (Some(net), Some(decider)) = (net, session.decider()) else {
        return Ok(false);
    };
    let Some(equation) = session.state_equation() else {
        return Ok(false);
    };
    equation.excludes(net, decider, &decider.simplify(goal), budget)
}

/// A number of tokens that some places together never exceed, if one below `known` is proved in time.
pub(crate) fn bound(
    session: &Session,
    places: &[VarId],
    known: Option<u64>,
    budget: &Budget,
) -> Option<u64> {
    session.net().filter(|net| net.arc_count() <= MOST_ARCS)?;
    let equation = session.state_equation()?;
    equation.bound(places, known, budget).ok().flatten()
}

/// Divides a share of the time among questions: what one leaves, the next ones have.
pub(crate) struct Shares {
    share: Budget,
    questions: u32,
}

impl Shares {
    /// A share of the time that is left, in percent, or some time if there is no limit.
    pub(crate) fn new(
        budget: &Budget,
        percent: u32,
        unlimited: Duration,
        questions: usize,
    ) -> Self {
        let time = budget
            .time_left()
            .map_or(unlimited, |left| left * percent / 100);
        Shares {
            share: budget.clone().with_time(time),
            questions: questions as u32,
        }
    }

    /// What the next question has.
    pub(crate) fn next(&mut self) -> Budget {
        let left = self.share.time_left().unwrap_or_default();
        let time = left / self.questions.max(1);
        self.questions = self.questions.saturating_sub(1);
        self.share.clone().with_time(time)
    }
}
