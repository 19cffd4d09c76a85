//! Multi-valued decision diagrams: sets of vectors of numbers, and events that change them.
//!
//! A [`Manager`] owns diagrams over a fixed number of levels, level 0 on top. A [`Set`] is a set of
//! vectors with one value per level; there are no domains, a value exists when some set has it.
//! A [`Relation`] is an event kept implicit ([`Manager::linear`]), a table of rows
//! ([`Manager::table`]), or either of them restricted to the vectors that satisfy a [`Guard`].
//! [`Manager::saturate`] fires [`Events`] until nothing is added; [`Manager::constrained`] does so
//! inside a set. Everything that may run long gives up with a [`Stop`] at the limits told.
//!
//! ```
//! use dalsegno_mdd::{Limits, Local, Manager, Stop};
//!
//! // Two counters of three tokens: an event moves a token from the first to the second.
//! let mut manager = Manager::new(2, Limits::default());
//! let initial = manager.singleton(&[3, 0])?;
//! let take = Local { at_least: 1, delta: -1, ..Local::new(0) };
//! let give = Local { delta: 1, ..Local::new(1) };
//! let event = manager.linear(&[take, give]);
//! let events = manager.events(&[event]);
//! let reachable = manager.saturate(&initial, &events)?;
//! assert!(manager.contains(&reachable, &[0, 3]));
//! # Ok::<(), Stop>(())
//! ```

mod boolean;
mod cache;
mod count;
mod dot;
mod extreme;
mod guard;
mod learn;
mod levels;
mod limits;
mod manager;
mod project;
mod reach;
mod relation;
mod saturation;
mod select;
mod set;
mod stack;
mod store;
mod vectors;

pub use guard::{Comparison, Guard};
pub use learn::Learner;
pub use limits::{Limits, Statistics, Stop};
pub use manager::Manager;
pub use reach::Strategy;
pub use relation::{Local, Relation, TableRow};
pub use saturation::Events;
pub use set::Set;
pub use stack::with_stack;
pub use vectors::Vectors;
