//! Reachable states as one diagram: the model and the one with merged places race each other, each under
//! several orders of the levels. What a race has learnt is kept, and it can go on in a later turn.

use std::sync::Arc;

use dalsegno_kripke::{Budget, Model, Stop, VarId};
use dalsegno_models::petri::PetriNet;
use dalsegno_symbolic::encode::EncodeError;
use dalsegno_symbolic::mdd;
use dalsegno_symbolic::merge::Merged;
use dalsegno_symbolic::order::{self, Candidate, Heuristic, Hints, Order, Recipe, Semiflow, Unit};
use dalsegno_symbolic::race::Race;
use dalsegno_symbolic::reach::StateSpace;

use crate::plan::{MERGED_LEAD, MERGED_LEVELS, ORDERS_PERCENT, QUICK_ROUNDS};
use crate::problem::Problem;

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
    pub fn of(problem: &Problem) -> Self {
        let mut units = Vec::new();
        if let Some(nupn) = problem.net().and_then(PetriNet::nupn) {
            units = vec![Unit::default(); nupn.units.len()];
            for (i, unit) in nupn.units.iter().enumerate() {
                units[i].variables = unit.places.iter().map(|p| VarId(p.0)).collect();
                for &inner in &unit.subunits {
                    units[inner].parent = Some(i);
                }
            }
        }
        let sums = problem.sums().iter();
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

/// The orders of a problem's variables, best first; as many as the budget allows, and at least one.
#[must_use]
pub fn orders(problem: &Problem, budget: &Budget) -> Vec<Candidate> {
    candidates(problem.model(), OwnedHints::of(problem).hints(), budget)
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
        Some(left) => budget.clone().with_time(left * ORDERS_PERCENT / 100),
        None => budget.clone(),
    }
}

/// Builds the reachable states of a problem: by the order of a recipe, or by the one that wins a race.
///
/// Belongs into [`with_stack`](dalsegno_symbolic::mdd::with_stack).
///
/// # Errors
/// See [`EncodeError`].
pub fn build(
    problem: &Problem,
    recipe: Option<Recipe>,
    budget: &Budget,
) -> Result<(StateSpace, Recipe), EncodeError> {
    let mut building = Building::new(problem, recipe);
    building.advance(problem, 1, budget)
}

/// A construction that can be interrupted.
pub(crate) struct Building {
    hints: OwnedHints,
    recipe: Option<Recipe>,
    merged: Option<Arc<Merged>>,
    own: Option<Lane>,
    other: Option<Lane>,
    /// Whether the plain model may still race.
    other_may_run: bool,
}

impl Building {
    pub(crate) fn new(problem: &Problem, recipe: Option<Recipe>) -> Self {
        let has_room = |model: &Model| mdd::has_room(model.variables().len() as u32);
        let merged = problem.merged().filter(|_| recipe.is_none());
        let merged = merged.filter(|merged| has_room(merged.model())).cloned();
        Building {
            hints: OwnedHints::of(problem),
            recipe,
            merged,
            own: None,
            other: None,
            other_may_run: has_room(problem.model()),
        }
    }

    /// Goes on; the states, as those of the problem's model.
    ///
    /// So many orders are tried at the same time. Where merging takes many levels away it is mostly better by far, so the plain model lags behind.
    pub(crate) fn advance(
        &mut self,
        problem: &Problem,
        threads: usize,
        budget: &Budget,
    ) -> Result<(StateSpace, Recipe), EncodeError> {
        let model = problem.model();
        if let Some(recipe) = self.recipe {
            let order = order::order(model, recipe, self.hints.hints(), budget)?;
            return Ok((StateSpace::build(model, &order, budget)?, recipe));
        }
        let levels = |model: &Model| model.variables().len();
        loop {
            if self.merged.is_none() && !self.other_may_run {
                return Err(Stop::Memory.into());
            }
            if let Some(merged) = self.merged.clone() {
                let lane = match &mut self.own {
                    Some(lane) => lane,
                    none => none.insert(Lane::new(merged.model(), Hints::default(), budget)?),
                };
                match lane.advance(Hints::default(), threads, budget) {
                    Ok(None) => {}
                    Ok(Some((mut space, recipe))) => {
                        if merged.is_sound(&mut space)? {
                            return Ok((space.seen_as(model, &merged), recipe));
                        }
                        self.merged = None;
                    }
                    Err(EncodeError::Stopped(Stop::Memory)) => self.merged = None,
                    Err(error) => return Err(error),
                }
            }
            let own = self.own.as_ref().filter(|_| self.merged.is_some());
            let ahead = own.map_or(u64::MAX, Lane::steps);
            let small = self.merged.as_ref().is_some_and(|merged| {
                let (left, of) = MERGED_LEVELS;
                of * levels(merged.model()) < left * levels(model)
            });
            let lag = if small { MERGED_LEAD } else { 1 };
            while self.other_may_run {
                let lane = match &mut self.other {
                    Some(lane) => lane,
                    none => none.insert(Lane::new(model, self.hints.hints(), budget)?),
                };
                if lane.steps() > ahead / lag {
                    break;
                }
                match lane.advance(self.hints.hints(), threads, budget) {
                    Ok(None) => {}
                    Ok(Some(won)) => return Ok(won),
                    Err(EncodeError::Stopped(Stop::Memory)) => self.other_may_run = false,
                    Err(error) => return Err(error),
                }
            }
        }
    }
}

/// A model in a race: first with its quick orders, if it is large, then with all of them.
struct Lane {
    model: Arc<Model>,
    race: Race,
    /// The rounds that are left while only the quick orders race.
    quick: Option<usize>,
}

impl Lane {
    fn new(model: &Arc<Model>, hints: Hints<'_>, budget: &Budget) -> Result<Self, EncodeError> {
        let mut orders = order::quick_candidates(model, hints, &share(budget));
        let quick = (!orders.is_empty()).then_some(QUICK_ROUNDS);
        if quick.is_none() {
            orders = candidates(model, hints, &share(budget));
        }
        Ok(Lane {
            race: Race::new(model, orders, budget)?,
            model: Arc::clone(model),
            quick,
        })
    }

    /// The steps that each order has in the next round.
    fn steps(&self) -> u64 {
        self.race.steps()
    }

    /// The next round.
    fn advance(
        &mut self,
        hints: Hints<'_>,
        threads: usize,
        budget: &Budget,
    ) -> Result<Option<(StateSpace, Recipe)>, EncodeError> {
        if self.quick == Some(0) {
            let orders = candidates(&self.model, hints, &share(budget));
            self.race = Race::new(&self.model, orders, budget)?;
            self.quick = None;
        }
        self.race.set_threads(threads);
        let won = self.race.round(budget);
        match won {
            // The other orders may do with less.
            Err(EncodeError::Stopped(Stop::Memory)) if self.quick.is_some() => {
                self.quick = Some(0);
                Ok(None)
            }
            Ok(won) => {
                self.quick = self.quick.map(|left| left - 1);
                Ok(won)
            }
            won => won,
        }
    }
}
