//! The slow, obvious semantics of temporal logic, to check the fast ones against.
//!
//! Nothing here uses an automaton, a decision diagram or an engine: formulas are evaluated by their
//! definition, and runs are replayed step by step.

mod atoms;
pub mod branching;
pub mod explanation;
mod fairness;
pub mod graph;
pub mod prefix;
pub mod replay;
pub mod word;

pub use atoms::Atoms;
pub use fairness::treated_unfairly;
pub use graph::Graph;
pub use prefix::value_on_prefix;
pub use replay::{refute, refute_prefix, replay};
pub use word::holds_on_word;
