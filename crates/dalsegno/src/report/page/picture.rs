//! Drawings of the net in a report: all of it, or what a property observes and its paths touch with what is around.

use std::collections::BTreeSet;

use dalsegno_kripke::{GroupId, VarId};
use dalsegno_models::petri::{PetriNet, PlaceId, TransitionId};
use serde_json::{Value as Json, json};

use crate::picture::{NetPicture, Slice, around, net};

/// Nets with more nodes are not drawn as a whole.
const MOST_NODES: usize = 500;

/// Nodes of a part of a net, if what is touched does not need more.
const SLICE: usize = 160;

/// Nodes that the property observes and its paths touch, at most; the first ones count.
const MOST_TOUCHED: usize = 400;

/// What a property observes and its paths touch, in the order in which they do.
#[derive(Clone, Debug, Default)]
pub(super) struct Touched {
    places: BTreeSet<PlaceId>,
    transitions: BTreeSet<TransitionId>,
}

impl Touched {
    fn is_full(&self) -> bool {
        self.places.len() + self.transitions.len() >= MOST_TOUCHED
    }

    /// A variable is observed or changed.
    pub(super) fn variable(&mut self, v: VarId) {
        if !self.is_full() {
            self.places.insert(PlaceId(v.0));
        }
    }

    /// A group is fired.
    pub(super) fn group(&mut self, g: GroupId) {
        if !self.is_full() {
            self.transitions.insert(TransitionId(g.0));
        }
    }
}

/// The drawings of a report.
#[derive(Clone, Debug, Default)]
pub(super) struct Pictures {
    drawn: Vec<(Slice, Json)>,
}

impl Pictures {
    /// The number of the drawing for paths that touch this; none if it cannot be drawn. Numbers of places and transitions are those
    /// of variables and groups.
    pub(super) fn of(&mut self, of: &PetriNet, touched: Touched) -> Option<usize> {
        let nodes = of.places().len() + of.transitions().len();
        let slice = if nodes <= MOST_NODES {
            Slice::whole(of)
        } else {
            around(of, touched.places, touched.transitions, SLICE)
        };
        if slice.is_empty() {
            return None;
        }
        if let Some(known) = self.drawn.iter().position(|(other, _)| *other == slice) {
            return Some(known);
        }
        let wanted = NetPicture {
            slice: Some(slice.clone()),
            ..NetPicture::default()
        };
        let picture = net(of, &wanted).ok()?;
        let left_out = nodes - slice.len();
        let picture = json!({
            "svg": picture.svg,
            "width": picture.width,
            "height": picture.height,
            "left_out": left_out,
        });
        self.drawn.push((slice, picture));
        Some(self.drawn.len() - 1)
    }

    pub(super) fn to_json(&self) -> Vec<&Json> {
        self.drawn.iter().map(|(_, picture)| picture).collect()
    }
}
