//! Semiflows, checked and ready for use.
//!
//! Hints may hold far more semiflows than are of use: sets of generators can be exponential. Short
//! ones say more about an order, so the shortest are kept, as many as the model has room for. A
//! linearly independent part of them is marked: only independent ones add information at a level,
//! and only those count in an estimate of how many nodes a diagram has.

use dalsegno_kripke::{Model, Stop};
use rustc_hash::FxHashMap;

use super::hints::Semiflow;
use super::hypergraph::Lists;
use super::ticker::Ticker;

/// A prime, so that ranks modulo it are ranks but for bad luck.
const PRIME: u64 = (1 << 61) - 1;
/// The most products to compute in order to tell independent semiflows apart.
const WORK: usize = 4_000_000;

/// Semiflows of a model. Invariants:
///
/// 1. Each has at least two variables, strictly ascending and existing, with weights above 0.
/// 2. They ascend by length, and no two have the same variables and weights.
#[derive(Clone, Debug, Default)]
pub(super) struct Flows {
    pub(super) variables: Lists,
    pub(super) flows: Vec<Flow>,
}

#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// One per variable.
    pub(super) weights: Vec<u64>,
    /// The value of the sum.
    pub(super) value: u128,
    /// Whether it is not a combination of shorter ones.
    pub(super) independent: bool,
}

impl Flows {
    /// The shortest of the semiflows given.
    pub(super) fn new(
        model: &Model,
        hints: &[Semiflow],
        ticker: &mut Ticker<'_>,
    ) -> Result<Self, Stop> {
        let variables = model.variables().len();
        let mut rows: Vec<Vec<(u32, u64)>> = Vec::new();
        for semiflow in hints {
            ticker.tick(semiflow.terms.len())?;
            let terms = semiflow.terms.iter();
            let mut row: Vec<(u32, u64)> = terms
                .filter(|&&(v, w)| v.index() < variables && w > 0)
                .map(|&(v, w)| (v.0, w))
                .collect();
            row.sort_unstable();
            row.dedup_by_key(|term| term.0);
            if row.len() >= 2 {
                rows.push(row);
            }
        }
        rows.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        rows.dedup();
        let room = 1000 + 16 * variables;
        let mut terms = 0;
        rows.retain(|row| {
            terms += row.len();
            terms <= room
        });
        let independent = independent(&rows, ticker)?;
        let mut flows = Flows::default();
        let initial = model.initial().first();
        for (row, independent) in rows.into_iter().zip(independent) {
            let value = |&(v, w): &(u32, u64)| {
                let value = initial.map_or(0, |state| state[v as usize]);
                u128::from(w) * u128::from(value)
            };
            flows.flows.push(Flow {
                value: row.iter().map(value).sum(),
                weights: row.iter().map(|&(_, w)| w).collect(),
                independent,
            });
            flows.variables.push(row.iter().map(|&(v, _)| v));
        }
        Ok(flows)
    }
}

/// Which rows are no combination of rows before them; rows that are too costly to reduce count as
/// independent.
fn independent(rows: &[Vec<(u32, u64)>], ticker: &mut Ticker<'_>) -> Result<Vec<bool>, Stop> {
    let mut pivots: FxHashMap<u32, Vec<(u32, u64)>> = FxHashMap::default();
    let mut answers = Vec::with_capacity(rows.len());
    let mut work = 0;
    for row in rows {
        let mut row: Vec<(u32, u64)> = row.iter().map(|&(v, w)| (v, w % PRIME)).collect();
        row.retain(|&(_, w)| w != 0);
        while let Some(&(lead, w)) = row.first() {
            let Some(pivot) = pivots.get(&lead).filter(|_| work < WORK) else {
                break;
            };
            work += row.len() + pivot.len();
            ticker.tick(row.len() + pivot.len())?;
            row = minus(&row, w, pivot);
        }
        answers.push(!row.is_empty());
        if let Some(&(lead, w)) = row.first() {
            let inverse = power(w, PRIME - 2);
            for term in &mut row {
                term.1 = times(term.1, inverse);
            }
            pivots.entry(lead).or_insert(row);
        }
    }
    Ok(answers)
}

/// `a` minus `factor` times `b`, modulo the prime.
fn minus(a: &[(u32, u64)], factor: u64, b: &[(u32, u64)]) -> Vec<(u32, u64)> {
    let mut difference = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let key = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) => x.0.min(y.0),
            (Some(x), None) => x.0,
            (None, Some(y)) => y.0,
            (None, None) => return difference,
        };
        let x = a.next_if(|x| x.0 == key).map_or(0, |x| x.1);
        let y = b.next_if(|y| y.0 == key).map_or(0, |y| times(y.1, factor));
        let value = (x + PRIME - y) % PRIME;
        if value != 0 {
            difference.push((key, value));
        }
    }
}

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        exponent /= 2;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::testing::model;
    use dalsegno_kripke::{Budget, VarId};

    fn flows(variables: u32, hints: &[&[(u32, u64)]]) -> Flows {
        let model = model(variables, &[]);
        let hints: Vec<Semiflow> = hints
            .iter()
            .map(|terms| Semiflow {
                terms: terms.iter().map(|&(v, w)| (VarId(v), w)).collect(),
            })
            .collect();
        let budget = Budget::unlimited();
        Flows::new(&model, &hints, &mut Ticker::new(&budget).unwrap()).unwrap()
    }

    #[test]
    fn combinations_of_shorter_ones_are_told_apart() {
        let flows = flows(
            4,
            &[
                &[(0, 1), (1, 1), (2, 2), (3, 2)],
                &[(0, 1), (1, 1)],
                &[(3, 1), (2, 1)],
                &[(1, 1), (2, 1), (3, 1)],
            ],
        );
        let independent: Vec<bool> = flows.flows.iter().map(|f| f.independent).collect();
        assert_eq!(independent, [true, true, true, false]);
        assert_eq!(flows.variables.get(1), [2, 3]);
    }

    #[test]
    fn nonsense_is_left_out() {
        let flows = flows(
            2,
            &[
                &[(0, 1), (7, 1)],
                &[(0, 0), (1, 1)],
                &[],
                &[(1, 2), (0, 3)],
                &[(0, 3), (1, 2)],
            ],
        );
        assert_eq!(flows.variables.len(), 1);
        assert_eq!(flows.flows[0].weights, [3, 2]);
    }
}
