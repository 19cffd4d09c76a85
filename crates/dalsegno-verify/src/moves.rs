//! Firing: what transitions do to the values of levels.

use std::collections::HashMap;

use crate::certificate::Level;
use crate::failure::{Failure, Result};
use crate::net::Net;

/// What becomes of a value of a level when a transition fires.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// The transition is not enabled by this value.
    Disabled,
    /// The value that comes is not one of the level: no marking of the diagram has it.
    Absent,
    /// This value.
    Value(u32),
}

/// What a transition does: for each level that it asks or changes, from the top, what each value becomes.
pub(crate) type Move = Vec<(usize, Vec<Target>)>;

/// The entries that the tables may have together.
const MOST: usize = 1 << 28;

/// The moves of all transitions; with `back`, the values before it fired instead of those after.
pub(crate) fn moves(net: &Net, levels: &[Level], back: bool) -> Result<Vec<Move>> {
    let mut home = vec![(0, 0); net.places.len()];
    let mut numbers: Vec<HashMap<&[u32], u32>> = Vec::new();
    for (l, level) in levels.iter().enumerate() {
        for (i, &place) in level.places.iter().enumerate() {
            home[place] = (l, i);
        }
        numbers.push(level.values.iter().map(Vec::as_slice).zip(0..).collect());
    }
    let mut size = 0;
    let mut all = Vec::with_capacity(net.transitions.len());
    for t in &net.transitions {
        let asked = t.least.iter().chain(&t.below).map(|&(p, _)| p);
        let touched = asked.chain(t.change.iter().map(|&(p, _)| p));
        let mut touched: Vec<usize> = touched.map(|p| home[p].0).collect();
        touched.sort_unstable();
        touched.dedup();
        let mut made = Move::new();
        for l in touched {
            let here = |p: usize| (home[p].0 == l).then_some(home[p].1);
            let enabled = |value: &[u32]| {
                let enough = t
                    .least
                    .iter()
                    .all(|&(p, n)| here(p).is_none_or(|i| value[i] >= n));
                enough
                    && t.below
                        .iter()
                        .all(|&(p, n)| here(p).is_none_or(|i| value[i] < n))
            };
            let fire = |value: &Vec<u32>| -> Target {
                let mut other = value.clone();
                for &(p, n) in &t.change {
                    if let Some(i) = here(p) {
                        let sum = i64::from(other[i]) + if back { -n } else { n };
                        match u32::try_from(sum) {
                            Ok(tokens) => other[i] = tokens,
                            // Before firing there is no such marking; after it, the file has none.
                            Err(_) if back || !enabled(value) => return Target::Disabled,
                            Err(_) => return Target::Absent,
                        }
                    }
                }
                if !enabled(if back { &other } else { value }) {
                    return Target::Disabled;
                }
                numbers[l]
                    .get(&other[..])
                    .map_or(Target::Absent, |&number| Target::Value(number))
            };
            size += levels[l].values.len();
            if size > MOST {
                return Err(Failure::Limit(
                    "the tables of transitions are too large".to_owned(),
                ));
            }
            made.push((l, levels[l].values.iter().map(fire).collect()));
        }
        all.push(made);
    }
    Ok(all)
}
