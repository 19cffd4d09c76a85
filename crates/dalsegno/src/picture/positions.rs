//! Positions of a file, if a picture can use them.
//!
//! Files place nodes in their own scale. All positions are multiplied by one factor, so that what was drawn by hand
//! keeps its shape, and nodes do not cover each other. Positions are of no use if few nodes have one, or many
//! nodes cover each other at any scale.

use dalsegno_draw::{Graph, Point, Rect};

/// Factors that are tried, the best first.
const SCALES: [f64; 7] = [1.0, 1.3, 1.7, 2.2, 3.0, 4.0, 6.0];
/// The space that nodes should have between them.
const SPACE: f64 = 4.0;
/// At most one of so many nodes may be covered by another one.
const COVERED: usize = 12;
/// Larger pictures are made smaller.
const LARGEST: f64 = 8_000.0;

/// The factor for the fixed positions of a graph, or why there is none.
pub(super) fn scale(graph: &Graph) -> Result<f64, &'static str> {
    let placed: Vec<(usize, Point)> = (0..graph.nodes.len())
        .filter_map(|i| Some((i, graph.nodes[i].fixed?)))
        .collect();
    if placed.is_empty() {
        return Err("it has none");
    }
    if placed.len() * 2 < graph.nodes.len() {
        return Err("more than half of the nodes have none");
    }
    let extent = extent(&placed);
    let shrink = if extent > LARGEST {
        LARGEST / extent
    } else {
        1.0
    };
    let allowed = placed.len() / COVERED;
    let mut best: Option<(usize, f64)> = None;
    for scale in SCALES {
        let scale = scale * shrink;
        let count = covered(graph, &placed, scale);
        if best.is_none_or(|(least, _)| count < least) {
            best = Some((count, scale));
        }
        if count == 0 {
            break;
        }
    }
    match best {
        Some((count, scale)) if count <= allowed => Ok(scale),
        _ => Err("many nodes have the same place"),
    }
}

/// Multiplies all fixed positions and bends.
pub(super) fn apply(graph: &mut Graph, scale: f64) {
    for node in &mut graph.nodes {
        node.fixed = node.fixed.map(|at| at * scale);
    }
    for edge in &mut graph.edges {
        for bend in &mut edge.bends {
            *bend = *bend * scale;
        }
    }
}

/// Forgets them.
pub(super) fn forget(graph: &mut Graph) {
    for node in &mut graph.nodes {
        node.fixed = None;
    }
    for edge in &mut graph.edges {
        edge.bends.clear();
    }
}

fn extent(placed: &[(usize, Point)]) -> f64 {
    let range = |of: fn(Point) -> f64| {
        let values = || placed.iter().map(|&(_, p)| of(p));
        values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
    };
    range(|p| p.x).max(range(|p| p.y))
}

/// How many nodes are covered by another one, at a scale.
fn covered(graph: &Graph, placed: &[(usize, Point)], scale: f64) -> usize {
    let mut boxes: Vec<Rect> = placed
        .iter()
        .map(|&(i, at)| {
            let node = &graph.nodes[i];
            Rect::around(at * scale, node.width + SPACE, node.height + SPACE)
        })
        .collect();
    boxes.sort_by(|a, b| a.min.x.total_cmp(&b.min.x));
    let covers = |i: usize| {
        let here = &boxes[i];
        let after = boxes[i + 1..].iter();
        let mut near = after.take_while(|other| other.min.x < here.max.x);
        near.any(|other| other.overlaps(here))
    };
    (0..boxes.len()).filter(|&i| covers(i)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dalsegno_draw::{Node, Shape};

    fn graph(points: impl IntoIterator<Item = (f64, f64)>) -> Graph {
        let mut graph = Graph::new("");
        for (x, y) in points {
            let mut node = Node::new(Shape::Circle, 30.0, 30.0);
            node.fixed = Some(Point::new(x, y));
            graph.add_node(node);
        }
        graph
    }

    #[test]
    fn crowded_positions_are_scaled_and_equal_ones_are_refused() {
        let row = |step: f64| graph((0..20).map(|i| (f64::from(i) * step, 0.0)));
        assert_eq!(scale(&row(50.0)), Ok(1.0));
        assert_eq!(scale(&row(20.0)), Ok(1.7));
        assert!(scale(&row(0.0)).is_err());
        assert!(scale(&row(1.0)).is_err());
        assert!(scale(&row(2_000.0)).unwrap() < 0.3);
        let mut half = row(50.0);
        for node in &mut half.nodes[..11] {
            node.fixed = None;
        }
        assert!(scale(&half).is_err());
    }
}
