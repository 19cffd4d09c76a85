//! State spaces as decision diagrams: what a net tells of a good order, and the numbers asked for.

use std::sync::Arc;

use dalsegno_kripke::{Budget, Model, Stop, VarId};
use dalsegno_models::petri::{PetriNet, unit_safety};
use dalsegno_symbolic::encode::EncodeError;
use dalsegno_symbolic::merge::{Exclusive, Merged};
use dalsegno_symbolic::order::{self, Candidate, Heuristic, Hints, Order, Recipe, Semiflow, Unit};
use dalsegno_symbolic::race::Race;
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
    candidates(session.model(), OwnedHints::of(session).hints(), budget)
}

fn candidates(model: &Model, hints: Hints<'_>, budget: &Budget) -> Vec<Candidate> {
    let mut found = order::candidates(model, hints, budget);
    if found.is_empty() {
        let order = Order::declared(model.variables().len());
        let unlimited = Budget::unlimited();
        let metrics = order::metrics(model, &order, hints, &unlimited);
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
pub fn build(
    session: &Session,
    recipe: Option<Recipe>,
    budget: &Budget,
) -> Result<(StateSpace, Recipe), EncodeError> {
    let model = session.model();
    let owned = OwnedHints::of(session);
    let hints = owned.hints();
    if let Some(recipe) = recipe {
        let order = order::order(model, recipe, hints, budget)?;
        return Ok((StateSpace::build(model, &order, budget)?, recipe));
    }
    let mut lane = Lane::new(model, hints, budget)?;
    loop {
        if let Some(won) = lane.advance(budget)? {
            return Ok(won);
        }
    }
}

/// Reachable states of a model or of one with merged variables.
#[derive(Debug)]
pub struct Counted {
    /// The states.
    pub space: StateSpace,
    /// The order of the levels.
    pub recipe: Recipe,
    /// What is merged.
    pub merged: Option<Arc<Merged>>,
}

/// As [`build`], as states of a model with merged variables if that is quicker.
///
/// # Errors
/// See [`EncodeError`].
pub fn build_merged(
    session: &Session,
    recipe: Option<Recipe>,
    budget: &Budget,
) -> Result<(StateSpace, Recipe), EncodeError> {
    let merged = session.merged().filter(|_| recipe.is_none());
    let Some(merged) = merged else {
        return build(session, recipe, budget);
    };
    let found = build_either(session, merged, budget)?;
    let space = match found.merged {
        Some(merged) => found.space.seen_as(session.model(), &merged),
        None => found.space,
    };
    Ok((space, found.recipe))
}

/// As [`build`] for what merged variables tell as well: numbers of states and of steps.
///
/// The two models race each other. Where merging takes many levels away it is mostly better by far, so
/// the other model lags behind by a round.
///
/// # Errors
/// See [`EncodeError`].
pub fn build_either(
    session: &Session,
    merged: &Arc<Merged>,
    budget: &Budget,
) -> Result<Counted, EncodeError> {
    let levels = |model: &Model| model.variables().len();
    let small = 4 * levels(merged.model()) < 3 * levels(session.model());
    let mut own = Some(Lane::new(merged.model(), Hints::default(), budget)?);
    let owned = OwnedHints::of(session);
    let mut other: Option<Lane<'_>> = None;
    let mut other_may_run = true;
    loop {
        if let Some(lane) = &mut own {
            match lane.advance(budget) {
                Ok(None) => {}
                Ok(Some((mut space, recipe))) => {
                    if merged.is_sound(&mut space)? {
                        return Ok(Counted {
                            space,
                            recipe,
                            merged: Some(Arc::clone(merged)),
                        });
                    }
                    own = None;
                }
                Err(EncodeError::Stopped(Stop::Memory)) => own = None,
                Err(error) => return Err(error),
            }
        }
        let ahead = own.as_ref().map_or(u64::MAX, Lane::steps);
        let lag = if small { LAG } else { 1 };
        while other_may_run {
            if other.is_none() {
                other = Some(Lane::new(session.model(), owned.hints(), budget)?);
            }
            let Some(lane) = other.as_mut().filter(|o| o.steps() <= ahead / lag) else {
                break;
            };
            match lane.advance(budget) {
                Ok(None) => {}
                Ok(Some((space, recipe))) => {
                    return Ok(Counted {
                        space,
                        recipe,
                        merged: None,
                    });
                }
                Err(EncodeError::Stopped(Stop::Memory)) => other_may_run = false,
                Err(error) => return Err(error),
            }
        }
        if own.is_none() && !other_may_run {
            return Err(Stop::Memory.into());
        }
    }
}

/// How many times the steps of the model that lags behind the other has.
const LAG: u64 = 8;

/// A model in a race: first with its quick orders, if it is large, then with all of them.
struct Lane<'h> {
    model: Arc<Model>,
    hints: Hints<'h>,
    race: Race,
    /// The rounds that are left while only the quick orders race.
    quick: Option<usize>,
}

impl<'h> Lane<'h> {
    fn new(model: &Arc<Model>, hints: Hints<'h>, budget: &Budget) -> Result<Self, EncodeError> {
        let mut orders = order::quick_candidates(model, hints, &share(budget));
        let quick = (!orders.is_empty()).then_some(QUICK_ROUNDS);
        if quick.is_none() {
            orders = candidates(model, hints, &share(budget));
        }
        Ok(Lane {
            model: Arc::clone(model),
            hints,
            race: Race::new(model, orders, budget)?,
            quick,
        })
    }

    /// The steps that each order has in the next round.
    fn steps(&self) -> u64 {
        self.race.steps()
    }

    /// The next round.
    fn advance(&mut self, budget: &Budget) -> Result<Option<(StateSpace, Recipe)>, EncodeError> {
        if self.quick == Some(0) {
            let orders = candidates(&self.model, self.hints, &share(budget));
            self.race = Race::new(&self.model, orders, budget)?;
            self.quick = None;
        }
        let won = self.race.round(budget);
        self.quick = self.quick.map(|left| left - 1);
        match won {
            // The other orders may do with less.
            Err(EncodeError::Stopped(Stop::Memory)) if self.quick.is_some() => {
                self.quick = Some(0);
                Ok(None)
            }
            won => won,
        }
    }
}

/// Sets of a net's places of which at most one is marked at a time, to be merged into one variable:
/// units that are proved safe or promised to be, and places of sums that never grow.
#[must_use]
pub fn exclusive(session: &Session) -> Vec<Exclusive> {
    let mut sets = Vec::new();
    let Some(net) = session.net() else {
        return sets;
    };
    if let Some(nupn) = net.nupn() {
        let certain = unit_safety::is_inductive(net, nupn);
        if certain || nupn.safe {
            sets.extend(nupn.units.iter().map(|unit| Exclusive {
                variables: unit.places.iter().map(|p| VarId(p.0)).collect(),
                certain,
            }));
        }
    }
    let mut users = vec![0_u64; session.model().variables().len()];
    for group in session.model().groups() {
        for v in group.reads() {
            users[v.index()] += 1;
        }
    }
    let mut certain = Vec::new();
    for sum in session.sums() {
        let initial = sum.initial(net);
        // Two tokens would be too heavy.
        let heavy = sum
            .weights
            .iter()
            .filter(|(_, y)| 2 * u128::from(*y) > initial);
        let variables: Vec<VarId> = heavy.map(|(p, _)| VarId(p.0)).collect();
        if variables.len() >= 2 {
            // Transitions per place: fewer where the places are those of one process.
            let used: u64 = variables.iter().map(|v| users[v.index()]).sum();
            certain.push((used * 1000 / variables.len() as u64, variables));
        }
    }
    certain.sort();
    sets.extend(certain.into_iter().map(|(_, variables)| Exclusive {
        variables,
        certain: true,
    }));
    sets
}
