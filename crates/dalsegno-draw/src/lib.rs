//! Pictures of graphs: positions for nodes, curves for edges, and SVG.
//!
//! A [`Graph`] has nodes with shapes, labels and maybe positions, and edges with labels and arrow heads. A layout
//! gives a [`Layout`]: [`stress()`] for nets, where distance should mean distance in the graph, and [`layered()`] for
//! automata and what else has a direction. [`svg()`] writes the picture.
//!
//! Nothing here reads a file or a clock. The same graph gives the same text on every machine: only operations that
//! IEEE 754 defines to the last bit are used (`+ - * /` and square roots), and coordinates are written with one
//! decimal.
//!
//! ```
//! use dalsegno_draw::{Edge, Graph, Node, Shape, layered, svg};
//!
//! let mut graph = Graph::new("a picture");
//! let a = graph.add_node(Node::new(Shape::Circle, 36.0, 36.0).with_label("a"));
//! let b = graph.add_node(Node::new(Shape::Circle, 36.0, 36.0).with_label("b"));
//! graph.add_edge(Edge::new(a, b));
//! let layout = layered(&graph)?;
//! assert!(layout.nodes[a].x < layout.nodes[b].x);
//! assert!(svg(&graph, &layout).starts_with("<svg "));
//! # Ok::<(), dalsegno_draw::Error>(())
//! ```
#![forbid(unsafe_code)]
#![expect(
    clippy::cast_precision_loss,
    reason = "counts are far below 2^52: graphs have a few thousand nodes"
)]

mod components;
mod geometry;
mod graph;
mod labels;
mod layered;
mod layout;
mod majorisation;
mod overlap;
mod placed;
mod routes;
mod spread;
mod stress;
mod svg;
mod text;

pub use geometry::{Curve, Path, Point, Rect};
pub use graph::{Arrow, Border, Edge, Graph, Label, Line, Node, Shape};
pub use layered::layered;
pub use layout::{Error, Layout, MOST_EDGES, MOST_NODES};
pub use placed::placed;
pub use stress::stress;
pub use svg::svg;
pub use text::{shortened, width as text_width};
