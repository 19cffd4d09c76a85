//! From LTL to automata that read letters.

pub(crate) mod eventual_union;
mod operands;
pub(crate) mod recurrence;
mod smallest;
pub(crate) mod stutter;
pub(crate) mod suspend;
pub(crate) mod tableau;
pub(crate) mod tight;
pub(crate) mod translation;
mod translator;
mod wide_operands;
