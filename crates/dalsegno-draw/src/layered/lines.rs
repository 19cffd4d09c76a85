//! The lines of edges: straight across the layers that they pass, and curves between layers.
//!
//! A line leaves its layer level, and enters the next one level, so it stays in the space that its items have. Lines at
//! one side of a node have ports, in the order in which they come, so that arrow heads do not meet.

use super::coordinates::Placed;
use super::{Chain, Items, LABEL_SPACE, text_size};
use crate::geometry::{Curve, Path, Point, Rect};
use crate::graph::{Graph, Node, Shape};
use crate::layout::Layout;
use crate::routes::{head_room, loop_height, self_loop};

/// The largest distance between two ports.
const PORT_SPACE: f64 = 11.0;

/// Draws the chains.
pub(super) fn draw(
    graph: &Graph,
    items: &Items,
    chains: &[Chain],
    placed: &Placed,
    layout: &mut Layout,
) {
    let ports = Ports::new(graph, items, chains, placed);
    for (number, chain) in chains.iter().enumerate() {
        let edge = &graph.edges[chain.edge];
        let last = chain.items.len() - 1;
        let node = |item: usize| match items.all[item].kind {
            super::Kind::Node(node) => &graph.nodes[node],
            _ => unreachable!("chains start and end at nodes"),
        };
        let (first_room, last_room) = if chain.turned {
            (head_room(edge), 0.0)
        } else {
            (0.0, head_room(edge))
        };
        let (first_item, last_item) = (chain.items[0], chain.items[last]);
        let leave = placed.point(items, first_item);
        let offset = ports.first[number];
        let start = Point::new(
            leave.x + border(node(first_item), offset) + first_room,
            leave.y + offset,
        );
        let mut path = Path {
            start,
            curves: Vec::new(),
        };
        let mut at = start;
        let mut level = |path: &mut Path, to: Point| {
            if to.x - at.x > 0.05 {
                path.curves.push(Curve::Line(to));
            }
            at = to;
        };
        level(
            &mut path,
            Point::new(
                placed.layers[items.all[first_item].layer].1.max(start.x),
                start.y,
            ),
        );
        for pair in chain.items.windows(2) {
            let before = placed.layers[items.all[pair[0]].layer].1;
            let (into, beyond) = placed.layers[items.all[pair[1]].layer];
            let arriving = pair[1] == last_item;
            let y = placed.y[pair[1]] + if arriving { ports.last[number] } else { 0.0 };
            let from = path.end();
            let middle = f64::midpoint(before, into);
            path.curves.push(Curve::Cubic(
                Point::new(middle, from.y),
                Point::new(middle, y),
                Point::new(into, y),
            ));
            let to = if arriving {
                let x = placed.point(items, last_item).x;
                x - border(node(last_item), ports.last[number]) - last_room
            } else {
                beyond
            };
            if to - into > 0.05 {
                path.curves.push(Curve::Line(Point::new(to, y)));
            }
        }
        layout.edge_labels[chain.edge] = label_box(graph, items, chain, placed, &path);
        layout.paths[chain.edge] = if chain.turned { path.reversed() } else { path };
    }
}

/// Where the text of an edge is: on its line in the layer of its own, or beside the middle if it is a weight.
fn label_box(
    graph: &Graph,
    items: &Items,
    chain: &Chain,
    placed: &Placed,
    path: &Path,
) -> Option<Rect> {
    let (width, height) = text_size(graph, chain.edge);
    if width == 0.0 {
        return None;
    }
    let up = Point::new(0.0, -height / 2.0 - LABEL_SPACE);
    Some(match chain.label {
        Some(item) => Rect::around(placed.point(items, item) + up, width, height),
        None => Rect::around(path.middle().0 + up, width, height),
    })
}

/// Draws the loops, above their nodes.
pub(super) fn draw_loops(graph: &Graph, loops: &[usize], layout: &mut Layout) {
    let mut numbers = vec![0; graph.nodes.len()];
    let mut tops = vec![0.0_f64; graph.nodes.len()];
    for &k in loops {
        let node = graph.edges[k].from;
        let Node { width, height, .. } = graph.nodes[node];
        let at = layout.nodes[node];
        layout.paths[k] = self_loop(at, width, height, numbers[node]);
        let (text_width, text_height) = text_size(graph, k);
        tops[node] = tops[node].max(loop_height(numbers[node]));
        numbers[node] += 1;
        if text_width > 0.0 {
            let y = at.y - height / 2.0 - tops[node] - text_height / 2.0;
            let centre = Point::new(at.x, y);
            layout.edge_labels[k] = Some(Rect::around(centre, text_width, text_height));
            tops[node] += text_height;
        }
    }
}

/// How far the border of a node is from its middle, at a height.
fn border(node: &Node, offset: f64) -> f64 {
    match node.shape {
        Shape::Hidden => 0.0,
        Shape::Circle => {
            let radius = node.width / 2.0;
            (radius * radius - offset * offset).max(0.0).sqrt()
        }
        Shape::Bar | Shape::Rounded => node.width / 2.0,
    }
}

/// How far from the middle of its node each chain starts and ends.
struct Ports {
    first: Vec<f64>,
    last: Vec<f64>,
}

impl Ports {
    fn new(graph: &Graph, items: &Items, chains: &[Chain], placed: &Placed) -> Self {
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); items.all.len()];
        let mut arriving: Vec<Vec<usize>> = vec![Vec::new(); items.all.len()];
        for (c, chain) in chains.iter().enumerate() {
            leaving[chain.items[0]].push(c);
            arriving[chain.items[chain.items.len() - 1]].push(c);
        }
        let next = |c: usize| placed.y[chains[c].items[1]];
        let previous = |c: usize| placed.y[chains[c].items[chains[c].items.len() - 2]];
        Ports {
            first: spread(graph, items, &mut leaving, next, chains.len()),
            last: spread(graph, items, &mut arriving, previous, chains.len()),
        }
    }
}

/// Spreads the chains at one side of each node over its height, in the order of their neighbours.
fn spread(
    graph: &Graph,
    items: &Items,
    chains_at: &mut [Vec<usize>],
    key: impl Fn(usize) -> f64,
    count: usize,
) -> Vec<f64> {
    let mut offsets = vec![0.0; count];
    for (item, chains) in chains_at.iter_mut().enumerate() {
        let super::Kind::Node(node) = items.all[item].kind else {
            continue;
        };
        chains.sort_by(|&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
        let n = chains.len();
        let space = (graph.nodes[node].height * 0.72 / n.max(1) as f64).min(PORT_SPACE);
        for (i, &c) in chains.iter().enumerate() {
            offsets[c] = (i as f64 - (n.max(1) - 1) as f64 / 2.0) * space;
        }
    }
    offsets
}
