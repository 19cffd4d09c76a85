//! Automata that read changes: TA and TGTA.

pub(crate) mod automaton;
pub(crate) mod direct;
pub(crate) mod eager;
pub(crate) mod lazy;
pub(crate) mod masks;
pub(crate) mod reductions;
pub(crate) mod translation;
