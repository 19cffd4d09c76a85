//! How good an order looks, without building a diagram.
//!
//! Saturation works at the level of an event's highest variable and rebuilds what lies between
//! that and its lowest one, so events should be short and low:
//!
//! - *sum of spans* (SOS): levels from the highest to the lowest variable of each group, added up;
//!   Siminiceanu and Ciardo (2006) call it NES after dividing by levels and events;
//! - *sum of tops* (SOT): heights of the highest variable, added up;
//! - *weighted event span* (WES): spans times the relative height of the top;
//! - *sum of unique and productive spans* (SOUPS; Smith and Ciardo 2018): as SOS, but what several events
//!   do alike at their lowest levels counts once, and levels at the bottom of a span where nothing
//!   is changed do not count.
//!
//! The size of the final diagram has more to do with what the levels above must remember. For the
//! vectors that satisfy linear invariants this is known exactly: the partial sums over the levels
//! above (Amparore, Ciardo, Donatelli and Miner, "iRank", TACAS 2019). So:
//!
//! - *semiflow span* (PSF): levels that each semiflow spans, on average;
//! - *bits*: the logarithm of the number of nodes if independent semiflows never influenced each other.
//!   At a level that is the product over the semiflows that cross it of the number of values that their
//!   partial sum can have, given the bounds of the variables.
//!
//! Cost: pins and terms, times a logarithm for the sorting.

use dalsegno_kripke::{Action, Budget, Linear, Model, Stop, VarId};
use rustc_hash::FxHashMap;

use super::flows::Flows;
use super::hints::Hints;
use super::permutation::Order;
use super::ticker::Ticker;

/// What there is to say about an order. Smaller is better everywhere.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Metrics {
    /// Sum over the groups of the number of levels from the highest to the lowest variable.
    pub sum_of_spans: u64,
    /// Sum over the groups of the height of the highest variable; 1 is next to the terminals.
    pub sum_of_tops: u64,
    /// The mean over the groups of their span, times twice the height of their highest variable,
    /// both relative to the number of levels.
    pub weighted_event_span: f64,
    /// As `sum_of_spans`, counting once what groups do alike at the bottom, and not counting
    /// levels at the bottom of a span where nothing is changed.
    pub soups: u64,
    /// The mean number of levels that a semiflow spans; 0 if none is known.
    pub semiflow_span: f64,
    /// The logarithm to base 2 of the number of nodes that independent semiflows ask for.
    pub bits: f64,
}

/// The metrics of an order.
///
/// # Errors
/// Why the budget ended.
pub fn metrics(
    model: &Model,
    order: &Order,
    hints: Hints<'_>,
    budget: &Budget,
) -> Result<Metrics, Stop> {
    let mut ticker = Ticker::new(budget)?;
    let flows = Flows::new(model, hints.semiflows, &mut ticker)?;
    measure(model, order, &flows, &mut ticker)
}

/// The metrics of an order with semiflows at hand.
pub(super) fn measure(
    model: &Model,
    order: &Order,
    flows: &Flows,
    ticker: &mut Ticker<'_>,
) -> Result<Metrics, Stop> {
    let mut metrics = Metrics::default();
    let height = order.len() as u64;
    let mut weighted = 0_u128;
    let mut events = 0_u64;
    let mut parts = Parts::default();
    let mut touched: Vec<(u32, VarId)> = Vec::new();
    for group in model.groups() {
        touched.clear();
        let variables = group.reads().iter().chain(group.writes());
        touched.extend(variables.map(|&v| (order.levels()[v.index()], v)));
        ticker.tick(4 * touched.len())?;
        touched.sort_unstable();
        touched.dedup();
        let (Some(&(top, _)), Some(&(bottom, _))) = (touched.first(), touched.last()) else {
            continue;
        };
        let span = u64::from(bottom - top) + 1;
        let top_height = height - u64::from(top);
        metrics.sum_of_spans += span;
        metrics.sum_of_tops += top_height;
        weighted += u128::from(span) * u128::from(top_height);
        events += 1;
        metrics.soups += match group.action() {
            Action::Linear(linear) => parts.add(linear, &touched),
            Action::Table(_) | Action::Opaque(_) => {
                let changed = group.writes().iter().map(|v| order.levels()[v.index()]);
                changed
                    .max()
                    .map_or(0, |lowest| u64::from(lowest - top) + 1)
            }
        };
    }
    metrics.weighted_event_span =
        ratio(2 * weighted, u128::from(events) * u128::from(height).pow(2));
    invariants(model, order, flows, &mut metrics, ticker)?;
    Ok(metrics)
}

#[expect(clippy::cast_precision_loss, reason = "a metric needs few digits")]
fn ratio(a: u128, b: u128) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}

/// The lower parts of events, each kept once.
#[derive(Default)]
struct Parts {
    table: FxHashMap<Part, u32>,
    /// Level, and whether something is changed there or below, of each part.
    parts: Vec<(u32, bool)>,
}

/// What an event does at a level, and the part below.
#[derive(PartialEq, Eq, Hash)]
struct Part {
    below: u32,
    level: u32,
    at_least: u32,
    less_than: u32,
    effect: i64,
}

impl Parts {
    /// Adds the event of `linear`, whose variables are given from the top to the bottom; the
    /// number of productive levels that are new.
    fn add(&mut self, linear: &Linear, touched: &[(u32, VarId)]) -> u64 {
        let nothing = u32::MAX;
        let mut below = nothing;
        let mut levels = 0;
        for &(level, v) in touched.iter().rev() {
            let inhibitor = linear.inhibit().binary_search_by_key(&v, |entry| entry.0);
            let part = Part {
                below,
                level,
                at_least: linear.at_least(v),
                less_than: inhibitor.map_or(u32::MAX, |i| linear.inhibit()[i].1),
                effect: linear.effect(v),
            };
            let changes = part.effect != 0;
            let (low, productive) = match below {
                u32::MAX => (level, false),
                i => self.parts[i as usize],
            };
            below = *self.table.entry(part).or_insert_with(|| {
                if productive {
                    levels += u64::from(low - level);
                } else if changes {
                    levels += 1;
                }
                self.parts.push((level, changes || productive));
                self.parts.len() as u32 - 1
            });
        }
        levels
    }
}

/// The metrics that come from semiflows.
fn invariants(
    model: &Model,
    order: &Order,
    flows: &Flows,
    metrics: &mut Metrics,
    ticker: &mut Ticker<'_>,
) -> Result<(), Stop> {
    // `bits[k]` is what the levels above level `k` must remember, as differences to `k - 1`.
    let mut bits = vec![0.0; order.len() + 1];
    let mut spans = 0_u64;
    let mut terms: Vec<(u32, u128)> = Vec::new();
    for (flow, variables) in flows.flows.iter().zip(flows.variables.iter()) {
        terms.clear();
        let mut below = 0_u128;
        for (&v, &w) in variables.iter().zip(&flow.weights) {
            let bound = model.variables()[v as usize].bounds.expected();
            let most = bound.map_or(flow.value, |b| u128::from(b) * u128::from(w));
            let most = most.min(flow.value);
            below += most;
            terms.push((order.levels()[v as usize], most));
        }
        ticker.tick(4 * terms.len())?;
        terms.sort_unstable();
        let (Some(first), Some(last)) = (terms.first(), terms.last()) else {
            continue;
        };
        spans += u64::from(last.0 - first.0) + 1;
        if !flow.independent {
            continue;
        }
        let step = flow.weights.iter().copied().fold(0, gcd).max(1);
        let mut above = 0_u128;
        for pair in terms.windows(2) {
            above += pair[0].1;
            below -= pair[0].1;
            let most = above.min(flow.value);
            let least = flow.value.saturating_sub(below);
            let values = most.saturating_sub(least) / u128::from(step) + 1;
            let content = ratio(values, 1).log2();
            bits[pair[0].0 as usize + 1] += content;
            bits[pair[1].0 as usize + 1] -= content;
        }
    }
    metrics.semiflow_span = ratio(u128::from(spans), flows.flows.len() as u128);
    metrics.bits = log_sum(&bits[..order.len()], ticker)?;
    Ok(())
}

/// The logarithm of the sum of the powers of 2 of the prefix sums.
fn log_sum(differences: &[f64], ticker: &mut Ticker<'_>) -> Result<f64, Stop> {
    ticker.tick(differences.len())?;
    let prefix = || {
        differences.iter().scan(0.0, |sum, d| {
            *sum += d;
            Some(*sum)
        })
    };
    let largest = prefix().fold(0.0, f64::max);
    let scaled: f64 = prefix().map(|b| (b - largest).exp2()).sum();
    Ok(if differences.is_empty() {
        0.0
    } else {
        largest + scaled.log2()
    })
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::hints::Semiflow;
    use crate::order::testing::model;

    fn measured(model: &Model, list: &[u32], semiflows: &[Semiflow]) -> Metrics {
        let hints = Hints {
            semiflows,
            ..Hints::default()
        };
        let order = Order::of_list(list);
        metrics(model, &order, hints, &Budget::unlimited()).unwrap()
    }

    #[test]
    fn spans_and_tops_are_counted_by_hand() {
        let model = model(4, &[&[0, 1], &[1, 3], &[]]);
        let declared = measured(&model, &[0, 1, 2, 3], &[]);
        assert_eq!(
            (declared.sum_of_spans, declared.sum_of_tops),
            (2 + 3, 4 + 3)
        );
        // Two groups, four levels: (2 * 4 + 3 * 3) * 2 / (2 * 16).
        assert!((declared.weighted_event_span - 17.0 / 16.0).abs() < 1e-12);
        let better = measured(&model, &[2, 0, 1, 3], &[]);
        assert_eq!((better.sum_of_spans, better.sum_of_tops), (2 + 2, 3 + 2));
        assert!(better.weighted_event_span < declared.weighted_event_span);
        assert_eq!((better.semiflow_span, better.bits), (0.0, 2.0));
    }

    #[test]
    fn what_events_do_alike_at_the_bottom_counts_once() {
        // Both put a token into 3 and leave 2 alone; then 0 and 1 differ.
        let model = model(4, &[&[0, 3], &[1, 3]]);
        let measured = measured(&model, &[0, 1, 2, 3], &[]);
        assert_eq!((measured.sum_of_spans, measured.soups), (4 + 3, 4 + 3 - 1));
    }

    #[test]
    fn levels_at_the_bottom_that_change_nothing_do_not_count() {
        let linear = Linear::new(vec![(VarId(2), 1)], vec![], vec![(VarId(0), 1)]);
        let group = dalsegno_kripke::Group::linear("t", linear.unwrap());
        let plain = model(3, &[]);
        let variables = plain.variables().to_vec();
        let model = Model::new("m", variables, vec![vec![0; 3]], vec![group]).unwrap();
        let up = measured(&model, &[0, 1, 2], &[]);
        let down = measured(&model, &[2, 1, 0], &[]);
        assert_eq!((up.sum_of_spans, up.soups), (3, 1));
        assert_eq!((down.sum_of_spans, down.soups), (3, 3));
    }

    #[test]
    fn bits_are_the_nodes_that_semiflows_ask_for() {
        // One token in four places: one node at the root, two at each level below.
        let semiflow = |list: &[u32]| Semiflow {
            terms: list.iter().map(|&v| (VarId(v), 1)).collect(),
        };
        let model = model(4, &[]);
        let one = [semiflow(&[0, 1, 2, 3])];
        let m = measured(&model, &[0, 1, 2, 3], &one);
        assert!((m.bits - 7.0_f64.log2()).abs() < 1e-9 && (m.semiflow_span - 4.0).abs() < 1e-9);
        // The value of 2 + 3 is 0, so its places are known to be empty.
        let two = [semiflow(&[0, 1]), semiflow(&[2, 3])];
        let apart = measured(&model, &[0, 1, 2, 3], &two);
        assert!((apart.bits - 5.0_f64.log2()).abs() < 1e-9);
        let crossed = measured(&model, &[0, 2, 1, 3], &two);
        assert!((crossed.bits - 6.0_f64.log2()).abs() < 1e-9);
        assert!(crossed.semiflow_span > apart.semiflow_span);
    }
}
