//! Automata that read letters, and passes over them.

pub(crate) mod automaton;
pub(crate) mod bisimulation;
pub(crate) mod body;
pub(crate) mod degeneralize;
pub(crate) mod edge;
pub mod lasso;
pub(crate) mod letter_simulation;
pub(crate) mod marks;
pub(crate) mod minimize;
pub(crate) mod product;
pub(crate) mod reduction;
pub mod scc;
pub(crate) mod scc_filter;
pub(crate) mod simulation;
pub(crate) mod state_id;
pub(crate) mod stuttering;
pub(crate) mod universal;
pub(crate) mod weak;
pub(crate) mod words;
