//! The explicit engine: packed states, exploration, on-the-fly products and emptiness checks.

pub mod branching;
pub mod coverability;
pub mod emptiness;
pub mod explore;
mod fair;
mod fixpoints;
pub mod graph;
pub mod growth;
pub mod labels;
mod layout;
pub mod nodes;
pub mod order;
pub mod partial;
pub mod product;
mod random;
mod search;
pub mod size;
pub mod space;
pub mod states;
pub mod sweep;
mod table;
pub mod walk;
pub mod witness;
