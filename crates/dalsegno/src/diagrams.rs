//! State spaces as decision diagrams: what a net tells of a good order, and the numbers asked for.

use dalsegno_kripke::{Budget, Stop, VarId};
use dalsegno_models::petri::PetriNet;
use dalsegno_symbolic::encode::EncodeError;
use dalsegno_symbolic::order::{self, Candidate, Heuristic, Hints, Order, Recipe, Semiflow, Unit};
use dalsegno_symbolic::race::{Length, race};
use dalsegno_symbolic::reach::StateSpace;

use crate::session::Session;

/// Hints that own what they tell.
#[derive(Clone, Debug, Default)]
pub struct OwnedHints {
    units: Vec<Unit>,
    semiflows: Vec<Semiflow>,
}

impl OwnedHints {
    /// The units of a net's file, and sums of places that never grow, as far as they are found
    /// quickly.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        let mut units = Vec::new();
        if let Some(nupn) = session.net().and_then(PetriNet::nupn) {
            units = vec![Unit::default(); nupn.units.len()];
            for (i, unit) in nupn.units.iter().enumerate() {
                units[i].variables = unit.places.iter().map(|p| VarId(p.0)).collect();
                for &inner in &unit.subunits {
                    units[inner].parent = Some(i);
                }
            }
        }
        let sums = session.sums().iter();
        let semiflows = sums
            .map(|sum| Semiflow {
                terms: sum.weights.iter().map(|&(p, y)| (VarId(p.0), y)).collect(),
            })
            .collect();
        OwnedHints { units, semiflows }
    }

    /// The hints.
    #[must_use]
    pub fn hints(&self) -> Hints<'_> {
        Hints {
            units: &self.units,
            semiflows: &self.semiflows,
        }
    }
}

/// The share of the time that looking for orders may take, in percent.
const ORDER_SHARE: u32 = 10;

/// The rounds that a large model's few quick orders have before the others are looked for.
const QUICK_ROUNDS: usize = 2;

/// The orders of a net's places, best first; as many as the budget allows, and at least one.
#[must_use]
pub fn orders(session: &Session, budget: &Budget) -> Vec<Candidate> {
    candidates(session, OwnedHints::of(session).hints(), budget)
}

fn candidates(session: &Session, hints: Hints<'_>, budget: &Budget) -> Vec<Candidate> {
    let mut found = order::candidates(session.model(), hints, budget);
    if found.is_empty() {
        let order = Order::declared(session.model().variables().len());
        let unlimited = Budget::unlimited();
        let metrics = order::metrics(session.model(), &order, hints, &unlimited);
        found.extend(metrics.ok().map(|metrics| Candidate {
            recipe: Heuristic::Declared.into(),
            order,
            metrics,
        }));
    }
    found
}

fn share(budget: &Budget) -> Budget {
    match budget.time_left() {
        Some(left) => budget.clone().with_time(left * ORDER_SHARE / 100),
        None => budget.clone(),
    }
}

/// Builds the reachable states: by the order of a recipe, or by the one that wins a race.
///
/// Belongs into [`with_stack`](dalsegno_symbolic::mdd::with_stack).
///
/// # Errors
/// See [`EncodeError`].
pub fn build<'s>(
    session: &'s Session,
    recipe: Option<Recipe>,
    budget: &Budget,
) -> Result<(StateSpace<'s>, Recipe), EncodeError> {
    let model = session.model();
    let owned = OwnedHints::of(session);
    let hints = owned.hints();
    if let Some(recipe) = recipe {
        let order = order::order(model, recipe, hints, budget)?;
        return Ok((StateSpace::build(model, &order, budget)?, recipe));
    }
    let quick = order::quick_candidates(model, hints, &share(budget));
    if !quick.is_empty() {
        let length = Length::Rounds(QUICK_ROUNDS);
        if let Some((space, winner)) = race(model, &quick, length, budget)? {
            return Ok((space, quick[winner].recipe));
        }
    }
    let candidates = candidates(session, hints, &share(budget));
    match race(model, &candidates, Length::Unlimited, budget)? {
        Some((space, winner)) => Ok((space, candidates[winner].recipe)),
        None => Err(Stop::Time.into()),
    }
}
