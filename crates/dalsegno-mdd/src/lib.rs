//! Multi-valued decision diagrams: sets of vectors of numbers, and events that change them.
//!
//! A [`Manager`] owns diagrams over a fixed number of levels, level 0 on top. A [`Set`] is a set of
//! vectors with one value per level. There are no domains: a value exists when some set has it, so
//! nothing has to be known of a model before its states are built. A [`Relation`] is an event kept
//! implicit ([`Manager::linear`]), a table of rows ([`Manager::table`]), a union, or any of them
//! restricted to the vectors that satisfy a [`Guard`]. [`Manager::saturate`] fires [`Events`] until
//! nothing is added; [`Manager::constrained`] does so inside a set; a [`Learner`] makes tables of
//! functions whose arguments are found on the way.
//!
//! # Example
//!
//! Two machines share one tool. Where is nobody idle, and what led there?
//!
//! ```
//! use dalsegno_mdd::{Comparison, Limits, Local, Manager, Stop};
//!
//! // Levels: first machine idle and working, tool, second machine idle and working.
//! let mut manager = Manager::new(5, Limits::default());
//! let initial = manager.singleton(&[2, 0, 1, 2, 0])?;
//! let take = |level| Local { at_least: 1, delta: -1, ..Local::new(level) };
//! let give = |level| Local { delta: 1, ..Local::new(level) };
//! let start_first = manager.linear(&[take(0), give(1), take(2)]);
//! let stop_first = manager.linear(&[give(0), take(1), give(2)]);
//! let start_second = manager.linear(&[take(2), take(3), give(4)]);
//! let stop_second = manager.linear(&[give(2), give(3), take(4)]);
//!
//! let events = manager.events(&[start_first, stop_first, start_second, stop_second]);
//! let reachable = manager.saturate(&initial, &events)?;
//! assert_eq!(manager.count(&reachable)?, 3_u32.into());
//!
//! // Never do both work: the sum of levels 1 and 4 is at most 1.
//! let both = manager.compare(&[(1, 1), (4, 1)], Comparison::AtLeast, 2);
//! assert!(manager.select(&reachable, both)?.is_empty());
//! assert_eq!(manager.greatest(&reachable, &[(1, 1), (4, 1)])?, Some(1));
//!
//! // Where the second works, and what comes before.
//! let works = manager.compare(&[(4, 1)], Comparison::AtLeast, 1);
//! let working = manager.select(&reachable, works)?;
//! assert_eq!(manager.pick(&working), Some(vec![2, 0, 0, 1, 1]));
//! let before = manager.preimage(&working, start_second)?;
//! assert_eq!(before, initial);
//! # Ok::<(), Stop>(())
//! ```
//!
//! # What holds
//!
//! 1. Equal sets of one manager are the same node: comparing handles compares sets.
//! 2. A set lives as long as a handle to it. Everything else goes away at the next collection,
//!    which happens on its own.
//! 3. What may run long returns a [`Stop`] at the limits told, never aborts, and leaves the manager
//!    and all handles as they were. Relations and guards are never dropped.
//! 4. Results depend on the arguments only; neither the order of drawings and vectors nor the
//!    number of steps depends on hashes of addresses or on time.
//! 5. Walks recurse once or twice per level: with thousands of levels, work [`with_stack`].
//!
//! Sets, relations and guards belong to the manager that made them. The store (`store.rs`) and the
//! manager (`manager.rs`) list their own invariants; [`Manager::check_invariants`] checks them.
//!
//! # What it costs
//!
//! With n and m for the edges of the arguments, while the cache remembers:
//!
//! | Operation | Cost |
//! |---|---|
//! | [`contains`](Manager::contains), [`pick`](Manager::pick), [`singleton`](Manager::singleton) | levels |
//! | [`union`](Manager::union), [`intersection`](Manager::intersection), [`difference`](Manager::difference) | n · m at worst, the larger argument as a rule |
//! | [`count`](Manager::count), [`greatest`](Manager::greatest), [`least`](Manager::least), [`ranges`](Manager::ranges), [`size`](Manager::size), [`write_dot`](Manager::write_dot) | n |
//! | [`count_pairs`](Manager::count_pairs) | n per event, between its first and last level |
//! | [`vectors`](Manager::vectors) | at most levels per vector |
//! | [`set_of`](Manager::set_of) | sorting the vectors |
//! | [`select`](Manager::select) | n times the partial sums that occur; a part of a junction at a time |
//! | [`project`](Manager::project) | unions at each level that goes away |
//! | [`image`](Manager::image), [`preimage`](Manager::preimage) | n times the parts of the relation, and unions where values meet |
//! | [`step_within`](Manager::step_within) | n times the events of a level |
//! | [`saturate`](Manager::saturate), [`constrained`](Manager::constrained) | no useful bound; the order of levels decides |

mod boolean;
mod cache;
mod column;
mod count;
mod dot;
mod extreme;
mod find;
mod gather;
mod guard;
mod learn;
mod learn_product;
mod levels;
mod limits;
mod manager;
mod pairs;
mod product;
mod project;
mod reach;
mod relation;
mod saturation;
mod select;
mod set;
mod stack;
mod step;
mod store;
mod vectors;
mod view;

pub use guard::{Comparison, Guard, Weight};
pub use learn::{Learner, Question};
pub use limits::{Limits, Statistics, Stop};
pub use manager::Manager;
pub use reach::Strategy;
pub use relation::{Local, Relation, TableRow};
pub use saturation::Events;
pub use set::Set;
pub use stack::{NoRoom, has_room, with_stack};
pub use vectors::Vectors;
pub use view::View;
