//! Temporal logic for dalsegno: formulas of LTL, CTL and CTL* in one type.
//!
//! A [`FormulaStore`] owns hash-consed formulas; [`parse()`] and [`parse_lbt`] read them, the store's
//! `display` methods ([`mod@print`]) write them. [`fragment`] tells what a formula is by its syntax,
//! [`mod@nnf`] and [`simplify`] make it easier to translate, [`observe`] finds what of it a checker has to
//! look at, and [`random`] makes more of them.
//!
//! ```
//! use dalsegno_logic::{FormulaStore, Fragment, parse, simplify::Simplifier};
//!
//! let mut store = FormulaStore::new();
//! let f = parse(&mut store, "[](request -> <> grant) && true").unwrap();
//! assert!(store.is(f, Fragment::RECURRENCE));
//! let g = Simplifier::new().simplify_negation(&mut store, f);
//! assert_eq!(store.display(g).to_string(), "F(request & G!grant)");
//! ```

pub mod caret;
pub mod families;
pub mod fragment;
pub mod implication;
pub mod nearest;
pub mod nnf;
pub mod observe;
pub mod parse;
pub mod print;
pub mod random;
pub mod simplify;
pub mod store;

pub use fragment::Fragment;
pub use parse::{Names, parse, parse_lbt, parse_with};
pub use store::{FormulaId, FormulaStore, Node, PropId};
