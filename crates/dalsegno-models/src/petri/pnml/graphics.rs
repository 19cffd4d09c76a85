//! Positions of `<graphics>`.
//!
//! A picture is no part of what a net means: a position that lacks a coordinate, or whose coordinates are no numbers or
//! huge, is ignored.

use super::error::Located;
use crate::petri::graphics::Position;
use crate::xml::{Cursor, Element, Step};

/// About the bytes that a position takes in its table.
pub(super) const BYTES: usize = 40;

/// More points of one arc are left out.
const MOST_POINTS: usize = 1_000;

/// The first position of an element, opened last.
pub(super) fn node(cursor: &mut Cursor<'_>) -> Result<Option<Position>, Located> {
    Ok(points(cursor)?.first().copied())
}

/// All positions of an element, opened last.
pub(super) fn points(cursor: &mut Cursor<'_>) -> Result<Vec<Position>, Located> {
    let mut found = Vec::new();
    while let Step::Open(child) = cursor.step()? {
        if child.name == "position" && found.len() < MOST_POINTS {
            found.extend(position(child)?);
        }
        cursor.skip()?;
    }
    Ok(found)
}

fn position(element: Element<'_>) -> Result<Option<Position>, Located> {
    let x = element.attribute("x")?;
    let y = element.attribute("y")?;
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let read = || Position::new(number(x.as_deref()?)?, number(y.as_deref()?)?);
    Ok(read())
}
