//! ω-automata for linear-time temporal logic.
//!
//! Four kinds of automata in two types: an [`Automaton`] observes letters (TGBA, and BA as the special
//! case of one acceptance set on states), a [`TestingAutomaton`] observes changes (TA and TGTA). A
//! [`Translation`] makes all of them from an LTL formula; an [`observer::Observer`] is what
//! products use, whatever the kind.
//!
//! ```
//! use dalsegno_automata::Translation;
//! use dalsegno_kripke::Budget;
//! use dalsegno_logic::{FormulaStore, parse};
//!
//! let mut store = FormulaStore::new();
//! let f = parse(&mut store, "G(req -> F ack)").unwrap();
//! let tgba = Translation::new(&mut store, f, &Budget::unlimited()).tgba().unwrap();
//! assert_eq!((tgba.len(), tgba.edge_count()), (2, 4));
//! ```
//!
//! Rooms:
//!
//! - `ltl`: from a formula to automata over letters: the tableau, and ways to a small automaton;
//! - `omega`: the automaton, and passes over it. A pass has an [`effort`]: one that runs out leaves the automaton as it is;
//! - `testing`: testing automata, lazy and whole, and their reductions;
//! - [`operations`]: what tools need: products, complements, comparisons, words;
//! - `io`: [`hoa`], [`dot`] and [`json`].

pub mod bdd;
pub mod effort;
mod io;
mod ltl;
pub mod membership;
pub mod observer;
mod omega;
pub mod operations;
pub mod reaction;
mod testing;

#[cfg(test)]
mod tests;

pub use io::{dot, hoa, json, names};
pub use ltl::tableau::Error;
pub use ltl::translation::Translation;
pub use omega::automaton::Automaton;
pub use omega::edge::{Edge, MAX_ACCEPTANCE_SETS, Marks};
pub use omega::state_id::StateId;
pub use omega::universal::terminal_states;
pub use omega::{lasso, scc};
pub use testing::automaton::{TestingAutomaton, TestingEdge, TestingKind};
pub use testing::lazy::{LazyTesting, TestingState};
pub use testing::translation::{Error as TestingError, single_pass};
