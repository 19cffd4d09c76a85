//! ω-automata for linear-time temporal logic.
pub mod automaton;
pub mod bdd;
pub mod dot;
pub mod hoa;
pub mod json;
pub mod names;
pub mod scc;
pub mod testing;
pub use automaton::{Automaton, Edge, Marks, StateId};
pub use testing::{TestingAutomaton, TestingEdge, TestingKind};
