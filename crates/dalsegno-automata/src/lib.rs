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

pub mod automaton;
pub mod bdd;
pub mod bisimulation;
pub mod degeneralize;
pub mod dot;
pub mod eager_testing;
pub mod effort;
pub mod eventual_union;
pub mod hoa;
pub mod json;
pub mod lazy_testing;
mod letter_simulation;
pub mod marks;
pub mod membership;
pub mod minimize;
pub mod names;
pub mod observer;
pub mod operations;
pub mod product;
pub mod prune;
pub mod recurrence;
pub mod reduce;
pub mod scc;
pub mod simulation;
pub mod stutter;
pub mod suspend;
pub mod tableau;
pub mod testing;
pub mod testing_translate;
pub mod tight;
pub mod translate;
pub mod universal;
mod wide_operands;

pub use automaton::{Automaton, Edge, Marks, StateId};
pub use testing::{TestingAutomaton, TestingEdge, TestingKind};
