//! Connected components, and boxes packed side by side.
//!
//! Boxes are put on shelves, the highest first, until a shelf is as wide as the picture should be. Linear but for
//! the sorting.

use crate::geometry::{Point, Rect};
use crate::graph::Graph;

/// The space between two components.
const GAP: f64 = 36.0;

/// A picture should be wider than high by this factor.
const ASPECT: f64 = 1.5;

/// The nodes of each connected component, ascending; components by their first nodes.
pub(crate) fn components(graph: &Graph) -> Vec<Vec<usize>> {
    let neighbours = neighbours(graph);
    let mut seen = vec![false; graph.nodes.len()];
    let mut found = Vec::new();
    for start in 0..graph.nodes.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut component = vec![start];
        let mut next = 0;
        while let Some(&node) = component.get(next) {
            next += 1;
            for &other in &neighbours[node] {
                if !std::mem::replace(&mut seen[other], true) {
                    component.push(other);
                }
            }
        }
        component.sort_unstable();
        found.push(component);
    }
    found
}

/// The neighbours of each node in either direction, ascending, without itself.
pub(crate) fn neighbours(graph: &Graph) -> Vec<Vec<usize>> {
    let mut neighbours = vec![Vec::new(); graph.nodes.len()];
    for edge in graph.edges.iter().filter(|e| e.from != e.to) {
        neighbours[edge.from].push(edge.to);
        neighbours[edge.to].push(edge.from);
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    neighbours
}

/// By how much each box is moved, so that they stand beside each other.
pub(crate) fn pack(boxes: &[Rect]) -> Vec<Point> {
    let mut moves = vec![Point::default(); boxes.len()];
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|&a, &b| boxes[b].height().total_cmp(&boxes[a].height()));
    let area = |rect: &Rect| (rect.width() + GAP) * (rect.height() + GAP);
    let widest = boxes.iter().map(Rect::width).fold(0.0, f64::max);
    let wanted = (boxes.iter().map(area).sum::<f64>() * ASPECT).sqrt();
    let limit = wanted.max(widest);
    let (mut x, mut y, mut height) = (0.0, 0.0, 0.0_f64);
    for i in order {
        let rect = &boxes[i];
        if x > 0.0 && x + rect.width() > limit {
            y += height + GAP;
            (x, height) = (0.0, 0.0);
        }
        moves[i] = Point::new(x, y) - rect.min;
        x += rect.width() + GAP;
        height = height.max(rect.height());
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edge, Node, Shape};

    #[test]
    fn packed_boxes_do_not_overlap() {
        let sizes = [
            (10.0, 50.0),
            (90.0, 20.0),
            (30.0, 30.0),
            (5.0, 5.0),
            (5.0, 5.0),
        ];
        let boxes = sizes.map(|(w, h)| Rect::around(Point::new(7.0, 7.0), w, h));
        let moves = pack(&boxes);
        let moved: Vec<Rect> = boxes.iter().zip(moves).map(|(b, m)| b.moved(m)).collect();
        for (i, a) in moved.iter().enumerate() {
            assert!(moved[..i].iter().all(|b| !a.overlaps(b)));
        }
    }

    #[test]
    fn components_ignore_directions_and_loops() {
        let mut graph = Graph::new("");
        for _ in 0..5 {
            graph.add_node(Node::new(Shape::Circle, 10.0, 10.0));
        }
        graph.add_edge(Edge::new(4, 0));
        graph.add_edge(Edge::new(4, 2));
        graph.add_edge(Edge::new(1, 1));
        assert_eq!(components(&graph), [vec![0, 2, 4], vec![1], vec![3]]);
    }
}
