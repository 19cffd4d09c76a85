//! Symbolic model checking: sets of states as decision diagrams.
//!
//! [`order`] decides which variable of a model goes to which level of the diagrams; everything
//! else depends on it.

pub mod order;
