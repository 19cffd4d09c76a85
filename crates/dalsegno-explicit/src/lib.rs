//! The explicit engine: packed states, exploration, on-the-fly products and emptiness checks.

pub mod coverability;
pub mod emptiness;
pub mod explore;
pub mod labels;
mod layout;
pub mod nodes;
pub mod order;
pub mod product;
pub mod size;
pub mod space;
pub mod sweep;
mod table;
pub mod witness;
