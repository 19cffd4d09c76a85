//! The explicit engine: packed states, exploration, on-the-fly products and emptiness checks.

pub mod branching;
pub mod breadth_first;
mod couvreur;
pub mod coverability;
pub mod emptiness;
pub mod explore;
mod fair;
mod fixpoints;
pub mod graph;
pub mod labels;
mod layout;
mod liveness;
pub mod nodes;
mod paged;
pub mod partial_graph;
pub mod product;
mod random;
mod search;
pub mod search_order;
pub mod size;
pub mod space;
pub mod states;
mod table;
pub mod three_valued;
pub mod view;
pub mod walk;
pub mod witness;
