//! A checker of proofs about Petri nets that is small enough to be read, and uses nothing but the standard library.
//!
//! A proof is a file. Its claim is that a property of LTL or CTL holds or fails of a net, or how many reachable
//! markings there are. This crate reads the net, the property and the file, and says whether the file proves the claim.
//! How a proof was found does not matter: no automaton, diagram package, reduction or solver is believed.
//!
//! What to read, in order: `net.rs` (nets and firing), `formula.rs` (formulas and atoms), `claim.rs` (what is claimed),
//! `tableau.rs` (the automaton of linear time), `certificate.rs` (the file), `rules.rs` (what a proof must satisfy),
//! `enumerate.rs` and `walk.rs` (two ways to check that it does), `linear.rs` (proofs by linear arithmetic).

pub mod certificate;
pub mod claim;
mod enumerate;
pub mod failure;
pub mod formula;

pub mod linear;
mod moves;
pub mod net;
pub mod program;
pub mod property;
pub mod rules;
pub mod tableau;
#[cfg(test)]
mod tests;
pub mod text;
pub mod verify;
mod walk;
mod xml;

pub use failure::{Failure, Result};
pub use verify::{Mode, Options, Proved, verify};
