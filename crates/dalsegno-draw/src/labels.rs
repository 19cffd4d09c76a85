//! Labels beside nodes and texts of edges, where they cover nothing and few lines run through them.
//!
//! A label starts below its node, where the layout has kept space for it, and moves to another side only if nothing
//! is covered there and fewer lines cross it. So labels never overlap nodes or each other, unless positions are given.

use crate::geometry::{Path, Point, Rect};
use crate::graph::{FONT, Graph, LABEL_GAP, LINE, Node, Shape};
use crate::layout::Layout;
use crate::text;

/// What an overlap with a node or a label costs, in lines that are crossed.
const OVERLAP: usize = 1_000;

/// The layout with a place for each label.
pub(crate) fn place(graph: &Graph, points: Vec<Point>, paths: Vec<Path>) -> Layout {
    let lines: Vec<(Rect, Vec<Point>)> = paths.iter().map(|p| (p.bounds(), p.points())).collect();
    let shapes: Vec<Rect> = graph
        .nodes
        .iter()
        .zip(&points)
        .filter(|(node, _)| node.shape != Shape::Hidden)
        .map(|(node, &p)| node.shape_box().moved(p))
        .collect();
    let mut labels: Vec<Option<Rect>> = graph
        .nodes
        .iter()
        .zip(&points)
        .map(|(node, &p)| Some(node.label_below()?.moved(p)))
        .collect();
    for (i, node) in graph.nodes.iter().enumerate() {
        let mut best: Option<(usize, Rect)> = None;
        for (rank, rect) in sides(node, points[i]).into_iter().enumerate() {
            let others = labels.iter().enumerate().filter(|&(j, _)| j != i);
            let others = others.filter_map(|(_, label)| label.as_ref());
            let covered = shapes.iter().chain(others);
            let covered = covered.filter(|other| other.overlaps(&rect)).count();
            let cost = 4 * (covered * OVERLAP + crossings(&rect, &lines)) + rank;
            if best.as_ref().is_none_or(|&(least, _)| cost < least) {
                best = Some((cost, rect));
            }
            if cost == 0 {
                break;
            }
        }
        labels[i] = best.map(|(_, rect)| rect);
    }
    let edge_labels = edge_labels(graph, &paths, &shapes, &labels);
    Layout {
        nodes: points,
        labels,
        paths,
        edge_labels,
    }
}

/// The places for a label beside a node, the best first.
fn sides(node: &Node, at: Point) -> Vec<Rect> {
    let Some((width, height)) = node.label_size() else {
        return Vec::new();
    };
    let down = node.height / 2.0 + LABEL_GAP + height / 2.0;
    let side = node.width / 2.0 + LABEL_GAP + width / 2.0;
    let ways = [(0.0, down), (0.0, -down), (side, 0.0), (-side, 0.0)];
    let rect = |(x, y)| Rect::around(at + Point::new(x, y), width, height);
    ways.into_iter().map(rect).collect()
}

/// How many lines run through a box.
fn crossings(rect: &Rect, lines: &[(Rect, Vec<Point>)]) -> usize {
    let near = lines.iter().filter(|(bounds, _)| {
        // The bounds of a straight line may have no width.
        bounds.grown(0.5).overlaps(rect)
    });
    near.filter(|(_, line)| line.windows(2).any(|w| rect.meets(w[0], w[1])))
        .count()
}

/// Places beside the middles of edges for their labels and weights.
fn edge_labels(
    graph: &Graph,
    paths: &[Path],
    shapes: &[Rect],
    labels: &[Option<Rect>],
) -> Vec<Option<Rect>> {
    let mut taken: Vec<Rect> = shapes.to_vec();
    taken.extend(labels.iter().flatten());
    let mut found = Vec::with_capacity(paths.len());
    for (edge, path) in graph.edges.iter().zip(paths) {
        let (width, height) = if edge.label.is_empty() {
            (text::width(&edge.weight, FONT), LINE)
        } else {
            edge.label_size()
        };
        if width == 0.0 {
            found.push(None);
            continue;
        }
        let (middle, direction) = path.middle();
        let aside = direction.turned();
        let far = aside.x.abs() * width / 2.0 + aside.y.abs() * height / 2.0 + 2.0;
        let mut best: Option<(usize, Rect)> = None;
        for slide in [0.0, 10.0, -10.0, 20.0, -20.0] {
            for side in [-1.0, 1.0] {
                let at = middle + direction * slide + aside * (far * side);
                let rect = Rect::around(at, width, height);
                let hits = taken.iter().filter(|other| other.overlaps(&rect)).count();
                if best.as_ref().is_none_or(|&(least, _)| hits < least) {
                    best = Some((hits, rect));
                }
            }
        }
        taken.extend(best.map(|(_, rect)| rect));
        found.push(best.map(|(_, rect)| rect));
    }
    found
}
