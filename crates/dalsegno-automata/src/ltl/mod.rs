//! From LTL to automata that read letters.

pub mod eventual_union;
pub mod recurrence;
pub mod stutter;
pub mod suspend;
pub mod tableau;
pub mod tight;
pub mod translate;
pub(crate) mod wide_operands;
