//! Functions taken apart: a choice between products of smaller functions.
//!
//! An engine that tabulates what a group does pays for every combination of values of the variables that
//! the group reads or writes. Where guards and effects are independent of each other, their tables
//! are small, and the group is their product.

use crate::model::Group;

/// An [`Opaque`](crate::Opaque) action as a choice between products.
///
/// A product is a list of groups that take part together, each looking at the state before: it is
/// enabled where all of them are. No two of them write the same variable, each has at most one
/// successor, and none is ever undefined. In a state at most one product is enabled, and none
/// that is listed under `steps` where one is that is listed under `faults`.
#[derive(Clone, Debug, Default)]
pub struct Cases {
    /// Products that lead where the action does.
    pub steps: Vec<Vec<Group>>,
    /// Products without effects that are enabled where the action is undefined; here several may be.
    pub faults: Vec<Vec<Group>>,
}
