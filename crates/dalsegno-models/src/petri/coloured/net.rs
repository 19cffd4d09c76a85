//! Coloured nets as data.

use std::fmt;

use super::guard::Guard;
use super::multiset::{LeafId, Multiset};
use super::sort::{Partition, SortId, Sorts};
use crate::petri::graphics::Graphics;
use crate::petri::net::PlaceId;

/// A variable that stands for a colour.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColourVariable {
    /// The identifier, which terms use.
    pub id: String,
    /// The name for people; the identifier if there is none.
    pub name: String,
    /// The sort of its colours.
    pub sort: SortId,
    /// The first of its leaves; it has one per leaf of its sort.
    pub first_leaf: LeafId,
}

/// A place with a sort.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColouredPlace {
    /// The identifier, which properties use.
    pub id: String,
    /// The name for people; the identifier if there is none.
    pub name: String,
    /// The sort of its tokens.
    pub sort: SortId,
    /// The tokens in the beginning: a multiset without variables.
    pub initial: Multiset,
}

/// Places with the multisets on their arcs.
pub type ColouredArcs = Vec<(PlaceId, Multiset)>;

/// A transition with a guard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColouredTransition {
    /// The identifier, which properties use.
    pub id: String,
    /// The name for people; the identifier if there is none.
    pub name: String,
    /// The condition on a binding.
    pub guard: Guard,
    /// The variables that a binding gives colours to, as positions in [`ColouredNet::variables`];
    /// ascending. They are those of the guard and of the arcs.
    pub variables: Vec<usize>,
    /// What it takes.
    pub pre: ColouredArcs,
    /// What it puts.
    pub post: ColouredArcs,
    /// Colours that must be there strictly fewer times.
    pub inhibit: ColouredArcs,
    /// Colours that must be there, and stay.
    pub test: ColouredArcs,
}

/// A coloured net: a symmetric net of PNML.
///
/// Guards and terms are typed: a reader makes them only of matching sorts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColouredNet {
    /// The name.
    pub name: String,
    /// The sorts.
    pub sorts: Sorts,
    /// Divisions of sorts, whose classes terms may name.
    pub partitions: Vec<Partition>,
    /// The variables.
    pub variables: Vec<ColourVariable>,
    /// The places.
    pub places: Vec<ColouredPlace>,
    /// The transitions.
    pub transitions: Vec<ColouredTransition>,
    /// Where the file has placed the nodes, if it has.
    pub graphics: Option<Box<Graphics>>,
}

impl ColouredNet {
    /// How many leaves the variables have together: the length of a list of values.
    #[must_use]
    pub fn leaf_count(&self) -> usize {
        let last = self.variables.last();
        last.map_or(0, |v| {
            v.first_leaf.index() + self.sorts.leaves(v.sort).len()
        })
    }

    /// The sort of each leaf of the variables.
    #[must_use]
    pub fn leaf_sorts(&self) -> Vec<SortId> {
        let leaves = self
            .variables
            .iter()
            .flat_map(|v| self.sorts.leaves(v.sort));
        leaves.copied().collect()
    }

    /// The leaves of the variables of a transition, in the order of the variables.
    #[must_use]
    pub fn leaves_of(&self, t: &ColouredTransition) -> Vec<LeafId> {
        let leaves = |&v: &usize| {
            let variable = &self.variables[v];
            let first = variable.first_leaf.0;
            (first..first + self.sorts.leaves(variable.sort).len() as u32).map(LeafId)
        };
        t.variables.iter().flat_map(leaves).collect()
    }
}

impl fmt::Display for ColouredNet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (places, transitions) = (self.places.len(), self.transitions.len());
        let name = &self.name;
        write!(
            f,
            "{name}: {places} coloured places, {transitions} coloured transitions"
        )
    }
}
