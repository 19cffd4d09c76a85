//! Petri nets: place/transition nets with weights, inhibitor arcs and test arcs, and coloured nets.
//!
//! Bytes become a [`PetriNet`] ([`pnml::parse`]), the net a model ([`PetriNet::to_model`]); its
//! [`Symbols`] give meaning to propositions ([`proposition::parse`]) and to contest properties
//! ([`properties::parse`]).

pub mod coloured;
pub mod dot;
mod farkas;
pub mod gal;
pub mod generators;
mod graphics;
pub mod invariants;
mod net;
mod nupn;
pub mod pnml;
pub mod properties;
pub mod proposition;
pub mod reduce;
pub mod siphons;
pub mod state_equation;
pub mod structure;
mod sums;
mod symbols;
pub mod toggles;
pub mod unit_safety;

pub use graphics::{ArcRole, Graphics, Position};
pub use net::{Arcs, NetError, PetriNet, Place, PlaceId, Transition, TransitionId};
pub use nupn::{Nupn, NupnError, Unit};
pub use symbols::{NodeKind, SymbolError, Symbols};
