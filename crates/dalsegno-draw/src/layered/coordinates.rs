//! Positions of items that keep the order of their layers.
//!
//! Every item wants to be at the weighted mean of its neighbours; parts of long edges weigh more, so that these
//! become straight. Within a layer the best positions that keep the order and the distances are found exactly, by pooling
//! neighbours that violate them (isotonic regression); layers are visited to and fro. In the end parts of long edges
//! that can have the same height get it. Linear per sweep.

use super::{Chain, Items, Kind};
use crate::geometry::Point;

/// Sweeps over the layers.
const SWEEPS: usize = 40;
/// Rounds in which long edges are made straight.
const STRAIGHTENINGS: usize = 4;
/// The space between nodes in a layer.
const NODE_SPACE: f64 = 16.0;
/// The space between a line and what is beside it.
const LINE_SPACE: f64 = 7.0;
/// The space between two layers, at least and at most.
const LAYER_SPACE: (f64, f64) = (26.0, 80.0);

/// Where items and layers are.
pub(super) struct Placed {
    /// The vertical position of each item.
    pub(super) y: Vec<f64>,
    /// Where each layer starts and ends.
    pub(super) layers: Vec<(f64, f64)>,
}

impl Placed {
    /// The point of an item: the middle of its layer.
    pub(super) fn point(&self, items: &Items, item: usize) -> Point {
        let (start, end) = self.layers[items.all[item].layer];
        Point::new(f64::midpoint(start, end), self.y[item])
    }
}

/// Positions for all items.
pub(super) fn place(items: &Items, chains: &[Chain]) -> Placed {
    let mut y = vec![0.0; items.all.len()];
    for row in &items.rows {
        let places = offsets(items, row);
        let height = places.last().copied().unwrap_or(0.0);
        for (&item, place) in row.iter().zip(places) {
            y[item] = place - height / 2.0;
        }
    }
    for sweep in 0..SWEEPS {
        // To and fro at first, which carries positions far; then with both sides, which balances them.
        let sides = match sweep {
            s if s + SWEEPS / 2 >= SWEEPS => (true, true),
            s if s % 2 == 0 => (true, false),
            _ => (false, true),
        };
        for step in 0..items.rows.len() {
            let layer = if sweep % 2 == 0 {
                step
            } else {
                items.rows.len() - 1 - step
            };
            settle(items, layer, sides, &mut y);
        }
    }
    for _ in 0..STRAIGHTENINGS {
        straighten(items, chains, &mut y);
    }
    let layers = layers(items, &y);
    Placed { y, layers }
}

/// The weight of a joint: the more of it is a long edge, the straighter it should be.
fn weight(items: &Items, a: usize, b: usize) -> f64 {
    let node = |item: usize| matches!(items.all[item].kind, Kind::Node(_));
    match (node(a), node(b)) {
        (true, true) => 1.0,
        (false, false) => 8.0,
        _ => 2.0,
    }
}

/// The least positions of the items of a layer, from 0.
fn offsets(items: &Items, row: &[usize]) -> Vec<f64> {
    let mut places = Vec::with_capacity(row.len());
    let mut at = 0.0;
    for (i, &item) in row.iter().enumerate() {
        if i > 0 {
            at += distance(items, row[i - 1], item);
        }
        places.push(at);
    }
    places
}

/// Gives parts of a long edge one height, as far as what is beside them allows.
fn straighten(items: &Items, chains: &[Chain], y: &mut [f64]) {
    let mut place = vec![0; items.all.len()];
    for row in &items.rows {
        for (i, &item) in row.iter().enumerate() {
            place[item] = i;
        }
    }
    for chain in chains {
        let inner = &chain.items[1..chain.items.len() - 1];
        let mut next = 0;
        while next < inner.len() {
            // As many as have a height in common.
            let (mut low, mut high) = room(items, &place, y, inner[next]);
            let mut end = next + 1;
            while let Some(&item) = inner.get(end) {
                let (l, h) = room(items, &place, y, item);
                if l.max(low) > h.min(high) {
                    break;
                }
                (low, high) = (l.max(low), h.min(high));
                end += 1;
            }
            let run = &inner[next..end];
            let mean = run.iter().map(|&i| y[i]).sum::<f64>() / run.len() as f64;
            if low <= high {
                let height = mean.max(low).min(high);
                for &item in run {
                    y[item] = height;
                }
            }
            next = end;
        }
    }
}

/// The heights that an item may have while all others stay.
fn room(items: &Items, place: &[usize], y: &[f64], item: usize) -> (f64, f64) {
    let row = &items.rows[items.all[item].layer];
    let at = place[item];
    let above = at.checked_sub(1).map(|i| row[i]);
    let below = row.get(at + 1).copied();
    (
        above.map_or(f64::NEG_INFINITY, |other| {
            y[other] + distance(items, other, item)
        }),
        below.map_or(f64::INFINITY, |other| {
            y[other] - distance(items, item, other)
        }),
    )
}

/// The least distance between an item and the one below it.
fn distance(items: &Items, above: usize, below: usize) -> f64 {
    let (above, below) = (&items.all[above], &items.all[below]);
    let nodes = [above, below].map(|item| matches!(item.kind, Kind::Node(_)));
    let space = if nodes == [true, true] {
        NODE_SPACE
    } else {
        LINE_SPACE
    };
    above.down + space + below.up
}

/// Moves the items of a layer to where their neighbours on some sides want them.
fn settle(items: &Items, layer: usize, (before, after): (bool, bool), y: &mut [f64]) {
    let row = &items.rows[layer];
    let least = offsets(items, row);
    // Runs of items that stand as near as they may: the sum of what they want, its weight and their number.
    let mut pools: Vec<(f64, f64, usize)> = Vec::with_capacity(row.len());
    for (&item, &offset) in row.iter().zip(&least) {
        let (mut sum, mut total) = (0.0, 0.0);
        let sides = [(before, &items.before), (after, &items.after)];
        for (_, joined) in sides.into_iter().filter(|side| side.0) {
            for &other in &joined[item] {
                let w = weight(items, item, other);
                sum += w * y[other];
                total += w;
            }
        }
        if total == 0.0 {
            (sum, total) = (0.01 * y[item], 0.01);
        }
        pools.push((sum - total * offset, total, 1));
        while let [.., a, b] = &pools[..]
            && a.0 / a.1 > b.0 / b.1
        {
            let joined = (a.0 + b.0, a.1 + b.1, a.2 + b.2);
            pools.pop();
            pools.pop();
            pools.push(joined);
        }
    }
    let mut next = 0;
    for (sum, total, count) in pools {
        for _ in 0..count {
            y[row[next]] = sum / total + least[next];
            next += 1;
        }
    }
}

/// Where layers start and end: the steeper the lines between two of them, the more space.
fn layers(items: &Items, y: &[f64]) -> Vec<(f64, f64)> {
    let mut found = Vec::with_capacity(items.rows.len());
    let mut at = 0.0;
    for row in &items.rows {
        let thick = row.iter().map(|&i| items.all[i].along);
        let thick = 2.0 * thick.fold(0.0, f64::max);
        found.push((at, at + thick));
        let steps = row
            .iter()
            .flat_map(|&i| items.after[i].iter().map(move |&j| (y[i] - y[j]).abs()));
        let steepest = steps.fold(0.0, f64::max);
        let (least, most) = LAYER_SPACE;
        at += thick + (least + steepest * 0.2).min(most);
    }
    found
}
