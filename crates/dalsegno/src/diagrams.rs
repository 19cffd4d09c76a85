//! State spaces as decision diagrams: what a net tells of a good order, and the numbers asked for.

use dalsegno_kripke::{Budget, VarId};
use dalsegno_models::petri::{PetriNet, invariants};
use dalsegno_symbolic::encode::EncodeError;
use dalsegno_symbolic::order::{self, Candidate, Heuristic, Hints, Order, Recipe, Semiflow, Unit};
use dalsegno_symbolic::race::race;
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
    pub fn of_net(net: &PetriNet) -> Self {
        let mut units = Vec::new();
        if let Some(nupn) = net.nupn() {
            units = vec![Unit::default(); nupn.units.len()];
            for (i, unit) in nupn.units.iter().enumerate() {
                units[i].variables = unit.places.iter().map(|p| VarId(p.0)).collect();
                for &inner in &unit.subunits {
                    units[inner].parent = Some(i);
                }
            }
        }
        let sums = invariants::sums(net, invariants::Limits::default());
        let semiflows = sums
            .into_iter()
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

/// The orders of a net's places, best first; as many as a part of the budget allows.
#[must_use]
pub fn orders(session: &Session, budget: &Budget) -> Vec<Candidate> {
    let hints = session.net().map(OwnedHints::of_net).unwrap_or_default();
    let mut share = budget.clone();
    if let Some(left) = budget.time_left() {
        share = share.with_time(left * ORDER_SHARE / 100);
    }
    let mut found = order::candidates(session.model(), hints.hints(), &share);
    if found.is_empty() {
        let order = Order::declared(session.model().variables().len());
        let unlimited = Budget::unlimited();
        let metrics = order::metrics(session.model(), &order, hints.hints(), &unlimited);
        found.extend(metrics.ok().map(|metrics| Candidate {
            recipe: Heuristic::Declared.into(),
            order,
            metrics,
        }));
    }
    found
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
    if let Some(recipe) = recipe {
        let hints = session.net().map(OwnedHints::of_net).unwrap_or_default();
        let order = order::order(model, recipe, hints.hints(), budget)?;
        return Ok((StateSpace::build(model, &order, budget)?, recipe));
    }
    let candidates = orders(session, budget);
    let (space, winner) = race(model, &candidates, budget)?;
    Ok((space, candidates[winner].recipe))
}
