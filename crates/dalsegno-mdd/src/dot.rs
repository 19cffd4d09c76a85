//! Drawings of diagrams for Graphviz.

use std::fmt::Write as _;
use std::io::{self, Write};

use rustc_hash::FxHashMap;

use crate::store::Node;
use crate::{Manager, Set};

impl Manager {
    /// Writes a set as a graph in the DOT language, one rank per level.
    ///
    /// Nodes are numbered from the root, level by level, so equal sets have equal drawings whatever
    /// was done before. Edges from one node to another are drawn as one, with their values as ranges.
    ///
    /// # Errors
    /// Those of the writer, and of kind [`Other`](io::ErrorKind::Other) a [`Stop`](crate::Stop), if
    /// memory runs out or the interrupt says so.
    pub fn write_dot(
        &mut self,
        set: &Set,
        mut name: impl FnMut(u32) -> String,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let root = self.node(set);
        let levels = self.levels_of(root).map_err(io::Error::other)?;
        let id = |node: Node| match node {
            Node::EMPTY => "empty".to_owned(),
            Node::ONE => "one".to_owned(),
            _ => format!("n{}", levels.place(node)),
        };
        writeln!(out, "digraph set {{")?;
        writeln!(out, "  node [shape=circle, label=\"\"];")?;
        if root == Node::EMPTY {
            writeln!(out, "  empty [shape=box, label=\"0\"];")?;
            return writeln!(out, "}}");
        }
        writeln!(out, "  one [shape=box, label=\"1\"];")?;
        for level in 0..self.levels {
            let label = escaped(&name(level));
            writeln!(out, "  l{level} [shape=plaintext, label=\"{label}\"];")?;
            let nodes: Vec<String> = levels.at(level).iter().map(|&node| id(node)).collect();
            writeln!(out, "  {{ rank=same; l{level}; {}; }}", nodes.join("; "))?;
            if level > 0 {
                writeln!(out, "  l{} -> l{level} [style=invis];", level - 1)?;
            }
            for &node in levels.at(level) {
                for (child, values) in self.bundles(node) {
                    writeln!(out, "  {} -> {} [label=\"{values}\"];", id(node), id(child))?;
                }
            }
        }
        writeln!(out, "}}")
    }

    /// The children of a node, by the first value that leads there, with all values that do.
    fn bundles(&self, node: Node) -> Vec<(Node, String)> {
        let mut bundles: Vec<(Node, Vec<(u32, u32)>)> = Vec::new();
        let mut places = FxHashMap::default();
        for (value, child) in self.store.row(node) {
            let at = *places.entry(child).or_insert_with(|| {
                bundles.push((child, Vec::new()));
                bundles.len() - 1
            });
            let ranges = &mut bundles[at].1;
            match ranges.last_mut() {
                Some(range) if range.1 + 1 == value => range.1 = value,
                _ => ranges.push((value, value)),
            }
        }
        let text = |ranges: Vec<(u32, u32)>| {
            let mut text = String::new();
            for (i, (from, to)) in ranges.into_iter().enumerate() {
                let comma = if i > 0 { ", " } else { "" };
                // Writing to a string does not fail.
                let _ = if from == to {
                    write!(text, "{comma}{from}")
                } else {
                    write!(text, "{comma}{from}..{to}")
                };
            }
            text
        };
        let bundles = bundles.into_iter();
        bundles.map(|(node, list)| (node, text(list))).collect()
    }
}

/// A text between quotation marks.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}
