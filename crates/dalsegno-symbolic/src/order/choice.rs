//! The order that looks best.
//!
//! Orders are compared by the sum of unique and productive spans. Of the metrics here it predicts best how much work
//! a saturation has. Equal sums are told apart by the bits, which follow the size of the final diagram closely.

use std::cmp::Ordering;

use dalsegno_kripke::{Budget, Group, Model, Stop};

use super::hints::Hints;
use super::metrics::{self, Metrics};
use super::permutation::Order;
use super::recipe::{Heuristic, Prepared, Recipe};
use super::split_groups::split_groups;
use super::ticker::Ticker;

/// Models whose groups read and write more variables in all are large.
const LARGE: usize = 20_000;

/// What is worth its time on large models.
const QUICK: [Heuristic; 5] = [
    Heuristic::Declared,
    Heuristic::CuthillMcKee,
    Heuristic::Sloan,
    Heuristic::Tovchigrechko,
    Heuristic::Semiflows,
];

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

/// All orders there are, the best first, as many as the budget allows.
#[must_use]
pub fn candidates(model: &Model, hints: Hints<'_>, budget: &Budget) -> Vec<Candidate> {
    let Ok(split) = split_groups(model, budget) else {
        return Vec::new();
    };
    let model = split.as_ref().unwrap_or(model);
    let mut found = Vec::new();
    // Running out of time keeps what was found.
    let _: Result<(), Stop> = collect(model, hints, budget, &mut found);
    found.sort_by(|a, b| compare(&a.metrics, &b.metrics));
    found
}

/// A few orders of a large model, the best first: on such a model to look at all of them takes
/// longer than to build a diagram if one of these is good. None if the model is not large.
#[must_use]
pub fn quick_candidates(model: &Model, hints: Hints<'_>, budget: &Budget) -> Vec<Candidate> {
    let Ok(split) = split_groups(model, budget) else {
        return Vec::new();
    };
    let model = split.as_ref().unwrap_or(model);
    let mut found = Vec::new();
    let pins = |group: &Group| group.reads().len() + group.writes().len();
    if model.groups().iter().map(pins).sum::<usize>() > LARGE {
        // Running out of time keeps what was found.
        let _: Result<(), Stop> = collect_quickly(model, hints, budget, &mut found);
        found.sort_by(|a, b| compare(&a.metrics, &b.metrics));
    }
    found
}

/// The order that looks best among those that the budget allows to look at; the declared one if
/// there is no time at all. On large models only a few are looked at.
#[must_use]
pub fn choose(model: &Model, hints: Hints<'_>, budget: &Budget) -> Choice {
    let mut found = quick_candidates(model, hints, budget);
    if found.is_empty() {
        found = candidates(model, hints, budget);
    }
    match found.into_iter().next() {
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

/// Which of two orders looks better.
fn compare(a: &Metrics, b: &Metrics) -> Ordering {
    let soups = a.soups.cmp(&b.soups);
    soups.then(a.bits.total_cmp(&b.bits))
}

fn collect(
    model: &Model,
    hints: Hints<'_>,
    budget: &Budget,
    found: &mut Vec<Candidate>,
) -> Result<(), Stop> {
    let mut ticker = Ticker::new(budget)?;
    let prepared = Prepared::new(model, hints, &mut ticker)?;
    for heuristic in Heuristic::all().filter(|&h| is_useful(h, hints)) {
        let list = prepared.list(heuristic, &mut ticker)?;
        add(&prepared, heuristic, false, &list, &mut ticker, found)?;
        if heuristic != Heuristic::Force && heuristic != Heuristic::Declared {
            let list = prepared.tuned(list, &mut ticker)?;
            add(&prepared, heuristic, true, &list, &mut ticker, found)?;
        }
    }
    Ok(())
}

/// Looks closely at the two quick orders of least total span.
fn collect_quickly(
    model: &Model,
    hints: Hints<'_>,
    budget: &Budget,
    found: &mut Vec<Candidate>,
) -> Result<(), Stop> {
    let mut ticker = Ticker::new(budget)?;
    let prepared = Prepared::new(model, hints, &mut ticker)?;
    let mut lists = Vec::new();
    for heuristic in QUICK {
        if is_useful(heuristic, hints) {
            let list = prepared.list(heuristic, &mut ticker)?;
            let span = prepared.graph.total_span(&list);
            lists.push((span, heuristic, list));
        }
    }
    lists.sort_by_key(|&(span, ..)| span);
    lists.truncate(2);
    for (_, heuristic, list) in &lists {
        add(&prepared, *heuristic, false, list, &mut ticker, found)?;
    }
    Ok(())
}

/// Whether the hints that a heuristic is about are there.
fn is_useful(heuristic: Heuristic, hints: Hints<'_>) -> bool {
    match heuristic {
        Heuristic::Units => !hints.units.is_empty(),
        Heuristic::ForceHints => !(hints.units.is_empty() && hints.semiflows.is_empty()),
        Heuristic::Semiflows => !hints.semiflows.is_empty(),
        _ => true,
    }
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
