//! Automata that read letters, and passes over them.

pub mod automaton;
pub mod bisimulation;
pub mod degeneralize;
pub mod lasso;
pub(crate) mod letter_simulation;
pub mod marks;
pub mod minimize;
pub mod product;
pub mod prune;
pub mod scc;
pub mod simulation;
pub mod universal;
pub mod weak;
