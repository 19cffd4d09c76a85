//! Automata as text: HOA, DOT and JSON.

pub mod dot;
pub mod hoa;
pub mod json;
pub mod names;
