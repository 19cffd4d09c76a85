//! Temporal logic for dalsegno.
pub mod fragment;
pub mod implication;
pub mod nnf;
pub mod simplify;
pub mod store;
pub use fragment::Fragment;
pub use store::{FormulaId, FormulaStore, Node, PropId};
