//! Layered layout (Sugiyama, Tagawa, Toda 1981) from left to right, for automata and for nets that flow.
//!
//! 1. [`cycles`]: edges that close a cycle are turned around for the layout.
//! 2. [`layers`]: each node gets a layer, so that edges lead to later layers and are short.
//! 3. An edge over several layers becomes a chain of items, one per layer; the middle one carries its label. So
//!    labels have space of their own.
//! 4. [`order`]: the order in each layer, with few crossings.
//! 5. [`coordinates`]: positions that keep the order.
//! 6. [`lines`]: curves between layers, straight lines across them. No line runs through a node or a label.
//!
//! Loops stand above their nodes. Components are laid out alone and packed side by side.

mod coordinates;
mod cycles;
mod layers;
mod lines;
mod order;

use crate::components::{components, pack};
use crate::geometry::{Path, Point, Rect};
use crate::graph::{FONT, Graph, LINE};
use crate::layout::{Error, Layout, check_size};
use crate::routes::loop_height;
use crate::text;

/// More items, nodes and parts of long edges, are not laid out.
const MOST_ITEMS: usize = 60_000;
/// The space between a line and the label on it.
const LABEL_SPACE: f64 = 3.0;

/// What takes space in a layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A node of the graph.
    Node(usize),
    /// A part of a long edge.
    Line,
    /// A part of a long edge with its label.
    Label,
}

/// A node or a part of an edge. Its extents count from the point that lines lead to.
#[derive(Clone, Copy, Debug)]
struct Item {
    kind: Kind,
    layer: usize,
    /// To either side along the edges.
    along: f64,
    up: f64,
    down: f64,
}

/// Items in layers, and how they are joined.
struct Items {
    all: Vec<Item>,
    /// The items of each layer, in order from above.
    rows: Vec<Vec<usize>>,
    /// For each item, those joined to it in the layer before and in the layer after.
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
}

/// An edge as a chain of items, in the direction of the layers.
struct Chain {
    edge: usize,
    turned: bool,
    items: Vec<usize>,
    /// The item that has the label.
    label: Option<usize>,
}

/// Lays out a graph in layers from left to right. Fixed positions are not looked at.
///
/// # Errors
/// If the graph is too large.
pub fn layered(graph: &Graph) -> Result<Layout, Error> {
    check_size(graph)?;
    let mut layout = Layout {
        nodes: vec![Point::default(); graph.nodes.len()],
        labels: vec![None; graph.nodes.len()],
        paths: vec![Path::straight(Point::default(), Point::default()); graph.edges.len()],
        edge_labels: vec![None; graph.edges.len()],
    };
    let parts = components(graph);
    let mut part_of = vec![0; graph.nodes.len()];
    for (p, part) in parts.iter().enumerate() {
        for &i in part {
            part_of[i] = p;
        }
    }
    let mut edges: Vec<Vec<usize>> = vec![Vec::new(); parts.len()];
    for (k, edge) in graph.edges.iter().enumerate() {
        edges[part_of[edge.from]].push(k);
    }
    let mut boxes = Vec::with_capacity(parts.len());
    for (part, edges) in parts.iter().zip(&edges) {
        boxes.push(lay_out(graph, part, edges, &mut layout)?);
    }
    let moves = pack(&boxes);
    for ((part, edges), by) in parts.iter().zip(&edges).zip(moves) {
        for &i in part {
            layout.nodes[i] = layout.nodes[i] + by;
            layout.labels[i] = layout.labels[i].map(|rect| rect.moved(by));
        }
        for &k in edges {
            layout.paths[k] = layout.paths[k].moved(by);
            layout.edge_labels[k] = layout.edge_labels[k].map(|rect| rect.moved(by));
        }
    }
    Ok(layout)
}

/// Lays out a component and gives its box.
fn lay_out(
    graph: &Graph,
    part: &[usize],
    edges: &[usize],
    layout: &mut Layout,
) -> Result<Rect, Error> {
    let number = |node: usize| part.binary_search(&node).unwrap_or_default();
    let (loops, joining): (Vec<usize>, Vec<usize>) = edges
        .iter()
        .partition(|&&k| graph.edges[k].from == graph.edges[k].to);
    let ends: Vec<(usize, usize)> = joining
        .iter()
        .map(|&k| (number(graph.edges[k].from), number(graph.edges[k].to)))
        .collect();
    let lengths: Vec<usize> = joining
        .iter()
        .map(|&k| 1 + usize::from(!graph.edges[k].label.is_empty()))
        .collect();
    let by_depth = cycles::turned_by_depth(part.len(), &ends);
    let by_breadth = cycles::turned_by_breadth(part.len(), &ends);
    let by_depth = Layering::new(part.len(), &ends, &lengths, by_depth);
    let by_breadth = Layering::new(part.len(), &ends, &lengths, by_breadth);
    let Layering {
        turned,
        spans,
        layer,
        total,
    } = if by_breadth.cost() < by_depth.cost() {
        by_breadth
    } else {
        by_depth
    };
    if total > MOST_ITEMS {
        return Err(Error::TooTangled {
            parts: total,
            limit: MOST_ITEMS,
        });
    }
    let mut items = Items {
        all: Vec::new(),
        rows: Vec::new(),
        before: Vec::new(),
        after: Vec::new(),
    };
    for (k, &node) in part.iter().enumerate() {
        items.add(node_item(graph, node, layer[k], &loops));
    }
    let chains: Vec<Chain> = joining
        .iter()
        .zip(spans.iter().zip(&turned))
        .map(|(&k, (span, &turned))| items.chain(graph, k, span, turned, &layer))
        .collect();
    order::reduce_crossings(&mut items);
    let placed = coordinates::place(&items, &chains);
    lines::draw(graph, &items, &chains, &placed, layout);
    for (k, &node) in part.iter().enumerate() {
        let at = placed.point(&items, k);
        layout.nodes[node] = at;
        layout.labels[node] = graph.nodes[node].label_below().map(|rect| rect.moved(at));
    }
    lines::draw_loops(graph, &loops, layout);
    Ok(bounds(graph, part, edges, layout))
}

/// Layers for nodes, once some edges are turned.
struct Layering {
    turned: Vec<bool>,
    spans: Vec<layers::Span>,
    layer: Vec<usize>,
    /// The lengths of all edges together.
    total: usize,
}

impl Layering {
    fn new(n: usize, ends: &[(usize, usize)], lengths: &[usize], turned: Vec<bool>) -> Self {
        let spans: Vec<layers::Span> = ends
            .iter()
            .zip(lengths.iter().zip(&turned))
            .map(|(&(a, b), (&length, &turned))| layers::Span {
                from: if turned { b } else { a },
                to: if turned { a } else { b },
                length,
            })
            .collect();
        let layer = layers::assign(n, &spans);
        let total = spans.iter().map(|s| layer[s.to] - layer[s.from]).sum();
        Layering {
            turned,
            spans,
            layer,
            total,
        }
    }

    /// The lower, the better: short edges and few layers.
    fn cost(&self) -> usize {
        self.total * self.layer.iter().max().map_or(1, |most| most + 1)
    }
}

fn bounds(graph: &Graph, part: &[usize], edges: &[usize], layout: &Layout) -> Rect {
    let nodes = part.iter().map(|&i| layout.node_box(graph, i));
    let labels = part.iter().filter_map(|&i| layout.labels[i]);
    let paths = edges.iter().map(|&k| layout.paths[k].bounds());
    let texts = edges.iter().filter_map(|&k| layout.edge_labels[k]);
    let all = nodes.chain(labels).chain(paths).chain(texts);
    all.reduce(|all, rect| all.union(&rect))
        .unwrap_or(Rect::around(Point::default(), 0.0, 0.0))
}

/// The size of an edge's label or weight.
fn text_size(graph: &Graph, edge: usize) -> (f64, f64) {
    let edge = &graph.edges[edge];
    if edge.label.is_empty() && !edge.weight.is_empty() {
        return (text::width(&edge.weight, FONT), LINE);
    }
    edge.label_size()
}

/// The space of a node with its label and its loops.
fn node_item(graph: &Graph, node: usize, layer: usize, loops: &[usize]) -> Item {
    let full = graph.nodes[node].full_box();
    let mut along = full.max.x.max(-full.min.x);
    let mut up = -full.min.y;
    let mut top = 0.0_f64;
    let own = loops.iter().filter(|&&k| graph.edges[k].from == node);
    for (i, &k) in own.enumerate() {
        let (width, height) = text_size(graph, k);
        along = along.max(width / 2.0);
        top = top.max(loop_height(i)) + height;
    }
    up += top + if top > 0.0 { LABEL_SPACE } else { 0.0 };
    Item {
        kind: Kind::Node(node),
        layer,
        along,
        up,
        down: full.max.y,
    }
}

impl Items {
    fn add(&mut self, item: Item) -> usize {
        let id = self.all.len();
        while self.rows.len() <= item.layer {
            self.rows.push(Vec::new());
        }
        self.rows[item.layer].push(id);
        self.all.push(item);
        self.before.push(Vec::new());
        self.after.push(Vec::new());
        id
    }

    fn join(&mut self, a: usize, b: usize) {
        self.after[a].push(b);
        self.before[b].push(a);
    }

    /// Adds an edge: an item in each layer between its ends.
    fn chain(
        &mut self,
        graph: &Graph,
        edge: usize,
        span: &layers::Span,
        turned: bool,
        layer: &[usize],
    ) -> Chain {
        let (first, last) = (layer[span.from], layer[span.to]);
        let labelled = !graph.edges[edge].label.is_empty();
        let middle = usize::midpoint(first, last);
        let mut items = vec![span.from];
        let mut label = None;
        for layer in first + 1..last {
            let item = if labelled && layer == middle {
                let (width, height) = text_size(graph, edge);
                Item {
                    kind: Kind::Label,
                    layer,
                    along: width / 2.0,
                    up: height + LABEL_SPACE,
                    down: LABEL_SPACE,
                }
            } else {
                Item {
                    kind: Kind::Line,
                    layer,
                    along: 0.0,
                    up: 1.0,
                    down: 1.0,
                }
            };
            let id = self.add(item);
            if item.kind == Kind::Label {
                label = Some(id);
            }
            items.push(id);
        }
        items.push(span.to);
        for pair in items.windows(2) {
            self.join(pair[0], pair[1]);
        }
        Chain {
            edge,
            turned,
            items,
            label,
        }
    }
}
