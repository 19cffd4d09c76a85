//! ω-automata for linear-time temporal logic.
//!
//! Four kinds of automata in two types: an [`Automaton`] observes letters (TGBA, and BA as the special
//! case of one acceptance set on states), a [`TestingAutomaton`] observes changes (TA and TGTA). A
//! [`translate::Translator`] makes all of them from LTL formulas; an [`observer::Observer`] is what
//! products use, whatever the kind.
//!
//! ```
//! use dalsegno_automata::{bdd::Bdd, translate::Translator};
//! use dalsegno_kripke::Budget;
//! use dalsegno_logic::{FormulaStore, parse, simplify::Simplifier};
//!
//! let mut store = FormulaStore::new();
//! let f = parse(&mut store, "G(req -> F ack)").unwrap();
//! let propositions = store.propositions(f);
//! let mut translator = Translator {
//!     store: &mut store,
//!     simplifier: &mut Simplifier::new(),
//!     propositions: &propositions,
//!     alphabet: &|_| Ok(Bdd::TRUE),
//!     budget: &Budget::unlimited(),
//! };
//! let tgba = translator.tgba(f).unwrap();
//! assert_eq!((tgba.len(), tgba.edge_count()), (2, 4));
//! ```
//!
//! The stages, in the order in which a formula passes them: [`tableau`], [`prune`], [`minimize`], [`bisimulation`],
//! [`simulation`], [`recurrence`], [`eventual_union`], [`suspend`] and [`product`] (alternatives), [`degeneralize`]; then for testing
//! automata [`stutter`], [`lazy_testing`], [`eager_testing`], [`reduce`]. Passes have an [`effort`]: one that runs out
//! leaves the automaton as it is.

pub mod bdd;
pub mod effort;
mod io;
mod ltl;
pub mod membership;
pub mod observer;
mod omega;
pub mod operations;
pub mod testing;

pub use io::{dot, hoa, json, names};
pub use ltl::{eventual_union, recurrence, stutter, suspend, tableau, tight, translate};
pub use omega::automaton::{self, Automaton, Edge, Marks, StateId};
pub use omega::{
    bisimulation, degeneralize, lasso, marks, minimize, product, prune, scc, simulation, universal,
};
pub use testing::{TestingAutomaton, TestingEdge, TestingKind};
pub use testing::{
    eager as eager_testing, lazy as lazy_testing, reductions as reduce,
    translation as testing_translate,
};
