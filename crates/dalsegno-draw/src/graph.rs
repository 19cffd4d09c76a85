//! What is to be drawn.

use crate::geometry::{Point, Rect};
use crate::text;

/// The size of labels.
pub(crate) const FONT: f64 = 11.0;
/// The height of a line of text.
pub(crate) const LINE: f64 = 14.0;
/// Labels are shortened to so many characters.
const MOST_CHARACTERS: usize = 24;
/// The space between a node and a label beside it.
pub(crate) const LABEL_GAP: f64 = 3.0;

/// Nodes and edges.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Graph {
    /// What the picture shows, in a line.
    pub title: String,
    /// What it shows, for readers who do not see it.
    pub description: String,
    /// The class of the whole picture.
    pub class: String,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges.
    pub edges: Vec<Edge>,
}

/// How a node looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A circle; the width is its diameter.
    Circle,
    /// A filled box, such as a transition of a net.
    Bar,
    /// A box with round corners.
    Rounded,
    /// Nothing: where an arrow comes from nowhere.
    Hidden,
}

/// How a node is framed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Border {
    /// One line.
    #[default]
    Single,
    /// Two lines.
    Double,
    /// Two dashed lines.
    DashedDouble,
    /// Three dashed lines.
    DashedTriple,
}

impl Border {
    /// How many lines it has.
    #[must_use]
    pub fn lines(self) -> u8 {
        match self {
            Border::Single => 1,
            Border::Double | Border::DashedDouble => 2,
            Border::DashedTriple => 3,
        }
    }
}

/// Where the label of a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Label {
    /// In the middle of the node.
    #[default]
    Inside,
    /// Below it, or on another side where that is better.
    Beside,
}

/// A node.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// How it looks.
    pub shape: Shape,
    /// How it is framed.
    pub border: Border,
    /// Its width without a label beside it.
    pub width: f64,
    /// Its height without a label beside it.
    pub height: f64,
    /// Its name; a long one is shown shortened.
    pub label: String,
    /// Where the label is.
    pub label_place: Label,
    /// A text in the middle beside the label, of class `tokens`; it is written even when it is empty.
    pub tokens: Option<String>,
    /// What a pointer that rests on it is told; the label if it is empty.
    pub title: String,
    /// Where its middle has to be.
    pub fixed: Option<Point>,
    /// Its class.
    pub class: String,
    /// Names and values of `data-` attributes.
    pub data: Vec<(&'static str, String)>,
}

impl Node {
    /// A node of this shape and size.
    #[must_use]
    pub fn new(shape: Shape, width: f64, height: f64) -> Self {
        Node {
            shape,
            border: Border::Single,
            width,
            height,
            label: String::new(),
            label_place: Label::Inside,
            tokens: None,
            title: String::new(),
            fixed: None,
            class: "node".to_owned(),
            data: Vec::new(),
        }
    }

    /// The node with a label in its middle.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// The node with a label beside it.
    #[must_use]
    pub fn with_label_beside(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self.label_place = Label::Beside;
        self
    }

    /// The label as it is shown.
    #[must_use]
    pub fn shown_label(&self) -> String {
        text::shortened(&self.label, MOST_CHARACTERS)
    }

    /// The size of a label beside the node, if there is one.
    pub(crate) fn label_size(&self) -> Option<(f64, f64)> {
        let beside = self.label_place == Label::Beside && !self.label.is_empty();
        beside.then(|| (text::width(&self.shown_label(), FONT), LINE))
    }

    /// The box of the node without its label, around the origin.
    pub(crate) fn shape_box(&self) -> Rect {
        Rect::around(Point::default(), self.width, self.height)
    }

    /// The box of a label below the node, for a node at the origin.
    pub(crate) fn label_below(&self) -> Option<Rect> {
        let (width, height) = self.label_size()?;
        let y = self.height / 2.0 + LABEL_GAP + height / 2.0;
        Some(Rect::around(Point::new(0.0, y), width, height))
    }

    /// The box of the node with its label below it, around the origin.
    pub(crate) fn full_box(&self) -> Rect {
        let shape = self.shape_box();
        self.label_below()
            .map_or(shape, |label| shape.union(&label))
    }
}

/// How an edge ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Arrow {
    /// An arrow head.
    #[default]
    Normal,
    /// A small circle: an inhibitor arc.
    Inhibitor,
    /// Nothing, and a dashed line: a test arc.
    Test,
}

/// A line of the label of an edge.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line {
    /// The text.
    pub text: String,
    /// Numbers of acceptance sets, shown as coloured dots after the text.
    pub marks: Vec<u32>,
}

impl Line {
    /// The width in a picture.
    pub(crate) fn width(&self) -> f64 {
        let marks = self.marks.iter().map(|&m| mark_text(m));
        text::width(&self.text, FONT) + marks.map(|m| text::width(&m, FONT)).sum::<f64>()
    }
}

/// How a mark is written.
pub(crate) fn mark_text(mark: u32) -> String {
    let digits = mark.to_string();
    let digits = digits.chars().filter_map(|c| c.to_digit(10));
    let lowered = digits.filter_map(|d| char::from_u32('₀' as u32 + d));
    " ●".chars().chain(lowered).collect()
}

/// An edge.
#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    /// Where it starts: a position among the nodes.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// How it ends.
    pub arrow: Arrow,
    /// Its label, which gets space of its own.
    pub label: Vec<Line>,
    /// A short text beside its middle; empty for none.
    pub weight: String,
    /// Points that its line goes through, in order, if both ends have fixed positions.
    pub bends: Vec<Point>,
    /// What a pointer that rests on it is told; empty for nothing.
    pub title: String,
    /// Its class.
    pub class: String,
    /// Names and values of `data-` attributes.
    pub data: Vec<(&'static str, String)>,
}

impl Edge {
    /// An edge without a label.
    #[must_use]
    pub fn new(from: usize, to: usize) -> Self {
        Edge {
            from,
            to,
            arrow: Arrow::Normal,
            label: Vec::new(),
            weight: String::new(),
            bends: Vec::new(),
            title: String::new(),
            class: "edge".to_owned(),
            data: Vec::new(),
        }
    }

    /// The width and height of its label.
    pub(crate) fn label_size(&self) -> (f64, f64) {
        let width = self.label.iter().map(Line::width).fold(0.0, f64::max);
        (width, LINE * self.label.len() as f64)
    }
}

impl Graph {
    /// A graph without nodes.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Graph {
            title: title.into(),
            ..Graph::default()
        }
    }

    /// Adds a node and gives its position among the nodes.
    pub fn add_node(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Adds an edge.
    ///
    /// # Panics
    /// If there is no node at one of its ends.
    pub fn add_edge(&mut self, edge: Edge) {
        let n = self.nodes.len();
        assert!(edge.from < n && edge.to < n, "an edge joins nodes");
        self.edges.push(edge);
    }
}
