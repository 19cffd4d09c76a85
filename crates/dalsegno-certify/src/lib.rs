//! The slow, obvious semantics of temporal logic, to check the fast ones against.
//!
//! Nothing here uses an automaton, a decision diagram or an engine: every operator is evaluated by
//! its definition, so that an answer that agrees with this crate has been found twice.

pub mod word;

pub use word::holds_on_word;
