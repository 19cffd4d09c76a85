//! Layout for nets: stress majorisation, nodes moved apart with their labels, components side by side.

use crate::components::{components, neighbours, pack};
use crate::geometry::{Point, Rect};
use crate::graph::Graph;
use crate::labels;
use crate::layout::{Error, Layout, check_size};
use crate::majorisation::majorise;
use crate::overlap::separate;
use crate::placed::placed;
use crate::routes;
use crate::spread::spread;

/// The space between two boxes of nodes with their labels.
pub(crate) const SPACE: f64 = 12.0;

/// Lays out a graph so that distances in the picture are like those in the graph. Nodes with fixed positions keep
/// them.
///
/// # Errors
/// If the graph is too large.
pub fn stress(graph: &Graph) -> Result<Layout, Error> {
    check_size(graph)?;
    if graph.nodes.iter().any(|node| node.fixed.is_some()) {
        return placed(graph);
    }
    let parts = components(graph);
    let all = neighbours(graph);
    let mut points = vec![Point::default(); graph.nodes.len()];
    let mut boxes = Vec::with_capacity(parts.len());
    for part in &parts {
        let found = lay_out(graph, part, &all);
        for (&i, &point) in part.iter().zip(&found) {
            points[i] = point;
        }
        boxes.push(bounds(graph, part, &points));
    }
    for (part, by) in parts.iter().zip(pack(&boxes)) {
        for &i in part {
            points[i] = points[i] + by;
        }
    }
    Ok(finish(graph, points))
}

/// The picture for nodes that have their places.
pub(crate) fn finish(graph: &Graph, points: Vec<Point>) -> Layout {
    let paths = routes::route(graph, &points);
    labels::place(graph, points, paths)
}

/// The length of an edge, so that nodes have about the space that they need.
pub(crate) fn edge_length(graph: &Graph) -> f64 {
    let sizes = graph.nodes.iter().map(|node| {
        let full = node.full_box();
        f64::midpoint(full.width(), full.height())
    });
    let mean = sizes.sum::<f64>() / graph.nodes.len().max(1) as f64;
    mean + 1.5 * SPACE
}

/// Positions for the nodes of a component; `all` are the neighbours of all nodes.
pub(crate) fn lay_out(graph: &Graph, part: &[usize], all: &[Vec<usize>]) -> Vec<Point> {
    let own = within(part, all);
    let length = edge_length(graph);
    let unit = majorise(&own, &vec![None; part.len()]);
    let mut points: Vec<Point> = unit.into_iter().map(|p| p * length).collect();
    let boxes: Vec<Rect> = part
        .iter()
        .map(|&i| graph.nodes[i].full_box().grown(SPACE / 2.0))
        .collect();
    spread(&boxes, &own, &mut points);
    let boxes: Vec<Rect> = boxes
        .iter()
        .zip(&points)
        .map(|(b, &p)| b.moved(p))
        .collect();
    let moves = separate(&boxes);
    points.into_iter().zip(moves).map(|(p, m)| p + m).collect()
}

/// The neighbours of the nodes of a component, numbered as they stand in it.
pub(crate) fn within(part: &[usize], all: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let number = |j: &usize| part.binary_search(j).unwrap_or_default();
    let own = |&i: &usize| all[i].iter().map(number).collect();
    part.iter().map(own).collect()
}

/// The box of some nodes with their labels.
pub(crate) fn bounds(graph: &Graph, part: &[usize], points: &[Point]) -> Rect {
    let boxes = part
        .iter()
        .map(|&i| graph.nodes[i].full_box().moved(points[i]));
    let all = boxes.reduce(|all, rect| all.union(&rect));
    all.unwrap_or(Rect::around(Point::default(), 0.0, 0.0))
}
