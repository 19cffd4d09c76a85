//! Layout with given positions: nodes that have one keep it exactly, the others find a place near to their
//! neighbours.
//!
//! Nodes without a position start where stress majorisation puts them while the others are held. Then each in turn
//! takes the free spot that is nearest to there, on squares that grow around it. A spot is free if no box of another node,
//! with its label, overlaps it; there is one, as the plane has no end.

use crate::components::{components, neighbours, pack};
use crate::geometry::{Point, Rect};
use crate::graph::Graph;
use crate::layout::{Error, Layout, check_size};
use crate::majorisation::majorise;
use crate::stress::{SPACE, bounds, edge_length, finish, lay_out, within};

/// The distance between the spots that are tried.
const STEP: f64 = 8.0;

/// Lays out a graph in which some or all nodes have fixed positions, which they keep.
///
/// # Errors
/// If the graph is too large.
pub fn placed(graph: &Graph) -> Result<Layout, Error> {
    check_size(graph)?;
    let fixed = |i: usize| graph.nodes[i].fixed;
    let all = neighbours(graph);
    let mut points: Vec<Point> = (0..graph.nodes.len())
        .map(|i| fixed(i).unwrap_or_default())
        .collect();
    let full = |i: usize, at: Point| graph.nodes[i].full_box().moved(at);
    let mut taken: Vec<Rect> = (0..graph.nodes.len())
        .filter_map(|i| Some(full(i, fixed(i)?)))
        .collect();
    let mut free = Vec::new();
    for part in components(graph) {
        if part.iter().all(|&i| fixed(i).is_none()) {
            free.push(part);
            continue;
        }
        if part.iter().all(|&i| fixed(i).is_some()) {
            continue;
        }
        let wished = near_fixed(graph, &part, &all);
        for (&i, wish) in part.iter().zip(wished) {
            if fixed(i).is_none() {
                points[i] = free_spot(&graph.nodes[i].full_box().grown(SPACE / 2.0), wish, &taken);
                taken.push(full(i, points[i]));
            }
        }
    }
    if !free.is_empty() {
        place_below(graph, &free, &all, &taken, &mut points);
    }
    Ok(finish(graph, points))
}

/// Where stress majorisation puts the nodes of a component while those with a position are held.
fn near_fixed(graph: &Graph, part: &[usize], all: &[Vec<usize>]) -> Vec<Point> {
    let length = edge_length(graph);
    let own = within(part, all);
    let held: Vec<Option<Point>> = part
        .iter()
        .map(|&i| graph.nodes[i].fixed.map(|p| p * (1.0 / length)))
        .collect();
    let unit = majorise(&own, &held);
    unit.into_iter().map(|p| p * length).collect()
}

/// The spot nearest to the wish where a box, given around the origin, overlaps none of those.
fn free_spot(rect: &Rect, wish: Point, taken: &[Rect]) -> Point {
    let is_free = |at: Point| {
        let here = rect.moved(at);
        !taken.iter().any(|other| other.overlaps(&here))
    };
    let mut ring = 0_i32;
    loop {
        let mut best: Option<(f64, Point)> = None;
        for dx in -ring..=ring {
            // The sides of the square; all of it has been tried with smaller rings.
            let whole = dx.abs() == ring;
            let step = if whole || ring == 0 { 1 } else { 2 * ring };
            let mut dy = -ring;
            while dy <= ring {
                let by = Point::new(f64::from(dx) * STEP, f64::from(dy) * STEP);
                let far = by.length();
                if best.is_none_or(|(least, _)| far < least) && is_free(wish + by) {
                    best = Some((far, wish + by));
                }
                dy += step;
            }
        }
        if let Some((_, spot)) = best {
            return spot;
        }
        ring += 1;
    }
}

/// Puts components without any fixed position below the others.
fn place_below(
    graph: &Graph,
    parts: &[Vec<usize>],
    all: &[Vec<usize>],
    taken: &[Rect],
    points: &mut [Point],
) {
    let mut boxes = Vec::with_capacity(parts.len());
    for part in parts {
        for (&i, point) in part.iter().zip(lay_out(graph, part, all)) {
            points[i] = point;
        }
        boxes.push(bounds(graph, part, points));
    }
    let above = taken.iter().copied().reduce(|a, b| a.union(&b));
    let corner = above.map_or(Point::default(), |a| {
        Point::new(a.min.x, a.max.y + 3.0 * SPACE)
    });
    for (part, by) in parts.iter().zip(pack(&boxes)) {
        for &i in part {
            points[i] = points[i] + by + corner;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_free_spot_is_found() {
        let rect = Rect::around(Point::default(), 10.0, 10.0);
        assert_eq!(
            free_spot(&rect, Point::new(3.0, 4.0), &[]),
            Point::new(3.0, 4.0)
        );
        let taken = [Rect::around(Point::default(), 40.0, 12.0)];
        let spot = free_spot(&rect, Point::default(), &taken);
        assert!(!rect.moved(spot).overlaps(&taken[0]));
        assert!(spot.length() <= 16.0);
    }
}
