//! Symbolic model checking: sets of states as decision diagrams.
//!
//! [`order`] decides which variable of a model goes to which level of the diagrams; everything
//! else depends on it. [`encode`] makes sets and events of a model's states and groups, and
//! [`reach`] builds the reachable states and answers questions about them; [`race`] finds out which
//! order is worth it. [`ltl`] looks for runs that an automaton accepts.

pub mod ctl;
pub mod encode;
pub mod ltl;
pub mod merge;
pub mod order;
pub mod race;
pub mod reach;
mod successive_halving;

pub use dalsegno_mdd as mdd;
