//! The order that looks best.

use dalsegno_kripke::{Budget, Model, Stop};

use super::hints::Hints;
use super::metrics::{self, Metrics};
use super::permutation::Order;
use super::recipe::{Heuristic, Prepared, Recipe};
use super::ticker::Ticker;

/// An order with its name and its metrics.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    /// How it was made.
    pub recipe: Recipe,
    /// The order.
    pub order: Order,
    /// What it looks like.
    pub metrics: Metrics,
}

/// The chosen order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// How it was made.
    pub recipe: Recipe,
    /// The order.
    pub order: Order,
}

/// All orders that [`choose`] looks at, the best first, as many as the budget allows.
#[must_use]
pub fn candidates(model: &Model, hints: Hints<'_>, budget: &Budget) -> Vec<Candidate> {
    let mut found = Vec::new();
    // Running out of time keeps what was found.
    let _: Result<(), Stop> = collect(model, hints, budget, &mut found);
    found.sort_by(|a, b| score(&a.metrics).total_cmp(&score(&b.metrics)));
    found
}

/// The order that looks best among those that the budget allows to look at; the declared one if
/// there is no time at all.
#[must_use]
pub fn choose(model: &Model, hints: Hints<'_>, budget: &Budget) -> Choice {
    match candidates(model, hints, budget).into_iter().next() {
        Some(best) => Choice {
            recipe: best.recipe,
            order: best.order,
        },
        None => Choice {
            recipe: Heuristic::Declared.into(),
            order: Order::declared(model.variables().len()),
        },
    }
}

/// The number by which orders are compared.
fn score(metrics: &Metrics) -> f64 {
    metrics.weighted_event_span
}

fn collect(
    model: &Model,
    hints: Hints<'_>,
    budget: &Budget,
    found: &mut Vec<Candidate>,
) -> Result<(), Stop> {
    let mut ticker = Ticker::new(budget)?;
    let prepared = Prepared::new(model, hints, &mut ticker)?;
    for heuristic in Heuristic::all() {
        let useful = match heuristic {
            Heuristic::Units => !hints.units.is_empty(),
            Heuristic::ForceHints => !(hints.units.is_empty() && hints.semiflows.is_empty()),
            Heuristic::Semiflows => !hints.semiflows.is_empty(),
            _ => true,
        };
        if !useful {
            continue;
        }
        let list = prepared.list(heuristic, &mut ticker)?;
        add(&prepared, heuristic, false, &list, &mut ticker, found)?;
        if heuristic != Heuristic::Force && heuristic != Heuristic::Declared {
            let list = prepared.tuned(list, &mut ticker)?;
            add(&prepared, heuristic, true, &list, &mut ticker, found)?;
        }
    }
    Ok(())
}

/// Adds a list both ways up.
fn add(
    prepared: &Prepared<'_>,
    heuristic: Heuristic,
    tuned: bool,
    list: &[u32],
    ticker: &mut Ticker<'_>,
    found: &mut Vec<Candidate>,
) -> Result<(), Stop> {
    let order = Order::of_list(list);
    for (order, reversed) in [(order.reversed(), true), (order, false)] {
        let recipe = Recipe {
            heuristic,
            tuned,
            reversed,
        };
        let metrics = metrics::measure(prepared.model, &order, &prepared.flows, ticker)?;
        found.push(Candidate {
            recipe,
            order,
            metrics,
        });
    }
    Ok(())
}
