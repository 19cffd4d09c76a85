//! The vocabulary that models, automata and engines share.
//!
//! A [`Model`] is a vector of numbers with groups of transitions, a [`Predicate`] a set of its
//! states, [`DeadEnds`] says what happens where no transition is left, and [`Fairness`] which runs count. A [`Letter`] is the set
//! of propositions that hold in a state; a [`Changeset`] is what differs between two letters; a
//! [`Lasso`] is an infinite sequence with a finite description. A [`Budget`] says when to give up,
//! [`Stop`] says why, and a [`Verdict`] is what an engine answers. A [`Lift`] leads from a
//! transformed model back to the one the user gave, a [`Replay`] where only firing tells the way.

mod action;
mod bounds;
mod budget;
mod cases;
mod choice;
pub mod circuit;
pub mod clock;
mod dead_ends;
pub mod explanation;
mod fairness;
mod lasso;
mod letter;
pub mod lift;
mod model;
mod precondition;
mod predicate;
pub mod replay;
mod step;
mod table;
mod text;
mod toggles;
mod values;
mod verdict;
pub mod visibility;

pub use action::{Action, Fault, InPlace, Linear, Opaque, Outline, Undefined};
pub use bounds::{Bounds, Promised, Proved};
pub use budget::{Budget, Stop};
pub use cases::Cases;
pub use choice::UnknownName;
pub use circuit::Circuit;
pub use dead_ends::DeadEnds;
pub use fairness::{FairSet, Fairness, Strength};
pub use lasso::{Lasso, Run, Step, Word};
pub use letter::{Changeset, Letter, MAX_PROPOSITIONS};
pub use lift::{Lift, LiftError, Source};
pub use model::{Binding, Bindings, Group, GroupId, Labels, Model, ModelError, VarId, Variable};
pub use predicate::{Compare, Predicate, Relation, TooLarge};
pub use replay::{Continued, Move, MoveId, Replay, ReplayError};
pub use step::Scratch;
pub use table::Table;
pub use text::{NamedCompare, quoted_name};
pub use toggles::with_toggles;
pub use values::Values;
pub use verdict::Verdict;
pub use visibility::Visibility;
