//! Layout with given positions: nodes that have one keep it exactly, the others find a place near to their
//! neighbours.
//!
//! Nodes without a position start where stress majorisation puts them while the others are held. Then each in turn
//! takes the free spot that is nearest to there, on squares that grow around it. A spot is free if no box of another node,
//! with its label, overlaps it; there is one, as the plane has no end. Boxes are found by the cells of a grid that they
//! are in, so a look takes constant time, and the number of looks grows with the logarithm of the distance.

use std::collections::HashMap;

use crate::components::{components, neighbours, pack};
use crate::geometry::{Point, Rect};
use crate::graph::Graph;
use crate::layout::{Error, Layout, check_size};
use crate::majorisation::majorise;
use crate::stress::{SPACE, bounds, edge_length, finish, lay_out, within};

/// The distance between the spots that are tried, near the wish.
const STEP: f64 = 8.0;
/// Squares beyond this many have no more spots on a side, and grow by a factor: far away a little more does not matter.
const FINE: i32 = 16;
const GROWTH: f64 = 1.1;

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
    let mut taken = Taken::new(graph);
    for i in 0..graph.nodes.len() {
        if let Some(at) = fixed(i) {
            taken.add(full(i, at));
        }
    }
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
                taken.add(full(i, points[i]));
            }
        }
    }
    if !free.is_empty() {
        place_below(graph, &free, &all, &taken.boxes, &mut points);
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

/// Boxes that are taken, in the cells of a grid.
struct Taken {
    /// The side of a cell.
    side: f64,
    boxes: Vec<Rect>,
    cells: HashMap<(i64, i64), Vec<usize>>,
}

impl Taken {
    /// None yet; cells are as large as the largest node, so that a box is in a few of them.
    fn new(graph: &Graph) -> Self {
        let sizes = graph.nodes.iter().map(|node| {
            let full = node.full_box();
            full.width().max(full.height())
        });
        Taken {
            side: sizes.fold(STEP, f64::max),
            boxes: Vec::new(),
            cells: HashMap::new(),
        }
    }

    fn cells_of(&self, rect: &Rect) -> impl Iterator<Item = (i64, i64)> + use<> {
        let cell = |at: f64| (at / self.side).floor() as i64;
        let (left, right) = (cell(rect.min.x), cell(rect.max.x));
        let (top, bottom) = (cell(rect.min.y), cell(rect.max.y));
        (left..=right).flat_map(move |x| (top..=bottom).map(move |y| (x, y)))
    }

    fn add(&mut self, rect: Rect) {
        let number = self.boxes.len();
        for cell in self.cells_of(&rect) {
            self.cells.entry(cell).or_default().push(number);
        }
        self.boxes.push(rect);
    }

    fn is_free(&self, rect: &Rect) -> bool {
        let mut cells = self.cells_of(rect).filter_map(|cell| self.cells.get(&cell));
        !cells.any(|numbers| numbers.iter().any(|&n| self.boxes[n].overlaps(rect)))
    }
}

/// The spot nearest to the wish where a box, given around the origin, overlaps none of those.
fn free_spot(rect: &Rect, wish: Point, taken: &Taken) -> Point {
    let is_free = |at: Point| taken.is_free(&rect.moved(at));
    if is_free(wish) {
        return wish;
    }
    let (mut ring, mut far) = (1_i32, STEP);
    loop {
        // The nearest of the spots on the sides of a square.
        let spots = ring.min(FINE);
        let mut best: Option<(f64, Point)> = None;
        for dx in -spots..=spots {
            let step = if dx.abs() == spots { 1 } else { 2 * spots };
            let mut dy = -spots;
            while dy <= spots {
                let by = Point::new(f64::from(dx), f64::from(dy)) * (far / f64::from(spots));
                let length = by.length();
                if best.is_none_or(|(least, _)| length < least) && is_free(wish + by) {
                    best = Some((length, wish + by));
                }
                dy += step;
            }
        }
        if let Some((_, spot)) = best {
            return spot;
        }
        far = if ring < FINE {
            far + STEP
        } else {
            far * GROWTH
        };
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
        let mut taken = Taken::new(&Graph::new(""));
        let wish = Point::new(3.0, 4.0);
        assert_eq!(free_spot(&rect, wish, &taken), wish);
        let wide = Rect::around(Point::default(), 40.0, 12.0);
        taken.add(wide);
        let spot = free_spot(&rect, Point::default(), &taken);
        assert!(!rect.moved(spot).overlaps(&wide));
        assert!(spot.length() <= 16.0);
    }
}
