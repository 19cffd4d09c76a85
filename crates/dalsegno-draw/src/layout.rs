//! Where everything is.

use std::fmt;

use crate::geometry::{Path, Point, Rect};
use crate::graph::Graph;

/// Larger graphs are not laid out: nobody could read the picture.
pub const MOST_NODES: usize = 3_000;

/// Graphs with more edges are not laid out.
pub const MOST_EDGES: usize = 20_000;

/// The space around the picture.
const MARGIN: f64 = 8.0;

/// Why there is no picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// There are too many nodes.
    TooLarge {
        /// How many there are.
        nodes: usize,
        /// How many there may be.
        limit: usize,
    },
    /// Edges lead over too many layers.
    TooTangled {
        /// How many parts they have between two layers.
        parts: usize,
        /// How many there may be.
        limit: usize,
    },
    /// There are too many edges.
    TooDense {
        /// How many there are.
        edges: usize,
        /// How many there may be.
        limit: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::TooLarge { nodes, limit } => {
                write!(
                    f,
                    "{nodes} nodes are too many for a picture: {limit} at most"
                )
            }
            Error::TooTangled { parts, limit } => {
                write!(
                    f,
                    "the edges cross {parts} layers, too many for a picture: {limit} at most"
                )
            }
            Error::TooDense { edges, limit } => {
                write!(
                    f,
                    "{edges} edges are too many for a picture: {limit} at most"
                )
            }
        }
    }
}

impl std::error::Error for Error {}

/// Where nodes, labels and edges of a graph are.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    /// The middle of each node.
    pub nodes: Vec<Point>,
    /// The box of the label beside each node that has one.
    pub labels: Vec<Option<Rect>>,
    /// The line of each edge.
    pub paths: Vec<Path>,
    /// The box of each edge's label or weight that is not empty.
    pub edge_labels: Vec<Option<Rect>>,
}

impl Layout {
    /// The box of a node without its label.
    #[must_use]
    pub fn node_box(&self, graph: &Graph, node: usize) -> Rect {
        graph.nodes[node].shape_box().moved(self.nodes[node])
    }

    /// The box of the whole picture, with some space around.
    #[must_use]
    pub fn bounds(&self, graph: &Graph) -> Rect {
        let nodes = (0..self.nodes.len()).map(|i| self.node_box(graph, i));
        let labels = self.labels.iter().chain(&self.edge_labels).flatten();
        let boxes = nodes.chain(labels.copied());
        let all = boxes.chain(self.paths.iter().map(Path::bounds));
        let all = all.reduce(|all, rect| all.union(&rect));
        let all = all.unwrap_or(Rect::around(Point::default(), 40.0, 40.0));
        all.grown(MARGIN)
    }
}

/// Whether a graph can be drawn.
pub(crate) fn check_size(graph: &Graph) -> Result<(), Error> {
    if graph.nodes.len() > MOST_NODES {
        let (nodes, limit) = (graph.nodes.len(), MOST_NODES);
        return Err(Error::TooLarge { nodes, limit });
    }
    if graph.edges.len() > MOST_EDGES {
        let (edges, limit) = (graph.edges.len(), MOST_EDGES);
        return Err(Error::TooDense { edges, limit });
    }
    Ok(())
}
