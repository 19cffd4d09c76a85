//! Elements that are understood only when the whole file is known: declarations and terms.
//!
//! All trees of a file share one arena. A tree is a range of nodes in document order, so a node comes
//! before the nodes inside of it, and a walk from the end to the start meets operands first. Nothing
//! recurses.

use std::ops::Range;

use super::error::{ErrorKind, Located};
use crate::xml::{Cursor, Element, Step};

type Result<T> = std::result::Result<T, Located>;

/// A tree: the positions of its nodes, the root first.
pub(super) type Tree = Range<usize>;

pub(super) struct Node<'a> {
    pub(super) element: Element<'a>,
    /// The nodes directly inside.
    pub(super) children: Vec<usize>,
}

#[derive(Default)]
pub(super) struct Trees<'a> {
    pub(super) nodes: Vec<Node<'a>>,
}

impl<'a> Trees<'a> {
    /// Reads the element opened last. `<subterm>` only says that its one element is an operand.
    pub(super) fn read(&mut self, cursor: &mut Cursor<'a>, element: Element<'a>) -> Result<Tree> {
        let root = self.nodes.len();
        // The open elements: their nodes, or how many elements a `<subterm>` has had.
        let mut open: Vec<(Element<'a>, Option<usize>)> = vec![(element, Some(root))];
        self.push(element);
        let mut operands: Vec<usize> = Vec::new();
        while let Some((innermost, node)) = open.pop() {
            match cursor.step()? {
                Step::Open(child) => {
                    open.push((innermost, node));
                    if child.name == "subterm" {
                        operands.push(0);
                        open.push((child, None));
                        continue;
                    }
                    if node.is_none()
                        && let Some(count) = operands.last_mut()
                    {
                        *count += 1;
                    }
                    let around = open.iter().rev().find_map(|(_, node)| *node);
                    let next = self.nodes.len();
                    if let Some(around) = around {
                        self.nodes[around].children.push(next);
                    }
                    self.push(child);
                    open.push((child, Some(next)));
                }
                Step::Close | Step::End => {
                    if node.is_none() {
                        let found = operands.pop().unwrap_or(0);
                        if found != 1 {
                            let kind = ErrorKind::Operands {
                                element: "subterm".to_owned(),
                                expected: "one term",
                                found,
                            };
                            return Err(Located::new(innermost.offset, kind));
                        }
                    }
                }
            }
        }
        Ok(root..self.nodes.len())
    }

    fn push(&mut self, element: Element<'a>) {
        self.nodes.push(Node {
            element,
            children: Vec::new(),
        });
    }

    /// Reads a label, opened last, with a `<structure>`: `None` if it is empty, or a text alone and that
    /// is no fault.
    pub(super) fn label(
        &mut self,
        cursor: &mut Cursor<'a>,
        name: &'static str,
        strict: bool,
    ) -> Result<Option<Tree>> {
        let offset = cursor.offset();
        let (mut tree, mut text) = (None, false);
        while let Step::Open(child) = cursor.step()? {
            match child.name {
                "structure" => {
                    while let Step::Open(root) = cursor.step()? {
                        if tree.is_some() {
                            let kind = ErrorKind::Operands {
                                element: "structure".to_owned(),
                                expected: "one element",
                                found: 2,
                            };
                            return Err(Located::new(root.offset, kind));
                        }
                        tree = Some(self.read(cursor, root)?);
                    }
                }
                "text" => text |= !cursor.text()?.trim().is_empty(),
                _ => cursor.skip()?,
            }
        }
        if tree.is_none() && text && strict {
            return Err(Located::new(offset, ErrorKind::NoStructure(name)));
        }
        Ok(tree)
    }
}
