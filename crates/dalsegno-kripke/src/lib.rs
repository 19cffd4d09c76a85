//! The vocabulary that models, automata and engines share.
//!
//! A [`Letter`] is the set of propositions that hold in a state; a [`Changeset`] is what differs
//! between two letters; a [`Lasso`] is an infinite sequence with a finite description; a
//! [`Budget`] says when to give up, and [`Stop`] says why.

mod budget;
mod lasso;
mod letter;

pub use budget::{Budget, Stop};
pub use lasso::{Lasso, Word};
pub use letter::{Changeset, Letter, MAX_PROPOSITIONS};
