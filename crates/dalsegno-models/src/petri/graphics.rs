//! Where a file has placed the nodes of a net: kept beside the net for pictures and for writing it again.
//!
//! Engines never look at it: a net has one pointer to it, and no pointer if its file has no positions.

use std::collections::BTreeMap;
use std::fmt;

use super::net::{PlaceId, TransitionId};

/// Coordinates beyond this are no part of a picture.
const LARGEST: f64 = 1e6;

/// A point, in hundredths of a pixel, so that it is written as it was read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// To the right.
    x: i32,
    /// Downwards.
    y: i32,
}

impl Position {
    /// The point with these coordinates in pixels. None if one is not a number, or its size is above a million.
    #[must_use]
    pub fn new(x: f64, y: f64) -> Option<Self> {
        let hundredths =
            |value: f64| (value.abs() <= LARGEST).then(|| (value * 100.0).round() as i32);
        Some(Position {
            x: hundredths(x)?,
            y: hundredths(y)?,
        })
    }

    /// To the right, in pixels.
    #[must_use]
    pub fn x(self) -> f64 {
        f64::from(self.x) / 100.0
    }

    /// Downwards, in pixels.
    #[must_use]
    pub fn y(self) -> f64 {
        f64::from(self.y) / 100.0
    }
}

/// As attributes of an element `<position>`.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x=\"{}\" y=\"{}\"", self.x(), self.y())
    }
}

/// What an arc does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ArcRole {
    /// It takes tokens from the place.
    Take,
    /// It puts tokens into the place.
    Put,
    /// It asks for tokens.
    Test,
    /// It asks for few tokens.
    Inhibit,
}

/// Positions of nodes, and points that arcs go through.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graphics {
    places: BTreeMap<PlaceId, Position>,
    transitions: BTreeMap<TransitionId, Position>,
    bends: BTreeMap<(TransitionId, PlaceId, ArcRole), Vec<Position>>,
}

impl Graphics {
    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.transitions.is_empty() && self.bends.is_empty()
    }

    /// The middle of a place.
    #[must_use]
    pub fn place(&self, place: PlaceId) -> Option<Position> {
        self.places.get(&place).copied()
    }

    /// The middle of a transition.
    #[must_use]
    pub fn transition(&self, transition: TransitionId) -> Option<Position> {
        self.transitions.get(&transition).copied()
    }

    /// The points that an arc goes through, in its direction.
    #[must_use]
    pub fn bends(&self, transition: TransitionId, place: PlaceId, role: ArcRole) -> &[Position] {
        let found = self.bends.get(&(transition, place, role));
        found.map_or(&[], Vec::as_slice)
    }

    /// Sets the middle of a place.
    pub fn set_place(&mut self, place: PlaceId, at: Position) {
        self.places.insert(place, at);
    }

    /// Sets the middle of a transition.
    pub fn set_transition(&mut self, transition: TransitionId, at: Position) {
        self.transitions.insert(transition, at);
    }

    /// Sets the points that an arc goes through. Of parallel arcs the first one counts.
    pub fn set_bends(
        &mut self,
        transition: TransitionId,
        place: PlaceId,
        role: ArcRole,
        points: Vec<Position>,
    ) {
        if !points.is_empty() {
            let entry = self.bends.entry((transition, place, role));
            entry.or_insert(points);
        }
    }

    /// Whether every node belongs to a net of this size.
    pub(crate) fn fits(&self, places: usize, transitions: usize) -> bool {
        let place = |p: &PlaceId| p.index() < places;
        let transition = |t: &TransitionId| t.index() < transitions;
        self.places.keys().all(place)
            && self.transitions.keys().all(transition)
            && self.bends.keys().all(|(t, p, _)| transition(t) && place(p))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_place_in_a_picture_is_refused() {
        for wrong in [f64::NAN, f64::INFINITY, 1e308, -1.1e6] {
            assert_eq!(Position::new(wrong, 0.0), None);
            assert_eq!(Position::new(0.0, wrong), None);
        }
        let at = Position::new(-12.345, 1e6).unwrap();
        assert_eq!(at.to_string(), "x=\"-12.35\" y=\"1000000\"");
    }
}
