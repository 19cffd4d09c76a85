//! Automata that read changes: TA and TGTA.

mod automaton;
pub mod eager;
pub mod lazy;
pub mod reductions;
pub mod translation;

pub use automaton::{TestingAutomaton, TestingEdge, TestingKind};
