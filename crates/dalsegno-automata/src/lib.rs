//! ω-automata for linear-time temporal logic.
pub mod automaton;
pub mod bdd;
pub mod prune;
pub mod scc;
pub mod tableau;
pub mod testing;
pub use automaton::{Automaton, Edge, Marks, StateId};
pub use testing::{TestingAutomaton, TestingEdge, TestingKind};
