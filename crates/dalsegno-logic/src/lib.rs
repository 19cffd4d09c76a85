//! Temporal logic for dalsegno.
pub mod caret;
pub mod fragment;
pub mod implication;
pub mod nearest;
pub mod nnf;
pub mod parse;
pub mod print;
pub mod random;
pub mod simplify;
pub mod store;
pub use fragment::Fragment;
pub use parse::{parse, parse_lbt};
pub use store::{FormulaId, FormulaStore, Node, PropId};
