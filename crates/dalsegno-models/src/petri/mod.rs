//! Petri nets: place/transition nets with weights, inhibitor arcs and test arcs.

pub mod invariants;
mod net;
mod nupn;
pub mod pnml;

pub use net::{Arcs, NetError, PetriNet, Place, PlaceId, Transition, TransitionId};
pub use nupn::{Nupn, NupnError, Unit};
