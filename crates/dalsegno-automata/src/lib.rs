//! ω-automata for linear-time temporal logic.
pub mod automaton;
pub mod bdd;
pub mod degeneralize;
pub mod member;
pub mod minimize;
pub mod product;
pub mod prune;
pub mod scc;
pub mod simulation;
pub mod tableau;
pub mod testing;
pub mod translate;
pub use automaton::{Automaton, Edge, Marks, StateId};
pub use testing::{TestingAutomaton, TestingEdge, TestingKind};
