//! Bounds of places.

use super::net::PetriNet;

/// Bounds.
#[must_use]
pub fn bounds(net: &PetriNet) -> Vec<Option<u32>> {
    vec![None; net.places().len()]
}
