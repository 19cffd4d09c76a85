//! Lines of edges between nodes that have their places: straight where that is possible, else bowed around the nodes
//! in the way.
//!
//! Several edges between two nodes are bowed to different sides. For each edge some bows are tried, and the one
//! that meets the fewest other nodes is taken; the smallest among those.

use std::collections::BTreeMap;

use crate::geometry::{Curve, Path, Point, Rect};
use crate::graph::{Arrow, Edge, Graph, Node, Shape};

/// Bows that are tried: how far the middle of the curve is from the straight line.
const BOWS: [f64; 13] = [
    0.0, 10.0, -10.0, 20.0, -20.0, 32.0, -32.0, 46.0, -46.0, 64.0, -64.0, FARTHEST, -FARTHEST,
];
/// The largest bow.
const FARTHEST: f64 = 90.0;
/// How far edges between the same nodes are from each other.
const BESIDE: f64 = 9.0;
/// How near a line may come to a node.
const CLEAR: f64 = 3.0;
/// The radius of the circle at the end of an inhibitor arc.
pub(crate) const INHIBITOR: f64 = 4.0;

/// The lines of all edges.
pub(crate) fn route(graph: &Graph, points: &[Point]) -> Vec<Path> {
    let mut between: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (k, edge) in graph.edges.iter().enumerate() {
        let pair = (edge.from.min(edge.to), edge.from.max(edge.to));
        between.entry(pair).or_default().push(k);
    }
    let boxes: Vec<Rect> = graph
        .nodes
        .iter()
        .zip(points)
        .map(|(node, &p)| node.shape_box().moved(p).grown(CLEAR))
        .collect();
    let mut paths = vec![Path::straight(Point::default(), Point::default()); graph.edges.len()];
    for ((a, b), edges) in between {
        for (position, &k) in edges.iter().enumerate() {
            let edge = &graph.edges[k];
            paths[k] = if a == b {
                let node = &graph.nodes[a];
                self_loop(points[a], node.width, node.height, position)
            } else if edge.bends.is_empty() {
                let middle = (edges.len() - 1) as f64 / 2.0;
                // The side is that of the pair, whichever way the edge goes.
                let side = if edge.from == a { 1.0 } else { -1.0 };
                let beside = (position as f64 - middle) * 2.0 * BESIDE * side;
                bowed(graph, points, &boxes, edge, beside)
            } else {
                bent(graph, points, edge)
            };
        }
    }
    paths
}

/// A loop above a node; each further one is larger.
pub(crate) fn self_loop(at: Point, width: f64, height: f64, number: usize) -> Path {
    let spread = width.min(28.0) * 0.28 + 2.0 * number as f64;
    let top = at.y - height / 2.0 - loop_height(number) * 1.34;
    // Near the corners of the upper side; on a circle of this width the line starts a little lower.
    let foot = at.y - height * 0.42;
    let (left, right) = (at.x - spread, at.x + spread);
    Path {
        start: Point::new(left, foot),
        curves: vec![Curve::Cubic(
            Point::new(left - 10.0, top),
            Point::new(right + 10.0, top),
            Point::new(right, foot),
        )],
    }
}

/// How high a loop stands above its node.
pub(crate) fn loop_height(number: usize) -> f64 {
    18.0 + 8.0 * number as f64
}

/// The bow that meets the fewest nodes, around the one that is wished.
fn bowed(graph: &Graph, points: &[Point], boxes: &[Rect], edge: &Edge, beside: f64) -> Path {
    let reach = Rect {
        min: points[edge.from],
        max: points[edge.from],
    };
    let reach = reach.with(points[edge.to]).grown(FARTHEST + BESIDE);
    let near: Vec<&Rect> = (0..boxes.len())
        .filter(|&i| i != edge.from && i != edge.to && graph.nodes[i].shape != Shape::Hidden)
        .map(|i| &boxes[i])
        .filter(|rect| rect.overlaps(&reach))
        .collect();
    let mut best: Option<(usize, Path)> = None;
    for bow in BOWS {
        let path = curve(graph, points, edge, beside + bow);
        let line = path.points();
        let met = |rect: &&&Rect| line.windows(2).any(|w| rect.meets(w[0], w[1]));
        let hits = near.iter().filter(met).count();
        if best.as_ref().is_none_or(|(least, _)| hits < *least) {
            best = Some((hits, path));
        }
        if hits == 0 {
            break;
        }
    }
    let straight = || curve(graph, points, edge, beside);
    best.map_or_else(straight, |(_, path)| path)
}

fn curve(graph: &Graph, points: &[Point], edge: &Edge, bow: f64) -> Path {
    let (a, b) = (points[edge.from], points[edge.to]);
    let (from, to) = (&graph.nodes[edge.from], &graph.nodes[edge.to]);
    if bow.abs() < 0.5 {
        let direction = (b - a).unit();
        let start = a + direction * reach(from, direction);
        let end = b - direction * (reach(to, direction) + head_room(edge));
        return Path::straight(start, end);
    }
    // The middle of a cubic curve is off the line by three quarters of its control points.
    let aside = (b - a).unit().turned() * (bow * 4.0 / 3.0);
    let first = a + (b - a) * (1.0 / 3.0) + aside;
    let second = a + (b - a) * (2.0 / 3.0) + aside;
    let (out, into) = ((first - a).unit(), (b - second).unit());
    let start = a + out * reach(from, out);
    let end = b - into * (reach(to, into) + head_room(edge));
    Path {
        start,
        curves: vec![Curve::Cubic(first, second, end)],
    }
}

/// A line through given points.
fn bent(graph: &Graph, points: &[Point], edge: &Edge) -> Path {
    let (a, b) = (points[edge.from], points[edge.to]);
    let first = edge.bends[0];
    let last = edge.bends[edge.bends.len() - 1];
    let (out, into) = ((first - a).unit(), (b - last).unit());
    let end = b - into * (reach(&graph.nodes[edge.to], into) + head_room(edge));
    let through = edge.bends.iter().copied().chain([end]);
    Path {
        start: a + out * reach(&graph.nodes[edge.from], out),
        curves: through.map(Curve::Line).collect(),
    }
}

/// What the end of the line leaves for the head of the arrow.
pub(crate) fn head_room(edge: &Edge) -> f64 {
    match edge.arrow {
        Arrow::Normal => 1.0,
        Arrow::Inhibitor => 2.0 * INHIBITOR,
        Arrow::Test => 0.0,
    }
}

/// The way from the middle of a node to its border, in a direction of length 1.
pub(crate) fn reach(node: &Node, direction: Point) -> f64 {
    match node.shape {
        Shape::Circle => node.width / 2.0,
        Shape::Hidden => 0.0,
        Shape::Bar | Shape::Rounded => {
            let along = |half: f64, part: f64| {
                if part.abs() < 1e-9 {
                    f64::INFINITY
                } else {
                    half / part.abs()
                }
            };
            along(node.width / 2.0, direction.x).min(along(node.height / 2.0, direction.y))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(usize, usize)]) -> Graph {
        let mut graph = Graph::new("");
        for _ in 0..3 {
            graph.add_node(Node::new(Shape::Circle, 20.0, 20.0));
        }
        for &(a, b) in edges {
            graph.add_edge(Edge::new(a, b));
        }
        graph
    }

    #[test]
    fn an_edge_goes_around_a_node_in_the_way() {
        let points = [0.0, 50.0, 100.0].map(|x| Point::new(x, 0.0));
        let paths = route(&graph(&[(0, 2)]), &points);
        let between = Rect::around(points[1], 20.0, 20.0);
        let line = paths[0].points();
        assert!(line.windows(2).all(|w| !between.meets(w[0], w[1])));
    }

    #[test]
    fn two_edges_between_two_nodes_differ() {
        let points = [0.0, 50.0, 100.0].map(|x| Point::new(x, 0.0));
        let paths = route(&graph(&[(0, 1), (1, 0)]), &points);
        assert!(paths[0].middle().0.y * paths[1].middle().0.y < 0.0);
    }

    #[test]
    fn a_line_ends_at_the_border() {
        let node = Node::new(Shape::Bar, 10.0, 40.0);
        assert!((reach(&node, Point::new(1.0, 0.0)) - 5.0).abs() < 1e-9);
        assert!((reach(&node, Point::new(0.0, -1.0)) - 20.0).abs() < 1e-9);
    }
}
