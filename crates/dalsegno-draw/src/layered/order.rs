//! The order in each layer, with few crossings: barycentres and swaps of neighbours.
//!
//! Sweeps to the right and to the left sort each layer by the mean position of the neighbours in the layer before;
//! then neighbours are swapped where that removes crossings. The best order that was met is kept. Each sweep
//! takes about the number of joints times its logarithm, swaps the sum of products of degrees.

use super::Items;

/// Rounds of a sweep in each direction.
const ROUNDS: usize = 12;
/// Larger graphs get fewer rounds.
const LARGE: usize = 8_000;

/// Reorders the rows.
pub(super) fn reduce_crossings(items: &mut Items) {
    start(items);
    let mut position = vec![0; items.all.len()];
    number(items, &mut position);
    let mut best = items.rows.clone();
    let mut least = crossings(items, &position);
    let rounds = if items.all.len() > LARGE { 3 } else { ROUNDS };
    for round in 0..rounds {
        if least == 0 {
            break;
        }
        sweep(items, &mut position, true, round % 2 == 1);
        sweep(items, &mut position, false, round % 2 == 1);
        swap_neighbours(items, &mut position);
        let now = crossings(items, &position);
        if now < least {
            least = now;
            best.clone_from(&items.rows);
        }
    }
    items.rows = best;
}

/// Starts with the order of a depth-first search along the layers: what belongs together stands together.
fn start(items: &mut Items) {
    let n = items.all.len();
    let mut seen = vec![false; n];
    let mut rows = vec![Vec::new(); items.rows.len()];
    let roots: Vec<usize> = items.rows.iter().flatten().copied().collect();
    for root in roots {
        let mut stack = vec![root];
        while let Some(item) = stack.pop() {
            if std::mem::replace(&mut seen[item], true) {
                continue;
            }
            rows[items.all[item].layer].push(item);
            let joined = items.before[item].iter().chain(&items.after[item]);
            stack.extend(joined.rev().filter(|&&j| !seen[j]));
        }
    }
    items.rows = rows;
}

fn number(items: &Items, position: &mut [usize]) {
    for row in &items.rows {
        for (i, &item) in row.iter().enumerate() {
            position[item] = i;
        }
    }
}

/// Sorts each layer by the means of its neighbours' positions. Items with equal means are swapped if `reversed`.
fn sweep(items: &mut Items, position: &mut [usize], forward: bool, reversed: bool) {
    let count = items.rows.len();
    for step in 1..count {
        let layer = if forward { step } else { count - 1 - step };
        let mut row = std::mem::take(&mut items.rows[layer]);
        let joined = if forward { &items.before } else { &items.after };
        let mut keyed: Vec<(f64, usize, usize)> = row
            .iter()
            .enumerate()
            .map(|(i, &item)| {
                let others = &joined[item];
                let mean = if others.is_empty() {
                    i as f64
                } else {
                    others.iter().map(|&j| position[j] as f64).sum::<f64>() / others.len() as f64
                };
                (mean, if reversed { row.len() - i } else { i }, item)
            })
            .collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (i, &(_, _, item)) in keyed.iter().enumerate() {
            row[i] = item;
            position[item] = i;
        }
        items.rows[layer] = row;
    }
}

/// Swaps neighbours as long as that removes crossings.
fn swap_neighbours(items: &mut Items, position: &mut [usize]) {
    for _ in 0..4 {
        let mut swapped = false;
        for layer in 0..items.rows.len() {
            for i in 1..items.rows[layer].len() {
                let (a, b) = (items.rows[layer][i - 1], items.rows[layer][i]);
                let count = |x: usize, y: usize| {
                    let both = [&items.before, &items.after];
                    both.map(|joined| inversions(&joined[x], &joined[y], position))
                        .iter()
                        .sum::<usize>()
                };
                if count(b, a) < count(a, b) {
                    items.rows[layer].swap(i - 1, i);
                    (position[a], position[b]) = (i, i - 1);
                    swapped = true;
                }
            }
        }
        if !swapped {
            break;
        }
    }
}

/// Crossings between the joints of an item and those of one below it.
fn inversions(upper: &[usize], lower: &[usize], position: &[usize]) -> usize {
    let crossed = |&a: &usize| lower.iter().filter(|&&b| position[b] < position[a]).count();
    upper.iter().map(crossed).sum()
}

/// All crossings, by a tree of counts (Barth, Mutzel, Jünger 2004).
fn crossings(items: &Items, position: &[usize]) -> usize {
    let mut total = 0;
    for (layer, row) in items.rows.iter().enumerate() {
        let width = items.rows.get(layer + 1).map_or(0, Vec::len);
        if width == 0 {
            continue;
        }
        let leaves = width.next_power_of_two();
        let mut tree = vec![0_usize; 2 * leaves];
        for &item in row {
            let mut ends: Vec<usize> = items.after[item].iter().map(|&j| position[j]).collect();
            ends.sort_unstable();
            // Those of one item do not cross each other: they are counted before any is added.
            for &end in &ends {
                let mut at = end + leaves;
                while at > 1 {
                    if at.is_multiple_of(2) {
                        total += tree[at + 1];
                    }
                    at /= 2;
                }
            }
            for &end in &ends {
                let mut at = end + leaves;
                while at > 0 {
                    tree[at] += 1;
                    at /= 2;
                }
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::{Item, Kind};

    fn items(sizes: &[usize], joints: &[(usize, usize)]) -> Items {
        let mut items = Items {
            all: Vec::new(),
            rows: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
        };
        for (layer, &size) in sizes.iter().enumerate() {
            for _ in 0..size {
                items.add(Item {
                    kind: Kind::Line,
                    layer,
                    along: 0.0,
                    up: 1.0,
                    down: 1.0,
                });
            }
        }
        for &(a, b) in joints {
            items.join(a, b);
        }
        items
    }

    #[test]
    fn crossings_are_counted() {
        let all = items(&[2, 3], &[(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)]);
        let mut position = vec![0; 5];
        number(&all, &mut position);
        assert_eq!(crossings(&all, &position), 3);
    }

    #[test]
    fn a_plane_graph_gets_no_crossing() {
        let joints = [(0, 5), (1, 4), (2, 3), (3, 8), (4, 7), (5, 6)];
        let mut crossed = items(&[3, 3, 3], &joints);
        reduce_crossings(&mut crossed);
        let mut position = vec![0; 9];
        number(&crossed, &mut position);
        assert_eq!(crossings(&crossed, &position), 0);
    }
}
