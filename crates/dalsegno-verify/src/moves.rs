//! What transitions do to the values of levels.

use std::collections::HashMap;

use crate::certificate::Level;
use crate::failure::{Failure, Result};
use crate::net::Net;

/// The transition is not enabled by this value.
pub(crate) const DISABLED: u32 = u32::MAX;

/// The value that comes is not one of the level: no marking of the diagram has it.
pub(crate) const ABSENT: u32 = u32::MAX - 1;

/// The numbers that the tables may have together.
const MOST: usize = 1 << 28;

/// What a transition does: for each level that it asks or changes, from the top, what each value becomes.
pub(crate) type Move = Vec<(usize, Vec<u32>)>;

/// The moves of all transitions; with `back`, the values before it fired instead of those after.
pub(crate) fn moves(net: &Net, levels: &[Level], back: bool) -> Result<Vec<Move>> {
    let mut home = vec![(0, 0); net.places.len()];
    for (l, level) in levels.iter().enumerate() {
        for (i, &place) in level.places.iter().enumerate() {
            home[place] = (l, i);
        }
    }
    let index = |level: &Level| -> HashMap<Vec<u32>, u32> {
        let values = level.values.iter().cloned();
        values.zip(0..).collect()
    };
    let numbers: Vec<HashMap<Vec<u32>, u32>> = levels.iter().map(index).collect();
    let mut size = 0;
    let mut all = Vec::with_capacity(net.transitions.len());
    for t in &net.transitions {
        let asked = t.least.iter().chain(&t.below).map(|&(p, _)| home[p].0);
        let mut touched: Vec<usize> = asked
            .chain(t.change.iter().map(|&(p, _)| home[p].0))
            .collect();
        touched.sort_unstable();
        touched.dedup();
        let mut made = Move::new();
        for l in touched {
            let here = |p: usize| (home[p].0 == l).then_some(home[p].1);
            let after = |before: &Vec<u32>| -> u32 {
                let mut value = before.clone();
                let mut fits = true;
                for &(p, n) in &t.change {
                    if let Some(i) = here(p) {
                        let n = if back { -n } else { n };
                        match u32::try_from(i64::from(value[i]) + n) {
                            Ok(tokens) => value[i] = tokens,
                            Err(_) => fits = false,
                        }
                    }
                }
                let source = if back { &value } else { before };
                let enough = t
                    .least
                    .iter()
                    .all(|&(p, n)| here(p).is_none_or(|i| source[i] >= n));
                let few = t
                    .below
                    .iter()
                    .all(|&(p, n)| here(p).is_none_or(|i| source[i] < n));
                // No marking has fewer than no tokens, and no table has more than 32 bits of them.
                match (enough && few, numbers[l].get(&value).filter(|_| fits)) {
                    (true, _) if back && !fits => DISABLED,
                    (false, _) => DISABLED,
                    (true, Some(&number)) => number,
                    (true, None) => ABSENT,
                }
            };
            size += levels[l].values.len();
            if size > MOST {
                return Err(Failure::Limit(
                    "the tables of transitions are too large".to_owned(),
                ));
            }
            made.push((l, levels[l].values.iter().map(after).collect()));
        }
        all.push(made);
    }
    Ok(all)
}
